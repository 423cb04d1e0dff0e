//! All calls that run in this process, from any front end. The list is used to let calls finish before the process
//! exits, and to show and cancel them in the user interface.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work};
use tokio::sync::watch;

/// All running calls.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
    /// Changes whenever a call begins or ends.
    change_events: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    calls: Vec<RunningCall>,
    last: u64,
    /// Number of ended calls that may have changed something.
    changes: u64,
    is_shutting_down: bool,
}

/// A running call, as shown to others.
#[derive(Clone)]
pub(crate) struct RunningCall {
    /// Unique within this process.
    pub(crate) number: u64,
    pub(crate) tool: &'static str,
    pub(crate) since: Instant,
    pub(crate) work: Work,
}

/// Registration of a running call. Dropping it removes the call.
pub(crate) struct Run<'a> {
    running: &'a Running,
    number: u64,
    changes: bool,
}

impl Running {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self) {
        self.0.change_events.send_modify(|count| *count += 1);
    }

    /// Registers a tool call. `changes` is true if it may change something. Fails with `Cancelled` during shutdown.
    pub(crate) fn begin(&self, tool: &'static str, changes: bool, work: &Work) -> Result<Run<'_>> {
        let mut state = self.state();
        if state.is_shutting_down {
            return Err(Error::new(Kind::Cancelled, "the program is ending"));
        }
        state.last += 1;
        let number = state.last;
        state.calls.push(RunningCall { number, tool, since: Instant::now(), work: work.clone() });
        drop(state);
        self.notify();
        Ok(Run { running: self, number, changes })
    }

    /// Returns the running calls, oldest first, and the number of ended calls that may have changed something.
    pub(crate) fn calls(&self) -> (Vec<RunningCall>, u64) {
        let state = self.state();
        (state.calls.clone(), state.changes)
    }

    /// Cancels a call. Returns whether it was running.
    pub(crate) fn cancel(&self, number: u64) -> bool {
        let state = self.state();
        let call = state.calls.iter().find(|call| call.number == number);
        call.inspect(|call| call.work.cancel()).is_some()
    }

    /// Subscribes to the beginning and end of calls.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.0.change_events.subscribe()
    }

    /// Cancels all calls, refuses new ones, and waits up to `patience` for running ones to roll back or finish.
    /// Returns whether all have ended.
    pub(crate) fn shut_down(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut state = self.state();
        state.is_shutting_down = true;
        state.calls.iter().for_each(|call| call.work.cancel());
        while !state.calls.is_empty() {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return false };
            state = self.0.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let mut state = self.running.state();
        state.calls.retain(|call| call.number != self.number);
        state.changes += u64::from(self.changes);
        drop(state);
        self.running.0.ended.notify_all();
        self.running.notify();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shutdown_waits_for_running_calls_and_starts_none() {
        let (running, work) = (Running::default(), Work::default());
        let run = running.begin("query", false, &work).expect("begun");
        assert!(!running.shut_down(Duration::ZERO), "a running call must be reported");
        assert!(work.is_cancelled());
        assert_eq!(
            running.begin("query", false, &Work::default()).err().map(|error| error.kind()),
            Some(Kind::Cancelled)
        );
        let waiting = std::thread::spawn({
            let running = running.clone();
            move || running.shut_down(Duration::from_secs(60))
        });
        drop(run);
        assert!(waiting.join().expect("joined"));
    }

    #[test]
    fn idle_process_ends_at_once() {
        assert!(Running::default().shut_down(Duration::ZERO));
    }

    #[test]
    fn calls_are_listed_and_cancelled_individually() {
        let running = Running::default();
        let watcher = running.watch();
        let [one, other] = [Work::default(), Work::default()];
        let read = running.begin("file_read", false, &one).expect("begun");
        let edit = running.begin("file_edit", true, &other).expect("begun");
        let (seen, changes) = running.calls();
        assert_eq!(seen.iter().map(|call| call.tool).collect::<Vec<_>>(), ["file_read", "file_edit"]);
        assert!(running.cancel(seen[1].number) && !running.cancel(99));
        assert!(other.is_cancelled() && !one.is_cancelled());
        drop(edit);
        assert_eq!((running.calls().0.len(), running.calls().1, changes), (1, 1, 0));
        drop(read);
        assert_eq!((running.calls().0.len(), running.calls().1), (0, 1));
        assert!(watcher.has_changed().expect("there"));
    }
}
