//! Paths in URLs, and their encoding.

use marquetry_sdk::urls;

/// Returns whether the URL contains a placeholder of a preprocessor, a template engine or a bundler.
pub(super) fn is_computed(specifier: &str) -> bool {
    ["#{", "@{", "${", "{{", "<%"].iter().any(|mark| specifier.contains(mark))
}

/// Encodes a path as a URL, which can be quoted or unquoted. Characters that the old URL contains unencoded are not
/// encoded.
pub(super) fn encode(path: &str, old: &str) -> String {
    urls::encode(path, |c| match c {
        ' ' | '(' | ')' => !old.contains(c),
        c => matches!(c, '"' | '\'' | '\\' | '#' | '?' | '%'),
    })
}

/// Splits a file name into its stem and its extension without the dot.
pub(super) fn split_extension(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_follows_old_link() {
        assert_eq!(encode("a b", "x%20y"), "a%20b");
        assert_eq!(encode("a b", "x y"), "a b");
    }
}
