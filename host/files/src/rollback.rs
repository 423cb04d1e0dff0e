//! Rolls back an unfinished change from the state of the disk, in the process that failed or in one that finds the
//! journal of a dead process. Every step can be repeated, so recovery may be interrupted as well.

use std::{
    collections::BTreeSet,
    io::{self, ErrorKind},
};

use crate::{
    journal::Manifest,
    operation::{Contents, DirectoryMoves, DiskState, FileState, Operation, read_state},
    parallel,
    paths::split_parent,
    tree::{NewFileOptions, Tree, What},
};

/// Rolls back every executed operation. Returns the paths that other programs have changed since, which are left alone.
pub(crate) fn roll_back(tree: &Tree, manifest: &Manifest, contents: &Contents) -> io::Result<Vec<String>> {
    let mut foreign = Vec::new();
    for (index, (operation, waiting)) in manifest.operations.iter().zip(&manifest.waiting).enumerate().rev() {
        if !remove_temporary(tree, waiting, operation)? {
            foreign.push(waiting.clone());
            continue;
        }
        // If its directory is missing, the operation was not executed: the directory was not moved or created yet.
        let (above, _) = split_parent(operation.path());
        if !matches!(tree.metadata(above)?, Some(seen) if seen.what == What::Directory) {
            continue;
        }
        let back = Rollback { tree, contents, waiting, inode: manifest.directories.get(&index).copied() };
        if !back.roll_back_operation(operation)? {
            foreign.push(operation.path().to_owned());
        }
    }
    let moves = DirectoryMoves::new(&manifest.operations);
    for (index, (operation, waiting)) in manifest.operations.iter().zip(&manifest.waiting).enumerate() {
        // A temporary file that should have moved with a directory may still be where it was written.
        let start = moves.at_start(waiting, index);
        if start != *waiting && !remove_temporary(tree, &start, operation)? {
            foreign.push(start);
        }
    }
    let directories = manifest.operations.iter().enumerate();
    let directories = directories.flat_map(|(index, operation)| {
        operation.directories().into_iter().map(move |path| (path, index)).collect::<Vec<_>>()
    });
    let waited =
        manifest.operations.iter().zip(&manifest.waiting).filter(|(operation, _)| operation.uses_temporary_file());
    let waited = waited.map(|(_, waiting)| split_parent(waiting).0.to_owned());
    // Without flushing, removed temporary files could reappear after a power failure, and no journal would refer to
    // them.
    sync_directories(tree, directories.map(|(path, index)| moves.at_start(path, index)).chain(waited))?;
    Ok(foreign)
}

/// Removes a temporary file. If a rename with a detour was interrupted halfway, the temporary file is the only copy of
/// the renamed file, so it is kept. Returns false if a file of another program has that name.
fn remove_temporary(tree: &Tree, waiting: &str, operation: &Operation) -> io::Result<bool> {
    if matches!(operation, Operation::Rename { detour: true, .. }) {
        return Ok(true);
    }
    match tree.metadata(waiting)?.map(|seen| seen.what) {
        None => Ok(true),
        Some(What::File | What::Link) => tree.remove(waiting).map(|()| true),
        Some(_) => Ok(false),
    }
}

struct Rollback<'a> {
    tree: &'a Tree,
    contents: &'a Contents,
    waiting: &'a str,
    /// Inode of the renamed directory.
    inode: Option<u64>,
}

