//! The refactors of the pack.

pub(crate) mod add_import;
mod extract_variable;
mod organize_imports;
mod remove_unused_imports;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Failure, Result, Rewrite,
    refactor::{Refactoring, Refactors, check_no_syntax_errors},
};

use crate::Go;

pub(crate) use add_import::add_imports;

static TABLE: [Refactoring<CodeDocument>; 4] = [
    add_import::ADD_IMPORT,
    extract_variable::EXTRACT_VARIABLE,
    organize_imports::ORGANIZE_IMPORTS,
    remove_unused_imports::REMOVE_UNUSED_IMPORTS,
];

impl Refactors for Go {
    fn table() -> &'static [Refactoring<CodeDocument>] {
        &TABLE
    }

    fn answer(_document: &CodeDocument, _from: &str, _payload: &str) -> Result<Rewrite> {
        Err(Failure::unsupported("files of Go ask each other nothing").hint("report this as an error of the plugin"))
    }
}

/// Refuses a document with syntax errors.
fn check_syntax(document: &CodeDocument) -> Result<()> {
    check_no_syntax_errors(&document.arena().errors)
}
