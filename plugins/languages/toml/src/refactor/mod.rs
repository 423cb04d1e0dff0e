//! Changes of form that keep the meaning: one file for each, one line in the table for each.

mod sort_keys;

use marquetry_sdk::refactor::{Refactoring, Refactors};
use marquetry_sdk::{Failure, FailureKind, Result, fail};

use crate::{Toml, document::TomlDocument};

/// All of them.
static TABLE: &[Refactoring<TomlDocument>] = &[sort_keys::SORT_KEYS];

impl Refactors for Toml {
    fn table() -> &'static [Refactoring<TomlDocument>] {
        TABLE
    }
}

/// It cannot be done here, for this reason.
fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}

/// Where a text is broken, nothing says what belongs together.
fn check_sound(document: &TomlDocument) -> Result<()> {
    match document.first_problem() {
        None => Ok(()),
        Some(problem) => Err(refused(format!("the file has syntax errors: {}", problem.message))
            .hint("mend them first")
            .at(problem.span)),
    }
}
