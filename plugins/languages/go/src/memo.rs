//! Cache for the results of one call.

use std::{
    collections::{BTreeSet, HashMap},
    hash::Hash,
    rc::Rc,
};

use marquetry_code::cache::{self, Cache};

use crate::{
    packages::{Module, Outline},
    symbols::groups::Group,
    types::File,
};

/// The files that declare methods, by the name of the type.
pub(crate) type FilesByType = HashMap<String, Vec<String>>;

/// The cached results. Each map has the inputs of a computation as its keys.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    pub(crate) outlines: HashMap<String, Rc<Outline>>,
    /// Files with their names.
    pub(crate) parsed: HashMap<String, Option<Rc<File>>>,
    /// The Go files of folders.
    pub(crate) files: HashMap<String, Vec<String>>,
    /// The files of packages, by folder and name.
    pub(crate) packages: HashMap<(String, String), Vec<String>>,
    /// The names of packages, by folder.
    pub(crate) names: HashMap<String, Option<String>>,
    /// The modules of folders.
    pub(crate) modules: HashMap<String, Option<Module>>,
    /// The files that contain a word.
    pub(crate) files_with: HashMap<String, Vec<String>>,
    /// The groups of methods that must have the same name, by name and declarations.
    pub(crate) groups: HashMap<(String, BTreeSet<(String, u32)>), Group>,
    /// The files of packages that declare methods.
    pub(crate) methods: HashMap<(String, String), Rc<FilesByType>>,
    /// The versions of files.
    pub(crate) versions: HashMap<String, Option<u64>>,
}

thread_local! {
    static MEMO: Cache<Memo> = const { Cache::new() };
}

/// Runs a call of the pack with this cache.
pub(crate) fn call<R>(run: impl FnOnce() -> R) -> R {
    cache::call(&MEMO, run)
}

/// Sets the cached result for a key.
pub(crate) fn replace<K: Eq + Hash, V>(map: impl Fn(&mut Memo) -> &mut HashMap<K, V>, key: K, value: V) {
    cache::replace(&MEMO, map, key, value);
}

/// Returns the result for a key, and computes it the first time in a call.
pub(crate) fn once<K: Eq + Hash + Clone, V: Clone>(
    map: impl Fn(&mut Memo) -> &mut HashMap<K, V>,
    key: &K,
    compute: impl FnOnce() -> V,
) -> V {
    cache::once(&MEMO, map, key, compute)
}
