//! How much there is in a history, kept from change to change beside it, so that a change need not look at every entry.
//!
//! It is one small file that can be counted anew at any time. It names the folder of the entries as it was when it was written,
//! and is believed only where the folder still is that: whoever makes, removes or renames something there changes the folder's
//! times. The system's clock for these may tick as rarely as a change takes, so the folder is given a time between two ticks.
//! What a tally is wrong about for all that (an entry that was written to, or taken away while a change ran) makes nothing
//! go: entries go when they were looked at.

use std::{
    fs::Metadata,
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::files;
use crate::{
    marker,
    state::{State, age},
    system::{self, Directory, Seen},
};

/// The file's length, filled with blanks: it is written over, never cut, so that no system hurries it to the disk.
const LENGTH: usize = 512;

/// An entry as it lies in its folder, whatever is in it.
pub(super) struct Kept {
    number: u64,
    pub(super) path: PathBuf,
    pub(super) metadata: Metadata,
}

/// All entries, latest first. Each of them is looked at.
pub(super) fn kept(state: &State) -> Vec<Kept> {
    let found = files(state).into_iter();
    found
        .filter_map(|(number, path)| path.symlink_metadata().ok().map(|metadata| Kept { number, path, metadata }))
        .collect()
}

/// How much there is in a history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(super) entries: usize,
    pub(super) bytes: u64,
    /// The name of the entry that was written first, and the second since 1970 in which it was.
    oldest: Option<(String, u64)>,
    /// The largest number of an entry.
    pub(super) latest: u64,
    /// The entries were counted, as the last change did not come to write this.
    #[serde(skip)]
    pub(super) is_counted: bool,
}

/// The folder of the entries, as it was.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

#[derive(Serialize, Deserialize)]
struct Written {
    folder: Stamp,
    tally: Tally,
}

impl Tally {
    /// What was written, where it still holds; otherwise all entries are counted.
    pub(crate) fn of(state: &State) -> Tally {
        Tally::read(state).unwrap_or_else(|| Tally { is_counted: true, ..Tally::count(&kept(state)) })
    }

    /// Whether the last change came to its very end: it writes the tally as the last step.
    pub(crate) fn is_current(state: &State) -> bool {
        Tally::read(state).is_some() || !state.changes().is_dir()
    }

    fn read(state: &State) -> Option<Tally> {
        let mut bytes = Vec::new();
        marker::open_own(&state.tally()).ok()?.take(LENGTH as u64).read_to_end(&mut bytes).ok()?;
        let Written { folder, tally } = serde_json::from_slice(&bytes).ok()?;
        let now = Directory::open(&state.changes()).and_then(|folder| folder.seen()).ok()?;
        (folder == Stamp::of(&now)).then_some(tally)
    }

    pub(super) fn count(kept: &[Kept]) -> Tally {
        let mut tally = Tally::default();
        for Kept { number, path, metadata } in kept.iter().rev() {
            tally.take_in(*number, path, metadata);
        }
        tally
    }

    /// Add an entry that came in.
    pub(super) fn add(&mut self, path: &Path) {
        if let (Some(number), Ok(metadata)) = (super::number(path), path.symlink_metadata()) {
            self.take_in(number, path, &metadata);
        }
    }

    fn take_in(&mut self, number: u64, path: &Path, metadata: &Metadata) {
        self.add_coming(metadata.len());
        self.latest = self.latest.max(number);
        let since = metadata.modified().ok().and_then(|then| then.duration_since(UNIX_EPOCH).ok());
        let written = since.unwrap_or_default().as_secs();
        let is_oldest = self.oldest.as_ref().is_none_or(|(_, oldest)| written < *oldest);
        if let (true, Some(name)) = (is_oldest, path.file_name()) {
            self.oldest = Some((name.to_string_lossy().into_owned(), written));
        }
    }

    /// Add an entry that would come in.
    pub(super) fn add_coming(&mut self, bytes: u64) {
        self.entries = self.entries.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// How long ago the oldest entry was written, by what lies there now. One that is gone is as old as can be.
    pub(super) fn oldest_age(&self, state: &State) -> Duration {
        let Some((name, _)) = &self.oldest else { return Duration::ZERO };
        let metadata = state.changes().join(name).symlink_metadata();
        metadata.map_or(Duration::MAX, |metadata| age(&metadata, SystemTime::now()))
    }

    /// Keep it for the next change. Only who has the lock of the root may.
    pub(super) fn write(self, state: &State) -> io::Result<()> {
        let written = Written { folder: Stamp::set(&state.changes())?, tally: self };
        let mut bytes = serde_json::to_vec(&written)?;
        if bytes.len() > LENGTH {
            return Err(ErrorKind::FileTooLarge.into());
        }
        bytes.resize(LENGTH, b' ');
        system::open_private(&state.tally())?.write_all(&bytes)
    }
}

impl Stamp {
    fn of(seen: &Seen) -> Stamp {
        Stamp { device: seen.device, inode: seen.inode, modified: seen.modified, changed: seen.changed }
    }

    /// Give a folder a time that it gets from nobody else: not from a clock that ticks, and not where times are rounded.
    fn set(folder: &Path) -> io::Result<Stamp> {
        let file = Directory::open(folder)?.into_file();
        let mut now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        if now.subsec_nanos().is_multiple_of(100) {
            now += Duration::from_nanos(1);
        }
        file.set_modified(UNIX_EPOCH + now)?;
        let stamp = Stamp::of(&system::seen_of(&file)?);
        let is_exact = stamp.modified.1 == i64::from(now.subsec_nanos());
        if is_exact { Ok(stamp) } else { Err(ErrorKind::Unsupported.into()) }
    }
}
