//! Paths: names used by callers, their resolution, and the check that they are inside the root.
//!
//! A *name* is the path that callers see: relative to the root, with `/`, normalized without accessing the disk. A
//! *real path* is the resolved name: relative to the canonical root, without symbolic links.

use std::{
    io::ErrorKind,
    path::{Component, Path, PathBuf},
};

use marquetry_model::{Error, Kind, Result};

use crate::{
    errors::io_error,
    system::{exists_without_links, is_loop, refusal},
};

/// Handling of a path whose last component is a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkHandling {
    /// For contents: use the link's target.
    Follow,
    /// For moves and deletions: use the link itself.
    Keep,
}

/// Returns the path in a `file://` URI; other paths are unchanged.
pub(crate) fn path_from_uri(path: &str) -> Result<String> {
    if path.contains('\0') {
        return Err(Error::argument("a path cannot contain a NUL character"));
    }
    let Some(rest) = path.strip_prefix("file://") else { return Ok(path.to_owned()) };
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return Err(Error::argument(format!("`{path}` is on another machine"))
            .hint("write `file:///absolute/path`, or a plain path"));
    }
    let decoded =
        percent_decoded(rest).filter(|bytes| !bytes.contains(&0)).and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.ok_or_else(|| Error::argument(format!("`{path}` is not a well-formed file URI")))
}

fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = std::str::from_utf8(bytes.get(at + 1..at + 3)?).ok()?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    Some(out)
}

/// Returns the normalized relative name of a path. The root itself has the empty name.
pub(crate) fn relative_name(root: &Path, path: &str) -> Result<String> {
    let plain = path_from_uri(path)?;
    let outside = || {
        Error::new(Kind::OutsideWorkspace, format!("`{path}` is outside the workspace")).hint(format!(
            "the workspace is `{}`; name a path inside it, or give another `root`; a server serves more folders with \
                 `--root FOLDER`",
            root.display()
        ))
    };
    let joined = normalised(&root.join(&plain)).ok_or_else(outside)?;
    if let Ok(inside) = joined.strip_prefix(root) {
        return path_text(inside);
    }
    if !Path::new(&plain).is_absolute() {
        return Err(outside());
    }
    // The path may reach the root through a link, so resolved paths are compared.
    let (Some(parent), Some(last)) = (joined.parent(), joined.file_name()) else { return Err(outside()) };
    let mut missing = vec![last];
    let mut above = parent;
    loop {
        if let Ok(real) = above.canonicalize() {
            let full = missing.iter().rev().fold(real, |path, part| path.join(part));
            return path_text(full.strip_prefix(root).map_err(|_| outside())?);
        }
        let (Some(parent), Some(last)) = (above.parent(), above.file_name()) else { return Err(outside()) };
        missing.push(last);
        above = parent;
    }
}

