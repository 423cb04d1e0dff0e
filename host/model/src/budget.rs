//! Memory budget shared by all caches that live longer than a call: one limit on the total, and least recently used
//! entries are evicted first.

use std::sync::{
    Arc, LazyLock, Mutex, PoisonError, Weak,
    atomic::{AtomicU64, Ordering},
};

use crate::limits;

/// A cache that takes part in a budget.
pub trait Keeper: Send + Sync {
    /// Approximate memory use in bytes.
    fn bytes(&self) -> usize;
    /// When the least recently used entry was used, by [`Budget::now`]; `None` if the cache is empty.
    fn oldest(&self) -> Option<u64>;
    /// Evicts that entry.
    fn let_go(&self);
}

/// A limit on the total size of several caches.
pub struct Budget {
    most: usize,
    clock: AtomicU64,
    keepers: Mutex<Vec<Weak<dyn Keeper>>>,
}

impl Budget {
    /// Creates a budget of `most` bytes.
    pub const fn new(most: usize) -> Budget {
        Budget { most, clock: AtomicU64::new(0), keepers: Mutex::new(Vec::new()) }
    }

    /// The budget of this process.
    pub fn of_process() -> &'static Budget {
        static BUDGET: LazyLock<Budget> = LazyLock::new(|| Budget::new(limits::KEPT_MEMORY));
        &BUDGET
    }

    /// Returns the next time stamp, larger than all earlier ones.
    pub fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds a cache to the budget.
    pub fn join<K: Keeper + 'static>(&self, keeper: &Arc<K>) {
        let keeper: Arc<dyn Keeper> = Arc::<K>::clone(keeper);
        self.keepers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&keeper));
    }

    /// Evicts entries until the caches fit the budget. The caller must not hold a lock that a cache needs.
    pub fn trim(&self) {
        self.make_room(0);
    }

    /// Like `trim`, but leaves room for `bytes` more.
    pub fn make_room(&self, bytes: usize) {
        // If another thread is already evicting, leave it to that one.
        let Ok(mut keepers) = self.keepers.try_lock() else { return };
        keepers.retain(|keeper| keeper.strong_count() > 0);
        let keepers: Vec<Arc<dyn Keeper>> = keepers.iter().filter_map(Weak::upgrade).collect();
        let most = self.most.saturating_sub(bytes);
        while keepers.iter().map(|keeper| keeper.bytes()).sum::<usize>() > most {
            let oldest =
                keepers.iter().filter_map(|keeper| Some((keeper.oldest()?, keeper))).min_by_key(|(used, _)| *used);
            match oldest {
                Some((_, keeper)) => keeper.let_go(),
                None => return,
            }
        }
    }

    /// The approximate size of all caches in bytes.
    pub fn kept(&self) -> usize {
        let keepers = self.keepers.lock().unwrap_or_else(PoisonError::into_inner);
        keepers.iter().filter_map(Weak::upgrade).map(|keeper| keeper.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Sizes by the time of last use.
    #[derive(Default)]
    struct Shelf(Mutex<BTreeMap<u64, usize>>);

    impl Shelf {
        fn keep(&self, budget: &Budget, bytes: usize) {
            self.0.lock().expect("no panic").insert(budget.now(), bytes);
            budget.trim();
        }

        fn sizes(&self) -> Vec<usize> {
            self.0.lock().expect("no panic").values().copied().collect()
        }
    }

    impl Keeper for Shelf {
        fn bytes(&self) -> usize {
            self.sizes().iter().sum()
        }

        fn oldest(&self) -> Option<u64> {
            self.0.lock().expect("no panic").keys().next().copied()
        }

        fn let_go(&self) {
            self.0.lock().expect("no panic").pop_first();
        }
    }

    #[test]
    fn least_recent_entry_of_all_caches_is_evicted_first() {
        let budget = Budget::new(100);
        let (one, other) = (Arc::<Shelf>::default(), Arc::<Shelf>::default());
        budget.join(&one);
        budget.join(&other);
        for (shelf, bytes) in [(&one, 40), (&other, 30), (&one, 30)] {
            shelf.keep(&budget, bytes);
        }
        assert_eq!((one.sizes(), other.sizes(), budget.kept()), (vec![40, 30], vec![30], 100));
        other.keep(&budget, 1);
        assert_eq!((one.sizes(), other.sizes()), (vec![30], vec![30, 1]), "it was used before all others");
        one.keep(&budget, 70);
        assert_eq!((one.sizes(), other.sizes()), (vec![70], vec![1]), "as many as have to");
        other.keep(&budget, 101);
        assert_eq!(budget.kept(), 0, "what is more than all may be is not kept");
        one.keep(&budget, 60);
        budget.make_room(50);
        assert_eq!(budget.kept(), 0);
    }

    #[test]
    fn dropped_caches_are_not_counted() {
        let budget = Budget::new(10);
        let gone = Arc::<Shelf>::default();
        budget.join(&gone);
        gone.keep(&budget, 10);
        drop(gone);
        let other = Arc::<Shelf>::default();
        budget.join(&other);
        other.keep(&budget, 10);
        assert_eq!(other.sizes(), [10]);
    }
}
