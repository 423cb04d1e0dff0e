//! Size limits of the history, and removal of entries beyond them. Callers are notified which changes can no longer be
//! undone.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use marquetry_model::{Work, limits};

use super::tally::{EntryFile, Tally, list_entries};
use crate::{
    journal,
    state::{RootState, file_age},
};

/// Maximum number of changes listed in a notification.
const MAX_LISTED_CHANGES: usize = 5;

/// Limits of a root's history. Entries are removed only when a limit is exceeded, and never the latest change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryBudget {
    /// Total bytes of replaced contents.
    pub bytes: u64,
    /// Number of changes.
    pub entries: usize,
    /// Maximum age of a change.
    pub age: Duration,
}

impl Default for HistoryBudget {
    fn default() -> HistoryBudget {
        HistoryBudget { bytes: limits::HISTORY_BYTES, entries: limits::HISTORY_ENTRIES, age: limits::HISTORY_AGE }
    }
}

impl std::fmt::Display for HistoryBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mib, days) = (self.bytes.div_ceil(1 << 20), self.age.as_secs() / 86_400);
        write!(f, "{} changes, {mib} MiB, {days} days", self.entries)
    }
}

/// The history may exceed its limits by one part in this number before its entries are examined; then everything beyond
/// the limits is removed at once. So most changes examine no entries and take constant time.
const TOLERANCE_FRACTION: u32 = 16;

impl HistoryBudget {
    /// Returns whether a limit may be exceeded. If so, the entries themselves are examined; the tally alone never
    /// removes an entry.
    fn may_be_exceeded(&self, state: &RootState, tally: &Tally) -> bool {
        let bytes = self.bytes.saturating_add(self.bytes / u64::from(TOLERANCE_FRACTION));
        let entries = self.entries.saturating_add(self.entries / TOLERANCE_FRACTION as usize);
        let is_old = || tally.oldest_age(state) > self.age.saturating_add(self.age / TOLERANCE_FRACTION);
        tally.entries > entries || tally.bytes > bytes || is_old()
    }
}

/// Returns the entries to remove, latest first, when a change of this size is added. Newer entries are kept in
/// preference to older ones, but an entry that is too large for the remaining space never displaces a smaller one.
fn entries_over_budget(kept: &[EntryFile], budget: &HistoryBudget, coming: Option<u64>) -> Vec<PathBuf> {
    let (mut entries, mut bytes) = (0, 0);
    let mut room = |size: u64, in_any_case: bool| {
        let fits = in_any_case || (entries < budget.entries && bytes + size <= budget.bytes);
        // The latest entry is kept now even if it is too large; it is removed after the next change and displaces no
        // other.
        if fits {
            entries += 1;
            bytes += if size > budget.bytes { 0 } else { size };
        }
        fits
    };
    if let Some(size) = coming {
        room(size, true);
    }
    let mut is_latest = coming.is_none();
    let now = SystemTime::now();
    let mut spent = Vec::new();
    for entry in kept {
        let old = file_age(&entry.metadata, now) > budget.age;
        if (old && !is_latest) || !room(entry.metadata.len(), is_latest) {
            spent.push(entry.path.clone());
        }
        is_latest = false;
    }
    spent
}

/// Adds a note to the answer that lists the changes that could no longer be undone if a change of this size were added.
pub(crate) fn report_lost_undo(state: &RootState, budget: &HistoryBudget, coming: u64, work: &Work) {
    let mut tally = Tally::load(state);
    tally.add_planned(coming);
    if budget.may_be_exceeded(state, &tally) {
        report_removed(
            &entries_over_budget(&list_entries(state), budget, Some(coming)),
            budget,
            "could no longer be undone after this change",
            work,
        );
    }
}

/// Adds a new change to the tally, removes entries beyond the limits and reports them. Returns the new tally, which is
/// not written yet.
pub(crate) fn add_entry_and_trim(
    state: &RootState,
    budget: &HistoryBudget,
    mut tally: Tally,
    entry: &Path,
    work: &Work,
) -> Tally {
    tally.add(entry);
    if budget.may_be_exceeded(state, &tally) {
        let mut kept = list_entries(state);
        let spent = entries_over_budget(&kept, budget, None);
        report_removed(&spent, budget, "can no longer be undone", work);
        // Entries that cannot be removed now are removed after the next change.
        let gone: HashSet<PathBuf> = spent.into_iter().filter(|path| std::fs::remove_file(path).is_ok()).collect();
        kept.retain(|entry| !gone.contains(&entry.path));
        tally = Tally::count(&kept);
    }
    tally
}

/// Adds a note to the answer that these changes can no longer be undone. `what` is the wording, which differs for dry
/// runs.
fn report_removed(spent: &[PathBuf], budget: &HistoryBudget, what: &str, work: &Work) {
    if spent.is_empty() {
        return;
    }
    let name = |path: &PathBuf| match journal::read_manifest(path) {
        Some(manifest) => format!("`{}` ({})", manifest.id, manifest.title),
        None => path.display().to_string(),
    };
    let mut names: Vec<String> = spent.iter().take(MAX_LISTED_CHANGES).map(name).collect();
    if spent.len() > MAX_LISTED_CHANGES {
        names.push(format!("{} more", spent.len() - MAX_LISTED_CHANGES));
    }
    work.add_note(format!("{} {what}: the history keeps {budget}", names.join(", ")));
}
