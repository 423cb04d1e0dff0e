//! All calls that run in this process, from any front end. The list is used to let calls finish before the process
//! exits, and to show and cancel them in the user interface.

use std::{
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work, editor::Subscription};

type Listener = Arc<dyn Fn(&CallEvent) + Send + Sync>;

/// All running calls.
#[derive(Clone, Default)]
pub struct Running(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
    listeners: Mutex<BTreeMap<u64, Listener>>,
}

#[derive(Default)]
struct State {
    calls: Vec<RunningCall>,
    last: u64,
    /// Number of ended calls that may have changed files.
    changes: u64,
    is_shutting_down: bool,
}

/// Information about a running call.
#[derive(Clone)]
pub struct RunningCall {
    /// Unique within this process.
    pub number: u64,
    /// The name of the tool.
    pub tool: &'static str,
    /// The time when it began.
    pub since: Instant,
    /// Its progress and cancellation.
    pub work: Work,
}

/// The beginning or the end of a call.
#[derive(Clone)]
pub enum CallEvent {
    /// A call has begun.
    Begun(RunningCall),
    /// A call has ended.
    Ended {
        /// The call.
        call: RunningCall,
        /// The kind of its error; `None` if it succeeded.
        failure: Option<Kind>,
    },
}

/// Registration of a running call. Dropping it removes the call.
pub(crate) struct Run<'a> {
    running: &'a Running,
    call: RunningCall,
    changes: bool,
    failure: Option<Kind>,
}

impl Run<'_> {
    /// Sets the kind of error that the call ends with.
    pub(crate) fn set_failure(&mut self, failure: Option<Kind>) {
        self.failure = failure;
    }
}

impl Running {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listeners(&self) -> MutexGuard<'_, BTreeMap<u64, Listener>> {
        self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports an event. Listeners run without a lock, because they may ask for the running calls.
    fn notify(&self, event: &CallEvent) {
        let listeners: Vec<Listener> = self.listeners().values().map(Arc::clone).collect();
        for listener in listeners {
            listener(event);
        }
    }

    /// Registers a tool call. `changes` is true if the call may change files. Fails with `Cancelled` during shutdown.
    pub(crate) fn begin(&self, tool: &'static str, changes: bool, work: &Work) -> Result<Run<'_>> {
        let mut state = self.state();
        if state.is_shutting_down {
            return Err(Error::new(Kind::Cancelled, "the program is ending"));
        }
        state.last += 1;
        let call = RunningCall { number: state.last, tool, since: Instant::now(), work: work.clone() };
        state.calls.push(call.clone());
        drop(state);
        self.notify(&CallEvent::Begun(call.clone()));
        Ok(Run { running: self, call, changes, failure: None })
    }

    /// Returns the running calls, oldest first, and the number of ended calls that may have changed something.
    pub fn calls(&self) -> (Vec<RunningCall>, u64) {
        let state = self.state();
        (state.calls.clone(), state.changes)
    }

    /// Cancels a call. Returns whether it was running.
    pub fn cancel(&self, number: u64) -> bool {
        let state = self.state();
        let call = state.calls.iter().find(|call| call.number == number);
        call.inspect(|call| call.work.cancel()).is_some()
    }

    /// Subscribes to the beginning and end of calls. The listener is called from the thread of the call, and must not
    /// block.
    #[must_use = "the subscription ends when it is dropped"]
    pub fn subscribe(&self, listener: impl Fn(&CallEvent) + Send + Sync + 'static) -> Subscription {
        let mut listeners = self.listeners();
        let number = listeners.last_key_value().map_or(0, |(last, _)| last + 1);
        listeners.insert(number, Arc::new(listener));
        let shared = Arc::downgrade(&self.0);
        Subscription::with_end(move || {
            if let Some(shared) = shared.upgrade() {
                shared.listeners.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
            }
        })
    }

    /// Cancels all calls, refuses new ones, and waits up to `patience` for running ones to roll back or finish. Returns
    /// whether all calls have ended.
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
        state.calls.retain(|call| call.number != self.call.number);
        state.changes += u64::from(self.changes);
        drop(state);
        self.running.0.ended.notify_all();
        self.running.notify(&CallEvent::Ended { call: self.call.clone(), failure: self.failure });
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
    }

    #[test]
    fn subscribers_get_the_beginning_and_the_end_of_each_call() {
        let (running, seen) = (Running::default(), Arc::new(Mutex::new(Vec::new())));
        let (sink, asked) = (Arc::clone(&seen), running.clone());
        let subscription = running.subscribe(move |event| {
            let running = asked.calls().0.len();
            let text = match event {
                CallEvent::Begun(call) => format!("{} begins, {running} running", call.tool),
                CallEvent::Ended { call, failure } => format!("{} ends: {failure:?}, {running} running", call.tool),
            };
            sink.lock().expect("no panic").push(text);
        });
        drop(running.begin("query", false, &Work::default()).expect("begun"));
        running.begin("file_edit", true, &Work::default()).expect("begun").set_failure(Some(Kind::Stale));
        drop(subscription);
        drop(running.begin("query", false, &Work::default()).expect("begun"));
        let expected = [
            "query begins, 1 running",
            "query ends: None, 0 running",
            "file_edit begins, 1 running",
            "file_edit ends: Some(Stale), 0 running",
        ];
        assert_eq!(*seen.lock().expect("no panic"), expected);
    }
}
