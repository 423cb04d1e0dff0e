//! Functions that build links.

use marquetry_sdk::{Link, Span};

use crate::program::resolution::paths::is_relative;

/// Returns the span of the contents of a quoted text.
pub(super) fn span_inside_quotes(span: oxc_span::Span) -> Span {
    Span { start: span.start + 1, end: span.end.saturating_sub(1).max(span.start + 1) }
}

/// Returns the path after the loaders of a bundler, and its span: `./a.md` of `raw!./a.md`.
fn strip_loaders(span: Span, specifier: &str) -> (Span, &str) {
    let path = specifier.rfind('!').map(|at| (at + 1, &specifier[at + 1..]));
    match path.filter(|(_, path)| span.len() == specifier.len() && is_relative(path)) {
        Some((at, path)) => (Span { start: span.start + at as u32, end: span.end }, path),
        None => (span, specifier),
    }
}

pub(super) fn build_link(
    kind: &str,
    span: Span,
    specifier: &str,
    statement: Span,
    names: Vec<String>,
    type_only: bool,
) -> Link {
    let (span, specifier) = strip_loaders(span, specifier);
    Link { kind: kind.to_owned(), span, statement, specifier: specifier.to_owned(), names, type_only }
}
