//! Converts the nodes of the parser to the arena of `marquetry_code`.

use marquetry_code::{Arena, Builder, Flags, ParseContext};
use marquetry_sdk::Span;

use crate::{
    kinds::{K, KINDS},
    parser::{self, Entry, Parsed},
};

/// The blocks whose content can be parsed without the text around it.
const BLOCKS: [K; 7] = [K::Block, K::Fields, K::Elems, K::ImportSpecs, K::ConstSpecs, K::VarSpecs, K::TypeSpecs];

/// Parses a text.
pub(crate) fn parse(_path: &str, text: String, context: ParseContext) -> Arena {
    let entry = match context {
        ParseContext::File => Entry::File,
        ParseContext::Items => Entry::Items,
        ParseContext::Inside(name) => {
            let kind = BLOCKS.into_iter().find(|kind| KINDS[*kind as usize] == name);
            kind.map_or(Entry::Items, Entry::Inside)
        }
    };
    let parsed = parser::parse(&text, entry);
    lower(text, parsed)
}

fn lower(text: String, parsed: Parsed) -> Arena {
    let Parsed { nodes, tokens, literals, errors, block } = parsed;
    let mut builder = Builder::new(text, K::Root.into());
    // A stack of nodes that are still to be opened. The index 0 closes the current node.
    let mut open = if nodes[block].first == 0 { Vec::new() } else { vec![block] };
    while let Some(index) = open.pop() {
        if index == 0 {
            builder.close();
            continue;
        }
        let node = &nodes[index];
        let role = if index == block { crate::kinds::F::Body } else { node.role };
        builder.open(node.kind.into(), role.into(), Span { start: node.start, end: node.end }, Flags::default());
        if index != block && node.next != 0 {
            open.push(node.next);
        }
        open.push(0);
        if node.first != 0 {
            open.push(node.first);
        }
    }
    builder.finish(tokens, literals, errors)
}
