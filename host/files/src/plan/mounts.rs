//! Rejects steps that would fail because of a mount, before the first step is executed: later, the change might be
//! neither completed nor rolled back.

use std::collections::HashMap;

use marquetry_model::{Error, Kind, Result};

use crate::{
    failure::io_error,
    operation::{Moves, Operation, Plan, waiting_places},
    place::split,
    tree::Tree,
};

/// Fails if the system would refuse a step of the plan, or its rollback.
pub(crate) fn check(tree: &Tree, plan: &Plan) -> Result<()> {
    let operations: Vec<Operation> = plan.steps.iter().map(|step| step.operation.clone()).collect();
    let moves = Moves::of(&operations);
    for (index, step) in plan.steps.iter().enumerate() {
        let there = step.expected.iter().map(|(path, _)| path.as_str());
        let gone = match &step.operation {
            Operation::RemoveDirectory { path, .. } => Some(path.as_str()),
            _ => None,
        };
        for path in there.chain(gone) {
            let start = moves.at_start(path, index);
            if tree.is_mount(&start).map_err(|error| io_error("reach", &start, &error))? {
                return Err(mounted(&start));
            }
        }
    }
    let mut mounts = Mounts { tree, known: HashMap::new() };
    for (index, (operation, waiting)) in operations.iter().zip(waiting_places(tree, &operations, "")).enumerate() {
        if !operation.waits() {
            continue;
        }
        let place = moves.at_start(split(operation.path()).0, index);
        if mounts.of(&place)? != mounts.of(&moves.at_start(split(&waiting).0, index))? {
            return Err(apart(operation.path()));
        }
    }
    Ok(())
}

/// Caches the mount of each directory.
struct Mounts<'a> {
    tree: &'a Tree,
    known: HashMap<String, (u64, u64)>,
}

impl Mounts<'_> {
    /// Returns the mount of a directory, or of its nearest existing parent.
    fn of(&mut self, directory: &str) -> Result<(u64, u64)> {
        let (mut missing, mut at) = (Vec::new(), directory);
        let mount = loop {
            if let Some(known) = self.known.get(at) {
                break *known;
            }
            missing.push(at);
            let mount = self.tree.mount_of(at).map_err(|error| io_error("reach", at, &error))?;
            match mount {
                None if !at.is_empty() => at = split(at).0,
                found => break found.unwrap_or_default(),
            }
        };
        self.known.extend(missing.into_iter().map(|directory| (directory.to_owned(), mount)));
        Ok(mount)
    }
}

fn mounted(path: &str) -> Error {
    Error::new(Kind::Unsupported, format!("`{path}` is a mount point, which cannot be replaced, moved or removed"))
        .hint("unmount it, or change the files in it instead; nothing was written")
        .candidates([path.to_owned()])
}

fn apart(path: &str) -> Error {
    Error::new(
        Kind::Unsupported,
        format!("`{path}` is on another mount than the folder that moves with it, and could not be rolled back"),
    )
    .hint("make it two changes, one after the other; nothing was written")
}
