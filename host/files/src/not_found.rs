//! Errors about missing files.

use std::path::Path;

use ignore::WalkBuilder;
use marquetry_model::{Error, Kind, nearest::nearest_names};

use crate::paths::{join, path_text, split_parent};

/// Maximum number of entries searched for similar paths. This covers most projects and takes a few milliseconds.
const MAX_EXAMINED: usize = 20_000;

/// Error for a missing file, with the most similar paths.
pub(crate) fn not_found_error(root: &Path, name: &str) -> Error {
    let error = Error::new(Kind::FileNotFound, format!("`{name}` does not exist"));
    let candidates = similar_paths(root, name);
    if candidates.is_empty() {
        return error.hint("paths are relative to the workspace; list the parent folder to find the right one");
    }
    error.hint("use one of the candidates").candidates(candidates)
}

fn similar_paths(root: &Path, name: &str) -> Vec<String> {
    let (parent, _) = split_parent(name);
    let siblings = std::fs::read_dir(root.join(parent)).into_iter().flatten().flatten();
    let siblings = siblings.filter_map(|entry| Some(join(parent, entry.file_name().to_str()?)));
    let mut found = nearest_names(name, siblings);
    // A sibling whose name differs by an extension or a letter is the best candidate; otherwise all paths are searched.
    for path in nearest_names(name, all_paths(root)) {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found.truncate(marquetry_model::nearest::MAX_CANDIDATES);
    found
}

fn all_paths(root: &Path) -> impl Iterator<Item = String> {
    let walk = crate::walk::apply_ignore_rules(&mut WalkBuilder::new(root), root).build();
    let files = walk.flatten().take(MAX_EXAMINED).filter(|entry| entry.file_type().is_some_and(|kind| !kind.is_dir()));
    files.filter_map(move |entry| path_text(entry.path().strip_prefix(root).ok()?).ok())
}

/// Error for a directory where a file is needed, with its entries.
pub(crate) fn directory_error(root: &Path, name: &str) -> Error {
    let shown = if name.is_empty() { "." } else { name };
    let mut inside: Vec<String> = std::fs::read_dir(root.join(name))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some(join(name, entry.file_name().to_str()?)))
        .collect();
    inside.sort_unstable();
    inside.truncate(marquetry_model::nearest::MAX_CANDIDATES * 3);
    Error::argument(format!("`{shown}` is a directory")).hint("name a file in it").candidates(inside)
}
