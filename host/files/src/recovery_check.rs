//! Looks for interrupted changes before files are read or changed. An interrupted change never blocks a reader: files
//! that cannot be rolled back are read as they are, with a notice. It blocks a writer if it affects the writer's files
//! or the root's journal.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use marquetry_model::{Error, Kind, Result, Work, ports::UnfinishedChange};

use crate::{
    history::{self, Tally},
    journal, lock,
    lock::Lock,
    operation::{DirectoryMoves, Operation},
    paths::{join, split_parent},
    pending_recovery::ReadScope,
    recovery::{self, JournalState, RecoveryResult, recover, recover_own},
    recovery_marker::{self, MarkerState},
    root::Root,
    running_changes::{self, ChangeTurn},
    tombstone,
    tree::What,
    walk::{WalkDetail, walk},
};

/// If a path has at most this many parent directories, each is checked by its full path, with one system call. For
/// deeper paths it is cheaper to open one directory after the other, with three calls each, because the system resolves
/// a full path from its start every time.
const MAX_PATH_CHECKS: usize = 16;
/// Maximum number of folders directly below the root that are checked for a marker at first use, with one system call
/// each.
const MAX_CHECKED_FOLDERS: usize = 256;

impl Root {
    /// At the first use of the root, handles interrupted changes in other roots of the same state folder that contain
    /// it or are below it, and in folders directly below the root. Without this check, possibly no call would ever look
    /// at these folders.
    fn check_surroundings(&self, reading: ReadScope<'_>) -> Result<()> {
        if self.checked_surroundings.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        for (root, journal) in self.state.pending_in_other_roots() {
            // Calls that are affected by a running change find it themselves.
            if journal::is_running(&journal) {
                continue;
            }
            for folder in journal::read_marker_folders(&journal).iter().map(|folder| root.join(folder)) {
                if recovery_marker::exists(&folder) {
                    self.recover_for_reader(&folder, reading)?;
                }
            }
        }
        let below = std::fs::read_dir(self.tree.root()).into_iter().flatten().flatten();
        let folders = below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).take(MAX_CHECKED_FOLDERS);
        for folder in folders.map(|entry| entry.path()).filter(|folder| recovery_marker::exists(folder)) {
            self.recover_for_reader(&folder, reading)?;
        }
        if !Tally::is_current(&self.state)
            && let Ok(Some(_lock)) = self.state.try_lock()
        {
            history::remove_latest_markers(&self.state, &self.tree, &Tally::load(&self.state));
        }
        Ok(())
    }

    /// Prepares a read: waits for a running change in the root's directory or above it if the change affects the files
    /// that are read, and rolls back an interrupted one. Costs one system call per parent directory.
    pub(crate) fn recover_above(&self, reading: ReadScope<'_>) -> Result<()> {
        self.check_surroundings(reading)?;
        for folder in self.tree.root().ancestors().filter(|folder| recovery_marker::exists(folder)) {
            self.recover_for_reader(folder, reading)?;
        }
        let pending = self.state.pending();
        if !self.state.is_pending() || self.pending_recovery.was_just_tried(&pending) {
            return Ok(());
        }
        let is_apart = || match reading {
            ReadScope::File(file) => running_changes::is_unaffected_by_journal(&pending, file),
            ReadScope::All => false,
        };
        let lock = self.reader_lock(|| self.state.try_lock(), is_apart, || self.state.lock(&Work::default()));
        if let Some(lock) = self.reader_lock_result(&pending, lock)?
            && let Err(error) = self.recover_own_journal(&lock)
        {
            self.pending_recovery.record(&pending, error, false);
        }
        Ok(())
    }

    /// Recovers interrupted changes, and waits for running ones, in the directories between the root and a file.
    pub(crate) fn recover_towards(&self, real: &str, reading: ReadScope<'_>) -> Result<()> {
        let is_deep = real.bytes().filter(|byte| *byte == b'/').count() > MAX_PATH_CHECKS;
        let opened = is_deep.then(|| self.tree.directories_with(recovery_marker::NAME, real).ok()).flatten();
        // Some directories can be passed through but not opened. Then each directory is checked by its path.
        let marked = opened.unwrap_or_else(|| self.marked_directories(real));
        marked.iter().try_for_each(|folder| self.recover_for_reader(&self.tree.root().join(folder), reading))
    }

    /// Returns the directories between the root and a file that have a marker, checked by path.
    fn marked_directories(&self, real: &str) -> Vec<String> {
        let above = std::iter::successors(Some(split_parent(real).0), |at| Some(split_parent(at).0))
            .take_while(|at| !at.is_empty());
        above.filter(|at| recovery_marker::exists(&self.tree.root().join(at))).map(str::to_owned).collect()
    }

    /// Waits for a running change if it affects the files that are read, but not for a change that cannot be rolled
    /// back.
    pub(crate) fn recover_for_reader(&self, folder: &Path, reading: ReadScope<'_>) -> Result<()> {
        if self.pending_recovery.was_just_tried(folder) || self.is_foreign_marker(folder) {
            return Ok(());
        }
        let is_apart = || match reading {
            ReadScope::File(file) => {
                running_changes::is_unaffected(folder, &self.tree.root().join(file), &self.tree.clone_probe())
            }
            ReadScope::All => false,
        };
        let attempt = || lock::try_lock_folder(folder, &self.state.locks());
        let lock = self.reader_lock(attempt, is_apart, || self.lock_at(folder, &Work::default()));
        let Some(lock) = self.reader_lock_result(folder, lock)? else { return Ok(()) };
        // Failures are recorded in `pending_recovery`.
        let _ = self.recover_at(folder, &lock);
        Ok(())
    }

    /// Returns the lock for a reader that finds a marker: immediately if it is free, `None` if the running change does
    /// not affect the reader, and otherwise after waiting in the queue.
    fn reader_lock(
        &self,
        attempt: impl FnOnce() -> Result<Option<Lock>>,
        is_apart: impl FnOnce() -> bool,
        wait: impl FnOnce() -> Result<Lock>,
    ) -> Result<Option<Lock>> {
        if !self.queue.is_taken()
            && let Some(lock) = attempt()?
        {
            return Ok(Some(lock));
        }
        if is_apart() {
            return Ok(None);
        }
        let _turn = self.queue.wait(&Work::default())?;
        wait().map(Some)
    }

    /// Returns the lock of a reader. If the lock cannot be taken, records why and returns `None`.
    fn reader_lock_result(&self, place: &Path, lock: Result<Option<Lock>>) -> Result<Option<Lock>> {
        match lock {
            Err(error) if matches!(error.kind(), Kind::LimitExceeded | Kind::Cancelled) => Err(error),
            Err(error) => {
                self.pending_recovery.record(place, error, false);
                Ok(None)
            }
            found => found,
        }
    }

    /// Returns whether a marker is not valid for this user. Takes no lock, because another user could hold it.
    fn is_foreign_marker(&self, folder: &Path) -> bool {
        let Ok(MarkerState::Foreign(why)) = recovery_marker::read(folder) else { return false };
        let why = Error::new(Kind::PermissionDenied, format!("{why}; it is ignored"));
        self.pending_recovery.record(folder, why, true);
        true
    }

    /// Prepares a change: waits in the queue for the lock of the root, and recovers interrupted changes in the root's
    /// directory and above.
    pub(crate) fn begin_change(&self, work: &Work) -> Result<ChangeTurn<'_>> {
        let root = self.tree.root();
        self.check_surroundings(ReadScope::All)?;
        let turn = self.queue.wait(work)?;
        let is_open = |folder: &&Path| recovery_marker::exists(folder) && !self.is_foreign_marker(folder);
        loop {
            for folder in root.ancestors().skip(1).filter(is_open) {
                let lock = self.lock_at(folder, work)?;
                self.recover_at(folder, &lock)?;
            }
            let lock = self.state.lock(work)?;
            // Now no other change can begin, but a process may have died after the check above and left a marker.
            if root.ancestors().skip(1).any(|folder| is_open(&folder)) {
                continue;
            }
            if is_open(&root) {
                self.recover_at(root, &lock)?;
            }
            self.recover_own_journal(&lock)?;
            self.pending_recovery.take_messages().into_iter().for_each(|remark| work.add_note(remark));
            return Ok(ChangeTurn { lock, _turn: turn });
        }
    }

    /// Recovers markers found in directories below the root, with its lock or, without it, with their own locks.
    pub(crate) fn recover_below(
        &self,
        folders: &[String],
        lock: Option<&Lock>,
        settled: &mut HashSet<String>,
    ) -> Result<()> {
        for folder in folders {
            let path = self.tree.root().join(folder);
            match lock {
                Some(lock) => self.recover_at(&path, lock)?,
                None => self.recover_at(&path, &self.lock_at(&path, &Work::default())?)?,
            }
            settled.insert(folder.clone());
        }
        Ok(())
    }

    /// Recovers all directories that these completed operations may have touched.
    pub(crate) fn recover_all(&self, operations: &[Operation], lock: Option<&Lock>) -> Result<()> {
        let moves = DirectoryMoves::new(operations);
        let (mut folders, mut whole) = (BTreeSet::new(), Vec::new());
        for (index, operation) in operations.iter().enumerate() {
            for directory in operation.directories() {
                let directory = moves.at_end(directory, index);
                let mut at = directory.as_str();
                // If a folder was visited, all its parents were too.
                while !at.is_empty() && folders.insert(at.to_owned()) {
                    at = split_parent(at).0;
                }
            }
            if let Operation::Rename { to, thing: None, .. } = operation {
                whole.push(moves.at_end(to, index));
            }
        }
        // Moving or removing a directory affects everything in it.
        while let Some(folder) = whole.pop() {
            let inside = self.tree.list(&folder).unwrap_or_default().into_iter();
            let inside = inside.filter(|(name, seen)| seen.what == What::Directory && name != recovery_marker::NAME);
            whole.extend(inside.map(|(name, _)| join(&folder, &name)));
            folders.insert(folder);
        }
        let marked = folders
            .into_iter()
            .filter(|folder| !folder.is_empty() && recovery_marker::exists(&self.tree.root().join(folder)));
        self.recover_below(&marked.collect::<Vec<_>>(), lock, &mut HashSet::new())
    }

    fn lock_at(&self, folder: &Path, work: &Work) -> Result<Lock> {
        lock::lock_folder(folder, &self.state.locks(), work)
    }

    fn recover_own_journal(&self, lock: &Lock) -> Result<()> {
        if !self.state.is_pending() {
            self.pending_recovery.pending().remove(&self.state.pending());
            return Ok(());
        }
        let messages = recover_own(&self.state, &self.tree, &self.tree.clone_probe(), lock)?;
        messages.into_iter().for_each(|message| self.pending_recovery.add_message(message));
        self.pending_recovery.pending().remove(&self.state.pending());
        tombstone::remove_old(&self.state.changes(), Some(self.state.age()));
        Ok(())
    }

    /// Recovers one marker and records the result.
    fn recover_at(&self, folder: &Path, lock: &Lock) -> Result<()> {
        match recover(folder, &self.tree.clone_probe(), lock) {
            Ok(RecoveryResult::Done(message)) => {
                message.into_iter().for_each(|message| self.pending_recovery.add_message(message));
                self.pending_recovery.pending().remove(folder);
                tombstone::remove_old(&self.state.changes(), Some(self.state.age()));
                Ok(())
            }
            Ok(RecoveryResult::Foreign(why)) => {
                let why = Error::new(Kind::PermissionDenied, format!("{why}; it is ignored"));
                self.pending_recovery.record(folder, why, true);
                Ok(())
            }
            Err(error) => {
                self.pending_recovery.record(folder, error.clone(), false);
                Err(error)
            }
        }
    }

    pub(crate) fn take_notices(&self) -> Vec<String> {
        let (root, pending) = (self.tree.root(), self.state.pending());
        let mut open = self.pending_recovery.pending();
        open.retain(|place, _| *place == pending && self.state.is_pending() || recovery_marker::exists(place));
        // If a marker is reported, the root's own journal is not, because both describe the same change.
        let led_to = open.iter().any(|(place, open)| *place != pending && !open.ignored);
        let open = open.iter().filter(|(place, _)| !led_to || **place != pending);
        let open: Vec<String> = open
            .map(|(place, open)| match (open.ignored, *place == pending) {
                (true, _) => open.why.to_string(),
                (_, true) => format!("files below `{}` may be half changed: {}", root.display(), open.why),
                _ => format!("files below `{}` may be half changed: {}", display_path(place, root), open.why),
            })
            .collect();
        let mut notices = self.pending_recovery.take_messages();
        notices.extend(open);
        notices
    }

    /// Retries every marker above, at and below the root, and returns those that remain.
    pub(crate) fn retry_pending(&self) -> Vec<(PathBuf, UnfinishedChange)> {
        self.pending_recovery.pending().clear();
        let root = self.tree.root();
        let below = walk(root, "", "", WalkDetail::Name).map(|found| found.folders).unwrap_or_default();
        let below = below.into_iter().map(|(folder, _)| root.join(folder)).filter(|folder| folder != root);
        // Failures are recorded in `pending_recovery`.
        let _ = self.recover_above(ReadScope::All);
        for folder in below.filter(|folder| recovery_marker::exists(folder)) {
            let _ = self.recover_for_reader(&folder, ReadScope::All);
        }
        let pending = self.state.pending();
        let open = self.pending_recovery.pending();
        let markers = open.iter().filter(|(folder, open)| !open.ignored && **folder != pending);
        let mut found: Vec<_> = markers.filter_map(|(folder, open)| describe_unfinished(folder, &open.why)).collect();
        if let (true, Some(open)) = (found.is_empty(), open.get(&pending)) {
            found.push((pending.clone(), self.unreadable_journal(&open.why)));
        }
        found
    }

    /// Describes the journal of this root if it cannot be read, so that its files are unknown.
    fn unreadable_journal(&self, why: &Error) -> UnfinishedChange {
        UnfinishedChange {
            id: recovery::UNREAD.to_owned(),
            folder: self.tree.root().to_string_lossy().into_owned(),
            description: None,
            files: Vec::new(),
            journal: self.state.pending().to_string_lossy().into_owned(),
            reason: why.to_string(),
        }
    }

    /// Returns the location of an interrupted change that could not be rolled back automatically.
    fn find_open_change(&self, id: &str) -> Result<PathBuf> {
        let open = self.retry_pending();
        if let Some((folder, _)) = open.iter().find(|(_, unfinished)| unfinished.id == id) {
            return Ok(folder.clone());
        }
        let known = open.into_iter().map(|(_, unfinished)| unfinished.id);
        Err(Error::argument(format!("there is no interrupted change `{id}` that could not be rolled back"))
            .hint("list them; all others are rolled back automatically")
            .candidates(known))
    }

    pub(crate) fn give_up_change(&self, id: &str) -> Result<Option<String>> {
        let folder = self.find_open_change(id)?;
        let pending = self.state.pending();
        let root = self.tree.root();
        let names_it =
            matches!(recovery_marker::read(&folder), Ok(MarkerState::Marker(marker, _)) if marker.journal == pending);
        let led_here = folder == pending
            || names_it
            || journal::read_marker_folders(&pending).iter().any(|own| root.join(own) == folder);
        let mut kept = None;
        if folder != pending {
            kept = recovery::give_up(&folder, &self.lock_at(&folder, &Work::default())?)?;
        }
        if led_here && self.state.is_pending() {
            let lock = self.state.lock(&Work::default())?;
            if self.recover_own_journal(&lock).is_err() {
                kept = recovery::give_up_unreadable(&self.state, &lock)?;
            }
        }
        self.forget(&folder);
        Ok(kept.map(|kept| kept.to_string_lossy().into_owned()))
    }

    /// Rolls back a change although its marker is a copy.
    pub(crate) fn roll_back_copied(&self, id: &str) -> Result<String> {
        let folder = self.find_open_change(id)?;
        if folder == self.state.pending() {
            return Err(Error::new(Kind::Unsupported, format!("the journal `{}` cannot be read", folder.display()))
                .hint(format!("check the files, and leave them as they are with `marq recover --give-up {id}`")));
        }
        let lock = self.lock_at(&folder, &Work::default())?;
        let message = recovery::roll_back_copy(&folder, &self.tree.clone_probe(), &lock)?;
        self.forget(&folder);
        Ok(message)
    }

    /// Removes the record of a change that was recovered.
    fn forget(&self, folder: &Path) {
        let pending = self.state.pending();
        self.pending_recovery.pending().retain(|place, _| place != folder && *place != pending);
    }
}

