//! Conversion of tree spans to document spans, and skipping of trivia between tokens.

use marquetry_sdk::Span;
use oxc_ast::ast::{Declaration, ExportDefaultDeclarationKind, Statement};
use oxc_span::GetSpan;

/// Converts oxc's span to the SDK's.
pub(crate) fn to_sdk_span(span: oxc_span::Span) -> Span {
    Span { start: span.start, end: span.end }
}

/// Converts oxc's span to the SDK's, limited to the text: a repaired text may be longer than the document.
pub(crate) fn span_in(span: oxc_span::Span, text: &str) -> Span {
    let end = (span.end as usize).min(text.len());
    Span::new((span.start as usize).min(end), end)
}

/// Returns a span limited to another one.
pub(crate) fn clamp(span: Span, within: Span) -> Span {
    let start = span.start.clamp(within.start, within.end);
    Span { start, end: span.end.clamp(start, within.end) }
}

/// Returns the span of a statement, including decorators before its `export`.
pub(crate) fn statement_span(statement: &Statement<'_>, text: &str) -> Span {
    let mut span = span_in(statement.span(), text);
    let class = match statement {
        Statement::ClassDeclaration(class) => Some(class),
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::ClassDeclaration(class) => Some(class),
            _ => None,
        },
        _ => None,
    };
    if let Some(first) = class.and_then(|class| class.decorators.first()) {
        span.start = span.start.min(first.span.start);
    }
    span
}

/// Skips white space and comments.
pub(crate) fn skip_trivia(text: &str, mut at: usize) -> usize {
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            None
        };
        match length {
            Some(length) => at += length,
            None => return at,
        }
    }
}
