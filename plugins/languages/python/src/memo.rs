//! Cache for the results of one call.

use std::{collections::HashMap, hash::Hash};

use marquetry_code::cache::{self, Cache};

use crate::meanings::Meaning;

/// The cached results. Each map has the inputs of a computation as its keys.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// Roots by the folder of a file and the first name of a module.
    pub(crate) roots: HashMap<(String, String), Vec<String>>,
    /// Meanings of imported names by the file of the package and the name.
    pub(crate) meanings: HashMap<(String, String), Meaning>,
}

thread_local! {
    static MEMO: Cache<Memo> = const { Cache::new() };
}

/// Runs a call of the pack with this cache.
pub(crate) fn call<R>(run: impl FnOnce() -> R) -> R {
    cache::call(&MEMO, run)
}

/// Returns the result for a key, and computes it the first time in a call.
pub(crate) fn once<K: Eq + Hash + Clone, V: Clone>(
    map: impl Fn(&mut Memo) -> &mut HashMap<K, V>,
    key: &K,
    compute: impl FnOnce() -> V,
) -> V {
    cache::once(&MEMO, map, key, compute)
}
