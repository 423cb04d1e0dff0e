//! The calls inside of a declaration.

use marquetry_code::{
    Arena, CodeDocument, NodeIndex,
    hierarchy::{called_names, nodes_of_address, related_symbols},
};
use marquetry_sdk::RelatedSymbol;

use crate::{
    kinds::{F, K, has_kind},
    symbols::Symbol,
};

/// The functions, methods and types that the declarations with an address call.
pub(crate) fn calls(document: &CodeDocument, address: &str) -> Option<Vec<RelatedSymbol>> {
    let nodes = nodes_of_address(document, address)?;
    let called = |arena: &Arena, node: NodeIndex| {
        let function = arena.children(node).next().filter(|_| has_kind(arena, node, K::Call))?;
        last_name(arena, function)
    };
    let names = called_names(document.arena(), &nodes, called);
    if names.is_empty() {
        return Some(Vec::new());
    }
    let own = Symbol::new(document);
    Some(related_symbols(document, names, &mut |name| own.declaration_at(name.start)))
}

/// The node of the last name of an expression: `c` of `a.b.c`, of `c[int]` and of `(c)`. `None` for other expressions,
/// such as function literals.
fn last_name(arena: &Arena, node: NodeIndex) -> Option<NodeIndex> {
    match () {
        () if has_kind(arena, node, K::NameRef) => Some(node),
        () if has_kind(arena, node, K::Selector) => arena.child(node, F::Name.into()),
        () if has_kind(arena, node, K::Index) || has_kind(arena, node, K::Paren) => {
            last_name(arena, arena.children(node).next()?)
        }
        () => None,
    }
}
