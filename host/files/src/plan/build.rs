//! Builds the operations of a plan in a safe order.
//!
//! Edits are made in place first; then files are removed, files and directories moved, directories removed, and files
//! created. A file that is edited and moved, or swapped with another, is created at its new path, so that no path is
//! changed twice.

use std::collections::BTreeSet;

use marquetry_model::{Error, Kind, Result};

use super::{CreatedFile, Moved, Planner, ResolvedPath, order::PlannedRename};
use crate::{
    errors::{io_error, read_only_error, stale_error},
    operation::{DiskState, Effect, EffectSide, FileState, Operation, Plan, Step, read_state},
    paths::{join, path_below, split_parent},
    tree::{Seen, What},
};

pub(super) fn build(planner: &mut Planner<'_>) -> Result<Plan> {
    let mut build =
        PlanBuilder { planner, plan: Plan::default(), edited: BTreeSet::new(), created_directories: BTreeSet::new() };
    build.add_edits()?;
    let (renames, puts) = build.add_moves()?;
    build.add_removals()?;
    for rename in build.planner.order_renames(renames)? {
        build.add_rename(rename)?;
    }
    build.remove_directories()?;
    for (to, put, directories) in puts {
        build.create_parents(&to, directories)?;
        build.plan.steps.push(put);
    }
    let mut plan = build.plan;
    plan.effects.sort_by(|a, b| a.name().cmp(b.name()));
    plan.contents = std::mem::take(&mut build.planner.contents);
    Ok(plan)
}

/// A file or link to create: its path, the step that creates it, and whether parent directories may be created.
type NewFileStep = (ResolvedPath, Step, bool);

struct PlanBuilder<'a, 'b> {
    planner: &'b mut Planner<'a>,
    plan: Plan,
    /// Files that are edited in place.
    edited: BTreeSet<String>,
    /// Directories that the plan creates.
    created_directories: BTreeSet<String>,
}

impl PlanBuilder<'_, '_> {
    fn step(&mut self, operation: Operation, expected: Vec<(String, Seen)>) {
        self.plan.steps.push(Step { operation, expected, attribute_source: None });
    }

    fn effect(&mut self, before: Option<EffectSide>, after: Option<EffectSide>) {
        self.plan.effects.push(Effect { before, after });
    }

    /// Returns the final name of a file whose parent directories move.
    fn name_at_end(&self, name: &str) -> String {
        let ways = self.planner.directory_moves().filter(|way| path_below(&way.from.name, name).is_some());
        let way = ways.max_by_key(|way| way.from.name.len());
        let moved = way.and_then(|way| Some(join(&way.to.name, path_below(&way.from.name, name)?)));
        moved.unwrap_or_else(|| name.to_owned())
    }

    fn add_edits(&mut self) -> Result<()> {
        let staying: Vec<String> =
            self.planner.edits.keys().filter(|path| self.planner.move_from(path).is_none()).cloned().collect();
        for path in staying {
            self.planner.check_parent_writable(&path)?;
            let Some(edited) = self.planner.edits.remove(&path) else { continue };
            let after = EffectSide::new(&self.name_at_end(&edited.name), &edited.after);
            self.effect(Some(EffectSide::new(&edited.name, &edited.before)), Some(after));
            if edited.seen.linked {
                let note = format!("`{}` has other hard links, which keep the old text", edited.name);
                self.planner.notes.push(note);
            }
            let expected = vec![(path.clone(), edited.seen)];
            self.edited.insert(path.clone());
            let like = Some(path.clone());
            let operation = Operation::Put { path, before: Some(edited.before), after: edited.after };
            self.plan.steps.push(Step { operation, expected, attribute_source: like });
        }
        Ok(())
    }

