//! Suggestions for a query that selects nothing.

use crate::{
    ast::{Query, Selector},
    tree::Tree,
};

/// Maximum number of children of the deepest existing values to return.
const MOST_CHILDREN: usize = 5000;
/// Maximum number of members with the same name elsewhere to return.
const MOST_NAMESAKES: usize = 6;
/// Maximum number of nodes visited in the search for members with the same name.
const MOST_VISITED: usize = 200_000;

/// Nodes that the query may have meant: members of the same name elsewhere, then the children of the deepest existing
/// values.
pub fn similar_nodes<T: Tree>(tree: &T, query: &Query) -> Vec<T::Node> {
    let mut nodes = members_with_same_name(tree, query);
    for length in (0..query.segments.len()).rev() {
        let found = query.select_prefix(tree, length).unwrap_or_default();
        if found.is_empty() {
            continue;
        }
        let mut below: Vec<T::Node> = found.iter().flat_map(|node| tree.children(*node)).take(MOST_CHILDREN).collect();
        if below.is_empty() {
            below.extend(found.first()); // a scalar: the path is too deep
        }
        below.retain(|node| !nodes.contains(node));
        nodes.extend(below);
        break;
    }
    nodes
}

/// Members with the last name of the query, anywhere in the tree.
fn members_with_same_name<T: Tree>(tree: &T, query: &Query) -> Vec<T::Node> {
    let last = query.segments.iter().rev().find_map(|segment| match segment.selectors.as_slice() {
        [Selector::Name(name)] => Some(name),
        _ => None,
    });
    let mut nodes = Vec::new();
    let Some(name) = last else { return nodes };
    let mut visited = 0;
    tree.descend(tree.root(), &mut |node| {
        visited += 1;
        if tree.kind(node) == crate::Kind::Object {
            nodes.extend(tree.member(node, name));
        }
        nodes.len() < MOST_NAMESAKES && visited < MOST_VISITED
    });
    nodes
}
