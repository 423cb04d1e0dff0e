//! Doing many small things that wait for the disk at once: the system makes them durable together.

use std::sync::{Mutex, PoisonError};

const WORKERS: usize = 8;

/// Do the work on every item, several at a time when there are many. The first failure is the answer; items not begun then
/// are left.
pub(crate) fn each<T: Send, E: Send>(items: Vec<T>, work: impl Fn(T) -> Result<(), E> + Sync) -> Result<(), E> {
    if items.len() < WORKERS {
        return items.into_iter().try_for_each(work);
    }
    let queue = Mutex::new(items.into_iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        let result = std::iter::from_fn(next).try_for_each(&work);
        if result.is_err() {
            while next().is_some() {}
        }
        result
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(run)).collect();
        let mut all = Ok(());
        for worker in workers {
            all = all.and(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}
