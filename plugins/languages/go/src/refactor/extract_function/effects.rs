//! Variables that code changes other than by an assignment to their name: fields, elements and addresses.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use marquetry_code::NodeIndex;

use super::{
    Selected,
    escape::{self, Passing},
};
use crate::{
    kinds::{F, K, child, has_kind, with_role},
    names::BindingIndex,
    types::File,
    typing::{Found, Member, Ty, Typing},
};

/// The way in which code changes a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It assigns a field or element, which is part of the variable.
    Part,
    /// It uses the address of the variable, and may keep it.
    Address,
    /// It passes the address to a function or method that does not keep it.
    Passed,
    /// It passes the address to a function of the standard library that fills the variable and does not keep it.
    Lent,
    /// It calls a method that is not known, which may have a pointer receiver.
    Unknown,
}

/// A change of a variable.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) binding: BindingIndex,
    /// The node of the variable's name.
    pub(super) node: NodeIndex,
    pub(super) effect: Effect,
}

/// The changes of variables that the selection uses, in the declaration around it.
pub(super) fn changes(selected: &Selected) -> Vec<Change> {
    let (arena, file) = (selected.file.arena(), &selected.file);
    let top = selected.span(selected.top);
    let places = || file.names.places.iter().filter(|place| top.contains(place.span));
    let selection = places().filter(|place| selected.code.contains(place.span));
    let used: HashSet<BindingIndex> = selection.filter_map(|place| place.binding).collect();
    let bindings: HashMap<NodeIndex, BindingIndex> =
        places().filter_map(|place| Some((place.node, place.binding.filter(|own| used.contains(own))?))).collect();
    let mut found = Vec::new();
    let mut add = |node: NodeIndex, effect: &dyn Fn() -> Option<Effect>| {
        if let Some((root, is_part)) = root(file, node)
            && let Some(binding) = bindings.get(&root)
            && let Some(effect) = effect()
            && (effect != Effect::Part || is_part)
        {
            found.push(Change { binding: *binding, node: root, effect });
        }
    };
    for node in arena.descendants(selected.top) {
        let first = || arena.children(node).next();
        match () {
            () if has_kind(arena, node, K::Assign) || has_kind(arena, node, K::Range) => {
                with_role(arena, node, F::Left).for_each(|left| add(left, &|| Some(Effect::Part)));
            }
            () if has_kind(arena, node, K::IncDec) => {
                first().into_iter().for_each(|own| add(own, &|| Some(Effect::Part)))
            }
            () if has_kind(arena, node, K::Unary) && arena.slice(node).starts_with('&') => {
                first().into_iter().for_each(|own| add(own, &|| Some(effect_of_address(file, node))));
            }
            () if has_kind(arena, node, K::Slice) => {
                let effect = |own: NodeIndex| is_array(file, own).then_some(Effect::Address);
                first().into_iter().for_each(|own| add(own, &|| effect(own)));
            }
            () if has_kind(arena, node, K::Selector) => {
                first().into_iter().for_each(|own| add(own, &|| effect_of_method(file, node, own)));
            }
            () => {}
        }
    }
    found
}

/// Returns whether an expression may be an array, whose slices refer to it.
pub(super) fn is_array(file: &Rc<File>, node: NodeIndex) -> bool {
    let own = Typing::default().value(file, node).and_then(|own| Typing::default().underlying(&own));
    own.is_none_or(|own| matches!(own, Ty::Array(..)))
}

/// The variable that contains the value of an expression, and whether the value is only a part of it: `x` and true for
/// `x.f[1]`, if `f` is an array. `None` if the expression reads through a pointer, slice, map or interface.
pub(super) fn root(file: &Rc<File>, node: NodeIndex) -> Option<(NodeIndex, bool)> {
    let arena = file.arena();
    if has_kind(arena, node, K::NameRef) {
        return Some((node, false));
    }
    let first = arena.children(node).next()?;
    if has_kind(arena, node, K::Paren) {
        return root(file, first);
    }
    if !has_kind(arena, node, K::Selector) && !has_kind(arena, node, K::Index) {
        return None;
    }
    let own = Typing::default().value(file, first).and_then(|own| Typing::default().underlying(&own));
    let is_other = matches!(own, Some(Ty::Pointer(_) | Ty::Slice(_) | Ty::Map(..) | Ty::Interface(_)));
    if is_other { None } else { root(file, first).map(|(root, _)| (root, true)) }
}

