//! Functions whose parameters change: their declarations and their uses.

use std::collections::HashMap;

use marquetry_sdk::refactor::refactor_failure;
use marquetry_sdk::{Failure, ImportKey, Result, Usage};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_semantic::{NodeId, Semantic};
use oxc_span::GetSpan as _;

use crate::imports::module_uses::uses_of_module;
use crate::infer::checker::Checker;
use crate::program::ids::OPEN_DOCUMENT;
use crate::program::module::Module;
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

/// Declaration of a function or method.
#[derive(Clone, Copy)]
pub(crate) enum DeclaredFunction<'w> {
    Function(FunctionNode<'w>),
    /// A method of an interface or object type.
    Method(&'w TSMethodSignature<'w>),
    /// A property of an interface or object type whose type is a function type.
    Type(&'w TSPropertySignature<'w>, &'w TSFunctionType<'w>),
}

impl<'w> DeclaredFunction<'w> {
    pub(crate) fn span(self) -> oxc_span::Span {
        match self {
            DeclaredFunction::Function(function) => function.span(),
            DeclaredFunction::Method(method) => method.span,
            DeclaredFunction::Type(property, _) => property.span,
        }
    }

    pub(crate) fn params(self) -> &'w FormalParameters<'w> {
        match self {
            DeclaredFunction::Function(function) => function.params(),
            DeclaredFunction::Method(method) => &method.params,
            DeclaredFunction::Type(_, function) => &function.params,
        }
    }

    fn node(self) -> NodeId {
        match self {
            DeclaredFunction::Function(function) => function.id(),
            DeclaredFunction::Method(method) => method.node_id.get(),
            DeclaredFunction::Type(property, _) => property.node_id.get(),
        }
    }
}

/// Returns the functions that are declared with the name in the open document: the one at an offset, and those that it
/// overrides, implements, or is overridden by. Fails for overloads.
pub(crate) fn declared_functions<'w>(
    checker: &Checker<'w>,
    usages: &Usages,
    offset: u32,
) -> Result<Vec<DeclaredFunction<'w>>> {
    let here = checker.open_module();
    let no_function = || {
        refactor_failure(format!("`{}` is not a function declared in this file", usages.name))
            .hint("place the caret on the name of a function or method")
    };
    let mut places = declared_places(&usages.found.uses);
    places.sort_by_key(|place| (!place.contains_inclusive(oxc_span::Span::empty(offset)), place.start));
    let others = usages.found.sites.iter().any(|site| site.module != OPEN_DOCUMENT);
    if usages.declared.is_none() && (places.len() > 1 || others) {
        return Err(overloads_failure(&usages.name));
    }
    let functions = functions_declared_at(checker, &places);
    match (functions.as_slice(), places.as_slice()) {
        ([], _) | (_, []) => return Err(no_function()),
        ([Some(_), ..], _) => {}
        ([None, ..], [_]) => return Err(no_function()),
        ([None, ..], [place, ..]) => return Err(not_a_function_refusal(&usages.name, *place)),
    }
    let functions = all_functions(&usages.name, &places, functions)?;
    let containers: Vec<Option<NodeId>> = functions.iter().map(|function| container(&here, function.node())).collect();
    let is_repeated = |at: usize| containers[..at].contains(&containers[at]);
    if (0..containers.len()).any(is_repeated) {
        return Err(overloads_failure(&usages.name));
    }
    Ok(functions)
}

fn overloads_failure(name: &str) -> Failure {
    refactor_failure(format!("`{name}` has several declarations (overloads or overrides)"))
        .hint("change them one by one")
}

fn not_a_function_refusal(name: &str, place: oxc_span::Span) -> Failure {
    refusal_at(format!("`{name}` is declared here, but not as a function or method"), place)
        .hint("make the change by hand")
}

/// Returns the functions that are declared in the open document by uses of a name in another document.
pub(crate) fn other_declarations<'w>(
    checker: &Checker<'w>,
    name: &str,
    uses: &[Use],
) -> Result<Vec<DeclaredFunction<'w>>> {
    let places = declared_places(uses);
    all_functions(name, &places, functions_declared_at(checker, &places))
}

fn declared_places(uses: &[Use]) -> Vec<oxc_span::Span> {
    uses.iter().filter(|found| found.usage == Usage::Declaration).map(|found| found.span).collect()
}

fn all_functions<'w>(
    name: &str,
    places: &[oxc_span::Span],
    functions: Vec<Option<DeclaredFunction<'w>>>,
) -> Result<Vec<DeclaredFunction<'w>>> {
    let found = functions.into_iter().zip(places);
    found.map(|(function, place)| function.ok_or_else(|| not_a_function_refusal(name, *place))).collect()
}

/// Returns the function whose name is at each place.
fn functions_declared_at<'w>(checker: &Checker<'w>, places: &[oxc_span::Span]) -> Vec<Option<DeclaredFunction<'w>>> {
    let here = checker.open_module();
    let mut functions: HashMap<u32, DeclaredFunction<'w>> = HashMap::new();
    for node in here.semantic().nodes().iter() {
        let found = match node.kind() {
            AstKind::TSMethodSignature(method) if !method.computed && method.kind == TSMethodSignatureKind::Method => {
                Some((method.key.span(), DeclaredFunction::Method(method)))
            }
            AstKind::TSPropertySignature(property) if !property.computed => {
                match property.type_annotation.as_ref().map(|annotation| &annotation.type_annotation) {
                    Some(TSType::TSFunctionType(function)) => {
                        Some((property.key.span(), DeclaredFunction::Type(property, function)))
                    }
                    _ => None,
                }
            }
            kind => FunctionNode::from_kind(kind).and_then(|function| {
                let name = functions::function_name_span(here.semantic(), function)?;
                Some((name, DeclaredFunction::Function(function)))
            }),
        };
        if let Some((name, function)) = found {
            functions.entry(name.start).or_insert(function);
        }
    }
    places.iter().map(|place| functions.get(&place.start).copied()).collect()
}

/// Returns the class, type or block around a declaration. Overloads are in the same one.
fn container(here: &Module<'_>, declaration: NodeId) -> Option<NodeId> {
    here.self_and_ancestors(declaration).skip(1).find(|node| {
        matches!(
            here.kind(*node),
            AstKind::ClassBody(_)
                | AstKind::TSInterfaceBody(_)
                | AstKind::TSTypeLiteral(_)
                | AstKind::ObjectExpression(_)
                | AstKind::FunctionBody(_)
                | AstKind::BlockStatement(_)
                | AstKind::TSModuleBlock(_)
                | AstKind::Program(_)
        )
    })
}

/// Returns the uses of functions by their name, and by names that are in scope only in their bodies:
/// `exports.f = function g() { g(); }`.
pub(crate) fn uses_of_functions(checker: &Checker<'_>, all: &[DeclaredFunction<'_>], usages: &Usages) -> Vec<Use> {
    let mut uses = usages.found.uses.clone();
    let own_symbol = |function: &DeclaredFunction<'_>| match function {
        DeclaredFunction::Function(function) => function.own_symbol(),
        DeclaredFunction::Method(_) | DeclaredFunction::Type(..) => None,
    };
    for own in all.iter().filter_map(own_symbol).filter(|own| !usages.found.symbols.contains(own)) {
        uses.extend(rename::find_usages(checker, ResolvedSubject::Symbol(own)).found.uses);
    }
    uses
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
