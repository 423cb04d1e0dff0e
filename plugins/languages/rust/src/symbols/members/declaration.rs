//! The declaration of the member that a name uses.

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::{FileLocation, workspace};

use super::declaration_at;
use crate::{
    hierarchy::{bounds, last_name},
    kinds::{F, K, child, has_kind},
    modules::plain,
    symbols::Symbol,
    table::RUST,
    types::{
        Types,
        owners::POINTERS,
        text::{generic, without_references},
        types_in,
    },
};

/// The declaration of the member that the name at an offset uses.
pub(in crate::symbols) fn declaration_of_use(symbol: &Symbol<'_>, offset: u32) -> Option<FileLocation> {
    let document = symbol.document;
    let arena = document.arena();
    let is_here = |node: NodeIndex| arena.node(node).span.start <= offset && offset <= arena.node(node).span.end;
    let mut names = arena.nodes().map(|(node, _)| node).filter(|node| has_kind(arena, *node, K::NAME_REF));
    let node = names.find(|node| is_here(*node))?;
    let (name, parent) = (plain(arena.slice(node)), arena.node(node).parent);
    let owner = match () {
        () if has_kind(arena, parent, K::PATH_SEGMENT) => {
            owner_of_path(arena, symbol, child(arena, arena.node(parent).parent, K::PATH)?)
        }
        () if has_kind(arena, parent, K::FIELD_EXPR) || has_kind(arena, parent, K::METHOD_CALL_EXPR) => {
            owner_of_receiver(arena, symbol, parent)
        }
        () if has_kind(arena, parent, K::RECORD_EXPR_FIELD) || has_kind(arena, parent, K::RECORD_PAT_FIELD) => {
            let record = arena.node(arena.node(parent).parent).parent;
            owner_of_path(arena, symbol, child(arena, record, K::PATH)?)
        }
        () => None,
    }?;
    let text = workspace::read(&owner.path).ok().filter(|_| owner.path != document.path());
    let other = text.map(|text| CodeDocument::open(&RUST, &owner.path, text));
    let there = other.as_ref().unwrap_or(document);
    let is_field = !has_kind(arena, parent, K::METHOD_CALL_EXPR) && !has_kind(arena, parent, K::PATH_SEGMENT);
    member_of(there, &owner, (name, is_field))
        .or_else(|| member_of_traits(there, &owner, name))
        .or_else(|| member_of_traits(document, &owner, name))
}

/// The declaration of the type or trait of a receiver. For a type parameter, the trait is its only bound.
fn owner_of_receiver(arena: &Arena, symbol: &Symbol<'_>, access: NodeIndex) -> Option<FileLocation> {
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
        return symbol.item_at(arena.node(child(arena, item, K::NAME)?).span.start);
    }
    if let Some(place) = types.foreign(inner) {
        return Some(place);
    }
    let place = types.qualified_name(inner).or_else(|| types.type_name(generic(inner).0, scope))?;
    let parameter = arena.ancestors(arena.innermost(place)).find(|node| has_kind(arena, *node, K::TYPE_PARAM));
    match parameter {
        Some(parameter) => {
            let bounds: Vec<NodeIndex> = bounds(arena, parameter).collect();
            let [only] = bounds[..] else { return None };
            symbol.item_at(arena.node(last_name(arena, only)?).span.start)
        }
        None => symbol.item_at(place.start),
    }
}

/// The declaration of the type or trait that a path before `::` or `{` refers to.
fn owner_of_path(arena: &Arena, symbol: &Symbol<'_>, path: NodeIndex) -> Option<FileLocation> {
    let segment = child(arena, path, K::PATH_SEGMENT)?;
    if let Some(anchor) = child(arena, segment, K::TYPE_ANCHOR) {
        let name = last_name(arena, types_in(arena, anchor).last()?)?;
        return symbol.item_at(arena.node(name).span.start);
    }
    let name = child(arena, segment, K::NAME_REF)?;
    if arena.slice(name) != "Self" {
        return symbol.item_at(arena.node(name).span.start);
    }
    let is_item = |node: &NodeIndex| has_kind(arena, *node, K::IMPL) || has_kind(arena, *node, K::TRAIT);
    let item = arena.ancestors(name).find(is_item)?;
    let own = match child(arena, item, K::NAME) {
        Some(own) => own,
        None => last_name(arena, types_in(arena, item).last()?)?,
    };
    symbol.item_at(arena.node(own).span.start)
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
