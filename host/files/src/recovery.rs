//! Recovery of an interrupted change from a marker that no lock protects: the change is rolled back from its journal.
//! Neither a marker alone nor a journal alone is trusted, see `recovery_marker`.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use marquetry_model::{Error, Kind, Result};

use crate::{
    errors::io_error,
    journal::{self, Manifest},
    lock::Lock,
    one_step_recovery::{self, StepState},
    operation::{Contents, is_one_step},
    recovery_marker::{self, Marker, MarkerState, Seal},
    rollback::roll_back,
    state::RootState,
    system::sync_directory,
    tombstone,
    tree::{Probe, Tree},
};

/// Result of recovery.
pub(crate) enum RecoveryResult {
    /// The recovery is complete. Contains a message about it if the user should be informed.
    Done(Option<String>),
    /// The marker is not valid for this user; with the reason.
    Foreign(String),
}

/// The journal that a marker refers to.
pub(crate) enum JournalState {
    /// The change was finished, had not begun, or was rolled back.
    Finished,
    /// The process that executes it is still running.
    Running,
    /// The journal is missing.
    Missing,
    /// The journal records this marker.
    Sealed(Box<ValidJournal>),
    /// The journal does not record this marker, only another one.
    Unrelated(PathBuf),
}

/// A valid journal.
pub(crate) struct ValidJournal {
    path: PathBuf,
    pub(crate) manifest: Manifest,
    contents: Contents,
    /// True if the journal records this marker. If false, the marker is a copy, and the original marker may be
    /// elsewhere and still need the journal.
    is_original: bool,
}

/// Rolls back the change of the marker in a directory. The lock proves that the change is not running.
pub(crate) fn recover(folder: &Path, probe: &Probe, _lock: &Lock) -> Result<RecoveryResult> {
    let place = folder.join(recovery_marker::NAME);
    let failed = |error: io::Error| blocked_error(&place, &error);
    let tree = Tree::new(folder.to_owned(), probe.clone());
    let (marker, seal) = match recovery_marker::read(folder).map_err(failed)? {
        MarkerState::Nothing => return Ok(RecoveryResult::Done(None)),
        MarkerState::Foreign(why) => return Ok(RecoveryResult::Foreign(why)),
        MarkerState::Incomplete => {
            recovery_marker::remove(&tree, "").map_err(failed)?;
            return Ok(RecoveryResult::Done(None));
        }
        MarkerState::Marker(marker, seal) => (marker, seal),
    };
    match find_journal(folder, &marker, &seal).map_err(|error| blocked_error(&marker.journal, &error))? {
        JournalState::Finished => remove_finished_markers(folder, &marker, &seal, probe).map_err(failed)?,
        JournalState::Running => return Err(still_running_error(&marker.journal, &marker.id)),
        // An atomic step is never half done.
        JournalState::Missing | JournalState::Unrelated(_) if marker.alone => {
            recovery_marker::remove(&tree, "").map_err(failed)?
        }
        JournalState::Missing => return Err(missing_journal_error(&place, &marker)),
        JournalState::Unrelated(_) => return Err(unrelated_marker_error(&place, &marker)),
        JournalState::Sealed(sealed) => {
            let path = sealed.path.clone();
            let message = finish_recovery(folder, &seal, *sealed, probe);
            return message.map(RecoveryResult::Done).map_err(|error| blocked_error(&path, &error));
        }
    }
    Ok(RecoveryResult::Done(None))
}

