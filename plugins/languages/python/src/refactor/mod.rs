//! The refactors of the pack.

mod add_import;
mod change_signature;
mod expressions;
mod extract_function;
mod extract_variable;
mod inline_variable;
mod move_to_file;
mod organize_imports;
mod packages;
mod remove_unused_imports;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Result, Rewrite,
    refactor::{Refactoring, Refactors, check_no_syntax_errors},
};

use crate::Python;

pub(crate) use add_import::add_imports;

static TABLE: [Refactoring<CodeDocument>; 8] = [
    add_import::ADD_IMPORT,
    change_signature::CHANGE_SIGNATURE,
    extract_function::EXTRACT_FUNCTION,
    extract_variable::EXTRACT_VARIABLE,
    inline_variable::INLINE_VARIABLE,
    move_to_file::MOVE_TO_FILE,
    organize_imports::ORGANIZE_IMPORTS,
    remove_unused_imports::REMOVE_UNUSED_IMPORTS,
];

impl Refactors for Python {
    fn table() -> &'static [Refactoring<CodeDocument>] {
        &TABLE
    }

    fn answer(document: &CodeDocument, from: &str, payload: &str) -> Result<Rewrite> {
        if let Some(listed) = packages::answer(document, payload) {
            return Ok(listed);
        }
        if let Some(question) = change_signature::own_question(payload) {
            return change_signature::answer(document, from, question);
        }
        match move_to_file::own_question(payload) {
            Some(question) => move_to_file::answer(document, question),
            None => remove_unused_imports::check_importer(document, from, payload),
        }
    }
}

/// Refuses a document with syntax errors.
fn check_syntax(document: &CodeDocument) -> Result<()> {
    check_no_syntax_errors(&document.arena().errors)
}
