//! Builds the operations of a plan in a safe order.
//!
//! Edits are made in place first; then files are removed, files and directories moved, directories removed, and files
//! created. A file that is edited and moved, or swapped with another, is created at its new path, so that no path is
//! changed twice.

use std::collections::BTreeSet;

use marquetry_model::{Error, Kind, Result};

use super::{Filled, Moved, Planner, Spot, order::Renamed};
use crate::{
    failure::{io_error, read_only, stale},
    operation::{Effect, Found, Operation, Plan, Side, Step, Thing, found},
    place::{below, join, split},
    tree::{Seen, What},
};

pub(super) fn build(planner: &mut Planner<'_>) -> Result<Plan> {
    let mut build = Build { planner, plan: Plan::default(), edited: BTreeSet::new(), made: BTreeSet::new() };
    build.edits()?;
    let (renames, puts) = build.moves()?;
    build.removals()?;
    for rename in build.planner.ordered(renames)? {
        build.rename(rename)?;
    }
    build.directories_go()?;
    for (to, put, directories) in puts {
        build.parents(&to, directories)?;
        build.plan.steps.push(put);
    }
    let mut plan = build.plan;
    plan.effects.sort_by(|a, b| a.name().cmp(b.name()));
    plan.contents = std::mem::take(&mut build.planner.contents);
    Ok(plan)
}

/// A file or link to create: where, how, and whether parent directories may be created.
type Put = (Spot, Step, bool);

struct Build<'a, 'b> {
    planner: &'b mut Planner<'a>,
    plan: Plan,
    /// Files that are edited in place.
    edited: BTreeSet<String>,
    /// Directories that the plan creates.
    made: BTreeSet<String>,
}

impl Build<'_, '_> {
    fn step(&mut self, operation: Operation, expected: Vec<(String, Seen)>) {
        self.plan.steps.push(Step { operation, expected, like: None });
    }

    fn effect(&mut self, before: Option<Side>, after: Option<Side>) {
        self.plan.effects.push(Effect { before, after });
    }

    /// Returns the final name of a file whose parent directories move.
    fn name_at_end(&self, name: &str) -> String {
        let ways = self.planner.directory_moves().filter(|way| below(&way.from.name, name).is_some());
        let way = ways.max_by_key(|way| way.from.name.len());
        let moved = way.and_then(|way| Some(join(&way.to.name, below(&way.from.name, name)?)));
        moved.unwrap_or_else(|| name.to_owned())
    }

    fn edits(&mut self) -> Result<()> {
        let staying: Vec<String> =
            self.planner.edits.keys().filter(|path| self.planner.leaving(path).is_none()).cloned().collect();
        for path in staying {
            self.planner.needs_parent(&path)?;
            let Some(edited) = self.planner.edits.remove(&path) else { continue };
            let after = Side::new(&self.name_at_end(&edited.name), &edited.after);
            self.effect(Some(Side::new(&edited.name, &edited.before)), Some(after));
            if edited.seen.linked {
                let note = format!("`{}` has other hard links, which keep the old text", edited.name);
                self.planner.notes.push(note);
            }
            let expected = vec![(path.clone(), edited.seen)];
            self.edited.insert(path.clone());
            let like = Some(path.clone());
            let operation = Operation::Put { path, before: Some(edited.before), after: edited.after };
            self.plan.steps.push(Step { operation, expected, like });
        }
        Ok(())
    }

