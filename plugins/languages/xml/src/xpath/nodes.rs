//! Namespace nodes. Each element has one for each prefix in scope. They are created when they are needed.

use marquetry_sdk::Span;
use rustc_hash::FxHashMap;

use crate::tree::{Id, Tree, names};

/// First id of namespace nodes.
const FIRST_NAMESPACE_ID: Id = 0x4000_0000;

/// Returns whether the id is that of a namespace node.
pub(crate) fn is_namespace(id: Id) -> bool {
    id >= FIRST_NAMESPACE_ID
}

/// A namespace node: a prefix that is in scope of an element.
#[derive(Debug)]
pub(crate) struct NamespaceNode {
    pub element: Id,
    pub prefix: Box<str>,
    /// Number of the namespace.
    pub namespace: u32,
    /// Position of the declaration; `None` for the prefix `xml`.
    pub span: Option<Span>,
    /// True if the element itself declares the namespace.
    pub is_declared_here: bool,
}

/// Namespace nodes created so far.
#[derive(Debug, Default)]
pub(crate) struct NamespaceNodes {
    nodes: Vec<NamespaceNode>,
    elements: FxHashMap<Id, (Id, Id)>,
}

impl NamespaceNodes {
    /// Node with this id.
    pub(crate) fn get(&self, id: Id) -> &NamespaceNode {
        &self.nodes[(id - FIRST_NAMESPACE_ID) as usize]
    }

    /// Returns whether the node exists.
    pub(crate) fn has(&self, id: Id) -> bool {
        is_namespace(id) && ((id - FIRST_NAMESPACE_ID) as usize) < self.nodes.len()
    }

    /// Namespace nodes of an element.
    pub(crate) fn of_element(&mut self, tree: &Tree, element: Id) -> std::ops::Range<Id> {
        if let Some((from, to)) = self.elements.get(&element) {
            return *from..*to;
        }
        let from = FIRST_NAMESPACE_ID + self.nodes.len() as Id;
        let xml = tree.names.known_namespace(names::XML).unwrap_or(0);
        self.nodes.push(NamespaceNode {
            element,
            prefix: "xml".into(),
            namespace: xml,
            span: None,
            is_declared_here: false,
        });
        let mut undeclared: Vec<&str> = Vec::new();
        let mut at = Some(element);
        while let Some(id) = at {
            for declaration in tree.declarations_of(id) {
                let prefix = &*declaration.prefix;
                let known =
                    self.nodes[(from - FIRST_NAMESPACE_ID) as usize..].iter().any(|node| *node.prefix == *prefix);
                if known || undeclared.contains(&prefix) {
                    continue;
                }
                if declaration.namespace == 0 {
                    undeclared.push(prefix);
                    continue;
                }
                let (prefix, namespace, span) = (prefix.into(), declaration.namespace, Some(declaration.span));
                self.nodes.push(NamespaceNode { element, prefix, namespace, span, is_declared_here: id == element });
            }
            at = tree.parent(id);
        }
        let to = FIRST_NAMESPACE_ID + self.nodes.len() as Id;
        self.elements.insert(element, (from, to));
        from..to
    }
}
