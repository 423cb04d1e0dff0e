//! Cache of usage counts. A count is valid as long as the index, the layout outside of the walk, and every text outside
//! of the walk that the count depends on are unchanged.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use crate::{
    entry::Entry,
    snapshot::{Snapshot, TextVersions},
};

/// Maximum number of counts; the cache is cleared when it is reached.
const MAX_COUNTS: usize = 256;

/// Number of uses of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Certain uses, without declarations.
    pub uses: usize,
    /// The reason why there may be more uses.
    pub incomplete: Option<String>,
}

/// The key of a count: the offset of a name in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CountKey {
    /// Path of the file.
    pub path: String,
    /// Hash of the text.
    pub hash: String,
    /// Offset in bytes.
    pub offset: usize,
}

/// Usage counts of one root.
#[derive(Default)]
pub(crate) struct Counts(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// The index that the counts belong to, and the number of its layout.
    of: Option<(Weak<[Arc<Entry>]>, u64)>,
    kept: HashMap<CountKey, (Count, TextVersions)>,
}

impl Inner {
    fn belongs_to(&self, moment: &Snapshot) -> bool {
        self.of.as_ref().is_some_and(|(known, layout)| {
            *layout == moment.layout() && known.upgrade().is_some_and(|known| Arc::ptr_eq(&known, moment.entries()))
        })
    }
}

impl Counts {
    /// Returns the count if it is still valid.
    pub(crate) fn recall(&self, moment: &Snapshot, place: &CountKey) -> Option<Count> {
        let (count, reads) = {
            let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            inner.kept.get(place).filter(|_| inner.belongs_to(moment))?.clone()
        };
        reads.iter().all(|(path, known)| moment.version(path) == *known).then_some(count)
    }

    /// Stores a count that was computed with this snapshot.
    pub(crate) fn keep(&self, moment: &Snapshot, place: CountKey, count: &Count) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !inner.belongs_to(moment) || inner.kept.len() >= MAX_COUNTS {
            *inner = Inner { of: Some((Arc::downgrade(moment.entries()), moment.layout())), kept: HashMap::new() };
        }
        inner.kept.insert(place, (count.clone(), moment.outside_reads()));
    }
}
