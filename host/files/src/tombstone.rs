//! What is left of a journal when its change is taken back: a file of another name beside it, made by one rename, until the
//! last marker of the change is removed. Whoever meets one of these markers finds that there is nothing to take back.
//!
//! Without it a recovery that is interrupted between the journal and the markers would leave a marker without a journal, which
//! says that files may be half changed. A tombstone that nobody needs any more, as its markers went with their folders, is
//! removed when it is as old as the oldest change in the history.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::{journal, state::age, system::sync_directory};

/// Names of entries of the history begin with a number, those of tombstones with this.
const PREFIX: &str = "over-";

/// Where the tombstone of a change is, by its journal.
pub(crate) fn path(journal: &Path, id: &str) -> PathBuf {
    journal.with_file_name(format!("{PREFIX}{id}"))
}

/// Turn a journal into a tombstone. From now on its change is taken back, or never began.
pub(crate) fn make(journal: &Path, id: &str) -> io::Result<PathBuf> {
    let tombstone = path(journal, id);
    fs::rename(journal, &tombstone)?;
    sync_directory(journal.parent().unwrap_or(journal))?;
    // The bytes of files are needed by nobody any more. What stays of them is removed with the file.
    let _ = journal::drop_contents(&tombstone);
    Ok(tombstone)
}

/// Remove a tombstone once no marker leads to it.
pub(crate) fn remove(tombstone: &Path) -> io::Result<()> {
    match fs::remove_file(tombstone) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => sync_directory(tombstone.parent().unwrap_or(tombstone)),
    }
}

/// Remove the tombstones in a folder that are older than allowed; none without an age. None keeps bytes of files.
pub(crate) fn sweep(folder: &Path, allowed: Option<Duration>) {
    let now = SystemTime::now();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            continue;
        }
        let is_old = |allowed: Duration| entry.metadata().is_ok_and(|metadata| age(&metadata, now) > allowed);
        // What cannot be removed is tried again after the next interruption.
        let _ = if allowed.is_some_and(is_old) {
            fs::remove_file(entry.path())
        } else {
            journal::drop_contents(&entry.path())
        };
    }
}
