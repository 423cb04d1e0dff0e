//! Tombstone of a journal whose change was rolled back: the journal is renamed, and the renamed file remains until the
//! last marker (the folder in the project that points to the journal) of the change is removed. A process that finds
//! one of these markers knows that nothing is left to roll back.
//!
//! Without it, a recovery that is interrupted after removing the journal and before removing the markers would leave a
//! marker without a journal. Such a marker is reported as a change whose files may be half changed. If the markers were
//! deleted together with their folders, the tombstone is removed when it exceeds the maximum age of changes in the
//! history.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::{journal, state::file_age, system::sync_directory};

/// Prefix of tombstones. Entries of the history begin with a number.
const PREFIX: &str = "over-";

/// Returns the path of a change's tombstone.
pub(crate) fn path(journal: &Path, id: &str) -> PathBuf {
    journal.with_file_name(format!("{PREFIX}{id}"))
}

/// Turns a journal into a tombstone. Its change is now rolled back, or never began.
pub(crate) fn create(journal: &Path, id: &str) -> io::Result<PathBuf> {
    let tombstone = path(journal, id);
    fs::rename(journal, &tombstone)?;
    sync_directory(journal.parent().unwrap_or(journal))?;
    // The contents are no longer needed. If truncating fails, they are removed with the file.
    let _ = journal::truncate_contents(&tombstone);
    Ok(tombstone)
}

/// Removes a tombstone when no marker refers to it.
pub(crate) fn remove(tombstone: &Path) -> io::Result<()> {
    match fs::remove_file(tombstone) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => sync_directory(tombstone.parent().unwrap_or(tombstone)),
    }
}

/// Removes tombstones in a folder that are older than allowed; without an age, only truncates all of them.
pub(crate) fn remove_old(folder: &Path, allowed: Option<Duration>) {
    let now = SystemTime::now();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            continue;
        }
        let is_old = |allowed: Duration| entry.metadata().is_ok_and(|metadata| file_age(&metadata, now) > allowed);
        // If this fails, the next recovery tries again.
        let _ = if allowed.is_some_and(is_old) {
            fs::remove_file(entry.path())
        } else {
            journal::truncate_contents(&entry.path())
        };
    }
}
