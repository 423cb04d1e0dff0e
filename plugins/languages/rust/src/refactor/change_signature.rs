//! Adds, removes and reorders the parameters of a function or method, and updates all calls.
//!
//! Every file that contains the name updates its calls. The change is refused if the function is used as a value, or
//! if the arguments of a call do not match the parameters. A call of a method whose receiver has an unknown type is
//! listed.

mod callee;
mod calls;
mod plan;

use marquetry_code::{
    Arena, CodeDocument, NodeIndex,
    signature::{self, Item, OldParameter, Plan, Request},
};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite, Span,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
    workspace,
};
use serde_json::{Value, json};

use crate::{
    implemented::files_below,
    kinds::{F, K, child, has_kind},
    memo,
    modules::{Module, modules_around},
    names::{Names, Place as NamePlace},
    symbols::Symbol,
    types::{Types, text::generic, types_in},
};
use callee::Callee;
use calls::{has_comments, list_content, separator, unknown_name};
use plan::RULES;

/// Prefix of the questions to other files.
pub(super) const QUESTION: &str = "signature ";

/// Maximum number of files that are searched.
const MAX_FILES: usize = 20_000;

/// Attributes that do not use the parameters of their function.
const ATTRIBUTES: [&str; 14] = [
    "allow",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "inline",
    "instrument",
    "must_use",
    "rustfmt",
    "track_caller",
    "warn",
];

pub(super) const CHANGE_SIGNATURE: Refactoring<CodeDocument> = Refactoring {
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
    let arena = document.arena();
    let symbol = Symbol::new(document);
    let function = function_at(arena, &symbol, input.at.caret)?;
    let mut callee = callee(document, function)?;
    check_attributes(arena, function, &callee.name)?;
    let list = child(arena, function, K::PARAM_LIST)
        .ok_or_else(|| refused("the declaration has no parameters", "give the position of a function"))?;
    let span = arena.node(list).span;
    if has_comments(arena, span) {
        return Err(refused("the parameters have comments", "move the comments out of the list first").at(span));
    }
    let old: Vec<NodeIndex> = arena.children(list).filter(|own| has_kind(arena, *own, K::PARAM)).collect();
    let known: Vec<OldParameter> = old.iter().map(|own| plan::old_parameter(arena, *own)).collect();
    let plan = Plan::read(request, &known, &RULES)?;
    check_declaration(arena, &symbol, (function, list), &plan, &old)?;
    let files = files();
    callee.follow_reexports(|word| {
        files.iter().filter(|(_, text)| text.contains(word)).map(|(path, _)| path.clone()).collect()
    });
    let found = callee.uses(document, &symbol, plan.old_count)?;
    let mut edits = vec![declaration_edit(arena, list, &plan, &old)];
    edits.extend(calls::edits(arena, &symbol, &found, &plan)?);
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut rewrite = Rewrite { edits, unresolved: found.unresolved, ..Rewrite::default() };
    let payload = json!({"callee": callee.to_json(), "plan": plan.to_json()});
    if files.len() >= MAX_FILES {
        rewrite.incomplete = Some(format!("only {MAX_FILES} files were searched for re-exports"));
    }
    let renamed = callee.modules.iter().map(|(_, name)| name.clone()).filter(|_| !callee.is_member);
    let names: Vec<String> = renamed.chain([callee.name.clone()]).collect();
    rewrite.ask_containing(names, format!("{QUESTION}{payload}"));
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
    let callee = Callee::from_json(&payload["callee"]).ok_or_else(unknown)?;
    let plan = Plan::from_json(&payload["plan"]).ok_or_else(unknown)?;
    let symbol = Symbol::new(document);
    let found = callee.uses(document, &symbol, plan.old_count)?;
    let edits = calls::edits(document.arena(), &symbol, &found, &plan)?;
    Ok(Rewrite { edits, unresolved: found.unresolved, ..Rewrite::default() })
}

/// The function whose name is at an offset, or which the name at the offset refers to.
fn function_at(arena: &Arena, symbol: &Symbol<'_>, offset: u32) -> Result<NodeIndex> {
    let is_function = |node: &NodeIndex| has_kind(arena, *node, K::FN);
    let here = Span { start: offset, end: offset };
    let named = arena.ancestors(arena.innermost(here)).find(|node| has_kind(arena, *node, K::NAME));
    let declared = named.map(|name| arena.node(name).parent).filter(is_function);
    let used = || {
        let binding = symbol.names.at(offset).and_then(|place| symbol.names.binding_of(place))?;
        Types::new(arena, symbol).item(binding).filter(is_function)
    };
    declared.or_else(used).ok_or_else(|| {
        refused("the position is not the name of a function of this file", "give the address of a function or method")
            .at(here)
    })
}

