//! Decides which calls have to wait while a change is running, and in which order.
//!
//! Calls of one process that change a root, or wait for a change of it, are queued in order of arrival; only the first
//! one requests the system's lock. Reading a single file does not wait for changes of other files. It also does not
//! wait for a change that is a single rename, because the file is complete before and after it.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    thread::{self, Thread},
    time::Duration,
};

use marquetry_model::{Result, Work};

use crate::{
    journal::{self, Manifest},
    lock::Lock,
    operation::{Operation, is_one_step},
    paths::path_below,
    recovery,
    recovery_marker::{self, MarkerState},
    tree::Probe,
};

/// Interval at which a waiting call checks for cancellation.
const CANCEL_POLL: Duration = Duration::from_millis(50);

/// Calls of this process that wait for the lock of one root; the first one has it.
#[derive(Default)]
pub(crate) struct Queue(Mutex<QueueState>);

#[derive(Default)]
struct QueueState {
    next: u64,
    waiting: VecDeque<(u64, Thread)>,
}

/// Proof that a call is first in the queue. Dropping it admits the next call.
pub(crate) struct Turn<'a> {
    queue: &'a Queue,
    ticket: u64,
}

/// The lock of a root with its place in the queue. The lock is dropped first.
pub(crate) struct ChangeTurn<'a> {
    pub(crate) lock: Lock,
    pub(crate) _turn: Turn<'a>,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the first place. Fails if the work is cancelled.
    pub(crate) fn wait(&self, work: &Work) -> Result<Turn<'_>> {
        let ticket = {
            let mut line = self.state();
            line.next += 1;
            let ticket = line.next;
            line.waiting.push_back((ticket, thread::current()));
            ticket
        };
        let turn = Turn { queue: self, ticket };
        while self.state().waiting.front().is_some_and(|(first, _)| *first != ticket) {
            work.check()?;
            thread::park_timeout(CANCEL_POLL);
        }
        Ok(turn)
    }

    /// Returns whether a call of this process has the lock or is about to get it.
    pub(crate) fn is_taken(&self) -> bool {
        !self.state().waiting.is_empty()
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut line = self.queue.state();
        line.waiting.retain(|(ticket, _)| *ticket != self.ticket);
        if let Some((_, next)) = line.waiting.front() {
            next.unpark();
        }
    }
}

/// Returns whether a file can be read although the change of the marker in a directory is running.
pub(crate) fn is_unaffected(folder: &Path, file: &Path, probe: &Probe) -> bool {
    match recovery_marker::read(folder) {
        // The change has not begun, or it is finished.
        Ok(MarkerState::Nothing | MarkerState::Incomplete) => true,
        Ok(MarkerState::Marker(marker, _)) if marker.alone => true,
        Ok(MarkerState::Marker(marker, seal)) => {
            let manifest = journal::read_manifest(&marker.journal).filter(|manifest| manifest.id == marker.id);
            manifest.is_none_or(|manifest| match recovery::relative_to_folder(folder, &seal, manifest, probe) {
                Ok((tree, manifest)) => file.strip_prefix(tree.root()).is_ok_and(|file| !touches(&manifest, file)),
                Err(_) => false,
            })
        }
        Ok(MarkerState::Foreign(_)) | Err(_) => false,
    }
}

/// Returns whether a file can be read although the change of a journal is running. The file's name is below the
/// journal's root.
pub(crate) fn is_unaffected_by_journal(journal: &Path, file: &str) -> bool {
    // Without a manifest, the change has not begun.
    journal::read_manifest(journal)
        .is_none_or(|manifest| is_one_step(&manifest.operations) || !touches(&manifest, Path::new(file)))
}

/// Returns whether a change affects the file or a directory that contains it.
fn touches(manifest: &Manifest, file: &Path) -> bool {
    let Some(file) = file.to_str() else { return true };
    let meets = |path: &str| path == file || path_below(path, file).is_some() || path_below(file, path).is_some();
    manifest.operations.iter().any(|operation| match operation {
        Operation::Rename { from, to, .. } => meets(from) || meets(to),
        other => meets(other.path()),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use marquetry_model::Kind;

    use super::*;

    #[test]
    fn queue_admits_calls_in_order_of_arrival() {
        let queue = Arc::new(Queue::default());
        let (sender, receiver) = mpsc::channel();
        let first = queue.wait(&Work::default()).expect("no other change is running, so the queue is free");
        let mut threads = Vec::new();
        for number in 0..8 {
            let before = queue.state().waiting.len();
            let (queue, sender) = (Arc::clone(&queue), sender.clone());
            let waits = Arc::clone(&queue);
            threads.push(thread::spawn(move || {
                let _turn = queue.wait(&Work::default()).expect("not cancelled");
                sender.send(number).expect("the receiver exists");
            }));
            while waits.state().waiting.len() == before {
                thread::yield_now();
            }
        }
        assert!(receiver.try_recv().is_err(), "no thread may get its turn while the first one is running");
        drop(first);
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        assert!(!queue.is_taken());
    }

    #[test]
    fn cancelled_call_leaves_the_queue() {
        let queue = Queue::default();
        let first = queue.wait(&Work::default()).expect("no other change is running, so the queue is free");
        let work = Work::default();
        work.cancel();
        assert_eq!(queue.wait(&work).err().map(|error| error.kind()), Some(Kind::Cancelled));
        drop(first);
        assert!(!queue.is_taken());
    }
}