    /// Returns the renames, and the files that are created with new content.
    fn moves(&mut self) -> Result<(Vec<Renamed>, Vec<Put>)> {
        let (mut renames, mut puts) = (Vec::new(), Vec::new());
        let starts = self.planner.targets().map(|spot| self.planner.before_arrival(&spot.real));
        let refilled: BTreeSet<String> = starts.collect();
        let targets: BTreeSet<String> = self.planner.targets().map(|spot| spot.real.clone()).collect();
        for index in 0..self.planner.moves.len() {
            let Moved { from, to, overwrite, seen } = &self.planner.moves[index];
            let (from, to, overwrite, seen) = (from.clone(), to.clone(), *overwrite, *seen);
            self.planner.needs_parent(&from.real)?;
            if seen.what == What::Directory {
                renames.push(self.directory(&from, &to, seen)?);
                continue;
            }
            let start = self.planner.before_arrival(&to.real);
            let traded = refilled.contains(&from.real) || self.planner.leaving(&start).is_some();
            let edited = self.planner.edits.remove(&from.real);
            let (spelling, twins) = self.spelling(&from, &to, &seen)?;
            let apart = self.devices_differ(&from, &to)?;
            if edited.is_none() && !traded && !twins && !apart {
                renames.push(self.file(&from, &to, overwrite, seen, spelling)?);
                continue;
            }
            let taken = self.planner.take(&from.real)?.ok_or_else(|| stale(&from.name))?.0;
            let after = edited.map_or_else(|| taken.clone(), |edited| edited.after);
            self.effect(Some(Side::new(&from.name, &taken)), Some(Side::new(&to.name, &after)));
            // If something else is created at the old path, it replaces the file.
            if !targets.contains(&from.real) {
                self.step(
                    Operation::Remove { path: from.real.clone(), before: taken },
                    vec![(from.real.clone(), seen)],
                );
            }
            let put = self.put(&to, after, overwrite, true)?.map(|step| Step { like: Some(from.real), ..step });
            puts.extend(put.map(|step| (to, step, true)));
        }
        for Filled { to, after, overwrite, directories } in std::mem::take(&mut self.planner.fills) {
            let put = self.put(&to, after, overwrite, false)?;
            if let Some(Step { operation: Operation::Put { before, after, .. }, .. }) = &put {
                let before = before.as_ref().map(|before| Side::new(&to.name, before));
                let after = Side::new(&to.name, after);
                self.effect(before, Some(after));
            }
            puts.extend(put.map(|step| (to, step, directories)));
        }
        puts.sort_by(|a, b| a.0.real.cmp(&b.0.real));
        Ok((renames, puts))
    }

    fn directory(&mut self, from: &Spot, to: &Spot, seen: Seen) -> Result<Renamed> {
        let (detour, twins) = self.spelling(from, to, &seen)?;
        if twins || (!detour && self.planner.look(&self.planner.before_arrival(&to.real))?.is_some()) {
            return Err(self.blocked(to, true));
        }
        if self.devices_differ(from, to)? {
            return Err(Error::new(
                Kind::Unsupported,
                format!("`{}` is on another file system than `{}`", from.name, to.name),
            )
            .hint("a directory cannot move between them as a whole; move the files in it one by one"));
        }
        for (path, inside) in self.planner.all_below(&from.real)? {
            let dealt_with = self.planner.removed.contains_key(&path)
                || self.planner.leaving(&path).is_some()
                || self.edited.contains(&path);
            if inside.what == What::Directory || dealt_with {
                continue;
            }
            let name = join(&from.name, below(&from.real, &path).unwrap_or(&path));
            let side = |name: String| Some(Side { name, hash: None, size: inside.size });
            let after = self.name_at_end(&name);
            self.effect(side(name), side(after));
        }
        let (start, from, to) = (from.real.clone(), from.real.clone(), to.real.clone());
        Ok(Renamed { start, from, to, thing: None, replaced: None, detour, seen })
    }

    fn file(&mut self, from: &Spot, to: &Spot, overwrite: bool, seen: Seen, detour: bool) -> Result<Renamed> {
        // The bytes are unchanged under another name, so they are not kept. They are read for their hash.
        self.planner.work.check()?;
        self.planner.needs_room(&from.real, &seen)?;
        let taken = found(self.planner.tree, &from.real).map_err(|error| io_error("read", &from.name, &error))?;
        let Found::Thing(taken, ..) = taken else { return Err(stale(&from.name)) };
        let replaced = if detour { None } else { self.occupant(to, overwrite, true)? };
        self.effect(Some(Side::new(&from.name, &taken)), Some(Side::new(&to.name, &taken)));
        let (start, from, to) = (from.real.clone(), from.real.clone(), to.real.clone());
        Ok(Renamed { start, from, to, thing: Some(taken), replaced, detour, seen })
    }

