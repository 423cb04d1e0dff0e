//! Executes a plan: writes the journal, writes new contents to temporary files, renames them, and finally renames the
//! journal.
//!
//! Renaming the journal is the commit point: a change that is cancelled before this point is rolled back like a failed
//! one; after it, the change is complete.

use std::io::{self, ErrorKind};

use marquetry_model::{ChangeEffects, Error, Kind, Origin, Outcome, Result, Work};

use crate::{
    errors::{io_error, stale_error},
    history::{self, HistoryBudget, Tally},
    journal::{self, Manifest, RunningJournal},
    lock::Lock,
    operation::{DirectoryMoves, FileState, Operation, Plan, Step, is_one_step, temporary_paths},
    parallel,
    paths::split_parent,
    recovery::{recover_own, retract_change},
    recovery_marker::{self, Marker},
    rollback::{remove_empty, sync_directories, write_temporary},
    state::RootState,
    system::sync_directory,
    tree::{Seen, Tree, What},
};

/// Reports which changes could no longer be undone if a plan were executed.
pub(crate) fn report_lost_undo(site: ExecutionContext<'_>, plan: &Plan, work: &Work) {
    let kept: u64 = plan.steps.iter().filter_map(|step| step.operation.replaced()).map(FileState::size).sum();
    if !plan.steps.is_empty() {
        history::report_lost_undo(site.state, site.budget, kept, work);
    }
}

/// Context in which a change is executed.
#[derive(Clone, Copy)]
pub(crate) struct ExecutionContext<'a> {
    pub(crate) state: &'a RootState,
    pub(crate) tree: &'a Tree,
    pub(crate) budget: &'a HistoryBudget,
}

/// Returns the result for a plan that is not executed.
pub(crate) fn effects_of_plan(plan: &Plan, outcome: Outcome, id: Option<String>) -> ChangeEffects {
    let outcome = if plan.steps.is_empty() { Outcome::Nothing } else { outcome };
    let files = plan.effects.iter().map(crate::operation::Effect::file_effect).collect();
    ChangeEffects { id, outcome, files, directories_created: plan.directories.clone() }
}

/// Executes a plan completely or not at all. The lock proves that nothing else changes the root and that every
/// interrupted change was recovered.
pub(crate) fn execute(site: ExecutionContext<'_>, lock: &Lock, plan: &Plan, work: &Work) -> Result<ChangeEffects> {
    let ExecutionContext { state, tree, .. } = site;
    if plan.steps.is_empty() {
        return Ok(effects_of_plan(plan, Outcome::Nothing, None));
    }
    // The tally is loaded before the journal is created, because creating a file changes the folder and makes the tally
    // invalid.
    let tally = Tally::load(state);
    let id = history::next_id(&tally, plan);
    history::remove_latest_markers(state, tree, &tally);
    let (manifest, running) = write_journal_and_markers(site, (plan, work.origin()), &id)?;
    if let Err(error) = execute_steps(site, plan, &manifest, work) {
        drop(running);
        let messages = recover_own(state, tree, &tree.clone_probe(), lock)
            .map_err(|worse| worse.context(&error.content().message))?;
        messages.into_iter().for_each(|message| work.add_note(message));
        return Err(error);
    }
    tree.probe("commit");
    let (pending, entry) = (state.pending(), state.changes().join(&id));
    let done = std::fs::rename(&pending, &entry).and_then(|()| sync_directory(&state.changes()));
    if let Err(error) = done {
        // It is not certain that the commit is on disk, so the change is treated as unfinished.
        let _ = std::fs::rename(&entry, &pending);
        drop(running);
        recover_own(state, tree, &tree.clone_probe(), lock)?;
        return Err(io_error("finish the journal", &pending.to_string_lossy(), &error));
    }
    for seal in &manifest.markers {
        // A marker that remains makes a finished change look unfinished; the next reader detects that.
        let _ = recovery_marker::remove(tree, &seal.folder);
    }
    drop(running);
    let tally = history::add_entry_and_trim(state, site.budget, tally, &entry, work);
    tree.probe("tally");
    // Without the tally, the next change counts the entries.
    let _ = tally.write(state);
    Ok(effects_of_plan(plan, Outcome::Applied, Some(id)))
}

/// Writes the journal and the markers that refer to it.
fn write_journal_and_markers(
    site: ExecutionContext<'_>,
    (plan, origin): (&Plan, Option<&Origin>),
    id: &str,
) -> Result<(Manifest, RunningJournal)> {
    let ExecutionContext { state, tree, .. } = site;
    let operations: Vec<Operation> = plan.steps.iter().map(|step| step.operation.clone()).collect();
    let waiting = temporary_paths(tree, &operations, id.rsplit('-').next().unwrap_or(id));
    // A single rename is atomic, so the marker and the journal need not be on disk before it is executed.
    let alone = is_one_step(&operations);
    let pending = state.pending();
    // Removes the journal and the markers that were written. If that fails, a later reader finds that the change never
    // began.
    let retracted = |error: Error| {
        let _ = retract_change(state, tree, id);
        error
    };
    let unwritten = |error: io::Error| {
        retracted(io_error("write the journal", &pending.to_string_lossy(), &error).hint("nothing was written"))
    };
    let folders = recovery_marker::marker_folders(tree, &operations).map_err(|error| marker_error(&error))?;
    let journal = journal::create(&pending, (id, &folders), !alone, tree).map_err(unwritten)?;
    // A marker without a journal would block access.
    if !alone && let Err(error) = sync_directory(&state.changes()) {
        drop(journal);
        return Err(unwritten(error));
    }
    let marker = Marker::new(&pending, id, alone);
    let markers = match recovery_marker::write(tree, &folders, &marker, !alone) {
        Ok(markers) => markers,
        Err(error) => {
            // While the journal is open, the change counts as running.
            drop(journal);
            return Err(retracted(marker_error(&error)));
        }
    };
    let manifest = Manifest::new(id.to_owned(), plan, waiting, markers).with_origin(origin);
    let running = journal.finish(&manifest, &plan.contents, tree).map_err(unwritten)?;
    Ok((manifest, running))
}

