//! Looks for interrupted changes before files are read or changed. They never block a reader: files that cannot be
//! rolled back are read as they are, with a notice. A writer is blocked if its files or the root's journal are
//! affected.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use marquetry_model::{Error, Kind, Result, Work, ports::Unfinished};

use crate::{
    history::{self, Tally},
    journal, lock,
    lock::Lock,
    marker::{self, Found},
    operation::{Moves, Operation},
    place::{join, split},
    root::Root,
    settle::{self, Journal, Settled, settle, settle_own},
    tombstone,
    tree::What,
    underway::{self, Begun},
    unsettled::Reading,
    walk::{Asked, walk},
};

/// Up to this number of directories, each is checked by path with one system call. Deeper paths are cheaper to open
/// step by step with three calls each, because the system resolves a path from its start every time.
const DEEP: usize = 16;
/// Maximum number of folders directly below the root that are checked for a marker at first use, with one system call
/// each.
const MOST_LOOKED_INTO: usize = 256;

impl Root {
    /// At the first use of the root, handles interrupted changes in other roots of the same state folder that contain
    /// it or are below it, and in folders directly below the root. Calls may otherwise never reach these places.
    fn look_around(&self, reading: Reading<'_>) -> Result<()> {
        if self.has_looked_around.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        for (root, journal) in self.state.pending_around() {
            // Calls that are affected by a running change find it themselves.
            if journal::is_running(&journal) {
                continue;
            }
            for folder in journal::read_folders(&journal).iter().map(|folder| root.join(folder)) {
                if marker::stands(&folder) {
                    self.settle_for_reader(&folder, reading)?;
                }
            }
        }
        let below = std::fs::read_dir(self.tree.root()).into_iter().flatten().flatten();
        let folders = below.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).take(MOST_LOOKED_INTO);
        for folder in folders.map(|entry| entry.path()).filter(|folder| marker::stands(folder)) {
            self.settle_for_reader(&folder, reading)?;
        }
        if !Tally::is_current(&self.state)
            && let Ok(Some(_lock)) = self.state.attempt()
        {
            history::unmark_latest(&self.state, &self.tree, &Tally::of(&self.state));
        }
        Ok(())
    }

    /// Before reading: waits for a running change here or above if it affects what is read, and rolls back an
    /// interrupted one. Costs one system call per parent directory.
    pub(crate) fn settle(&self, reading: Reading<'_>) -> Result<()> {
        self.look_around(reading)?;
        for folder in self.tree.root().ancestors().filter(|folder| marker::stands(folder)) {
            self.settle_for_reader(folder, reading)?;
        }
        let pending = self.state.pending();
        if !self.state.is_pending() || self.known.was_just_tried(&pending) {
            return Ok(());
        }
        let is_apart = || match reading {
            Reading::File(file) => underway::is_apart_of_journal(&pending, file),
            Reading::All => false,
        };
        let lock = self.for_reader(|| self.state.attempt(), is_apart, || self.state.lock(&Work::default()));
        if let Some(lock) = self.waited(&pending, lock)?
            && let Err(error) = self.settle_own(&lock)
        {
            self.known.set(&pending, error, false);
        }
        Ok(())
    }

    /// Does the same for the directories between the root and a file.
    pub(crate) fn settle_towards(&self, real: &str, reading: Reading<'_>) -> Result<()> {
        let is_deep = real.bytes().filter(|byte| *byte == b'/').count() > DEEP;
        let opened = is_deep.then(|| self.tree.directories_with(marker::NAME, real).ok()).flatten();
        // The user may be able to pass through a directory without being able to open it.
        let marked = opened.unwrap_or_else(|| self.marked_by_path(real));
        marked.iter().try_for_each(|folder| self.settle_for_reader(&self.tree.root().join(folder), reading))
    }

    /// Returns the directories between the root and a file that have a marker, checked by path.
    fn marked_by_path(&self, real: &str) -> Vec<String> {
        let above = std::iter::successors(Some(split(real).0), |at| Some(split(at).0)).take_while(|at| !at.is_empty());
        above.filter(|at| marker::stands(&self.tree.root().join(at))).map(str::to_owned).collect()
    }

    /// Waits for a running change if it affects what is read, but not for one that cannot be rolled back.
    pub(crate) fn settle_for_reader(&self, folder: &Path, reading: Reading<'_>) -> Result<()> {
        if self.known.was_just_tried(folder) || self.is_ignored(folder) {
            return Ok(());
        }
        let is_apart = || match reading {
            Reading::File(file) => underway::is_apart(folder, &self.tree.root().join(file), &self.tree.prober()),
            Reading::All => false,
        };
        let attempt = || lock::attempt(folder, &self.state.locks());
        let lock = self.for_reader(attempt, is_apart, || self.lock_at(folder, &Work::default()));
        let Some(lock) = self.waited(folder, lock)? else { return Ok(()) };
        // Failures are recorded.
        let _ = self.settle_at(folder, &lock);
        Ok(())
    }

    /// Returns the lock for a reader that finds a marker: immediately if it is free, `None` if the running change does
    /// not affect the reader, and otherwise after waiting in the queue.
    fn for_reader(
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

    /// Unwraps the lock of a reader. Records if it cannot be had.
    fn waited(&self, place: &Path, lock: Result<Option<Lock>>) -> Result<Option<Lock>> {
        match lock {
            Err(error) if matches!(error.kind(), Kind::LimitExceeded | Kind::Cancelled) => Err(error),
            Err(error) => {
                self.known.set(place, error, false);
                Ok(None)
            }
            found => found,
        }
    }

    /// Returns whether a marker is not valid for this user. Needs no lock, which other users could hold.
    fn is_ignored(&self, folder: &Path) -> bool {
        let Ok(Found::NotOurs(why)) = marker::read(folder) else { return false };
        let why = Error::new(Kind::PermissionDenied, format!("{why}; it is ignored"));
        self.known.set(folder, why, true);
        true
    }

    /// Before changing: waits for the lock of the root in queue order, with nothing half done here or above.
    pub(crate) fn begin(&self, work: &Work) -> Result<Begun<'_>> {
        let root = self.tree.root();
        self.look_around(Reading::All)?;
        let turn = self.queue.wait(work)?;
        let is_open = |folder: &&Path| marker::stands(folder) && !self.is_ignored(folder);
        loop {
            for folder in root.ancestors().skip(1).filter(is_open) {
                let lock = self.lock_at(folder, work)?;
                self.settle_at(folder, &lock)?;
            }
            let lock = self.state.lock(work)?;
            // Now no other change can begin; but a process may have died in between.
            if root.ancestors().skip(1).any(|folder| is_open(&folder)) {
                continue;
            }
            if is_open(&root) {
                self.settle_at(root, &lock)?;
            }
            self.settle_own(&lock)?;
            self.known.take_remarks().into_iter().for_each(|remark| work.note(remark));
            return Ok(Begun { lock, _turn: turn });
        }
    }

    /// Recovers markers found in directories below the root, with its lock or, without it, with their own locks.
    pub(crate) fn settle_below(
        &self,
        folders: &[String],
        lock: Option<&Lock>,
        settled: &mut HashSet<String>,
    ) -> Result<()> {
        for folder in folders {
            let path = self.tree.root().join(folder);
            match lock {
                Some(lock) => self.settle_at(&path, lock)?,
                None => self.settle_at(&path, &self.lock_at(&path, &Work::default())?)?,
            }
            settled.insert(folder.clone());
        }
        Ok(())
    }

    /// Recovers all directories that these completed operations may have touched.
    pub(crate) fn settle_all(&self, operations: &[Operation], lock: Option<&Lock>) -> Result<()> {
        let moves = Moves::of(operations);
        let (mut folders, mut whole) = (BTreeSet::new(), Vec::new());
        for (index, operation) in operations.iter().enumerate() {
            for directory in operation.directories() {
                let directory = moves.at_end(directory, index);
                let mut at = directory.as_str();
                // If a folder was visited, all its parents were too.
                while !at.is_empty() && folders.insert(at.to_owned()) {
                    at = split(at).0;
                }
            }
            if let Operation::Rename { to, thing: None, .. } = operation {
                whole.push(moves.at_end(to, index));
            }
        }
        // Moving or removing a directory affects everything in it.
        while let Some(folder) = whole.pop() {
            let inside = self.tree.list(&folder).unwrap_or_default().into_iter();
            let inside = inside.filter(|(name, seen)| seen.what == What::Directory && name != marker::NAME);
            whole.extend(inside.map(|(name, _)| join(&folder, &name)));
            folders.insert(folder);
        }
        let marked =
            folders.into_iter().filter(|folder| !folder.is_empty() && marker::stands(&self.tree.root().join(folder)));
        self.settle_below(&marked.collect::<Vec<_>>(), lock, &mut HashSet::new())
    }

    fn lock_at(&self, folder: &Path, work: &Work) -> Result<Lock> {
        lock::lock(folder, &self.state.locks(), work)
    }

    fn settle_own(&self, lock: &Lock) -> Result<()> {
        if !self.state.is_pending() {
            self.known.open().remove(&self.state.pending());
            return Ok(());
        }
        let said = settle_own(&self.state, &self.tree, &self.tree.prober(), lock)?;
        said.into_iter().for_each(|said| self.known.remark(said));
        self.known.open().remove(&self.state.pending());
        tombstone::sweep(&self.state.changes(), Some(self.state.age()));
        Ok(())
    }

    /// Recovers one marker and records the result.
    fn settle_at(&self, folder: &Path, lock: &Lock) -> Result<()> {
        match settle(folder, &self.tree.prober(), lock) {
            Ok(Settled::Done(said)) => {
                said.into_iter().for_each(|said| self.known.remark(said));
                self.known.open().remove(folder);
                tombstone::sweep(&self.state.changes(), Some(self.state.age()));
                Ok(())
            }
            Ok(Settled::NotOurs(why)) => {
                let why = Error::new(Kind::PermissionDenied, format!("{why}; it is ignored"));
                self.known.set(folder, why, true);
                Ok(())
            }
            Err(error) => {
                self.known.set(folder, error.clone(), false);
                Err(error)
            }
        }
    }

    pub(crate) fn told(&self) -> Vec<String> {
        let (root, pending) = (self.tree.root(), self.state.pending());
        let mut open = self.known.open();
        open.retain(|place, _| *place == pending && self.state.is_pending() || marker::stands(place));
        // The root's own journal duplicates the markers that refer to it.
        let led_to = open.iter().any(|(place, open)| *place != pending && !open.ignored);
        let open = open.iter().filter(|(place, _)| !led_to || **place != pending);
        let open: Vec<String> = open
            .map(|(place, open)| match (open.ignored, *place == pending) {
                (true, _) => open.why.to_string(),
                (_, true) => format!("files below `{}` may be half changed: {}", root.display(), open.why),
                _ => format!("files below `{}` may be half changed: {}", shown(place, root), open.why),
            })
            .collect();
        let mut told = self.known.take_remarks();
        told.extend(open);
        told
    }

    /// Retries every marker above, at and below the root, and returns those that remain.
    pub(crate) fn still_open(&self) -> Vec<(PathBuf, Unfinished)> {
        self.known.open().clear();
        let root = self.tree.root();
        let below = walk(root, "", "", Asked::Name).map(|found| found.folders).unwrap_or_default();
        let below = below.into_iter().map(|(folder, _)| root.join(folder)).filter(|folder| folder != root);
        // Failures are recorded.
        let _ = self.settle(Reading::All);
        for folder in below.filter(|folder| marker::stands(folder)) {
            let _ = self.settle_for_reader(&folder, Reading::All);
        }
        let pending = self.state.pending();
        let open = self.known.open();
        let markers = open.iter().filter(|(folder, open)| !open.ignored && **folder != pending);
        let mut found: Vec<_> = markers.filter_map(|(folder, open)| unfinished(folder, &open.why)).collect();
        if let (true, Some(open)) = (found.is_empty(), open.get(&pending)) {
            found.push((pending.clone(), self.unread(&open.why)));
        }
        found
    }

    /// Describes the journal of this root if the files it concerns are unknown.
    fn unread(&self, why: &Error) -> Unfinished {
        Unfinished {
            id: settle::UNREAD.to_owned(),
            folder: self.tree.root().to_string_lossy().into_owned(),
            done: None,
            files: Vec::new(),
            journal: self.state.pending().to_string_lossy().into_owned(),
            reason: why.to_string(),
        }
    }

    /// Returns the location of an interrupted change that could not be rolled back automatically.
    fn open_change(&self, id: &str) -> Result<PathBuf> {
        let open = self.still_open();
        if let Some((folder, _)) = open.iter().find(|(_, unfinished)| unfinished.id == id) {
            return Ok(folder.clone());
        }
        let known = open.into_iter().map(|(_, unfinished)| unfinished.id);
        Err(Error::argument(format!("there is no interrupted change `{id}` that could not be rolled back"))
            .hint("list them; all others are rolled back automatically")
            .candidates(known))
    }

    pub(crate) fn given_up(&self, id: &str) -> Result<Option<String>> {
        let folder = self.open_change(id)?;
        let pending = self.state.pending();
        let root = self.tree.root();
        let names_it = matches!(marker::read(&folder), Ok(Found::Marker(marker, _)) if marker.journal == pending);
        let led_here =
            folder == pending || names_it || journal::read_folders(&pending).iter().any(|own| root.join(own) == folder);
        let mut kept = None;
        if folder != pending {
            kept = settle::give_up(&folder, &self.lock_at(&folder, &Work::default())?)?;
        }
        if led_here && self.state.is_pending() {
            let lock = self.state.lock(&Work::default())?;
            if self.settle_own(&lock).is_err() {
                kept = settle::give_up_unread(&self.state, &lock)?;
            }
        }
        self.forget(&folder);
        Ok(kept.map(|kept| kept.to_string_lossy().into_owned()))
    }

    /// Rolls back a change although its marker is a copy.
    pub(crate) fn taken_back(&self, id: &str) -> Result<String> {
        let folder = self.open_change(id)?;
        if folder == self.state.pending() {
            return Err(Error::new(Kind::Unsupported, format!("the journal `{}` cannot be read", folder.display()))
                .hint(format!("check the files, and leave them as they are with `marq recover --give-up {id}`")));
        }
        let lock = self.lock_at(&folder, &Work::default())?;
        let said = settle::take_back_copy(&folder, &self.tree.prober(), &lock)?;
        self.forget(&folder);
        Ok(said)
    }

    /// Forgets a change that was recovered.
    fn forget(&self, folder: &Path) {
        let pending = self.state.pending();
        self.known.open().retain(|place, _| place != folder && *place != pending);
    }
}

fn shown(folder: &Path, root: &Path) -> String {
    folder
        .strip_prefix(root)
        .map_or(folder, |inside| if inside.as_os_str().is_empty() { root } else { inside })
        .display()
        .to_string()
}

/// Describes the change of a marker.
fn unfinished(folder: &Path, why: &Error) -> Option<(PathBuf, Unfinished)> {
    let Ok(Found::Marker(marker, seal)) = marker::read(folder) else { return None };
    let mut unfinished = Unfinished {
        id: marker.id.clone(),
        folder: folder.to_string_lossy().into_owned(),
        done: None,
        files: Vec::new(),
        journal: marker.journal.to_string_lossy().into_owned(),
        reason: why.to_string(),
    };
    let manifest = match settle::journal_of(folder, &marker, &seal) {
        Ok(Journal::Sealed(sealed)) => Some(sealed.manifest),
        Ok(Journal::Strange(path)) => journal::read_manifest(&path),
        _ => None,
    };
    if let Some(manifest) = manifest {
        unfinished.done = Some((manifest.title, manifest.time));
        unfinished.files = manifest.effects.iter().map(|effect| effect.name().to_owned()).collect();
    }
    Some((folder.to_owned(), unfinished))
}
