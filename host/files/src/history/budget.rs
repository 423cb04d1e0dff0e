//! Size limits of the history, and removal of entries beyond them. Callers are notified which changes can no longer be
//! undone.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use marquetry_model::{Work, limits};

use super::tally::{Kept, Tally, kept};
use crate::{
    commit::Site,
    journal,
    state::{State, age},
};

/// Maximum number of changes listed in a notification.
const NAMED: usize = 5;

/// Limits of a root's history. Entries are removed only when a limit is exceeded, and never the latest change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Total bytes of replaced contents.
    pub bytes: u64,
    /// Number of changes.
    pub entries: usize,
    /// Maximum age of a change.
    pub age: Duration,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { bytes: limits::HISTORY_BYTES, entries: limits::HISTORY_ENTRIES, age: limits::HISTORY_AGE }
    }
}

impl std::fmt::Display for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mib, days) = (self.bytes.div_ceil(1 << 20), self.age.as_secs() / 86_400);
        write!(f, "{} changes, {mib} MiB, {days} days", self.entries)
    }
}

/// The history may exceed its limits by this fraction before its entries are examined; then everything beyond the
/// limits is removed at once. So most changes examine no entries and take constant time.
const PARTS: u32 = 16;

impl Budget {
    /// Returns whether a limit may be exceeded. The tally only decides when to examine the entries.
    fn is_spent(&self, state: &State, tally: &Tally) -> bool {
        let bytes = self.bytes.saturating_add(self.bytes / u64::from(PARTS));
        let entries = self.entries.saturating_add(self.entries / PARTS as usize);
        let is_old = || tally.oldest_age(state) > self.age.saturating_add(self.age / PARTS);
        tally.entries > entries || tally.bytes > bytes || is_old()
    }
}

/// Returns the entries to remove, latest first, when a change of this size is added. New entries are kept if they fit:
/// one that does not fit never displaces a smaller one.
fn spent(kept: &[Kept], budget: &Budget, coming: Option<u64>) -> Vec<PathBuf> {
    let (mut entries, mut bytes) = (0, 0);
    let mut room = |size: u64, in_any_case: bool| {
        let fits = in_any_case || (entries < budget.entries && bytes + size <= budget.bytes);
        // An entry that does not fit displaces nothing; it is removed next time.
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
        let old = age(&entry.metadata, now) > budget.age;
        if (old && !is_latest) || !room(entry.metadata.len(), is_latest) {
            spent.push(entry.path.clone());
        }
        is_latest = false;
    }
    spent
}

/// Reports which changes could no longer be undone if a change of this size were added.
pub(crate) fn foretell(state: &State, budget: &Budget, coming: u64, work: &Work) {
    let mut tally = Tally::of(state);
    tally.add_coming(coming);
    if budget.is_spent(state, &tally) {
        note(&spent(&kept(state), budget, Some(coming)), budget, "could no longer be undone after this change", work);
    }
}

/// Adds a new change to the tally, removes entries beyond the limits and reports them.
pub(crate) fn spend(site: Site<'_>, mut tally: Tally, entry: &Path, work: &Work) {
    let Site { state, tree, budget } = site;
    tally.add(entry);
    if budget.is_spent(state, &tally) {
        let mut kept = kept(state);
        let spent = spent(&kept, budget, None);
        note(&spent, budget, "can no longer be undone", work);
        // Entries that cannot be removed now are removed after the next change.
        let gone: HashSet<PathBuf> = spent.into_iter().filter(|path| std::fs::remove_file(path).is_ok()).collect();
        kept.retain(|entry| !gone.contains(&entry.path));
        tally = Tally::count(&kept);
    }
    tree.probe("tally");
    // Without the tally, the next change counts the entries.
    let _ = tally.write(state);
}

/// Reports which changes can no longer be undone, or could not if the change were made.
fn note(spent: &[PathBuf], budget: &Budget, what: &str, work: &Work) {
    if spent.is_empty() {
        return;
    }
    let name = |path: &PathBuf| match journal::read_manifest(path) {
        Some(manifest) => format!("`{}` ({})", manifest.id, manifest.title),
        None => path.display().to_string(),
    };
    let mut names: Vec<String> = spent.iter().take(NAMED).map(name).collect();
    if spent.len() > NAMED {
        names.push(format!("{} more", spent.len() - NAMED));
    }
    work.note(format!("{} {what}: the history keeps {budget}", names.join(", ")));
}
