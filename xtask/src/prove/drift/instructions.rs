//! The instructions that restore a mutated file, written for the mutated file, and their application to another text.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{
    case::Case,
    change::{LineChange, Outcome, Replacement, shortest_unique_run},
    hash_lines::HashEdit,
    patch, replace_string,
};
use crate::measure::session::Session;

/// A way to write the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// `replace` of the named place by its original text.
    Replace,
    /// `replace_text` in the named place.
    ReplaceText,
    /// A unique run of whole lines, and its replacement.
    Lines,
    /// Like `Lines`, but without the indentation of the first line.
    TrimmedLines,
    Patch,
    HashLines,
}

impl Form {
    pub(super) const ALL: [Form; 6] =
        [Form::Replace, Form::ReplaceText, Form::Lines, Form::TrimmedLines, Form::Patch, Form::HashLines];

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Replace => "marq replace",
            Form::ReplaceText => "marq replace_text",
            Form::Lines => "old_string, whole lines",
            Form::TrimmedLines => "old_string, trimmed",
            Form::Patch => "apply_patch",
            Form::HashLines => "hash lines",
        }
    }

    pub(super) fn is_marq(self) -> bool {
        matches!(self, Form::Replace | Form::ReplaceText)
    }
}

/// An instruction.
pub(super) enum Instruction {
    /// Arguments of `file/edit`.
    Marq(Value),
    Replacement(Replacement),
    Patch(String),
    HashEdit(HashEdit),
}

impl Instruction {
    /// Writes the instruction that restores the original of a case; `None` if this form cannot describe it.
    pub(super) fn new(form: Form, case: &Case) -> Option<Instruction> {
        let change = case.restoring_change();
        let (file, target) = (&case.file, &case.address);
        Some(match form {
            Form::Replace => Instruction::Marq(
                json!({ "file": file, "target": target, "operation": "replace", "content": case.content }),
            ),
            Form::ReplaceText => {
                let inner = LineChange::between(&case.place, &case.content);
                let Replacement { old, new } = shortest_unique_run(&case.place, &inner, true)?;
                Instruction::Marq(
                    json!({ "file": file, "target": target, "operation": "replace_text", "old": old, "content": new }),
                )
            }
            Form::Lines => Instruction::Replacement(shortest_unique_run(&case.mutated, &change, false)?),
            Form::TrimmedLines => Instruction::Replacement(shortest_unique_run(&case.mutated, &change, true)?),
            Form::Patch => Instruction::Patch(patch::instruction(file, &case.mutated, &change, &case.headers)?),
            Form::HashLines => Instruction::HashEdit(HashEdit::new(&case.mutated, &change)?),
        })
    }

    /// The text that a model writes.
    pub(super) fn text(&self, file: &str) -> String {
        match self {
            Instruction::Marq(arguments) => arguments.to_string(),
            Instruction::Replacement(replacement) => replace_string::instruction(file, replacement),
            Instruction::Patch(patch) => patch.clone(),
            Instruction::HashEdit(edit) => edit.instruction(file),
        }
    }

    /// Applies the instruction to a text of the file.
    pub(super) fn apply(&self, session: &mut Session, folder: &Path, file: &str, text: &str) -> Result<Outcome> {
        match self {
            Instruction::Marq(arguments) => call(session, arguments, &folder.join(file), text),
            Instruction::Replacement(replacement) => Ok(replace_string::apply(text, replacement)),
            Instruction::Patch(patch) => Ok(patch::apply(text, patch)),
            Instruction::HashEdit(edit) => Ok(edit.apply(text)),
        }
    }
}

/// Writes the text, makes the call, and reads the new text.
fn call(session: &mut Session, arguments: &Value, path: &Path, text: &str) -> Result<Outcome> {
    fs::write(path, text)?;
    Ok(match session.result("file/edit", arguments)? {
        Ok(_) => Outcome::Applied(fs::read_to_string(path).with_context(|| path.display().to_string())?),
        Err(error) if error["data"]["kind"] == "AmbiguousTarget" => Outcome::Ambiguous,
        Err(error) => Outcome::Refused(error["message"].as_str().unwrap_or_default().to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            drifts::{Drift, indentation},
            formats::format_of,
            mutation::Kind,
            report::Verdict,
        },
        *,
    };

    const ORIGINAL: &str = "function a() {\n  b(1)\n  return c\n}\nfunction d() {\n  b(1)\n  return c\n}\n";

    fn case() -> Case {
        let mutated = ORIGINAL.replacen("b(1)", "b(2)", 1);
        let end = mutated.find("\nfunction d").expect("the second function");
        let other = LineChange { line: 2, old: vec!["  return c".to_owned()], new: vec!["  return e".to_owned()] };
        Case {
            format: format_of("ts").expect("TypeScript"),
            file: "a.ts".to_owned(),
            original: ORIGINAL.to_owned(),
            kind: Kind::Literal,
            address: "a".to_owned(),
            place: mutated[..end].to_owned(),
            content: ORIGINAL[..end].to_owned(),
            headers: vec!["function a() {".to_owned()],
            other: other.clone(),
            other_in_original: other,
            mutated,
        }
    }

    #[test]
    fn calls_name_the_place() {
        let arguments = |form| match Instruction::new(form, &case()) {
            Some(Instruction::Marq(arguments)) => arguments,
            _ => Value::Null,
        };
        let content = "function a() {\n  b(1)\n  return c\n}";
        let replace = json!({ "file": "a.ts", "target": "a", "operation": "replace", "content": content });
        assert_eq!(arguments(Form::Replace), replace);
        let text =
            json!({ "file": "a.ts", "target": "a", "operation": "replace_text", "old": "b(2)", "content": "b(1)" });
        assert_eq!(arguments(Form::ReplaceText), text);
    }

    /// Applies each form of a peer after a drift, and compares it with the original after the same drift.
    fn check(drift: Drift, expected: [(Form, Verdict); 4]) {
        let case = case();
        let old = indentation(ORIGINAL);
        let drifted = |text: &str| drift.apply(text, case.format, old, &case.other).expect("possible");
        for (form, expected) in expected {
            let text = drifted(&case.mutated);
            let outcome = match Instruction::new(form, &case).expect("an instruction") {
                Instruction::Marq(_) => panic!("{form:?} needs a program"),
                Instruction::Replacement(replacement) => replace_string::apply(&text, &replacement),
                Instruction::Patch(patch) => patch::apply(&text, &patch),
                Instruction::HashEdit(edit) => edit.apply(&text),
            };
            let verdict = Verdict::new(&outcome, &drifted(&case.original));
            assert_eq!(verdict, expected, "{form:?}, {drift:?}");
        }
    }

    #[test]
    fn peers_restore_unchanged_and_shifted_files() {
        let all = Form::ALL.map(|form| (form, Verdict::Right));
        let peers = [all[2], all[3], all[4], all[5]];
        check(Drift::None, peers);
        check(Drift::LinesAbove, peers);
        check(Drift::Crlf, peers);
    }

    #[test]
    fn peers_depend_on_indentation_and_neighbours() {
        let results = |lines, trimmed, patch, hash| {
            [(Form::Lines, lines), (Form::TrimmedLines, trimmed), (Form::Patch, patch), (Form::HashLines, hash)]
        };
        let (right, failed, spaces) = (Verdict::Right, Verdict::Failed, Verdict::OtherSpaces);
        check(Drift::Tabs, results(failed, right, spaces, spaces));
        // The narrower indentation is the end of the wider one.
        check(Drift::Formatter, results(right, right, spaces, spaces));
        check(Drift::OtherEdit, results(right, right, failed, right));
    }
}
