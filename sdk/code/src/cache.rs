//! Cache for the results that a pack computes during one call. The workspace does not change during a call, and without
//! a cache the requests to the host for each name of a document would take most of the time.

use std::{cell::RefCell, collections::HashMap, hash::Hash, thread::LocalKey};

/// The cached results of the current call. Outside of a call, nothing is cached.
#[derive(Debug)]
pub struct Cache<M>(RefCell<Option<M>>);

impl<M> Cache<M> {
    /// Creates a cache that is not in a call.
    #[expect(clippy::new_without_default, reason = "a cache is the initial value of a static")]
    pub const fn new() -> Cache<M> {
        Cache(RefCell::new(None))
    }
}

/// Clears the cache at the end of a call, even if the call panics.
struct Call<M: 'static>(&'static LocalKey<Cache<M>>);

impl<M> Drop for Call<M> {
    fn drop(&mut self) {
        self.0.with(|cache| cache.0.take());
    }
}

/// Runs a call of the pack with this cache. A call inside of another call uses the cache of the outer call.
pub fn call<M: Default, R>(cache: &'static LocalKey<Cache<M>>, run: impl FnOnce() -> R) -> R {
    if cache.with(|cache| cache.0.borrow().is_some()) {
        return run();
    }
    cache.with(|cache| cache.0.replace(Some(M::default())));
    let _call = Call(cache);
    run()
}

/// Sets the cached result for a key until the call ends.
pub fn replace<M, K: Eq + Hash, V>(
    cache: &'static LocalKey<Cache<M>>,
    map: impl Fn(&mut M) -> &mut HashMap<K, V>,
    key: K,
    value: V,
) {
    cache.with(|cache| {
        if let Some(all) = cache.0.borrow_mut().as_mut() {
            map(all).insert(key, value);
        }
    });
}

/// Returns the result for a key, and computes it the first time in a call.
pub fn once<M, K: Eq + Hash + Clone, V: Clone>(
    cache: &'static LocalKey<Cache<M>>,
    map: impl Fn(&mut M) -> &mut HashMap<K, V>,
    key: &K,
    compute: impl FnOnce() -> V,
) -> V {
    let known = cache.with(|cache| cache.0.borrow_mut().as_mut().and_then(|all| map(all).get(key).cloned()));
    if let Some(known) = known {
        return known;
    }
    let value = compute();
    cache.with(|cache| {
        if let Some(all) = cache.0.borrow_mut().as_mut() {
            map(all).insert(key.clone(), value.clone());
        }
    });
    value
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, collections::HashMap};

    use super::{Cache, call, once, replace};

    thread_local! {
        static CACHE: Cache<HashMap<u8, u32>> = const { Cache::new() };
    }

    #[test]
    fn results_are_kept_until_the_call_ends() {
        let count = Cell::new(0);
        let ask = |key: u8| {
            once(
                &CACHE,
                |all| all,
                &key,
                || {
                    count.set(count.get() + 1);
                    count.get()
                },
            )
        };
        assert_eq!([ask(1), ask(1)], [1, 2], "outside of a call, nothing is kept");
        assert_eq!(call(&CACHE, || [ask(1), ask(1), ask(2)]), [3, 3, 4]);
        assert_eq!(call(&CACHE, || ask(1)), 5, "another call");
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            call(&CACHE, || {
                ask(1);
                panic!("a call that fails");
            })
        }));
        assert!(failed.is_err());
        assert_eq!([ask(1), ask(1)], [7, 8]);
    }

    #[test]
    fn results_can_be_set_for_the_rest_of_a_call() {
        let ask = || once(&CACHE, |all| all, &1, || 3);
        let both = call(&CACHE, || {
            let first = ask();
            replace(&CACHE, |all| all, 1, 4);
            [first, ask()]
        });
        assert_eq!(both, [3, 4]);
        replace(&CACHE, |all| all, 1, 4);
        assert_eq!(call(&CACHE, ask), 3, "another call");
    }

    #[test]
    fn inner_calls_use_the_cache_of_the_outer_call() {
        let count = Cell::new(0);
        let ask = || {
            once(
                &CACHE,
                |all| all,
                &1,
                || {
                    count.set(count.get() + 1);
                    count.get()
                },
            )
        };
        assert_eq!(call(&CACHE, || [ask(), call(&CACHE, ask), ask()]), [1, 1, 1]);
        assert_eq!(call(&CACHE, ask), 2, "another call");
    }

    #[test]
    fn results_may_need_others() {
        let ask = || once(&CACHE, |all| all, &1, || once(&CACHE, |all| all, &2, || 3) + 1);
        assert_eq!(call(&CACHE, || [ask(), ask()]), [4, 4]);
    }
}
