//! Outline: all elements in source order, nested as written.

use marquetry_sdk::Node;

use crate::document::HtmlDocument;
use crate::syntax::Id;

/// Maximum number of open elements searched for a parent; only invalid HTML overlaps more.
const MOST_OVERLAPPING: usize = 64;

/// Maximum depth below the nearest element with a short address. Deeper elements are omitted because their addresses
/// would be much longer than the text.
const LONGEST_PATH: u16 = 64;

pub(crate) fn outline(document: &HtmlDocument) -> Vec<Node> {
    let tree = &document.tree;
    let addresses = document.addresses();
    let listed = |id: &Id| !tree.get(*id).implied && addresses.length(*id) <= LONGEST_PATH;
    let mut written: Vec<Id> = (0..tree.len()).filter(listed).collect();
    written.sort_by_key(|id| {
        let span = tree.get(*id).span();
        (span.start, std::cmp::Reverse(span.end))
    });
    let mut nodes: Vec<Node> = Vec::with_capacity(written.len());
    // Open elements, by index in the outline. A misnested element can end before its parent.
    let mut open: Vec<u32> = Vec::new();
    for id in written {
        let mut node = document.element_node(id);
        while open.last().is_some_and(|last| nodes[*last as usize].span.end <= node.span.start) {
            open.pop();
        }
        let around = open.iter().rev().take(MOST_OVERLAPPING);
        node.parent = around.copied().find(|around| nodes[*around as usize].span.holds(node.span));
        open.push(nodes.len() as u32);
        nodes.push(node);
    }
    nodes
}
