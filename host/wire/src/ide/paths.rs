//! Maps paths and URIs from clients to files in the served roots.

use std::path::Path;

use marquetry_model::{Error, Kind, Result};
use marquetry_tools::Workbench;

/// A file in a served root.
pub(super) struct Located {
    /// The root that contains it.
    pub(super) root: String,
    /// Absolute path.
    pub(super) path: String,
    /// Path relative to the root.
    pub(super) name: String,
}

impl Located {
    /// Resolves a path or a `file:` URI. Relative paths are relative to the first root; `~` is the user's home
    /// folder, if known.
    pub(super) fn resolve(given: &str, bench: &Workbench, home: Option<&Path>) -> Result<Located> {
        let plain = match given.strip_prefix("file://") {
            Some(uri) => decode_uri(uri).ok_or_else(|| Error::argument(format!("`{given}` is not a file URI")))?,
            None => expand_home(given, home),
        };
        let roots = bench.roots();
        let root =
            if Path::new(&plain).is_absolute() { roots.root_of(&plain) } else { roots.served().into_iter().next() };
        let root = root.ok_or_else(|| {
            Error::new(Kind::OutsideWorkspace, format!("`{given}` is outside of the served folders"))
                .candidates(roots.served())
        })?;
        let files = bench.files(Some(&root))?;
        let name = files.locate(&plain)?;
        let path = format!("{}/{name}", files.root().trim_end_matches('/'));
        Ok(Located { root: files.root().to_owned(), path, name })
    }
}

/// Expands a leading `~/`.
fn expand_home(given: &str, home: Option<&Path>) -> String {
    match given.strip_prefix("~/").zip(home) {
        Some((rest, home)) => home.join(rest).to_string_lossy().into_owned(),
        None => given.to_owned(),
    }
}

/// Decodes a `file:` URI, given without `file://`.
fn decode_uri(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("localhost").unwrap_or(uri);
    let (mut bytes, mut at) = (Vec::with_capacity(path.len()), 0);
    let raw = path.as_bytes();
    while at < raw.len() {
        if raw[at] == b'%' {
            bytes.push(u8::from_str_radix(path.get(at + 1..at + 3)?, 16).ok()?);
            at += 3;
        } else {
            bytes.push(raw[at]);
            at += 1;
        }
    }
    String::from_utf8(bytes).ok().filter(|path| path.starts_with('/'))
}

/// The `file:` URI of a path.
pub(super) fn uri(path: &str) -> String {
    path.bytes().fold("file://".to_owned(), |mut uri, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
        uri
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_convert_both_ways() {
        for path in ["/a/b.ts", "/with space/ü%20/#x?.md", "/C:/x"] {
            let uri = uri(path);
            assert!(uri.is_ascii() && !uri.contains([' ', '#', '?']), "{uri}");
            assert_eq!(decode_uri(uri.strip_prefix("file://").expect("a URI")).as_deref(), Some(path));
        }
        assert_eq!(decode_uri("localhost/a").as_deref(), Some("/a"));
        for wrong in ["host/a", "/a%", "/a%2", "/a%zz", "/a%ff", ""] {
            assert_eq!(decode_uri(wrong), None, "{wrong}");
        }
    }
}
