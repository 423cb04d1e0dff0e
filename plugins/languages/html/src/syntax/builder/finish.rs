//! Converts the linked nodes to the final tree, which stores its elements in tree order.

use super::super::tree::Element;
use super::arena::{Arena, DOCUMENT};
use super::{Builder, Dialect, NONE, Tree};

/// A finished tree, whose text has not been set yet.
pub(super) struct Finished(Tree);

impl Finished {
    pub(super) fn with_text(self, text: String) -> Tree {
        Tree { text, ..self.0 }
    }
}

impl Builder<'_> {
    pub(super) fn finish(mut self) -> Finished {
        let tokenizer = self.tokenizer;
        self.comments.sort_by_key(|comment| comment.start);
        let mut faults = tokenizer.diagnostics;
        faults.sort_by_key(|fault| fault.span.start);
        Finished(Tree {
            text: String::new(),
            elements: elements_in_order(&self.arena),
            attributes: tokenizer.attributes,
            comments: self.comments,
            doctype: self.doctype,
            names: tokenizer.names,
            prefixes: Vec::new(),
            quirks: self.quirks,
            dialect: Dialect::Html,
            code: Vec::new(),
            diagnostics: faults,
        })
    }
}

/// Returns the elements of the document in tree order.
fn elements_in_order(arena: &Arena) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::with_capacity(arena.nodes.len());
    let mut parent = NONE;
    let mut at = arena.nodes[DOCUMENT as usize].first;
    // Go from a node to its first child. If it has none, go to the next sibling of the node, or of its nearest ancestor
    // that has one.
    while at != NONE {
        let node = &arena.nodes[at as usize];
        let id = elements.len() as u32;
        elements.push(Element {
            name: node.name,
            namespace: node.namespace,
            implied: node.implied,
            has_text: node.has_text,
            parent,
            end: id + 1,
            start_tag: node.open,
            end_tag: node.close,
            attributes: node.attributes,
        });
        if node.first != NONE {
            (parent, at) = (id, node.first);
            continue;
        }
        while at != NONE && arena.nodes[at as usize].next == NONE {
            at = arena.nodes[at as usize].parent;
            if at == DOCUMENT {
                at = NONE;
                break;
            }
            let end = elements.len() as u32;
            elements[parent as usize].end = end;
            parent = elements[parent as usize].parent;
        }
        if at != NONE {
            at = arena.nodes[at as usize].next;
        }
    }
    elements
}
