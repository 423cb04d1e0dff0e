//! Executes a plan: writes the journal, writes new contents to temporary files, renames them, and finally renames the
//! journal.
//!
//! Renaming the journal is the commit point: a change cancelled before it is rolled back like a failed one; afterwards
//! it is complete.

use std::io::{self, ErrorKind};

use marquetry_model::{Applied, Error, Kind, Origin, Outcome, Result, Work};

use crate::{
    failure::{io_error, stale},
    history::{self, Budget, Tally},
    journal::{self, Manifest, Running},
    lock::Lock,
    marker::{self, Marker},
    operation::{Moves, Operation, Plan, Step, Thing, is_one_step, waiting_places},
    parallel,
    place::split,
    recover::{remove_empty, stage, sync_directories},
    settle::{retract, settle_own},
    state::State,
    system::sync_directory,
    tree::{Seen, Tree, What},
};

/// Reports which changes could no longer be undone if a plan were executed.
pub(crate) fn foretell(site: Site<'_>, plan: &Plan, work: &Work) {
    let kept: u64 = plan.steps.iter().filter_map(|step| step.operation.replaced()).map(Thing::size).sum();
    if !plan.steps.is_empty() {
        history::foretell(site.state, site.budget, kept, work);
    }
}

/// Where a change is executed.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) state: &'a State,
    pub(crate) tree: &'a Tree,
    pub(crate) budget: &'a Budget,
}

/// Returns the result for a plan that is not executed.
pub(crate) fn shown(plan: &Plan, outcome: Outcome, id: Option<String>) -> Applied {
    let outcome = if plan.steps.is_empty() { Outcome::Nothing } else { outcome };
    let files = plan.effects.iter().map(crate::operation::Effect::shown).collect();
    Applied { id, outcome, files, directories_created: plan.directories.clone() }
}

/// Executes a plan completely or not at all. The lock proves that nothing else changes the root and that no interrupted
/// change is left.
pub(crate) fn carry_out(site: Site<'_>, lock: &Lock, plan: &Plan, work: &Work) -> Result<Applied> {
    let Site { state, tree, .. } = site;
    if plan.steps.is_empty() {
        return Ok(shown(plan, Outcome::Nothing, None));
    }
    // Before the journal is created, which changes the folder.
    let tally = Tally::of(state);
    let id = history::next_id(&tally, plan);
    history::unmark_latest(state, tree, &tally);
    let (manifest, running) = announce(site, (plan, work.origin()), &id)?;
    if let Err(error) = perform(site, plan, &manifest, work) {
        drop(running);
        let said =
            settle_own(state, tree, &tree.prober(), lock).map_err(|worse| worse.context(&error.content().message))?;
        said.into_iter().for_each(|said| work.note(said));
        return Err(error);
    }
    tree.probe("commit");
    let (pending, entry) = (state.pending(), state.changes().join(&id));
    let done = std::fs::rename(&pending, &entry).and_then(|()| sync_directory(&state.changes()));
    if let Err(error) = done {
        // If the commit is not certain, the change counts as unfinished.
        let _ = std::fs::rename(&entry, &pending);
        drop(running);
        settle_own(state, tree, &tree.prober(), lock)?;
        return Err(io_error("finish the journal", &pending.to_string_lossy(), &error));
    }
    for seal in &manifest.markers {
        // A marker that remains makes a finished change look unfinished; the next reader detects that.
        let _ = marker::remove(tree, &seal.folder);
    }
    drop(running);
    history::spend(site, tally, &entry, work);
    Ok(shown(plan, Outcome::Applied, Some(id)))
}

