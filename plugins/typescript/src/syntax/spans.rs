//! Spans of the tree as spans of the document.

use marquetry_sdk::Span;

/// The SDK's span for oxc's, kept within the text: a repaired text may be longer than the document's.
pub(crate) fn span_in(span: oxc_span::Span, text: &str) -> Span {
    let end = (span.end as usize).min(text.len());
    Span::new((span.start as usize).min(end), end)
}
