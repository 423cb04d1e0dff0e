//! The refactors of the pack, and the answers to questions of other documents.

mod change_signature;
mod expressions;
mod extract_function;
mod extract_variable;
mod inline_variable;
mod move_to_file;
mod organize_imports;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Result, Rewrite,
    refactor::{Refactoring, Refactors, check_no_syntax_errors},
};

use crate::{Rust, declare, memo};

static TABLE: [Refactoring<CodeDocument>; 6] = [
    change_signature::CHANGE_SIGNATURE,
    extract_function::EXTRACT_FUNCTION,
    extract_variable::EXTRACT_VARIABLE,
    inline_variable::INLINE_VARIABLE,
    move_to_file::MOVE_TO_FILE,
    organize_imports::ORGANIZE_IMPORTS,
];

impl Refactors for Rust {
    fn table() -> &'static [Refactoring<CodeDocument>] {
        &TABLE
    }

    /// Other documents ask these questions when they no longer declare a moved module, or when an item moves.
    fn answer(document: &CodeDocument, from: &str, payload: &str) -> Result<Rewrite> {
        memo::call(|| {
            if let Some(payload) = payload.strip_prefix(move_to_file::INSERTION) {
                return move_to_file::answer_insertion(document, payload, from);
            }
            if let Some(payload) = payload.strip_prefix(change_signature::QUESTION) {
                return change_signature::answer(document, payload);
            }
            match payload.strip_prefix(move_to_file::USERS) {
                Some(payload) => move_to_file::answer_user(document, payload),
                None => declare::answer(document, payload),
            }
        })
    }
}

/// Refuses a document with syntax errors.
fn check_syntax(document: &CodeDocument) -> Result<()> {
    check_no_syntax_errors(&document.arena().errors)
}
