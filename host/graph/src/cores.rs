//! Work on many items, on all cores.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// Stack of a thread that runs packs.
const STACK: usize = 8 << 20;

/// So many neighbours go to one core at most: they often need the same, which whoever works for that core keeps at hand.
const LARGEST_PART: usize = 32;
/// Each core comes back so often at least, so that none waits long for the others in the end.
const LEAST_PARTS: usize = 8;

/// Do the work on every item, on all cores; results in the order of the items.
pub fn on_all_cores<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    on_all_cores_with(items, || (), |(), item| work(item))
}

/// The same, where whoever works for a core keeps something at hand.
pub fn on_all_cores_with<T: Sync, R: Send, S>(
    items: &[T],
    tools: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(items.len().max(1));
    let part = (items.len() / (cores * LEAST_PARTS)).clamp(1, LARGEST_PART);
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
            // Where no thread can be had, the others do the work.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker);
        }
        worker();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
