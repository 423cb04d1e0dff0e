//! Test blocks: `describe("title", () => …)` and similar calls.

use oxc_ast::ast::{Argument, CallExpression, Expression};

use crate::outline::declarations::Kind;

/// A call that declares a test block or a hook.
pub(super) struct TestBlock<'b, 'a> {
    pub(super) kind: Kind,
    /// The title; for a hook, its callee.
    pub(super) title: &'b Expression<'a>,
    /// The function to run.
    pub(super) function: Option<&'b Expression<'a>>,
}

const SUITES: [&str; 6] = ["describe", "suite", "context", "fdescribe", "xdescribe", "xcontext"];
const TESTS: [&str; 9] = ["it", "test", "specify", "fit", "xit", "xtest", "xspecify", "bench", "Deno"];
const HOOKS: [&str; 6] = ["beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after"];
/// Names allowed after `describe.` or `test.`.
const MODIFIERS: [&str; 19] = [
    "only",
    "skip",
    "each",
    "for",
    "todo",
    "concurrent",
    "sequential",
    "failing",
    "fails",
    "fixme",
    "slow",
    "runIf",
    "skipIf",
    "describe",
    "parallel",
    "serial",
    "step",
    "shuffle",
    "test",
];

/// Returns the test block that an expression statement declares.
pub(super) fn test_block<'b, 'a>(expression: &'b Expression<'a>) -> Option<TestBlock<'b, 'a>> {
    let call = match expression {
        Expression::CallExpression(call) => call,
        Expression::AwaitExpression(inner) => match &inner.argument {
            Expression::CallExpression(call) => call,
            _ => return None,
        },
        _ => return None,
    };
    let mut todo = false;
    let mut suite = false;
    let base = base_identifier(&call.callee, &mut |modifier| {
        todo |= modifier == "todo";
        suite |= modifier == "describe";
        MODIFIERS.contains(&modifier)
    })?;
    let function = call.arguments.iter().rev().filter_map(Argument::as_expression).find(|it| is_function(it));
    if HOOKS.contains(&base) {
        return Some(TestBlock { kind: Kind::Hook, title: &call.callee, function: Some(function?) });
    }
    let suite = suite || SUITES.contains(&base);
    if !suite && !TESTS.contains(&base) || base == "Deno" && matches!(call.callee, Expression::Identifier(_)) {
        return None;
    }
    let title = test_title(call)?;
    if function.is_none() && !todo {
        return None;
    }
    Some(TestBlock { kind: if suite { Kind::Suite } else { Kind::Test }, title, function })
}

fn test_title<'b, 'a>(call: &'b CallExpression<'a>) -> Option<&'b Expression<'a>> {
    call.arguments.first()?.as_expression().filter(|title| !is_function(title))
}

fn is_function(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_))
}

/// Returns the identifier that a callee starts with, if `accept` allows all members after it.
fn base_identifier<'b>(mut callee: &'b Expression<'_>, accept: &mut impl FnMut(&str) -> bool) -> Option<&'b str> {
    loop {
        callee = match callee {
            Expression::Identifier(name) => return Some(name.name.as_str()),
            Expression::StaticMemberExpression(member) if accept(member.property.name.as_str()) => &member.object,
            Expression::CallExpression(call) => &call.callee,
            Expression::TaggedTemplateExpression(tagged) => &tagged.tag,
            _ => return None,
        };
    }
}
