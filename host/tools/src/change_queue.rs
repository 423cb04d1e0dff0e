//! Per-file locks for changes, so that calls of one server do not invalidate each other's work.
//!
//! A call that changes files it names waits for earlier calls on any of these files, and then works on their result. It
//! acquires all of its files at once, so calls cannot deadlock. A call that may change any file of a root waits for
//! all earlier calls. Reads do not wait. Changes by other processes are detected on commit.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};

use marquetry_model::{Result, Work, limits};

/// Files that a call may change below one root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    /// One file.
    File(&'a str),
    /// The given files, sorted.
    Files(&'a [String]),
    /// Any file of the root.
    Root,
}

impl Scope<'_> {
    /// Returns whether the change covers many files, so that it takes long to compute.
    pub(crate) fn is_wide(self) -> bool {
        match self {
            Scope::File(_) => false,
            Scope::Files(paths) => paths.len() > limits::UNCONFIRMED_FILES,
            Scope::Root => true,
        }
    }
}

/// Queues of calls that change files, in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct ChangeQueue {
    queues: Mutex<HashMap<String, VecDeque<QueuedCall>>>,
    ended: Condvar,
    /// Read-locked by attempts that run before their turn; write-locked to block such attempts.
    early: RwLock<()>,
}

/// A call in the queue of its root.
#[derive(Debug)]
struct QueuedCall {
    ticket: u64,
    /// Sorted; `None` for a call that may change any file.
    files: Option<Vec<String>>,
}

/// Guard of a turn, which ends on drop.
#[derive(Debug)]
pub(crate) struct TurnGuard<'a> {
    turns: &'a ChangeQueue,
    root: String,
    ticket: u64,
}

/// Interval at which a waiting call checks for cancellation.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