/// Removes `.` and `..`; `None` if `..` leads above the top.
fn normalised(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// Returns a path below the root as text, with `/`.
pub(crate) fn path_text(path: &Path) -> Result<String> {
    let parts: Option<Vec<&str>> = path.components().map(|part| part.as_os_str().to_str()).collect();
    parts.map(|parts| parts.join("/")).ok_or_else(|| {
        Error::new(Kind::Unsupported, format!("the name of `{}` is not UTF-8", path.display()))
            .hint("rename it; names that are not UTF-8 cannot be distinguished safely")
    })
}

/// Resolves a name and checks that it is inside the root. It need not exist.
pub(crate) fn resolve(root: &Path, name: &str, links: LinkHandling) -> Result<String> {
    if name.is_empty() {
        return Ok(String::new());
    }
    if links == LinkHandling::Keep {
        let (parent, last) = split_parent(name);
        return Ok(join(&resolve(root, parent, LinkHandling::Follow)?, last));
    }
    // Most names contain no links. This check is cheaper than `canonicalize`, which checks every directory on the way
    // by its full path.
    if exists_without_links(root, name) {
        return Ok(name.to_owned());
    }
    match root.join(name).canonicalize() {
        Ok(found) => check_confined(root, name, &found),
        Err(error) if is_loop(&error) => Err(Error::argument(format!("`{name}` is a symbolic link to itself"))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            resolve_missing(root, name)
        }
        Err(error) => Err(io_error("reach", name, &error)),
    }
}

/// Resolves the path of a missing file: existing parents are resolved, the rest is appended.
fn resolve_missing(root: &Path, name: &str) -> Result<String> {
    if let Some((part, why)) = name.split('/').find_map(|part| Some((part, refusal(part)?))) {
        return Err(
            Error::argument(format!("`{part}` cannot be the name of a file: {why}")).hint("give it another name")
        );
    }
    let mut above = name;
    while !above.is_empty() && root.join(above).symlink_metadata().is_err() {
        above = split_parent(above).0;
    }
    let full = root.join(above);
    let Ok(found) = full.canonicalize() else {
        let target = full.read_link().unwrap_or_default();
        return Err(Error::new(
            Kind::FileNotFound,
            format!("`{above}` is a symbolic link to `{}`, which does not exist", target.display()),
        ));
    };
    let real = check_confined(root, above, &found)?;
    let rest = name[above.len()..].trim_start_matches('/');
    if !rest.is_empty() && !found.is_dir() {
        return Err(Error::new(Kind::FileNotFound, format!("`{above}` is a file, so `{name}` cannot exist"))
            .candidates([above.to_owned()]));
    }
    Ok(join(&real, rest))
}

fn check_confined(root: &Path, name: &str, found: &Path) -> Result<String> {
    let inside = found.strip_prefix(root).map_err(|_| {
        Error::new(Kind::OutsideWorkspace, format!("`{name}` is outside the workspace because of a symbolic link"))
            .hint(format!("it resolves to `{}`; the workspace is `{}`", found.display(), root.display()))
    })?;
    path_text(inside)
}

/// Splits a path into its parent directory and last component.
pub(crate) fn split_parent(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Joins two relative paths, either of which may be empty.
pub(crate) fn join(above: &str, below: &str) -> String {
    match (above.is_empty(), below.is_empty()) {
        (true, _) => below.to_owned(),
        (_, true) => above.to_owned(),
        _ => format!("{above}/{below}"),
    }
}

/// Returns the part of `path` below `above`.
pub(crate) fn path_below<'a>(above: &str, path: &'a str) -> Option<&'a str> {
    if above.is_empty() { Some(path) } else { path.strip_prefix(above)?.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str) -> std::result::Result<String, Kind> {
        relative_name(Path::new("/w/root"), path).map_err(|error| error.kind())
    }

    #[test]
    fn paths_become_relative_and_normalised() {
        assert_eq!(named("a/./b//c/../d.txt").as_deref(), Ok("a/b/d.txt"));
        assert_eq!(named("/w/root/x").as_deref(), Ok("x"));
        assert_eq!(named("../root/x").as_deref(), Ok("x"));
        assert_eq!(named("file:///w/root/a%20b").as_deref(), Ok("a b"));
        assert_eq!(named("file://localhost/w/root/a").as_deref(), Ok("a"));
        assert_eq!(named(".").as_deref(), Ok(""));
        assert_eq!(named("x/").as_deref(), Ok("x"));
    }

    #[test]
    fn paths_outside_the_root_are_refused() {
        for path in ["../x", "/etc/passwd", "a/../../x", "/w/rootless/x", "../../../../../x", "file:///etc/passwd"] {
            assert_eq!(named(path), Err(Kind::OutsideWorkspace), "{path}");
        }
        for path in ["a\0b", "file://host/x", "file:///w/root/%zz", "file:///w/root/%ff", "file:///w/root/%00"] {
            assert_eq!(named(path), Err(Kind::InvalidArgument), "{path}");
        }
    }
}
