//! Types of variables, from their declarations.

use std::rc::Rc;

use marquetry_code::NodeIndex;

use super::{Ty, Typing, Untyped, constants};
use crate::{
    kinds::{F, K, has_kind, with_role},
    names::{BindingIndex, BindingKind},
    types::File,
};

impl Typing {
    /// The type of a local variable, parameter or constant at a use.
    pub(crate) fn variable(&mut self, file: &Rc<File>, binding: BindingIndex, at: NodeIndex) -> Option<Ty> {
        self.step()?;
        let own = &file.names.bindings[binding];
        match own.kind {
            BindingKind::Variable if is_type_switch(file, own.node) => self.in_case(file, own.node, at),
            BindingKind::Variable | BindingKind::Constant | BindingKind::Parameter => {
                self.of_declaration(file, own.node)
            }
            _ => None,
        }
    }

    /// The type that the declaration of a name gives to it. `name` is the node of the name.
    pub(super) fn of_declaration(&mut self, file: &Rc<File>, name: NodeIndex) -> Option<Ty> {
        self.nested(|typing| typing.of_name(file, name))
    }

    fn of_name(&mut self, file: &Rc<File>, name: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let parent = arena.node(name).parent;
        let is = |kind: K| has_kind(arena, parent, kind);
        if let Some(own) = arena.child(parent, F::Type.into()).filter(|_| is(K::Param) || is(K::Var) || is(K::Const)) {
            return self.written(file, own);
        }
        if is(K::Range) {
            return self.in_range(file, parent, name);
        }
        let (names, values) = match () {
            () if is(K::Define) => (F::Left, F::Right),
            () if is(K::Var) || is(K::Const) => (F::Name, F::Body),
            () => return None,
        };
        let position = with_role(arena, parent, names).position(|other| other == name)?;
        let count = with_role(arena, parent, names).count();
        let values: Vec<NodeIndex> = with_role(arena, parent, values).collect();
        let own = match values[..] {
            // A constant without a value repeats the one above it, whose type may be that of `iota`.
            [] => return None,
            [only] if count > 1 => self.one_of_several(file, only, position)?,
            _ => self.value(file, *values.get(position)?)?,
        };
        if is(K::Const) { Some(own) } else { constants::of_variable(own) }
    }

    /// The type of one of the values that an expression gives to several names.
    fn one_of_several(&mut self, file: &Rc<File>, value: NodeIndex, position: usize) -> Option<Ty> {
        let arena = file.arena();
        let is_call = has_kind(arena, value, K::Call);
        match position {
            _ if is_call => self.results(file, value)?.into_iter().nth(position),
            0 => self.value(file, value),
            // The second value of an assertion, an index or a receive operation.
            _ => Some(Ty::Untyped(Untyped::Bool)),
        }
    }

    fn in_range(&mut self, file: &Rc<File>, range: NodeIndex, name: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let position = with_role(arena, range, F::Left).position(|other| other == name)?;
        let value = self.value(file, arena.child(range, F::Right.into())?)?;
        match self.underlying(&value)? {
            Ty::Chan(_, element) => Some(*element),
            Ty::Untyped(Untyped::Int) => Some(Ty::Basic("int".to_owned())),
            Ty::Basic(basic) if basic != "string" => Some(value),
            // The values of a string are characters, in contrast to its elements.
            Ty::Basic(_) | Ty::Untyped(Untyped::String) => {
                Some(Ty::Basic(if position == 0 { "int" } else { "rune" }.to_owned()))
            }
            Ty::Func(iterator) => match iterator.parameters.first()? {
                Ty::Func(yields) => yields.parameters.get(position).cloned(),
                _ => None,
            },
            _ => self.element(&value, position == 1),
        }
    }

    /// The type of the variable of a type switch at a use: that of the only type of the case.
    fn in_case(&mut self, file: &Rc<File>, name: NodeIndex, at: NodeIndex) -> Option<Ty> {
        let arena = file.arena();
        let define = arena.node(name).parent;
        let switch = arena.node(define).parent;
        let is_case =
            |node: &NodeIndex| has_kind(arena, *node, K::Case) && arena.node(arena.node(*node).parent).parent == switch;
        let case = arena.ancestors(at).find(is_case)?;
        let types: Vec<NodeIndex> = with_role(arena, case, F::Key).collect();
        match types[..] {
            [only] if arena.slice(only) != "nil" => self.written(file, only),
            _ => {
                let assert = arena.child(define, F::Right.into())?;
                self.value(file, arena.children(assert).next()?)
            }
        }
    }
}

/// Returns whether a name is the variable of a type switch.
fn is_type_switch(file: &File, name: NodeIndex) -> bool {
    let arena = file.arena();
    let define = arena.node(name).parent;
    let value = arena.child(define, F::Right.into());
    has_kind(arena, arena.node(define).parent, K::Switch)
        && value.is_some_and(|value| has_kind(arena, value, K::Assert) && arena.child(value, F::Type.into()).is_none())
}
