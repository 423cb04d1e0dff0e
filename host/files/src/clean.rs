//! Removal of data from a state folder: states of roots that no longer exist, and contents that the user wants to
//! purge. A removal takes the same lock as a change, so it cannot interfere with a running change.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use marquetry_model::{Error, Kind, Result, StaleData, Work};

use crate::{
    errors::io_error,
    history::{self, HistoryBudget, Purge},
    protected::Protection,
    root::{Root, Settings},
    state::{PENDING, RootState},
    system,
};

/// The state of one root in a state folder.
struct StoredState {
    folder: PathBuf,
    root: PathBuf,
}

/// Returns the states of all roots in a state folder that belong to this user.
fn stored_states(state: &Path) -> Vec<StoredState> {
    let folders = fs::read_dir(state).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut kept: Vec<StoredState> = folders
        .filter_map(|folder| {
            let kept = StoredState { root: RootState::root_of(&folder)?, folder };
            kept.state(state).check_private().is_ok().then_some(kept)
        })
        .collect();
    kept.sort_by(|a, b| a.root.cmp(&b.root));
    kept
}

impl StoredState {
    fn is_root_missing(&self) -> bool {
        self.root.symlink_metadata().is_err()
    }

    fn state(&self, state: &Path) -> RootState {
        RootState::new(state, &self.root.to_string_lossy(), HistoryBudget::default().age)
    }

    /// Locks the state of a missing root against other clean-ups. A missing root cannot be changed, so the directories
    /// above it need no lock.
    fn lock(&self) -> Result<File> {
        let locks = self.folder.join("locks");
        let path = locks.join("clean");
        let file = system::make_private(&locks).and_then(|()| system::open_private(&path));
        let file = file.map_err(|error| io_error("lock", &path.to_string_lossy(), &error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let busy = format!("another process is cleaning up the history of `{}`", self.root.display());
                Err(Error::new(Kind::LimitExceeded, busy).hint("repeat the call when it is done"))
            }
            // On file systems without locks, concurrent clean-ups are not excluded.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        }
    }
}

/// File extension of a state that is being removed.
const REMOVAL_EXTENSION: &str = "gone";

/// Returns the states of missing roots. A state with an interrupted change is not stale, because the root may have been
/// renamed.
pub fn stale_states(state: &Path) -> Vec<StaleData> {
    let gone =
        stored_states(state).into_iter().filter(|kept| kept.is_root_missing() && !kept.state(state).is_pending());
    let gone = gone.map(|kept| (format!("history of {}, which no longer exists", kept.root.display()), kept.folder));
    let rest = interrupted_removals(state)
        .into_iter()
        .map(|folder| ("history whose removal was interrupted".to_owned(), folder));
    gone.chain(rest).map(|(reason, path)| StaleData { bytes: folder_size(&path), reason, path }).collect()
}

/// Returns states whose removal was interrupted.
fn interrupted_removals(state: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(state).into_iter().flatten().flatten().map(|entry| entry.path());
    folders
        .filter(|folder| {
            folder.extension().is_some_and(|end| end == REMOVAL_EXTENSION) && folder.join("changes").is_dir()
        })
        .collect()
}

/// Removes a state that was renamed for removal. If the root exists again, renames the state back instead. Returns
/// whether it was removed.
fn finish_removal(gone: &Path, is_needed: impl Fn() -> bool) -> io::Result<bool> {
    let is_pending = gone.join("changes").join(PENDING).symlink_metadata().is_ok();
    if (is_pending || is_needed()) && fs::rename(gone, gone.with_extension("")).is_ok() {
        return Ok(false);
    }
    fs::remove_dir_all(gone).map(|()| true)
}

/// Removes a stale state. Returns false if the state is needed again.
///
/// # Errors
/// Fails if the state cannot be removed, or if another process is removing it.
pub fn remove_state(state: &Path, stale: &StaleData) -> Result<bool> {
    let failed = |error: io::Error| io_error("remove", &stale.path.to_string_lossy(), &error);
    if interrupted_removals(state).contains(&stale.path) {
        return finish_removal(&stale.path, || false).map_err(failed);
    }
    let Some(kept) = stored_states(state).into_iter().find(|kept| kept.folder == stale.path) else {
        return Ok(false);
    };
    let _lock = kept.lock()?;
    // The root may exist again, and a change may start now. Either it has not written anything yet and does not find
    // the renamed state, or `finish_removal` sees it and renames the state back.
    let gone = kept.folder.with_extension(REMOVAL_EXTENSION);
    fs::rename(&kept.folder, &gone).map_err(failed)?;
    finish_removal(&gone, || !kept.is_root_missing()).map_err(failed)
}

/// Purges the contents of an absolute path, and of paths below it, from the history of every root that contains it or
/// is below it.
///
/// # Errors
/// Fails if the history cannot be written, or if an interrupted change of the root cannot be rolled back first.
pub fn purge(state: &Path, path: &Path, dry_run: bool, work: &Work) -> Result<Vec<Purge>> {
    let mut purged = Vec::new();
    for kept in stored_states(state) {
        let name = match (path.strip_prefix(&kept.root), kept.root.starts_with(path)) {
            (Ok(name), _) => name.to_string_lossy().into_owned(),
            (_, true) => String::new(),
            _ => continue,
        };
        let failed = |error: std::io::Error| io_error("purge the history of", &kept.root.to_string_lossy(), &error);
        let own = kept.state(state);
        let settings =
            Settings { state: state.to_owned(), probe: None, protect: true, budget: HistoryBudget::default() };
        let (is_gone, is_there) = (!dry_run && kept.is_root_missing(), !dry_run && !kept.is_root_missing());
        let root = is_there.then(|| Root::new(kept.root.clone(), &settings, Protection::Nothing)).transpose()?;
        // These locks exclude concurrent changes.
        let _begun = root.as_ref().map(|root| root.begin_change(work)).transpose()?;
        let _lock = is_gone.then(|| kept.lock()).transpose()?;
        if !dry_run && own.is_pending() {
            let why =
                format!("a change of `{}` was interrupted, and its journal may contain `{name}`", kept.root.display());
            return Err(Error::new(Kind::Unsupported, why)
                .hint("open the folder by its new name, or restore it, so that the change is rolled back"));
        }
        let mut purge = history::purge(&own, &name, dry_run).map_err(failed)?;
        if !purge.changes.is_empty() || !purge.unreadable.is_empty() {
            purge.root = kept.root.display().to_string();
            purged.push(purge);
        }
    }
    Ok(purged)
}

/// Returns the total size of all files in a folder.
fn folder_size(folder: &Path) -> u64 {
    let (mut bytes, mut folders) = (0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                Ok(metadata) => bytes += metadata.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}
