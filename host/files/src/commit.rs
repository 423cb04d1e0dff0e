//! Carrying out a plan: journal, contents beside their places, renames, and the journal's new name as the last word.
//!
//! That new name is the commit point: until then a cancelled change is taken back like one that failed, afterwards it is there.

use std::io::{self, ErrorKind};

use marquetry_model::{Applied, Error, Kind, Outcome, Result, Work};

use crate::{
    failure::{io_error, stale},
    history,
    journal::{self, Manifest},
    lock::Lock,
    operation::{Moves, Operation, Plan, Step, waiting_places},
    parallel,
    place::split,
    recover::{remove_empty, stage, sync_directories, take_back},
    state::{State, sync_directory},
    tree::{Seen, Tree, What},
};

/// Takes back what a process left half done. The lock is proof that it is not still running.
pub(crate) fn recover(state: &State, tree: &Tree, _lock: &Lock) -> Result<()> {
    let pending = state.pending();
    if !state.is_pending() {
        return Ok(());
    }
    let failed = |error: io::Error| {
        io_error("take back an interrupted change with", &pending.to_string_lossy(), &error)
            .hint("nothing can be changed before that; see to the cause and repeat the call")
    };
    let foreign = match journal::read(&pending).map_err(failed)? {
        // It was never finished, so nothing was changed.
        None => None,
        Some((manifest, contents)) => {
            let foreign = take_back(tree, &manifest, &contents).map_err(failed)?;
            foreign.first().map(|_| manifest.id)
        }
    };
    tree.probe("drop journal");
    match foreign {
        // Somebody wrote to its files meanwhile: what stood there before is kept beside the history.
        Some(id) => std::fs::rename(&pending, state.changes().join(format!("{id}.interrupted"))),
        None => std::fs::remove_file(&pending),
    }
    .and_then(|()| sync_directory(&state.changes()))
    .map_err(failed)
}

/// The answer for a plan that is not carried out.
pub(crate) fn shown(plan: &Plan, outcome: Outcome, id: Option<String>) -> Applied {
    let outcome = if plan.steps.is_empty() { Outcome::Nothing } else { outcome };
    let files = plan.effects.iter().map(crate::operation::Effect::shown).collect();
    Applied { id, outcome, files, directories_created: plan.directories.clone() }
}

/// Carry out a plan: all of it or nothing.
pub(crate) fn carry_out(state: &State, tree: &Tree, lock: &Lock, plan: &Plan, work: &Work) -> Result<Applied> {
    if plan.steps.is_empty() {
        return Ok(shown(plan, Outcome::Nothing, None));
    }
    let id = history::next_id(state, plan);
    let operations: Vec<Operation> = plan.steps.iter().map(|step| step.operation.clone()).collect();
    let waiting = waiting_places(tree, &operations, id.rsplit('-').next().unwrap_or(&id));
    let manifest = Manifest::new(id.clone(), plan, waiting);
    let pending = state.pending();
    let journal_error = |error: io::Error| {
        let _ = std::fs::remove_file(&pending);
        io_error("write the journal", &pending.to_string_lossy(), &error).hint("nothing was written")
    };
    journal::write(&pending, &manifest, &plan.contents, tree).map_err(journal_error)?;
    // A single rename is all or nothing by itself: the journal's name may become durable with its last change.
    if operations.len() > 1 || matches!(operations[..], [Operation::Rename { detour: true, .. }]) {
        sync_directory(&state.changes()).map_err(journal_error)?;
    }
    if let Err(error) = perform(tree, plan, &manifest, work) {
        recover(state, tree, lock).map_err(|worse| worse.context(&error.content().message))?;
        return Err(error);
    }
    tree.probe("commit");
    let entry = state.changes().join(&id);
    let done = std::fs::rename(&pending, &entry).and_then(|()| sync_directory(&state.changes()));
    if let Err(error) = done {
        // Not finished for certain is not finished.
        let _ = std::fs::rename(&entry, &pending);
        recover(state, tree, lock)?;
        return Err(io_error("finish the journal", &pending.to_string_lossy(), &error));
    }
    history::prune(state);
    Ok(shown(plan, Outcome::Applied, Some(id)))
}

fn perform(tree: &Tree, plan: &Plan, manifest: &Manifest, work: &Work) -> Result<()> {
    write_contents(tree, plan, manifest, work)?;
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
    // The last moment at which nothing has happened.
    work.check()
}

/// Write all new contents beside their places.
fn write_contents(tree: &Tree, plan: &Plan, manifest: &Manifest, work: &Work) -> Result<()> {
    let puts = plan.steps.iter().zip(&manifest.waiting);
    let puts: Vec<_> = puts.filter(|(step, _)| matches!(step.operation, Operation::Put { .. })).collect();
    let steps = work.stage("writing files", puts.len());
    let write = |(step, waiting): (&Step, &String)| {
        steps.step()?;
        let Operation::Put { after, .. } = &step.operation else { return Ok(()) };
        let staged = stage(tree, waiting, after, &plan.contents, step.like.as_deref());
        staged.map_err(|error| explained(&step.operation, &error))
    };
    parallel::each(puts, write)
}

/// Nobody wrote to what the operation is about since the plan was made.
fn check(tree: &Tree, step: &Step) -> Result<()> {
    for (path, expected) in &step.expected {
        let now = tree.look(path).map_err(|error| io_error("reach", path, &error))?;
        let same = |now: &Seen| match expected.what {
            What::Directory => now.is_same(expected),
            _ => now == expected,
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
            Error::new(Kind::Unsupported, format!("`{path}` lies on another file system than where it would come from"))
                .hint("copy it and delete the original; nothing was written")
        }
        ErrorKind::PermissionDenied => {
            let above = split(path).0;
            let above = if above.is_empty() { "." } else { above };
            io_error("write", path, error)
                .hint(format!("look at owner and permissions of it and of `{above}`; nothing was written"))
        }
        _ => io_error("write", path, error).hint("nothing was written"),
    }
}
