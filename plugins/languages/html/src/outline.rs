//! The outline: all elements in the order they are written, nested as they are written.

use marquetry_sdk::Node;

use crate::document::HtmlDocument;
use crate::syntax::Id;

/// Elements around one that are looked at for its parent: more overlap only in text that is no HTML.
const MOST_OVERLAPPING: usize = 64;

/// Elements deeper than this below the nearest one that has a name of its own are left out: no page is like that, and
/// their addresses would be many times the text.
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
    // Elements that have not ended, by their place in the outline. Misnested ones can end before what is around them.
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
