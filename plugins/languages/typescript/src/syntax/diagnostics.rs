//! Syntax diagnostics.

use marquetry_sdk::{Diagnostic, Severity, Span};
use oxc_ast::AstKind;
use oxc_diagnostics::OxcDiagnostic;
use oxc_span::SourceType;

use crate::syntax::spans::span_in;
use crate::syntax::tree::Parsed;
use crate::syntax::{placement, severity};

/// Returns the errors that the parser reported, in document order. The last one says if only a part of a component was
/// read.
pub(crate) fn parse_errors(parsed: &Parsed<'_>, text: &str, grammar: SourceType) -> Vec<Diagnostic> {
    if let Some(offset) = parsed.too_deep {
        return vec![Diagnostic {
            severity: Severity::Error,
            span: Span::at(floor_char_boundary(text, offset)),
            message: "nested too deeply".to_owned(),
            code: None,
        }];
    }
    let is_typescript = grammar.is_typescript();
    let parser = parsed.errors.iter().map(|error| {
        let lenient = is_typescript && severity::is_left_to_checker(text, parsed, error);
        to_diagnostic(error, lenient, text)
    });
    let partial = (parsed.is_component && parsed.repaired).then(|| Diagnostic {
        severity: Severity::Info,
        span: Span::at(0),
        message: "only a part of the component is read".to_owned(),
        code: None,
    });
    parser.chain(partial).collect()
}

/// Returns all diagnostics, in document order.
pub(crate) fn diagnostics(parsed: &Parsed<'_>, text: &str, grammar: SourceType) -> Vec<Diagnostic> {
    let is_typescript = grammar.is_typescript();
    let mut problems = parse_errors(parsed, text, grammar);
    if parsed.too_deep.is_some() {
        return problems;
    }
    // The checks would miss code that was blanked out to repair the text.
    if !parsed.repaired {
        let early = parsed.early_errors().iter();
        let lenient = |error| is_typescript && !severity::is_octal(text, error);
        problems.extend(early.map(|error| to_diagnostic(error, lenient(error), text)));
        if is_typescript {
            problems.extend(octal_diagnostics(parsed, text));
            problems.extend(placement_diagnostics(parsed, text));
        }
    }
    problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
    problems
}

fn to_diagnostic(error: &OxcDiagnostic, lenient: bool, text: &str) -> Diagnostic {
    let (start, length) = error.labels.first().map_or((0, 0), |label| (label.offset() as usize, label.len() as usize));
    let start = floor_char_boundary(text, start);
    let end = floor_char_boundary(text, start + length).max(start);
    let code = match (&error.code.scope, &error.code.number) {
        (Some(scope), Some(number)) => Some(format!("{scope}{number}")),
        _ => None,
    };
    Diagnostic {
        severity: if lenient { Severity::Warning } else { Severity::Error },
        span: Span::new(start, end),
        message: message_fragment(&error.message),
        code,
    }
}

/// Reports numbers with a leading zero, which JavaScript allows outside strict mode and TypeScript never does.
fn octal_diagnostics(parsed: &Parsed<'_>, text: &str) -> impl Iterator<Item = Diagnostic> {
    parsed.semantic().nodes().iter().filter_map(|node| {
        let AstKind::NumericLiteral(literal) = node.kind() else { return None };
        let span = span_in(literal.span, text);
        let old = matches!(span.slice(text).as_bytes(), [b'0', b'0'..=b'9', ..]);
        old.then(|| Diagnostic {
            severity: Severity::Error,
            span,
            message: "numbers with a leading zero are not allowed".to_owned(),
            code: Some("TS1121".to_owned()),
        })
    })
}

/// Reports statements that are not at the top level but must be. In TypeScript, the checker reports them and the parser
/// does not; in JavaScript, the parser does.
fn placement_diagnostics(parsed: &Parsed<'_>, text: &str) -> impl Iterator<Item = Diagnostic> {
    placement::misplaced(parsed.semantic()).into_iter().map(|span| Diagnostic {
        severity: Severity::Warning,
        span: span_in(span, text),
        message: "this is only allowed at the top level of a file or namespace".to_owned(),
        code: Some("TS1184".to_owned()),
    })
}

/// Formats a message in the style used here: lower case, without a final period.
fn message_fragment(message: &str) -> String {
    let message = message.trim_end_matches('.');
    let mut chars = message.chars();
    let second_is_upper = message.chars().nth(1).is_some_and(char::is_uppercase);
    match chars.next() {
        Some(first) if !second_is_upper => first.to_lowercase().chain(chars).collect(),
        _ => message.to_owned(),
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
