//! The failures that several operations share.

use marquetry_sdk::{Failure, FailureKind, fail};

/// The block has no inside.
pub(crate) fn no_body(kind: &str) -> Failure {
    Failure::unsupported(format!("a {kind} has no body"))
        .hint("headings, code, front matter, items, footnotes, definitions and components have one; use `replace`")
}

/// The operation makes no sense for this kind.
pub(crate) fn cannot(operation: &str, kind: &str, instead: &str) -> Failure {
    Failure::unsupported(format!("`{operation}` makes no sense for a {kind}")).hint(instead)
}

/// The content is empty.
pub(crate) fn nothing_to_insert() -> Failure {
    fail(FailureKind::InvalidArgument, "there is nothing to insert").hint("give the Markdown to insert as the content")
}
