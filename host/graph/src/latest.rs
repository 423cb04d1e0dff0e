//! Cache of the latest index of a root, within the memory budget.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use marquetry_model::budget::{Budget, BudgetedCache};

/// The latest value, if it is still cached.
pub(crate) struct Latest<T>(Mutex<Option<CachedValue<T>>>);

struct CachedValue<T> {
    value: Arc<T>,
    bytes: usize,
    used: u64,
}

impl<T> Default for Latest<T> {
    fn default() -> Latest<T> {
        Latest(Mutex::new(None))
    }
}

impl<T> Latest<T> {
    fn lock(&self) -> MutexGuard<'_, Option<CachedValue<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self) -> Option<Arc<T>> {
        let mut kept = self.lock();
        let kept = kept.as_mut()?;
        kept.used = Budget::global().next_timestamp();
        Some(Arc::clone(&kept.value))
    }

    /// Caches a value that was just used. The size of a value that is already cached is not computed again.
    pub(crate) fn keep(&self, value: &Arc<T>, bytes: impl FnOnce(&T) -> usize) {
        let used = Budget::global().next_timestamp();
        let mut kept = self.lock();
        if let Some(kept) = kept.as_mut().filter(|kept| Arc::ptr_eq(&kept.value, value)) {
            kept.used = used;
            return;
        }
        *kept = Some(CachedValue { value: Arc::clone(value), bytes: bytes(value), used });
        drop(kept);
        Budget::global().trim();
    }
}

impl<T: Send + Sync> BudgetedCache for Latest<T> {
    fn bytes(&self) -> usize {
        self.lock().as_ref().map_or(0, |kept| kept.bytes)
    }

    fn oldest_use(&self) -> Option<u64> {
        self.lock().as_ref().map(|kept| kept.used)
    }

    /// Drops the cached value. The next caller loads it from disk or builds it again.
    fn evict_oldest(&self) {
        *self.lock() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_value_is_dropped_by_the_budget() {
        let latest = Latest::default();
        assert!((latest.bytes(), latest.oldest_use(), latest.get().is_none()) == (0, None, true));
        let value = Arc::new("index".to_owned());
        latest.keep(&value, String::len);
        let first = latest.oldest_use();
        assert_eq!(latest.bytes(), 5);
        assert!(latest.get().is_some_and(|kept| Arc::ptr_eq(&kept, &value)));
        assert!(latest.oldest_use() > first, "it was used");
        latest.keep(&value, |_| panic!("the size of a cached value is not computed again"));
        latest.keep(&Arc::new("new".to_owned()), String::len);
        assert_eq!(latest.bytes(), 3, "a newer value replaces the older one");
        latest.evict_oldest();
        assert!((latest.bytes(), latest.oldest_use(), latest.get().is_none()) == (0, None, true));
    }
}
