//! The tree under construction. Its nodes are linked in both directions, because elements can be moved.

use marquetry_sdk::Span;

use super::{NONE, Name, Namespace};

/// The document node, the parent of the root element.
pub(super) const DOCUMENT: u32 = 0;

/// An element under construction.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) name: Name,
    pub(super) namespace: Namespace,
    pub(super) implied: bool,
    pub(super) has_text: bool,
    /// True if the end of the element has been found, so that `close` is set.
    pub(super) closed: bool,
    pub(super) parent: u32,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) open: Span,
    pub(super) close: Span,
    pub(super) attributes: (u32, u32),
}

impl Node {
    /// Creates an element without a parent.
    pub(super) fn new(name: Name, namespace: Namespace) -> Node {
        Node {
            name,
            namespace,
            implied: true,
            has_text: false,
            closed: false,
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            open: Span::at(0),
            close: Span::at(0),
            attributes: (0, 0),
        }
    }
}

/// All elements, linked as a tree.
#[derive(Debug)]
pub(super) struct Arena {
    pub(super) nodes: Vec<Node>,
}

impl Arena {
    pub(super) fn new() -> Arena {
        Arena { nodes: vec![Node::new(Name::HTML, Namespace::NONE)] }
    }

    pub(super) fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Inserts a node into a parent, before the child `before`, or at the end if `before` is `NONE`.
    pub(super) fn insert(&mut self, node: u32, parent: u32, before: u32) {
        self.detach(node);
        let previous = if before == NONE { self.node_mut(parent).last } else { self.node_mut(before).previous };
        let own = self.node_mut(node);
        (own.parent, own.previous, own.next) = (parent, previous, before);
        if previous == NONE {
            self.node_mut(parent).first = node
        } else {
            self.node_mut(previous).next = node
        }
        if before == NONE { self.node_mut(parent).last = node } else { self.node_mut(before).previous = node }
    }

    pub(super) fn detach(&mut self, node: u32) {
        let own = self.node_mut(node);
        let (parent, previous, next) = (own.parent, own.previous, own.next);
        if parent == NONE {
            return;
        }
        (own.parent, own.previous, own.next) = (NONE, NONE, NONE);
        if previous == NONE {
            self.node_mut(parent).first = next
        } else {
            self.node_mut(previous).next = next
        }
        if next == NONE { self.node_mut(parent).last = previous } else { self.node_mut(next).previous = previous }
    }

    /// Moves all children of one node to the end of another.
    pub(super) fn move_children(&mut self, from: u32, to: u32) {
        while self.node_mut(from).first != NONE {
            let child = self.node_mut(from).first;
            self.insert(child, to, NONE);
        }
        let has_text = std::mem::take(&mut self.node_mut(from).has_text);
        self.node_mut(to).has_text |= has_text;
    }

    fn node_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }
}
