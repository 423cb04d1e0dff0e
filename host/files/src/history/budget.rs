//! What the history may take, and what has to go when that is spent. Whoever spends it is told what can no longer be undone.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use marquetry_model::{Work, limits};

use super::files;
use crate::{
    journal,
    state::{State, age},
};

/// Changes named in a note; more are counted.
const NAMED: usize = 5;

/// What the history of a root may take. The latest change stays in any case.
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

/// What has to go, latest first, when a change comes in that takes so many bytes. The new ones stay as far as they fit: one
/// that is too large for what is left makes no smaller one go.
pub(crate) fn spent(state: &State, budget: &Budget, coming: Option<u64>) -> Vec<PathBuf> {
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
    for (_, path) in files(state) {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        let old = age(&metadata, now) > budget.age;
        if (old && !is_latest) || !room(metadata.len(), is_latest) {
            spent.push(path);
        }
        is_latest = false;
    }
    spent
}

/// Drop what is beyond the budget, and say so.
pub(crate) fn spend(state: &State, budget: &Budget, work: &Work) {
    let spent = spent(state, budget, None);
    note(&spent, budget, "can no longer be undone", work);
    for path in spent {
        // What cannot be dropped now is dropped after the next change.
        let _ = std::fs::remove_file(path);
    }
}

/// Say which changes cannot be undone from now on, or could not.
pub(crate) fn note(spent: &[PathBuf], budget: &Budget, what: &str, work: &Work) {
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