    /// Returns whether a move only changes the case or form of the name, and whether both names are separate entries of
    /// one file.
    fn spelling(&self, from: &Spot, to: &Spot, seen: &Seen) -> Result<(bool, bool)> {
        let there = self.planner.look(&to.real)?.map(|other| other.is_same(seen));
        let (above, last) = split(&to.real);
        let listed = || self.planner.tree.names(above).is_ok_and(|names| names.iter().any(|name| name == last));
        let differ_in_case = from.real.to_lowercase() == to.real.to_lowercase();
        Ok(respelled(there, differ_in_case, listed))
    }

    fn devices_differ(&self, from: &Spot, to: &Spot) -> Result<bool> {
        let mut above = split(&to.real).0;
        while !above.is_empty() && self.planner.look(&self.planner.at_start(above))?.is_none() {
            above = split(above).0;
        }
        let device = |path: &str| Ok(self.planner.look(path)?.map(|seen| seen.device));
        Ok(device(split(&from.real).0)? != device(&self.planner.at_start(above))?)
    }

    /// Returns the step that creates a file; `None` if it already exists with the same state.
    fn put(&mut self, to: &Spot, after: Thing, overwrite: bool, moved: bool) -> Result<Option<Step>> {
        let before = self.occupant(to, overwrite, moved)?;
        let mut after = after;
        if let (
            false,
            Some((Thing::File { mode, owner, .. }, _)),
            Thing::File { mode: new_mode, owner: new_owner, .. },
        ) = (moved, &before, &mut after)
        {
            (*new_mode, *new_owner) = (*mode, *owner);
        }
        let path = to.real.clone();
        Ok(match before {
            Some((before, _)) if before.is_like(&after) => None,
            Some((before, seen)) => {
                let expected = vec![(path.clone(), seen)];
                let like = Some(self.planner.before_arrival(&path));
                Some(Step { operation: Operation::Put { path, before: Some(before), after }, expected, like })
            }
            None => {
                let operation = Operation::Put { path, before: None, after };
                Some(Step { operation, expected: Vec::new(), like: None })
            }
        })
    }

    /// Returns what occupies a destination. Fails unless it is removed anyway or may be overwritten.
    fn occupant(&mut self, to: &Spot, overwrite: bool, moved: bool) -> Result<Option<(Thing, Seen)>> {
        let start = self.planner.at_start(&to.real);
        let Some(seen) = self.planner.look(&start)? else { return Ok(None) };
        if seen.what == What::Directory {
            return Err(self.blocked(to, true));
        }
        let moves_on = self.planner.leaving(&start).is_some();
        if start != to.real && (moves_on || self.planner.removed.contains_key(&start)) {
            // It leaves the directory before that directory moves here.
            return Ok(None);
        }
        let leaves = self.planner.removed.remove(&start).is_some() || moves_on;
        if !leaves && !overwrite {
            return Err(self.blocked(to, false));
        }
        if !moved && seen.what == What::File && !self.planner.tree.may_write(&start, &seen).unwrap_or(false) {
            return Err(read_only(&to.name, "the file"));
        }
        self.planner.take(&start)
    }

    fn blocked(&self, to: &Spot, directory: bool) -> Error {
        let what = if directory { "a directory" } else { "a file" };
        let hint = if directory {
            "choose a path that does not exist, for example one below it"
        } else {
            "choose another path, or allow `overwrite`"
        };
        Error::new(Kind::OverwriteBlocked, format!("`{}` exists: it is {what}", to.name))
            .hint(hint)
            .candidates([to.name.clone()])
    }

