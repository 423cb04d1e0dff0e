//! Runs many small tasks in parallel: disk writes, which the system can flush together, and system calls.

use std::{
    num::NonZero,
    sync::{Mutex, OnceLock, PoisonError},
};

const WORKERS: usize = 8;

/// Runs the work on every item, with several threads if there are many items. Returns the first failure; items not
/// started by then are skipped.
pub(crate) fn for_each<T: Send, E: Send>(items: Vec<T>, work: impl Fn(T) -> Result<(), E> + Sync) -> Result<(), E> {
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

/// Maps all items in order on all cores, with at least `least` items per thread.
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

/// Returns the number of cores. Cached, because `available_parallelism` is slow: it reads the CPU limits of the
/// process's control group (cgroup) and of all groups above it.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZero::get))
}
