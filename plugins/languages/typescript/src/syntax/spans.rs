//! Conversion of tree spans to document spans, and skipping of trivia between tokens.

use marquetry_sdk::Span;
use oxc_ast::ast::{Declaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind, Statement};
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

/// Returns where the body or the value of a declaration starts.
pub(crate) fn declaration_head_end(declaration: &Declaration<'_>) -> u32 {
    match declaration {
        Declaration::FunctionDeclaration(function) => {
            function.body.as_ref().map_or(function.span.end, |body| body.span.start)
        }
        Declaration::ClassDeclaration(class) => class.body.span.start,
        Declaration::TSInterfaceDeclaration(interface) => interface.body.span.start,
        Declaration::TSEnumDeclaration(declared) => declared.body.span.start,
        Declaration::VariableDeclaration(variables) => {
            variables.declarations.first().map_or(variables.span.end, |variable| {
                variable.init.as_ref().map_or(variable.span.end, |init| init.span().start)
            })
        }
        other => other.span().end,
    }
}

/// Returns where the body or the value of a default export starts.
pub(crate) fn default_export_head_end(export: &ExportDefaultDeclaration<'_>) -> u32 {
    match &export.declaration {
        ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
            function.body.as_ref().map_or(function.span.end, |body| body.span.start)
        }
        ExportDefaultDeclarationKind::ClassDeclaration(class) => class.body.span.start,
        ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => interface.body.span.start,
        ExportDefaultDeclarationKind::Identifier(name) => name.span.end,
        other => other.span().start,
    }
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

/// A place in the text, given as a node's span or the SDK's.
pub(crate) trait Place {
    fn place(self) -> Span;
}

impl Place for Span {
    fn place(self) -> Span {
        self
    }
}

impl Place for oxc_span::Span {
    fn place(self) -> Span {
        to_sdk_span(self)
    }
}

impl Place for std::ops::Range<usize> {
    fn place(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// Converts spans of the SDK to those of the parser.
pub(crate) trait IntoOxc {
    fn into_oxc(self) -> oxc_span::Span;
}

impl IntoOxc for Span {
    fn into_oxc(self) -> oxc_span::Span {
        oxc_span::Span::new(self.start, self.end)
    }
}
