//! Code that runs without a call: getters, methods that convert values to texts or numbers, and traps of proxies.

use std::collections::HashSet;

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::Semantic;
use oxc_span::GetSpan as _;

use crate::semantics::effects::{executed_nodes, has_side_effect};

/// Returns whether reading one of these members runs a getter of the file that has side effects, or, with `converts`,
/// whether the file has objects whose conversion to a text or number has side effects.
pub(super) fn runs_accessor(semantic: &Semantic<'_>, members: &HashSet<String>, converts: bool) -> bool {
    if members.is_empty() && !converts {
        return false;
    }
    let is_read = |key: &PropertyKey<'_>| {
        key.static_name().is_some_and(|name| members.contains(name.display().to_string().as_str()))
    };
    semantic.nodes().iter().any(|node| match node.kind() {
        AstKind::MethodDefinition(it) => {
            let is_run = it.kind == MethodDefinitionKind::Get && is_read(&it.key) || converts && is_conversion(&it.key);
            is_run && has_effects(semantic, &it.value)
        }
        AstKind::ObjectProperty(it) => {
            let is_run = it.kind == PropertyKind::Get && is_read(&it.key) || converts && is_conversion(&it.key);
            is_run && matches!(&it.value, Expression::FunctionExpression(function) if has_effects(semantic, function))
        }
        AstKind::CallExpression(it) => defines_getter(semantic, it, members),
        _ => false,
    })
}

/// Returns whether a call is `Object.defineProperty(o, 'a', { get() {} })` for one of these members.
fn defines_getter(semantic: &Semantic<'_>, call: &CallExpression<'_>, members: &HashSet<String>) -> bool {
    let Expression::StaticMemberExpression(callee) = &call.callee else { return false };
    let [_, Argument::StringLiteral(name), Argument::ObjectExpression(descriptor)] = call.arguments.as_slice() else {
        return false;
    };
    let is_getter = |property: &ObjectPropertyKind<'_>| match property {
        ObjectPropertyKind::ObjectProperty(it) => {
            it.key.is_specific_static_name("get")
                && matches!(&it.value, Expression::FunctionExpression(function) if has_effects(semantic, function))
        }
        ObjectPropertyKind::SpreadProperty(_) => false,
    };
    callee.property.name == "defineProperty"
        && name.value.as_str().is_some_and(|name| members.contains(name))
        && descriptor.properties.iter().any(is_getter)
}

/// Returns whether an object is a variable that holds a proxy, whose traps run at each access.
pub(super) fn is_proxy(semantic: &Semantic<'_>, object: &Expression<'_>) -> bool {
    let Expression::Identifier(name) = object else { return false };
    let scoping = semantic.scoping();
    let symbol = name.reference_id.get().and_then(|id| scoping.get_reference(id).symbol_id());
    let declared = symbol.map(|symbol| semantic.nodes().kind(scoping.symbol_declaration(symbol)));
    let Some(AstKind::VariableDeclarator(variable)) = declared else { return false };
    matches!(&variable.init, Some(Expression::NewExpression(made)) if made.callee.is_specific_id("Proxy"))
}

/// Returns whether the key is that of a method that converts its object.
fn is_conversion(key: &PropertyKey<'_>) -> bool {
    match key {
        PropertyKey::StaticMemberExpression(it) => it.property.name == "toPrimitive",
        PropertyKey::StaticIdentifier(it) => matches!(it.name.as_str(), "valueOf" | "toString"),
        _ => false,
    }
}

fn has_effects(semantic: &Semantic<'_>, function: &Function<'_>) -> bool {
    function.body.as_ref().is_some_and(|body| {
        let mut nodes = executed_nodes(semantic, body.node_id.get(), body.span());
        nodes.any(|(_, kind)| has_side_effect(&kind) && !matches!(kind, AstKind::ReturnStatement(_)))
    })
}
