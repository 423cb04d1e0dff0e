//! Extends removed references to the values around them, from the inside out. The rules are those of each format.

use marquetry_jsonpath::{Kind, Tree};

/// Key of any element of an array in a path of keys.
pub const ELEMENT: &str = "[]";
/// Maximum depth of values to visit.
const DEEPEST: usize = 100;

/// An object or array in which some values are removed.
#[derive(Debug)]
pub struct Container<'a, N> {
    /// The object or array.
    pub node: N,
    /// Keys from the root to the container; [`ELEMENT`] for an element of an array.
    pub keys: &'a [&'a str],
    /// Keys of the values that are removed from the container, at least one.
    pub removed: &'a [String],
    /// True if the container has no other values.
    pub is_emptied: bool,
}

/// Returns the values to remove, sorted: those of `removed`, which is sorted, and each container for which `goes`
/// returns true, instead of the values in it. `goes` is called for inner containers first.
///
/// # Examples
///
/// ```
/// use marquetry_jsonpath::Tree;
/// use marquetry_references::{Container, with_containers};
///
/// /// Removes containers without values.
/// fn with_empty<T: Tree<Node = u32>>(tree: &T, removed: &[u32]) -> Vec<u32> {
///     with_containers(tree, removed, |container: &Container<'_, u32>| container.is_emptied)
/// }
/// ```
pub fn with_containers<T: Tree>(
    tree: &T,
    removed: &[T::Node],
    goes: impl FnMut(&Container<'_, T::Node>) -> bool,
) -> Vec<T::Node>
where
    T::Node: Ord,
{
    let mut walk = Walk { tree, removed, goes, removals: Vec::new() };
    walk.visit(tree.root(), &mut Vec::new());
    walk.removals.sort_unstable();
    walk.removals
}

struct Walk<'t, T: Tree, F> {
    tree: &'t T,
    removed: &'t [T::Node],
    goes: F,
    removals: Vec<T::Node>,
}

impl<T: Tree, F: FnMut(&Container<'_, T::Node>) -> bool> Walk<'_, T, F>
where
    T::Node: Ord,
{
    /// Returns whether the value is removed. Recursion ends at [`DEEPEST`].
    fn visit(&mut self, node: T::Node, keys: &mut Vec<String>) -> bool {
        if self.removed.binary_search(&node).is_ok() {
            self.removals.push(node);
            return true;
        }
        if keys.len() > DEEPEST {
            return false;
        }
        let tree = self.tree;
        let inside: Vec<(String, T::Node)> = match tree.kind(node) {
            Kind::Object => tree.members(node).map(|(key, value)| (key.into_owned(), value)).collect(),
            Kind::Array => tree.children(node).map(|element| (ELEMENT.to_owned(), element)).collect(),
            _ => return false,
        };
        let (before, count) = (self.removals.len(), inside.len());
        let mut removed: Vec<String> = Vec::new();
        for (key, value) in inside {
            keys.push(key);
            let is_removed = self.visit(value, keys);
            removed.extend(keys.pop().filter(|_| is_removed));
        }
        if removed.is_empty() {
            return false;
        }
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let container = Container { node, keys: &keys, removed: &removed, is_emptied: removed.len() == count };
        let goes = (self.goes)(&container);
        if goes {
            self.removals.truncate(before);
            self.removals.push(node);
        }
        goes
    }
}
