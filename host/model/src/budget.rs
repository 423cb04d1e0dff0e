//! The memory of everything that is kept from call to call: one sum over all who keep something, one bound, and what was
//! used longest ago goes first.

use std::sync::{
    Arc, LazyLock, Mutex, PoisonError, Weak,
    atomic::{AtomicU64, Ordering},
};

use crate::limits;

/// Somebody who keeps what another call may want.
pub trait Keeper: Send + Sync {
    /// About how many bytes that is.
    fn bytes(&self) -> usize;
    /// When the part that was used longest ago was used, by [`Budget::now`]; none where nothing is kept.
    fn oldest(&self) -> Option<u64>;
    /// Let that part go.
    fn let_go(&self);
}

/// A bound on what is kept by several.
pub struct Budget {
    most: usize,
    clock: AtomicU64,
    keepers: Mutex<Vec<Weak<dyn Keeper>>>,
}

impl Budget {
    /// So many bytes in all.
    pub const fn new(most: usize) -> Budget {
        Budget { most, clock: AtomicU64::new(0), keepers: Mutex::new(Vec::new()) }
    }

    /// That of this process, whatever it serves.
    pub fn of_process() -> &'static Budget {
        static BUDGET: LazyLock<Budget> = LazyLock::new(|| Budget::new(limits::KEPT_MEMORY));
        &BUDGET
    }

    /// The next moment: later than all before.
    pub fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// From here on what it keeps counts.
    pub fn join<K: Keeper + 'static>(&self, keeper: &Arc<K>) {
        let keeper: Arc<dyn Keeper> = Arc::<K>::clone(keeper);
        self.keepers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&keeper));
    }

    /// Let go of what is too much. Whoever calls holds no lock that a keeper needs.
    pub fn trim(&self) {
        self.make_room(0);
    }

    /// The same, so that so much more could be kept.
    pub fn make_room(&self, bytes: usize) {
        // Where another thread is at it already, it makes the room.
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

    /// About how many bytes are kept.
    pub fn kept(&self) -> usize {
        let keepers = self.keepers.lock().unwrap_or_else(PoisonError::into_inner);
        keepers.iter().filter_map(Weak::upgrade).map(|keeper| keeper.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Sizes by the time of their last use.
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
    fn the_oldest_goes_first_whoever_keeps_it() {
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
    fn who_is_gone_counts_for_nothing() {
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
