//! Paths in addresses, and their encoding.

use marquetry_sdk::urls;

/// Returns whether the address contains a placeholder of a preprocessor, a template engine or a
/// bundler.
pub(super) fn is_computed(specifier: &str) -> bool {
    ["#{", "@{", "${", "{{", "<%"].iter().any(|mark| specifier.contains(mark))
}

/// Encodes a path for an address with or without quotes. Characters that the old address did not
/// encode stay as they are.
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
