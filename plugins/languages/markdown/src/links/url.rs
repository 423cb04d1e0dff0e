//! Destinations that are URLs: returns which of them can refer to a file, and encodes paths.

use marquetry_sdk::urls;

/// Returns whether a destination can refer to a file, rather than to another site or to an anchor on its page.
pub(super) fn can_refer_to_file(specifier: &str) -> bool {
    !(specifier.is_empty() || specifier.starts_with(['#', '?']) || urls::is_remote(specifier))
}

/// Percent-encodes a path for a destination, in the style of the existing destination `like`.
pub(crate) fn percent_encode(path: &str, like: &str) -> String {
    // Unbalanced brackets would end a destination.
    let keeps_brackets = like.contains(['(', ')']) && path.matches('(').count() == path.matches(')').count();
    // An `&` starts a character reference only if a letter, a digit or `#` follows. Otherwise it can be kept.
    let names_character =
        |(at, _): (usize, &str)| path[at + 1..].starts_with(|c: char| c.is_alphanumeric() || c == '#');
    let keeps_and = like.contains('&') && !path.match_indices('&').any(names_character);
    let all = like
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'%' && matches!(pair[1], b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F'));
    urls::encode(path, |c| match c {
        ' ' => !like.contains(' '),
        '(' | ')' => !keeps_brackets,
        '\'' => !like.contains('\''),
        '&' => !keeps_and,
        '%' | '#' | '?' | '<' | '>' | '"' | '\\' | '|' | '`' => true,
        c => all && !c.is_ascii(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_files_from_sites() {
        for file in ["a.md", "./a", "/a.md", "a.md#b", "%20.md"] {
            assert!(can_refer_to_file(file), "{file}");
        }
        for other in ["", "#a", "?b", "//c", "https://d", "mailto:e@f"] {
            assert!(!can_refer_to_file(other), "{other}");
        }
    }

    #[test]
    fn encoding_follows_old_destination() {
        assert_eq!(percent_encode("a b(é).md", "x.md"), "a%20b%28é%29.md");
        assert_eq!(percent_encode("a bé.md", "x y%C3%A4.md"), "a b%C3%A9.md");
        assert_eq!(percent_encode("a(1).md", "b(1).md"), "a(1).md");
        assert_eq!(percent_encode("../a & b.md", "a%20&%20b.md"), "../a%20&%20b.md");
        assert_eq!(percent_encode("a & b.md", "c.md"), "a%20%26%20b.md");
        assert_eq!(percent_encode("a&amp.md", "b%20&%20c.md"), "a%26amp.md");
    }
}
