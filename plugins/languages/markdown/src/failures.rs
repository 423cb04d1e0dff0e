//! Failures shared by several operations.

use marquetry_sdk::{Failure, FailureKind, fail};

/// Failure for a block without a body.
pub(crate) fn no_body(kind: &str) -> Failure {
    Failure::unsupported(format!("a {kind} has no body"))
        .hint("headings, code, front matter, items, footnotes, definitions and components have one; use `replace`")
}

/// Failure for an operation that does not apply to this kind.
pub(crate) fn cannot(operation: &str, kind: &str, instead: &str) -> Failure {
    Failure::unsupported(format!("`{operation}` does not apply to a {kind}")).hint(instead)
}

/// Failure for empty content.
pub(crate) fn nothing_to_insert() -> Failure {
    fail(FailureKind::InvalidArgument, "there is nothing to insert").hint("give the Markdown to insert as the content")
}
