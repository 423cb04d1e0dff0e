//! Uses of associated types: in paths after a type parameter, `Self` or a trait, and in the arguments of a trait.

use marquetry_code::NodeIndex;
use marquetry_sdk::Span;

use super::{
    Kind,
    search::{Declaring, Search},
};
use crate::{
    kinds::{K, child, has_kind},
    types::types_in,
};

impl Search<'_> {
    /// Returns whether a name refers to the associated type. `None` if that is not known.
    pub(super) fn is_associated_type(&self, name: NodeIndex) -> Option<bool> {
        let arena = self.arena;
        let Declaring::Trait(traits) = &self.owner else { return Some(false) };
        let parent = arena.node(name).parent;
        if has_kind(arena, parent, K::ASSOC_TYPE_ARG) {
            let segment = arena.node(arena.node(parent).parent).parent;
            let of = arena.node(segment).parent;
            return if has_kind(arena, of, K::PATH) { traits.extends(of) } else { None };
        }
        let path = arena.node(parent).parent;
        let in_import = arena.ancestors(path).any(|above| has_kind(arena, above, K::USE));
        if !has_kind(arena, parent, K::PATH_SEGMENT) || in_import {
            return Some(false);
        }
        let Some(outer) = child(arena, path, K::PATH) else { return Some(false) };
        let found = self.is_type_of_trait(outer)?;
        match () {
            () if !found => Some(false),
            () if has_kind(arena, arena.node(path).parent, K::PATH_TYPE) => Some(true),
            () if has_kind(arena, arena.node(path).parent, K::PATH) => Some(true),
            // `Self::A { .. }` may be a variant.
            () if [K::RECORD_EXPR, K::RECORD_PAT]
                .iter()
                .any(|kind| has_kind(arena, arena.node(path).parent, *kind)) =>
            {
                None
            }
            () => Some(false),
        }
    }

    /// Returns whether the part of a path before an associated type is a type through which the trait is used. Types that
    /// are not parameters have no associated types without `<… as …>`.
    fn is_type_of_trait(&self, outer: NodeIndex) -> Option<bool> {
        let arena = self.arena;
        let Declaring::Trait(traits) = &self.owner else { return Some(false) };
        let segment = child(arena, outer, K::PATH_SEGMENT)?;
        if let Some(anchor) = child(arena, segment, K::TYPE_ANCHOR) {
            let mut types = types_in(arena, anchor);
            let (own, of) = (types.next()?, types.next());
            return match of {
                Some(of) => traits.is_trait(child(arena, of, K::PATH)?),
                None => self.is_type_of_trait(child(arena, own, K::PATH)?),
            };
        }
        let first = arena.descendants(outer).find(|node| has_kind(arena, *node, K::NAME_REF))?;
        let is_whole = child(arena, outer, K::PATH).is_none();
        if arena.slice(first) != "Self" && !traits.is_parameter(first) {
            let name = child(arena, segment, K::NAME_REF)?;
            return traits.names_trait(arena.node(name).span);
        }
        // The bounds of `T::A` are not followed.
        if !is_whole {
            return None;
        }
        if arena.slice(first) != "Self" {
            return traits.is_parameter_of_trait(first);
        }
        let is_item = |node: &NodeIndex| has_kind(arena, *node, K::IMPL) || has_kind(arena, *node, K::TRAIT);
        let item = arena.ancestors(first).find(is_item)?;
        if has_kind(arena, item, K::TRAIT) {
            return traits.is_parameter_of_trait(first);
        }
        let types: Vec<NodeIndex> = types_in(arena, item).collect();
        match types[..] {
            [of, _] => traits.extends(child(arena, of, K::PATH)?),
            _ => Some(false),
        }
    }

    /// Associated types with the new name of the member that would have two meanings afterwards.
    pub(super) fn types_named(&self, new_name: &str) -> Vec<Span> {
        let arena = self.arena;
        if self.member.kind != Kind::Type {
            return Vec::new();
        }
        let is_possible = |node: &NodeIndex| {
            let is_named = has_kind(arena, *node, K::NAME_REF) && arena.slice(*node) == new_name;
            is_named && self.is_associated_type(*node) != Some(false)
        };
        arena.nodes().map(|(node, _)| node).filter(is_possible).map(|node| arena.node(node).span).collect()
    }
}
