//! Plans the inverse of a change in the history, from its result back to the state before.

use std::collections::HashSet;

use marquetry_model::{Error, Kind, Result};

use super::{HistoryEntry, LoadedEntry, entries};
use crate::{
    errors::io_error,
    journal::Manifest,
    operation::{Contents, DirectoryMoves, FileState, Operation, Plan, Step},
    state::RootState,
    tree::{Seen, Tree, What},
};

/// Returns the plan that undoes an entry. Fails if the files have changed since.
pub(crate) fn inverse_plan(tree: &Tree, state: &RootState, whole: LoadedEntry) -> Result<Plan> {
    let LoadedEntry { entry: HistoryEntry { manifest, .. }, contents } = whole;
    let moves = DirectoryMoves::new(&manifest.operations);
    let (steps, changed, vacated) = (Vec::new(), Vec::new(), HashSet::new());
    let mut inverse = Inverse { tree, moves: &moves, steps, vacated, contents, changed };
    for (index, operation) in manifest.operations.iter().enumerate().rev() {
        inverse.add(index, operation).map_err(|error| io_error("read", operation.path(), &error))?;
    }
    if !inverse.changed.is_empty() {
        return Err(stale_undo_error(state, &manifest, inverse.changed));
    }
    let directories = inverse.steps.iter().filter_map(|step| match &step.operation {
        Operation::MakeDirectory { path, .. } => Some(path.clone()),
        _ => None,
    });
    Ok(Plan {
        title: title(&manifest),
        undoes: Some(manifest.id),
        directories: directories.collect(),
        steps: inverse.steps,
        contents: inverse.contents,
        effects: manifest.effects.into_iter().map(crate::operation::Effect::inverse).collect(),
    })
}

/// Returns the title of the change that undoes another one. Undoing an undo is called redo.
fn title(manifest: &Manifest) -> String {
    match (&manifest.undoes, manifest.title.split_once(' ')) {
        (Some(_), Some(("undo", rest))) => format!("redo {rest}"),
        (Some(_), Some(("redo", rest))) => format!("undo {rest}"),
        _ => format!("undo {}: {}", manifest.id, manifest.title),
    }
}

/// Error that lists the files that have changed since, and the later changes of these files, which must be undone
/// first.
fn stale_undo_error(state: &RootState, manifest: &Manifest, changed: Vec<String>) -> Error {
    let files: HashSet<&str> = manifest.effects.iter().map(crate::operation::Effect::name).collect();
    let later = entries(state).take_while(|entry| entry.manifest.id != manifest.id);
    let later = later.filter(|entry| !entry.undone && entry.manifest.undoes.is_none());
    let touching = later.filter(|entry| {
        let sides = entry.manifest.effects.iter().flat_map(|effect| [&effect.before, &effect.after]);
        sides.flatten().any(|side| files.contains(side.name.as_str()))
    });
    let touching: Vec<String> = touching.map(|entry| format!("`{}`", entry.manifest.id)).collect();
    let hint = if touching.is_empty() {
        "other programs changed them; nothing was written".to_owned()
    } else {
        format!("undo the later changes first: {}; nothing was written", touching.join(", "))
    };
    Error::new(Kind::Stale, format!("`{}` changed since `{}`", changed.join("`, `"), manifest.id))
        .hint(hint)
        .candidates(changed)
}

/// Builds the inverse steps, last operation first.
struct Inverse<'a> {
    tree: &'a Tree,
    moves: &'a DirectoryMoves<'a>,
    steps: Vec<Step>,
    /// Paths that the steps vacate.
    vacated: HashSet<String>,
    contents: Contents,
    /// Files that differ from the result of the change.
    changed: Vec<String>,
}

impl Inverse<'_> {
    fn push(&mut self, operation: Operation, expected: Vec<(String, Seen)>) {
        if let Operation::Remove { path, .. } | Operation::Rename { from: path, .. } = &operation {
            self.vacated.insert(path.clone());
        }
        self.steps.push(Step { operation, expected, attribute_source: None });
    }

    fn add(&mut self, index: usize, operation: &Operation) -> std::io::Result<()> {
        let now = |path: &str| self.moves.at_end(path, index);
        match operation {
            Operation::Put { path, before, after } => {
                let at = now(path);
                let Some((thing, seen)) = self.unchanged_state(&at, after)? else { return Ok(()) };
                let back = match before {
                    Some(before) => Operation::Put { path: path.clone(), before: Some(thing), after: before.clone() },
                    None => Operation::Remove { path: path.clone(), before: thing },
                };
                self.push(back, vec![(path.clone(), seen)]);
                if let Some(step) = self.steps.last_mut() {
                    step.attribute_source = Some(at);
                }
            }
            Operation::Remove { path, before } => {
                self.check_free(path, &now(path))?;
                self.push(Operation::Put { path: path.clone(), before: None, after: before.clone() }, Vec::new());
            }
            Operation::Rename { from, to, thing, replaced, detour } => {
                let at = now(to);
                let seen = match thing {
                    Some(thing) => self.unchanged_state(&at, thing)?.map(|(_, seen)| seen),
                    None => self.tree.metadata(&at)?.filter(|seen| seen.what == What::Directory),
                };
                let Some(seen) = seen else {
                    self.add_missing(at);
                    return Ok(());
                };
                let expected = vec![(to.clone(), seen)];
                match (thing, replaced) {
                    // The previous content comes back at the path, so both files are written.
                    (Some(thing), Some(replaced)) => {
                        let (before, after) = (Some(thing.clone()), replaced.clone());
                        self.push(
                            Operation::Put { path: from.clone(), before: None, after: thing.clone() },
                            Vec::new(),
                        );
                        self.push(Operation::Put { path: to.clone(), before, after }, expected);
                    }
                    _ => {
                        let (from, to) = (to.clone(), from.clone());
                        let thing = thing.clone();
                        self.push(Operation::Rename { from, to, thing, replaced: None, detour: *detour }, expected);
                    }
                }
            }
            Operation::MakeDirectory { path, .. } => {
                if let Some(seen) = self.tree.metadata(&now(path))?.filter(|seen| seen.what == What::Directory) {
                    let gone = Operation::RemoveDirectory { path: path.clone(), mode: seen.mode, tolerant: true };
                    self.push(gone, Vec::new());
                }
            }
            Operation::RemoveDirectory { path, mode, .. } => {
                if self.tree.metadata(&now(path))?.is_none() {
                    self.push(Operation::MakeDirectory { path: path.clone(), mode: Some(*mode) }, Vec::new());
                }
            }
        }
        Ok(())
    }

    /// Returns the file or link at a path if it still has the result of the change. Its content is kept, so that the
    /// undo can be undone.
    fn unchanged_state(&mut self, path: &str, expected: &FileState) -> std::io::Result<Option<(FileState, Seen)>> {
        let found = crate::operation::read_and_keep(self.tree, path, &mut self.contents)?;
        let found = found.filter(|(thing, _)| thing.has_same_content(expected));
        if found.is_none() {
            self.add_missing(path.to_owned());
        }
        Ok(found)
    }

    /// Fails if a file exists at a path to restore, unless the undo itself moves or removes that file.
    fn check_free(&mut self, path: &str, now: &str) -> std::io::Result<()> {
        let vacated = self.vacated.contains(now) || self.vacated.contains(path);
        if !vacated && self.tree.metadata(now)?.is_some() {
            self.add_missing(now.to_owned());
        }
        Ok(())
    }

    fn add_missing(&mut self, path: String) {
        if !self.changed.contains(&path) {
            self.changed.push(path);
        }
    }
}
