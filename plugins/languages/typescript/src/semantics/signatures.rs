//! Functions whose parameters change: the declaration, its uses, and the exports through which other files reach it.

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{ImportKey, Result, Usage};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{Semantic, SymbolId};
use oxc_span::GetSpan as _;

use crate::imports::module_uses::uses_of_module;
use crate::infer::checker::Checker;
use crate::program::ids::{ModuleRef, OPEN_DOCUMENT};
use crate::rename::subject::ResolvedSubject;
use crate::rename::uses::Use;
use crate::rename::{self, Usages};
use crate::semantics::functions::{self, FunctionNode};
use crate::semantics::{Semantics, module_values, refusal_at};

/// Returns whether a caret is on a name that is used.
pub(crate) fn is_on_name(code: Semantics<'_, '_>, caret: u32) -> bool {
    let is_name = |kind| matches!(kind, AstKind::IdentifierReference(_) | AstKind::IdentifierName(_));
    code.nodes_at(caret).any(|(_, kind)| is_name(kind))
}

/// Refuses constructors, getters and setters, because they are not called by their name, and functions next to a direct
/// `eval`.
pub(crate) fn check_called(semantic: &Semantic<'_>, function: FunctionNode<'_>) -> Result<()> {
    let span = function.span();
    let nodes = semantic.nodes();
    match nodes.parent_kind(function.id()) {
        AstKind::MethodDefinition(method) if method.kind != MethodDefinitionKind::Method => {
            return Err(refusal_at("constructors, getters and setters are not called by name", span)
                .hint("change the parameters and the uses by hand"));
        }
        AstKind::ObjectProperty(property) if property.kind != PropertyKind::Init => {
            return Err(refusal_at("getters and setters are not called", span));
        }
        _ => {}
    }
    // Such code may use the parameters.
    if function.scope().is_some_and(|scope| semantic.scoping().scope_flags(scope).contains_direct_eval()) {
        return Err(
            refusal_at("`eval` may use any parameter", span).hint("first replace `eval`, or make the change by hand")
        );
    }
    Ok(())
}

/// Returns the only function that is declared with the name.
pub(crate) fn declared_function<'w>(checker: &Checker<'w>, usages: &Usages) -> Result<FunctionNode<'w>> {
    let here = checker.open_module();
    let places: Vec<oxc_span::Span> =
        usages.found.uses.iter().filter(|found| found.usage == Usage::Declaration).map(|found| found.span).collect();
    let no_function = || {
        refactor_failure(format!("`{}` is not a function declared in this file", usages.name))
            .hint("place the caret on the name of a function or method")
    };
    let others = usages.found.sites.iter().filter(|site| site.module != OPEN_DOCUMENT).count();
    if places.len() + others > 1 {
        let message = format!("`{}` has several declarations (overloads or overrides)", usages.name);
        return Err(refactor_failure(message).hint("change them one by one"));
    }
    let place = places.first().ok_or_else(no_function)?;
    let found = here.semantic().nodes().iter().find_map(|node| {
        let function = FunctionNode::from_kind(node.kind())?;
        let name = functions::function_name_span(here.semantic(), function)?;
        (name.start == place.start).then_some(function)
    });
    found.ok_or_else(no_function)
}

/// Returns the names under which the class or object with a member is exported.
pub(crate) fn owner_exports(checker: &Checker<'_>, function: FunctionNode<'_>) -> Vec<String> {
    let here = checker.open_module();
    let owner = here.self_and_ancestors(function.id()).find_map(|node| match here.kind(node) {
        AstKind::Class(class) => class.id.as_ref().and_then(|id| id.symbol_id.get()),
        AstKind::VariableDeclarator(variable) => {
            variable.id.get_binding_identifier().and_then(|name| name.symbol_id.get())
        }
        AstKind::AssignmentExpression(set) => assigned_owner(checker, &set.left),
        _ => None,
    });
    let owner: Vec<SymbolId> = owner.into_iter().collect();
    let mut names: Vec<String> = checker.reexported_symbol_names(&owner);
    names.extend(owner.iter().flat_map(|symbol| rename::importable_names(checker, *symbol)));
    names.extend(is_in_default_export(checker, function).then(|| "default".to_owned()));
    names.sort();
    names.dedup();
    names
}

/// Returns whether a member's function is in the value that the module exports as a whole, or by default.
fn is_in_default_export(checker: &Checker<'_>, function: FunctionNode<'_>) -> bool {
    let here = checker.open_module();
    let exports = checker.exports(ModuleRef { module: OPEN_DOCUMENT, block: None });
    here.self_and_ancestors(function.id()).skip(1).any(|node| match here.kind(node) {
        AstKind::ExportDefaultDeclaration(_) => true,
        AstKind::Class(_) | AstKind::ObjectExpression(_) => {
            exports.whole.iter().any(|whole| whole.span() == here.kind(node).span())
        }
        _ => false,
    })
}

/// Returns the uses of a function by its name, and by the name that is in scope only in its body:
/// `exports.f = function g() { g(); }`.
pub(crate) fn uses_of_function(checker: &Checker<'_>, function: FunctionNode<'_>, usages: &Usages) -> Vec<Use> {
    let mut uses = usages.found.uses.clone();
    if let Some(own) = function.own_symbol().filter(|own| !usages.found.symbols.contains(own)) {
        uses.extend(rename::find_usages(checker, ResolvedSubject::Symbol(own)).found.uses);
    }
    uses
}

/// Returns the symbol of `a` in `a.b = …` or `a.prototype.b = …`.
fn assigned_owner(checker: &Checker<'_>, target: &AssignmentTarget<'_>) -> Option<SymbolId> {
    let AssignmentTarget::StaticMemberExpression(member) = target else { return None };
    let mut object = &member.object;
    while let Expression::StaticMemberExpression(member) = object {
        object = &member.object;
    }
    let Expression::Identifier(name) = object else { return None };
    checker.open_module().symbol_of(name)
}

/// Uses of an imported name, other places that may use it, and the names under which it is re-exported.
type Imported = (Vec<Use>, Vec<oxc_span::Span>, Vec<String>);

/// Returns the uses of a name imported from a file, and the names under which it is re-exported.
pub(crate) fn imported_uses(checker: &mut Checker<'_>, from: &str, name: String) -> Imported {
    let mut specifiers: Vec<String> = Vec::new();
    for specifier in uses_of_module(checker, from).into_iter().filter_map(|used| used.specifier(checker)) {
        if !specifiers.iter().any(|known| known == specifier) {
            specifiers.push(specifier.to_owned());
        }
    }
    let key = ImportKey { specifiers, name };
    let usages = rename::imported_uses::usages_of_import(checker, &key);
    let alike = rename::imported_uses::unrenamed_references(checker, &key, &usages.found);
    let mut uses = usages.found.uses;
    uses.extend(alike.uses);
    uses.sort_by_key(|found| (found.span.start, found.span.end));
    uses.dedup_by_key(|found| found.span);
    let mut passed_on = usages.exported;
    passed_on.extend(alike.exported);
    let mut unresolved = usages.found.unresolved;
    if key.name != "default" {
        unresolved.extend(module_values::module_values(checker, from));
    }
    (uses, unresolved, passed_on)
}
