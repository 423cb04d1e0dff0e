//! What the refactors of this pack share: where they apply, and how one is refused.

use marquetry_sdk::{Document, Failure, FailureKind, Result, Severity, Span, fail};

use crate::{document::YamlDocument, table::Id};

/// It cannot be done here, for this reason.
pub(super) fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}

/// Where a text is broken, nothing says what belongs together.
pub(super) fn check_sound(document: &YamlDocument) -> Result<()> {
    match document.problems().into_iter().find(|problem| problem.severity == Severity::Error) {
        None => Ok(()),
        Some(problem) => Err(refused(format!("the file has syntax errors: {}", problem.message))
            .hint("mend them first")
            .at(problem.span)),
    }
}

/// The innermost collection that holds the span and passes the test.
pub(super) fn collection_at(document: &YamlDocument, span: Span, wanted: impl Fn(Id) -> bool) -> Option<Id> {
    let source = document.source();
    let span = span.trimmed(source.text);
    // Collections stand before what is in them.
    let collections = (1..source.table.len()).filter(|id| source.kind_of(*id).is_collection());
    collections.filter(|id| Span::new(source.start(*id), source.end(*id)).holds(span) && wanted(*id)).last()
}
