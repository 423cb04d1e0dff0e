//! Results that are kept during one call of the pack: the workspace does not change while it runs, and asking the host
//! again for each path of a document would take most of the time.

use std::{cell::RefCell, collections::HashMap, hash::Hash, rc::Rc};

use marquetry_sdk::workspace::{self, EntryKind};

use crate::{
    outline::Outline,
    resolve::{PathKey, Walk},
};

/// A file, and the names of a module in it or below it.
pub(crate) type Place = (String, Vec<String>);

/// The results by what they were computed from.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    kinds: HashMap<String, Option<EntryKind>>,
    pub(crate) roots: HashMap<String, bool>,
    pub(crate) parents: HashMap<String, Option<Place>>,
    pub(crate) places: HashMap<String, Option<Place>>,
    /// Places after the moves of the call.
    pub(crate) places_after: HashMap<String, Option<Place>>,
    pub(crate) outlines: HashMap<String, Rc<Outline>>,
    pub(crate) walks: HashMap<PathKey, Rc<Walk>>,
}

thread_local! {
    static MEMO: RefCell<Option<Memo>> = const { RefCell::new(None) };
}

/// Forgets the results at the end of a call, even if it fails.
struct Call;

impl Drop for Call {
    fn drop(&mut self) {
        MEMO.set(None);
    }
}

/// Runs a call of the pack.
pub(crate) fn call<R>(run: impl FnOnce() -> R) -> R {
    MEMO.set(Some(Memo::default()));
    let _call = Call;
    run()
}

/// Returns the result for a key, and computes it the first time in a call. Outside of a call, nothing is kept.
pub(crate) fn once<K: Eq + Hash + Clone, V: Clone>(
    map: impl Fn(&mut Memo) -> &mut HashMap<K, V>,
    key: &K,
    compute: impl FnOnce() -> V,
) -> V {
    let known = MEMO.with_borrow_mut(|memo| memo.as_mut().and_then(|memo| map(memo).get(key).cloned()));
    if let Some(known) = known {
        return known;
    }
    let value = compute();
    MEMO.with_borrow_mut(|memo| {
        if let Some(memo) = memo {
            map(memo).insert(key.clone(), value.clone());
        }
    });
    value
}

/// Returns whether a file exists.
pub(crate) fn is_file(path: &str) -> bool {
    once(|memo| &mut memo.kinds, &path.to_owned(), || workspace::stat(path)) == Some(EntryKind::File)
}