fn display_path(folder: &Path, root: &Path) -> String {
    folder
        .strip_prefix(root)
        .map_or(folder, |inside| if inside.as_os_str().is_empty() { root } else { inside })
        .display()
        .to_string()
}

/// Describes the change of a marker.
fn describe_unfinished(folder: &Path, why: &Error) -> Option<(PathBuf, UnfinishedChange)> {
    let Ok(MarkerState::Marker(marker, seal)) = recovery_marker::read(folder) else { return None };
    let mut unfinished = UnfinishedChange {
        id: marker.id.clone(),
        folder: folder.to_string_lossy().into_owned(),
        description: None,
        files: Vec::new(),
        journal: marker.journal.to_string_lossy().into_owned(),
        reason: why.to_string(),
    };
    let manifest = match recovery::find_journal(folder, &marker, &seal) {
        Ok(JournalState::Sealed(sealed)) => Some(sealed.manifest),
        Ok(JournalState::Unrelated(path)) => journal::read_manifest(&path),
        _ => None,
    };
    if let Some(manifest) = manifest {
        unfinished.description = Some((manifest.title, manifest.time));
        unfinished.files = manifest.effects.iter().map(|effect| effect.name().to_owned()).collect();
    }
    Some((folder.to_owned(), unfinished))
}
