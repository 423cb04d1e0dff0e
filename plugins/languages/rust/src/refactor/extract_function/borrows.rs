//! Values that leave the function and borrow a variable which is dropped in it.

use std::collections::HashSet;

use marquetry_code::NodeIndex;
use marquetry_sdk::{Result, Span};

use super::{
    super::expressions::{is_assignment, is_first, is_mutable, operator, path_at},
    Value,
    flow::{Flow, Input, Mode, Output},
    refused,
    usage::{Use, top, usage},
};
use crate::{
    kinds::{K, child, has_kind, is_expression_kind},
    names::{BindingIndex, Names, TYPES},
    types::text::{element, generic, has_inner_elided_lifetime, has_lifetime, target, without_references, words},
};

/// Types of the standard library whose methods do not keep references to their arguments in the result.
const CONTAINERS: [&str; 10] =
    ["BTreeMap", "BTreeSet", "HashMap", "HashSet", "Option", "Result", "String", "Vec", "VecDeque", "str"];

/// Methods of these types that return iterators over the receiver.
const VIEWS: [&str; 20] = [
    "bytes",
    "char_indices",
    "chars",
    "chunks",
    "drain",
    "iter",
    "iter_mut",
    "keys",
    "lines",
    "match_indices",
    "matches",
    "range",
    "rsplit",
    "split",
    "split_ascii_whitespace",
    "split_whitespace",
    "splitn",
    "values",
    "values_mut",
    "windows",
];

