//! Variables that other code changes or reads while the extracted function has a copy of them.

use std::cell::OnceCell;

use marquetry_code::{Arena, NodeIndex};
use marquetry_sdk::{Result, Span, Usage};

use super::{
    Selected,
    effects::{Change, Effect, changes, imported_path, root},
    ending::is_panic,
    flow::Local,
};
use crate::{
    kinds::{F, K, child, has_kind, with_role},
    names::Place,
    typing::{Ty, Typing, is_predeclared},
};

/// Packages of the standard library whose functions change no variable if no argument refers to one.
const PURE: &[&str] = &["errors", "fmt", "math", "path", "path/filepath", "strconv", "strings", "unicode"];

/// The changes of variables around the selection.
#[derive(Debug)]
pub(super) struct Sharing {
    changes: Vec<Change>,
    /// The ranges of the selected code that may change a variable by other means than its name.
    events: OnceCell<Vec<Span>>,
    /// True if the selected code may read a variable by other means than its name, or ends the function.
    reads: OnceCell<bool>,
}

impl Sharing {
    pub(super) fn new(selected: &Selected) -> Sharing {
        Sharing { changes: changes(selected), events: OnceCell::new(), reads: OnceCell::new() }
    }

    fn events(&self, selected: &Selected) -> &[Span] {
        self.events.get_or_init(|| {
            let nodes = selected.nodes().filter(|node| may_change_others(selected, *node));
            nodes.map(|node| selected.span(node)).collect()
        })
    }

    fn reads(&self, selected: &Selected) -> bool {
        *self.reads.get_or_init(|| selected.nodes().any(|node| reads_others(selected, node) || leaves(selected, node)))
    }
}

impl Local<'_> {
    fn changes(&self) -> impl Iterator<Item = &Change> {
        self.sharing.changes.iter().filter(|change| change.binding == self.binding)
    }

    fn is_selected(&self, node: NodeIndex) -> bool {
        self.selected.code.contains(self.selected.span(node))
    }

    /// Returns whether the selection assigns the variable, or a part of it.
    pub(super) fn is_changed(&self) -> bool {
        self.inside().any(|place| place.usage == Usage::Write)
            || self.changes().any(|change| self.is_selected(change.node))
    }

    /// Refuses variables whose copy in the other function would differ: those whose address is used, and those that
    /// function literals share. Returns the change that may let other code have the address.
    pub(super) fn check_shared(&self, is_inside: bool) -> Result<Option<Span>> {
        let is_refused = |effect: Effect| effect != Effect::Part && (effect != Effect::Lent || !is_inside);
        if self.changes().any(|change| self.is_selected(change.node) && is_refused(change.effect)) {
            return Err(self.failure(
                "is changed through its address, and the function would get a copy",
                "use a pointer variable for it, or select code that does not use its address",
            ));
        }
        let is_written = self.places().any(|place| place.usage == Usage::Write)
            || self.changes().any(|change| self.is_selected(change.node));
        let is_shared = |place: &Place| self.is_in_literal(place.node);
        if is_written && self.places().any(is_shared) || self.is_captured_and_changed() || self.is_changed_by_literal()
        {
            return Err(self.failure(
                "is shared with a function literal and assigned",
                "select code that does not use this variable, or the function literal, too",
            ));
        }
        let is_reached = !is_inside && self.is_reached();
        let other = |effect: Effect| self.changes().find(|change| change.effect == effect && self.is_earlier(change));
        if is_reached && other(Effect::Address).is_some() {
            return Err(self.failure(
                "may be changed through its address while the function has a copy",
                "use a pointer variable for it, or select code that does not use this variable",
            ));
        }
        let is_doubtful = is_reached || self.is_captured();
        Ok(other(Effect::Unknown).filter(|_| is_doubtful).map(|change| self.selected.span(change.node)))
    }

    /// Refuses a result that the selection assigns if the function returns its value after a panic.
    pub(super) fn check_recovered(&self) -> Result<()> {
        let (file, arena) = (&self.selected.file, self.selected.file.arena());
        let calls_recover = |arena: &Arena, node: NodeIndex| {
            let mut calls = arena.descendants(node).filter(|call| has_kind(arena, *call, K::Call));
            calls.any(|call| arena.children(call).next().is_some_and(|own| arena.slice(own) == "recover"))
        };
        let recovers = |function: NodeIndex| match has_kind(arena, function, K::FuncLit) {
            true => calls_recover(arena, function),
            false => Typing::default()
                .called(file, function)
                .is_some_and(|(found, declared)| calls_recover(found.arena(), declared)),
        };
        let deferred = arena.descendants(self.selected.function).filter(|node| has_kind(arena, *node, K::Defer));
        let mut functions = deferred.filter_map(|defer| arena.children(arena.children(defer).next()?).next());
        if functions.any(recovers) {
            return Err(self.failure(
                "is a result that the function also returns after a panic, and the function would assign it later",
                "select code that does not assign it",
            ));
        }
        Ok(())
    }

    /// Returns whether a node is in a function literal that does not declare the variable.
    fn is_in_literal(&self, node: NodeIndex) -> bool {
        self.literal_around(node).is_some()
    }

    fn literal_around(&self, node: NodeIndex) -> Option<NodeIndex> {
        let arena = self.selected.file.arena();
        let declared = arena.node(self.selected.file.names.bindings[self.binding].node).span;
        let literals = arena.ancestors(node).filter(|above| has_kind(arena, *above, K::FuncLit));
        literals.filter(|literal| !arena.node(*literal).span.contains(declared)).last()
    }

    /// Returns whether a selected function literal would refer to the copy.
    fn is_captured(&self) -> bool {
        self.inside().any(|place| self.literal_around(place.node).is_some_and(|literal| self.is_selected(literal)))
    }

    /// Returns whether a selected function literal would refer to the copy, and other code changes the variable.
    fn is_captured_and_changed(&self) -> bool {
        let is_later = |change: &&Change| {
            !self.is_selected(change.node) && (change.effect == Effect::Address || !self.is_over(change.node))
        };
        self.is_captured() && self.changes().any(|change| is_later(&change))
    }

    /// Returns whether a function literal that the selection may call changes a part of the variable.
    fn is_changed_by_literal(&self) -> bool {
        let is_it = |change: &&Change| {
            let literal = self.literal_around(change.node);
            literal.is_some_and(|literal| !self.is_later(self.selected.span(literal)))
        };
        self.is_reached() && self.changes().any(|change| is_it(&change))
    }

    /// Returns whether code runs only before the selection.
    fn is_over(&self, node: NodeIndex) -> bool {
        let span = self.selected.span(node);
        let repeated = self.repeated();
        let is_before = span.end <= self.selected.code.start && !self.is_in_literal(node);
        is_before && !repeated.iter().any(|own| own.contains(span))
    }

    /// Returns whether code runs only after the selection.
    fn is_later(&self, span: Span) -> bool {
        span.start >= self.selected.code.end && !self.repeated().iter().any(|own| own.contains(span))
    }

    fn is_earlier(&self, change: &Change) -> bool {
        !self.is_selected(change.node) && !self.is_later(self.selected.span(change.node))
    }

    /// Returns whether selected code may change the variable through an address or a function literal before the
    /// selection uses it, or may read it there after the selection has changed it.
    fn is_reached(&self) -> bool {
        let events = self.sharing.events(self.selected);
        if self.is_changed() {
            return !events.is_empty() || self.sharing.reads(self.selected);
        }
        let Some(first) = events.iter().map(|event| event.end).min() else { return false };
        let arena = self.selected.file.arena();
        let may_repeat = |place: &Place| {
            let mut around = arena.ancestors(place.node).take_while(|above| *above != self.selected.block);
            around.any(|above| has_kind(arena, above, K::For) || has_kind(arena, above, K::FuncLit))
        };
        self.inside().any(|place| place.span.end > first || may_repeat(place))
    }

    /// Returns whether code before the selection may have given the address of the variable to other code.
    pub(super) fn has_address_elsewhere(&self) -> bool {
        let is_address = |change: &&Change| matches!(change.effect, Effect::Address | Effect::Unknown);
        self.changes().any(|change| is_address(&change) && self.is_earlier(change))
    }
}

