//! Failures shared by several operations.

use marquetry_sdk::{Failure, FailureKind, fail};

/// Failure of an operation on the body of a block that has no body.
pub(crate) fn no_body_error(kind: &str) -> Failure {
    Failure::unsupported(format!("nodes of kind `{kind}` have no body"))
        .hint("headings, code, front matter, items, footnotes, definitions and components have one; use `replace`")
}

/// Failure of an operation that does not apply to this kind of node.
pub(crate) fn unsupported_operation(operation: &str, kind: &str, instead: &str) -> Failure {
    Failure::unsupported(format!("`{operation}` does not apply to nodes of kind `{kind}`")).hint(instead)
}

/// Failure of an operation with empty content.
pub(crate) fn empty_content_error() -> Failure {
    fail(FailureKind::InvalidArgument, "there is nothing to insert").hint("give the Markdown to insert as the content")
}
