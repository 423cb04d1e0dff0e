//! Cache for the results of one call.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    rc::Rc,
};

use marquetry_code::{
    CodeDocument,
    cache::{self, Cache},
};
use marquetry_sdk::workspace::{self, EntryKind};

use crate::{
    outline::Outline,
    resolve::{PathKey, Walk},
};

/// A module: a file, and the names of modules from that file down to it.
pub(crate) type Place = (String, Vec<String>);

/// The cached results. Each map has the inputs of a computation as its keys.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    kinds: HashMap<String, Option<EntryKind>>,
    /// Manifests by folder.
    pub(crate) manifests: HashMap<String, Option<Rc<toml::Table>>>,
    pub(crate) roots: HashMap<String, bool>,
    pub(crate) parents: HashMap<String, Option<Place>>,
    pub(crate) places: HashMap<String, Option<Place>>,
    /// Module paths of files after the moves of the call.
    pub(crate) places_after: HashMap<String, Option<Place>>,
    pub(crate) outlines: HashMap<String, Rc<Outline>>,
    /// Types that implement a trait, by package and trait. `None` if a macro may implement it for any type.
    pub(crate) implemented: HashMap<(String, String), Option<Rc<HashSet<String>>>>,
    /// Other names of an item, by package and name.
    pub(crate) aliases: HashMap<(String, String), Rc<Vec<String>>>,
    /// Documents of other files.
    pub(crate) documents: HashMap<String, Option<Rc<CodeDocument>>>,
    pub(crate) walks: HashMap<PathKey, Rc<Walk>>,
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

/// Returns whether a file exists.
pub(crate) fn is_file(path: &str) -> bool {
    once(|memo| &mut memo.kinds, &path.to_owned(), || workspace::stat(path)) == Some(EntryKind::File)
}
