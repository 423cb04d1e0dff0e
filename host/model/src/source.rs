//! Sources of plugins, as written in a registry. Only parses text; does not access the file system or the network.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// The source of a plugin. Sources other than bundled plugins and single files are downloaded or copied once into the
/// user's store, and afterwards used only as pinned by the lock file. Tool calls never access the source itself.
///
/// # Examples
///
/// ```
/// use std::path::Path;
///
/// use marquetry_model::source::Source;
///
/// let folder = Path::new("/project");
/// let source = Source::parse("path:packs/notes.wasm", folder)?;
/// assert_eq!(source, Source::Path("/project/packs/notes.wasm".into()));
/// assert_eq!(source.relative_to(folder), "path:packs/notes.wasm");
/// assert!(!source.is_downloaded());
/// assert!(Source::parse("ftp://x.org/notes.wasm", folder).is_err());
/// # Ok::<(), marquetry_model::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Shipped with marq.
    Bundled,
    /// A file, relative to the registry.
    Path(PathBuf),
    /// A folder with one file per version, relative to the registry.
    Folder(PathBuf),
    /// A URL. The registry pins the digest of the file.
    Url(String),
    /// A repository in an OCI registry, with an optional tag.
    Oci(String),
}

/// The accepted forms of a source, for hints.
const FORMS: &str =
    "`bundled`, `path:FILE.wasm`, `folder:FOLDER`, `https://…` with `sha256`, or `oci:HOST/REPOSITORY[:TAG]`";

impl Source {
    /// Parses a source. Relative paths are relative to `folder`.
    ///
    /// # Errors
    /// Fails with `InvalidArgument` if the text is not a source.
    pub fn parse(text: &str, folder: &Path) -> Result<Source> {
        let refused =
            |what: &str| Err(Error::argument(format!("`{text}` is not a source{what}")).hint(format!("write {FORMS}")));
        let source = match text.split_once(':') {
            None if text == "bundled" => Source::Bundled,
            Some(("path", path)) if !path.is_empty() => Source::Path(folder.join(path)),
            Some(("folder", path)) if !path.is_empty() => Source::Folder(normalized(&folder.join(path))),
            Some(("https" | "http", rest)) => match rest.strip_prefix("//") {
                None | Some("") => return refused(""),
                Some(address) if text.starts_with("http:") && !is_local_address(address) => {
                    return refused(": a URL must use https, except on this machine");
                }
                Some(_) => Source::Url(text.to_owned()),
            },
            Some(("oci", name)) if name.contains('/') && !name.contains("://") => Source::Oci(name.to_owned()),
            _ => return refused(""),
        };
        Ok(source)
    }

    /// Returns whether the plugin must be copied into the user's store before use.
    pub fn is_downloaded(&self) -> bool {
        matches!(self, Source::Folder(_) | Source::Url(_) | Source::Oci(_))
    }

    /// Formats the source for a registry or lock file. Paths are written relative to the registry's folder, so that a
    /// copied project refers to its own files.
    pub fn relative_to(&self, folder: &Path) -> String {
        match self {
            Source::Path(path) => Source::Path(relative_path(folder, path)).to_string(),
            Source::Folder(path) => Source::Folder(relative_path(folder, path)).to_string(),
            Source::Bundled | Source::Url(_) | Source::Oci(_) => self.to_string(),
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Bundled => f.write_str("bundled"),
            Source::Path(path) => write!(f, "path:{}", path.display()),
            Source::Folder(path) => write!(f, "folder:{}", path.display()),
            Source::Url(address) => f.write_str(address),
            Source::Oci(name) => write!(f, "oci:{name}"),
        }
    }
}

/// Returns whether the host of an address (`HOST[:PORT][/…]`) is this machine.
pub fn is_local_address(address: &str) -> bool {
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    // In `user:password@host`, the part before `@` only looks like the host.
    let host = if host.contains('@') { "" } else { host };
    let port = ["localhost", "127.0.0.1", "[::1]"].into_iter().find_map(|name| host.strip_prefix(name));
    port.is_some_and(|port| port.is_empty() || port.starts_with(':'))
}

/// Removes `.` and resolves `..` lexically, without accessing the file system.
fn normalized(path: &Path) -> PathBuf {
    let mut made = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if made.file_name().is_some() => {
                made.pop();
            }
            part => made.push(part),
        }
    }
    made
}

/// Returns the path of `path` relative to `folder`.
fn relative_path(folder: &Path, path: &Path) -> PathBuf {
    let mut up = PathBuf::new();
    for above in folder.ancestors() {
        // Stop before the root of the file system: paths that share only that are not related.
        if above.file_name().is_none() {
            break;
        }
        if let Ok(rest) = path.strip_prefix(above) {
            return up.join(rest);
        }
        up.push("..");
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, shown: &str, locked: &str) {
        let source = Source::parse(text, Path::new("/a/r")).expect("a source");
        assert_eq!(
            (source.to_string().as_str(), source.relative_to(Path::new("/a/r")).as_str()),
            (shown, locked),
            "{text}"
        );
    }

    #[test]
    fn sources_are_printed_as_parsed() {
        check("bundled", "bundled", "bundled");
        check("path:b/c.wasm", "path:/a/r/b/c.wasm", "path:b/c.wasm");
        check("path:/x/c.wasm", "path:/x/c.wasm", "path:/x/c.wasm");
        check("folder:packs/notes", "folder:/a/r/packs/notes", "folder:packs/notes");
        check("folder:../mirror/./notes", "folder:/a/mirror/notes", "folder:../mirror/notes");
        check("folder:/mnt/notes", "folder:/mnt/notes", "folder:/mnt/notes");
        check("https://x.org/a.wasm", "https://x.org/a.wasm", "https://x.org/a.wasm");
        check("http://localhost:80/a", "http://localhost:80/a", "http://localhost:80/a");
        check("oci:x.org/me/notes:0.1.0", "oci:x.org/me/notes:0.1.0", "oci:x.org/me/notes:0.1.0");
    }

    #[test]
    fn other_texts_are_not_sources() {
        for text in [
            "",
            "bundle",
            "folder:",
            "oci:notes",
            "oci:https://x.org/a",
            "ftp://x.org/a",
            "http://x.org/a",
            "http://localhost@x.org/a",
            "http://localhost.x.org/a",
        ] {
            let error = Source::parse(text, Path::new("/r")).expect_err(text);
            assert!(error.to_string().starts_with(&format!("`{text}` is not a source")), "{error}");
        }
        assert!(is_local_address("[::1]:5000/x") && !is_local_address("[::2]/x") && !is_local_address(""));
    }

    #[test]
    fn folders_are_normalized_without_the_file_system() {
        for (path, expected) in [
            ("a/../b", "b"),
            ("./a", "a"),
            ("a/./b", "a/b"),
            ("../a", "../a"),
            ("a/../../b", "../b"),
            ("/a/../b", "/b"),
        ] {
            assert_eq!(normalized(Path::new(path)), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn related_paths_are_relative() {
        for (folder, path, expected) in [
            ("/a/b", "/a/b/c", "c"),
            ("/a/b", "/a/c", "../c"),
            ("/a/b", "/a/b", ""),
            ("/a/b", "/c/d", "/c/d"),
            ("/", "/a", "/a"),
        ] {
            assert_eq!(relative_path(Path::new(folder), Path::new(path)), Path::new(expected), "{path} from {folder}");
        }
    }
}
