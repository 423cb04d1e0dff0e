//! What is kept about a root outside of it: the journal of a running change, the history.

use std::{
    fs::{DirEntry, Metadata},
    io::{self, ErrorKind, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use marquetry_model::{Result, Work};

use crate::{
    failure::io_error,
    lock::{self, Lock},
    system::{self, sync_directory},
};

/// The name of a journal while its change runs.
pub(crate) const PENDING: &str = "pending";
/// The name of the file that says how much there is in the history.
const TALLY: &str = "tally";
/// The name of the file that says which root a state is of.
const ROOT: &str = "root";

/// The directory of one root's state.
pub(crate) struct State {
    directory: PathBuf,
    root: String,
    /// How long it is kept when the root is gone.
    age: Duration,
}

impl State {
    /// The state of a root below the state directory. Nothing is read or made yet.
    pub(crate) fn new(state: &Path, root: &str, age: Duration) -> State {
        State { directory: state.join(key(root)), root: root.to_owned(), age }
    }

    /// Finished changes, and the journal of the running one.
    pub(crate) fn changes(&self) -> PathBuf {
        self.directory.join("changes")
    }

    /// The journal of the change that is running, or was interrupted.
    pub(crate) fn pending(&self) -> PathBuf {
        self.changes().join(PENDING)
    }

    /// Whether a change is running or was interrupted: one system call.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending().symlink_metadata().is_ok()
    }

    /// The changes that are running or were interrupted in other roots that hold this one or lie in it, by the state folder: each
    /// root, and the journal.
    pub(crate) fn pending_around(&self) -> Vec<(PathBuf, PathBuf)> {
        let own = Path::new(&self.root);
        let others = self.directory.parent().map(std::fs::read_dir).into_iter().flatten().flatten().flatten();
        let others = others.map(|entry| entry.path()).filter(|other| *other != self.directory);
        let pending = others.filter_map(|other| {
            let journal = other.join("changes").join(PENDING);
            journal.symlink_metadata().ok()?;
            Some((State::root_of(&other)?, journal))
        });
        pending.filter(|(root, _)| root.starts_with(own) || own.starts_with(root)).collect()
    }

    /// How long what is kept about the root is needed.
    pub(crate) fn age(&self) -> Duration {
        self.age
    }

    /// How much there is in the history, beside it.
    pub(crate) fn tally(&self) -> PathBuf {
        self.directory.join(TALLY)
    }

    /// Where lock files lie that stand for directories that cannot be locked.
    pub(crate) fn locks(&self) -> PathBuf {
        self.directory.join("locks")
    }

    /// Exclude all others who change what is in the root, whatever root and state folder they use, in this process and in
    /// others. The wait for them ends when the work is cancelled.
    pub(crate) fn lock(&self, work: &Work) -> Result<Lock> {
        self.make().map_err(|error| {
            io_error("keep a journal in", &self.directory.to_string_lossy(), &error)
                .hint("nothing is changed without one; make the state directory writable")
        })?;
        lock::lock(Path::new(&self.root), &self.locks(), work)
    }

    /// The same, where nobody else is at it; none where somebody is.
    pub(crate) fn attempt(&self) -> Result<Option<Lock>> {
        lock::attempt(Path::new(&self.root), &self.locks())
    }

    /// The root that the state in a directory is of; none where the directory is not called as that root's state is.
    pub(crate) fn root_of(directory: &Path) -> Option<PathBuf> {
        let root = std::fs::read_to_string(directory.join(ROOT)).ok()?;
        let is_its_own = directory.file_name()? == key(&root).as_str() && Path::new(&root).is_absolute();
        is_its_own.then(|| root.into())
    }

    fn make(&self) -> io::Result<()> {
        let root = self.directory.join(ROOT);
        if self.changes().is_dir() && root.is_file() {
            return self.is_own();
        }
        system::make_private(&self.changes())?;
        self.is_own()?;
        // It comes there whole: others who begin now look whose states these are.
        let unfinished = root.with_extension(std::process::id().to_string());
        match system::create_private(&unfinished).and_then(|mut file| file.write_all(self.root.as_bytes())) {
            // Another thread is at it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            other => other.and_then(|()| std::fs::rename(&unfinished, &root))?,
        }
        sweep(&self.directory, self.age);
        // A journal is worth nothing in a directory that a power failure takes away.
        self.changes().ancestors().take(4).try_for_each(sync_directory)
    }

    /// Fails where what is kept about the root could be somebody else's.
    pub(crate) fn is_own(&self) -> io::Result<()> {
        for directory in [&self.directory, &self.changes()] {
            let metadata = match directory.symlink_metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                other => other?,
            };
            if !metadata.is_dir() || !system::is_private(&metadata) {
                let why = "it belongs to another user, or others may write it";
                return Err(io::Error::new(ErrorKind::PermissionDenied, why));
            }
        }
        Ok(())
    }
}

/// Remove what is kept about roots that are gone, when all of it is older than the budget allows and nothing is left half done.
/// The folder is that of one root; the others lie beside it.
fn sweep(own: &Path, age_allowed: Duration) {
    let now = SystemTime::now();
    let others = own.parent().map(std::fs::read_dir).into_iter().flatten().flatten().flatten();
    for other in others.map(|entry| entry.path()).filter(|other| other != own) {
        // One that another process makes this very moment does not say whose it is yet.
        let Some(root) = State::root_of(&other) else { continue };
        let Ok(entries) = std::fs::read_dir(other.join("changes")) else { continue };
        let is_young = |metadata: Metadata| age(&metadata, now) <= age_allowed;
        let is_needed = |entry: DirEntry| entry.file_name() == PENDING || entry.metadata().is_ok_and(is_young);
        if root.symlink_metadata().is_err() && !entries.flatten().any(is_needed) {
            // What cannot be removed is tried again for the next new root.
            let _ = std::fs::remove_dir_all(other);
        }
    }
}

/// How long ago a file was written.
pub(crate) fn age(metadata: &Metadata, now: SystemTime) -> Duration {
    metadata.modified().ok().and_then(|then| now.duration_since(then).ok()).unwrap_or_default()
}

/// What the state of a root is called.
fn key(root: &str) -> String {
    let mut key = crate::hash(root.as_bytes());
    key.truncate(16);
    key
}
