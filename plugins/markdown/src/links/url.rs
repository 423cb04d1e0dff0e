//! Links as URLs: which of them can lead to a file, and percent-encoding.

use std::borrow::Cow;

use marquetry_sdk::paths::{self, has_scheme};

/// Whether a destination can lead to a file: not to another site, and not only to a place on its own page.
pub(super) fn can_be_file(specifier: &str) -> bool {
    !(specifier.is_empty() || specifier.starts_with(['#', '?']) || specifier.starts_with("//") || has_scheme(specifier))
}

/// The path, and what follows it: `?query` and `#anchor`.
pub(super) fn split(specifier: &str) -> (&str, &str) {
    specifier.split_at(specifier.find(['#', '?']).unwrap_or(specifier.len()))
}

/// With `%20` and the like decoded; as it is where that gives no text.
pub(super) fn percent_decoded(path: &str) -> Cow<'_, str> {
    paths::percent_decoded(path).unwrap_or(Cow::Borrowed(path))
}

/// Percent-encoded for the place of a destination that was written like `like`.
pub(super) fn percent_encoded(path: &str, like: &str) -> String {
    // Brackets that have no partner would end a destination.
    let keeps_brackets = like.contains(['(', ')']) && path.matches('(').count() == path.matches(')').count();
    let all = like
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'%' && matches!(pair[1], b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F'));
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        let plain = match c {
            ' ' => like.contains(' '),
            '(' | ')' => keeps_brackets,
            '\'' => like.contains('\''),
            '%' | '#' | '?' | '<' | '>' | '"' | '\\' | '|' | '`' | '&' => false,
            c if c.is_ascii() => !c.is_ascii_control(),
            _ => !all,
        };
        if plain {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out += &format!("%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_files_from_sites() {
        for file in ["a.md", "./a", "/a.md", "a.md#b", "%20.md"] {
            assert!(can_be_file(file), "{file}");
        }
        for other in ["", "#a", "?b", "//c", "https://d", "mailto:e@f"] {
            assert!(!can_be_file(other), "{other}");
        }
    }

    #[test]
    fn decodes_and_encodes() {
        assert_eq!(percent_decoded("a%20b%C3%A9"), "a bé");
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("%FF"), "%FF");
        assert_eq!(percent_encoded("a b(é).md", "x.md"), "a%20b%28é%29.md");
        assert_eq!(percent_encoded("a bé.md", "x y%C3%A4.md"), "a b%C3%A9.md");
        assert_eq!(percent_encoded("a(1).md", "b(1).md"), "a(1).md");
    }
}
