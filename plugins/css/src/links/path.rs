//! Paths and addresses: taken apart, joined, made relative.

use std::fmt::Write;

use marquetry_sdk::paths::{self, folder, has_scheme};

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
    has_scheme(specifier) || specifier.starts_with("//")
}

/// Whether a preprocessor, a template or a bundler fills it in.
pub(super) fn is_computed(specifier: &str) -> bool {
    ["#{", "@{", "${", "{{", "<%"].iter().any(|mark| specifier.contains(mark))
}

/// Percent-encoding resolved; as it is where that gives no text.
pub(super) fn decode(path: &str) -> String {
    paths::percent_decoded(path).map_or_else(|| path.to_owned(), std::borrow::Cow::into_owned)
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

/// A file name without its extension, and the extension without its dot.
pub(super) fn split_extension(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    }
}

/// The folders from the file's own up to the root.
pub(super) fn folders(from: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder(from));
    std::iter::from_fn(move || {
        let current = next?;
        next = (!current.is_empty()).then(|| folder(current));
        Some(current)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_to_the_root() {
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
