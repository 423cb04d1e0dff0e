//! Replaces the uses of a local variable with its value, and removes the variable.

use marquetry_code::{BindingKind, CodeDocument, NodeIndex, ScopeKind, blocks::Statements, rename, scopes::NamePlace};
use marquetry_sdk::{
    Edit, Failure, Result, Rewrite,
    refactor::{Place, RefactorInput, Refactoring, refactor_failure},
};

use super::expressions::{as_operand, deferral, has_effects, has_effects_before, is_one_of, statement_of};
use crate::lower::{F, K};

pub(super) const INLINE_VARIABLE: Refactoring<CodeDocument> = Refactoring {
    id: "inline_variable",
    title: "Inline a variable",
    place: Place::Name,
    arguments: &[],
    asks_exporters: false,
    apply,
};

/// Expressions whose value may change, or that create a new object at each evaluation.
const UNSTABLE: [K; 11] = [
    K::Attribute,
    K::Subscript,
    K::List,
    K::Dict,
    K::Set,
    K::ListComp,
    K::SetComp,
    K::DictComp,
    K::Generator,
    K::FString,
    K::Lambda,
];

fn refused(why: impl Into<String>) -> Failure {
    refactor_failure(why).hint("only local variables with one value that cannot change between its uses can be inlined")
}

fn apply(document: &CodeDocument, input: &RefactorInput) -> Result<Rewrite> {
    super::check_syntax(document)?;
    let arena = document.arena();
    let bound = rename::bound_at(document, input.at.caret)?;
    let name = bound.name.clone();
    if bound.is_global() || bound.is_member(document) {
        return Err(refused(format!("`{name}` is not a local variable: other code may use it")));
    }
    let (bindings, uses): (Vec<&NamePlace>, Vec<&NamePlace>) =
        bound.places(document).partition(|place| place.binding.is_some());
    let [binding] = bindings[..] else { return Err(refused(format!("`{name}` is assigned more than once"))) };
    let statement = arena.node(binding.node).parent;
    let targets = arena.children(statement).filter(|child| arena.node(*child).field == F::Target.into()).count();
    let value = arena.child(statement, F::Value.into());
    let (Some(value), true, 1) = (
        value,
        is_one_of(document, statement, &[K::Assign, K::AnnAssign]) && binding.binding == Some(BindingKind::Variable),
        targets,
    ) else {
        return Err(refused(format!("`{name}` is not assigned by a statement with one target")));
    };
    if uses.is_empty() {
        return Err(refused(format!("`{name}` is not used")).hint("delete its statement"));
    }
    let block = arena.node(statement).parent;
    for place in &uses {
        check_use(document, (statement, block), place)?;
    }
    check_value(document, statement, value, &uses)?;
    let mut edits = Vec::new();
    for place in uses {
        edits.push(Edit::new(place.span, as_operand(document, value)));
    }
    let statements = Statements::new(document, block);
    if let Some(position) = statements.position(statement) {
        edits.extend(statements.delete(&[position])?);
    }
    edits.sort_by_key(|edit| edit.span.start);
    Ok(edits.into())
}

/// Refuses a use unless it is certainly evaluated after the assignment and in the same function.
fn check_use(document: &CodeDocument, (statement, block): (NodeIndex, NodeIndex), place: &NamePlace) -> Result<()> {
    let arena = document.arena();
    let is_below =
        arena.ancestors(place.node).any(|above| above == block) && place.span.start >= arena.node(statement).span.end;
    let kind = document.names().scopes[place.scope].kind;
    let owner = document.names().owner_of(place);
    if !is_below || (Some(place.scope) != owner && kind != ScopeKind::Comprehension) {
        return Err(refused(format!("`{}` is used where the assignment may not have run", place.name)).at(place.span));
    }
    let in_string = arena.ancestors(place.node).any(|above| is_one_of(document, above, &[K::FString, K::String]));
    if in_string {
        return Err(refused(format!("`{}` is used in a string", place.name)).at(place.span));
    }
    Ok(())
}

/// Refuses a value that may change between the assignment and its uses.
fn check_value(document: &CodeDocument, statement: NodeIndex, value: NodeIndex, uses: &[&NamePlace]) -> Result<()> {
    let arena = document.arena();
    let names = document.names();
    let inside: Vec<NodeIndex> = std::iter::once(value).chain(arena.descendants(value)).collect();
    let is_unstable = inside.iter().any(|node| is_one_of(document, *node, &UNSTABLE)) || has_effects(document, value);
    let is_assigned_once = inside.iter().all(|node| {
        let place = names.places.iter().find(|place| place.node == *node);
        let owner = place.and_then(|place| Some((place, names.owner_of(place)?)));
        owner.is_none_or(|(place, owner)| {
            names.references(&place.name, owner).filter(|other| other.binding.is_some()).count() <= 1
        })
    });
    if !is_unstable && is_assigned_once {
        return Ok(());
    }
    let [only] = uses else {
        return Err(refused("the value may change between its uses").at(arena.node(value).span));
    };
    // The value may move into the next statement if that statement evaluates it before any other code.
    let next = arena.children(arena.node(statement).parent).find(|other| *other > statement);
    let used_in = statement_of(document, only.node);
    let is_next = next.is_some() && next == used_in;
    let is_first = next.is_some_and(|next| {
        deferral(document, only.node, next).is_none() && !has_effects_before(document, next, only.span)
    });
    if is_next && is_first {
        return Ok(());
    }
    Err(refused("the value may change before it is used").at(arena.node(value).span))
}
