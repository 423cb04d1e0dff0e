//! Interrupted changes that are not rolled back yet.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::Error;

/// How long readers do not retry a failed recovery, which would make every read expensive.
const PAUSE: Duration = Duration::from_secs(1);
/// Maximum number of stored messages.
const MOST_REMARKS: usize = 64;

/// State of interrupted changes.
#[derive(Default)]
pub(crate) struct Known {
    /// Directories whose markers could not be recovered.
    open: Mutex<BTreeMap<PathBuf, Open>>,
    /// Messages about recovered changes.
    remarks: Mutex<Vec<String>>,
}

/// A marker that remains.
pub(crate) struct Open {
    tried: Instant,
    pub(crate) why: Error,
    /// True if it belongs to another user and blocks nothing.
    pub(crate) ignored: bool,
}

impl Known {
    /// Returns the directories whose markers could not be recovered.
    pub(crate) fn open(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a message for the next caller.
    pub(crate) fn remark(&self, remark: String) {
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        if remarks.len() < MOST_REMARKS {
            remarks.push(remark);
        }
    }

    /// Takes the stored messages.
    pub(crate) fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut *self.remarks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records that a marker remains.
    pub(crate) fn set(&self, folder: &Path, why: Error, ignored: bool) {
        self.open().insert(folder.to_owned(), Open { tried: Instant::now(), why, ignored });
    }

    /// Returns whether recovery was tried so recently that a reader does not retry.
    pub(crate) fn was_just_tried(&self, folder: &Path) -> bool {
        self.open().get(folder).is_some_and(|open| open.tried.elapsed() < PAUSE)
    }
}

/// Scope of a read.
#[derive(Clone, Copy)]
pub(crate) enum Reading<'a> {
    /// This file, by its name below the root.
    File(&'a str),
    /// Anything: no change may be running.
    All,
}
