//! Outline: all elements in source order. An element is a child of the element whose text contains it.

use marquetry_sdk::Node;

use crate::document::HtmlDocument;
use crate::syntax::Id;

/// Maximum number of open elements among which the parent is searched. The limit matters only for invalid HTML, whose
/// elements can overlap.
const MAX_OVERLAPPING: usize = 64;

/// Maximum number of steps in an address. Elements with longer addresses are omitted, because their addresses would be
/// much longer than their text.
const MAX_PATH_LEN: u16 = 64;

pub(crate) fn outline(document: &HtmlDocument) -> Vec<Node> {
    let tree = &document.tree;
    let addresses = document.addresses();
    let listed = |id: &Id| !tree.element(*id).implied && addresses.length(*id) <= MAX_PATH_LEN;
    let mut written: Vec<Id> = (0..tree.element_count()).filter(listed).collect();
    written.sort_by_key(|id| {
        let span = tree.element(*id).span();
        (span.start, std::cmp::Reverse(span.end))
    });
    let mut nodes: Vec<Node> = Vec::with_capacity(written.len());
    // Indices in the outline of the elements that are open. Because of misnested tags, an element can end after an
    // element that started before it.
    let mut open: Vec<u32> = Vec::new();
    for id in written {
        let mut node = document.element_node(id);
        while open.last().is_some_and(|last| nodes[*last as usize].span.end <= node.span.start) {
            open.pop();
        }
        let around = open.iter().rev().take(MAX_OVERLAPPING);
        node.parent = around.copied().find(|around| nodes[*around as usize].span.contains(node.span));
        open.push(nodes.len() as u32);
        nodes.push(node);
    }
    nodes
}
