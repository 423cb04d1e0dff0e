//! Orders renames.

use marquetry_model::{Error, Kind, Result};

use super::Planner;
use crate::{
    operation::{Thing, moved},
    place::below,
    tree::Seen,
};

/// A planned rename.
#[derive(Debug, Clone)]
pub(super) struct Renamed {
    /// Path before the change.
    pub(super) start: String,
    /// Path at the time of execution.
    pub(super) from: String,
    pub(super) to: String,
    /// `None` for a directory.
    pub(super) thing: Option<Thing>,
    pub(super) replaced: Option<(Thing, Seen)>,
    pub(super) detour: bool,
    pub(super) seen: Seen,
}

impl Renamed {
    /// Returns whether this rename must happen before the other.
    fn precedes(&self, other: &Renamed) -> bool {
        let arrives = self.thing.is_none() && below(&self.to, &other.to).is_some();
        let leaves = other.thing.is_none() && below(&other.from, &self.from).is_some();
        arrives || leaves
    }
}

impl Planner<'_> {
    /// Sorts renames: files leave a directory before it moves, and enter one after it arrived.
    pub(super) fn ordered(&self, mut renames: Vec<Renamed>) -> Result<Vec<Renamed>> {
        for rename in &mut renames {
            // A file that stays in a moving directory is renamed after the directory has arrived.
            let along = self.directory_moves().filter(|way| {
                below(&way.from.real, &rename.start).is_some() && below(&way.to.real, &rename.to).is_some()
            });
            if let Some(way) = along.max_by_key(|way| way.from.real.len()) {
                rename.from =
                    moved(&rename.start, &way.from.real, &way.to.real).unwrap_or_else(|| rename.start.clone());
            }
        }
        renames.retain(|rename| rename.from != rename.to);
        if renames.iter().all(|rename| rename.thing.is_some()) {
            return Ok(renames);
        }
        let mut ordered = Vec::with_capacity(renames.len());
        while !renames.is_empty() {
            let free = |candidate: &Renamed| {
                renames.iter().all(|other| other.start == candidate.start || !other.precedes(candidate))
            };
            let Some(next) = renames.iter().position(free) else {
                return Err(Error::new(Kind::Unsupported, "directories swap places in one change")
                    .hint("make it several changes, one after the other; nothing was written"));
            };
            ordered.push(renames.remove(next));
        }
        Ok(ordered)
    }
}