/// Rolls back the change of a copied marker after the user confirmed it. The change is identified by its id, and each
/// file by its content. Returns a message about the result.
pub(crate) fn roll_back_copy(folder: &Path, probe: &Probe, _lock: &Lock) -> Result<String> {
    let place = folder.join(recovery_marker::NAME);
    let failed = |error: io::Error| blocked_error(&place, &error);
    let MarkerState::Marker(marker, seal) = recovery_marker::read(folder).map_err(failed)? else {
        return Err(Error::argument(format!("`{}` is not a marker of an interrupted change", place.display())));
    };
    for path in journal_paths(&marker) {
        if journal::read_id_or_manifest(&path).as_deref() != Some(&*marker.id) {
            continue;
        }
        if journal::is_running(&path) {
            return Err(still_running_error(&path, &marker.id));
        }
        let Some((manifest, contents)) = journal::read(&path).map_err(|error| blocked_error(&path, &error))? else {
            continue;
        };
        // The longest matching name is the right one: the name of the root itself is empty and always matches.
        let names = manifest.markers.iter().map(|known| known.folder.clone());
        let own = names.filter(|name| manifest.markers.len() == 1 || folder.ends_with(name)).max_by_key(String::len);
        let Some(own) = own else { continue };
        let manifest = manifest.with_seal(&own, &seal);
        let sealed = ValidJournal { path: path.clone(), manifest, contents, is_original: false };
        let message = finish_recovery(folder, &seal, sealed, probe).map_err(|error| blocked_error(&path, &error))?;
        return Ok(message.unwrap_or_default());
    }
    Err(missing_journal_error(&place, &marker))
}

/// Returns the possible locations of a marker's journal. If another root was created later at the same path, the
/// journal may have been renamed to make room for that root's journal.
fn journal_paths(marker: &Marker) -> Vec<PathBuf> {
    if !journal::is_id(&marker.id) || !marker.journal.is_absolute() {
        return Vec::new();
    }
    vec![kept_path(&marker.journal, &marker.id, KeepReason::Needed), marker.journal.clone()]
}

/// Returns the journal of a marker in a directory.
pub(crate) fn find_journal(folder: &Path, marker: &Marker, seal: &Seal) -> io::Result<JournalState> {
    let mut strange = None;
    let journals = journal_paths(marker);
    if journals.is_empty() {
        return Ok(JournalState::Missing);
    }
    for path in journals {
        // Contents of other changes' journals are not read.
        if journal::read_id_or_manifest(&path).is_some_and(|id| id != marker.id) {
            continue;
        }
        if journal::is_running(&path) {
            return Ok(JournalState::Running);
        }
        let (manifest, contents) = match journal::read(&path) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(error) => return Err(error),
            Ok(None) => return Ok(JournalState::Finished),
            // Another journal has just replaced the one of this change.
            Ok(Some((manifest, _))) if manifest.id != marker.id => continue,
            Ok(Some(whole)) => whole,
        };
        let is_original = manifest.markers.iter().any(|known| known.is_same_marker(seal));
        let manifest = match (is_original, folder_in_journal(&path, &manifest, folder)) {
            (true, _) => manifest,
            (false, Some(own)) => manifest.with_seal(&own, seal),
            (false, None) => {
                strange = Some(path);
                continue;
            }
        };
        return Ok(JournalState::Sealed(Box::new(ValidJournal { path, manifest, contents, is_original })));
    }
    let finished = marker.journal.with_file_name(&marker.id);
    let over = [
        finished,
        tombstone::path(&marker.journal, &marker.id),
        kept_path(&marker.journal, &marker.id, KeepReason::Over),
    ];
    if over.iter().any(|path| path.symlink_metadata().is_ok()) {
        return Ok(JournalState::Finished);
    }
    Ok(strange.map_or(JournalState::Missing, JournalState::Unrelated))
}

/// Returns a directory's name in a journal if the journal has a marker there. The journal is private and no other user
/// knows the change's id, so a marker with this id in this location belongs to the change, even if the file system gave
/// it another inode.
fn folder_in_journal(journal: &Path, manifest: &Manifest, folder: &Path) -> Option<String> {
    let root = RootState::root_of(journal.parent()?.parent()?)?;
    manifest.markers.iter().find(|known| root.join(&known.folder) == folder).map(|known| known.folder.clone())
}

