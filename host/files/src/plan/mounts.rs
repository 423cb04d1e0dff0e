//! Rejects steps that would fail because of a mount, before the first step is executed. If such a step failed later, it
//! might be impossible to complete the change or to roll it back.

use std::collections::HashMap;

use marquetry_model::{Error, Kind, Result};

use crate::{
    errors::io_error,
    operation::{DirectoryMoves, Operation, Plan, temporary_paths},
    paths::split_parent,
    tree::Tree,
};

/// Fails if the system would refuse a step of the plan, or its rollback.
pub(crate) fn check_mounts(tree: &Tree, plan: &Plan) -> Result<()> {
    let operations: Vec<Operation> = plan.steps.iter().map(|step| step.operation.clone()).collect();
    let moves = DirectoryMoves::new(&operations);
    for (index, step) in plan.steps.iter().enumerate() {
        let there = step.expected.iter().map(|(path, _)| path.as_str());
        let gone = match &step.operation {
            Operation::RemoveDirectory { path, .. } => Some(path.as_str()),
            _ => None,
        };
        for path in there.chain(gone) {
            let start = moves.at_start(path, index);
            if tree.is_mount(&start).map_err(|error| io_error("reach", &start, &error))? {
                return Err(mount_point_error(&start));
            }
        }
    }
    let mut mounts = MountCache { tree, known: HashMap::new() };
    for (index, (operation, waiting)) in operations.iter().zip(temporary_paths(tree, &operations, "")).enumerate() {
        if !operation.uses_temporary_file() {
            continue;
        }
        let place = moves.at_start(split_parent(operation.path()).0, index);
        if mounts.mount_of(&place)? != mounts.mount_of(&moves.at_start(split_parent(&waiting).0, index))? {
            return Err(other_mount_error(operation.path()));
        }
    }
    Ok(())
}

/// Caches the mount of each directory.
struct MountCache<'a> {
    tree: &'a Tree,
    known: HashMap<String, (u64, u64)>,
}

impl MountCache<'_> {
    /// Returns the mount of a directory, or of its nearest existing parent.
    fn mount_of(&mut self, directory: &str) -> Result<(u64, u64)> {
        let (mut missing, mut at) = (Vec::new(), directory);
        let mount = loop {
            if let Some(known) = self.known.get(at) {
                break *known;
            }
            missing.push(at);
            let mount = self.tree.mount_of(at).map_err(|error| io_error("reach", at, &error))?;
            match mount {
                None if !at.is_empty() => at = split_parent(at).0,
                found => break found.unwrap_or_default(),
            }
        };
        self.known.extend(missing.into_iter().map(|directory| (directory.to_owned(), mount)));
        Ok(mount)
    }
}

fn mount_point_error(path: &str) -> Error {
    Error::new(Kind::Unsupported, format!("`{path}` is a mount point, which cannot be replaced, moved or removed"))
        .hint("unmount it, or change the files in it instead; nothing was written")
        .candidates([path.to_owned()])
}

fn other_mount_error(path: &str) -> Error {
    Error::new(
        Kind::Unsupported,
        format!("`{path}` is on another mount than the folder that moves with it, and could not be rolled back"),
    )
    .hint("make two changes instead, one after the other; nothing was written")
}
