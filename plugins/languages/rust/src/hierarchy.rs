//! The calls inside of an item, and the traits that a trait extends or an implementation implements.

use marquetry_code::{
    Arena, CodeDocument, NodeIndex,
    hierarchy::{called_names, nodes_of_address, related_symbols},
};
use marquetry_sdk::{RelatedSymbol, Span};

use crate::{
    kinds::{K, KINDS, child, has_kind, is_type},
    symbols::Symbol,
};

/// The functions, methods and macros that the items with an address call. In the arguments of a macro, only calls by
/// the plain name of an item are known.
pub(crate) fn calls(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
    let arena = document.arena();
    let nodes = nodes_of_address(document, address)?;
    if nodes.is_empty() {
        return Some(Vec::new());
    }
    let mut names = called_names(arena, &nodes, called);
    let own = Symbol::new(document);
    let is_inside = |span: Span| nodes.iter().any(|node| contains(arena.node(*node).span, span));
    names.extend(own.called_names().filter(|span| is_inside(*span)));
    names.sort_by_key(|span| span.start);
    names.dedup();
    Some(related_symbols(document, names, &mut |name| own.related(name.start)))
}

/// The supertraits of the traits with an address, or the traits that the implementations with an address implement.
/// `None` for other items: the implementations of a type may be in any file.
pub(crate) fn supertypes(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
    let arena = document.arena();
    let mut names = Vec::new();
    for node in nodes_of_address(document, address)? {
        let types: Vec<NodeIndex> = match () {
            () if has_kind(arena, node, K::TRAIT) => bounds(arena, node).collect(),
            () if has_kind(arena, node, K::IMPL) => types(arena, node).collect(),
            () => return None,
        };
        // The last type of an implementation is the type that implements the trait.
        let traits = if has_kind(arena, node, K::IMPL) { types.len().saturating_sub(1) } else { types.len() };
        names.extend(types[..traits].iter().filter_map(|bound| last_name(arena, *bound)));
    }
    if names.is_empty() {
        return Some(Vec::new());
    }
    let spans = names.into_iter().map(|name| arena.node(name).span).collect();
    let own = Symbol::new(document);
    Some(related_symbols(document, spans, &mut |name| own.related(name.start)))
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The name of the function, method or macro that a node calls.
fn called(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    match () {
        () if has_kind(arena, node, K::METHOD_CALL_EXPR) => child(arena, node, K::NAME_REF),
        () if has_kind(arena, node, K::CALL_EXPR) => last_name(arena, arena.children(node).next()?),
        () if has_kind(arena, node, K::MACRO_CALL) => last_name(arena, node),
        () => None,
    }
}

/// The last name of the path in a node: `c` of `a::b::c::<T>`.
pub(crate) fn last_name(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    let segment = child(arena, child(arena, node, K::PATH)?, K::PATH_SEGMENT)?;
    child(arena, segment, K::NAME_REF)
}

fn types(arena: &Arena, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
    arena.children(node).filter(|child| is_type(KINDS[usize::from(arena.node(*child).kind.0)]))
}

/// The types in the bounds of a trait or type parameter.
pub(crate) fn bounds(arena: &Arena, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
    let lists = child(arena, node, K::TYPE_BOUND_LIST).into_iter();
    lists.flat_map(|list| arena.children(list)).flat_map(|bound| types(arena, bound))
}
