//! Values that are removed with a reference, such as the item of a list that describes the file, and references that
//! are not removed because the rest would be invalid, such as the `build` of a service without an image.
//!
//! The rules need no names of files: the references of each kind of file are at other keys.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{FailureKind, Result, fail};

use crate::table::Id;

/// Matches any item of a sequence in a path of keys.
const ITEM: &str = "[]";
/// Maximum depth of values to visit.
const DEEPEST: usize = 100;

/// The values to remove, sorted. An item is removed as a whole if its reference is removed.
///
/// # Errors
///
/// Fails with `Unsupported` if the mapping or the sequence around a value would be invalid without it.
pub(crate) fn with_items<T: Tree<Node = Id>>(tree: &T, removed: Vec<Id>) -> Result<Vec<Id>> {
    let mut walk = Walk { tree, removed, removals: Vec::new(), refusal: None };
    walk.visit(tree.root(), &mut Vec::new());
    match walk.refusal {
        Some((name, why)) => Err(fail(FailureKind::Unsupported, format!("`{name}` cannot be removed alone: {why}"))
            .hint("edit the entry by hand")),
        None => {
            walk.removals.sort_unstable();
            Ok(walk.removals)
        }
    }
}

struct Walk<'t, T> {
    tree: &'t T,
    removed: Vec<Id>,
    removals: Vec<Id>,
    /// Key of a reference that cannot be removed, and the reason.
    refusal: Option<(String, &'static str)>,
}

impl<T: Tree<Node = Id>> Walk<'_, T> {
    /// Returns whether the value is removed. Recursion ends at [`DEEPEST`].
    fn visit(&mut self, node: Id, keys: &mut Vec<String>) -> bool {
        if self.removed.binary_search(&node).is_ok() {
            self.removals.push(node);
            return true;
        }
        if keys.len() > DEEPEST {
            return false;
        }
        let tree = self.tree;
        let inside: Vec<(String, Id)> = match tree.kind(node) {
            Kind::Object => tree.members(node).map(|(key, value)| (key.into_owned(), value)).collect(),
            Kind::Array => tree.children(node).map(|item| (ITEM.to_owned(), item)).collect(),
            _ => return false,
        };
        let (before, count) = (self.removals.len(), inside.len());
        let mut gone: Vec<String> = Vec::new();
        for (key, value) in inside {
            keys.push(key);
            let goes = self.visit(value, keys);
            gone.extend(keys.pop().filter(|_| goes));
        }
        if gone.is_empty() {
            return false;
        }
        let is_item = keys.last().is_some_and(|key| key == ITEM);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let all = gone.len() == count;
        let goes = match tree.kind(node) {
            Kind::Array => all && matches!(keys.as_slice(), ["nav", _, ..]),
            _ => is_item && (all || gone.iter().any(|name| matches!(name.as_str(), "path" | "source"))),
        };
        if goes {
            self.removals.truncate(before);
            self.removals.push(node);
            return true;
        }
        let has = |name: &str| tree.kind(node) == Kind::Object && tree.member(node, name).is_some();
        for name in gone {
            if let Some(why) = reason_to_keep(&keys, &name, all, &has) {
                let shown = if name == ITEM { keys.last().copied().unwrap_or_default().to_owned() } else { name };
                self.refusal.get_or_insert((shown, why));
            }
        }
        false
    }
}

/// The reason why a value of the collection at these keys is kept. `all` is true if the collection would be empty; `has`
/// returns whether a mapping has a key.
fn reason_to_keep(keys: &[&str], name: &str, all: bool, has: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    match (keys, name) {
        (["services", _], "build") if !has("image") => Some("the service would have neither an image nor a build"),
        (["services", _, "build"], "context" | "dockerfile") => Some("the build would use other files"),
        (["services", _, "extends"], "file") => Some("the service would extend one of this file"),
        (["configs" | "secrets", _], "file") => Some("services may use it, and it would have no content"),
        (["jobs", _] | ["jobs", _, "steps", ITEM], "uses") => Some("there would be nothing to run"),
        (["jobs", _, "steps", ITEM] | [.., "defaults", "run"], "working-directory") => {
            Some("the commands would run in another folder")
        }
        (["runs"], "main" | "image") => Some("the action would have nothing to run"),
        ([], "docs_dir") => Some("the pages would be read from another folder"),
        (["packages"] | ["jobs", _, "steps"], ITEM) if all => Some("the list would be empty, which is an error"),
        (["on", _, "paths" | "paths-ignore"], ITEM) if all => {
            Some("the list would be empty, and the workflow would run at other times")
        }
        _ => None,
    }
}
