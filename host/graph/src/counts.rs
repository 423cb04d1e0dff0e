//! How often things are used, as it was counted last. A count stands as long as the index is the same, what was asked for beyond
//! the walk is there as it was, and every text beyond it that an answer depended on is the same.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use crate::{
    entry::Entry,
    moment::{Moment, Reads},
};

/// So many are kept; then all go.
const MOST: usize = 256;

/// The uses of what stands at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// Those that are certain, without declarations.
    pub uses: usize,
    /// Why there may be more.
    pub incomplete: Option<String>,
}

/// An offset in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Counted {
    /// Where the text is from.
    pub path: String,
    /// What the text is known by.
    pub hash: String,
    /// In bytes.
    pub offset: usize,
}

/// The counts of one root.
#[derive(Default)]
pub(crate) struct Counts(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// The index that they are about, and the number of its layout.
    of: Option<(Weak<[Arc<Entry>]>, u64)>,
    kept: HashMap<Counted, (Count, Reads)>,
}

impl Inner {
    fn is_of(&self, moment: &Moment) -> bool {
        self.of.as_ref().is_some_and(|(known, layout)| {
            *layout == moment.layout() && known.upgrade().is_some_and(|known| Arc::ptr_eq(&known, moment.known()))
        })
    }
}

impl Counts {
    /// The count as it still stands.
    pub(crate) fn recall(&self, moment: &Moment, place: &Counted) -> Option<Count> {
        let (count, reads) = {
            let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            inner.kept.get(place).filter(|_| inner.is_of(moment))?.clone()
        };
        reads.iter().all(|(path, known)| moment.version(path) == *known).then_some(count)
    }

    /// Keep what was counted by questions of this moment.
    pub(crate) fn keep(&self, moment: &Moment, place: Counted, count: &Count) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !inner.is_of(moment) || inner.kept.len() >= MOST {
            *inner = Inner { of: Some((Arc::downgrade(moment.known()), moment.layout())), kept: HashMap::new() };
        }
        inner.kept.insert(place, (count.clone(), moment.beyond()));
    }
}
