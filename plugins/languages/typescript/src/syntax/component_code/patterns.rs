//! Patterns of names in a template, such as those of `v-for="(item, index) in list"`.

use std::ops::Range;

/// Returns a range without the spaces at its ends.
pub(super) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + inner.len() - inner.trim_start().len();
    start..start + inner.trim().len()
}

/// Splits patterns at the commas between them.
pub(super) fn split_patterns(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, range.start);
    for (at, byte) in text[range.clone()].bytes().enumerate() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                found.push(trim(text, start..range.start + at));
                start = range.start + at + 1;
            }
            _ => {}
        }
    }
    found.push(trim(text, start..range.end));
    found.retain(|pattern| !pattern.is_empty());
    found
}
