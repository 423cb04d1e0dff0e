//! Symbols that a declaration calls or extends. A pack finds the names and their declarations.

use std::collections::HashMap;

use marquetry_sdk::{FileLocation, RelatedSymbol, Span};

use crate::{Arena, CodeDocument, NodeIndex};

/// The declaration of a name.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// The position of the declared name. `None` if the pack cannot find it, as for members of values whose type is not
    /// known.
    pub place: Option<FileLocation>,
    /// The specifier of the import that provides the name.
    pub specifier: Option<String>,
}

/// The names in a document as related symbols. `declared` finds the declaration of the name in a range.
pub fn related_symbols(
    document: &CodeDocument,
    names: Vec<Span>,
    declared: &mut dyn FnMut(Span) -> Declared,
) -> Vec<RelatedSymbol> {
    let symbols = document.symbols().symbols.iter();
    let addresses: HashMap<u32, &String> = symbols.map(|symbol| (symbol.selection.start, &symbol.address)).collect();
    let related = |span: Span| {
        let Declared { place, specifier } = declared(span);
        let own = place.as_ref().filter(|place| place.path == document.path());
        let address = own.and_then(|place| addresses.get(&place.offset)).map(|address| (*address).clone());
        let name = span.slice(document.text_str()).to_owned();
        RelatedSymbol { name, span, address, from: specifier, declared: place }
    };
    names.into_iter().map(related).collect()
}

/// The nodes of the symbols with an address. Empty for the empty address, with which the host only asks whether a
/// format has related symbols. `None` if there is no such symbol.
pub fn nodes_of_address(document: &CodeDocument, address: &str) -> Option<Vec<NodeIndex>> {
    if address.is_empty() {
        return Some(Vec::new());
    }
    let found = document.find_symbols(address).ok()?;
    Some(found.into_iter().map(|index| document.symbols().symbols[index].node).collect())
}

/// The spans of the names of all calls inside of nodes, in document order. `called` returns the name of a node that is a
/// call, and `None` for other nodes.
pub fn called_names(
    arena: &Arena,
    nodes: &[NodeIndex],
    called: impl Fn(&Arena, NodeIndex) -> Option<NodeIndex>,
) -> Vec<Span> {
    let calls = nodes.iter().flat_map(|node| arena.descendants(*node)).filter_map(|node| called(arena, node));
    let mut spans: Vec<Span> = calls.map(|node| arena.node(node).span).collect();
    spans.sort_by_key(|span| span.start);
    spans.dedup();
    spans
}
