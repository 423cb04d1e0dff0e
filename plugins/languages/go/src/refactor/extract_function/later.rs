//! Uses of a variable after the selection: later in the text, in the next round of a loop, and at the end of the function.

use marquetry_code::NodeIndex;
use marquetry_sdk::{Span, Usage};

use super::flow::Local;
use crate::{
    kinds::{K, child, children, has_kind},
    names::{BindingKind, Place, function_around},
};

impl Local<'_> {
    /// Returns whether code that may run after the selection uses the variable.
    pub(super) fn is_used_afterwards(&self) -> bool {
        let code = self.selected.code;
        let mut later: Vec<&Place> = self.places().filter(|place| place.span.start >= code.end).collect();
        later.sort_by_key(|place| place.span.start);
        later.first().is_some_and(|first| !self.is_declared_again(first)) || self.is_used_again() || self.is_returned()
    }

    /// The code that may run again after the selection while the variable keeps its value: loops around the selection,
    /// and the code between a label and a later `goto`.
    pub(super) fn repeated(&self) -> Vec<Span> {
        let arena = self.selected.file.arena();
        let declared = arena.node(self.selected.file.names.bindings[self.binding].node).span;
        let contains = |node: Option<NodeIndex>| node.is_some_and(|node| arena.node(node).span.contains(declared));
        let around = arena.ancestors(self.selected.block).take_while(|above| *above != self.selected.function);
        // Each round has its own variable if the body or a `range` clause declares it. A variable that another header
        // declares keeps its value.
        let loops = around
            .filter(|above| has_kind(arena, *above, K::For))
            .filter(|own| !contains(child(arena, *own, K::Block)) && !contains(child(arena, *own, K::Range)))
            .map(|own| arena.node(own).span);
        let jumps = self.backward_jumps().into_iter().filter(|own| !own.contains(declared));
        loops.chain(jumps).collect()
    }

    /// The code from a label before the selection to a `goto` after it.
    fn backward_jumps(&self) -> Vec<Span> {
        let (names, arena, code) = (&self.selected.file.names, self.selected.file.arena(), self.selected.code);
        let later = names.places.iter().filter(|place| place.span.start >= code.end && place.usage == Usage::Read);
        let jump = |place: &Place| {
            let label = &names.bindings[place.binding?];
            let branch = arena.node(place.node).parent;
            let is_goto = has_kind(arena, branch, K::Branch) && arena.slice(branch).starts_with("goto");
            let start = arena.node(label.node).span.start;
            let is_backward = label.kind == BindingKind::Label && is_goto && start <= code.start;
            is_backward.then_some(Span { start, end: place.span.end })
        };
        later.filter_map(jump).collect()
    }

    fn is_used_again(&self) -> bool {
        let (code, repeated) = (self.selected.code, self.repeated());
        let outside = self.places().filter(|place| !code.contains(place.span) && place.usage != Usage::Declaration);
        outside.into_iter().any(|place| repeated.iter().any(|own| own.contains(place.span)))
            || !repeated.is_empty() && !self.is_assigned_first()
    }

    /// Returns whether code outside of the selection reads the variable. The compiler refuses variables that are only
    /// assigned.
    pub(super) fn is_read_outside(&self) -> bool {
        self.places().any(|place| !self.selected.code.contains(place.span) && !self.is_assigned_at(place))
    }

    /// Returns whether the selection reads the variable.
    pub(super) fn is_read_inside(&self) -> bool {
        self.inside().any(|place| !self.is_assigned_at(place) && place.usage != Usage::Declaration)
    }

    fn is_assigned_at(&self, place: &Place) -> bool {
        let arena = self.selected.file.arena();
        let statement = arena.node(place.node).parent;
        let is_plain = has_kind(arena, statement, K::Define) || has_kind(arena, statement, K::Assign);
        is_plain && place.usage != Usage::Read
    }

    /// Returns whether the variable is a result of the function, and `return` without values returns it.
    fn is_returned(&self) -> bool {
        let (selected, arena) = (self.selected, self.selected.file.arena());
        let is_bare = |node: &NodeIndex| {
            let is_own = function_around(arena, *node) == selected.function;
            selected.has(*node, K::Return) && arena.children(*node).next().is_none() && is_own
        };
        let is_outside = |node: &NodeIndex| !selected.code.contains(selected.span(*node));
        self.is_result() && arena.descendants(selected.function).any(|node| is_bare(&node) && is_outside(&node))
    }

    /// Returns whether the variable is a named result of the function around the selection.
    pub(super) fn is_result(&self) -> bool {
        let arena = self.selected.file.arena();
        let declared = self.selected.file.names.bindings[self.binding].node;
        let mut results = children(arena, self.selected.function, K::Results);
        results.any(|list| arena.node(list).span.contains(arena.node(declared).span))
    }

    /// Returns whether `:=` in the block of the selection assigns the variable without a use of its value.
    fn is_declared_again(&self, place: &Place) -> bool {
        let arena = self.selected.file.arena();
        let statement = arena.node(place.node).parent;
        let span = arena.node(statement).span;
        let mut others = self.places().filter(|other| span.contains(other.span) && other.span != place.span);
        has_kind(arena, statement, K::Define)
            && arena.node(statement).parent == self.selected.block
            && others.next().is_none()
    }
}
