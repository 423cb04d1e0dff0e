//! Variables and imports that nothing uses after a parameter is removed. The compiler refuses them.

use std::collections::BTreeSet;

use marquetry_code::{CodeDocument, NodeIndex};
use marquetry_sdk::{Edit, Result, Span, Usage};

use super::{
    packages::{free_names, qualifiers},
    plan::Plan,
    refused,
};
use crate::{
    imports::imports,
    kinds::{F, K, children, has_kind, has_role, with_role},
    links::remove_imports,
    names::{BindingIndex, BindingKind, Place},
    packages::local_name,
    symbols::Symbol,
};

/// The ranges of the types that a parameter list loses.
pub(super) fn types_of_removed(document: &CodeDocument, list: NodeIndex, plan: &Plan) -> Vec<Span> {
    let arena = document.arena();
    let mut at = 0;
    let mut removed = Vec::new();
    for param in children(arena, list, K::Param) {
        let names = with_role(arena, param, F::Name).count();
        let is_gone = (at..at + names).all(|index| !plan.list.keeps(index));
        removed.extend(arena.child(param, F::Type.into()).filter(|_| is_gone).map(|own| arena.node(own).span));
        at += names;
    }
    removed
}

/// The edits that remove imports that only code in the removed ranges uses.
///
/// # Errors
///
/// Fails if only code in these ranges reads a local variable.
pub(super) fn edits(
    symbol: &Symbol<'_>,
    plan: &Plan,
    needed: &BTreeSet<String>,
    removed: &[Span],
) -> Result<Vec<Edit>> {
    let is_removed = |place: &Place| removed.iter().any(|own| own.contains(place.span));
    let mut used: BTreeSet<String> = BTreeSet::new();
    for added in plan.list.added() {
        used.extend(free_names(&added.value));
        used.extend(qualifiers(&added.type_text));
    }
    let names = &symbol.file.names;
    let lost = names.places.iter().filter(|place| is_removed(place));
    for (place, binding) in lost.filter_map(|place| Some((place, place.binding?))) {
        let own = &names.bindings[binding];
        let is_needed = own.kind == BindingKind::Variable
            && !used.contains(&own.name)
            && !removed.iter().any(|range| range.contains(symbol.file.arena().node(own.node).span));
        if is_needed && !names.references(binding).any(|place| !is_removed(place) && is_read(symbol, place)) {
            let why = format!("only the argument that is removed uses `{}`", own.name);
            return Err(refused(why, "remove the variable, or use it elsewhere, first").at(place.span));
        }
    }
    let unused = unused_imports(symbol, &used, is_removed);
    if !unused.is_empty() && !needed.is_empty() {
        return Err(refused(
            "the change removes the last use of an import and needs another import",
            "add the import with `add_import` first",
        ));
    }
    if unused.is_empty() { Ok(Vec::new()) } else { remove_imports(symbol.document(), unused) }
}

/// The imports that only removed code uses.
fn unused_imports(symbol: &Symbol<'_>, used: &BTreeSet<String>, is_removed: impl Fn(&Place) -> bool) -> Vec<NodeIndex> {
    let (arena, names) = (symbol.file.arena(), &symbol.file.names);
    let is_import = |binding: BindingIndex| names.bindings[binding].kind == BindingKind::Import;
    let is_unused = |local: &str| {
        let mut places = names.places.iter().filter(|place| {
            arena.slice(place.node) == local && place.usage != Usage::Declaration && place.binding.is_none_or(is_import)
        });
        let is_lost = |place: &Place| has_role(arena, place.node, F::Left) && is_removed(place);
        let Some(first) = places.next() else { return false };
        is_lost(first) && places.all(is_lost) && !used.contains(local)
    };
    let own = symbol.document().path();
    let all = imports(symbol.document()).into_iter();
    let unused = all.filter(|import| {
        let local = local_name(own, import);
        !matches!(local.as_str(), "_" | "." | "C") && is_unused(&local)
    });
    unused.map(|import| import.node).collect()
}

/// Returns whether an occurrence reads a variable, in contrast to a declaration or an assignment of a whole value.
fn is_read(symbol: &Symbol<'_>, place: &Place) -> bool {
    let arena = symbol.file.arena();
    let statement = arena.node(place.node).parent;
    let is_assigned = has_role(arena, place.node, F::Left)
        && [K::Assign, K::Define, K::Range].iter().any(|kind| has_kind(arena, statement, *kind));
    place.usage != Usage::Declaration && !is_assigned
}