/// Writes the journal and the markers that refer to it.
fn announce(site: Site<'_>, (plan, origin): (&Plan, Option<&Origin>), id: &str) -> Result<(Manifest, Running)> {
    let Site { state, tree, .. } = site;
    let operations: Vec<Operation> = plan.steps.iter().map(|step| step.operation.clone()).collect();
    let waiting = waiting_places(tree, &operations, id.rsplit('-').next().unwrap_or(id));
    // A single rename is atomic, so marker and journal need not be durable before it.
    let alone = is_one_step(&operations);
    let pending = state.pending();
    // Removes the journal and markers written so far. If that fails, a later reader finds that they describe no change.
    let retracted = |error: Error| {
        let _ = retract(state, tree, id);
        error
    };
    let unwritten = |error: io::Error| {
        retracted(io_error("write the journal", &pending.to_string_lossy(), &error).hint("nothing was written"))
    };
    let folders = marker::folders(tree, &operations).map_err(|error| unmarked(&error))?;
    let journal = journal::create(&pending, (id, &folders), !alone, tree).map_err(unwritten)?;
    // A marker without a journal would block access.
    if !alone && let Err(error) = sync_directory(&state.changes()) {
        drop(journal);
        return Err(unwritten(error));
    }
    let marker = Marker::new(&pending, id, alone);
    let markers = match marker::write(tree, &folders, &marker, !alone) {
        Ok(markers) => markers,
        Err(error) => {
            // While the journal is open, the change counts as running.
            drop(journal);
            return Err(retracted(unmarked(&error)));
        }
    };
    let manifest = Manifest::new(id.to_owned(), plan, waiting, markers).signed(origin);
    let running = journal.finish(&manifest, &plan.contents, tree).map_err(unwritten)?;
    Ok((manifest, running))
}

/// Error for a marker that cannot be created. Without one, other processes could not find an interrupted change.
fn unmarked(error: &io::Error) -> Error {
    if error.kind() == ErrorKind::AlreadyExists {
        return Error::new(Kind::Unsupported, format!("`{}` was not created by this user's marq", marker::NAME))
            .hint("check and remove it: marq needs a folder of this name while it changes files; nothing was written");
    }
    io_error("mark the change with", marker::NAME, error).hint("nothing was written")
}

fn perform(site: Site<'_>, plan: &Plan, manifest: &Manifest, work: &Work) -> Result<()> {
    let tree = site.tree;
    write_contents(site, plan, manifest, work)?;
    let steps = work.stage("putting files in place", plan.steps.len());
    for (step, waiting) in plan.steps.iter().zip(&manifest.waiting) {
        steps.step()?;
        check(tree, step)?;
        one(tree, &step.operation, waiting).map_err(|error| explained(&step.operation, &error))?;
    }
    let moves = Moves::of(&manifest.operations);
    let directories = manifest.operations.iter().enumerate().flat_map(|(index, operation)| {
        let moves = &moves;
        operation.directories().into_iter().map(move |path| moves.at_end(path, index))
    });
    sync_directories(tree, directories).map_err(|error| io_error("make durable", ".", &error))?;
    // The last point at which nothing has been changed.
    work.check()
}

/// Writes all new contents to temporary files.
fn write_contents(site: Site<'_>, plan: &Plan, manifest: &Manifest, work: &Work) -> Result<()> {
    let moves = Moves::of(&manifest.operations);
    let places = manifest.waiting.iter().enumerate().map(|(index, waiting)| moves.at_start(waiting, index));
    let puts = plan.steps.iter().zip(places);
    let puts: Vec<_> = puts.filter(|(step, _)| matches!(step.operation, Operation::Put { .. })).collect();
    let steps = work.stage("writing files", puts.len());
    let write = |(step, waiting): (&Step, String)| {
        steps.step()?;
        let Operation::Put { after, .. } = &step.operation else { return Ok(()) };
        let staged = stage(site.tree, &waiting, after, &plan.contents, step.like.as_deref());
        staged.map_err(|error| explained(&step.operation, &error))
    };
    parallel::each(puts, write)
}

/// Checks that the files of a step have not changed since the plan was made.
fn check(tree: &Tree, step: &Step) -> Result<()> {
    for (path, expected) in &step.expected {
        let now = tree.look(path).map_err(|error| io_error("reach", path, &error))?;
        let same = |now: &Seen| match expected.what {
            What::Directory => now.is_same(expected),
            _ => now.is_unchanged(expected),
        };
        if !now.as_ref().is_some_and(same) {
            return Err(stale(path));
        }
    }
    Ok(())
}

fn one(tree: &Tree, operation: &Operation, waiting: &str) -> io::Result<()> {
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

fn explained(operation: &Operation, error: &io::Error) -> Error {
    let path = operation.path();
    match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty | ErrorKind::NotFound => stale(path),
        ErrorKind::CrossesDevices => {
            Error::new(Kind::Unsupported, format!("`{path}` is on another file system than its source"))
                .hint("copy it and delete the original; nothing was written")
        }
        ErrorKind::PermissionDenied => {
            let above = split(path).0;
            let above = if above.is_empty() { "." } else { above };
            io_error("write", path, error)
                .hint(format!("check the owner and permissions of it and of `{above}`; nothing was written"))
        }
        _ => io_error("write", path, error).hint("nothing was written"),
    }
}