/// The identity of a function.
fn callee(document: &CodeDocument, function: NodeIndex) -> Result<Callee> {
    let arena = document.arena();
    let name = arena.child(function, F::Name.into()).map_or("", |name| arena.slice(name)).to_owned();
    let at = arena.node(function).span;
    let list = arena.node(function).parent;
    let around = arena.node(list).parent;
    let module = Module { file: document.path().to_owned(), inline: modules_around(arena, function) };
    let parameters = child(arena, function, K::PARAM_LIST);
    let has_self = parameters.and_then(|list| child(arena, list, K::SELF_PARAM)).is_some();
    if has_kind(arena, list, K::EXTERN_ITEM_LIST) {
        return Err(
            refused(format!("`{name}` is a function of a linked library"), "change its declaration by hand").at(at)
        );
    }
    if !has_kind(arena, list, K::ASSOC_ITEM_LIST) {
        let is_nested = arena.ancestors(list).any(|above| has_kind(arena, above, K::STMT_LIST));
        return if is_nested {
            Err(refused(format!("`{name}` is declared in a block"), "move it to the module first").at(at))
        } else {
            Ok(Callee { modules: vec![(module, name.clone())], name, is_member: false, has_self })
        };
    }
    let types: Vec<NodeIndex> = types_in(arena, around).collect();
    let owner = match types[..] {
        [own] if has_kind(arena, around, K::IMPL) => generic(arena.slice(own)).0.to_owned(),
        _ => {
            let message = format!("`{name}` belongs to a trait");
            return Err(refused(message, "change the trait, its implementations and the calls by hand").at(at));
        }
    };
    let owned = Symbol::new(document);
    let scope = owned.names.module(&module.inline).unwrap_or_default();
    let types = Types::new(arena, &owned);
    let declared = owned.names.lookup(&owner, crate::names::TYPES, scope).and_then(|binding| types.item(binding));
    if declared.is_none() {
        let message = format!("`{owner}` is not declared in the same file as its implementation");
        return Err(refused(message, "change the calls by hand").at(at));
    }
    if types.member(&owner, &name).is_none() {
        let message = format!("several implementations of `{owner}` have a function `{name}`");
        return Err(refused(message, "change the functions and their calls by hand").at(at));
    }
    Ok(Callee { name, modules: vec![(module, owner)], is_member: true, has_self })
}

/// Refuses a function that other code than its callers may call.
fn check_attributes(arena: &Arena, function: NodeIndex, name: &str) -> Result<()> {
    for attribute in arena.children(function).filter(|own| has_kind(arena, *own, K::ATTR)) {
        let code = arena.slice(attribute);
        let path = code.trim_start_matches(['#', '[', ' ']).split(['(', ']', '=', ' ']).next().unwrap_or_default();
        let first = path.split("::").next().unwrap_or_default();
        if !ATTRIBUTES.contains(&first) && !ATTRIBUTES.contains(&path.rsplit("::").next().unwrap_or_default()) {
            let message = format!("the attribute `{path}` may use the parameters of `{name}`");
            return Err(refused(message, "change the function by hand").at(arena.node(attribute).span));
        }
    }
    Ok(())
}

/// Refuses to remove parameters that the function uses, and to add parameters whose name is taken or whose type is not
/// known in the file.
fn check_declaration(
    arena: &Arena,
    symbol: &Symbol<'_>,
    (function, list): (NodeIndex, NodeIndex),
    plan: &Plan,
    old: &[NodeIndex],
) -> Result<()> {
    let names = &symbol.names;
    let span = arena.node(function).span;
    let inside = || names.places.iter().filter(|place| span.contains(place.span));
    for (_, parameter) in old.iter().enumerate().filter(|(index, _)| !plan.keeps(*index)) {
        let own = arena.node(*parameter).span;
        let declares = |place: &&NamePlace| own.contains(place.span) && Names::is_declaration(place);
        for binding in inside().filter(declares).filter_map(|place| names.binding_of(place)) {
            let used = names.references(binding).find(|place| !Names::is_declaration(place)).map(|place| place.span);
            if let Some(at) = used.or_else(|| names.words_of(&arena.text, binding).next()) {
                let message = format!("`{}` is used in the function", names.bindings[binding].name);
                return Err(refused(message, "remove its uses first").at(at));
            }
        }
    }
    let scope = names
        .at(arena.node(list).span.start)
        .map_or_else(|| Types::new(arena, symbol).scope_at(list), NamePlace::scope);
    for new in plan.added() {
        let word = names.words_named(&arena.text, &new.name).map(|(at, _)| at).find(|at| span.contains(*at));
        if let Some(at) = inside().find(|place| place.name == new.name).map(|place| place.span).or(word) {
            let message = format!("`{}` has another meaning in the function", new.name);
            return Err(refused(message, "choose another name").at(at));
        }
        let is_member = has_kind(arena, arena.node(function).parent, K::ASSOC_ITEM_LIST);
        let own = unknown_name(symbol, scope, &new.type_text).filter(|name| !(is_member && *name == "Self"));
        if let Some(name) = own {
            return Err(refused(format!("the file does not have `{name}`"), "import it first, or write its path")
                .at(arena.node(list).span));
        }
    }
    Ok(())
}

/// The edit that writes the new parameter list.
fn declaration_edit(arena: &Arena, list: NodeIndex, plan: &Plan, old: &[NodeIndex]) -> Edit {
    let all: Vec<NodeIndex> = arena.children(list).collect();
    let receiver =
        all.iter().filter(|own| has_kind(arena, **own, K::SELF_PARAM)).map(|own| arena.slice(*own).to_owned());
    let item = |item: &Item| match item {
        Item::Kept(index) => arena.slice(old[*index]).to_owned(),
        Item::New(added) => format!("{}: {}", added.name, added.type_text),
    };
    let texts: Vec<String> = receiver.chain(plan.items.iter().map(item)).collect();
    let content = list_content(arena, arena.node(list).span, &all, texts.is_empty());
    Edit::new(content, texts.join(&separator(arena, &all)))
}

/// The Rust files of the workspace with their texts.
fn files() -> Vec<(String, String)> {
    let paths = files_below("", MAX_FILES);
    paths.into_iter().filter_map(|path| workspace::read(&path).ok().map(|text| (path, text))).collect()
}
