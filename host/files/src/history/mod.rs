//! Completed changes of a root.

mod budget;
mod inverse;
mod purge;
mod replaced;
mod tally;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use marquetry_model::{Error, Kind, Result, Work, ports::PastChange};

pub use budget::HistoryBudget;
pub(crate) use budget::{add_entry_and_trim, report_lost_undo};
pub(crate) use inverse::inverse_plan;
pub use purge::Purge;
pub(crate) use purge::purge;
pub(crate) use replaced::replaced_files;
pub(crate) use tally::Tally;

use crate::{
    journal::{self, Manifest},
    operation::{Contents, Plan},
    recovery_marker::{self, MarkerState},
    state::RootState,
    tree::Tree,
};

/// An entry of the history.
pub(crate) struct HistoryEntry {
    pub(crate) manifest: Manifest,
    path: PathBuf,
    pub(crate) undone: bool,
    /// True if the change was interrupted and only partly rolled back, because other programs had written to its files.
    /// The journal is kept for the replaced contents.
    interrupted: bool,
}

impl HistoryEntry {
    pub(crate) fn past_change(&self) -> PastChange {
        let manifest = &self.manifest;
        PastChange {
            id: manifest.id.clone(),
            title: manifest.title.clone(),
            time: manifest.time,
            files: manifest.effects.iter().map(|effect| effect.name().to_owned()).collect(),
            undone: self.undone,
            interrupted: self.interrupted.then(|| self.path.to_string_lossy().into_owned()),
            origin: manifest.origin(),
            purged: manifest.purged.clone(),
        }
    }
}

/// Returns the files of the history with their numbers, latest first.
fn entry_files(state: &RootState) -> Vec<(u64, PathBuf)> {
    let entries = std::fs::read_dir(state.changes()).into_iter().flatten().flatten();
    let numbered = entries.filter_map(|entry| {
        let path = entry.path();
        Some((entry_number(&path)?, path))
    });
    let mut files: Vec<(u64, PathBuf)> = numbered.collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files
}

/// Returns the number of an entry; `None` if the file is not an entry.
fn entry_number(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.split_once('-')?.0.parse().ok()
}

/// Returns an id that sorts after all others and is never reused, even if the history was cleared.
pub(crate) fn next_id(tally: &Tally, plan: &Plan) -> String {
    const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let number = tally.latest.saturating_add(1);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let seed = format!("{now} {} {} {}", std::process::id(), plan.title, plan.steps.len());
    let random = blake3::hash(seed.as_bytes());
    let letters = random.as_bytes().iter().take(5).map(|byte| char::from(DIGITS[usize::from(byte & 31)]));
    format!("{number}-{}", letters.collect::<String>())
}

/// Removes the markers of the latest change if it was interrupted after its commit. Without its entry, it
/// would be unknown which change the markers belong to.
pub(crate) fn remove_latest_markers(state: &RootState, tree: &Tree, tally: &Tally) {
    if !tally.was_recounted {
        return;
    }
    let latest = entry_files(state).into_iter().find(|(_, path)| path.extension().is_none());
    let Some(manifest) = latest.and_then(|(_, path)| journal::read_manifest(&path)) else { return };
    for known in &manifest.markers {
        let folder = tree.root().join(&known.folder);
        if let Ok(MarkerState::Marker(marker, _)) = recovery_marker::read(&folder)
            && marker.id == manifest.id
        {
            // If a marker cannot be removed, the next process that finds it removes it.
            let _ = recovery_marker::remove(tree, &known.folder);
        }
    }
}

/// Returns completed changes, latest first.
pub(crate) fn entries(state: &RootState) -> impl Iterator<Item = HistoryEntry> {
    all_entries(state).filter(|entry| !entry.interrupted)
}

/// Returns completed changes, and interrupted ones that could not be rolled back completely.
pub(crate) fn all_entries(state: &RootState) -> impl Iterator<Item = HistoryEntry> {
    let mut undone = HashSet::new();
    let manifests = entry_files(state).into_iter().filter_map(|(_, path)| Some((journal::read_manifest(&path)?, path)));
    // An entry is undone if a later entry undid it and was not itself undone.
    manifests.map(move |(manifest, path)| {
        let interrupted = path.extension().is_some();
        let is_undone = undone.contains(&manifest.id);
        if let (false, false, Some(other)) = (interrupted, is_undone, &manifest.undoes) {
            undone.insert(other.clone());
        }
        HistoryEntry { manifest, path, undone: is_undone, interrupted }
    })
}

