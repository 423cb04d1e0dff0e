//! Words in a text, as in identifiers.

/// Offsets of the words in a line.
pub(crate) fn word_offsets(line: &str) -> impl Iterator<Item = usize> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    line.char_indices().filter(move |(at, c)| part(*c) && !line[..*at].ends_with(part)).map(|(at, _)| at)
}

/// Offsets of a name as a whole word.
pub(crate) fn whole_word_offsets(text: &str, name: &str) -> Vec<usize> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let alone = |at: &usize| !text[..*at].ends_with(part) && !text[*at + name.len()..].starts_with(part);
    if name.is_empty() {
        return Vec::new();
    }
    text.match_indices(name).map(|(at, _)| at).filter(alone).collect()
}

#[cfg(test)]
mod tests {
    use super::whole_word_offsets;

    #[test]
    fn whole_words_excludes_parts_of_words() {
        assert_eq!(whole_word_offsets("add, address, _add, $add, add$, (add)", "add"), [0, 33]);
        assert_eq!(whole_word_offsets("éadd add", "add"), [6]);
        assert!(whole_word_offsets("anything", "").is_empty());
    }
}
