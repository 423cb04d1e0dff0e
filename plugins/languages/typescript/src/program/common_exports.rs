//! Other names for the exports of a CommonJS module: a parameter that a wrapper passes `exports` for, and `this` outside of
//! all functions.

use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, SymbolId};
use oxc_span::GetSpan;

use crate::program::commonjs::is_commonjs;
use crate::program::expandos::is_exports;
use crate::program::source_file::SourceFile;

/// Returns whether a symbol is a parameter that holds the exports of the module: the wrappers of UMD modules call a
/// factory with `exports`.
pub(crate) fn is_exports_parameter(file: &SourceFile<'_>, symbol: SymbolId) -> bool {
    let declaration = file.scoping().symbol_declaration(symbol);
    let AstKind::FormalParameter(parameter) = file.kind(declaration) else { return false };
    if !file.is_javascript() || !parameter.pattern.is_binding_identifier() || file.scoping().symbol_is_mutated(symbol) {
        return false;
    }
    let list = file.parent(declaration);
    let AstKind::FormalParameters(parameters) = file.kind(list) else { return false };
    let Some(index) = parameters.items.iter().position(|item| item.span == parameter.span) else { return false };
    let mut function = file.parent(list);
    while let AstKind::ParenthesizedExpression(_) = file.parent_kind(function) {
        function = file.parent(function);
    }
    let AstKind::CallExpression(call) = file.parent_kind(function) else { return false };
    let at = file.kind(function).span();
    match call.arguments.iter().position(|given| given.span() == at) {
        Some(slot) => is_called_with_exports(file, &call.callee, slot, index),
        None => call.arguments.get(index).and_then(Argument::as_expression).is_some_and(|it| may_be_exports(file, it)),
    }
}

/// Returns whether a wrapper function calls the factory that it gets as one of its parameters, and passes the exports.
fn is_called_with_exports(file: &SourceFile<'_>, wrapper: &Expression<'_>, slot: usize, index: usize) -> bool {
    let parameters = match wrapper.get_inner_expression() {
        Expression::FunctionExpression(function) => &function.params,
        Expression::ArrowFunctionExpression(arrow) => &arrow.params,
        _ => return false,
    };
    let factory = parameters.items.get(slot).and_then(|item| item.pattern.get_binding_identifier());
    let Some(factory) = factory.and_then(|name| name.symbol_id.get()) else { return false };
    let mut references = file.scoping().get_resolved_references(factory);
    references.any(|reference| {
        let name = reference.node_id();
        let AstKind::CallExpression(call) = file.parent_kind(name) else { return false };
        let given = call.arguments.get(index).and_then(Argument::as_expression);
        call.callee.span() == file.kind(name).span() && given.is_some_and(|given| may_be_exports(file, given))
    })
}

/// Returns whether one of the values of an expression is the exports of the module.
fn may_be_exports(file: &SourceFile<'_>, value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        // Wrappers pass `this` for the global object.
        Expression::ThisExpression(_) => false,
        Expression::ConditionalExpression(it) => {
            may_be_exports(file, &it.consequent) || may_be_exports(file, &it.alternate)
        }
        Expression::LogicalExpression(it) => may_be_exports(file, &it.left) || may_be_exports(file, &it.right),
        Expression::AssignmentExpression(it) => may_be_exports(file, &it.right),
        other => is_exports(file, other),
    }
}

/// Returns whether `this` at a node is the exports of a CommonJS module: it is outside of all functions and classes.
pub(crate) fn is_module_this(file: &SourceFile<'_>, this: NodeId) -> bool {
    let has_own_this = |kind| {
        matches!(
            kind,
            AstKind::Function(_)
                | AstKind::PropertyDefinition(_)
                | AstKind::StaticBlock(_)
                | AstKind::AccessorProperty(_)
                | AstKind::TSNamespaceDeclaration(_)
        )
    };
    is_commonjs(file) && !file.self_and_ancestors(this).skip(1).any(|around| has_own_this(file.kind(around)))
}
