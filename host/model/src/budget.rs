//! Memory budget shared by all caches that live longer than a call: one limit on the total, and least recently used
//! entries are evicted first.

use std::sync::{
    Arc, LazyLock, Mutex, PoisonError, Weak,
    atomic::{AtomicU64, Ordering},
};

use crate::limits;

/// A cache that takes part in a budget.
pub trait BudgetedCache: Send + Sync {
    /// Approximate memory use in bytes.
    fn bytes(&self) -> usize;
    /// Time stamp of the last use of the least recently used entry, from [`Budget::next_timestamp`]; `None` if the
    /// cache is empty.
    fn oldest_use(&self) -> Option<u64>;
    /// Evicts the least recently used entry.
    fn evict_oldest(&self);
}

/// A limit on the total size of several caches.
///
/// # Examples
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use marquetry_model::budget::{Budget, BudgetedCache};
///
/// /// Texts, the least recently used one first.
/// #[derive(Default)]
/// struct Texts(Mutex<Vec<(u64, String)>>);
///
/// impl BudgetedCache for Texts {
///     fn bytes(&self) -> usize {
///         self.0.lock().unwrap().iter().map(|(_, text)| text.len()).sum()
///     }
///     fn oldest_use(&self) -> Option<u64> {
///         Some(self.0.lock().unwrap().first()?.0)
///     }
///     fn evict_oldest(&self) {
///         self.0.lock().unwrap().remove(0);
///     }
/// }
///
/// let budget = Budget::new(5);
/// let texts = Arc::new(Texts::default());
/// budget.register(&texts);
/// for text in ["one", "two"] {
///     texts.0.lock().unwrap().push((budget.next_timestamp(), text.to_owned()));
/// }
/// budget.trim();
/// assert_eq!(budget.used_bytes(), 3);
/// assert_eq!(texts.0.lock().unwrap()[0].1, "two");
/// ```
pub struct Budget {
    limit: usize,
    clock: AtomicU64,
    caches: Mutex<Vec<Weak<dyn BudgetedCache>>>,
}

impl Budget {
    /// Creates a budget of `limit` bytes.
    pub const fn new(limit: usize) -> Budget {
        Budget { limit, clock: AtomicU64::new(0), caches: Mutex::new(Vec::new()) }
    }

    /// The budget of this process.
    pub fn global() -> &'static Budget {
        static BUDGET: LazyLock<Budget> = LazyLock::new(|| Budget::new(limits::CACHE_MEMORY));
        &BUDGET
    }

    /// Returns the next time stamp, larger than all earlier ones.
    pub fn next_timestamp(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds a cache to the budget.
    pub fn register<K: BudgetedCache + 'static>(&self, keeper: &Arc<K>) {
        let keeper: Arc<dyn BudgetedCache> = Arc::<K>::clone(keeper);
        self.caches.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&keeper));
    }

    /// Evicts entries until the caches fit the budget. The caller must not hold a lock that a cache needs.
    pub fn trim(&self) {
        self.make_room(0);
    }

    /// Like `trim`, but leaves room for `bytes` more.
    pub fn make_room(&self, bytes: usize) {
        // If another thread is already evicting entries, this call returns and does not wait.
        let Ok(mut keepers) = self.caches.try_lock() else { return };
        keepers.retain(|keeper| keeper.strong_count() > 0);
        let keepers: Vec<Arc<dyn BudgetedCache>> = keepers.iter().filter_map(Weak::upgrade).collect();
        let most = self.limit.saturating_sub(bytes);
        while keepers.iter().map(|keeper| keeper.bytes()).sum::<usize>() > most {
            let oldest =
                keepers.iter().filter_map(|keeper| Some((keeper.oldest_use()?, keeper))).min_by_key(|(used, _)| *used);
            match oldest {
                Some((_, keeper)) => keeper.evict_oldest(),
                None => return,
            }
        }
    }

    /// The approximate size of all caches in bytes.
    pub fn used_bytes(&self) -> usize {
        let keepers = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        keepers.iter().filter_map(Weak::upgrade).map(|keeper| keeper.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A cache of entries that only have sizes. The key of an entry is the time of its last use.
    #[derive(Default)]
    struct TestCache(Mutex<BTreeMap<u64, usize>>);

    impl TestCache {
        fn keep(&self, budget: &Budget, bytes: usize) {
            self.0.lock().expect("no panic").insert(budget.next_timestamp(), bytes);
            budget.trim();
        }

        fn sizes(&self) -> Vec<usize> {
            self.0.lock().expect("no panic").values().copied().collect()
        }
    }

    impl BudgetedCache for TestCache {
        fn bytes(&self) -> usize {
            self.sizes().iter().sum()
        }

        fn oldest_use(&self) -> Option<u64> {
            self.0.lock().expect("no panic").keys().next().copied()
        }

        fn evict_oldest(&self) {
            self.0.lock().expect("no panic").pop_first();
        }
    }

    #[test]
    fn least_recent_entry_of_all_caches_is_evicted_first() {
        let budget = Budget::new(100);
        let (one, other) = (Arc::<TestCache>::default(), Arc::<TestCache>::default());
        budget.register(&one);
        budget.register(&other);
        for (shelf, bytes) in [(&one, 40), (&other, 30), (&one, 30)] {
            shelf.keep(&budget, bytes);
        }
        assert_eq!((one.sizes(), other.sizes(), budget.used_bytes()), (vec![40, 30], vec![30], 100));
        other.keep(&budget, 1);
        assert_eq!((one.sizes(), other.sizes()), (vec![30], vec![30, 1]), "the oldest entry of both caches");
        one.keep(&budget, 70);
        assert_eq!((one.sizes(), other.sizes()), (vec![70], vec![1]), "as many entries are evicted as necessary");
        other.keep(&budget, 101);
        assert_eq!(budget.used_bytes(), 0, "an entry larger than the budget is not kept");
        one.keep(&budget, 60);
        budget.make_room(50);
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn dropped_caches_are_not_counted() {
        let budget = Budget::new(10);
        let gone = Arc::<TestCache>::default();
        budget.register(&gone);
        gone.keep(&budget, 10);
        drop(gone);
        let other = Arc::<TestCache>::default();
        budget.register(&other);
        other.keep(&budget, 10);
        assert_eq!(other.sizes(), [10]);
        assert_eq!(budget.caches.lock().expect("no panic").len(), 1, "the dropped cache is forgotten");
    }
}
