//! A change of consecutive lines of a text, the smallest text that finds it, and what applying an instruction gave.

use std::ops::Range;

/// Lines of a text and the lines that replace them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineChange {
    /// Index of the first replaced line; the index before which lines are inserted if `old` is empty.
    pub line: usize,
    pub old: Vec<String>,
    pub new: Vec<String>,
}

impl LineChange {
    /// Returns the change that turns one text into the other.
    pub(super) fn between(before: &str, after: &str) -> LineChange {
        let (before, after): (Vec<&str>, Vec<&str>) = (before.split('\n').collect(), after.split('\n').collect());
        let most = before.len().min(after.len());
        let start = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        let same_end = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
        let end = same_end.min(most - start);
        let owned = |lines: &[&str]| lines[start..lines.len() - end].iter().map(|line| (*line).to_owned()).collect();
        LineChange { line: start, old: owned(&before), new: owned(&after) }
    }

    /// The indices of the replaced lines.
    pub(super) fn range(&self) -> Range<usize> {
        self.line..self.line + self.old.len()
    }

    /// Returns the lines with the change.
    pub(super) fn apply<'a>(&'a self, lines: &[&'a str]) -> Vec<&'a str> {
        let range = self.range();
        let new = self.new.iter().map(String::as_str);
        lines[..range.start].iter().copied().chain(new).chain(lines[range.end..].iter().copied()).collect()
    }
}

/// The result of applying an instruction to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The new text of the file.
    Applied(String),
    /// Refused, because the instruction fits several places.
    Ambiguous,
    /// Refused for another reason.
    Refused(String),
}

/// A text that occurs once, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replacement {
    pub old: String,
    pub new: String,
}

/// Returns the shortest run of lines that contains the change and occurs once in the text.
///
/// With `trimmed`, the run starts after the indentation of its first line.
pub(super) fn shortest_unique_run(text: &str, change: &LineChange, trimmed: bool) -> Option<Replacement> {
    let lines: Vec<&str> = text.split('\n').collect();
    let Range { start, end } = change.range();
    for length in change.old.len().max(1)..=lines.len() {
        let first = end.saturating_sub(length);
        for from in (first..=start).filter(|from| from + length >= end && from + length <= lines.len()) {
            let run = lines[from..from + length].to_vec();
            let inner = LineChange { line: start - from, ..change.clone() };
            let (old, new) = (run.join("\n"), inner.apply(&run).join("\n"));
            let (old, new) = if trimmed { without_indentation(&old, &new) } else { (old.as_str(), new.as_str()) };
            if !old.is_empty() && text.match_indices(old).count() == 1 {
                return Some(Replacement { old: old.to_owned(), new: new.to_owned() });
            }
        }
    }
    None
}

/// Returns both texts without the indentation of the first line, if it is the same in both.
fn without_indentation<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let width = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    if width(old) == width(new) { (&old[width(old)..], &new[width(new)..]) } else { (old, new) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, trimmed: bool, old: &str, new: &str) {
        let change = LineChange::between(before, after);
        let expected = Replacement { old: old.to_owned(), new: new.to_owned() };
        assert_eq!(shortest_unique_run(before, &change, trimmed), Some(expected), "{before:?}");
    }

    #[test]
    fn change_is_found_between_texts() {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let check = |before: &str, after: &str, line: usize, old: &[&str], new: &[&str]| {
            let change = LineChange::between(before, after);
            assert_eq!(change, LineChange { line, old: owned(old), new: owned(new) });
            assert_eq!(change.apply(&before.split('\n').collect::<Vec<_>>()).join("\n"), after);
        };
        check("a\nb\nc\n", "a\nx\nc\n", 1, &["b"], &["x"]);
        check("a\nc\n", "a\nb\nc\n", 1, &[], &["b"]);
        check("a\na\n", "a\na\na\n", 2, &[], &["a"]);
        check("a\nb\n", "b\n", 0, &["a"], &[]);
    }

    #[test]
    fn unique_line_is_enough() {
        check("a\nb\nc\n", "a\nx\nc\n", false, "b", "x");
    }

    #[test]
    fn lines_are_added_until_the_run_is_unique() {
        check("a\n  b\nc\n  b\n", "a\n  x\nc\n  b\n", false, "a\n  b", "a\n  x");
        check("  b\nc\n  b\n", "  x\nc\n  b\n", false, "  b\nc", "  x\nc");
        check("{\n}\n{\n}\nend\n", "{\n}\n{\n]\nend\n", false, "}\nend", "]\nend");
    }

    #[test]
    fn part_of_a_longer_line_counts_as_an_occurrence() {
        check("b = 1\n  b = 12\n", "b = 2\n  b = 12\n", false, "b = 1\n  b = 12", "b = 2\n  b = 12");
    }

    #[test]
    fn inserted_line_is_described_with_a_neighbour() {
        check("a\nc\n", "a\nb\nc\n", false, "a", "a\nb");
        check("}\nc\n}\n", "}\nc\nb\n}\n", false, "c", "c\nb");
    }

    #[test]
    fn indentation_of_the_first_line_is_left_out_if_equal() {
        check("f\n  b\nc\n", "f\n  x\nc\n", true, "b", "x");
        check("f\n  b\nc\n", "f\n  x\n  y\nc\n", true, "b", "x\n  y");
        check("f\n  b\nc\n  b\nd\n", "f\n  b\nc\n  x\nd\n", true, "c\n  b", "c\n  x");
    }
}
