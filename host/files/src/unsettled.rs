//! What is known about interrupted changes that are not taken back yet.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::Error;

/// How long a reader does not try again what failed: reading must not cost a recovery each time.
const PAUSE: Duration = Duration::from_secs(1);
/// What is kept for the next who asks.
const MOST_REMARKS: usize = 64;

/// What is known about interrupted changes.
#[derive(Default)]
pub(crate) struct Known {
    /// The directories whose markers are not settled.
    open: Mutex<BTreeMap<PathBuf, Open>>,
    /// What was taken back, as far as there is something to say about it.
    remarks: Mutex<Vec<String>>,
}

/// A marker that stays where it is.
pub(crate) struct Open {
    tried: Instant,
    pub(crate) why: Error,
    /// It is somebody else's, and bars nobody's way.
    pub(crate) ignored: bool,
}

impl Known {
    /// The directories whose markers are not settled.
    pub(crate) fn open(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keep something to say for the next who asks.
    pub(crate) fn remark(&self, remark: String) {
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        if remarks.len() < MOST_REMARKS {
            remarks.push(remark);
        }
    }

    /// What there is to say; once.
    pub(crate) fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut *self.remarks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A marker stays where it is.
    pub(crate) fn set(&self, folder: &Path, why: Error, ignored: bool) {
        self.open().insert(folder.to_owned(), Open { tried: Instant::now(), why, ignored });
    }

    /// Whether it was tried so shortly ago that a reader does not try again.
    pub(crate) fn was_just_tried(&self, folder: &Path) -> bool {
        self.open().get(folder).is_some_and(|open| open.tried.elapsed() < PAUSE)
    }
}

/// What is about to be read.
#[derive(Clone, Copy)]
pub(crate) enum Reading<'a> {
    /// This file, by its name below the root.
    File(&'a str),
    /// Whatever there is: nothing may be under way.
    All,
}