impl ChangeQueue {
    /// Waits for the turn. Fails if the work is cancelled.
    pub(crate) fn wait_for_turn(&self, root: &str, scope: Scope<'_>, work: &Work) -> Result<TurnGuard<'_>> {
        let mut queues = self.lock();
        let queue = queues.entry(root.to_owned()).or_default();
        let ticket = queue.back().map_or(0, |last| last.ticket + 1);
        let files = match scope {
            Scope::File(path) => Some(vec![path.to_owned()]),
            Scope::Files(paths) => Some(paths.to_vec()),
            Scope::Root => None,
        };
        queue.push_back(QueuedCall { ticket, files });
        let turn = TurnGuard { turns: self, root: root.to_owned(), ticket };
        loop {
            if queues.get(root).is_none_or(|queue| is_next(queue, ticket)) {
                return Ok(turn);
            }
            if let Err(cancelled) = work.check() {
                // Dropping the turn removes it from the queue, which needs the lock.
                drop(queues);
                return Err(cancelled);
            }
            queues = self.ended.wait_timeout(queues, CANCEL_CHECK_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Starts an attempt before the call has its turn. If the attempt changes files, calls that have their turn must
    /// repeat their attempts.
    pub(crate) fn early_attempt(&self) -> RwLockReadGuard<'_, ()> {
        self.early.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Blocks early attempts while a call runs that was invalidated too often.
    pub(crate) fn exclusive_attempt(&self) -> RwLockWriteGuard<'_, ()> {
        self.early.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, VecDeque<QueuedCall>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether no earlier call in the queue conflicts.
fn is_next(queue: &VecDeque<QueuedCall>, ticket: u64) -> bool {
    let Some(own) = queue.iter().find(|waiting| waiting.ticket == ticket) else { return true };
    let collides = |other: &QueuedCall| match (&other.files, &own.files) {
        (Some(others), Some(files)) => have_common_path(others, files),
        _ => true,
    };
    !queue.iter().take_while(|other| other.ticket != ticket).any(collides)
}

/// Returns whether two sorted lists have at least one path in common.
fn have_common_path(a: &[String], b: &[String]) -> bool {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter().any(|path| many.binary_search(path).is_ok())
}

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        let mut queues = self.turns.lock();
        if let Some(queue) = queues.get_mut(&self.root) {
            queue.retain(|waiting| waiting.ticket != self.ticket);
            if queue.is_empty() {
                queues.remove(&self.root);
            }
        }
        drop(queues);
        self.turns.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        thread,
    };

    use marquetry_model::Kind;

    use super::*;

    /// Takes a turn on another thread. The receiver is notified when the turn starts; dropping the sender ends the
    /// turn.
    fn start_turn(turns: &Arc<ChangeQueue>, scope: Scope<'static>) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
        let (came, hears) = mpsc::channel();
        let (ends, end) = mpsc::channel::<()>();
        let turns = Arc::clone(turns);
        let before = turns.lock().get("/root").map_or(0, VecDeque::len);
        let queue = Arc::clone(&turns);
        thread::spawn(move || {
            let _turn = turns.wait_for_turn("/root", scope, &Work::default()).expect("not cancelled");
            let _ = came.send(());
            let _ = end.recv();
        });
        while queue.lock().get("/root").map_or(0, VecDeque::len) == before {
            thread::yield_now();
        }
        (hears, ends)
    }

    fn has_started(hears: &mpsc::Receiver<()>) -> bool {
        hears.recv_timeout(Duration::from_millis(20)).is_ok()
    }

    #[test]
    fn calls_on_one_file_are_serialized() {
        let turns = Arc::new(ChangeQueue::default());
        let (first, end_first) = start_turn(&turns, Scope::File("a"));
        let (second, end_second) = start_turn(&turns, Scope::File("a"));
        let (elsewhere, _end) = start_turn(&turns, Scope::File("b"));
        assert!(has_started(&first) && has_started(&elsewhere) && !has_started(&second));
        drop(end_first);
        second.recv().expect("the turn starts");
        drop(end_second);
    }

    #[test]
    fn root_change_waits_for_earlier_and_blocks_later_calls() {
        let turns = Arc::new(ChangeQueue::default());
        let (file, end_file) = start_turn(&turns, Scope::File("a"));
        let (root, end_root) = start_turn(&turns, Scope::Root);
        let (later, _end) = start_turn(&turns, Scope::File("b"));
        assert!(has_started(&file) && !has_started(&root) && !has_started(&later));
        drop(end_file);
        root.recv().expect("the turn starts");
        assert!(!has_started(&later));
        drop(end_root);
        later.recv().expect("the turn starts");
    }

    #[test]
    fn change_of_several_files_waits_for_each_of_them() {
        const FILES: &[&str] = &["a", "c"];
        let paths: &'static [String] = Box::leak(FILES.iter().map(|path| (*path).to_owned()).collect());
        let turns = Arc::new(ChangeQueue::default());
        let (first, end_first) = start_turn(&turns, Scope::File("c"));
        let (some, end_some) = start_turn(&turns, Scope::Files(paths));
        let (elsewhere, _end) = start_turn(&turns, Scope::File("b"));
        let (behind, _end_behind) = start_turn(&turns, Scope::File("a"));
        assert!(has_started(&first) && has_started(&elsewhere) && !has_started(&some) && !has_started(&behind));
        drop(end_first);
        some.recv().expect("the turn starts");
        assert!(!has_started(&behind));
        drop(end_some);
        behind.recv().expect("the turn starts");
    }

    #[test]
    fn cancelled_call_leaves_the_queue() {
        let turns = Arc::new(ChangeQueue::default());
        let (_first, end_first) = start_turn(&turns, Scope::File("a"));
        let work = Work::default();
        work.cancel();
        let error = turns.wait_for_turn("/root", Scope::File("a"), &work).expect_err("cancelled");
        assert_eq!(error.kind(), Kind::Cancelled);
        drop(end_first);
        turns.wait_for_turn("/root", Scope::Root, &Work::default()).expect("no earlier change is left");
    }

    #[test]
    fn exclusive_attempt_blocks_early_ones() {
        let turns = Arc::new(ChangeQueue::default());
        let early = (turns.early_attempt(), turns.early_attempt());
        let (came, hears) = mpsc::channel();
        let waits = Arc::clone(&turns);
        let alone = thread::spawn(move || {
            let _alone = waits.exclusive_attempt();
            came.send(()).expect("the test waits for it");
        });
        assert!(!has_started(&hears), "early attempts are running");
        drop(early);
        hears.recv().expect("the exclusive attempt starts");
        alone.join().expect("no panic");
        drop(turns.early_attempt());
    }

    #[test]
    fn concurrent_turns_do_not_overlap() {
        let (turns, inside, count) = (ChangeQueue::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let turn =
                            turns.wait_for_turn("/root", Scope::File("a"), &Work::default()).expect("not cancelled");
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two turns overlap");
                        count.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                });
            }
        });
        assert_eq!(count.into_inner(), 800);
        assert!(turns.lock().is_empty());
    }
}