impl Rollback<'_> {
    /// Rolls back an operation if it was executed. Returns false if another program has changed the path since.
    fn roll_back_operation(&self, operation: &Operation) -> io::Result<bool> {
        let tree = self.tree;
        match operation {
            Operation::Put { path, before, after } => match (read_state(tree, path)?, before) {
                (DiskState::Thing(now, ..), Some(before)) if now.has_same_content(after) => {
                    self.restore(path, before, true)?
                }
                (DiskState::Thing(now, ..), None) if now.has_same_content(after) => tree.remove(path)?,
                (DiskState::Thing(now, ..), Some(before)) if now.has_same_content(before) => {}
                (DiskState::Nothing, None) => {}
                _ => return Ok(false),
            },
            Operation::Remove { path, before } => match read_state(tree, path)? {
                DiskState::Nothing => self.restore(path, before, false)?,
                DiskState::Thing(now, ..) => return Ok(now.has_same_content(before)),
                DiskState::Other => return Ok(false),
            },
            Operation::Rename { from, to, thing, replaced, detour } => {
                return self.rename(ExecutedRename { from, to, detour: *detour }, thing.as_ref(), replaced.as_ref());
            }
            Operation::MakeDirectory { path, .. } => {
                if matches!(tree.metadata(path)?, Some(seen) if seen.what == What::Directory) {
                    remove_empty(tree, path)?;
                }
            }
            Operation::RemoveDirectory { path, mode, .. } => {
                if tree.metadata(path)?.is_none() {
                    tree.make_directory(path, Some(*mode))?;
                }
            }
        }
        Ok(true)
    }

    fn rename(
        &self,
        way: ExecutedRename<'_>,
        thing: Option<&FileState>,
        replaced: Option<&FileState>,
    ) -> io::Result<bool> {
        let (tree, ExecutedRename { from, to, detour }) = (self.tree, way);
        let at_start = exists_exactly(tree, from, detour)?;
        if detour && self.is_from_change(self.waiting, thing)? {
            if at_start {
                return Ok(false);
            }
            tree.rename(self.waiting, from, false)?;
            return Ok(true);
        }
        if at_start && self.is_from_change(from, thing)? {
            // The rename was not executed, or it was rolled back but the replaced file was not restored yet.
            if let (Some(replaced), None) = (replaced, tree.metadata(to)?) {
                self.restore(to, replaced, false)?;
            }
            return Ok(true);
        }
        // The file that is now at the path belongs to another program, or the old path is occupied.
        if at_start || !self.is_from_change(to, thing)? {
            return Ok(false);
        }
        if detour {
            tree.rename(to, self.waiting, false)?;
            tree.rename(self.waiting, from, false)?;
        } else {
            tree.rename(to, from, false)?;
        }
        if let Some(replaced) = replaced {
            self.restore(to, replaced, false)?;
        }
        Ok(true)
    }

    /// Returns whether a path has the file, link or directory that the change renamed.
    fn is_from_change(&self, path: &str, thing: Option<&FileState>) -> io::Result<bool> {
        match thing {
            Some(thing) => {
                Ok(matches!(read_state(self.tree, path)?, DiskState::Thing(now, ..) if now.has_same_content(thing)))
            }
            None => {
                let seen = self.tree.metadata(path)?.filter(|seen| seen.what == What::Directory);
                Ok(seen.is_some_and(|seen| self.inode.is_none_or(|inode| inode == seen.inode)))
            }
        }
    }

    /// Restores the previous file or link.
    fn restore(&self, path: &str, thing: &FileState, replace: bool) -> io::Result<()> {
        let staged = write_temporary(self.tree, self.waiting, thing, self.contents, None);
        if let (Err(error), FileState::File { hash, size, mode, attributes, .. }) = (&staged, thing)
            && error.kind() == ErrorKind::PermissionDenied
        {
            // The user may not be allowed to set the owner. The bytes matter more, so the file is restored with this
            // user as its owner.
            self.tree.remove(self.waiting)?;
            let (hash, attributes) = (hash.clone(), attributes.clone());
            let ours = FileState::File { hash, size: *size, mode: *mode, owner: None, attributes };
            write_temporary(self.tree, self.waiting, &ours, self.contents, None)?;
        } else {
            staged?;
        }
        self.tree.rename(self.waiting, path, replace)
    }
}

/// An executed rename.
#[derive(Clone, Copy)]
struct ExecutedRename<'a> {
    from: &'a str,
    to: &'a str,
    detour: bool,
}

/// Returns whether a path exists, with exactly this case if `exactly`.
fn exists_exactly(tree: &Tree, path: &str, exactly: bool) -> io::Result<bool> {
    if tree.metadata(path)?.is_none() {
        return Ok(false);
    }
    let (above, last) = split_parent(path);
    Ok(!exactly || tree.names(above)?.iter().any(|name| name == last))
}

/// Writes a file or link to its temporary path.
pub(crate) fn write_temporary(
    tree: &Tree,
    waiting: &str,
    thing: &FileState,
    contents: &Contents,
    model: Option<&str>,
) -> io::Result<()> {
    match thing {
        FileState::File { hash, mode, owner, .. } => {
            let missing = || io::Error::new(ErrorKind::InvalidData, "the journal lacks the content of a file");
            let bytes = contents.get(hash).ok_or_else(missing)?;
            let attributes = thing.attributes();
            tree.stage_file(
                waiting,
                bytes,
                NewFileOptions { mode: *mode, owner: *owner, attribute_source: model, attributes },
            )
        }
        FileState::Link { target } => tree.stage_link(waiting, target),
    }
}

/// Removes a directory unless it has entries.
pub(crate) fn remove_empty(tree: &Tree, path: &str) -> io::Result<()> {
    match tree.remove_directory(path) {
        Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::NotFound) => Ok(()),
        other => other,
    }
}

/// Flushes the entries of the directories to disk, each once.
pub(crate) fn sync_directories(tree: &Tree, directories: impl Iterator<Item = String>) -> io::Result<()> {
    let each: BTreeSet<String> = directories.collect();
    parallel::for_each(each.into_iter().collect(), |directory| match tree.sync_directory(&directory) {
        // The directory was removed in the same change, so its parent directory is flushed instead.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
        other => other,
    })
}
