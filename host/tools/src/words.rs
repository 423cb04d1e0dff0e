//! Finds words in a text. Identifiers are words.

/// Offsets of the words in a line.
pub(crate) fn word_offsets(line: &str) -> impl Iterator<Item = usize> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    line.char_indices().filter(move |(at, c)| part(*c) && !line[..*at].ends_with(part)).map(|(at, _)| at)
}

/// Offsets of a name as a whole word.
pub(crate) fn whole_word_offsets(text: &str, name: &str) -> Vec<usize> {
    if name.is_empty() {
        return Vec::new();
    }
    text.match_indices(name).map(|(at, _)| at).filter(|at| is_whole_word(text, *at, name)).collect()
}

/// Returns whether a text has a name at an offset, as a whole word.
pub(crate) fn is_whole_word(text: &str, at: usize, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let after = text.get(at..).and_then(|rest| rest.strip_prefix(name));
    !name.is_empty() && after.is_some_and(|rest| !text[..at].ends_with(part) && !rest.starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::{is_whole_word, whole_word_offsets};

    #[test]
    fn whole_words_excludes_parts_of_words() {
        assert_eq!(whole_word_offsets("add, address, _add, $add, add$, (add)", "add"), [0, 33]);
        assert_eq!(whole_word_offsets("éadd add", "add"), [6]);
        assert!(whole_word_offsets("anything", "").is_empty());
        assert!(is_whole_word("é add", 3, "add") && !is_whole_word("é add", 1, "add"));
        assert!(!is_whole_word("add", 9, "add") && !is_whole_word("add", 0, ""));
    }
}
