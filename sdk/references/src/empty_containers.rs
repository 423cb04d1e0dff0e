//! Finds values that must be removed together with the last reference in them, such as an alias without targets.

use marquetry_jsonpath::{Kind, Tree};

use crate::rules::{ELEMENT, FileKind};

/// Maximum depth of values to visit.
const DEEPEST: usize = 100;

/// The values to remove, extended by containers that must not become empty: `"paths": {"@a": []}` is an error, and
/// `"exports": {"./a": {}}` exports nothing. Sorted.
pub fn with_empty_containers<T: Tree>(tree: &T, path: &str, removed: Vec<T::Node>) -> Vec<T::Node>
where
    T::Node: Ord,
{
    let mut walk = Walk { tree, file: FileKind::detect(tree, path), removed, removals: Vec::new() };
    walk.visit(tree.root(), &mut Vec::new());
    walk.removals.sort_unstable();
    walk.removals
}

struct Walk<'t, T: Tree> {
    tree: &'t T,
    file: FileKind,
    removed: Vec<T::Node>,
    removals: Vec<T::Node>,
}

impl<T: Tree> Walk<'_, T>
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
        let before = self.removals.len();
        let (mut some, mut all) = (false, !inside.is_empty());
        for (key, value) in inside {
            keys.push(key);
            let goes = self.visit(value, keys);
            keys.pop();
            (some, all) = (some || goes, all && goes);
        }
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        if some && self.is_removed_with(&keys, all) {
            self.removals.truncate(before);
            self.removals.push(node);
            return true;
        }
        false
    }

    /// Returns whether a container is removed because values in it are removed: all of its values if `all` is true,
    /// otherwise only some of them.
    fn is_removed_with(&self, keys: &[&str], all: bool) -> bool {
        match (&self.file, keys) {
            (FileKind::TsConfig { .. }, ["references", ELEMENT]) => true,
            (FileKind::TsConfig { .. }, ["compilerOptions", "paths", _])
            | (FileKind::PackageJson { .. }, ["exports" | "imports", _, ..]) => all,
            _ => false,
        }
    }
}