/// Returns tree and manifest of an interrupted change, relative to a directory with one of its markers.
pub(crate) fn relative_to_folder(
    folder: &Path,
    seal: &Seal,
    manifest: Manifest,
    probe: &Probe,
) -> io::Result<(Tree, Manifest)> {
    let elsewhere = || io::Error::new(ErrorKind::NotFound, "a folder above was renamed since");
    let own = manifest.markers.iter().find(|known| known.is_same_marker(seal)).map(|known| known.folder.clone());
    let own = own.ok_or_else(elsewhere)?;
    if manifest.markers.len() == 1 {
        // Everything that the change touched is below this folder, so renamed parent directories do not matter.
        let manifest = manifest.relative_to(&own).ok_or_else(elsewhere)?;
        return Ok((Tree::new(folder.to_owned(), probe.clone()), manifest));
    }
    if !folder.ends_with(&own) {
        return Err(elsewhere());
    }
    let root = folder.ancestors().nth(Path::new(&own).components().count()).ok_or_else(elsewhere)?;
    Ok((Tree::new(root.to_owned(), probe.clone()), manifest))
}

/// Rolls back a change, renames the journal to record that, removes the markers, and then removes the journal. After an
/// interruption between these steps, recovery continues from any of the markers.
fn finish_recovery(folder: &Path, seal: &Seal, sealed: ValidJournal, probe: &Probe) -> io::Result<Option<String>> {
    let ValidJournal { path, manifest, contents, is_original } = sealed;
    let (tree, manifest) = relative_to_folder(folder, seal, manifest, probe)?;
    let foreign = roll_back(&tree, &manifest, &contents)?;
    tree.probe("drop journal");
    let Manifest { id, title, .. } = &manifest;
    if foreign.is_empty() && is_original {
        let tombstone = tombstone::create(&path, id)?;
        remove_markers(&tree, &manifest)?;
        tree.probe("drop journal");
        tombstone::remove(&tombstone)?;
        return Ok(None);
    }
    let keep = if is_original { KeepReason::Over } else { KeepReason::Needed };
    let kept = set_aside(&path, id, keep)?;
    remove_markers(&tree, &manifest)?;
    let mut message = format!("the change `{id}` ({title}) was interrupted and is rolled back");
    if !foreign.is_empty() {
        // Other programs wrote to its files, so the replaced contents are kept next to the history.
        message += &format!(", except for `{}`, which other programs changed meanwhile", foreign.join("`, `"));
    }
    Ok(Some(format!("{message}; the previous content is kept in {}", kept.display())))
}

