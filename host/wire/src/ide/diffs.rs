//! The diffs that a client waits for.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// The diffs of one client that are not decided.
#[derive(Default)]
pub(super) struct Diffs {
    /// Tabs, by the id of their call.
    pending: Mutex<HashMap<String, String>>,
    /// The client has gone.
    gone: AtomicBool,
}

impl Diffs {
    fn pending(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call waits for a decision.
    pub(super) fn wait(&self, call: &str, tab: &str) {
        self.pending().insert(call.to_owned(), tab.to_owned());
    }

    /// A call no longer waits; the tab of what it proposed, if it did until now.
    pub(super) fn end(&self, call: &str) -> Option<String> {
        self.pending().remove(call)
    }

    /// The client has gone. A call of it that is still at work may propose something yet: that goes at once.
    pub(super) fn leave(&self) {
        self.gone.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::SeqCst)
    }
}