    /// Returns the renames, and the steps that write a file at a new path. Such a file is created, or moved without a
    /// rename because it is also edited.
    fn add_moves(&mut self) -> Result<(Vec<PlannedRename>, Vec<NewFileStep>)> {
        let (mut renames, mut puts) = (Vec::new(), Vec::new());
        let starts = self.planner.targets().map(|spot| self.planner.path_of_occupant(&spot.real));
        let refilled: BTreeSet<String> = starts.collect();
        let targets: BTreeSet<String> = self.planner.targets().map(|spot| spot.real.clone()).collect();
        for index in 0..self.planner.moves.len() {
            let Moved { from, to, overwrite, seen } = &self.planner.moves[index];
            let (from, to, overwrite, seen) = (from.clone(), to.clone(), *overwrite, *seen);
            self.planner.check_parent_writable(&from.real)?;
            if seen.what == What::Directory {
                renames.push(self.directory(&from, &to, seen)?);
                continue;
            }
            let start = self.planner.path_of_occupant(&to.real);
            let traded = refilled.contains(&from.real) || self.planner.move_from(&start).is_some();
            let edited = self.planner.edits.remove(&from.real);
            let (spelling, twins) = self.case_change(&from, &to, &seen)?;
            let apart = self.devices_differ(&from, &to)?;
            if edited.is_none() && !traded && !twins && !apart {
                renames.push(self.file(&from, &to, overwrite, seen, spelling)?);
                continue;
            }
            let taken = self.planner.read_and_keep(&from.real)?.ok_or_else(|| stale_error(&from.name))?.0;
            let after = edited.map_or_else(|| taken.clone(), |edited| edited.after);
            self.effect(Some(EffectSide::new(&from.name, &taken)), Some(EffectSide::new(&to.name, &after)));
            // If something else is created at the old path, it replaces the file.
            if !targets.contains(&from.real) {
                self.step(
                    Operation::Remove { path: from.real.clone(), before: taken },
                    vec![(from.real.clone(), seen)],
                );
            }
            let put = self
                .creation_step(&to, after, overwrite, true)?
                .map(|step| Step { attribute_source: Some(from.real), ..step });
            puts.extend(put.map(|step| (to, step, true)));
        }
        for CreatedFile { to, after, overwrite, directories } in std::mem::take(&mut self.planner.creations) {
            let put = self.creation_step(&to, after, overwrite, false)?;
            if let Some(Step { operation: Operation::Put { before, after, .. }, .. }) = &put {
                let before = before.as_ref().map(|before| EffectSide::new(&to.name, before));
                let after = EffectSide::new(&to.name, after);
                self.effect(before, Some(after));
            }
            puts.extend(put.map(|step| (to, step, directories)));
        }
        puts.sort_by(|a, b| a.0.real.cmp(&b.0.real));
        Ok((renames, puts))
    }

    fn directory(&mut self, from: &ResolvedPath, to: &ResolvedPath, seen: Seen) -> Result<PlannedRename> {
        let (detour, twins) = self.case_change(from, to, &seen)?;
        if twins || (!detour && self.planner.metadata(&self.planner.path_of_occupant(&to.real))?.is_some()) {
            return Err(self.overwrite_error(to, true));
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
                || self.planner.move_from(&path).is_some()
                || self.edited.contains(&path);
            if inside.what == What::Directory || dealt_with {
                continue;
            }
            let name = join(&from.name, path_below(&from.real, &path).unwrap_or(&path));
            let side = |name: String| Some(EffectSide { name, hash: None, size: inside.size });
            let after = self.name_at_end(&name);
            self.effect(side(name), side(after));
        }
        let (start, from, to) = (from.real.clone(), from.real.clone(), to.real.clone());
        Ok(PlannedRename { original_path: start, from, to, thing: None, replaced: None, detour, seen })
    }

    fn file(
        &mut self,
        from: &ResolvedPath,
        to: &ResolvedPath,
        overwrite: bool,
        seen: Seen,
        detour: bool,
    ) -> Result<PlannedRename> {
        // The bytes remain on disk under the new name, so no copy is kept for undo. They are read only to compute their
        // hash.
        self.planner.work.check()?;
        self.planner.check_file_size(&from.real, &seen)?;
        let taken = read_state(self.planner.tree, &from.real).map_err(|error| io_error("read", &from.name, &error))?;
        let DiskState::Thing(taken, ..) = taken else { return Err(stale_error(&from.name)) };
        let replaced = if detour { None } else { self.replaced_state(to, overwrite, true)? };
        self.effect(Some(EffectSide::new(&from.name, &taken)), Some(EffectSide::new(&to.name, &taken)));
        let (start, from, to) = (from.real.clone(), from.real.clone(), to.real.clone());
        Ok(PlannedRename { original_path: start, from, to, thing: Some(taken), replaced, detour, seen })
    }

