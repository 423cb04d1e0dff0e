//! The refactors of the pack.

mod add_import;
mod expressions;
mod extract_variable;
mod inline_variable;
mod organize_imports;
mod remove_unused_imports;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Result, Rewrite,
    refactor::{Refactoring, Refactors, check_no_syntax_errors},
};

use crate::Python;

pub(crate) use add_import::add_imports;

static TABLE: [Refactoring<CodeDocument>; 5] = [
    add_import::ADD_IMPORT,
    extract_variable::EXTRACT_VARIABLE,
    inline_variable::INLINE_VARIABLE,
    organize_imports::ORGANIZE_IMPORTS,
    remove_unused_imports::REMOVE_UNUSED_IMPORTS,
];

impl Refactors for Python {
    fn table() -> &'static [Refactoring<CodeDocument>] {
        &TABLE
    }

    fn answer(document: &CodeDocument, from: &str, payload: &str) -> Result<Rewrite> {
        remove_unused_imports::check_importer(document, from, payload)
    }
}

/// Refuses a document with syntax errors.
fn check_syntax(document: &CodeDocument) -> Result<()> {
    check_no_syntax_errors(&document.arena().errors)
}
