//! What is wrong with the syntax.

use marquetry_sdk::{Problem, Severity, Span};
use oxc_ast::AstKind;
use oxc_diagnostics::OxcDiagnostic;
use oxc_span::SourceType;

use crate::syntax::spans::span_in;
use crate::syntax::tree::Parsed;

/// All problems, in document order.
pub(crate) fn problems(parsed: &Parsed<'_>, text: &str, grammar: SourceType) -> Vec<Problem> {
    if let Some(offset) = parsed.too_deep {
        return vec![Problem {
            severity: Severity::Error,
            span: Span::at(floor(text, offset)),
            message: "nested too deeply to be read".to_owned(),
            code: None,
        }];
    }
    let parser = parsed.errors.iter().map(|error| problem(error, Found::Parsing, text, grammar));
    let mut problems: Vec<Problem> = parser.collect();
    // What was blanked out to repair a text would be missed by the checks.
    if !parsed.repaired {
        let early = parsed.early_errors().iter();
        problems.extend(early.map(|error| problem(error, Found::Checking, text, grammar)));
        if grammar.is_typescript() {
            problems.extend(octals(parsed, text));
        }
    }
    problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
    problems
}

/// When an error was found: while parsing, or by the checks afterwards.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    Parsing,
    Checking,
}

fn problem(error: &OxcDiagnostic, found: Found, text: &str, grammar: SourceType) -> Problem {
    let (start, length) = error.labels.first().map_or((0, 0), |label| (label.offset() as usize, label.len() as usize));
    let start = floor(text, start);
    let end = floor(text, start + length).max(start);
    let code = match (&error.code.scope, &error.code.number) {
        (Some(scope), Some(number)) => Some(format!("{scope}{number}")),
        _ => None,
    };
    let lenient = grammar.is_typescript() && left_to_the_checker(error, found);
    Problem {
        severity: if lenient { Severity::Warning } else { Severity::Error },
        span: Span::new(start, end),
        message: fragment(&error.message),
        code,
    }
}

/// Numbers with a leading zero, which JavaScript allows outside strict mode and TypeScript never does.
fn octals(parsed: &Parsed<'_>, text: &str) -> impl Iterator<Item = Problem> {
    parsed.semantic().nodes().iter().filter_map(|node| {
        let AstKind::NumericLiteral(literal) = node.kind() else { return None };
        let span = span_in(literal.span, text);
        let old = matches!(span.of(text).as_bytes(), [b'0', b'0'..=b'9', ..]);
        old.then(|| Problem {
            severity: Severity::Error,
            span,
            message: "numbers with a leading zero are not allowed".to_owned(),
            code: Some("TS1121".to_owned()),
        })
    })
}

/// Errors that TypeScript reports after parsing: the tree is whole, and its checker objects to what it says.
/// In JavaScript they are early errors, and no engine runs the file.
fn left_to_the_checker(error: &OxcDiagnostic, found: Found) -> bool {
    const CODES: [&str; 9] = ["1015", "1016", "1035", "1090", "1108", "1243", "1277", "18007", "17019"];
    const STARTS: [&str; 16] = [
        "Cannot assign to this expression",
        "A rest element must be last",
        "A rest parameter or binding pattern may not have a trailing comma",
        "Invalid rest element",
        "Private identifier",
        "Classes may not have a static property",
        "Classes can't have",
        "Spread must be last",
        "Lexical declaration cannot appear",
        "Declaration cannot appear",
        "Only string literals are allowed as module attribute",
        "Invalid regular expression",
        "Unexpected flag",
        "Flag ",
        "Missing initializer in const",
        "`await using`",
    ];
    if found == Found::Checking {
        return !error.message.contains("octal");
    }
    match error.code.number.as_deref() {
        Some(number) => number.len() == 4 && number.starts_with(['2', '5', '8']) || CODES.contains(&number),
        None => STARTS.iter().any(|start| error.message.starts_with(start)) || error.message.contains("await using"),
    }
}

/// As messages are written here: a lower-case fragment without a final period.
fn fragment(message: &str) -> String {
    let message = message.trim_end_matches('.');
    let mut chars = message.chars();
    let second_is_upper = message.chars().nth(1).is_some_and(char::is_uppercase);
    match chars.next() {
        Some(first) if !second_is_upper => first.to_lowercase().chain(chars).collect(),
        _ => message.to_owned(),
    }
}

fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
