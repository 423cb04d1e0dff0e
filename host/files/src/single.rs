//! Recovery of an atomic change that lost its marker. Markers of such changes are not flushed, so a power failure may
//! remove them while the journal remains. The step itself was executed completely or not at all; its temporary file is
//! removed.
//!
//! No marker confirms the journal, so another folder may have replaced its root. Hence a file is removed only if it
//! looks like the one that was written.

use std::io;

use crate::{
    journal::Manifest,
    operation::{Found, Operation, Thing, found},
    place::split,
    system,
    tree::{Seen, Tree, What},
};

/// Recovered state of the change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// As before the change.
    ToNothing,
    /// As after the change.
    ToItsEnd,
    /// Other programs changed its file; this path is left alone.
    OfOthers(String),
}

/// Removes the temporary file of a one-step change and returns the state of the step.
pub(crate) fn tidy(tree: &Tree, manifest: &Manifest) -> io::Result<Came> {
    let (Some(operation), Some(waiting)) = (manifest.operations.first(), manifest.waiting.first()) else {
        return Ok(Came::ToNothing);
    };
    if operation.waits()
        && let Some(seen) = tree.look(waiting)?
    {
        if !may_be_written_by(operation, tree, waiting, &seen)? {
            return Ok(Came::OfOthers(waiting.clone()));
        }
        tree.remove(waiting)?;
        tree.sync_directory(split(waiting).0)?;
    }
    let came = came(tree, operation, manifest.directories.get(&0).copied())?;
    if came == Came::ToItsEnd {
        // It may be visible but not flushed yet.
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
            (Thing::Link { target }, What::Link) => tree.read_link(waiting)? == *target,
            // Its bytes may not have been flushed.
            (Thing::File { size, owner, .. }, What::File) => {
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

fn came(tree: &Tree, operation: &Operation, inode: Option<u64>) -> io::Result<Came> {
    let of_others = || Came::OfOthers(operation.path().to_owned());
    let is_directory =
        |path: &str| Ok::<_, io::Error>(tree.look(path)?.is_some_and(|seen| seen.what == What::Directory));
    Ok(match operation {
        Operation::Put { path, before, after } => match (found(tree, path)?, before) {
            (Found::Thing(now, ..), _) if now.holds_same(after) => Came::ToItsEnd,
            (Found::Thing(now, ..), Some(before)) if now.holds_same(before) => Came::ToNothing,
            (Found::Nothing, None) => Came::ToNothing,
            _ => of_others(),
        },
        Operation::Remove { path, before } => match found(tree, path)? {
            Found::Nothing if is_directory(split(path).0)? => Came::ToItsEnd,
            Found::Thing(now, ..) if now.holds_same(before) => Came::ToNothing,
            _ => of_others(),
        },
        Operation::Rename { from, to, thing, .. } => {
            let stands = |path: &str| match thing {
                Some(thing) => Ok(matches!(found(tree, path)?, Found::Thing(now, ..) if now.holds_same(thing))),
                None => {
                    let seen = tree.look(path)?.filter(|seen| seen.what == What::Directory);
                    Ok::<_, io::Error>(seen.is_some_and(|seen| Some(seen.inode) == inode))
                }
            };
            match (stands(from)?, tree.look(from)?.is_none() && stands(to)?) {
                (true, _) => Came::ToNothing,
                (_, true) => Came::ToItsEnd,
                _ => of_others(),
            }
        }
        Operation::MakeDirectory { path, .. } if is_directory(path)? => Came::ToItsEnd,
        Operation::RemoveDirectory { path, .. } if is_directory(path)? => Came::ToNothing,
        Operation::MakeDirectory { .. } => Came::ToNothing,
        Operation::RemoveDirectory { .. } => Came::ToItsEnd,
    })
}
