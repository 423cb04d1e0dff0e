//! Namespace nodes: every element has one for each prefix in scope. They are made when they are asked for.

use marquetry_sdk::Span;
use rustc_hash::FxHashMap;

use crate::tree::{Id, Tree, names};

/// Ids from here on name namespace nodes.
const FIRST: Id = 0x4000_0000;

/// Whether the id is that of a namespace node.
pub(crate) fn is_namespace(id: Id) -> bool {
    id >= FIRST
}

/// A namespace in scope at an element.
#[derive(Debug)]
pub(crate) struct NamespaceNode {
    pub element: Id,
    pub prefix: Box<str>,
    /// The number of the namespace.
    pub namespace: u32,
    /// Where it is declared; nothing for `xml`.
    pub span: Option<Span>,
    /// Whether this element itself declares it.
    pub own: bool,
}

/// The namespace nodes that have been asked for.
#[derive(Debug, Default)]
pub(crate) struct NamespaceNodes {
    nodes: Vec<NamespaceNode>,
    elements: FxHashMap<Id, (Id, Id)>,
}

impl NamespaceNodes {
    /// The node with this id.
    pub(crate) fn get(&self, id: Id) -> &NamespaceNode {
        &self.nodes[(id - FIRST) as usize]
    }

    /// Whether there is such a node.
    pub(crate) fn has(&self, id: Id) -> bool {
        is_namespace(id) && ((id - FIRST) as usize) < self.nodes.len()
    }

    /// The namespace nodes of an element.
    pub(crate) fn of(&mut self, tree: &Tree, element: Id) -> std::ops::Range<Id> {
        if let Some((from, to)) = self.elements.get(&element) {
            return *from..*to;
        }
        let from = FIRST + self.nodes.len() as Id;
        let xml = tree.names.known_namespace(names::XML).unwrap_or(0);
        self.nodes.push(NamespaceNode { element, prefix: "xml".into(), namespace: xml, span: None, own: false });
        let mut undeclared: Vec<&str> = Vec::new();
        let mut at = Some(element);
        while let Some(id) = at {
            for declaration in tree.declarations_of(id) {
                let prefix = &*declaration.prefix;
                let known = self.nodes[(from - FIRST) as usize..].iter().any(|node| *node.prefix == *prefix);
                if known || undeclared.contains(&prefix) {
                    continue;
                }
                if declaration.namespace == 0 {
                    undeclared.push(prefix);
                    continue;
                }
                let (prefix, namespace, span) = (prefix.into(), declaration.namespace, Some(declaration.span));
                self.nodes.push(NamespaceNode { element, prefix, namespace, span, own: id == element });
            }
            at = tree.parent(id);
        }
        let to = FIRST + self.nodes.len() as Id;
        self.elements.insert(element, (from, to));
        from..to
    }
}
