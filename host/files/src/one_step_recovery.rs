//! Recovery of an atomic change that lost its marker. Markers of such changes are not flushed, so a power failure may
//! remove them while the journal remains. The step itself was executed completely or not at all; its temporary file is
//! removed.
//!
//! Without a marker, the root of the journal may be another folder that was created at the same path. So a file is
//! removed only if it looks like the one that the change wrote.

use std::io;

use crate::{
    journal::Manifest,
    operation::{DiskState, FileState, Operation, read_state},
    paths::split_parent,
    system,
    tree::{Seen, Tree, What},
};

/// Recovered state of the change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StepState {
    /// As before the change.
    NotExecuted,
    /// As after the change.
    Executed,
    /// Other programs changed the file at this path, so it is left alone.
    Foreign(String),
}

/// Removes the temporary file of a one-step change and returns the state of the step.
pub(crate) fn clean_up(tree: &Tree, manifest: &Manifest) -> io::Result<StepState> {
    let (Some(operation), Some(waiting)) = (manifest.operations.first(), manifest.waiting.first()) else {
        return Ok(StepState::NotExecuted);
    };
    if operation.uses_temporary_file()
        && let Some(seen) = tree.metadata(waiting)?
    {
        if !may_be_written_by(operation, tree, waiting, &seen)? {
            return Ok(StepState::Foreign(waiting.clone()));
        }
        tree.remove(waiting)?;
        tree.sync_directory(split_parent(waiting).0)?;
    }
    let came = step_state(tree, operation, manifest.directories.get(&0).copied())?;
    if came == StepState::Executed {
        // The step may be visible but not yet on disk.
        operation.directories().into_iter().try_for_each(|directory| tree.sync_directory(directory))?;
    }
    Ok(came)
}

/// Returns whether a file at the temporary path may have been written by the operation or its rollback.
fn may_be_written_by(operation: &Operation, tree: &Tree, waiting: &str, seen: &Seen) -> io::Result<bool> {
    let after = match operation {
        Operation::Put { after, .. } => Some(after),
        _ => None,
    };
    for thing in after.into_iter().chain(operation.replaced()) {
        let written = match (thing, seen.what) {
            (FileState::Link { target }, What::Link) => tree.read_link(waiting)? == *target,
            // Some bytes may not have reached the disk, so the file may be shorter than it should be.
            (FileState::File { size, owner, .. }, What::File) => {
                let is_its_owner =
                    seen.owner.0 == system::user() || owner.is_some_and(|(user, _)| user == seen.owner.0);
                is_its_owner && !seen.linked && seen.size <= *size
            }
            _ => false,
        };
        if written {
            return Ok(true);
        }
    }
    Ok(false)
}

fn step_state(tree: &Tree, operation: &Operation, inode: Option<u64>) -> io::Result<StepState> {
    let of_others = || StepState::Foreign(operation.path().to_owned());
    let is_directory =
        |path: &str| Ok::<_, io::Error>(tree.metadata(path)?.is_some_and(|seen| seen.what == What::Directory));
    Ok(match operation {
        Operation::Put { path, before, after } => match (read_state(tree, path)?, before) {
            (DiskState::Thing(now, ..), _) if now.has_same_content(after) => StepState::Executed,
            (DiskState::Thing(now, ..), Some(before)) if now.has_same_content(before) => StepState::NotExecuted,
            (DiskState::Nothing, None) => StepState::NotExecuted,
            _ => of_others(),
        },
        Operation::Remove { path, before } => match read_state(tree, path)? {
            DiskState::Nothing if is_directory(split_parent(path).0)? => StepState::Executed,
            DiskState::Thing(now, ..) if now.has_same_content(before) => StepState::NotExecuted,
            _ => of_others(),
        },
        Operation::Rename { from, to, thing, .. } => {
            let stands = |path: &str| match thing {
                Some(thing) => {
                    Ok(matches!(read_state(tree, path)?, DiskState::Thing(now, ..) if now.has_same_content(thing)))
                }
                None => {
                    let seen = tree.metadata(path)?.filter(|seen| seen.what == What::Directory);
                    Ok::<_, io::Error>(seen.is_some_and(|seen| Some(seen.inode) == inode))
                }
            };
            match (stands(from)?, tree.metadata(from)?.is_none() && stands(to)?) {
                (true, _) => StepState::NotExecuted,
                (_, true) => StepState::Executed,
                _ => of_others(),
            }
        }
        Operation::MakeDirectory { path, .. } if is_directory(path)? => StepState::Executed,
        Operation::RemoveDirectory { path, .. } if is_directory(path)? => StepState::NotExecuted,
        Operation::MakeDirectory { .. } => StepState::NotExecuted,
        Operation::RemoveDirectory { .. } => StepState::Executed,
    })
}
