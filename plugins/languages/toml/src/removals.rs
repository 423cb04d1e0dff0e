//! Tables that are removed with the path in them, such as a `[[bin]]`, and paths that are not removed because the rest
//! would be invalid, such as the only source of a dependency.
//!
//! The rules need no names of files: the references of each kind of file are at other keys.

use marquetry_jsonpath::{Kind, Tree};
use marquetry_sdk::{
    FailureKind, Result, fail, paths,
    workspace::{self, EntryKind},
};

use crate::{source::Source, table::Id};

/// Matches any element of an array in a path of keys.
const ELEMENT: &str = "[]";
/// Maximum depth of values to visit.
const DEEPEST: usize = 100;
/// Path of a library for which the manifest names no path.
const DEFAULT_LIBRARY: &str = "src/lib.rs";

/// The values to remove, sorted. A table that only describes a file is removed as a whole.
///
/// # Errors
///
/// Fails with `Unsupported` if the table around a path would be invalid without it.
pub(crate) fn with_tables(source: Source<'_>, path: &str, removed: Vec<Id>) -> Result<Vec<Id>> {
    let library = paths::join(paths::folder(path), DEFAULT_LIBRARY);
    let has_library = library.is_some_and(|path| workspace::stat(&path) == Some(EntryKind::File));
    let mut walk = Walk { source, has_library, removed, removals: Vec::new(), refusal: None };
    walk.visit(source.root(), &mut Vec::new());
    match walk.refusal {
        Some((name, why)) => Err(fail(FailureKind::Unsupported, format!("`{name}` cannot be removed alone: {why}"))
            .hint("edit the table by hand")),
        None => {
            walk.removals.sort_unstable();
            Ok(walk.removals)
        }
    }
}

struct Walk<'d> {
    source: Source<'d>,
    /// True if the default file of a library exists.
    has_library: bool,
    removed: Vec<Id>,
    removals: Vec<Id>,
    /// Keys of a path that cannot be removed, and the reason.
    refusal: Option<(String, &'static str)>,
}

impl Walk<'_> {
    /// Returns whether the value is removed. Recursion ends at [`DEEPEST`].
    fn visit(&mut self, node: Id, keys: &mut Vec<String>) -> bool {
        if self.removed.binary_search(&node).is_ok() {
            self.removals.push(node);
            return true;
        }
        if keys.len() > DEEPEST {
            return false;
        }
        let source = self.source;
        let inside: Vec<(String, Id)> = match source.kind(node) {
            Kind::Object => source.members(node).map(|(key, value)| (key.into_owned(), value)).collect(),
            Kind::Array => source.children(node).map(|element| (ELEMENT.to_owned(), element)).collect(),
            _ => return false,
        };
        let (before, count) = (self.removals.len(), inside.len());
        let mut gone: Vec<String> = Vec::new();
        for (key, value) in inside {
            keys.push(key);
            let goes = self.visit(value, keys);
            gone.extend(keys.pop().filter(|_| goes));
        }
        let Some(name) = gone.first() else { return false };
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        if is_removed_with(&keys, name, gone.len() == count) {
            self.removals.truncate(before);
            self.removals.push(node);
            return true;
        }
        let has = |names: &[&str]| {
            let is_kept = |name: &&str| !gone.iter().any(|gone| gone == name);
            names.iter().any(|name| is_kept(name) && source.member(node, name).is_some())
        };
        let refused = gone.iter().find_map(|name| Some((name, self.reason_to_keep(&keys, name, &has)?)));
        if let Some((name, why)) = refused {
            let shown = keys.iter().copied().chain([name.as_str()]).filter(|key| *key != ELEMENT);
            self.refusal.get_or_insert((shown.collect::<Vec<_>>().join("."), why));
        }
        false
    }

    /// The reason why a path in the table at these keys is kept; `has` returns whether it has one of some keys that
    /// remain.
    fn reason_to_keep(&self, keys: &[&str], name: &str, has: &dyn Fn(&[&str]) -> bool) -> Option<&'static str> {
        match (keys, name) {
            (["lib"], "path") if !self.has_library => Some("the package would have no library, but a table for it"),
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
}

/// Returns whether a container is removed because a value in it is removed; `all` is true if it has no other.
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
