//! What the history may take, and what has to go when that is spent. Whoever spends it is told what can no longer be undone.

use std::{
    fs::{DirEntry, Metadata},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use marquetry_model::{Work, limits};

use super::files;
use crate::{
    journal,
    state::{PENDING, State},
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

fn age(metadata: &Metadata, now: SystemTime) -> Duration {
    metadata.modified().ok().and_then(|then| now.duration_since(then).ok()).unwrap_or_default()
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

/// Remove what is kept about roots that are gone, when all of it is older than the budget allows and nothing is left half done.
/// The folder is that of one root; the others lie beside it.
pub(crate) fn sweep(own: &Path, age_allowed: Duration) {
    let now = SystemTime::now();
    let others = own.parent().map(std::fs::read_dir).into_iter().flatten().flatten().flatten();
    for other in others.map(|entry| entry.path()).filter(|other| other != own) {
        // One that another process makes this very moment does not say whose it is yet.
        let Some(root) = State::root_of(&other) else { continue };
        let Ok(entries) = std::fs::read_dir(other.join("changes")) else { continue };
        let is_young = |metadata: Metadata| age(&metadata, now) <= age_allowed;
        let is_needed = |entry: DirEntry| entry.file_name() == PENDING || entry.metadata().is_ok_and(is_young);
        if root.symlink_metadata().is_err() && !entries.flatten().any(is_needed) {
            // What cannot be removed is tried again for the next new root.
            let _ = std::fs::remove_dir_all(other);
        }
    }
}
