//! Doing many small things at once: those that wait for the disk, which the system makes durable together, and those that
//! ask it something.

use std::{
    num::NonZero,
    sync::{Mutex, OnceLock, PoisonError},
};

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

/// The results for all items, in their order, on all cores: on one, where none of them would get `least` items.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], least: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let part = items.len().div_ceil(cores()).max(least);
    std::thread::scope(|scope| {
        let work = &work;
        let mut parts = items.chunks(part);
        let first = parts.next().unwrap_or_default();
        let others: Vec<_> = parts.map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>())).collect();
        let mut results: Vec<R> = first.iter().map(work).collect();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    })
}

/// How many there are. The system is asked once: to tell, it has to be asked for the limits of every group above.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}
