//! Finds values that must be removed together with the last reference in them, such as an alias without targets.

use marquetry_jsonpath::Tree;
use marquetry_sdk::{FailureKind, Result, fail};

use crate::{
    removals::{Container, ELEMENT, with_containers},
    rules::FileKind,
};

/// The values to remove, extended by containers that must not become empty: `"paths": {"@a": []}` is an error, and
/// `"exports": {"./a": {}}` exports nothing. Sorted.
///
/// # Errors
/// Fails if a list of a compiler configuration would become empty that must not: without the list, the configuration
/// would apply to other files.
pub fn with_empty_containers<T: Tree>(tree: &T, path: &str, removed: &[T::Node]) -> Result<Vec<T::Node>>
where
    T::Node: Ord,
{
    let file = FileKind::detect(tree, path);
    let mut emptied = None;
    let removals = with_containers(tree, removed, |Container { keys, is_emptied, .. }| {
        if *is_emptied && must_not_be_empty(tree, &file, keys) {
            emptied = keys.first().map(|list| (*list).to_owned());
        }
        is_removed_with(&file, keys, *is_emptied)
    });
    match emptied {
        Some(list) => {
            let message = format!("`{list}` would be an empty list, which is an error in a compiler configuration");
            Err(fail(FailureKind::Unsupported, message).hint("name other files in it, or delete the configuration"))
        }
        None => Ok(removals),
    }
}

/// Returns whether a list must not become empty. `files` may be empty in a configuration that only has references.
fn must_not_be_empty<T: Tree>(tree: &T, file: &FileKind, keys: &[&str]) -> bool {
    let has_references = || tree.members(tree.root()).any(|(key, _)| key == "references");
    matches!((file, keys), (FileKind::TsConfig { .. }, ["files" | "include"])) && !has_references()
}

/// Returns whether a container is removed because values in it are removed: all of its values if `all` is true,
/// otherwise only some of them.
fn is_removed_with(file: &FileKind, keys: &[&str], all: bool) -> bool {
    match (file, keys) {
        (FileKind::TsConfig { .. }, ["references", ELEMENT]) => true,
        (FileKind::TsConfig { .. }, ["compilerOptions", "paths", _])
        | (FileKind::PackageJson { .. }, ["exports" | "imports", _, ..]) => all,
        _ => false,
    }
}
