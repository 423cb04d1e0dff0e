//! Refactorings. Each has its own file and one entry in the table.

mod component;
mod extract_variable;
mod inline_variable;
mod occurrence;
pub(crate) mod overrides;
mod sort_properties;

use marquetry_sdk::refactor::{Refactoring, Refactors, check_no_syntax_errors, refactor_failure};
use marquetry_sdk::{Document, Edit, Result, Span, lines};

use crate::{
    Css, Stylesheet,
    tree::{NONE, Tree},
};

/// All refactorings.
static TABLE: &[Refactoring<Stylesheet>] =
    &[extract_variable::EXTRACT_VARIABLE, inline_variable::INLINE_VARIABLE, sort_properties::SORT_PROPERTIES];

impl Refactors for Css {
    fn table() -> &'static [Refactoring<Stylesheet>] {
        TABLE
    }
}

/// Applies the edits and parses the result. Fails if it has syntax errors.
fn check_result(sheet: &Stylesheet, edits: &[Edit]) -> Result<Stylesheet> {
    let after = Stylesheet::open(&sheet.path, marquetry_sdk::span::apply(&sheet.tree.text, edits));
    check_no_syntax_errors(&after.diagnostics()).map_err(|failure| {
        refactor_failure(format!("the result has a syntax error: {}", failure.message)).hint("make the change by hand")
    })?;
    Ok(after)
}

/// Converts the line breaks of the edits to those of the file.
fn with_file_line_breaks(tree: &Tree, edits: Vec<Edit>) -> Vec<Edit> {
    let line_break = lines::line_break(&tree.text);
    let fitted = |edit: Edit| Edit { text: edit.text.replace("\r\n", "\n").replace('\n', line_break), ..edit };
    edits.into_iter().map(fitted).collect()
}

/// Returns the innermost item that contains the span.
pub(crate) fn item_at(tree: &Tree, span: Span) -> Option<u32> {
    // The innermost item is the last item that starts at or before the span, or an ancestor of this item.
    let last = tree.items.partition_point(|item| item.start <= span.start).checked_sub(1)?;
    let mut index = last as u32;
    loop {
        let item = tree.item(index);
        if item.span().contains(span) || (span.is_empty() && item.end_with_semicolon == span.start) {
            return Some(index);
        }
        if item.parent == NONE {
            return None;
        }
        index = item.parent;
    }
}
