//! Finds values that must be removed together with the last reference in them, such as an alias without targets.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{FailureKind, Result, fail};

use crate::rules::{ELEMENT, FileKind};

/// Maximum depth of values to visit.
const DEEPEST: usize = 100;

/// The values to remove, extended by containers that must not become empty: `"paths": {"@a": []}` is an error, and
/// `"exports": {"./a": {}}` exports nothing. Sorted.
///
/// # Errors
/// Fails if a list of a compiler configuration would become empty that must not: without the list, the configuration
/// would apply to other files.
pub fn with_empty_containers<T: Tree>(tree: &T, path: &str, removed: Vec<T::Node>) -> Result<Vec<T::Node>>
where
    T::Node: Ord,
{
    let mut walk = Walk { tree, file: FileKind::detect(tree, path), removed, removals: Vec::new(), emptied: None };
    walk.visit(tree.root(), &mut Vec::new());
    if let Some(list) = walk.emptied {
        let message = format!("`{list}` would be an empty list, which is an error in a compiler configuration");
        return Err(fail(FailureKind::Unsupported, message).hint("name other files in it, or delete the configuration"));
    }
    walk.removals.sort_unstable();
    Ok(walk.removals)
}

struct Walk<'t, T: Tree> {
    tree: &'t T,
    file: FileKind,
    removed: Vec<T::Node>,
    removals: Vec<T::Node>,
    /// Name of a list that would become empty.
    emptied: Option<String>,
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
        if some && all && self.must_not_be_empty(&keys) {
            self.emptied = keys.first().map(|list| (*list).to_owned());
        }
        if some && self.is_removed_with(&keys, all) {
            self.removals.truncate(before);
            self.removals.push(node);
            return true;
        }
        false
    }

    /// Returns whether a list must not become empty. `files` may be empty in a configuration that only has references.
    fn must_not_be_empty(&self, keys: &[&str]) -> bool {
        let has_references = || self.tree.members(self.tree.root()).any(|(key, _)| key == "references");
        matches!((&self.file, keys), (FileKind::TsConfig { .. }, ["files" | "include"])) && !has_references()
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
