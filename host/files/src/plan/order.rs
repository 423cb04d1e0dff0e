//! Orders the renames of a plan, so that each finds its file at the expected path.

use marquetry_model::{Error, Kind, Result};

use super::Planner;
use crate::{
    operation::{FileState, moved_path},
    paths::path_below,
    tree::Seen,
};

/// A planned rename.
#[derive(Debug, Clone)]
pub(super) struct PlannedRename {
    /// Path before the change.
    pub(super) original_path: String,
    /// Path at the time of execution.
    pub(super) from: String,
    pub(super) to: String,
    /// `None` for a directory.
    pub(super) thing: Option<FileState>,
    pub(super) replaced: Option<(FileState, Seen)>,
    pub(super) detour: bool,
    pub(super) seen: Seen,
}

impl PlannedRename {
    /// Returns whether this rename must happen before the other.
    fn precedes(&self, other: &PlannedRename) -> bool {
        let arrives = self.thing.is_none() && path_below(&self.to, &other.to).is_some();
        let leaves = other.thing.is_none() && path_below(&other.from, &self.from).is_some();
        arrives || leaves
    }
}

impl Planner<'_> {
    /// Sorts renames. A file that is moved out of a directory is renamed before the directory, and a file that is moved
    /// into a directory is renamed after it.
    pub(super) fn order_renames(&self, mut renames: Vec<PlannedRename>) -> Result<Vec<PlannedRename>> {
        for rename in &mut renames {
            // A file that stays in a moved directory is renamed after the directory.
            let along = self.directory_moves().filter(|way| {
                path_below(&way.from.real, &rename.original_path).is_some()
                    && path_below(&way.to.real, &rename.to).is_some()
            });
            if let Some(way) = along.max_by_key(|way| way.from.real.len()) {
                rename.from = moved_path(&rename.original_path, &way.from.real, &way.to.real)
                    .unwrap_or_else(|| rename.original_path.clone());
            }
        }
        renames.retain(|rename| rename.from != rename.to);
        if renames.iter().all(|rename| rename.thing.is_some()) {
            return Ok(renames);
        }
        let mut ordered = Vec::with_capacity(renames.len());
        while !renames.is_empty() {
            let free = |candidate: &PlannedRename| {
                renames.iter().all(|other| other.original_path == candidate.original_path || !other.precedes(candidate))
            };
            let Some(next) = renames.iter().position(free) else {
                return Err(Error::new(Kind::Unsupported, "directories swap places in one change")
                    .hint("make several changes instead, one after the other; nothing was written"));
            };
            ordered.push(renames.remove(next));
        }
        Ok(ordered)
    }
}