impl Flow<'_> {
    /// Refuses values that leave the function and may borrow a variable that is dropped in it.
    pub(super) fn check_returned(&self, inputs: &[Input], value: &Value) -> Result<()> {
        let owned: Vec<BindingIndex> = inputs
            .iter()
            .filter(|own| matches!(own.mode, Mode::Value | Mode::MutableValue) && target(&own.type_text).is_none())
            .map(|own| own.binding)
            .collect();
        let returned = |own: &&Output| self.may_borrow(&own.type_text);
        let kept = |own: &&Input| match target(&own.type_text) {
            Some((is_mutable, inner)) if own.mode != Mode::MutableReference => is_mutable && self.may_borrow(inner),
            _ => own.mode == Mode::MutableReference && self.may_borrow(&own.type_text),
        };
        let outputs = value.outputs().iter().filter(returned).map(|own| own.binding);
        for binding in outputs.chain(inputs.iter().filter(kept).map(|own| own.binding)) {
            if let Some(found) = self.borrowed_in(self.sources(binding), &owned) {
                return Err(self.borrow_failure(&self.names().bindings[binding].name, found));
            }
        }
        let tail = match value {
            Value::Tail(own) if self.may_borrow(own) => self.selected.tail(self.arena),
            _ => return Ok(()),
        };
        match self.borrowed_in(vec![tail], &owned) {
            Some(found) => Err(self.borrow_failure("the value", found)),
            None => Ok(()),
        }
    }

    fn borrow_failure(&self, name: &str, found: BindingIndex) -> marquetry_sdk::Failure {
        let own = &self.names().bindings[found].name;
        let at = self.names().bound_at(found).next().map_or(self.selected.span, |place| place.span);
        let why = format!("`{name}` may borrow `{own}`, which would be dropped in the function");
        refused(why, &format!("select the code that uses `{name}`, too, or code without the declaration of `{own}`"))
            .at(at)
    }

    /// Returns whether values of a type may borrow a variable.
    fn may_borrow(&self, own: &str) -> bool {
        let types = self.types;
        let scope = types.scope_at(self.selected.statement);
        let has_parameter = |word: &str| {
            let item = self.names().lookup(word, TYPES, scope).and_then(|binding| types.item(binding));
            let list = item.and_then(|item| child(self.arena, item, K::GENERIC_PARAM_LIST));
            list.is_some_and(|list| child(self.arena, list, K::LIFETIME_PARAM).is_some())
        };
        let own = own.replace("&'static ", "").replace("'static", "");
        has_lifetime(&own) || words(&own).any(has_parameter)
    }

    /// A variable that is dropped in the function, and that values of the code in these spans may borrow, also through
    /// other variables. `owned` are the variables that move into the function.
    fn borrowed_in(&self, mut sources: Vec<Span>, owned: &[BindingIndex]) -> Option<BindingIndex> {
        let (selected, mut seen) = (self.selected.span, HashSet::new());
        while let Some(source) = sources.pop() {
            for (place, own) in self.places().filter(|(place, own)| source.contains(place.span) && self.is_local(*own))
            {
                let Some(declared) = self.declared_at(own).map(|place| place.span) else { continue };
                let is_inside = selected.contains(declared) && !source.contains(declared);
                let node = path_at(self.arena, place.span).filter(|_| !Names::is_declaration(place));
                let Some(node) = node.filter(|_| is_inside || owned.contains(&own)) else { continue };
                let type_text = self.types.of_variable(own);
                if self.is_borrowed(own, node, source, type_text.as_deref()) {
                    return Some(own);
                }
                if type_text.is_none_or(|own| self.may_borrow(&own)) && seen.insert(own) {
                    sources.extend(self.sources(own));
                }
            }
        }
        None
    }

    /// The code in the selection from which a variable gets values.
    fn sources(&self, binding: BindingIndex) -> Vec<Span> {
        let arena = self.arena;
        let declared = self.declared_at(binding).map(|place| place.span);
        let first = declared.filter(|own| self.selected.span.contains(*own)).and_then(|own| self.source_of(own));
        let mut found: Vec<Span> = first.into_iter().collect();
        for (place, _) in self.places().filter(|(place, own)| *own == binding && !Names::is_declaration(place)) {
            let Some(node) = path_at(arena, place.span) else { continue };
            let node = top(arena, node).0;
            let parent = arena.node(node).parent;
            let part = match () {
                () if has_kind(arena, parent, K::BIN_EXPR) && is_first(arena, node) => {
                    arena.children(parent).nth(1).filter(|_| is_assignment(operator(arena, parent)))
                }
                () if has_kind(arena, parent, K::METHOD_CALL_EXPR) && is_first(arena, node) => {
                    child(arena, parent, K::ARG_LIST)
                }
                () if has_kind(arena, parent, K::REF_EXPR) && is_mutable(arena, parent) => {
                    let list = arena.node(parent).parent;
                    Some(list).filter(|list| has_kind(arena, *list, K::ARG_LIST))
                }
                () => None,
            };
            found.extend(part.map(|part| arena.node(part).span));
        }
        found
    }

    /// Returns whether the value of the code in a span may borrow the variable that a node in it names.
    fn is_borrowed(&self, binding: BindingIndex, node: NodeIndex, source: Span, own: Option<&str>) -> bool {
        let arena = self.arena;
        if own.is_some_and(|own| target(own).is_some()) || own.is_none() && self.is_view(binding) {
            return false;
        }
        let used = usage(arena, self.types, node);
        let mut below = top(arena, node).0;
        let is_copied = own.is_some_and(|own| self.is_copied(own));
        if matches!(used, Use::Value { .. }) || is_copied && !has_kind(arena, arena.node(below).parent, K::REF_EXPR) {
            return false;
        }
        for above in arena.ancestors(below).skip(1).take_while(|above| source.contains(arena.node(*above).span)) {
            let is = |kind: K| has_kind(arena, above, kind);
            let is_owned = match () {
                () if is(K::INDEX_EXPR) => !is_first(arena, below),
                () if is(K::METHOD_CALL_EXPR) => {
                    let is_argument = !is_first(arena, below);
                    is_argument && self.has_known_receiver(above) || self.is_value(above, !is_argument)
                }
                () if is(K::CALL_EXPR) || is(K::CAST_EXPR) => self.is_value(above, false),
                () => is(K::BIN_EXPR),
            };
            if is_owned {
                return false;
            }
            below = above;
        }
        true
    }

    /// Returns whether the value of an expression does not borrow other values. `is_receiver` is true if only the
    /// receiver of a method call may be borrowed.
    fn is_value(&self, node: NodeIndex, is_receiver: bool) -> bool {
        let arena = self.arena;
        let Some(own) = self.types.type_of(node) else { return false };
        let declared = || {
            let inner = self.types.type_of(arena.children(node).next()?)?;
            let name = child(arena, node, K::NAME_REF).map(|name| arena.slice(name))?;
            let method = self.types.member(without_references(&inner), name)?;
            let list = child(arena, method, K::PARAM_LIST)?;
            child(arena, list, K::SELF_PARAM).map(|own| arena.slice(own))
        };
        // `fn next(&self) -> Token<'a>` returns a part of another value.
        let is_elsewhere =
            || !has_inner_elided_lifetime(&format!("&'a {own}")) && declared().is_some_and(|own| !own.contains('\''));
        !self.may_borrow(&own) || is_receiver && is_elsewhere()
    }

    fn has_known_receiver(&self, call: NodeIndex) -> bool {
        let receiver = self.arena.children(call).next().and_then(|receiver| self.types.type_of(receiver));
        receiver.is_some_and(|own| {
            let inner = without_references(&own);
            CONTAINERS.contains(&generic(inner).0) || element(inner).is_some()
        })
    }

    /// Returns whether the value of a variable is an iterator over another value.
    pub(super) fn is_view(&self, binding: BindingIndex) -> bool {
        let arena = self.arena;
        let declared = self.declared_at(binding).and_then(|place| self.source_of(place.span));
        let Some(span) = declared else { return false };
        let mut nodes = arena.nodes().map(|(node, _)| node).filter(|node| span.contains(arena.node(*node).span));
        nodes.any(|node| {
            let mut above = arena.ancestors(node).take_while(|above| span.contains(arena.node(*above).span));
            let name = child(arena, node, K::NAME_REF).map_or("", |name| arena.slice(name));
            has_kind(arena, node, K::METHOD_CALL_EXPR)
                && VIEWS.contains(&name)
                && self.has_known_receiver(node)
                && above.all(|above| !is_expression_kind(arena, above) || arena.node(above).span.start == span.start)
        })
    }
}
