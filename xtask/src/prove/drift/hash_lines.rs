//! Edits of lines that are named by number and hash, as in editors of the hashline kind: the hash is that of the line
//! without white space. A line that moved is found by its hash if no other line has it. Line breaks of the file do not
//! matter. A new line without indentation gets that of the line that it replaces.

use serde_json::json;

use super::change::{LineChange, Outcome};

/// One edit of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HashEdit {
    operation: Operation,
    /// Number of the line, from 1.
    number: usize,
    hash: String,
    lines: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Replace,
    /// Insert after the line.
    Append,
    /// Insert before the line.
    Prepend,
}

impl HashEdit {
    /// Describes a change of one line, or lines inserted next to one.
    ///
    /// Inserted lines are anchored at the neighbour with a hash that no other line of the text has, if there is one.
    pub(super) fn new(text: &str, change: &LineChange) -> Option<HashEdit> {
        let lines: Vec<&str> = text.split('\n').collect();
        let is_unique = |index: usize| lines.iter().filter(|line| hash(line) == hash(lines[index])).count() == 1;
        let (operation, index) = match (change.old.len(), change.line) {
            (1, line) => (Operation::Replace, line),
            (0, 0) => (Operation::Prepend, 0),
            (0, line) if is_unique(line - 1) || line >= lines.len() || !is_unique(line) => {
                (Operation::Append, line - 1)
            }
            (0, line) => (Operation::Prepend, line),
            _ => return None,
        };
        Some(HashEdit { operation, number: index + 1, hash: hash(lines[index]), lines: change.new.clone() })
    }

    /// The call as a model writes it.
    pub(super) fn instruction(&self, file: &str) -> String {
        let operation = match self.operation {
            Operation::Replace => "replace",
            Operation::Append => "append",
            Operation::Prepend => "prepend",
        };
        let position = format!("{}#{}", self.number, self.hash);
        json!({ "path": file, "edits": [{ "op": operation, "pos": position, "lines": self.lines }] }).to_string()
    }

    /// Applies the edit to a text.
    pub(super) fn apply(&self, text: &str) -> Outcome {
        let is_crlf = text.contains("\r\n");
        let plain = text.replace("\r\n", "\n");
        let lines: Vec<&str> = plain.split('\n').collect();
        let has_hash = |index: &usize| lines.get(*index).is_some_and(|line| hash(line) == self.hash);
        let expected = self.number - 1;
        let index = if has_hash(&expected) {
            expected
        } else {
            let found: Vec<usize> = (0..lines.len()).filter(has_hash).collect();
            match found[..] {
                [] => return Outcome::Refused("no line has this hash".to_owned()),
                [index] => index,
                _ => return Outcome::Ambiguous,
            }
        };
        let changed = self.change_at(lines[index], index).apply(&lines).join("\n");
        Outcome::Applied(if is_crlf { changed.replace('\n', "\r\n") } else { changed })
    }

    fn change_at(&self, line: &str, index: usize) -> LineChange {
        let (at, old) = match self.operation {
            Operation::Replace => (index, vec![line.to_owned()]),
            Operation::Append => (index + 1, Vec::new()),
            Operation::Prepend => (index, Vec::new()),
        };
        let new = if self.operation == Operation::Replace { indented(&self.lines, line) } else { self.lines.clone() };
        LineChange { line: at, old, new }
    }
}

/// Returns a new line that has no indentation with that of the old line.
fn indented(lines: &[String], old: &str) -> Vec<String> {
    let [line] = lines else { return lines.to_vec() };
    let indentation = &old[..old.len() - old.trim_start().len()];
    let has_own = line.starts_with([' ', '\t']) || line.is_empty();
    vec![if has_own { line.clone() } else { format!("{indentation}{line}") }]
}

/// Returns the hash of a line: four hexadecimal digits (FNV-1a, folded) of its characters that are not white space.
fn hash(line: &str) -> String {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let characters = line.chars().filter(|character| !character.is_whitespace());
    let hash = characters.collect::<String>().bytes().fold(0x811c_9dc5, step);
    format!("{:04x}", (hash >> 16) ^ (hash & 0xffff))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn edit(before: &str, after: &str) -> HashEdit {
        HashEdit::new(before, &LineChange::between(before, after)).expect("one line")
    }

    fn check(edit: &HashEdit, text: &str, expected: &str) {
        assert_eq!(edit.apply(text), Outcome::Applied(expected.to_owned()), "{text:?}");
    }

    #[test]
    fn line_is_replaced() {
        check(&edit("a\nb\nc\n", "a\nx\nc\n"), "a\nb\nc\n", "a\nx\nc\n");
    }

    #[test]
    fn moved_line_is_found_by_its_hash() {
        check(&edit("a\nb\nc\n", "a\nx\nc\n"), "0\n1\na\nb\nc\n", "0\n1\na\nx\nc\n");
    }

    #[test]
    fn hash_of_several_lines_is_ambiguous() {
        assert_eq!(edit("a\nb\nc\n", "a\nx\nc\n").apply("b\nc\nb\n"), Outcome::Ambiguous);
    }

    #[test]
    fn changed_line_is_refused() {
        let outcome = edit("a\nb\nc\n", "a\nx\nc\n").apply("a\nd\nc\n");
        assert_eq!(outcome, Outcome::Refused("no line has this hash".to_owned()));
    }

    #[test]
    fn white_space_does_not_change_the_hash() {
        let edit = edit("a\n  b c\n", "a\n  x c\n");
        check(&edit, "a\n\tb c\n", "a\n  x c\n");
        check(&edit, "a\r\n  b c\r\n", "a\r\n  x c\r\n");
    }

    #[test]
    fn new_line_without_indentation_gets_that_of_the_old_line() {
        check(&edit("b\n", "x\n"), "\tb\n", "\tx\n");
    }

    #[test]
    fn inserted_line_has_an_anchor_with_a_unique_hash() {
        let after = edit("a\nc\n", "a\nb\nc\n");
        assert_eq!((after.operation, after.number), (Operation::Append, 1));
        check(&after, "0\na\nc\n", "0\na\nb\nc\n");
        let before = edit("}\n}\nc\n", "}\n}\nb\nc\n");
        assert_eq!((before.operation, before.number), (Operation::Prepend, 3));
        check(&before, "}\n}\nc\n", "}\n}\nb\nc\n");
    }

    #[test]
    fn instruction_names_number_and_hash() {
        let edit = edit("a\nb\n", "a\nx\n");
        let position = format!("2#{}", hash("b"));
        let call: Value = serde_json::from_str(&edit.instruction("f")).expect("JSON");
        assert_eq!(call, json!({ "path": "f", "edits": [{ "op": "replace", "pos": position, "lines": ["x"] }] }));
    }
}
