//! Removing a declaration that is no longer used.

use marquetry_sdk::{Edit, EditOptions, Operation, Result, Span, lines};

use crate::document::TypeScriptDocument;
use crate::operations::edit;
use crate::syntax::spans::Place;

/// Returns the edits that remove the declaration of a name from its list or pattern, or the whole statement if it
/// declares nothing else. Its JSDoc comment is removed as well; other comments stay.
pub(super) fn remove_declaration(document: &TypeScriptDocument, name: impl Place) -> Result<Vec<Edit>> {
    let name = name.place();
    let Some((id, decl)) = document.table().iter().find(|(_, decl)| decl.selection == name) else {
        return Ok(Vec::new());
    };
    let text = document.tree.text();
    let doc = document.attached_comment(decl.span.range().start).filter(|doc| !doc.slice(text).starts_with("/**"));
    let mut edits = edit::edit(document, &[id], &Operation::Delete, EditOptions { force: false, include_doc: false })?;
    for edit in &mut edits {
        if doc.is_some_and(|doc| edit.span.contains(doc)) {
            edit.span.start = lines::line_start(text, decl.span.range().start) as u32;
        }
        keep_trailing_comment(text, decl.span, edit);
    }
    Ok(edits)
}

/// Keeps a comment after a statement, on the statement's last line, as a separate line.
fn keep_trailing_comment(text: &str, statement: Span, edit: &mut Edit) {
    if !edit.span.contains(statement) || !lines::starts_line(text, statement.range().start) {
        return;
    }
    let line_end = lines::line_end(text, statement.range().end);
    let rest = text[statement.range().end..line_end].trim_start_matches([' ', '\t', ';', ',']);
    if rest.starts_with("//") || rest.starts_with("/*") && rest.trim_end().ends_with("*/") {
        let indent = lines::indent_at(text, statement.range().start);
        edit.text = format!("{indent}{}{}", rest.trim_end(), lines::line_break(text));
    }
}
