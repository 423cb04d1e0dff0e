//! Checks that go beyond the structure of a stylesheet: selectors, names, values and preludes.

mod css;
mod less;
mod reader;
mod scss;
mod selector;
mod stray;

use marquetry_sdk::{Diagnostic, FailureKind, Result, Severity, Span, fail};

pub(crate) use self::scss::calls_known_function;
pub(crate) use self::stray::{called_function, stray_value};
use self::{
    reader::{GrammarError, Parsed, Reader},
    selector::SelectorRules,
};
use crate::{
    chars::Dialect,
    target::{Step, StepKind},
    tree::{Item, Kind, Tree},
};

/// Maximum number of diagnostics for one document.
const MAX_DIAGNOSTICS: usize = 200;

/// Returns all diagnostics, in document order.
pub(crate) fn all_diagnostics(tree: &Tree) -> Vec<Diagnostic> {
    let mut checker = Checker { tree, diagnostics: tree.diagnostics.clone() };
    match tree.dialect {
        Dialect::Scss => scss::check_items(&mut checker),
        _ => css::check_items(&mut checker),
    }
    let mut problems = checker.diagnostics;
    problems[tree.diagnostics.len()..].sort_by_key(|problem| (problem.span.start, problem.span.end));
    dedup_by_position(&mut problems);
    problems
}

/// Returns the errors that the parser found, in document order.
pub(crate) fn parse_errors(tree: &Tree) -> Vec<Diagnostic> {
    let errors = tree.diagnostics.iter().filter(|problem| problem.severity == Severity::Error);
    let mut errors: Vec<Diagnostic> = errors.cloned().collect();
    dedup_by_position(&mut errors);
    errors
}

/// Sorts the diagnostics and keeps one for each position and severity. A diagnostic of the parser is preferred to one
/// of the checks.
fn dedup_by_position(problems: &mut Vec<Diagnostic>) {
    problems.sort_by_key(|problem| (problem.span.start, problem.severity as u8));
    problems.dedup_by(|second, first| second.span.start == first.span.start && second.severity == first.severity);
}

/// Collects the diagnostics of a stylesheet.
#[derive(Debug)]
pub(crate) struct Checker<'t> {
    pub(crate) tree: &'t Tree,
    diagnostics: Vec<Diagnostic>,
}

impl<'t> Checker<'t> {
    pub(crate) fn reader(&self, range: std::ops::Range<usize>) -> Reader<'t> {
        Reader::new(&self.tree.text, self.tree.dialect, range)
    }

    /// Returns whether the maximum number of diagnostics is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    pub(crate) fn report(&mut self, span: impl Into<Span>, message: impl Into<String>) {
        self.add_diagnostic(Severity::Error, span.into(), message.into());
    }

    pub(crate) fn warn(&mut self, span: impl Into<Span>, message: impl Into<String>) {
        self.add_diagnostic(Severity::Warning, span.into(), message.into());
    }

    fn add_diagnostic(&mut self, severity: Severity, span: Span, message: String) {
        self.diagnostics.push(Diagnostic { severity, span, message, code: None });
    }

    /// Reports the error if the text did not match a grammar rule.
    pub(crate) fn report_error(&mut self, result: Parsed) {
        if let Err(GrammarError::At(at, message)) = result {
            let text = &self.tree.text;
            let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
            self.report(at..end, message.into_owned());
        }
    }

    /// Checks the selector of a rule.
    pub(crate) fn check_selector(&mut self, item: &Item) {
        let mut reader = self.reader(item.head_range());
        let nested = self.tree.items.get(item.parent as usize);
        let rules = SelectorRules {
            relative: nested.is_some(),
            percentages: item.kind == Kind::Keyframe || nested.is_some_and(|parent| has_keyframes(self.tree, parent)),
        };
        let result = selector::list(&mut reader, rules);
        self.report_error(result);
    }
}

/// Returns whether rules in this at-rule can be keyframes. At-rules such as `@media` contain style rules instead.
fn has_keyframes(tree: &Tree, parent: &Item) -> bool {
    const SELECTING: &[&str] =
        &["@media", "@supports", "@layer", "@container", "@scope", "@starting-style", "@document", "@-moz-document"];
    match parent.kind {
        Kind::Rule | Kind::Keyframe => false,
        Kind::AtRule => {
            let name = tree.name(parent);
            !SELECTING.iter().any(|known| name.eq_ignore_ascii_case(known))
        }
        _ => true,
    }
}

/// Checks that the steps of a target are valid selectors. Called for a target that matches nothing, to explain why.
pub(crate) fn check_target(steps: &[Step], dialect: Dialect) -> Result<()> {
    for step in steps.iter().filter(|step| matches!(step.kind, StepKind::Key(_))) {
        let text = step.text.as_str();
        let other = text.starts_with(['@', '$']) || text.ends_with(';') || text.contains("#{") || text.contains(".$");
        if other || (dialect == Dialect::Less && text.contains(['@', '(', '~'])) {
            continue;
        }
        if let Err(GrammarError::At(at, message)) = parse_selector(text, dialect) {
            let hint = "write a CSS selector, or `@name …` for an at-rule, `rule@property` for a declaration";
            let place = if at < text.len() { format!(" at `{}`", &text[at..]) } else { String::new() };
            return Err(
                fail(FailureKind::InvalidTarget, format!("`{text}` is not a selector: {message}{place}")).hint(hint)
            );
        }
    }
    Ok(())
}

fn parse_selector(text: &str, dialect: Dialect) -> Parsed {
    let mut reader = Reader::new(text, dialect, 0..text.len());
    selector::list(&mut reader, SelectorRules { relative: true, percentages: true })
}

/// Returns a message about why the head of a rule is not a selector. `None` if it is one, or if it contains
/// interpolations or guards.
pub(crate) fn not_a_selector(head: &str, dialect: Dialect) -> Option<String> {
    let computed =
        head.contains("#{") || (dialect == Dialect::Less && (head.contains(['@', '~']) || head.contains(" when ")));
    match parse_selector(head, dialect) {
        Err(GrammarError::At(_, message)) if !computed => Some(message.into_owned()),
        _ => None,
    }
}
