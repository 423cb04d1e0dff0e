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
pub(super) struct Diffs {
    /// Tab names by request ID.
    pending: Mutex<HashMap<String, String>>,
    /// True if the client has disconnected.
    gone: AtomicBool,
}

impl Diffs {
    fn pending(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a call that waits for a decision.
    pub(super) fn wait(&self, call: &str, tab: &str) {
        self.pending().insert(call.to_owned(), tab.to_owned());
    }

    /// Removes a call. Returns its tab if it was still waiting.
    pub(super) fn end(&self, call: &str) -> Option<String> {
        self.pending().remove(call)
    }

    /// Marks the client as disconnected. A call in progress may still propose a diff, which is then closed at once.
    pub(super) fn leave(&self) {
        self.gone.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::SeqCst)
    }
}
