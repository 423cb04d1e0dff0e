//! Tables that are removed with the path in them, such as a `[[bin]]`, and paths that are not removed because the rest
//! would be invalid, such as the only source of a dependency.
//!
//! The rules need no names of files: the references of each kind of file are at other keys.

use marquetry_jsonpath::Tree;
use marquetry_references::{Container, ELEMENT, with_containers};
use marquetry_sdk::{
    FailureKind, Result, fail, paths,
    workspace::{self, EntryKind},
};

use crate::{source::Source, table::Id};

/// Path of a library for which the manifest names no path.
const DEFAULT_LIBRARY: &str = "src/lib.rs";

/// Returns the values to remove, sorted. A table that only describes a file is removed as a whole.
///
/// # Errors
///
/// Fails with `Unsupported` if the table around a path would be invalid without it.
pub(crate) fn with_tables(source: Source<'_>, path: &str, removed: &[Id]) -> Result<Vec<Id>> {
    let library = paths::join(paths::folder(path), DEFAULT_LIBRARY);
    let has_library = library.is_some_and(|path| workspace::stat(&path) == Some(EntryKind::File));
    let mut refusal = None;
    let removals = with_containers(&source, removed, |container: &Container<'_, Id>| {
        let goes =
            container.removed.first().is_some_and(|name| is_removed_with(container.keys, name, container.is_emptied));
        if !goes {
            refusal = refusal.take().or_else(|| refused_removal(source, container, has_library));
        }
        goes
    });
    match refusal {
        Some((name, why)) => Err(fail(FailureKind::Unsupported, format!("`{name}` cannot be removed alone: {why}"))
            .hint("edit the table by hand")),
        None => Ok(removals),
    }
}

/// Returns the keys of a path that must stay in a table, and the reason.
fn refused_removal(
    source: Source<'_>,
    container: &Container<'_, Id>,
    has_library: bool,
) -> Option<(String, &'static str)> {
    let Container { node, keys, removed, .. } = *container;
    let has = |names: &[&str]| {
        let is_kept = |name: &&str| !removed.iter().any(|gone| gone == name);
        names.iter().any(|name| is_kept(name) && source.member(node, name).is_some())
    };
    let (name, why) = removed.iter().find_map(|name| Some((name, reason_to_keep(keys, name, has_library, &has)?)))?;
    let shown = keys.iter().copied().chain([name.as_str()]).filter(|key| *key != ELEMENT);
    Some((shown.collect::<Vec<_>>().join("."), why))
}

/// Returns the reason why a path in the table at these keys must stay, or `None` if it can be removed. `has` returns
/// whether the table would still have one of the given keys.
fn reason_to_keep(keys: &[&str], name: &str, has_library: bool, has: &dyn Fn(&[&str]) -> bool) -> Option<&'static str> {
    match (keys, name) {
        (["lib"], "path") if !has_library => Some("the package would have no library, but a table for it"),
        ([.., "dependencies" | "dev-dependencies" | "build-dependencies", _], "path")
            if !has(&["version", "git", "url", "workspace"]) =>
        {
            Some("the dependency would have no source")
        }
        (["tool", "setuptools", "dynamic", _], "file") | (["tool", "hatch" | "pdm", "version"], "path") => {
            Some("the value is read from this file")
        }
        _ => None,
    }
}

/// Returns whether a container is removed because a value in it is removed. `all` is true if all values of the
/// container are removed.
fn is_removed_with(keys: &[&str], name: &str, all: bool) -> bool {
    match keys {
        // Targets of Cargo, packages of Poetry, sources of uv.
        [.., ELEMENT] => all || matches!(name, "path" | "from"),
        ["patch", _, _] | ["replace", _] | ["tool", "uv", "sources", _] => name == "path" || all,
        ["project", "readme" | "license"] => all || name == "file",
        ["tool", "setuptools", "dynamic", _, "file"] => all,
        _ => false,
    }
}
