//! A call that runs in the background, as a future for any executor.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use marquetry_model::{Error, Result, Work};

/// A running call. It is a future for any executor; dropping it cancels the call.
///
/// A cancelled change is rolled back or, after its commit point, complete.
///
/// # Examples
///
/// ```
/// use marquetry::{Host, MemoryFiles};
/// use serde_json::json;
///
/// # fn main() -> marquetry::Result<()> {
/// let host = Host::builder().files(MemoryFiles::new([("a.txt", "one")])).build()?;
/// let call = host.call_async("query", json!({ "type": "files" }));
/// // `call.await` in asynchronous code; elsewhere:
/// assert_eq!(call.wait()?["data"]["files"][0]["path"], "a.txt");
/// # Ok(())
/// # }
/// ```
#[must_use = "a call whose future is dropped is cancelled"]
pub struct PendingCall<T> {
    slot: Arc<Slot<T>>,
    work: Work,
}

struct Slot<T> {
    state: Mutex<State<T>>,
    ended: Condvar,
}

enum State<T> {
    Running(Option<Waker>),
    Ended(Result<T>),
    Taken,
}

/// Completes a call from the thread that runs it. If it is dropped without a result, the call fails.
pub(crate) struct Completer<T>(Arc<Slot<T>>);

impl<T> Slot<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, result: Result<T>) {
        let mut state = self.state();
        if let State::Running(waker) = &mut *state {
            let waker = waker.take();
            *state = State::Ended(result);
            drop(state);
            self.ended.notify_all();
            waker.into_iter().for_each(Waker::wake);
        }
    }
}

impl<T> Completer<T> {
    pub(crate) fn complete(self, result: Result<T>) {
        self.0.end(result);
    }
}

impl<T> Drop for Completer<T> {
    fn drop(&mut self) {
        self.0.end(Err(Error::internal("the call panicked")));
    }
}

impl<T> PendingCall<T> {
    /// Creates a call and the side that completes it.
    pub(crate) fn new(work: Work) -> (PendingCall<T>, Completer<T>) {
        let slot = Arc::new(Slot { state: Mutex::new(State::Running(None)), ended: Condvar::new() });
        (PendingCall { slot: Arc::clone(&slot), work }, Completer(slot))
    }

    /// Returns the work of the call, which has its progress and can cancel it.
    ///
    /// # Examples
    ///
    /// ```
    /// # fn main() -> marquetry::Result<()> {
    /// # let host = marquetry::Host::builder().files(marquetry::MemoryFiles::new([("a.txt", "one")])).build()?;
    /// let call = host.call_async("query", serde_json::json!({ "type": "files" }));
    /// if let Some(progress) = call.work().progress() {
    ///     println!("{progress}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Waits for the result, for code that is not asynchronous.
    ///
    /// # Errors
    /// Fails like the call.
    ///
    /// # Examples
    ///
    /// ```
    /// # fn main() -> marquetry::Result<()> {
    /// # let host = marquetry::Host::builder().files(marquetry::MemoryFiles::new([("a.txt", "one")])).build()?;
    /// let answer = host.call_async("file_history", serde_json::json!({})).wait()?;
    /// assert_eq!(answer["changes"], serde_json::json!([]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait(self) -> Result<T> {
        let mut state = self.slot.state();
        loop {
            match std::mem::replace(&mut *state, State::Taken) {
                State::Ended(result) => return result,
                running @ State::Running(_) => *state = running,
                State::Taken => return Err(taken_error()),
            }
            state = self.slot.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn taken_error() -> Error {
    Error::internal("the result of the call was already taken").hint("poll the future only until it is ready")
}

impl<T> Future for PendingCall<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let mut state = self.slot.state();
        match std::mem::replace(&mut *state, State::Taken) {
            State::Ended(result) => Poll::Ready(result),
            State::Running(_) => {
                *state = State::Running(Some(context.waker().clone()));
                Poll::Pending
            }
            State::Taken => Poll::Ready(Err(taken_error())),
        }
    }
}

impl<T> Drop for PendingCall<T> {
    fn drop(&mut self) {
        // A call that has ended is not cancelled, because its `Work` may belong to further calls.
        if matches!(*self.slot.state(), State::Running(_)) {
            self.work.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        task::Wake,
    };

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn future_is_woken_once_with_the_result() {
        let wakes = Arc::<Wakes>::default();
        let (waker, (mut call, completer)) = (Waker::from(Arc::clone(&wakes)), PendingCall::new(Work::default()));
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut call).poll(&mut context).is_pending());
        assert!(Pin::new(&mut call).poll(&mut context).is_pending());
        completer.complete(Ok(7));
        assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
        assert!(matches!(Pin::new(&mut call).poll(&mut context), Poll::Ready(Ok(7))));
        assert!(matches!(Pin::new(&mut call).poll(&mut context), Poll::Ready(Err(_))), "it must not be taken twice");
    }

    #[test]
    fn dropped_future_cancels_its_call() {
        let work = Work::default();
        let (call, completer) = PendingCall::<()>::new(work.clone());
        assert!(!work.is_cancelled());
        drop(call);
        assert!(work.is_cancelled());
        completer.complete(Ok(()));
        let work = Work::default();
        let (call, completer) = PendingCall::new(work.clone());
        completer.complete(Ok(7));
        assert_eq!(call.wait(), Ok(7));
        assert!(!work.is_cancelled(), "a call that has ended must not cancel others");
    }

    #[test]
    fn call_whose_thread_panics_fails() {
        let (call, completer) = PendingCall::<()>::new(Work::default());
        drop(completer);
        assert_eq!(call.wait().expect_err("no result").content().message, "the call panicked");
    }
}
