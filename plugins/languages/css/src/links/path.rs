//! Addresses: which of them are paths, and how those are encoded.

use marquetry_sdk::urls;

/// Whether a preprocessor, a template or a bundler fills it in.
pub(super) fn is_computed(specifier: &str) -> bool {
    ["#{", "@{", "${", "{{", "<%"].iter().any(|mark| specifier.contains(mark))
}

/// A path as an address in quotes or without; what the old address showed unencoded stays so.
pub(super) fn encode(path: &str, old: &str) -> String {
    urls::encoded(path, |c| match c {
        ' ' | '(' | ')' => !old.contains(c),
        c => matches!(c, '"' | '\'' | '\\' | '#' | '?' | '%'),
    })
}

/// A file name without its extension, and the extension without its dot.
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
    fn encodes_as_the_old_one_was() {
        assert_eq!(encode("a b", "x%20y"), "a%20b");
        assert_eq!(encode("a b", "x y"), "a b");
    }
}
