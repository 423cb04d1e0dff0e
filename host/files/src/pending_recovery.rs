//! Interrupted changes that are not rolled back yet.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::Error;

/// Pause before readers retry a failed recovery, as a retry on every read would be expensive.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Maximum number of stored messages.
const MAX_MESSAGES: usize = 64;

/// State of interrupted changes.
#[derive(Default)]
pub(crate) struct PendingRecovery {
    /// Directories whose markers could not be recovered.
    open: Mutex<BTreeMap<PathBuf, PendingMarker>>,
    /// Messages about recovered changes.
    messages: Mutex<Vec<String>>,
}

/// A marker whose change could not be rolled back.
pub(crate) struct PendingMarker {
    tried: Instant,
    pub(crate) why: Error,
    /// True if the marker belongs to another user and blocks no call.
    pub(crate) ignored: bool,
}

impl PendingRecovery {
    /// Returns the directories whose markers could not be recovered.
    pub(crate) fn pending(&self) -> MutexGuard<'_, BTreeMap<PathBuf, PendingMarker>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a message for the next caller.
    pub(crate) fn add_message(&self, remark: String) {
        let mut remarks = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        if remarks.len() < MAX_MESSAGES {
            remarks.push(remark);
        }
    }

    /// Takes the stored messages.
    pub(crate) fn take_messages(&self) -> Vec<String> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records that the change of a marker could not be rolled back.
    pub(crate) fn record(&self, folder: &Path, why: Error, ignored: bool) {
        self.pending().insert(folder.to_owned(), PendingMarker { tried: Instant::now(), why, ignored });
    }

    /// Returns whether recovery was tried so recently that a reader does not retry.
    pub(crate) fn was_just_tried(&self, folder: &Path) -> bool {
        self.pending().get(folder).is_some_and(|open| open.tried.elapsed() < RETRY_PAUSE)
    }
}

/// Scope of a read.
#[derive(Clone, Copy)]
pub(crate) enum ReadScope<'a> {
    /// This file, by its name below the root.
    File(&'a str),
    /// Anything: no change may be running.
    All,
}
