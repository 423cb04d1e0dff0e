//! Parallel map over a slice.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// Stack size of a thread that runs packs.
const STACK_SIZE: usize = 8 << 20;

/// Maximum number of consecutive items per batch. Neighbouring items often need the same data, which the state of the
/// worker caches.
const MAX_BATCH: usize = 32;
/// Minimum number of batches per core, so that the cores finish at about the same time.
const MIN_BATCHES: usize = 8;

/// Runs `work` on every item, on all cores. Results are in the order of the items.
pub fn parallel_map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    parallel_map_with(items, || (), |(), item| work(item))
}

/// Like `parallel_map`, with a state per worker thread.
pub fn parallel_map_with<T: Sync, R: Send, S>(
    items: &[T],
    tools: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(items.len().max(1));
    let part = (items.len() / (cores * MIN_BATCHES)).clamp(1, MAX_BATCH);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        let (mut mine, mut tools) = (Vec::new(), tools());
        loop {
            let start = next.fetch_add(part, Ordering::Relaxed);
            let Some(rest) = items.get(start..).filter(|rest| !rest.is_empty()) else { break };
            mine.extend((start..).zip(rest.iter().take(part).map(|item| work(&mut tools, item))));
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).extend(mine);
    };
    std::thread::scope(|scope| {
        for _ in 1..cores {
            // If a thread cannot be started, the other threads do its work.
            let _ = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, worker);
        }
        worker();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
