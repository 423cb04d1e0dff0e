//! The declaration of the member that a name uses.

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::{FileLocation, Span, workspace};

use super::{declaration_at, implementers::bounds_of};
use crate::{
    hierarchy::{bounds, last_name},
    kinds::{F, K, child, has_kind},
    modules::plain,
    names::BindingKind,
    symbols::Symbol,
    table::RUST,
    types::{
        Types,
        owners::POINTERS,
        text::{generic, without_references},
        types_in,
    },
};

/// Maximum number of traits through which a member is followed.
const MAX_DEPTH: usize = 8;

/// The declaration of the member that the name at an offset uses.
pub(in crate::symbols) fn declaration_of_use(symbol: &Symbol<'_>, offset: u32) -> Option<FileLocation> {
    let document = symbol.document;
    let arena = document.arena();
    let is_here = |node: NodeIndex| arena.node(node).span.start <= offset && offset <= arena.node(node).span.end;
    let mut names = arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::NAME_REF));
    let node = names.find(|node| is_here(*node))?;
    let (name, parent) = (plain(arena.slice(node)), arena.node(node).parent);
    let owners = match () {
        () if has_kind(arena, parent, K::PATH_SEGMENT) => {
            owners_of_path(arena, symbol, child(arena, arena.node(parent).parent, K::PATH)?)
        }
        () if has_kind(arena, parent, K::FIELD_EXPR) || has_kind(arena, parent, K::METHOD_CALL_EXPR) => {
            owners_of_receiver(arena, symbol, parent)?
        }
        () if has_kind(arena, parent, K::RECORD_EXPR_FIELD) || has_kind(arena, parent, K::RECORD_PAT_FIELD) => {
            let record = arena.node(arena.node(parent).parent).parent;
            owners_of_path(arena, symbol, child(arena, record, K::PATH)?)
        }
        () if has_kind(arena, parent, K::ASSOC_TYPE_ARG) => {
            let segment = arena.node(arena.node(parent).parent).parent;
            owners_of_path(arena, symbol, arena.node(segment).parent)
        }
        () => return None,
    };
    let others = [K::METHOD_CALL_EXPR, K::PATH_SEGMENT, K::ASSOC_TYPE_ARG];
    let is_field = !others.iter().any(|kind| has_kind(arena, parent, *kind));
    let mut found: Vec<FileLocation> =
        owners.iter().filter_map(|owner| member_of_owner(document, owner, (name, is_field))).collect();
    found.dedup();
    found.pop().filter(|_| found.is_empty())
}

/// The declaration of a member of a type or trait, also in an implementation or in a trait that this one extends.
fn member_of_owner(document: &CodeDocument, owner: &FileLocation, name: (&str, bool)) -> Option<FileLocation> {
    let text = workspace::read(&owner.path).ok().filter(|_| owner.path != document.path());
    let other = text.map(|text| CodeDocument::open(&RUST, &owner.path, text));
    let there = other.as_ref().unwrap_or(document);
    member_of(there, owner, name)
        .or_else(|| member_of_extended(there, owner, name.0, MAX_DEPTH))
        .or_else(|| member_of_traits(there, owner, name.0))
        .or_else(|| member_of_traits(document, owner, name.0))
}

/// The declaration of a member of a trait, or of a trait that this one extends.
fn member_of_extended(document: &CodeDocument, owner: &FileLocation, name: &str, depth: usize) -> Option<FileLocation> {
    let depth = depth.checked_sub(1)?;
    if owner.path != document.path() {
        let text = workspace::read(&owner.path).ok()?;
        return member_of_extended(&CodeDocument::open(&RUST, &owner.path, text), owner, name, depth);
    }
    let arena = document.arena();
    let (_, item) = declaration_at(arena, owner.offset)?;
    let own = || member_of(document, owner, (name, false));
    let symbol = Symbol::new(document);
    let place = |bound: NodeIndex| symbol.item_at(arena.node(last_name(arena, bound)?).span.start);
    let extended =
        || bounds(arena, item).filter_map(place).find_map(|of| member_of_extended(document, &of, name, depth));
    if has_kind(arena, item, K::TRAIT) { own().or_else(extended) } else { None }
}

/// The declarations of the type or traits of a receiver.
fn owners_of_receiver(arena: &Arena, symbol: &Symbol<'_>, access: NodeIndex) -> Option<Vec<FileLocation>> {
    let types = Types::new(arena, symbol).across_files();
    let own = types.type_of(arena.children(access).next()?)?;
    let mut inner = without_references(&own);
    while let (base, arguments) = generic(inner)
        && POINTERS.contains(&base)
    {
        inner = without_references(arguments.first()?);
    }
    let bound = inner.strip_prefix("dyn ").or_else(|| inner.strip_prefix("impl "));
    let inner = bound.and_then(|bounds| bounds.split('+').next()).unwrap_or(inner).trim();
    let scope = types.scope_at(access);
    if inner == "Self" {
        let item = arena.ancestors(access).find(|above| has_kind(arena, *above, K::TRAIT))?;
        return Some(symbol.item_at(arena.node(child(arena, item, K::NAME)?).span.start).into_iter().collect());
    }
    if let Some(place) = types.foreign(inner) {
        return Some(vec![place]);
    }
    let place = types.qualified_name(inner).or_else(|| types.type_name(generic(inner).0, scope))?;
    Some(owners_of_name(arena, symbol, (place, access)))
}

