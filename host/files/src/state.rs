//! What is kept about a root outside of it: the journal of a running change, the history.

use std::{
    fs::{DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use marquetry_model::{Result, Work};

use crate::{
    failure::io_error,
    lock::{self, Lock},
};

/// The directory of one root's state.
pub(crate) struct State {
    directory: PathBuf,
    root: String,
}

impl State {
    /// The state of a root below the state directory. Nothing is read or made yet.
    pub(crate) fn new(state: &Path, root: &str) -> State {
        let key = crate::hash(root.as_bytes());
        State { directory: state.join(&key[..16]), root: root.to_owned() }
    }

    /// Finished changes, and the journal of the running one.
    pub(crate) fn changes(&self) -> PathBuf {
        self.directory.join("changes")
    }

    /// The journal of the change that is running, or was interrupted.
    pub(crate) fn pending(&self) -> PathBuf {
        self.changes().join("pending")
    }

    /// Whether a change is running or was interrupted: one system call.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending().symlink_metadata().is_ok()
    }

    /// Exclude all others who change what is in the root, whatever root and state folder they use, in this process and in
    /// others. The wait for them ends when the work is cancelled.
    pub(crate) fn lock(&self, work: &Work) -> Result<Lock> {
        self.make().map_err(|error| {
            io_error("keep a journal in", &self.directory.to_string_lossy(), &error)
                .hint("nothing is changed without one; make the state directory writable")
        })?;
        lock::lock(Path::new(&self.root), &self.directory.join("locks"), work)
    }

    fn make(&self) -> io::Result<()> {
        if self.changes().is_dir() {
            return Ok(());
        }
        DirBuilder::new().recursive(true).mode(0o700).create(self.changes())?;
        std::fs::write(self.directory.join("root"), &self.root)?;
        // A journal is worth nothing in a directory that a power failure takes away.
        self.changes().ancestors().take(4).try_for_each(sync_directory)
    }
}

/// Make the entries of a directory durable.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
