//! Results that are kept during one call of the pack: the workspace does not change while it runs, and asking the host
//! again for each name of a document would take most of the time.

use std::{cell::RefCell, collections::HashMap, hash::Hash, rc::Rc};

use crate::packages::{Module, Outline};

/// The results by what they were computed from.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    pub(crate) outlines: HashMap<String, Rc<Outline>>,
    /// The Go files of folders.
    pub(crate) files: HashMap<String, Vec<String>>,
    /// The files of packages, by folder and name.
    pub(crate) packages: HashMap<(String, String), Vec<String>>,
    /// The names of packages, by folder.
    pub(crate) names: HashMap<String, Option<String>>,
    /// The modules of folders.
    pub(crate) modules: HashMap<String, Option<Module>>,
    /// The versions of files.
    pub(crate) versions: HashMap<String, Option<u64>>,
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