fn remove_markers(tree: &Tree, manifest: &Manifest) -> io::Result<()> {
    for seal in &manifest.markers {
        recovery_marker::remove(tree, &seal.folder)?;
        match tree.sync_directory(&seal.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

/// Removes the markers of a change that is over, and its tombstone. Without a tombstone, removes only the marker in the
/// folder.
fn remove_finished_markers(folder: &Path, marker: &Marker, seal: &Seal, probe: &Probe) -> io::Result<()> {
    let tombstone = tombstone::path(&marker.journal, &marker.id);
    let manifest = if journal::is_id(&marker.id) { journal::read_manifest(&tombstone) } else { None };
    if let Some((tree, manifest)) = manifest.and_then(|manifest| relative_to_folder(folder, seal, manifest, probe).ok())
    {
        remove_markers(&tree, &manifest)?;
        return tombstone::remove(&tombstone);
    }
    recovery_marker::remove(&Tree::new(folder.to_owned(), probe.clone()), "")
}

/// The reason for which a journal is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeepReason {
    /// The change is over and is never rolled back; the journal is kept only for the contents in it.
    Over,
    /// The change may be half done in a folder that was moved.
    Needed,
}

fn kept_path(journal: &Path, id: &str, kept: KeepReason) -> PathBuf {
    let end = if kept == KeepReason::Over { "kept" } else { "interrupted" };
    journal.with_file_name(format!("{id}.{end}"))
}

/// Renames a journal to make room for the next one.
fn set_aside(path: &Path, id: &str, why: KeepReason) -> io::Result<PathBuf> {
    let kept = kept_path(path, id, why);
    std::fs::rename(path, &kept)?;
    sync_directory(path.parent().unwrap_or(path))?;
    Ok(kept)
}

/// Rolls back an interrupted change of this root, and removes or renames its journal so that the next change can write
/// one. `lock` is the lock of the root.
pub(crate) fn recover_own(state: &RootState, tree: &Tree, probe: &Probe, lock: &Lock) -> Result<Option<String>> {
    let pending = state.pending();
    if !state.is_pending() {
        return Ok(None);
    }
    if journal::is_running(&pending) {
        return Err(still_running_error(&pending, &journal::read_id(&pending).unwrap_or_default()));
    }
    let (mut messages, mut all_were_there) = (Vec::new(), true);
    for folder in journal::read_marker_folders(&pending) {
        let folder = tree.root().join(folder);
        if !recovery_marker::exists(&folder) {
            all_were_there = false;
        } else if let RecoveryResult::Done(Some(more)) = recover(&folder, probe, lock)? {
            messages.push(more);
        }
    }
    let failed = |error: io::Error| blocked_error(&pending, &error);
    if state.is_pending() {
        tree.probe("drop journal");
        match journal::read(&pending).map_err(failed)? {
            None => drop_unfinished(state, all_were_there).map_err(failed)?,
            Some((manifest, _)) => messages.extend(recover_unmarked(state, tree, &manifest).map_err(failed)?),
        }
    }
    Ok((!messages.is_empty()).then(|| messages.join("; ")))
}

/// Removes an unfinished journal, whose change had not written anything yet. A missing marker may have moved with its
/// folder, so a tombstone remains: it shows a process that finds the marker that the change is over.
fn drop_unfinished(state: &RootState, all_were_there: bool) -> io::Result<()> {
    let pending = state.pending();
    match journal::read_id(&pending) {
        Some(id) if !all_were_there => tombstone::create(&pending, &id).map(drop),
        _ => std::fs::remove_file(&pending).and_then(|()| sync_directory(&state.changes())),
    }
}

/// Removes the journal and markers of a change that this process announced but did not begin.
pub(crate) fn retract_change(state: &RootState, tree: &Tree, id: &str) -> io::Result<()> {
    let pending = state.pending();
    if journal::read_id(&pending).as_deref() == Some(id) {
        for folder in journal::read_marker_folders(&pending) {
            let is_own = match recovery_marker::read(&tree.root().join(&folder))? {
                MarkerState::Incomplete => true,
                MarkerState::Marker(marker, _) => marker.id == id,
                MarkerState::Nothing | MarkerState::Foreign(_) => false,
            };
            if is_own {
                recovery_marker::remove(tree, &folder)?;
            }
        }
    }
    tree.probe("drop journal");
    std::fs::remove_file(&pending)?;
    sync_directory(&state.changes())
}

/// Handles a journal of this root that no marker refers to. Returns a message about the result, if any.
fn recover_unmarked(state: &RootState, tree: &Tree, manifest: &Manifest) -> io::Result<Option<String>> {
    let (pending, Manifest { id, title, .. }) = (state.pending(), manifest);
    let came = is_one_step(&manifest.operations).then(|| one_step_recovery::clean_up(tree, manifest)).transpose()?;
    match &came {
        Some(StepState::NotExecuted) => std::fs::remove_file(&pending)?,
        Some(StepState::Executed) => std::fs::rename(&pending, state.changes().join(id))?,
        Some(StepState::Foreign(path)) => {
            let kept = set_aside(&pending, id, KeepReason::Needed)?.display().to_string();
            return Ok(Some(format!(
                "the change `{id}` ({title}) was interrupted, and other programs changed `{path}` since: it is left \
                 as it is, and the replaced content is kept in {kept}"
            )));
        }
        None => {
            let kept = set_aside(&pending, id, KeepReason::Needed)?.display().to_string();
            return Ok(Some(format!(
                "the change `{id}` ({title}) was interrupted in a folder that no longer exists, or that lost its \
                 marker: no file was changed, and the replaced content is kept in {kept}"
            )));
        }
    }
    sync_directory(&state.changes())?;
    Ok(None)
}

/// Abandons an interrupted change. Returns the path of its kept journal, if there is one.
pub(crate) fn give_up(folder: &Path, _lock: &Lock) -> Result<Option<PathBuf>> {
    let place = folder.join(recovery_marker::NAME);
    let failed = |error: io::Error| io_error("give up", &place.to_string_lossy(), &error);
    let MarkerState::Marker(marker, seal) = recovery_marker::read(folder).map_err(failed)? else { return Ok(None) };
    let tree = Tree::new(folder.to_owned(), None);
    let sealed = match find_journal(folder, &marker, &seal) {
        Ok(JournalState::Running) => return Err(still_running_error(&marker.journal, &marker.id)),
        Ok(JournalState::Sealed(sealed)) => *sealed,
        _ => return recovery_marker::remove(&tree, "").map(|()| None).map_err(failed),
    };
    // The journal is renamed first, so that the change is over for all of its markers.
    let kept =
        set_aside(&sealed.path, &marker.id, if sealed.is_original { KeepReason::Over } else { KeepReason::Needed });
    let kept = kept.map_err(failed)?;
    match relative_to_folder(folder, &seal, sealed.manifest, &None) {
        Ok((tree, manifest)) => remove_markers(&tree, &manifest).map_err(failed)?,
        Err(_) => recovery_marker::remove(&tree, "").map_err(failed)?,
    }
    Ok(Some(kept))
}

/// File name of an unreadable journal that is kept.
pub(crate) const UNREAD: &str = "0-unread";

/// Abandons the root's journal if it cannot be read.
pub(crate) fn give_up_unreadable(state: &RootState, _lock: &Lock) -> Result<Option<PathBuf>> {
    let pending = state.pending();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    set_aside(&pending, &format!("{UNREAD}-{now}"), KeepReason::Over)
        .map(Some)
        .map_err(|error| io_error("give up", &pending.to_string_lossy(), &error))
}

/// Error for a change whose process is still running.
fn still_running_error(journal: &Path, id: &str) -> Error {
    Error::new(
        Kind::LimitExceeded,
        format!("the change `{id}` is still running: its journal `{}` is locked", journal.display()),
    )
    .hint("wait for it or end its process, then repeat the call; nothing was written")
}

fn blocked_error(path: &Path, error: &io::Error) -> Error {
    io_error("roll back an interrupted change with", &path.to_string_lossy(), error).hint(
        "no file can be changed there until then; fix the cause and repeat the call, or leave the files as they \
             are: `marq recover` lists the change, `marq recover --give-up` gives it up",
    )
}

fn missing_journal_error(place: &Path, marker: &Marker) -> Error {
    Error::new(
        Kind::Unsupported,
        format!(
            "the change `{}` was interrupted, and its journal `{}` is gone: files next to `{}` may be half changed",
            marker.id,
            marker.journal.display(),
            place.display()
        ),
    )
    .hint(format!(
        "restore the journal, or check the files and leave them as they are with `marq recover --give-up {}`",
        marker.id
    ))
}

fn unrelated_marker_error(place: &Path, marker: &Marker) -> Error {
    Error::new(
        Kind::Unsupported,
        format!(
            "`{}` is a copy, or was not written by marq: it does not belong to the change `{}`",
            place.display(),
            marker.id
        ),
    )
    .hint(format!(
        "files next to it may be half changed, like those that it was copied from: `marq recover --take-back {id}` \
         rolls them back, `marq recover --give-up {id}` leaves them as they are",
        id = marker.id
    ))
}
