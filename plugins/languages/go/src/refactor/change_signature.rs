//! Adds, removes and reorders the parameters of a function or method, and updates all calls.
//!
//! The host asks every file that may call the function. The change is refused if a use is not a call, or if the
//! arguments of a call do not match the parameters.

mod calls;
mod packages;
mod plan;
mod unused;

use std::collections::BTreeSet;

use marquetry_code::{
    Arena, CodeDocument, NodeIndex, TokenKind,
    signature::{self, Request},
};
use marquetry_sdk::{
    DeclaredKey, Edit, Failure, FileLocation, Result, Rewrite, Span,
    paths::folder,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};
use serde_json::{Value, json};

use crate::{
    kinds::{F, K, child, children, has_kind, with_role},
    memo,
    packages::outline_of,
    refactor::add_import::import_paths,
    symbols::{Signature, Symbol},
};
use plan::{Parameter, Plan, RULES};

/// Prefix of the questions to other files.
pub(super) const QUESTION: &str = "signature\0";

pub(super) const CHANGE_SIGNATURE: Refactoring<crate::GoDocument> = Refactoring {
    id: "change_signature",
    title: "Change the parameters of a function",
    place: Place::Name,
    arguments: &signature::ARGUMENTS,
    asks_exporters: false,
    apply: |document, input| memo::call(|| apply(document, input)),
};

fn refused(why: impl Into<String>, hint: &str) -> Failure {
    refactor_failure(why).hint(hint)
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let request = Request::from_input(input, &RULES)?;
    let symbol = Symbol::new(document);
    let Signature { key, others } = symbol.signature_at(input.at.caret)?;
    let declared = key.locations.first().filter(|place| place.path == document.path());
    let Some(declared) = declared else {
        let path = key.locations.first().map_or("another file", |place| place.path.as_str());
        return Err(refused(format!("`{}` is declared in {path}", key.name), "change it there"));
    };
    let function = function_at(document, declared.offset, &key.name)?;
    if let Some(other) = others.first() {
        let message = format!("`{}` belongs to an interface together with a declaration in {}", key.name, other.path);
        return Err(refused(message, "change the interface and its methods by hand"));
    }
    let list = child(document.arena(), function, K::Params)
        .ok_or_else(|| refused("the declaration has no parameters", "give the position of a function"))?;
    let span = document.arena().node(list).span;
    if has_comments(document.arena(), span) {
        return Err(refused("the parameters have comments", "move the comments out of the list first").at(span));
    }
    let old = old_parameters(document, list)?;
    let mut plan = Plan::read(request, &old)?;
    check_declaration(&symbol, function, &plan, &old)?;
    let mut needed = packages::add_paths_of_types(&symbol, &plan)?;
    plan.packages = packages::packages_of_values(&symbol, &plan);
    let mut edits = vec![declaration_edit(document, list, &plan, &old)];
    let mut removed = unused::types_of_removed(document, list, &plan);
    edits.extend(calls::edits(&symbol, &key, &plan, &mut needed, &mut removed)?);
    edits.extend(unused::edits(&symbol, &plan, &needed, &removed)?);
    edits.extend(import_paths(document, &needed)?);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut rewrite = Rewrite::from(edits);
    let places: Vec<Value> = key.locations.iter().map(|place| json!([place.path, place.offset])).collect();
    let payload = json!({"name": key.name, "places": places, "plan": plan.to_json()});
    rewrite.ask_containing([key.name], format!("{QUESTION}{payload}"));
    Ok(rewrite)
}

/// Updates the calls in this document.
///
/// # Errors
///
/// Fails if a use is not a call that can be updated.
pub(super) fn answer(document: &CodeDocument, payload: &str) -> Result<Rewrite> {
    let unknown = || refactor_failure("the question of the other file cannot be parsed").hint("repeat the call");
    let payload: Value = serde_json::from_str(payload).map_err(|_| unknown())?;
    let place = |place: &Value| {
        let offset = u32::try_from(place.get(1)?.as_u64()?).ok()?;
        Some(FileLocation { path: place.get(0)?.as_str()?.to_owned(), offset })
    };
    let locations = payload["places"].as_array().into_iter().flatten().filter_map(place).collect();
    let name = payload["name"].as_str().unwrap_or_default().to_owned();
    let key = DeclaredKey { name, locations, forms: Vec::new() };
    let plan = Plan::from_json(&payload["plan"]).ok_or_else(unknown)?;
    let mut needed = BTreeSet::new();
    let (symbol, mut removed) = (Symbol::new(document), Vec::new());
    let mut edits = calls::edits(&symbol, &key, &plan, &mut needed, &mut removed)?;
    edits.extend(unused::edits(&symbol, &plan, &needed, &removed)?);
    edits.extend(import_paths(document, &needed)?);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    Ok(edits.into())
}

