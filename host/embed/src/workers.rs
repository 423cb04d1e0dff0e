//! Threads that run calls. The tools are synchronous and need a larger stack than most threads of a program have.

use std::{
    cell::Cell,
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use marquetry_model::{Error, Result};

/// Stack size in bytes. A pack may use 2 MiB of it; the rest is for the host.
const STACK: usize = 8 << 20;
/// Maximum number of calls that run at the same time. Further ones wait in order.
const MAX_THREADS: usize = 32;
/// Time after which a thread without work ends.
const IDLE: Duration = Duration::from_secs(5);

thread_local! {
    /// True on the threads that run calls.
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
}

type Job = Box<dyn FnOnce() + Send>;

/// The threads of a host. They end some time after their last call.
#[derive(Clone, Default)]
pub(crate) struct Workers(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    added: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

impl Workers {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a job on one of the threads.
    ///
    /// # Errors
    /// Fails if the system starts no thread.
    pub(crate) fn start(&self, job: impl FnOnce() + Send + 'static) -> Result<()> {
        let mut state = self.state();
        let is_thread_needed = state.idle <= state.jobs.len() && state.threads < MAX_THREADS;
        if is_thread_needed {
            let workers = self.clone();
            let thread = thread::Builder::new().name("marquetry".to_owned()).stack_size(STACK);
            match thread.spawn(move || workers.work()) {
                Ok(_) => state.threads += 1,
                // The running threads will take it from the queue.
                Err(_) if state.threads > 0 => {}
                Err(error) => return Err(Error::internal(format!("cannot start a thread: {error}")).transient()),
            }
        }
        state.jobs.push_back(Box::new(job));
        drop(state);
        self.0.added.notify_one();
        Ok(())
    }

    /// Returns whether this thread runs calls. Such a thread must not wait for another thread that runs calls, because
    /// none may ever become free.
    pub(crate) fn is_current_thread() -> bool {
        IS_WORKER.get()
    }

    fn work(&self) {
        IS_WORKER.set(true);
        let mut state = self.state();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                // The catalog turns panics of tools into errors, so this panic is in code of the embedding program.
                _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                state = self.state();
                continue;
            }
            state.idle += 1;
            let (woken, timeout) = self.0.added.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if timeout.timed_out() && state.jobs.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn jobs_beyond_the_limit_wait_for_a_thread() {
        let workers = Workers::default();
        let (sender, receiver) = mpsc::channel();
        let gate = Arc::new((Mutex::new(false), Condvar::new()));
        for number in 0..MAX_THREADS + 3 {
            let (sender, gate) = (sender.clone(), Arc::clone(&gate));
            let job = move || {
                let open = gate.0.lock().expect("no panic");
                drop(gate.1.wait_while(open, |open| !*open).expect("no panic"));
                sender.send(number).expect("received");
            };
            workers.start(job).expect("started");
        }
        assert_eq!(workers.state().threads, MAX_THREADS);
        *gate.0.lock().expect("no panic") = true;
        gate.1.notify_all();
        drop(sender);
        let mut ended: Vec<usize> = receiver.iter().collect();
        ended.sort_unstable();
        assert_eq!(ended, (0..MAX_THREADS + 3).collect::<Vec<_>>());
    }

    #[test]
    fn panic_of_a_job_does_not_end_its_thread() {
        let workers = Workers::default();
        workers.start(|| panic!("as requested by the test")).expect("started");
        let (sender, receiver) = mpsc::channel();
        for _ in 0..MAX_THREADS * 2 {
            let sender = sender.clone();
            workers.start(move || sender.send(()).expect("received")).expect("started");
        }
        drop(sender);
        assert_eq!(receiver.iter().count(), MAX_THREADS * 2);
    }
}
