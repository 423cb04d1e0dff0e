//! Exact string replacement, with the rules of Claude Code's `Edit`: `old_string` must occur exactly once. Line breaks of
//! the file do not matter: it is read with line feeds and written with its own line breaks.

use serde_json::json;

use super::change::{Outcome, Replacement};

/// The call as a model writes it.
pub(super) fn instruction(file: &str, replacement: &Replacement) -> String {
    json!({ "file_path": file, "old_string": replacement.old, "new_string": replacement.new }).to_string()
}

/// Applies a replacement to a text.
pub(super) fn apply(text: &str, replacement: &Replacement) -> Outcome {
    let is_crlf = text.contains("\r\n");
    let plain = text.replace("\r\n", "\n");
    match plain.match_indices(&replacement.old).count() {
        0 => Outcome::Refused("the string to replace was not found".to_owned()),
        1 => {
            let changed = plain.replacen(&replacement.old, &replacement.new, 1);
            Outcome::Applied(if is_crlf { changed.replace('\n', "\r\n") } else { changed })
        }
        _ => Outcome::Ambiguous,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn check(text: &str, old: &str, new: &str, expected: &Outcome) {
        let replacement = Replacement { old: old.to_owned(), new: new.to_owned() };
        assert_eq!(apply(text, &replacement), *expected, "{text:?}");
    }

    fn applied(text: &str) -> Outcome {
        Outcome::Applied(text.to_owned())
    }

    #[test]
    fn string_that_occurs_once_is_replaced() {
        check("a\nb\nc\n", "b", "x", &applied("a\nx\nc\n"));
        check("a\n  b\nc\n", "a\n  b", "a\n  x", &applied("a\n  x\nc\n"));
    }

    #[test]
    fn several_occurrences_are_ambiguous() {
        check("b b\n", "b", "x", &Outcome::Ambiguous);
    }

    #[test]
    fn other_white_space_does_not_match() {
        let refused = Outcome::Refused("the string to replace was not found".to_owned());
        check("a\n\tb\n", "a\n  b", "a\n  x", &refused);
    }

    #[test]
    fn line_breaks_of_the_file_are_kept() {
        check("a\r\nb\r\nc\r\n", "a\nb", "a\nx", &applied("a\r\nx\r\nc\r\n"));
    }

    #[test]
    fn instruction_is_a_call_with_three_arguments() {
        let replacement = Replacement { old: "a\n\"b\"".to_owned(), new: "c".to_owned() };
        let call: Value = serde_json::from_str(&instruction("a.ts", &replacement)).expect("JSON");
        assert_eq!(call, json!({ "file_path": "a.ts", "old_string": "a\n\"b\"", "new_string": "c" }));
    }
}
