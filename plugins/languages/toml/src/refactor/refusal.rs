//! What the refactors of this pack share: how one is refused.

use marquetry_sdk::{Failure, FailureKind, Result, fail};

use crate::document::TomlDocument;

/// It cannot be done here, for this reason.
pub(super) fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}

/// Where a text is broken, nothing says what belongs together.
pub(super) fn check_sound(document: &TomlDocument) -> Result<()> {
    match document.first_problem() {
        None => Ok(()),
        Some(problem) => Err(refused(format!("the file has syntax errors: {}", problem.message))
            .hint("mend them first")
            .at(problem.span)),
    }
}
