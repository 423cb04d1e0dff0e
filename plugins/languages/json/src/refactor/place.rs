//! What the refactors of this pack share: where they apply, and how one is refused.

use marquetry_sdk::{Document, Failure, FailureKind, Result, Severity, Span, fail};

use crate::{document::JsonDocument, table::Id};

/// It cannot be done here, for this reason.
pub(super) fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}

/// Where a text is broken, nothing says what belongs together.
pub(super) fn check_sound(document: &JsonDocument) -> Result<()> {
    match document.problems().into_iter().find(|problem| problem.severity == Severity::Error) {
        None => Ok(()),
        Some(problem) => Err(refused(format!("the file has syntax errors: {}", problem.message))
            .hint("mend them first")
            .at(problem.span)),
    }
}

/// The innermost container that holds the span and passes the test.
pub(super) fn container_at(document: &JsonDocument, span: Span, wanted: impl Fn(Id) -> bool) -> Option<Id> {
    let source = document.source();
    let span = span.trimmed(source.text);
    let holds = |id: &Id| source.table.is_value(*id) && source.span(*id).holds(span);
    // Containers stand before what is in them.
    let containers = (0..source.table.next_id()).filter(|id| holds(id) && source.table.is_container(source.text, *id));
    containers.filter(|id| wanted(*id)).last()
}
