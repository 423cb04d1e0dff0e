//! Pending `openDiff` calls of a client.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Diffs of one client that are not decided yet.
#[derive(Default)]
pub(super) struct PendingDiffs {
    /// Tab names by request ID.
    pending: Mutex<HashMap<String, String>>,
    /// True if the client has disconnected.
    disconnected: AtomicBool,
}

impl PendingDiffs {
    fn pending(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a call that waits for a decision.
    pub(super) fn add(&self, call: &str, tab: &str) {
        self.pending().insert(call.to_owned(), tab.to_owned());
    }

    /// Removes a call. Returns its tab if it was still waiting.
    pub(super) fn remove(&self, call: &str) -> Option<String> {
        self.pending().remove(call)
    }

    /// Marks the client as disconnected. A call that is still in progress may propose a diff afterwards; that diff is
    /// closed immediately.
    pub(super) fn mark_disconnected(&self) {
        self.disconnected.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_disconnected(&self) -> bool {
        self.disconnected.load(Ordering::SeqCst)
    }
}
