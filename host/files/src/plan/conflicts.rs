//! Rejects contradictory steps, so that the result of a change does not depend on the order of its steps.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_model::{Error, Kind, Result};

use super::{Planner, is_at_or_below};
use crate::{paths::split_parent, tree::What};

impl Planner<'_> {
    pub(super) fn check_conflicts(&self) -> Result<()> {
        self.check_sources()?;
        self.check_targets_apart()?;
        self.check_targets_free()
    }

    fn check_sources(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        for way in &self.moves {
            let (name, real) = (&way.from.name, &way.from.real);
            if !seen.insert(real) {
                return Err(conflict_error(name, "is moved twice"));
            }
            if self.deletes.iter().any(|deleted| deleted.spot.real == *real) {
                return Err(conflict_error(name, "is moved and deleted"));
            }
        }
        for (real, edited) in &self.edits {
            if self.removed.contains_key(real) {
                return Err(conflict_error(&edited.name, "is edited and deleted"));
            }
        }
        Ok(())
    }

    /// Fails if two things would be created at one path, or one below the other.
    fn check_targets_apart(&self) -> Result<()> {
        let mut targets: BTreeMap<&str, (&str, bool)> = BTreeMap::new();
        let moved = self.moves.iter().map(|way| (&way.to, way.seen.what == What::Directory));
        for (spot, directory) in moved.chain(self.creations.iter().map(|fill| (&fill.to, false))) {
            if targets.insert(&spot.real, (&spot.name, directory)).is_some() {
                return Err(conflict_error(&spot.name, "is the destination of two steps"));
            }
        }
        for (real, (name, _)) in &targets {
            let mut above = split_parent(real).0;
            while !above.is_empty() {
                if let Some((file, false)) = targets.get(above) {
                    return Err(conflict_error(name, &format!("is below `{file}`, which becomes a file")));
                }
                above = split_parent(above).0;
            }
        }
        Ok(())
    }

    /// Fails if something would be created where a directory is removed, or where a file is edited.
    fn check_targets_free(&self) -> Result<()> {
        for spot in self.targets() {
            if let Some(way) = self.directory_moves().find(|way| is_at_or_below(&way.from.real, &spot.real)) {
                return Err(reused_path_error(
                    &spot.name,
                    &format!("`{}` is moved away and written again", way.from.name),
                ));
            }
            let mut above = spot.real.as_str();
            while !above.is_empty() {
                if self.removed_directories.contains_key(above) {
                    return Err(reused_path_error(&spot.name, &format!("`{above}` is deleted and written again")));
                }
                above = split_parent(above).0;
            }
            if let Some(edited) = self.edits.get(&spot.real)
                && self.move_from(&spot.real).is_none()
            {
                return Err(conflict_error(&edited.name, "is edited and replaced"));
            }
        }
        Ok(())
    }
}

fn conflict_error(name: &str, what: &str) -> Error {
    Error::argument(format!("`{name}` {what} in one change")).hint("keep one of the steps; nothing was written")
}

fn reused_path_error(name: &str, what: &str) -> Error {
    Error::new(Kind::Unsupported, format!("{what} in one change (`{name}`)"))
        .hint("make two changes instead, one after the other; nothing was written")
}