/// Returns whether a node reads through a pointer, slice, map or interface.
fn reads_others(selected: &Selected, node: NodeIndex) -> bool {
    let (arena, file) = (selected.file.arena(), &selected.file);
    let is_part = [K::Selector, K::Index, K::Slice].iter().any(|kind| has_kind(arena, node, *kind));
    has_kind(arena, node, K::Unary) && arena.slice(node).starts_with('*') || is_part && root(file, node).is_none()
}

/// Returns whether a node ends the function, so that its deferred calls see the variables.
fn leaves(selected: &Selected, node: NodeIndex) -> bool {
    selected.has(node, K::Return) || is_panic(selected, node)
}

/// Returns whether a node calls other code, waits for it, or assigns through a pointer or slice.
fn may_change_others(selected: &Selected, node: NodeIndex) -> bool {
    let (arena, file) = (selected.file.arena(), &selected.file);
    let is = |kind: K| has_kind(arena, node, kind);
    let first = || arena.children(node).next();
    let writes = |left: NodeIndex| {
        let is_map = |own: NodeIndex| {
            let own = Typing::default().value(file, own).and_then(|own| Typing::default().underlying(&own));
            matches!(own, Some(Ty::Map(..)))
        };
        let container = arena.children(left).next().filter(|_| has_kind(arena, left, K::Index));
        root(file, left).is_none() && !container.is_some_and(is_map)
    };
    match () {
        () if is(K::Call) => !is_harmless_call(selected, node),
        () if is(K::Send) || is(K::Select) => true,
        () if is(K::Unary) => arena.slice(node).starts_with("<-"),
        () if is(K::IncDec) => first().is_some_and(writes),
        () if is(K::Assign) => with_role(arena, node, F::Left).any(writes),
        () if is(K::Range) => {
            let own = arena.child(node, F::Right.into()).and_then(|own| Typing::default().value(file, own));
            let own = own.and_then(|own| Typing::default().underlying(&own));
            let is_iterator = own.is_none_or(|own| matches!(own, Ty::Func(_) | Ty::Chan(..)));
            is_iterator || with_role(arena, node, F::Left).any(writes)
        }
        () => false,
    }
}

/// Returns whether a call certainly changes no variable: a conversion, a predeclared function that writes nothing, or
/// a function of the standard library that gets only simple values.
fn is_harmless_call(selected: &Selected, call: NodeIndex) -> bool {
    let (arena, file) = (selected.file.arena(), &selected.file);
    let Some(function) = arena.children(call).next() else { return false };
    if is_predeclared(file, function) {
        return !matches!(arena.slice(function), "append" | "clear" | "close" | "copy" | "recover");
    }
    if Typing::default().conversion(file, function).is_some() {
        return true;
    }
    let is_simple = |argument: NodeIndex| {
        let own = Typing::default().value(file, argument);
        own.is_some_and(|own| match own {
            Ty::Basic(name) => !matches!(name.as_str(), "any" | "error"),
            Ty::Untyped(_) => true,
            _ => false,
        })
    };
    let arguments = child(arena, call, K::Args).into_iter().flat_map(|list| arena.children(list));
    imported_path(file, function).is_some_and(|path| PURE.contains(&path.as_str()))
        && arguments.into_iter().all(is_simple)
}
