//! A paragraph about marq in `AGENTS.md`, between markers, so that it can be updated and removed.

use std::path::Path;

use marquetry_model::Result;
use marquetry_tools::{FileEdit, FileSetArgs, OneEdit, OperationName, Workbench};

use crate::{
    entry::text_of,
    outcome::Outcome,
    skill::{edit_lines, text_of_file},
};

/// Name of the file.
pub(crate) const FILE: &str = "AGENTS.md";
/// The paragraph.
const PARAGRAPH: &str = include_str!("../assets/agents.md");
/// First line of the block.
const BEGIN: &str = "<!-- marq: begin -->";
/// Last line of the block.
const END: &str = "<!-- marq: end -->";

/// Adds or updates the block.
pub(crate) fn add(bench: &Workbench, root: &Path, file: &Path, set: &mut FileSetArgs) -> Result<Outcome> {
    let block = format!("{BEGIN}\n{}\n{END}", PARAGRAPH.trim());
    let Some(text) = text_of_file(bench, root, file)?.filter(|text| !text.is_empty()) else {
        set.created.push((text_of(file), format!("{block}\n")));
        return Ok(Outcome::Added);
    };
    match block_of(&text) {
        Some(known) if known.replace("\r\n", "\n") == block => Ok(Outcome::Unchanged),
        Some(known) => {
            set.edits.push(replace_text(file, known, &block));
            Ok(Outcome::Updated)
        }
        None => {
            let last = text.lines().count();
            set.edits.push(edit_lines(file, last.to_string(), OperationName::InsertAfter, format!("\n{block}")));
            Ok(Outcome::Added)
        }
    }
}

/// Removes the block.
pub(crate) fn remove(bench: &Workbench, root: &Path, file: &Path, set: &mut FileSetArgs) -> Result<Outcome> {
    let Some(text) = text_of_file(bench, root, file)? else { return Ok(Outcome::Absent) };
    let Some(block) = block_of(&text) else { return Ok(Outcome::Absent) };
    if text.trim() == block {
        set.deleted.push(text_of(file));
        return Ok(Outcome::Removed);
    }
    // The block was added with an empty line before it.
    let breaks = ["\r\n\r\n", "\n\n", "\r\n", "\n"].map(|breaks| format!("{breaks}{block}"));
    let whole = breaks.into_iter().find(|whole| text.contains(whole)).unwrap_or_else(|| block.to_owned());
    set.edits.push(replace_text(file, &whole, ""));
    Ok(Outcome::Removed)
}

/// Returns the block in a text, with its markers.
fn block_of(text: &str) -> Option<&str> {
    let start = text.find(BEGIN)?;
    let end = text[start..].find(END)? + start + END.len();
    Some(&text[start..end])
}

fn replace_text(file: &Path, old: &str, new: &str) -> FileEdit {
    let edit = OneEdit {
        operation: Some(OperationName::ReplaceText),
        old: Some(old.to_owned()),
        content: Some(new.to_owned()),
        ..OneEdit::default()
    };
    FileEdit { file: text_of(file), edit, expected_hash: None }
}