/// The effect of a selector on the value before the dot, if it uses its address: a method with a pointer receiver. A
/// method that is not known may have one.
fn effect_of_method(file: &Rc<File>, selector: NodeIndex, left: NodeIndex) -> Option<Effect> {
    let arena = file.arena();
    let name = arena.child(selector, F::Name.into())?;
    let mut typing = Typing::default();
    // The left side may be the name of a package or a type.
    let own = typing.value(file, left)?;
    if matches!(own, Ty::Pointer(_)) {
        return None;
    }
    let is_called = is_called_now(file, selector);
    match typing.member(&own, arena.slice(name)) {
        Found::Member(Member::Method { has_pointer_receiver: true, .. }) => {
            let is_kept = !is_called || escape::is_kept_by_method(file, name, &mut Passing::default());
            Some(if is_kept { Effect::Address } else { Effect::Passed })
        }
        Found::Member(_) | Found::Absent => None,
        Found::Unknown => {
            let is_interface = matches!(typing.underlying(&own), Some(Ty::Interface(_)));
            (!is_interface).then_some(if is_called { Effect::Unknown } else { Effect::Address })
        }
    }
}

/// Returns whether an expression is the function of a call that returns before the next statement, in contrast to
/// `go` and `defer`.
pub(super) fn is_called_now(file: &Rc<File>, function: NodeIndex) -> bool {
    let arena = file.arena();
    let call = arena.node(function).parent;
    let statement = arena.node(call).parent;
    has_kind(arena, call, K::Call)
        && arena.children(call).next() == Some(function)
        && !has_kind(arena, statement, K::Go)
        && !has_kind(arena, statement, K::Defer)
}

fn effect_of_address(file: &Rc<File>, address: NodeIndex) -> Effect {
    let arena = file.arena();
    let arguments = arena.node(address).parent;
    let call = arena.node(arguments).parent;
    let function = arena
        .children(call)
        .next()
        .filter(|function| child(arena, call, K::Args) == Some(arguments) && is_called_now(file, *function));
    match function {
        Some(function) if is_decoder(file, function) => Effect::Lent,
        Some(function) if !escape::is_kept_by_function(file, function, address, &mut Passing::default()) => {
            Effect::Passed
        }
        _ => Effect::Address,
    }
}

/// Returns whether a function decodes into its arguments and does not keep them. The encoders, decoders and errors that
/// these packages create keep them.
pub(super) fn is_decoder(file: &Rc<File>, function: NodeIndex) -> bool {
    let arena = file.arena();
    let is_constructor = |name: &str| name.starts_with("New") || matches!(name, "Dumper" | "Errorf" | "Join");
    let name = arena.child(function, F::Name.into()).map(|name| arena.slice(name));
    name.is_some_and(|name| !is_constructor(name))
        && imported_path(file, function)
            .is_some_and(|path| path.starts_with("encoding/") || matches!(path.as_str(), "errors" | "fmt"))
}

/// The import path of the package that declares a function: `fmt` of `fmt.Println`.
pub(super) fn imported_path(file: &Rc<File>, function: NodeIndex) -> Option<String> {
    let arena = file.arena();
    let left = arena.children(function).next().filter(|_| has_kind(arena, function, K::Selector))?;
    let name = arena.slice(left);
    if !has_kind(arena, left, K::NameRef) || file.names.local(name, arena.node(left).span.start).is_some() {
        return None;
    }
    crate::imports::imports(&file.document).into_iter().find(|import| import.local() == name).map(|import| import.path)
}
