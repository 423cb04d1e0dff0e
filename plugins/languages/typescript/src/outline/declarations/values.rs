//! Values without the parentheses, casts and wrapper calls around them.

use oxc_ast::ast::{Argument, ArrowFunctionExpression, Class, Expression, Function, ObjectExpression};

/// A value that may contain declarations.
pub(crate) enum Value<'b, 'a> {
    Function(&'b Function<'a>),
    Arrow(&'b ArrowFunctionExpression<'a>),
    Class(&'b Class<'a>),
    Object(&'b ObjectExpression<'a>),
    /// A call around an object literal: `defineStore('x', { … })`.
    Wrapped(&'b ObjectExpression<'a>),
    Other,
}

/// Functions that return a wrapped version of the function they are given.
const WRAPPERS: [&str; 12] = [
    "memo",
    "forwardRef",
    "observer",
    "useCallback",
    "debounce",
    "throttle",
    "cache",
    "memoize",
    "asyncHandler",
    "catchAsync",
    "action",
    "once",
];

/// Looks through parentheses, casts, `await` and wrapper calls.
pub(crate) fn unwrap_value<'b, 'a>(expression: &'b Expression<'a>) -> Value<'b, 'a> {
    match strip_wrappers(expression) {
        Expression::FunctionExpression(function) => Value::Function(function),
        Expression::ArrowFunctionExpression(arrow) => Value::Arrow(arrow),
        Expression::ClassExpression(class) => Value::Class(class),
        Expression::ObjectExpression(object) => Value::Object(object),
        Expression::CallExpression(call) => {
            if last_name(&call.callee).is_some_and(|name| WRAPPERS.contains(&name))
                && let Some(inner) = call.arguments.first().and_then(Argument::as_expression)
                && let value @ (Value::Function(_) | Value::Arrow(_)) = unwrap_value(inner)
            {
                return value;
            }
            wrapped_value(&call.arguments)
        }
        Expression::NewExpression(new) => wrapped_value(&new.arguments),
        _ => Value::Other,
    }
}

/// Removes parentheses, casts and `await`.
fn strip_wrappers<'b, 'a>(mut expression: &'b Expression<'a>) -> &'b Expression<'a> {
    loop {
        expression = match expression {
            Expression::ParenthesizedExpression(inner) => &inner.expression,
            Expression::TSAsExpression(inner) => &inner.expression,
            Expression::TSSatisfiesExpression(inner) => &inner.expression,
            Expression::TSTypeAssertion(inner) => &inner.expression,
            Expression::TSNonNullExpression(inner) => &inner.expression,
            Expression::AwaitExpression(inner) => &inner.argument,
            other => return other,
        };
    }
}

fn wrapped_value<'b, 'a>(arguments: &'b [Argument<'a>]) -> Value<'b, 'a> {
    let object = arguments.iter().find_map(|argument| match argument.as_expression().map(strip_wrappers) {
        Some(Expression::ObjectExpression(object)) => Some(&**object),
        _ => None,
    });
    object.map_or(Value::Other, Value::Wrapped)
}

/// Returns `c` for `a.b.c` and `a` for `a`.
fn last_name<'b>(callee: &'b Expression<'_>) -> Option<&'b str> {
    match callee {
        Expression::Identifier(name) => Some(name.name.as_str()),
        Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
        _ => None,
    }
}
