//! Functions that keep an address after they return.

use std::rc::Rc;

use marquetry_code::NodeIndex;

use super::effects::{is_array, is_called_now, is_decoder};
use crate::{
    kinds::{F, K, child, children, has_kind, has_role, with_role},
    types::{File, Lookup, Resolver},
    typing::{Found, Member, Ty, Typing},
};

/// Maximum number of functions that pass an address on.
const MAX_PASSED: usize = 4;
/// Maximum number of functions that are examined for one address.
const MAX_FUNCTIONS: usize = 100;

/// A search for the functions that get an address.
#[derive(Debug, Default)]
pub(super) struct Passing {
    passed: usize,
    functions: usize,
}

/// Returns whether a method may keep its receiver. `name` is the name of the method in a call.
pub(super) fn is_kept_by_method(file: &Rc<File>, name: NodeIndex, passing: &mut Passing) -> bool {
    match Resolver::default().referred(file, name) {
        Lookup::Found(found, declared) => {
            let arena = found.arena();
            let method = arena.node(declared).parent;
            let receiver = child(arena, method, K::Receiver).and_then(|list| children(arena, list, K::Param).next());
            receiver.is_none_or(|receiver| keeps(&found, method, arena.child(receiver, F::Name.into()), passing))
        }
        // The types of the standard library keep no variable that is only the receiver of a call.
        Lookup::Absent => false,
        Lookup::Unknown => true,
    }
}

/// Returns whether a function may keep one of its arguments.
pub(super) fn is_kept_by_function(
    file: &Rc<File>,
    function: NodeIndex,
    argument: NodeIndex,
    passing: &mut Passing,
) -> bool {
    let own = file.arena();
    let index = own.children(own.node(argument).parent).position(|other| other == argument);
    let Some((found, declared)) = Typing::default().called(file, function) else { return true };
    let arena = found.arena();
    let list = child(arena, declared, K::Params);
    let mut parameters: Vec<(NodeIndex, Option<NodeIndex>)> = Vec::new();
    for param in list.into_iter().flat_map(|list| children(arena, list, K::Param)) {
        let names: Vec<NodeIndex> = with_role(arena, param, F::Name).collect();
        match names[..] {
            [] => parameters.push((param, None)),
            _ => parameters.extend(names.into_iter().map(|name| (param, Some(name)))),
        }
    }
    let Some((param, name)) = index.and_then(|index| parameters.get(index).copied()) else { return true };
    let is_pointer = arena
        .child(param, F::Type.into())
        .is_some_and(|own| has_kind(arena, own, K::Unary) && arena.slice(own).starts_with('*'));
    !is_pointer || keeps(&found, declared, name, passing)
}

/// Returns whether a function may keep the pointer in a parameter or receiver. A parameter without a name is not kept.
fn keeps(file: &Rc<File>, function: NodeIndex, name: Option<NodeIndex>, passing: &mut Passing) -> bool {
    let (arena, names) = (file.arena(), &file.names);
    if child(arena, function, K::Block).is_none() || passing.passed >= MAX_PASSED || passing.functions >= MAX_FUNCTIONS
    {
        return true;
    }
    passing.functions += 1;
    let declared = names.places.iter().find(|place| Some(place.node) == name);
    let Some(binding) = declared.and_then(|place| place.binding) else { return false };
    passing.passed += 1;
    let mut uses = names.references(binding).filter(|place| Some(place.node) != name);
    let is_kept = uses.any(|place| {
        let mut around = arena.ancestors(place.node).take_while(|above| *above != function);
        around.any(|above| has_kind(arena, above, K::FuncLit)) || is_kept_at(file, place.node, passing)
    });
    passing.passed -= 1;
    is_kept
}

/// Returns whether code may keep a pointer at one of its uses.
fn is_kept_at(file: &Rc<File>, pointer: NodeIndex, passing: &mut Passing) -> bool {
    let arena = file.arena();
    let (mut node, mut is_value) = (pointer, false);
    loop {
        let parent = arena.node(node).parent;
        let is_first = arena.children(parent).next() == Some(node);
        let is = |kind: K| has_kind(arena, parent, kind);
        match () {
            () if is(K::Paren) => {}
            () if is(K::Unary) && arena.slice(parent).starts_with('*') => is_value = true,
            () if is(K::Unary) && arena.slice(parent).starts_with('&') => return true,
            () if is(K::Index) && is_first => is_value = true,
            () if is(K::Slice) && is_first => return is_array(file, node) || !is_value,
            () if is(K::Selector) && is_first => match member(file, node, parent, is_value) {
                Some(Member::Field(_)) => is_value = true,
                Some(Member::Method { has_pointer_receiver, .. }) => {
                    let name = arena.child(parent, F::Name.into());
                    let is_kept = |name: NodeIndex| is_kept_by_method(file, name, passing);
                    return has_pointer_receiver && (!is_called_now(file, parent) || name.is_none_or(is_kept));
                }
                None => return !is_other(file, node, is_value),
            },
            () if is_value => return false,
            () if is(K::Args) => {
                let function = arena.children(arena.node(parent).parent).next();
                let function = function.filter(|function| is_called_now(file, *function));
                let is_kept = |function: NodeIndex| {
                    !is_decoder(file, function) && is_kept_by_function(file, function, node, passing)
                };
                return function.is_none_or(is_kept);
            }
            () => return !is(K::Binary) && !(is(K::Assign) && has_role(arena, node, F::Left)),
        }
        node = parent;
    }
}

/// Returns whether a value in a variable is a pointer, which refers to another variable.
fn is_other(file: &Rc<File>, node: NodeIndex, is_value: bool) -> bool {
    is_value && matches!(Typing::default().value(file, node), Some(Ty::Pointer(_)))
}

/// The member after a dot. `None` if it is not known, or if it belongs to another variable.
fn member(file: &Rc<File>, left: NodeIndex, selector: NodeIndex, is_value: bool) -> Option<Member> {
    let arena = file.arena();
    let name = arena.child(selector, F::Name.into())?;
    let mut typing = Typing::default();
    let own = typing.value(file, left).filter(|_| !is_other(file, left, is_value))?;
    match typing.member(&own, arena.slice(name)) {
        Found::Member(member) => Some(member),
        Found::Absent | Found::Unknown => None,
    }
}
