//! The changes of a root that were carried out, and how to take one back.

use std::{collections::HashSet, path::PathBuf};

use marquetry_model::{Error, Kind, Result, limits, ports::Past};

use crate::{
    failure::io_error,
    journal::{self, Manifest},
    operation::{Contents, Moves, Operation, Plan, Step, Thing},
    state::State,
    tree::{Seen, Tree, What},
};

/// An entry of the history.
pub(crate) struct Entry {
    pub(crate) manifest: Manifest,
    path: PathBuf,
    pub(crate) undone: bool,
    /// It was taken back as far as others had not written to its files; the journal is kept for what they replaced.
    interrupted: bool,
}

impl Entry {
    pub(crate) fn past(&self) -> Past {
        let manifest = &self.manifest;
        Past {
            id: manifest.id.clone(),
            title: manifest.title.clone(),
            time: manifest.time,
            files: manifest.effects.iter().map(|effect| effect.name().to_owned()).collect(),
            undone: self.undone,
            interrupted: self.interrupted.then(|| self.path.to_string_lossy().into_owned()),
        }
    }
}

/// The files of the history with their numbers, latest first.
fn files(state: &State) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(state.changes()).into_iter().flatten().flatten();
    let numbered = entries.filter_map(|entry| {
        let number = entry.file_name().to_str()?.split_once('-')?.0.parse().ok()?;
        Some((number, entry.path()))
    });
    let mut files: Vec<(u64, PathBuf)> = numbered.collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files
}

/// An id that sorts after all others and will not come again, even when the history was cleared.
pub(crate) fn next_id(state: &State, plan: &Plan) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let number = files(state).first().map_or(1, |(number, _)| number + 1);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let seed = format!("{now} {} {} {}", std::process::id(), plan.title, plan.steps.len());
    let random = blake3::hash(seed.as_bytes());
    let letters = random.as_bytes().iter().take(5).map(|byte| char::from(DIGITS[usize::from(byte & 31)]));
    format!("{number}-{}", letters.collect::<String>())
}

/// The history, latest first: the changes that were carried out.
pub(crate) fn entries(state: &State) -> impl Iterator<Item = Entry> {
    all(state).filter(|entry| !entry.interrupted)
}

/// The same, with the changes that were interrupted and could not be taken back as a whole.
pub(crate) fn all(state: &State) -> impl Iterator<Item = Entry> {
    let mut undone = HashSet::new();
    let manifests = files(state).into_iter().filter_map(|(_, path)| Some((journal::read_manifest(&path)?, path)));
    // An entry is undone when a later one took it back that was not itself taken back.
    manifests.map(move |(manifest, path)| {
        let interrupted = path.extension().is_some();
        let is_undone = undone.contains(&manifest.id);
        if let (false, false, Some(other)) = (interrupted, is_undone, &manifest.undoes) {
            undone.insert(other.clone());
        }
        Entry { manifest, path, undone: is_undone, interrupted }
    })
}

/// The entry with this id, or the latest that can be taken back and is no taking back itself.
pub(crate) fn find(state: &State, id: Option<&str>) -> Result<Entry> {
    let Some(id) = id else {
        return entries(state).find(|entry| !entry.undone && entry.manifest.undoes.is_none()).ok_or_else(|| {
            Error::argument("there is no change to undo").hint("list the history to see what was done")
        });
    };
    let Some(found) = all(state).find(|entry| entry.manifest.id == id) else {
        let known = entries(state).filter(|entry| !entry.undone).map(|entry| entry.manifest.id);
        return Err(Error::argument(format!("there is no change `{id}` in the history"))
            .hint("the history keeps the latest changes only; use one of the candidates")
            .candidates(known.take(marquetry_model::nearest::MOST)));
    };
    if found.interrupted {
        return Err(Error::argument(format!("the change `{id}` was interrupted, and is taken back already"))
            .hint(format!("what stood in files that others wrote to meanwhile is kept in {}", found.path.display())));
    }
    if !found.undone {
        return Ok(found);
    }
    let by = entries(state).find(|entry| entry.manifest.undoes.as_deref() == Some(id) && !entry.undone);
    let by = by.map(|entry| entry.manifest.id).unwrap_or_default();
    Err(Error::argument(format!("the change `{id}` is undone already"))
        .hint(format!("undo `{by}` to carry it out again"))
        .candidates([by]))
}

