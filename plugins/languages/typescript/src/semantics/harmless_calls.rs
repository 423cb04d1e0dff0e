//! Calls that certainly have no side effects: functions of the platform, such as `Math.max` and `list.slice`.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::Semantic;
use oxc_span::GetSpan as _;

use crate::semantics::function_effects::StateSearch;

/// Methods that only read their object and their arguments.
const READING_METHODS: &[&str] = &[
    "at",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "concat",
    "endsWith",
    "flat",
    "includes",
    "indexOf",
    "join",
    "lastIndexOf",
    "padEnd",
    "padStart",
    "repeat",
    "slice",
    "split",
    "startsWith",
    "substring",
    "toFixed",
    "toLowerCase",
    "toUpperCase",
    "trim",
    "trimEnd",
    "trimStart",
];
/// Methods that call a function with the elements of their object.
const CALLBACK_METHODS: &[&str] =
    &["every", "filter", "find", "findIndex", "findLast", "flatMap", "map", "reduce", "reduceRight", "some"];
/// Functions of platform objects; `*` stands for all.
const PLATFORM_FUNCTIONS: &[(&str, &[&str])] = &[
    ("Math", &["*"]),
    ("Number", &["isFinite", "isInteger", "isNaN", "isSafeInteger", "parseFloat", "parseInt"]),
    ("Object", &["is", "keys"]),
    ("Array", &["isArray", "of"]),
];
const GLOBAL_FUNCTIONS: &[&str] = &["Boolean", "isFinite", "isNaN", "parseFloat", "parseInt"];

/// Returns whether a call certainly has no side effects, apart from those of its arguments. `depth` limits how far calls
/// are followed.
pub(super) fn is_harmless_call(semantic: &Semantic<'_>, call: &CallExpression<'_>, depth: usize) -> bool {
    match &call.callee {
        Expression::Identifier(name) => is_global(semantic, name) && GLOBAL_FUNCTIONS.contains(&name.name.as_str()),
        Expression::StaticMemberExpression(member) => {
            let method = member.property.name.as_str();
            let is_platform = matches!(&member.object, Expression::Identifier(object)
                if is_global(semantic, object) && is_platform_function(&object.name, method));
            is_platform
                || READING_METHODS.contains(&method) && !is_declared_method(semantic, method)
                || CALLBACK_METHODS.contains(&method)
                    && !is_declared_method(semantic, method)
                    && call.arguments.iter().all(|argument| is_harmless_callback(semantic, argument, depth))
        }
        _ => false,
    }
}

pub(super) fn is_global(semantic: &Semantic<'_>, name: &IdentifierReference<'_>) -> bool {
    let scoping = semantic.scoping();
    name.reference_id.get().is_none_or(|id| scoping.get_reference(id).symbol_id().is_none())
}

fn is_platform_function(object: &str, name: &str) -> bool {
    let known = PLATFORM_FUNCTIONS.iter().find(|(known, _)| *known == object);
    known.is_some_and(|(_, names)| names.iter().any(|known| *known == name || *known == "*"))
}

/// Returns whether the file declares a method with this name, which may have side effects.
fn is_declared_method(semantic: &Semantic<'_>, method: &str) -> bool {
    semantic.nodes().iter().any(|node| match node.kind() {
        AstKind::MethodDefinition(it) => it.key.is_specific_static_name(method),
        AstKind::ObjectProperty(it) => it.key.is_specific_static_name(method),
        AstKind::PropertyDefinition(it) => it.key.is_specific_static_name(method),
        _ => false,
    })
}

/// Returns whether an argument of a method that calls its argument has no side effects when it is called.
fn is_harmless_callback(semantic: &Semantic<'_>, argument: &Argument<'_>, depth: usize) -> bool {
    let code = match argument {
        Argument::ArrowFunctionExpression(it) => (it.node_id.get(), it.body.span()),
        Argument::FunctionExpression(it) => match &it.body {
            Some(body) => (body.node_id.get(), body.span),
            None => return false,
        },
        other => return other.as_expression().is_some_and(Expression::is_literal),
    };
    depth > 0 && !StateSearch { semantic, doubts_calls: true }.changes_state(code, depth - 1)
}