/// Returns whether a parameter list contains comments, which a new list would lose.
fn has_comments(arena: &Arena, list: Span) -> bool {
    arena.tokens_in(list).iter().any(|token| token.kind == TokenKind::Comment)
}

/// The function or method whose declaration is at an offset.
fn function_at(document: &CodeDocument, offset: u32, name: &str) -> Result<NodeIndex> {
    let arena = document.arena();
    let span = Span { start: offset, end: offset + name.len() as u32 };
    let node = arena.node(arena.innermost(span)).parent;
    let is_function = [K::Func, K::Method].into_iter().any(|kind| has_kind(arena, node, kind));
    if is_function && child(arena, node, K::Block).is_some() {
        return Ok(node);
    }
    Err(refused(format!("`{name}` is not a function with a body"), "give the position of a function or method")
        .at(span))
}

/// The current parameters of a declaration.
fn old_parameters(document: &CodeDocument, list: NodeIndex) -> Result<Vec<Parameter>> {
    let arena = document.arena();
    let mut old: Vec<Parameter> = Vec::new();
    for (group, param) in children(arena, list, K::Param).enumerate() {
        let own = arena.child(param, F::Type.into());
        let type_text = own.map_or("", |own| arena.slice(own)).to_owned();
        let is_variadic = own.is_some_and(|own| has_kind(arena, own, K::Variadic)) || type_text.starts_with("...");
        let names: Vec<&str> = with_role(arena, param, F::Name).map(|name| arena.slice(name)).collect();
        for name in &names {
            if *name == "_" || old.iter().any(|known| known.name == **name) {
                return Err(refused("two parameters have one name, or one is `_`", "give each parameter a name first"));
            }
            old.push(Parameter { name: (*name).to_owned(), type_text: type_text.clone(), group, is_variadic });
        }
        if names.is_empty() {
            return Err(refused("a parameter has no name", "name the parameters first"));
        }
    }
    Ok(old)
}

/// Refuses to remove parameters that the function uses, and to add parameters whose name is taken.
fn check_declaration(symbol: &Symbol<'_>, function: NodeIndex, plan: &Plan, old: &[Parameter]) -> Result<()> {
    let document = symbol.document();
    let (arena, names) = (document.arena(), &symbol.file.names);
    let span = arena.node(function).span;
    for (index, parameter) in old.iter().enumerate().filter(|(index, _)| !plan.list.keeps(*index)) {
        let is_use = |place: &&crate::names::Place| {
            let binding = place.binding.map(|binding| &names.bindings[binding]);
            place.usage != marquetry_sdk::Usage::Declaration
                && arena.slice(place.node) == parameter.name
                && binding.is_some_and(|own| arena.node(own.node).parent == param_node(document, function, index))
        };
        if let Some(place) = names.places.iter().filter(|place| span.contains(place.span)).find(is_use) {
            return Err(refused(format!("`{}` is used in the function", parameter.name), "remove its uses first")
                .at(place.span));
        }
    }
    for new in plan.list.added() {
        let is_taken =
            names.places.iter().any(|place| span.contains(place.span) && arena.slice(place.node) == new.name);
        if is_taken {
            return Err(refused(format!("`{}` has another meaning in the function", new.name), "choose another name"));
        }
    }
    Ok(())
}

/// The node of the parameter with an index.
fn param_node(document: &CodeDocument, function: NodeIndex, index: usize) -> NodeIndex {
    let arena = document.arena();
    let list = child(arena, function, K::Params).unwrap_or(function);
    let each = children(arena, list, K::Param).flat_map(|param| {
        let count = with_role(arena, param, F::Name).count();
        std::iter::repeat_n(param, count)
    });
    each.into_iter().nth(index).unwrap_or(function)
}

/// The edit that writes the new parameter list. Names that share a type still share it if they remain adjacent.
fn declaration_edit(document: &CodeDocument, list: NodeIndex, plan: &Plan, old: &[Parameter]) -> Edit {
    let mut text = String::new();
    let mut parameters = plan.parameters(old).into_iter().peekable();
    while let Some(own) = parameters.next() {
        text += &own.name;
        let shares = |next: &Parameter| next.group == own.group && next.type_text == own.type_text;
        if !parameters.peek().is_some_and(shares) {
            text = format!("{text} {}", own.type_text);
        }
        if parameters.peek().is_some() {
            text += ", ";
        }
    }
    let span = document.arena().node(list).span;
    Edit::new(Span { start: span.start + 1, end: span.end - 1 }, text)
}

/// Returns whether a document is in the package of a declaration.
fn is_in_package(symbol: &Symbol<'_>, key: &DeclaredKey) -> bool {
    let own = symbol.package();
    let declares = |path: &str| folder(path) == own.folder && outline_of(path).package == own.name;
    key.locations.iter().any(|place| declares(&place.path))
}
