//! Paths and addresses: taken apart, joined, made relative.

use std::fmt::Write;

/// An address taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address<'s> {
    /// As it is written, without what follows it.
    pub(super) path: &'s str,
    /// `?query#fragment`
    pub(super) suffix: &'s str,
}

/// The path and what follows it.
pub(super) fn split(specifier: &str) -> Address<'_> {
    let end = specifier.find(['?', '#']).unwrap_or(specifier.len());
    Address { path: &specifier[..end], suffix: &specifier[end..] }
}

/// Whether it has a scheme or a host: `https:`, `data:`, `sass:`, `//cdn`.
pub(super) fn is_remote(specifier: &str) -> bool {
    let scheme = specifier.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    scheme || specifier.starts_with("//")
}

/// Whether a preprocessor, a template or a bundler fills it in.
pub(super) fn is_computed(specifier: &str) -> bool {
    ["#{", "@{", "${", "{{", "<%"].iter().any(|mark| specifier.contains(mark))
}

/// Percent-encoding resolved; as it is where that gives no text.
pub(super) fn decode(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [byte, after @ ..] = rest {
        let hex = |at: usize| after.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (byte, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

/// A path as an address in quotes or without; what the old address showed unencoded stays so.
pub(super) fn encode(path: &str, old: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for c in path.chars() {
        let special = matches!(c, ' ' | '(' | ')' | '"' | '\'' | '\\' | '#' | '?' | '%') || c.is_control();
        let shown = matches!(c, ' ' | '(' | ')') && old.contains(c);
        if !special || shown {
            encoded.push(c);
            continue;
        }
        let mut buffer = [0; 4];
        for byte in c.encode_utf8(&mut buffer).bytes() {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// The directory of a path; empty for the root.
pub(super) fn directory(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

/// What follows the last slash.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file name without its extension, and the extension without its dot.
pub(super) fn split_extension(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    }
}

/// A relative path from a directory, without `.` and `..`; nothing where it leaves the root.
pub(super) fn join(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// How a path is reached from a directory.
pub(super) fn relative(directory: &str, to: &str) -> String {
    let from: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = to.split('/').collect();
    let shared = from.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// The folders from the file's own up to the root.
pub(super) fn folders(from: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(directory(from));
    std::iter::from_fn(move || {
        let folder = next?;
        next = (!folder.is_empty()).then(|| directory(folder));
        Some(folder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_made_relative() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("a", "../../x"), None);
        assert_eq!(relative("a/b", "a/c/d.png"), "../c/d.png");
        assert_eq!(relative("a/b", "a/b/x.png"), "x.png");
        assert_eq!(folders("a/b/c.css").collect::<Vec<_>>(), ["a/b", "a", ""]);
    }

    #[test]
    fn addresses_are_told_apart() {
        assert_eq!(split("a.svg?x#y"), Address { path: "a.svg", suffix: "?x#y" });
        for remote in ["https://x/y", "data:x", "//cdn/x", "sass:math"] {
            assert!(is_remote(remote), "{remote}");
        }
        assert!(!is_remote("a/b:c"));
        assert_eq!(encode(&decode("a%20b"), "x%20y"), "a%20b");
        assert_eq!(encode("a b", "x y"), "a b");
    }
}
