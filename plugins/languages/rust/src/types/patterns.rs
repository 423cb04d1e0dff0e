//! Types of the variables in patterns.

use marquetry_code::NodeIndex;

use super::{
    Types,
    text::{element, generic, target, without_references},
    types_in,
};
use crate::{
    kinds::{F, K, child, has_kind, is_expression_kind},
    modules::plain,
};

/// Methods of iterators that call their argument with each item, and methods of lists that do so.
const OF_ITEMS: [&str; 18] = [
    "all",
    "any",
    "filter",
    "filter_map",
    "find",
    "find_map",
    "flat_map",
    "for_each",
    "inspect",
    "map",
    "max_by_key",
    "min_by_key",
    "partition",
    "position",
    "retain",
    "skip_while",
    "sort_by_key",
    "take_while",
];
/// Methods of `Option` and `Result` that call their argument with the value.
const OF_VALUES: [&str; 7] = ["and_then", "filter", "inspect", "is_none_or", "is_ok_and", "is_some_and", "map"];
/// Methods of iterators that return an iterator over the same items.
const SAME_ITEMS: [&str; 11] =
    ["by_ref", "cloned", "copied", "filter", "inspect", "peekable", "rev", "skip", "skip_while", "take", "take_while"];

/// A field of a struct or variant.
#[derive(Clone, Copy)]
enum Field<'f> {
    Index(usize),
    Name(&'f str),
}

impl Types<'_> {
    /// The type of the value that a pattern matches.
    fn matched(&self, pattern: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let owner = arena.node(pattern).parent;
        let is = |kind: K| has_kind(arena, owner, kind);
        if is(K::OR_PAT) {
            return self.matched(owner);
        }
        let around = if is(K::MATCH_ARM) { arena.node(arena.node(owner).parent).parent } else { owner };
        if !is(K::LET_EXPR) && !is(K::LET_STMT) && !is(K::MATCH_ARM) {
            return None;
        }
        self.type_of(arena.children(around).find(|part| is_expression_kind(arena, *part))?)
    }

    /// The type of the variable in `Some(x)`, `Ok(x)` or `Err(x)`, or in another variant or struct.
    pub(super) fn payload(&self, pattern: NodeIndex, variable: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let whole = self.matched(pattern)?;
        let name = arena.slice(child(arena, pattern, K::PATH)?);
        let index = match (name, generic(without_references(&whole)).0) {
            ("Some", "Option") | ("Ok", "Result") => 0,
            ("Err", "Result") => 1,
            _ => {
                let index = arena.children(pattern).skip(1).position(|part| part == variable)?;
                return self.part_of(&whole, pattern, Field::Index(index));
            }
        };
        let inner = (*generic(without_references(&whole)).1.get(index)?).to_owned();
        // The pattern of a reference binds references.
        Some(match target(&whole) {
            Some((true, _)) => format!("&mut {inner}"),
            Some((false, _)) => format!("&{inner}"),
            None => inner,
        })
    }

    /// The type of the variable in `P { x }` or `P { field: x }`.
    pub(super) fn of_pattern_field(&self, field: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let pattern = arena.node(arena.node(field).parent).parent;
        let whole = self.matched(pattern)?;
        let name = child(arena, field, K::NAME_REF)
            .or_else(|| arena.child(arena.children(field).last()?, F::Name.into()))
            .map(|name| plain(arena.slice(name)))?;
        self.part_of(&whole, pattern, Field::Name(name))
    }

    /// The type of the only parameter of a closure that a method calls with items or with a value. It may lack references,
    /// so it cannot be written into the document.
    pub(super) fn of_closure_parameter(&self, parameter: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let list = arena.node(parameter).parent;
        let closure = arena.node(list).parent;
        let call = arena.node(arena.node(closure).parent).parent;
        let is_argument = has_kind(arena, closure, K::CLOSURE_EXPR) && has_kind(arena, call, K::METHOD_CALL_EXPR);
        if !self.crosses || !is_argument || arena.children(list).count() != 1 {
            return None;
        }
        let name = arena.slice(child(arena, call, K::NAME_REF)?);
        let receiver = arena.children(call).next()?;
        if let Some(whole) = self.type_of(receiver).filter(|_| OF_VALUES.contains(&name))
            && let ("Option" | "Result", arguments) = generic(without_references(&whole))
        {
            return arguments.first().map(|own| (*own).to_owned());
        }
        if OF_ITEMS.contains(&name) { self.item_of(receiver) } else { None }
    }

    /// The type of the items of an iterator or list.
    fn item_of(&self, node: NodeIndex) -> Option<String> {
        let arena = self.arena;
        let types = self.deeper(1)?;
        let scope = self.scope_at(node);
        let list = |node: NodeIndex| {
            let whole = types.type_of(node)?;
            element(types.pointee(&whole, scope)).map(str::to_owned)
        };
        let Some(name) = child(arena, node, K::NAME_REF).filter(|_| has_kind(arena, node, K::METHOD_CALL_EXPR)) else {
            return list(node);
        };
        let receiver = arena.children(node).next()?;
        match arena.slice(name) {
            "iter" | "iter_mut" | "into_iter" | "drain" => list(receiver),
            same if SAME_ITEMS.contains(&same) => types.item_of(receiver),
            _ => list(node),
        }
    }

    /// The type of a field in a pattern. It may lack references, so it cannot be written into the document.
    fn part_of(&self, whole: &str, pattern: NodeIndex, field: Field<'_>) -> Option<String> {
        let arena = self.arena;
        let scope = self.scope_at(pattern);
        let own = self.pointee(whole, scope);
        let segment = child(arena, child(arena, pattern, K::PATH)?, K::PATH_SEGMENT)?;
        let last = plain(arena.slice(child(arena, segment, K::NAME_REF)?));
        if !self.crosses {
            return None;
        }
        match self.type_item(own, scope) {
            Some(item) => self.written(self.field_type(item, last, field)?),
            None => {
                self.in_declaration(own, scope, |types, item| self.adopted(types, types.field_type(item, last, field)?))
            }
        }
    }

    /// The node of the type of a field: of a struct, or of the variant with a name.
    fn field_type(&self, item: NodeIndex, variant: &str, field: Field<'_>) -> Option<NodeIndex> {
        let arena = self.arena;
        let name = |node: NodeIndex| arena.child(node, F::Name.into()).map(|name| plain(arena.slice(name)));
        let owner = match child(arena, item, K::VARIANT_LIST) {
            Some(list) => arena.children(list).find(|own| name(*own) == Some(variant))?,
            None => item,
        };
        let found = match field {
            Field::Index(index) => arena.children(child(arena, owner, K::TUPLE_FIELD_LIST)?).nth(index)?,
            Field::Name(wanted) => {
                let list = child(arena, owner, K::RECORD_FIELD_LIST)?;
                arena.children(list).find(|own| name(*own) == Some(wanted))?
            }
        };
        types_in(arena, found).next()
    }
}
