//! Rejects contradictory steps, so that a change has one result whatever the order of its steps.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_model::{Error, Kind, Result};

use super::{Planner, within};
use crate::{place::split, tree::What};

impl Planner<'_> {
    pub(super) fn conflicts(&self) -> Result<()> {
        self.sources()?;
        self.targets_are_apart()?;
        self.targets_are_free()
    }

    fn sources(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        for way in &self.moves {
            let (name, real) = (&way.from.name, &way.from.real);
            if !seen.insert(real) {
                return Err(conflict(name, "is moved twice"));
            }
            if self.deletes.iter().any(|deleted| deleted.spot.real == *real) {
                return Err(conflict(name, "is moved and deleted"));
            }
        }
        for (real, edited) in &self.edits {
            if self.removed.contains_key(real) {
                return Err(conflict(&edited.name, "is edited and deleted"));
            }
        }
        Ok(())
    }

    /// Fails if two things would be created at one path, or one below the other.
    fn targets_are_apart(&self) -> Result<()> {
        let mut targets: BTreeMap<&str, (&str, bool)> = BTreeMap::new();
        let moved = self.moves.iter().map(|way| (&way.to, way.seen.what == What::Directory));
        for (spot, directory) in moved.chain(self.fills.iter().map(|fill| (&fill.to, false))) {
            if targets.insert(&spot.real, (&spot.name, directory)).is_some() {
                return Err(conflict(&spot.name, "is the destination of two steps"));
            }
        }
        for (real, (name, _)) in &targets {
            let mut above = split(real).0;
            while !above.is_empty() {
                if let Some((file, false)) = targets.get(above) {
                    return Err(conflict(name, &format!("is below `{file}`, which becomes a file")));
                }
                above = split(above).0;
            }
        }
        Ok(())
    }

    /// Fails if something would be created where a directory is removed, or where a file is edited.
    fn targets_are_free(&self) -> Result<()> {
        for spot in self.targets() {
            if let Some(way) = self.directory_moves().find(|way| within(&way.from.real, &spot.real)) {
                return Err(twice(&spot.name, &format!("`{}` is moved away and written again", way.from.name)));
            }
            let mut above = spot.real.as_str();
            while !above.is_empty() {
                if self.gone.contains_key(above) {
                    return Err(twice(&spot.name, &format!("`{above}` is deleted and written again")));
                }
                above = split(above).0;
            }
            if let Some(edited) = self.edits.get(&spot.real)
                && self.leaving(&spot.real).is_none()
            {
                return Err(conflict(&edited.name, "is edited and replaced"));
            }
        }
        Ok(())
    }
}

fn conflict(name: &str, what: &str) -> Error {
    Error::argument(format!("`{name}` {what} in one change")).hint("keep one of the steps; nothing was written")
}

fn twice(name: &str, what: &str) -> Error {
    Error::new(Kind::Unsupported, format!("{what} in one change (`{name}`)"))
        .hint("make it two changes, one after the other; nothing was written")
}
