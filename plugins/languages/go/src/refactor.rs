//! The refactors of the pack.

pub(crate) mod add_import;
mod change_signature;
mod extract_function;
mod extract_variable;
mod inline_variable;
mod move_to_file;
mod move_to_package;
mod organize_imports;
mod remove_unused_imports;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Result, Rewrite,
    refactor::{Refactoring, Refactors, check_no_syntax_errors},
};

use crate::{Go, GoDocument, memo};

pub(crate) use add_import::add_imports;

static TABLE: [Refactoring<GoDocument>; 8] = [
    add_import::ADD_IMPORT,
    change_signature::CHANGE_SIGNATURE,
    extract_function::EXTRACT_FUNCTION,
    extract_variable::EXTRACT_VARIABLE,
    inline_variable::INLINE_VARIABLE,
    move_to_file::MOVE_TO_FILE,
    organize_imports::ORGANIZE_IMPORTS,
    remove_unused_imports::REMOVE_UNUSED_IMPORTS,
];

impl Refactors for Go {
    fn table() -> &'static [Refactoring<GoDocument>] {
        &TABLE
    }

    /// The question concerns a declaration that moves, or a function whose parameters change.
    fn answer(document: &GoDocument, _from: &str, payload: &str) -> Result<Rewrite> {
        memo::call(|| {
            if let Some(payload) = payload.strip_prefix(change_signature::QUESTION) {
                return change_signature::answer(document, payload);
            }
            match payload.strip_prefix(move_to_package::QUESTION) {
                Some(payload) => move_to_package::answer(document, payload),
                None => move_to_file::answer(document, payload),
            }
        })
    }
}

/// Refuses a document with syntax errors.
fn check_syntax(document: &CodeDocument) -> Result<()> {
    check_no_syntax_errors(&document.arena().errors)
}
