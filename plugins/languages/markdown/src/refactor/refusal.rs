//! What the refactors of this pack share: how one is refused.

use marquetry_sdk::{Failure, FailureKind, fail};

/// It cannot be done here, for this reason.
pub(super) fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}
