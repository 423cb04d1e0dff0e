//! Strings that are used with a value which the file does not declare: `setMode("dark")`, `mode === "dark"`. A script
//! or a `declare global` block of a file that is not read may give the value the wanted literal type.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::NodeId;
use oxc_span::{GetSpan, Span};

use crate::infer::builtins;
use crate::infer::checker::Checker;
use crate::program::ids::Site;
use crate::rename::search_target::SearchTarget;

/// Functions of test runners and module loaders: their strings are titles and paths.
const KNOWN_FUNCTIONS: [&str; 16] = [
    "$",
    "afterAll",
    "afterEach",
    "beforeAll",
    "beforeEach",
    "context",
    "define",
    "describe",
    "expect",
    "it",
    "jest",
    "jQuery",
    "require",
    "suite",
    "test",
    "vi",
];

/// Maximum number of nodes between a string and the value with which it is used.
const MAX_WRAPPERS: usize = 8;

/// Returns whether a string is compared with, assigned to or passed to a value that the file does not declare, and the
/// wanted symbol is a literal type.
pub(super) fn meets_undeclared_value(checker: &Checker<'_>, wanted: &SearchTarget, text: NodeId) -> bool {
    let is_literal = |site: &Site| checker.is_string_literal_type(*site, &wanted.name);
    wanted.string_literals
        && !wanted.sites.is_empty()
        && wanted.sites.iter().all(is_literal)
        && is_beside_undeclared(checker, text)
}

fn is_beside_undeclared(checker: &Checker<'_>, text: NodeId) -> bool {
    let here = checker.open_module();
    let mut at = text;
    for _ in 0..MAX_WRAPPERS {
        let (span, parent) = (here.kind(at).span(), here.parent(at));
        let is_undeclared = |value: &Expression<'_>| is_undeclared_value(checker, value);
        match here.kind(parent) {
            AstKind::ParenthesizedExpression(_)
            | AstKind::ConditionalExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::ArrayExpression(_)
            | AstKind::ObjectExpression(_) => {}
            AstKind::ObjectProperty(property) if property.value.span() == span => {}
            AstKind::BinaryExpression(test) if test.operator.is_equality() => {
                let other = if test.left.span() == span { &test.right } else { &test.left };
                return is_undeclared(other);
            }
            AstKind::AssignmentExpression(set) if set.right.span() == span => {
                return is_undeclared_target(checker, &set.left);
            }
            AstKind::CallExpression(call) => return is_argument(&call.arguments, span) && is_undeclared(&call.callee),
            AstKind::NewExpression(new) => return is_argument(&new.arguments, span) && is_undeclared(&new.callee),
            AstKind::SwitchCase(_) => match here.parent_kind(parent) {
                AstKind::SwitchStatement(choice) => return is_undeclared(&choice.discriminant),
                _ => return false,
            },
            _ => return false,
        }
        at = parent;
    }
    false
}

fn is_argument(arguments: &[Argument<'_>], span: Span) -> bool {
    arguments.iter().any(|given| given.span() == span)
}

fn is_undeclared_target(checker: &Checker<'_>, target: &AssignmentTarget<'_>) -> bool {
    match target {
        AssignmentTarget::AssignmentTargetIdentifier(name) => is_undeclared_name(checker, name, None),
        AssignmentTarget::StaticMemberExpression(member) => {
            is_undeclared_member(checker, &member.object, member.property.name.as_str())
        }
        _ => false,
    }
}

/// Returns whether an expression is an undeclared name, or a part of its value.
fn is_undeclared_value(checker: &Checker<'_>, value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::Identifier(name) => is_undeclared_name(checker, name, None),
        Expression::StaticMemberExpression(member) => {
            is_undeclared_member(checker, &member.object, member.property.name.as_str())
        }
        Expression::CallExpression(call) => is_undeclared_value(checker, &call.callee),
        Expression::NewExpression(new) => is_undeclared_value(checker, &new.callee),
        _ => false,
    }
}

fn is_undeclared_member(checker: &Checker<'_>, object: &Expression<'_>, member: &str) -> bool {
    match object.get_inner_expression() {
        Expression::Identifier(name) => is_undeclared_name(checker, name, Some(member)),
        other => is_undeclared_value(checker, other),
    }
}

/// Returns whether neither the file nor the platform declares a name, or a member of the global object.
fn is_undeclared_name(checker: &Checker<'_>, name: &IdentifierReference<'_>, member: Option<&str>) -> bool {
    let text = name.name.as_str();
    let is_declared = name
        .reference_id
        .get()
        .is_some_and(|id| checker.open_module().scoping().get_reference(id).symbol_id().is_some());
    if is_declared || checker.global_symbol(text).is_some() || KNOWN_FUNCTIONS.contains(&text) {
        return false;
    }
    match member {
        Some(member) if builtins::GLOBAL_OBJECTS.contains(&text) => !builtins::is_platform_name(member),
        _ => !builtins::is_platform_name(text),
    }
}
