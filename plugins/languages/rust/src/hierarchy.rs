//! The calls inside of an item, and the traits that a trait extends or an implementation implements.

use marquetry_code::{
    Arena, CodeDocument, NodeIndex,
    hierarchy::{called_names, nodes_of_address, related_symbols},
};
use marquetry_sdk::{RelatedSymbol, Span, Usage};

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
    Some(related_symbols(document, names, &mut |name| own.related_or_member(name.start)))
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

/// Returns the node if it is the name of a function, method or macro in a call.
fn called(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    (has_kind(arena, node, K::NAME_REF) && usage_of(arena, node) == Usage::Called).then_some(node)
}

/// The kind of use of the name at a range, also of a word in the arguments of a macro.
pub(crate) fn usage_at(arena: &Arena, name: Span) -> Usage {
    let node = arena.innermost(name);
    match has_kind(arena, node, K::NAME_REF) {
        false if is_called_in_text(&arena.text[name.range().end..]) => Usage::Called,
        _ => usage_of(arena, node),
    }
}

/// The kind of use of a name: of the last name of a path, or of the name of a member. Other names of a path are read.
fn usage_of(arena: &Arena, name: NodeIndex) -> Usage {
    let parent = arena.node(name).parent;
    let is = |node: NodeIndex, kind: K| has_kind(arena, node, kind);
    let is_path = is(parent, K::PATH_SEGMENT);
    let used = if is_path { arena.node(arena.node(parent).parent).parent } else { parent };
    let call = arena.ancestors(used).skip(1).find(|above| !is(*above, K::PAREN_EXPR)).unwrap_or(used);
    let callee = arena.children(call).next().filter(|_| is(call, K::CALL_EXPR));
    let is_callee = callee.is_some_and(|callee| arena.node(callee).span.contains(arena.node(used).span));
    match () {
        () if is(parent, K::METHOD_CALL_EXPR) || is_path && is(used, K::MACRO_CALL) => Usage::Called,
        () if is_path && is(used, K::PATH_TYPE) => Usage::TypeUse,
        () if is_path && is(used, K::USE_TREE) => Usage::Imported,
        () if is_callee && (is(used, K::PATH_EXPR) || is(used, K::FIELD_EXPR)) => Usage::Called,
        () => Usage::Read,
    }
}

/// Returns whether a text after a name starts with arguments: `(x)`, `::<T>(x)`.
fn is_called_in_text(text: &str) -> bool {
    let text = text.trim_start();
    let Some(arguments) = text.strip_prefix("::<") else { return text.starts_with('(') };
    let mut depth = 1;
    let end = arguments.find(|c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0
    });
    end.is_some_and(|end| arguments[end + 1..].trim_start().starts_with('('))
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