/// Error for a marker that cannot be created. Without one, other processes could not find an interrupted change.
fn marker_error(error: &io::Error) -> Error {
    if error.kind() == ErrorKind::AlreadyExists {
        return Error::new(
            Kind::Unsupported,
            format!("`{}` was not created by this user's marq", recovery_marker::NAME),
        )
        .hint("check and remove it: marq needs a folder of this name while it changes files; nothing was written");
    }
    io_error("mark the change with", recovery_marker::NAME, error).hint("nothing was written")
}

fn execute_steps(site: ExecutionContext<'_>, plan: &Plan, manifest: &Manifest, work: &Work) -> Result<()> {
    let tree = site.tree;
    write_contents(site, plan, manifest, work)?;
    let steps = work.stage("putting files in place", plan.steps.len());
    for (step, waiting) in plan.steps.iter().zip(&manifest.waiting) {
        steps.step()?;
        check_unchanged(tree, step)?;
        execute_step(tree, &step.operation, waiting).map_err(|error| step_error(&step.operation, &error))?;
    }
    let moves = DirectoryMoves::new(&manifest.operations);
    let directories = manifest.operations.iter().enumerate().flat_map(|(index, operation)| {
        let moves = &moves;
        operation.directories().into_iter().map(move |path| moves.at_end(path, index))
    });
    sync_directories(tree, directories).map_err(|error| io_error("make durable", ".", &error))?;
    // This is the last point at which nothing has been changed yet.
    work.check()
}

/// Writes all new contents to temporary files.
fn write_contents(site: ExecutionContext<'_>, plan: &Plan, manifest: &Manifest, work: &Work) -> Result<()> {
    let moves = DirectoryMoves::new(&manifest.operations);
    let places = manifest.waiting.iter().enumerate().map(|(index, waiting)| moves.at_start(waiting, index));
    let puts = plan.steps.iter().zip(places);
    let puts: Vec<_> = puts.filter(|(step, _)| matches!(step.operation, Operation::Put { .. })).collect();
    let steps = work.stage("writing files", puts.len());
    let write = |(step, waiting): (&Step, String)| {
        steps.step()?;
        let Operation::Put { after, .. } = &step.operation else { return Ok(()) };
        let staged = write_temporary(site.tree, &waiting, after, &plan.contents, step.attribute_source.as_deref());
        staged.map_err(|error| step_error(&step.operation, &error))
    };
    parallel::for_each(puts, write)
}

/// Checks that the files of a step have not changed since the plan was made.
fn check_unchanged(tree: &Tree, step: &Step) -> Result<()> {
    for (path, expected) in &step.expected {
        let now = tree.metadata(path).map_err(|error| io_error("reach", path, &error))?;
        let same = |now: &Seen| match expected.what {
            What::Directory => now.is_same(expected),
            _ => now.is_unchanged(expected),
        };
        if !now.as_ref().is_some_and(same) {
            return Err(stale_error(path));
        }
    }
    Ok(())
}

fn execute_step(tree: &Tree, operation: &Operation, waiting: &str) -> io::Result<()> {
    match operation {
        Operation::Put { path, before, .. } => tree.rename(waiting, path, before.is_some()),
        Operation::Remove { path, .. } => tree.remove(path),
        Operation::Rename { from, to, detour: true, .. } => {
            tree.rename(from, waiting, false)?;
            tree.rename(waiting, to, false)
        }
        Operation::Rename { from, to, replaced, .. } => tree.rename(from, to, replaced.is_some()),
        Operation::MakeDirectory { path, mode } => tree.make_directory(path, *mode),
        Operation::RemoveDirectory { path, tolerant: true, .. } => remove_empty(tree, path),
        Operation::RemoveDirectory { path, .. } => tree.remove_directory(path),
    }
}

fn step_error(operation: &Operation, error: &io::Error) -> Error {
    let path = operation.path();
    match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty | ErrorKind::NotFound => stale_error(path),
        ErrorKind::CrossesDevices => {
            Error::new(Kind::Unsupported, format!("`{path}` is on another file system than its source"))
                .hint("copy it and delete the original; nothing was written")
        }
        ErrorKind::PermissionDenied => {
            let above = split_parent(path).0;
            let above = if above.is_empty() { "." } else { above };
            io_error("write", path, error)
                .hint(format!("check the owner and permissions of it and of `{above}`; nothing was written"))
        }
        _ => io_error("write", path, error).hint("nothing was written"),
    }
}