    /// Returns whether a move only changes the case or form of the name, and whether both names are separate entries of
    /// one file.
    fn case_change(&self, from: &ResolvedPath, to: &ResolvedPath, seen: &Seen) -> Result<(bool, bool)> {
        let there = self.planner.metadata(&to.real)?.map(|other| other.is_same(seen));
        let (above, last) = split_parent(&to.real);
        let listed = || self.planner.tree.names(above).is_ok_and(|names| names.iter().any(|name| name == last));
        let differ_in_case = from.real.to_lowercase() == to.real.to_lowercase();
        Ok(is_case_change(there, differ_in_case, listed))
    }

    fn devices_differ(&self, from: &ResolvedPath, to: &ResolvedPath) -> Result<bool> {
        let mut above = split_parent(&to.real).0;
        while !above.is_empty() && self.planner.metadata(&self.planner.at_start(above))?.is_none() {
            above = split_parent(above).0;
        }
        let device = |path: &str| Ok(self.planner.metadata(path)?.map(|seen| seen.device));
        Ok(device(split_parent(&from.real).0)? != device(&self.planner.at_start(above))?)
    }

    /// Returns the step that creates a file; `None` if it already exists with the same state.
    fn creation_step(
        &mut self,
        to: &ResolvedPath,
        after: FileState,
        overwrite: bool,
        moved: bool,
    ) -> Result<Option<Step>> {
        let before = self.replaced_state(to, overwrite, moved)?;
        let mut after = after;
        if let (
            false,
            Some((FileState::File { mode, owner, .. }, _)),
            FileState::File { mode: new_mode, owner: new_owner, .. },
        ) = (moved, &before, &mut after)
        {
            (*new_mode, *new_owner) = (*mode, *owner);
        }
        let path = to.real.clone();
        Ok(match before {
            Some((before, _)) if before.equals_except_attributes(&after) => None,
            Some((before, seen)) => {
                let expected = vec![(path.clone(), seen)];
                let like = Some(self.planner.path_of_occupant(&path));
                Some(Step {
                    operation: Operation::Put { path, before: Some(before), after },
                    expected,
                    attribute_source: like,
                })
            }
            None => {
                let operation = Operation::Put { path, before: None, after };
                Some(Step { operation, expected: Vec::new(), attribute_source: None })
            }
        })
    }

    /// Returns the state of the file at a destination. Fails unless the change removes that file or may overwrite it.
    fn replaced_state(&mut self, to: &ResolvedPath, overwrite: bool, moved: bool) -> Result<Option<(FileState, Seen)>> {
        let start = self.planner.at_start(&to.real);
        let Some(seen) = self.planner.metadata(&start)? else { return Ok(None) };
        if seen.what == What::Directory {
            return Err(self.overwrite_error(to, true));
        }
        let moves_on = self.planner.move_from(&start).is_some();
        if start != to.real && (moves_on || self.planner.removed.contains_key(&start)) {
            // A directory that moves here contains a file of this name, but the change moves or removes that file
            // first.
            return Ok(None);
        }
        let leaves = self.planner.removed.remove(&start).is_some() || moves_on;
        if !leaves && !overwrite {
            return Err(self.overwrite_error(to, false));
        }
        if !moved && seen.what == What::File && !self.planner.tree.may_write(&start, &seen).unwrap_or(false) {
            return Err(read_only_error(&to.name, "the file"));
        }
        self.planner.read_and_keep(&start)
    }

