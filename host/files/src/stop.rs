//! Ending the program without a change left half done: changes that run are taken back or finish, further ones do not begin.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use marquetry_model::{Error, Kind, Result};

/// Tells the files of a program that it is about to end. Clones are the same.
///
/// Nothing here may run inside a signal handler: a handler wakes a thread, and that one calls [`Stopper::stop`].
#[derive(Clone, Default)]
pub struct Stopper(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    idle: Condvar,
}

#[derive(Default)]
struct State {
    asked: bool,
    running: usize,
}

impl Stopper {
    /// Changes that run end at their next step and are taken back, unless they are done by then; no other begins.
    pub fn ask(&self) {
        self.state().asked = true;
    }

    /// The same, and wait until no change runs. Then the program may end.
    pub fn stop(&self) {
        self.ask();
        let mut state = self.state();
        while state.running > 0 {
            state = self.0.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A change begins; it runs until the answer is dropped.
    pub(crate) fn begin(&self) -> Result<Running<'_>> {
        let mut state = self.state();
        if state.asked {
            return Err(stopped());
        }
        state.running += 1;
        Ok(Running(self))
    }

    /// Fails when the program is about to end.
    pub(crate) fn check(&self) -> Result<()> {
        if self.state().asked { Err(stopped()) } else { Ok(()) }
    }
}

/// A change that runs.
pub(crate) struct Running<'a>(&'a Stopper);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.state().running -= 1;
        self.0.0.idle.notify_all();
    }
}

fn stopped() -> Error {
    Error::new(Kind::Cancelled, "the program is about to end")
        .hint("nothing was written; repeat the call when it runs again")
}
