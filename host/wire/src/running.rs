//! The calls that run in this process, whoever made them: so that the process ends when none is half done.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work};

/// All running calls.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    works: Vec<Work>,
    is_ending: bool,
}

/// A call that runs, until it is dropped.
pub(crate) struct Run<'a> {
    running: &'a Running,
    work: Work,
}

impl Running {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins.
    pub(crate) fn begin(&self, work: &Work) -> Result<Run<'_>> {
        let mut state = self.state();
        if state.is_ending {
            return Err(Error::new(Kind::Cancelled, "the program is ending"));
        }
        state.works.push(work.clone());
        Ok(Run { running: self, work: work.clone() })
    }

    /// Cancel all calls, begin no other, and wait so long for those that run: each takes back what it has begun, or ends it.
    /// Whether all have ended.
    pub(crate) fn end(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut state = self.state();
        state.is_ending = true;
        state.works.iter().for_each(Work::cancel);
        while !state.works.is_empty() {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return false };
            state = self.0.1.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let mut state = self.running.state();
        if let Some(at) = state.works.iter().position(|work| work.is_same(&self.work)) {
            state.works.swap_remove(at);
        }
        self.running.0.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_waits_for_what_runs_and_begins_nothing() {
        let (running, work) = (Running::default(), Work::default());
        let run = running.begin(&work).expect("begun");
        assert!(!running.end(Duration::ZERO), "it still runs");
        assert!(work.is_cancelled());
        assert_eq!(running.begin(&Work::default()).err().map(|error| error.kind()), Some(Kind::Cancelled));
        let waiting = std::thread::spawn({
            let running = running.clone();
            move || running.end(Duration::from_secs(60))
        });
        drop(run);
        assert!(waiting.join().expect("joined"));
    }

    #[test]
    fn an_idle_process_ends_at_once() {
        assert!(Running::default().end(Duration::ZERO));
    }
}
