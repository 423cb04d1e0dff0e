//! Totals of a history, stored next to it so that a change need not examine every entry.
//!
//! They are in one small file that can be recomputed at any time. The file records the state of the entries' folder,
//! and is valid only while that state is unchanged: creating, removing or renaming an entry changes the folder's times.
//! The clock for these times may be so coarse that two changes get the same time, so the folder is given a time that
//! the clock itself would not produce. A wrong tally (because an entry was modified, or removed during a change)
//! removes no entries, since entries are examined before removal.

use std::{
    fs::Metadata,
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::entry_files;
use crate::{
    recovery_marker,
    state::{RootState, file_age},
    system::{self, Directory, Seen},
};

/// Length of the file, padded with blanks. The file is overwritten and never truncated, because some file systems flush
/// a truncated file early.
const LENGTH: usize = 512;

/// The file of an entry, with its metadata. Its content need not be valid.
pub(super) struct EntryFile {
    number: u64,
    pub(super) path: PathBuf,
    pub(super) metadata: Metadata,
}

/// Returns all entries, latest first, with their metadata.
pub(super) fn list_entries(state: &RootState) -> Vec<EntryFile> {
    let found = entry_files(state).into_iter();
    found
        .filter_map(|(number, path)| path.symlink_metadata().ok().map(|metadata| EntryFile { number, path, metadata }))
        .collect()
}

/// Totals of a history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(super) entries: usize,
    pub(super) bytes: u64,
    /// File name of the oldest entry, and its time in seconds since 1970.
    oldest: Option<(String, u64)>,
    /// The largest number of an entry.
    pub(super) latest: u64,
    /// True if the entries were counted because the last change did not write the tally.
    #[serde(skip)]
    pub(super) was_recounted: bool,
}

/// State of the entries' folder.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FolderStamp {
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

#[derive(Serialize, Deserialize)]
struct StoredTally {
    folder: FolderStamp,
    tally: Tally,
}

impl Tally {
    /// Returns the stored tally if it is valid; otherwise counts all entries.
    pub(crate) fn load(state: &RootState) -> Tally {
        Tally::read(state).unwrap_or_else(|| Tally { was_recounted: true, ..Tally::count(&list_entries(state)) })
    }

    /// Returns whether the tally is valid, which means that the last change completed: writing the tally is its last
    /// step.
    pub(crate) fn is_current(state: &RootState) -> bool {
        Tally::read(state).is_some() || !state.changes().is_dir()
    }

    fn read(state: &RootState) -> Option<Tally> {
        let mut bytes = Vec::new();
        recovery_marker::open_private_file(&state.tally()).ok()?.take(LENGTH as u64).read_to_end(&mut bytes).ok()?;
        let StoredTally { folder, tally } = serde_json::from_slice(&bytes).ok()?;
        let now = Directory::open(&state.changes()).and_then(|folder| folder.seen()).ok()?;
        (folder == FolderStamp::from_metadata(&now)).then_some(tally)
    }

    pub(super) fn count(kept: &[EntryFile]) -> Tally {
        let mut tally = Tally::default();
        for EntryFile { number, path, metadata } in kept.iter().rev() {
            tally.include(*number, path, metadata);
        }
        tally
    }

    /// Adds a new entry.
    pub(super) fn add(&mut self, path: &Path) {
        if let (Some(number), Ok(metadata)) = (super::entry_number(path), path.symlink_metadata()) {
            self.include(number, path, &metadata);
        }
    }

    fn include(&mut self, number: u64, path: &Path, metadata: &Metadata) {
        self.add_planned(metadata.len());
        self.latest = self.latest.max(number);
        let since = metadata.modified().ok().and_then(|then| then.duration_since(UNIX_EPOCH).ok());
        let written = since.unwrap_or_default().as_secs();
        let is_oldest = self.oldest.as_ref().is_none_or(|(_, oldest)| written < *oldest);
        if let (true, Some(name)) = (is_oldest, path.file_name()) {
            self.oldest = Some((name.to_string_lossy().into_owned(), written));
        }
    }

    /// Adds an entry that would be created.
    pub(super) fn add_planned(&mut self, bytes: u64) {
        self.entries = self.entries.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Returns the age of the oldest entry. If that entry is missing on disk, the age is the maximum.
    pub(super) fn oldest_age(&self, state: &RootState) -> Duration {
        let Some((name, _)) = &self.oldest else { return Duration::ZERO };
        let metadata = state.changes().join(name).symlink_metadata();
        metadata.map_or(Duration::MAX, |metadata| file_age(&metadata, SystemTime::now()))
    }

    /// Stores the tally for the next change. Requires the lock of the root.
    pub(crate) fn write(self, state: &RootState) -> io::Result<()> {
        let written = StoredTally { folder: FolderStamp::set(&state.changes())?, tally: self };
        let mut bytes = serde_json::to_vec(&written)?;
        if bytes.len() > LENGTH {
            return Err(ErrorKind::FileTooLarge.into());
        }
        bytes.resize(LENGTH, b' ');
        system::open_private(&state.tally())?.write_all(&bytes)
    }
}

impl FolderStamp {
    fn from_metadata(seen: &Seen) -> FolderStamp {
        FolderStamp { device: seen.device, inode: seen.inode, modified: seen.modified, changed: seen.changed }
    }

    /// Sets the modification time of a folder to a value that it would not get otherwise: a coarse clock or rounding
    /// would not produce this number of nanoseconds.
    fn set(folder: &Path) -> io::Result<FolderStamp> {
        let file = Directory::open(folder)?.into_file();
        let mut now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        if now.subsec_nanos().is_multiple_of(100) {
            now += Duration::from_nanos(1);
        }
        file.set_modified(UNIX_EPOCH + now)?;
        let stamp = FolderStamp::from_metadata(&system::seen_of(&file)?);
        let is_exact = stamp.modified.1 == i64::from(now.subsec_nanos());
        if is_exact { Ok(stamp) } else { Err(ErrorKind::Unsupported.into()) }
    }
}
