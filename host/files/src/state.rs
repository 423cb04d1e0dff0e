//! State of a root that is stored outside of it: the journal of a running change, the history.

use std::{
    fs::{DirEntry, Metadata},
    io::{self, ErrorKind, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use marquetry_model::{Result, Work};

use crate::{
    errors::io_error,
    lock::{self, Lock},
    system::{self, sync_directory},
};

/// Name of a journal while its change runs.
pub(crate) const PENDING: &str = "pending";
/// Name of the file with the totals of the history.
const TALLY_FILE: &str = "tally";
/// Name of the file with the path of the root.
const ROOT_FILE: &str = "root";

/// The directory of one root's state.
pub(crate) struct RootState {
    directory: PathBuf,
    root: String,
    /// The time for which the state is kept after the root was removed.
    age: Duration,
}

impl RootState {
    /// Returns the state of a root below the state directory. Nothing is read or created yet.
    pub(crate) fn new(state: &Path, root: &str, age: Duration) -> RootState {
        RootState { directory: state.join(directory_name(root)), root: root.to_owned(), age }
    }

    /// Returns the folder of finished changes, and of the journal of the running one.
    pub(crate) fn changes(&self) -> PathBuf {
        self.directory.join("changes")
    }

    /// Returns the path of the journal of a running or interrupted change.
    pub(crate) fn pending(&self) -> PathBuf {
        self.changes().join(PENDING)
    }

    /// Returns whether a change is running or was interrupted, with one system call.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending().symlink_metadata().is_ok()
    }

    /// Returns running or interrupted changes in other roots of the state folder that contain this root or are below
    /// it: each root, and the journal.
    pub(crate) fn pending_in_other_roots(&self) -> Vec<(PathBuf, PathBuf)> {
        let own = Path::new(&self.root);
        let others = self.directory.parent().map(std::fs::read_dir).into_iter().flatten().flatten().flatten();
        // Only these names are compared, because a system call for each of a few thousand states takes milliseconds.
        let own_name = self.directory.file_name().unwrap_or_default().to_string_lossy();
        let others = others.filter(|entry| may_contain_one_another(&own_name, &entry.file_name().to_string_lossy()));
        let others = others.map(|entry| entry.path()).filter(|other| *other != self.directory);
        let pending = others.filter_map(|other| {
            let journal = other.join("changes").join(PENDING);
            journal.symlink_metadata().ok()?;
            Some((RootState::root_of(&other)?, journal))
        });
        pending.filter(|(root, _)| root.starts_with(own) || own.starts_with(root)).collect()
    }

    /// Returns how long the state is kept.
    pub(crate) fn age(&self) -> Duration {
        self.age
    }

    /// Returns the path of the totals of the history.
    pub(crate) fn tally(&self) -> PathBuf {
        self.directory.join(TALLY_FILE)
    }

    /// Returns the folder of lock files, for directories that cannot be locked.
    pub(crate) fn locks(&self) -> PathBuf {
        self.directory.join("locks")
    }

    /// Locks the root against all other changes, whatever root and state folder they use, in this process and others.
    /// Waiting ends when the work is cancelled.
    pub(crate) fn lock(&self, work: &Work) -> Result<Lock> {
        self.create().map_err(|error| {
            io_error("keep a journal in", &self.directory.to_string_lossy(), &error)
                .hint("no file is changed without a journal; make the state directory writable")
        })?;
        lock::lock_folder(Path::new(&self.root), &self.locks(), work)
    }

    /// Non-blocking variant: `None` if locked.
    pub(crate) fn try_lock(&self) -> Result<Option<Lock>> {
        lock::try_lock_folder(Path::new(&self.root), &self.locks())
    }

    /// Returns the root of a state directory; `None` if the directory's name does not match the root.
    pub(crate) fn root_of(directory: &Path) -> Option<PathBuf> {
        let root = std::fs::read_to_string(directory.join(ROOT_FILE)).ok()?;
        let is_its_own = directory.file_name()? == directory_name(&root).as_str() && Path::new(&root).is_absolute();
        is_its_own.then(|| root.into())
    }

    fn create(&self) -> io::Result<()> {
        let root = self.directory.join(ROOT_FILE);
        if self.changes().is_dir() && root.is_file() {
            return self.check_private();
        }
        system::make_private(&self.changes())?;
        self.check_private()?;
        // Written atomically, because concurrent processes read it to identify states.
        let unfinished = root.with_extension(std::process::id().to_string());
        match system::create_private(&unfinished).and_then(|mut file| file.write_all(self.root.as_bytes())) {
            // Another thread is writing it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            other => other.and_then(|()| std::fs::rename(&unfinished, &root))?,
        }
        remove_old_states(&self.directory, self.age);
        // The directories are flushed, because a power failure must not remove the directory of a journal.
        self.changes().ancestors().take(4).try_for_each(sync_directory)
    }

    /// Fails if another user owns the state or can write it.
    pub(crate) fn check_private(&self) -> io::Result<()> {
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

/// Removes the states of missing roots if everything in them is older than allowed and no change in them is half done.
/// `own` is the directory of one root; the others are next to it.
fn remove_old_states(own: &Path, age_allowed: Duration) {
    let now = SystemTime::now();
    let others = own.parent().map(std::fs::read_dir).into_iter().flatten().flatten().flatten();
    for other in others.map(|entry| entry.path()).filter(|other| other != own) {
        // If another process is just creating the directory, the file with the root does not exist yet.
        let Some(root) = RootState::root_of(&other) else { continue };
        let Ok(entries) = std::fs::read_dir(other.join("changes")) else { continue };
        let is_young = |metadata: Metadata| file_age(&metadata, now) <= age_allowed;
        let is_needed = |entry: DirEntry| entry.file_name() == PENDING || entry.metadata().is_ok_and(is_young);
        if root.symlink_metadata().is_err() && !entries.flatten().any(is_needed) {
            // A state that cannot be removed now is removed when the state of the next root is created.
            let _ = std::fs::remove_dir_all(other);
        }
    }
}

/// Returns how long ago a file was written.
pub(crate) fn file_age(metadata: &Metadata, now: SystemTime) -> Duration {
    metadata.modified().ok().and_then(|then| now.duration_since(then).ok()).unwrap_or_default()
}

/// Maximum length of the readable part of a directory name.
const MAX_READABLE: usize = 64;
/// Character between the readable part of a directory name and the hash.
const SEPARATOR: char = '_';

/// Returns the directory name of a root's state: the start of the path, and a hash of the whole path.
fn directory_name(root: &str) -> String {
    let readable = root.chars().take(MAX_READABLE).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let mut key = crate::hash(root.as_bytes());
    key.truncate(16);
    readable.chain([SEPARATOR]).chain(key.chars()).collect()
}

/// Returns whether one of the roots of two directory names may contain the other.
fn may_contain_one_another(name: &str, other: &str) -> bool {
    let (Some((name, _)), Some((other, _))) = (name.split_once(SEPARATOR), other.split_once(SEPARATOR)) else {
        return false;
    };
    name.starts_with(other) || other.starts_with(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nested_roots_may_contain_one_another() {
        let deep = format!("/srv/u/{}", "long/".repeat(30));
        let deeper = format!("{deep}src");
        for (one, other, expected) in [
            ("/srv/u/shop", "/srv/u/shop/web", true),
            ("/srv/u/shop/web", "/srv/u/shop", true),
            ("/", "/srv/u/a.b_c", true),
            ("/srv/u/a.b_c", "/srv/u/a.b_c/ä", true),
            (&deep, &deeper, true),
            (r"C:\Users\u", r"C:\Users\u\shop", true),
            ("/srv/u/shop", "/srv/u/other", false),
            ("/srv/u/shop", "/srv/v", false),
        ] {
            let (one_name, other_name) = (directory_name(one), directory_name(other));
            assert_ne!(one_name, other_name);
            assert_eq!(may_contain_one_another(&one_name, &other_name), expected, "{one} {other}");
            // Suffixes mark states that are being removed.
            assert!(one_name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == SEPARATOR), "{one_name}");
        }
        assert!(!may_contain_one_another("trust", &directory_name("/")));
    }
}