    fn overwrite_error(&self, to: &ResolvedPath, directory: bool) -> Error {
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

    fn add_removals(&mut self) -> Result<()> {
        self.planner.check_removed_size()?;
        for (path, (name, seen)) in std::mem::take(&mut self.planner.removed) {
            self.planner.check_parent_writable(&path)?;
            let before = self.planner.read_and_keep(&path)?.ok_or_else(|| stale_error(&name))?.0;
            self.effect(Some(EffectSide::new(&name, &before)), None);
            self.step(Operation::Remove { path: path.clone(), before }, vec![(path, seen)]);
        }
        Ok(())
    }

    fn add_rename(&mut self, rename: PlannedRename) -> Result<()> {
        let PlannedRename { from, to, thing, replaced, detour, seen, .. } = rename;
        self.create_parents(&ResolvedPath { name: to.clone(), real: to.clone() }, true)?;
        let mut expected = vec![(from.clone(), seen)];
        expected.extend(replaced.as_ref().map(|(_, seen)| (to.clone(), *seen)));
        self.step(Operation::Rename { from, to, thing, replaced: replaced.map(|(thing, _)| thing), detour }, expected);
        Ok(())
    }

    fn remove_directories(&mut self) -> Result<()> {
        for (path, seen) in std::mem::take(&mut self.planner.removed_directories).into_iter().rev() {
            self.planner.check_parent_writable(&path)?;
            let path = self.planner.at_end(&path);
            self.step(Operation::RemoveDirectory { path, mode: seen.mode, tolerant: false }, Vec::new());
        }
        Ok(())
    }

    /// Creates the missing parent directories of a path.
    fn create_parents(&mut self, to: &ResolvedPath, allowed: bool) -> Result<()> {
        let ends = to.real.match_indices('/').map(|(at, _)| at);
        for above in ends.map(|end| &to.real[..end]) {
            if self.created_directories.contains(above) {
                continue;
            }
            match self.planner.metadata(&self.planner.at_start(above))?.map(|seen| seen.what) {
                Some(What::Directory) => {}
                Some(_) => {
                    return Err(Error::argument(format!("`{above}` is a file, so `{}` cannot exist", to.name)));
                }
                None if !allowed => {
                    return Err(Error::new(Kind::FileNotFound, format!("the directory `{above}` does not exist"))
                        .hint("create it first, or allow `createDirectories`"));
                }
                None => {
                    self.planner.check_parent_writable(above)?;
                    self.created_directories.insert(above.to_owned());
                    self.plan.directories.push(above.to_owned());
                    self.step(Operation::MakeDirectory { path: above.to_owned(), mode: None }, Vec::new());
                }
            }
        }
        if !self.created_directories.contains(split_parent(&to.real).0) {
            let start = self.planner.at_start(&to.real);
            self.planner.check_parent_writable(&start)?;
        }
        Ok(())
    }
}

/// Returns whether a move only changes the case of a name, and whether one file has both names. `there` is `None` if
/// nothing has the new name, else whether it has the inode of the old one; `is_listed` is whether the folder lists the
/// new name. Some case-insensitive file systems give each variant of a name its own inode number: a name that the
/// folder does not list is then the same file.
fn is_case_change(there: Option<bool>, differ_in_case: bool, is_listed: impl Fn() -> bool) -> (bool, bool) {
    let twins = there == Some(true) && is_listed();
    let is_free = match there {
        None | Some(true) => true,
        Some(false) => differ_in_case && !is_listed(),
    };
    (differ_in_case && is_free && !twins, twins)
}

#[cfg(test)]
mod tests {
    use super::is_case_change;

    #[test]
    fn case_change_is_detected_by_listed_names() {
        for (there, differ_in_case, is_listed, expected) in [
            // Nothing has the new name, so the file system is case-sensitive.
            (None, true, false, (true, false)),
            (None, false, false, (false, false)),
            // The same inode: either one entry whose name differs in case, or two hard links of one file.
            (Some(true), true, false, (true, false)),
            (Some(true), true, true, (false, true)),
            (Some(true), false, true, (false, true)),
            // Another inode is another file, unless only the old name is listed.
            (Some(false), true, true, (false, false)),
            (Some(false), true, false, (true, false)),
            (Some(false), false, false, (false, false)),
        ] {
            assert_eq!(
                is_case_change(there, differ_in_case, || is_listed),
                expected,
                "there {there:?}, differ in case {differ_in_case}, listed {is_listed}"
            );
        }
    }
}
