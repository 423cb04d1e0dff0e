//! The skill: a page for agents that explains when to use marq, in the folders where clients look for skills.

use std::path::Path;

use marquetry_model::{Kind, Result};
use marquetry_tools::{FileEdit, FileSetArgs, OneEdit, OperationName, TargetArgs, Workbench};

use crate::{entry::text_of, outcome::Outcome};

/// The page.
pub(crate) const SKILL: &str = include_str!("../assets/SKILL.md");
/// Folder and name of the page in a folder of skills.
pub(crate) const FILE: &str = "marq/SKILL.md";

/// Adds or updates the page.
pub(crate) fn add(bench: &Workbench, root: &Path, file: &Path, set: &mut FileSetArgs) -> Result<Outcome> {
    let Some(text) = text_of_file(bench, root, file)? else {
        set.created.push((text_of(file), SKILL.to_owned()));
        return Ok(Outcome::Added);
    };
    if text == SKILL {
        return Ok(Outcome::Unchanged);
    }
    let lines = text.lines().count().max(1);
    set.edits.push(edit_lines(file, format!("1-{lines}"), OperationName::Replace, SKILL.trim_end().to_owned()));
    Ok(Outcome::Updated)
}

/// Removes the page if it is the one of this version.
pub(crate) fn remove(bench: &Workbench, root: &Path, file: &Path, set: &mut FileSetArgs) -> Result<Outcome> {
    match text_of_file(bench, root, file)? {
        None => Ok(Outcome::Absent),
        Some(text) if text == SKILL => {
            set.deleted.push(text_of(file));
            Ok(Outcome::Removed)
        }
        Some(_) => Ok(Outcome::Kept("it is not the page of this version; delete it yourself if you do not need it")),
    }
}

/// Returns the text of a file. `None` if it does not exist.
pub(crate) fn text_of_file(bench: &Workbench, root: &Path, file: &Path) -> Result<Option<String>> {
    match bench.files(Some(&text_of(root)))?.read(&text_of(file)) {
        Ok(source) => Ok(Some(source.text.to_string())),
        Err(error) if error.kind() == Kind::FileNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns an edit of whole lines.
pub(crate) fn edit_lines(file: &Path, lines: String, operation: OperationName, content: String) -> FileEdit {
    let edit = OneEdit {
        place: TargetArgs { lines: Some(lines), ..TargetArgs::default() },
        operation: Some(operation),
        content: Some(content),
        ..OneEdit::default()
    };
    FileEdit { file: text_of(file), edit, expected_hash: None }
}