/// The declaration of a type or trait. For a type parameter, the declarations of the traits in its bounds, as seen from
/// a node.
fn owners_of_name(arena: &Arena, symbol: &Symbol<'_>, (name, node): (Span, NodeIndex)) -> Vec<FileLocation> {
    let binding = symbol.names.at(name.start).and_then(|place| symbol.names.binding_of(place));
    if binding.is_none_or(|own| symbol.names.bindings[own].kind != BindingKind::Generic) {
        return symbol.item_at(name.start).into_iter().collect();
    }
    let bounds = bounds_of(arena, name.slice(&arena.text), node).into_iter();
    bounds.filter_map(|(_, place)| symbol.item_at(place?.start)).collect()
}

/// The declarations of the type or traits that a path before `::` or `{` refers to.
fn owners_of_path(arena: &Arena, symbol: &Symbol<'_>, path: NodeIndex) -> Vec<FileLocation> {
    let Some(segment) = child(arena, path, K::PATH_SEGMENT) else { return Vec::new() };
    let item_at = |name: NodeIndex| symbol.item_at(arena.node(name).span.start).into_iter().collect();
    if let Some(anchor) = child(arena, segment, K::TYPE_ANCHOR) {
        let name = types_in(arena, anchor).last().and_then(|own| last_name(arena, own));
        return name.map_or_else(Vec::new, item_at);
    }
    let Some(name) = child(arena, segment, K::NAME_REF) else { return Vec::new() };
    if arena.slice(name) != "Self" {
        return owners_of_name(arena, symbol, (arena.node(name).span, name));
    }
    let is_item = |node: &NodeIndex| has_kind(arena, *node, K::IMPL) || has_kind(arena, *node, K::TRAIT);
    let item = arena.ancestors(name).find(is_item);
    let own =
        item.and_then(|item| child(arena, item, K::NAME).or_else(|| last_name(arena, types_in(arena, item).last()?)));
    own.map_or_else(Vec::new, item_at)
}

/// The only member of a type or trait with a name: a field, or a variant or function.
pub(super) fn member_of(
    document: &CodeDocument,
    owner: &FileLocation,
    (name, is_field): (&str, bool),
) -> Option<FileLocation> {
    let arena = document.arena();
    let (_, item) = declaration_at(arena, owner.offset)?;
    let own = arena.child(item, F::Name.into())?;
    let kinds: &[K] = if is_field { &[K::RECORD_FIELD_LIST] } else { &[K::VARIANT_LIST, K::ASSOC_ITEM_LIST] };
    let lists = arena.children(item).filter(|part| kinds.iter().any(|kind| has_kind(arena, *part, *kind)));
    let inside = lists.flat_map(|list| arena.children(list)).find(|node| is_named(arena, *node, name));
    let symbol = Symbol::new(document);
    let function = || Types::new(arena, &symbol).member(arena.slice(own), name).filter(|_| !is_field);
    let found = inside.or_else(function)?;
    let name = arena.child(found, F::Name.into())?;
    Some(FileLocation { path: document.path().to_owned(), offset: arena.node(name).span.start })
}

/// The only function with a name in the implementations of traits for a type in a document.
fn member_of_traits(document: &CodeDocument, owner: &FileLocation, name: &str) -> Option<FileLocation> {
    let arena = document.arena();
    let symbol = Symbol::new(document);
    let is_of_owner = |node: NodeIndex| {
        let types: Vec<NodeIndex> = types_in(arena, node).collect();
        let own = types.get(1).and_then(|own| last_name(arena, *own));
        own.is_some_and(|own| symbol.item_at(arena.node(own).span.start).as_ref() == Some(owner))
    };
    let implementations = arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::IMPL));
    let lists =
        implementations.filter(|node| is_of_owner(*node)).filter_map(|node| child(arena, node, K::ASSOC_ITEM_LIST));
    let mut found = lists.flat_map(|list| arena.children(list)).filter(|node| is_named(arena, *node, name));
    let only = found.next().filter(|_| found.next().is_none())?;
    let name = arena.child(only, F::Name.into())?;
    Some(FileLocation { path: document.path().to_owned(), offset: arena.node(name).span.start })
}

fn is_named(arena: &Arena, node: NodeIndex, name: &str) -> bool {
    arena.child(node, F::Name.into()).is_some_and(|own| plain(arena.slice(own)) == name)
}
