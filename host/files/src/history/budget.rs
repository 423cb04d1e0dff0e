//! What the history may take, and what has to go when that is spent. Whoever spends it is told what can no longer be undone.

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

/// Changes named in a note; more are counted.
const NAMED: usize = 5;

/// What the history of a root keeps: nothing goes before that is spent. The latest change stays in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of all that its changes replaced.
    pub bytes: u64,
    /// Changes.
    pub entries: usize,
    /// How long a change stays.
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

/// The history may exceed its budget by one part in so many before its entries are looked at; then all that is beyond the
/// budget goes at once. So most changes look at no entry, and cost the same however long the history is.
const PARTS: u32 = 16;

impl Budget {
    /// Whether anything may have to go. Nothing goes on the word of a tally: it says when to look.
    fn is_spent(&self, state: &State, tally: &Tally) -> bool {
        let bytes = self.bytes.saturating_add(self.bytes / u64::from(PARTS));
        let entries = self.entries.saturating_add(self.entries / PARTS as usize);
        let is_old = || tally.oldest_age(state) > self.age.saturating_add(self.age / PARTS);
        tally.entries > entries || tally.bytes > bytes || is_old()
    }
}

/// What has to go, latest first, when a change comes in that takes so many bytes. The new ones stay as far as they fit: one
/// that is too large for what is left makes no smaller one go.
fn spent(kept: &[Kept], budget: &Budget, coming: Option<u64>) -> Vec<PathBuf> {
    let (mut entries, mut bytes) = (0, 0);
    let mut room = |size: u64, in_any_case: bool| {
        let fits = in_any_case || (entries < budget.entries && bytes + size <= budget.bytes);
        // What does not fit even alone goes next time: nothing else goes for it.
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

/// Say what could not be undone any more if a change came in that takes so many bytes.
pub(crate) fn foretell(state: &State, budget: &Budget, coming: u64, work: &Work) {
    let mut tally = Tally::of(state);
    tally.add_coming(coming);
    if budget.is_spent(state, &tally) {
        note(&spent(&kept(state), budget, Some(coming)), budget, "could no longer be undone then", work);
    }
}

/// Add a change that came in to the tally; drop what is beyond the budget, and say so.
pub(crate) fn spend(site: Site<'_>, mut tally: Tally, entry: &Path, work: &Work) {
    let Site { state, tree, budget } = site;
    tally.add(entry);
    if budget.is_spent(state, &tally) {
        let mut kept = kept(state);
        let spent = spent(&kept, budget, None);
        note(&spent, budget, "can no longer be undone", work);
        // What cannot be dropped now is dropped after the next change.
        let gone: HashSet<PathBuf> = spent.into_iter().filter(|path| std::fs::remove_file(path).is_ok()).collect();
        kept.retain(|entry| !gone.contains(&entry.path));
        tally = Tally::count(&kept);
    }
    tree.probe("tally");
    // Without it the next change counts.
    let _ = tally.write(state);
}

/// Say which changes cannot be undone from now on, or could not.
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
