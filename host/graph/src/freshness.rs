//! Checks whether an entry of the index is up to date.

use std::sync::Arc;

use marquetry_model::{lookups::is_stable, ports::FileStamp};

use crate::{
    changes::Changes,
    entry::{DetailLevel, Entry},
};

/// Returns an entry that is up to date. Its link targets are removed if they may have changed.
pub(crate) fn reusable_entry(entry: &Arc<Entry>, all_again: bool, changes: &Changes) -> Arc<Entry> {
    if all_again || changes.may_affect_links_of(entry) {
        return Arc::new(Entry { targets: None, ..entry.as_ref().clone() });
    }
    Arc::clone(entry)
}

pub(crate) fn matches_stamp(entry: &Entry, stamp: &FileStamp) -> bool {
    entry.size == stamp.size && entry.modified == stamp.modified && is_stable(entry.modified, entry.read)
}

pub(crate) fn is_current(entry: &Entry, stamp: &FileStamp, need: DetailLevel) -> bool {
    matches_stamp(entry, stamp) && entry.has_detail(need)
}