    fn removals(&mut self) -> Result<()> {
        self.planner.needs_room_for_removed()?;
        for (path, (name, seen)) in std::mem::take(&mut self.planner.removed) {
            self.planner.needs_parent(&path)?;
            let before = self.planner.take(&path)?.ok_or_else(|| stale(&name))?.0;
            self.effect(Some(Side::new(&name, &before)), None);
            self.step(Operation::Remove { path: path.clone(), before }, vec![(path, seen)]);
        }
        Ok(())
    }

    fn rename(&mut self, rename: Renamed) -> Result<()> {
        let Renamed { from, to, thing, replaced, detour, seen, .. } = rename;
        self.parents(&Spot { name: to.clone(), real: to.clone() }, true)?;
        let mut expected = vec![(from.clone(), seen)];
        expected.extend(replaced.as_ref().map(|(_, seen)| (to.clone(), *seen)));
        self.step(Operation::Rename { from, to, thing, replaced: replaced.map(|(thing, _)| thing), detour }, expected);
        Ok(())
    }

    fn directories_go(&mut self) -> Result<()> {
        for (path, seen) in std::mem::take(&mut self.planner.gone).into_iter().rev() {
            self.planner.needs_parent(&path)?;
            let path = self.planner.at_end(&path);
            self.step(Operation::RemoveDirectory { path, mode: seen.mode, tolerant: false }, Vec::new());
        }
        Ok(())
    }

    /// Creates the missing parent directories of a path.
    fn parents(&mut self, to: &Spot, allowed: bool) -> Result<()> {
        let ends = to.real.match_indices('/').map(|(at, _)| at);
        for above in ends.map(|end| &to.real[..end]) {
            if self.made.contains(above) {
                continue;
            }
            match self.planner.look(&self.planner.at_start(above))?.map(|seen| seen.what) {
                Some(What::Directory) => {}
                Some(_) => {
                    return Err(Error::argument(format!("`{above}` is a file, so `{}` cannot exist", to.name)));
                }
                None if !allowed => {
                    return Err(Error::new(Kind::FileNotFound, format!("the directory `{above}` does not exist"))
                        .hint("create it first, or allow `createDirectories`"));
                }
                None => {
                    self.planner.needs_parent(above)?;
                    self.made.insert(above.to_owned());
                    self.plan.directories.push(above.to_owned());
                    self.step(Operation::MakeDirectory { path: above.to_owned(), mode: None }, Vec::new());
                }
            }
        }
        if !self.made.contains(split(&to.real).0) {
            let start = self.planner.at_start(&to.real);
            self.planner.needs_parent(&start)?;
        }
        Ok(())
    }
}

/// Returns whether a move only changes the case of a name, and whether one file has both names. `there` is `None` if nothing has
/// the new name, else whether it has the inode of the old one; `is_listed` is whether the folder lists the new name. Some
/// case-insensitive file systems give each spelling its own inode number: a name that the folder does not list is then the same
/// file.
fn respelled(there: Option<bool>, differ_in_case: bool, is_listed: impl Fn() -> bool) -> (bool, bool) {
    let twins = there == Some(true) && is_listed();
    let is_free = match there {
        None | Some(true) => true,
        Some(false) => differ_in_case && !is_listed(),
    };
    (differ_in_case && is_free && !twins, twins)
}

#[cfg(test)]
mod tests {
    use super::respelled;

    #[test]
    fn case_change_is_detected_by_listed_names() {
        for (there, differ_in_case, is_listed, expected) in [
            // Nothing has the new name: a case-sensitive file system.
            (None, true, false, (true, false)),
            (None, false, false, (false, false)),
            // The same inode: one thing under two spellings, or two names of one file.
            (Some(true), true, false, (true, false)),
            (Some(true), true, true, (false, true)),
            (Some(true), false, true, (false, true)),
            // Another inode is another file, unless only the old name is listed.
            (Some(false), true, true, (false, false)),
            (Some(false), true, false, (true, false)),
            (Some(false), false, false, (false, false)),
        ] {
            assert_eq!(
                respelled(there, differ_in_case, || is_listed),
                expected,
                "there {there:?}, differ in case {differ_in_case}, listed {is_listed}"
            );
        }
    }
}