/// Returns the entry with this id, or the latest that can be undone and is not itself an undo. Without an id, damaged
/// entries are skipped.
pub(crate) fn find_entry(state: &RootState, id: Option<&str>, work: &Work) -> Result<LoadedEntry> {
    let Some(id) = id else {
        for entry in entries(state).filter(|entry| !entry.undone && entry.manifest.undoes.is_none()) {
            match entry.load() {
                Ok(whole) => return Ok(whole),
                Err(error) => work.add_note(error.content().message.clone()),
            }
        }
        return Err(nothing_to_undo_error(state));
    };
    let others = || {
        let known = entries(state).filter(|entry| !entry.undone).map(|entry| entry.manifest.id);
        known.filter(|other| other != id).take(marquetry_model::nearest::MAX_CANDIDATES).collect::<Vec<String>>()
    };
    let Some(found) = all_entries(state).find(|entry| entry.manifest.id == id) else {
        if journal::is_id(id) && journal::is_of_another_version(&state.changes().join(id)) {
            return Err(other_version_error(&format!("the change `{id}` was")));
        }
        let error = Error::argument(format!("there is no change `{id}` in the history"));
        return Err(match others() {
            none if none.is_empty() => error.hint("there is no change that could be undone"),
            others => {
                error.hint("the history keeps the latest changes only; use one of the candidates").candidates(others)
            }
        });
    };
    if found.interrupted {
        return Err(Error::argument(format!("the change `{id}` was interrupted, and was already rolled back")).hint(
            format!("the replaced content of files that other programs changed is kept in {}", found.path.display()),
        ));
    }
    if !found.undone {
        return found.load().map_err(|error| error.candidates(others()));
    }
    let by = entries(state).find(|entry| entry.manifest.undoes.as_deref() == Some(id) && !entry.undone);
    let by = by.map(|entry| entry.manifest.id).unwrap_or_default();
    Err(Error::argument(format!("the change `{id}` was already undone"))
        .hint(format!("undo `{by}` to redo it"))
        .candidates([by]))
}

fn nothing_to_undo_error(state: &RootState) -> Error {
    let others = entry_files(state).iter().filter(|(_, path)| journal::is_of_another_version(path)).count();
    match others {
        0 => Error::argument("there is no change to undo").hint("list the history to see what was done"),
        1 => other_version_error("the only change in the history was"),
        _ => other_version_error(&format!("the {others} changes in the history were")),
    }
}

fn other_version_error(which: &str) -> Error {
    Error::new(Kind::Unsupported, format!("{which} made by another version of marq, which this one cannot read"))
        .hint("undo it with that version")
}

/// An entry with its contents.
pub(crate) struct LoadedEntry {
    pub(crate) entry: HistoryEntry,
    contents: Contents,
}

impl HistoryEntry {
    /// Reads the contents; fails if they are damaged.
    fn load(self) -> Result<LoadedEntry> {
        if !self.manifest.purged.is_empty() {
            let (id, purged) = (&self.manifest.id, self.manifest.purged.join("`, `"));
            let message =
                format!("the change `{id}` cannot be undone: the content it replaced in `{purged}` was purged");
            return Err(Error::new(Kind::Unsupported, message).hint("other changes can still be undone"));
        }
        let damaged = |why: &str| {
            let place = self.path.display();
            let message = format!("the change `{}` cannot be undone: its entry {place} {why}", self.manifest.id);
            Error::new(Kind::Unsupported, message)
                .hint("restore the file as it was, or undo the change by hand; other changes can still be undone")
        };
        match journal::read(&self.path) {
            Ok(Some((_, contents))) => Ok(LoadedEntry { entry: self, contents }),
            Ok(None) => Err(damaged("is damaged")),
            Err(error) => Err(damaged(&format!("cannot be read: {error}"))),
        }
    }
}

/// Reads all entries of the history and describes the damaged ones.
pub(crate) fn damaged_entries(state: &RootState) -> Vec<String> {
    let wrong = |path: PathBuf| match journal::read(&path) {
        Ok(Some(_)) => None,
        Ok(None) => Some(format!("{} is damaged; its change cannot be undone", path.display())),
        Err(error) => Some(format!("{} cannot be read: {error}; its change cannot be undone", path.display())),
    };
    entry_files(state).into_iter().filter_map(|(_, path)| wrong(path)).collect()
}
