//! Helpers for building links.

use marquetry_sdk::{Link, Span};

/// Returns the span inside the quotes of a literal.
pub(super) fn inner(span: oxc_span::Span) -> Span {
    Span { start: span.start + 1, end: span.end.saturating_sub(1).max(span.start + 1) }
}

pub(super) fn whole(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}

pub(super) fn link(
    kind: &str,
    span: Span,
    specifier: &str,
    statement: Span,
    names: Vec<String>,
    type_only: bool,
) -> Link {
    Link { kind: kind.to_owned(), span, statement, specifier: specifier.to_owned(), names, type_only }
}
