//! Values that are removed with a reference, such as the item of a list that describes the file, and references that
//! are not removed because the rest would be invalid, such as the `build` of a service without an image.
//!
//! The rules do not check file names, because each kind of file has its references at different keys.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_references::{Container, ELEMENT, with_containers};
use marquetry_sdk::{FailureKind, Result, fail};

use crate::table::Id;

/// Returns the values to remove, sorted. An item is removed as a whole if its reference is removed.
///
/// # Errors
///
/// Fails with `Unsupported` if the mapping or the sequence around a value would be invalid without it.
pub(crate) fn with_items<T: Tree<Node = Id>>(tree: &T, removed: &[Id]) -> Result<Vec<Id>> {
    let mut refusal = None;
    let removals = with_containers(tree, removed, |container: &Container<'_, Id>| {
        let goes = is_removed(tree, container);
        if !goes {
            refusal = refusal.take().or_else(|| refused_removal(tree, container));
        }
        goes
    });
    match refusal {
        Some((name, why)) => Err(fail(FailureKind::Unsupported, format!("`{name}` cannot be removed alone: {why}"))
            .hint("edit the entry by hand")),
        None => Ok(removals),
    }
}

/// Returns whether a collection is removed with the values in it.
fn is_removed<T: Tree<Node = Id>>(tree: &T, container: &Container<'_, Id>) -> bool {
    let Container { node, keys, removed, is_emptied } = *container;
    match tree.kind(node) {
        Kind::Array => is_emptied && matches!(keys, ["nav", _, ..]),
        _ => {
            let is_reference = |name: &String| matches!(name.as_str(), "path" | "source");
            keys.last() == Some(&ELEMENT) && (is_emptied || removed.iter().any(is_reference))
        }
    }
}

/// Returns the key of a value that must stay in a collection, and the reason.
fn refused_removal<T: Tree<Node = Id>>(tree: &T, container: &Container<'_, Id>) -> Option<(String, &'static str)> {
    let Container { node, keys, removed, is_emptied } = *container;
    let has = |name: &str| tree.kind(node) == Kind::Object && tree.member(node, name).is_some();
    removed.iter().find_map(|name| {
        let why = reason_to_keep(keys, name, is_emptied, &has)?;
        let is_item = name == ELEMENT;
        Some((if is_item { keys.last().copied().unwrap_or_default().to_owned() } else { name.clone() }, why))
    })
}

/// Returns the reason why a value of the collection at these keys must stay, or `None` if it can be removed. `all` is
/// true if the collection would be empty; `has` returns whether a mapping has a key.
fn reason_to_keep(keys: &[&str], name: &str, all: bool, has: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    match (keys, name) {
        (["services", _], "build") if !has("image") => Some("the service would have neither an image nor a build"),
        (["services", _, "build"], "context" | "dockerfile") => Some("the build would use other files"),
        (["services", _, "extends"], "file") => Some("the service would extend a service of this file instead"),
        (["configs" | "secrets", _], "file") => Some("services may use it, and it would have no content"),
        (["jobs", _] | ["jobs", _, "steps", ELEMENT], "uses") => Some("there would be nothing to run"),
        (["jobs", _, "steps", ELEMENT] | [.., "defaults", "run"], "working-directory") => {
            Some("the commands would run in another folder")
        }
        (["runs"], "main" | "image") => Some("the action would have nothing to run"),
        ([], "docs_dir") => Some("the pages would be read from another folder"),
        (["packages"] | ["jobs", _, "steps"], ELEMENT) if all => Some("the list would be empty, which is an error"),
        (["on", _, "paths" | "paths-ignore"], ELEMENT) if all => {
            Some("the list would be empty, and the workflow would run at other times")
        }
        _ => None,
    }
}
