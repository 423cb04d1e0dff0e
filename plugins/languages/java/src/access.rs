//! Names of a file that are neither public nor private. Their uses may break when the file moves to another package.

use std::collections::BTreeSet;

use marquetry_code::{CodeDocument, NodeIndex, outline::Symbol};
use marquetry_sdk::Span;

/// The kinds of types in the outline.
pub(crate) const TYPES: [&str; 5] = ["class", "interface", "record", "enum", "annotation"];

/// The package-private and protected names of a file.
#[derive(Debug, Default)]
pub(crate) struct Hidden {
    /// True if the main type is package-private.
    pub(crate) is_type: bool,
    /// True if a constructor of the main type is package-private or protected.
    has_constructor: bool,
    nested: BTreeSet<String>,
    members: BTreeSet<String>,
}

fn has_kind(document: &CodeDocument, node: NodeIndex, kind: &str) -> bool {
    document.language().kind_name(document.arena().node(node).kind) == kind
}

impl Hidden {
    /// Collects the package-private and protected names of a file. `name` is the name of the main type.
    pub(crate) fn new(document: &CodeDocument, name: &str) -> Hidden {
        let symbols = &document.symbols().symbols;
        let mut found = Hidden::default();
        for symbol in symbols {
            let outer = symbol.parent.map(|parent| &symbols[parent]);
            if is_open(document, symbol, outer) {
                continue;
            }
            match symbol.kind {
                kind if TYPES.contains(&kind) && outer.is_none() => found.is_type |= symbol.name == name,
                kind if TYPES.contains(&kind) => {
                    found.nested.insert(symbol.name.clone());
                }
                "constructor" => found.has_constructor |= symbol.name == name,
                "method" | "field" => {
                    found.members.insert(symbol.name.clone());
                }
                _ => {}
            }
        }
        found
    }

    /// The spans in another file that may use the collected names. `name` is the name of the main type.
    pub(crate) fn uses(&self, document: &CodeDocument, name: &str) -> Vec<Span> {
        let (arena, names) = (document.arena(), document.names());
        let declared: BTreeSet<u32> = document.symbols().symbols.iter().map(|symbol| symbol.selection.start).collect();
        let is_used = |index: NodeIndex| {
            let (node, text) = (arena.node(index), arena.slice(index));
            let is_inherited = || {
                let place = names.at(node.span.start).filter(|place| place.span == node.span);
                place.is_some_and(|place| names.owner_of(place).is_none())
            };
            match () {
                () if has_kind(document, index, "member") => self.members.contains(text) || self.nested.contains(text),
                () if has_kind(document, index, "identifier") => self.members.contains(text) && is_inherited(),
                () if !has_kind(document, index, "type_identifier") => false,
                () if self.has_constructor && text == name => ["object_creation_expression", "superclass"]
                    .iter()
                    .any(|kind| has_kind(document, node.parent, kind)),
                () => self.nested.contains(text),
            }
        };
        let uses = arena.nodes().filter(|(index, node)| !declared.contains(&node.span.start) && is_used(*index));
        uses.map(|(_, node)| node.span).collect()
    }
}

/// Returns whether a name is public or private. Only other names become invisible when a file moves to another package.
fn is_open(document: &CodeDocument, symbol: &Symbol, outer: Option<&Symbol>) -> bool {
    let arena = document.arena();
    let head = Span { start: symbol.span.start, end: symbol.selection.start.max(symbol.span.start) };
    // Several names in one declaration share the modifiers before the first name.
    let head = if symbol.is_alone { head } else { Span { start: arena.node(symbol.node).span.start, ..head } };
    let has = |word: &str| arena.tokens_in(head).iter().any(|token| token.span.slice(&arena.text) == word);
    let is_implicit = match outer.map(|outer| outer.kind) {
        Some("interface" | "annotation") => true,
        // Constructors of enums are private.
        Some("enum") => symbol.kind == "constructor",
        _ => false,
    };
    is_implicit || has("public") || has("private")
}