/// Drop the oldest entries beyond the limits; the latest always stays.
pub(crate) fn prune(state: &State) {
    let mut bytes = 0;
    for (index, (_, path)) in files(state).into_iter().enumerate() {
        bytes += path.metadata().map_or(0, |metadata| metadata.len());
        if index > 0 && (index >= limits::HISTORY_ENTRIES || bytes > limits::HISTORY_BYTES) {
            // What cannot be dropped now is dropped after the next change.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The plan that takes an entry back; refused where the files are not as it left them.
pub(crate) fn inverse(tree: &Tree, state: &State, entry: &Entry) -> Result<Plan> {
    let broken = || Error::internal(format!("the history entry `{}` cannot be read", entry.manifest.id));
    let journal =
        journal::read(&entry.path).map_err(|error| io_error("read", &entry.path.to_string_lossy(), &error))?;
    let (manifest, contents) = journal.ok_or_else(broken)?;
    let moves = Moves::of(&manifest.operations);
    let mut inverse = Inverse { tree, moves: &moves, steps: Vec::new(), contents, changed: Vec::new() };
    for (index, operation) in manifest.operations.iter().enumerate().rev() {
        inverse.add(index, operation).map_err(|error| io_error("read", operation.path(), &error))?;
    }
    if !inverse.changed.is_empty() {
        return Err(refused(state, &manifest, inverse.changed));
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

/// Undoing an undoing is called redoing.
fn title(manifest: &Manifest) -> String {
    match (&manifest.undoes, manifest.title.split_once(' ')) {
        (Some(_), Some(("undo", rest))) => format!("redo {rest}"),
        (Some(_), Some(("redo", rest))) => format!("undo {rest}"),
        _ => format!("undo {}: {}", manifest.id, manifest.title),
    }
}

/// The files changed since; the later changes to undo first, if it was them.
fn refused(state: &State, manifest: &Manifest, changed: Vec<String>) -> Error {
    let files: HashSet<&str> = manifest.effects.iter().map(crate::operation::Effect::name).collect();
    let later = entries(state).take_while(|entry| entry.manifest.id != manifest.id);
    let later = later.filter(|entry| !entry.undone && entry.manifest.undoes.is_none());
    let touching = later.filter(|entry| {
        let sides = entry.manifest.effects.iter().flat_map(|effect| [&effect.before, &effect.after]);
        sides.flatten().any(|side| files.contains(side.name.as_str()))
    });
    let touching: Vec<String> = touching.map(|entry| format!("`{}`", entry.manifest.id)).collect();
    let hint = if touching.is_empty() {
        "they were changed from outside; nothing was written".to_owned()
    } else {
        format!("undo the later changes first: {}; nothing was written", touching.join(", "))
    };
    Error::new(Kind::Stale, format!("`{}` changed since `{}`", changed.join("`, `"), manifest.id))
        .hint(hint)
        .candidates(changed)
}

/// Builds the steps that lead back, last operation first.
struct Inverse<'a> {
    tree: &'a Tree,
    moves: &'a Moves<'a>,
    steps: Vec<Step>,
    contents: Contents,
    /// Files that are not as the change left them.
    changed: Vec<String>,
}

impl Inverse<'_> {
    fn push(&mut self, operation: Operation, expected: Vec<(String, Seen)>) {
        self.steps.push(Step { operation, expected, like: None });
    }

    fn add(&mut self, index: usize, operation: &Operation) -> std::io::Result<()> {
        let now = |path: &str| self.moves.at_end(path, index);
        match operation {
            Operation::Put { path, before, after } => {
                let at = now(path);
                let Some((thing, seen)) = self.holding(&at, after)? else { return Ok(()) };
                let back = match before {
                    Some(before) => Operation::Put { path: path.clone(), before: Some(thing), after: before.clone() },
                    None => Operation::Remove { path: path.clone(), before: thing },
                };
                self.push(back, vec![(path.clone(), seen)]);
                if let Some(step) = self.steps.last_mut() {
                    step.like = Some(at);
                }
            }
            Operation::Remove { path, before } => {
                self.free(path, &now(path))?;
                self.push(Operation::Put { path: path.clone(), before: None, after: before.clone() }, Vec::new());
            }
            Operation::Rename { from, to, thing, replaced, detour } => {
                let at = now(to);
                let seen = match thing {
                    Some(thing) => self.holding(&at, thing)?.map(|(_, seen)| seen),
                    None => self.tree.look(&at)?.filter(|seen| seen.what == What::Directory),
                };
                let Some(seen) = seen else {
                    self.missing(at);
                    return Ok(());
                };
                let expected = vec![(to.clone(), seen)];
                match (thing, replaced) {
                    // The path is filled again by what stood there before, so both appear anew.
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
                if let Some(seen) = self.tree.look(&now(path))?.filter(|seen| seen.what == What::Directory) {
                    let gone = Operation::RemoveDirectory { path: path.clone(), mode: seen.mode, tolerant: true };
                    self.push(gone, Vec::new());
                }
            }
            Operation::RemoveDirectory { path, mode, .. } => {
                if self.tree.look(&now(path))?.is_none() {
                    self.push(Operation::MakeDirectory { path: path.clone(), mode: Some(*mode) }, Vec::new());
                }
            }
        }
        Ok(())
    }

    /// What stands at a path, kept for taking the undo back, if it still holds what the change left there.
    fn holding(&mut self, path: &str, expected: &Thing) -> std::io::Result<Option<(Thing, Seen)>> {
        let found = crate::operation::take(self.tree, path, &mut self.contents)?;
        let found = found.filter(|(thing, _)| thing.holds_same(expected));
        if found.is_none() {
            self.missing(path.to_owned());
        }
        Ok(found)
    }

    /// Nothing may stand where something comes back, unless this very change put it there.
    fn free(&mut self, path: &str, now: &str) -> std::io::Result<()> {
        let vacated = self.steps.iter().any(|step| match &step.operation {
            Operation::Remove { path: gone, .. } | Operation::Rename { from: gone, .. } => gone == now || gone == path,
            _ => false,
        });
        if !vacated && self.tree.look(now)?.is_some() {
            self.missing(now.to_owned());
        }
        Ok(())
    }

    fn missing(&mut self, path: String) {
        if !self.changed.contains(&path) {
            self.changed.push(path);
        }
    }
}
