//! Checks that go beyond the structure of a stylesheet: selectors, names, values and preludes.

mod css;
mod less;
mod reader;
mod scss;
mod selector;
mod stray;

use marquetry_sdk::{FailureKind, Problem, Result, Severity, Span, fail};

pub(crate) use self::scss::calls_known;
pub(crate) use self::stray::{function_of, stray_call};
use self::{
    reader::{Check, Reader, Wrong},
    selector::Rules,
};
use crate::{
    chars::Dialect,
    target::{Step, What},
    tree::{Item, Kind, Tree},
};

/// Maximum number of problems reported for one document.
const MOST_PROBLEMS: usize = 200;

/// All problems, in document order.
pub(crate) fn problems(tree: &Tree) -> Vec<Problem> {
    let mut checker = Checker { tree, problems: tree.problems.clone() };
    match tree.dialect {
        Dialect::Scss => scss::check(&mut checker),
        _ => css::check(&mut checker),
    }
    let mut problems = checker.problems;
    problems[tree.problems.len()..].sort_by_key(|problem| (problem.span.start, problem.span.end));
    one_for_a_place(&mut problems);
    problems
}

/// Errors found by the parser, in document order.
pub(crate) fn parse_errors(tree: &Tree) -> Vec<Problem> {
    let errors = tree.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let mut errors: Vec<Problem> = errors.cloned().collect();
    one_for_a_place(&mut errors);
    errors
}

/// Sorts the problems and keeps one per position and severity. Parser errors come before those of checks.
fn one_for_a_place(problems: &mut Vec<Problem>) {
    problems.sort_by_key(|problem| (problem.span.start, problem.severity as u8));
    problems.dedup_by(|second, first| second.span.start == first.span.start && second.severity == first.severity);
}

/// Collects problems.
#[derive(Debug)]
pub(crate) struct Checker<'t> {
    pub(crate) tree: &'t Tree,
    problems: Vec<Problem>,
}

impl<'t> Checker<'t> {
    pub(crate) fn reader(&self, range: std::ops::Range<usize>) -> Reader<'t> {
        Reader::new(&self.tree.text, self.tree.dialect, range)
    }

    /// Returns whether the maximum number of problems is reached.
    pub(crate) fn is_full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    pub(crate) fn report(&mut self, span: impl Into<Span>, message: impl Into<String>) {
        self.add(Severity::Error, span.into(), message.into());
    }

    pub(crate) fn warn(&mut self, span: impl Into<Span>, message: impl Into<String>) {
        self.add(Severity::Warning, span.into(), message.into());
    }

    fn add(&mut self, severity: Severity, span: Span, message: String) {
        self.problems.push(Problem { severity, span, message, code: None });
    }

    /// Reports the error of a grammar rule, if any.
    pub(crate) fn check(&mut self, result: Check) {
        if let Err(Wrong::At(at, message)) = result {
            let text = &self.tree.text;
            let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
            self.report(at..end, message.into_owned());
        }
    }

    /// Checks the selector of a rule.
    pub(crate) fn selector(&mut self, item: &Item) {
        let mut reader = self.reader(item.head_range());
        let nested = self.tree.items.get(item.parent as usize);
        let rules = Rules {
            relative: nested.is_some(),
            percentages: item.kind == Kind::Keyframe || nested.is_some_and(|parent| takes_steps(self.tree, parent)),
        };
        let result = selector::list(&mut reader, rules);
        self.check(result);
    }
}

/// Returns whether rules in this at-rule can be keyframes. At-rules such as `@media` contain style rules instead.
fn takes_steps(tree: &Tree, parent: &Item) -> bool {
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

/// Checks that the steps of a target that found nothing are valid selectors.
pub(crate) fn check_target(steps: &[Step], dialect: Dialect) -> Result<()> {
    for step in steps.iter().filter(|step| matches!(step.what, What::Key(_))) {
        let text = step.text.as_str();
        let other = text.starts_with(['@', '$']) || text.ends_with(';') || text.contains("#{") || text.contains(".$");
        if other || (dialect == Dialect::Less && text.contains(['@', '(', '~'])) {
            continue;
        }
        if let Err(Wrong::At(at, message)) = selector_of(text, dialect) {
            let hint = "write a CSS selector, or `@name …` for an at-rule, `rule@property` for a declaration";
            let place = if at < text.len() { format!(" at `{}`", &text[at..]) } else { String::new() };
            return Err(
                fail(FailureKind::InvalidTarget, format!("`{text}` is not a selector: {message}{place}")).hint(hint)
            );
        }
    }
    Ok(())
}

fn selector_of(text: &str, dialect: Dialect) -> Check {
    let mut reader = Reader::new(text, dialect, 0..text.len());
    selector::list(&mut reader, Rules { relative: true, percentages: true })
}

/// Explains why the head of a rule is not a selector; `None` if it is one, or if it contains interpolations or guards.
pub(crate) fn not_a_selector(head: &str, dialect: Dialect) -> Option<String> {
    let computed =
        head.contains("#{") || (dialect == Dialect::Less && (head.contains(['@', '~']) || head.contains(" when ")));
    match selector_of(head, dialect) {
        Err(Wrong::At(_, message)) if !computed => Some(message.into_owned()),
        _ => None,
    }
}
