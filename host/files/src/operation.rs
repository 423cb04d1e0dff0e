//! The low-level operations of a change, each with the states before and after.
//!
//! No path takes part in more than one operation of a change, except files below a directory that moves. So the state
//! of the disk alone shows whether an operation was executed, and progress need not be recorded.

use std::{
    collections::{HashMap, HashSet},
    io,
};

use marquetry_model::FileEffect;
use serde::{Deserialize, Serialize};

use crate::{
    hash,
    paths::{join, path_below, split_parent},
    system::Attribute,
    tree::{Seen, Tree, What},
};

/// Bytes by their hash.
pub(crate) type Contents = HashMap<String, Vec<u8>>;

/// The restorable state of a file or link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FileState {
    File {
        hash: String,
        size: u64,
        mode: Option<u32>,
        owner: Option<(u32, u32)>,
        /// Attributes of an existing file; empty for a new one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attributes: Vec<Attribute>,
    },
    Link {
        target: String,
    },
}

impl FileState {
    /// Returns whether the contents are equal, regardless of permissions.
    pub(crate) fn has_same_content(&self, other: &FileState) -> bool {
        match (self, other) {
            (FileState::File { hash, .. }, FileState::File { hash: other, .. }) => hash == other,
            (FileState::Link { target }, FileState::Link { target: other }) => target == other,
            _ => false,
        }
    }

    /// Returns whether both states are equal except for their extended attributes.
    pub(crate) fn equals_except_attributes(&self, other: &FileState) -> bool {
        let rights = |thing: &FileState| match thing {
            FileState::File { mode, owner, .. } => (*mode, *owner),
            FileState::Link { .. } => (None, None),
        };
        self.has_same_content(other) && rights(self) == rights(other)
    }

    /// Returns the extended attributes.
    pub(crate) fn attributes(&self) -> &[Attribute] {
        match self {
            FileState::File { attributes, .. } => attributes,
            FileState::Link { .. } => &[],
        }
    }

    /// Returns the hash of a file's bytes.
    pub(crate) fn hash(&self) -> Option<&str> {
        match self {
            FileState::File { hash, .. } => Some(hash),
            FileState::Link { .. } => None,
        }
    }

    /// Returns the size in bytes; 0 for a link.
    pub(crate) fn size(&self) -> u64 {
        match self {
            FileState::File { size, .. } => *size,
            FileState::Link { .. } => 0,
        }
    }
}

/// State of a path on disk.
pub(crate) enum DiskState {
    Nothing,
    /// A file or link, with the bytes of a file.
    Thing(FileState, Seen, Vec<u8>),
    /// Something that no change writes, such as a pipe, or a directory where a file is expected.
    Other,
}

/// Reads the file or link at a path.
pub(crate) fn read_state(tree: &Tree, path: &str) -> io::Result<DiskState> {
    let Some(seen) = tree.metadata(path)? else { return Ok(DiskState::Nothing) };
    match seen.what {
        What::Link => Ok(DiskState::Thing(FileState::Link { target: tree.read_link(path)? }, seen, Vec::new())),
        What::File => {
            let (bytes, seen, attributes) = tree.read_with_attributes(path)?;
            let (hash, size) = (hash(&bytes), bytes.len() as u64);
            let thing = FileState::File { hash, size, mode: Some(seen.mode), owner: Some(seen.owner), attributes };
            Ok(DiskState::Thing(thing, seen, bytes))
        }
        What::Directory | What::Other(_) => Ok(DiskState::Other),
    }
}

/// Reads the file or link at a path and adds its bytes to the contents; `None` for anything else.
pub(crate) fn read_and_keep(tree: &Tree, path: &str, contents: &mut Contents) -> io::Result<Option<(FileState, Seen)>> {
    let DiskState::Thing(thing, seen, bytes) = read_state(tree, path)? else { return Ok(None) };
    if let Some(hash) = thing.hash() {
        contents.insert(hash.to_owned(), bytes);
    }
    Ok(Some((thing, seen)))
}

/// One atomic step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operation {
    /// Creates a file or link, or replaces another.
    Put { path: String, before: Option<FileState>, after: FileState },
    /// Removes a file or link.
    Remove { path: String, before: FileState },
    /// Renames a file, link or directory. A name that differs only in case is reached through a temporary
    /// name, because some file systems treat both names as equal.
    Rename { from: String, to: String, thing: Option<FileState>, replaced: Option<FileState>, detour: bool },
    /// Creates a directory.
    MakeDirectory { path: String, mode: Option<u32> },
    /// Removes an empty directory; with `tolerant`, one that is not empty is kept.
    RemoveDirectory { path: String, mode: u32, tolerant: bool },
}

impl Operation {
    /// Applies `path` to every path of the operation. `None` if `path` returns `None` for one of them.
    pub(crate) fn try_map(self, path: &impl Fn(String) -> Option<String>) -> Option<Operation> {
        Some(match self {
            Operation::Put { path: at, before, after } => Operation::Put { path: path(at)?, before, after },
            Operation::Remove { path: at, before } => Operation::Remove { path: path(at)?, before },
            Operation::Rename { from, to, thing, replaced, detour } => {
                Operation::Rename { from: path(from)?, to: path(to)?, thing, replaced, detour }
            }
            Operation::MakeDirectory { path: at, mode } => Operation::MakeDirectory { path: path(at)?, mode },
            Operation::RemoveDirectory { path: at, mode, tolerant } => {
                Operation::RemoveDirectory { path: path(at)?, mode, tolerant }
            }
        })
    }

    /// Returns the path of the file, link or directory after the operation.
    pub(crate) fn path(&self) -> &str {
        match self {
            Operation::Put { path, .. }
            | Operation::Remove { path, .. }
            | Operation::MakeDirectory { path, .. }
            | Operation::RemoveDirectory { path, .. } => path,
            Operation::Rename { to, .. } => to,
        }
    }

    /// Returns whether the operation uses a temporary file, for execution or rollback.
    pub(crate) fn uses_temporary_file(&self) -> bool {
        match self {
            Operation::Put { .. } | Operation::Remove { .. } => true,
            Operation::Rename { replaced, detour, .. } => *detour || replaced.is_some(),
            Operation::MakeDirectory { .. } | Operation::RemoveDirectory { .. } => false,
        }
    }

    /// Returns the content that must be kept for rollback.
    pub(crate) fn replaced(&self) -> Option<&FileState> {
        match self {
            Operation::Put { before, .. } => before.as_ref(),
            Operation::Remove { before, .. } => Some(before),
            Operation::Rename { replaced, .. } => replaced.as_ref(),
            Operation::MakeDirectory { .. } | Operation::RemoveDirectory { .. } => None,
        }
    }

    /// Returns the directories whose entries the operation changes.
    pub(crate) fn directories(&self) -> Vec<&str> {
        match self {
            Operation::Rename { from, to, .. } => vec![split_parent(from).0, split_parent(to).0],
            other => vec![split_parent(other.path()).0],
        }
    }
}

/// Returns whether the operations are one atomic step, which is never half done, even without a journal.
pub(crate) fn is_one_step(operations: &[Operation]) -> bool {
    operations.len() == 1 && !matches!(operations, [Operation::Rename { detour: true, .. }])
}

/// An operation with data that only the executing process needs.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    /// The expected state of paths when the step is executed.
    pub(crate) expected: Vec<(String, Seen)>,
    /// The file, by its path before the change, whose extended attributes the new content gets.
    pub(crate) attribute_source: Option<String>,
}

/// Directory moves of a change. Paths of operations are those at the time of execution.
pub(crate) struct DirectoryMoves<'a>(Vec<(usize, &'a str, &'a str)>);

impl<'a> DirectoryMoves<'a> {
    pub(crate) fn new(operations: &'a [Operation]) -> DirectoryMoves<'a> {
        let renames = operations.iter().enumerate().filter_map(|(index, operation)| match operation {
            Operation::Rename { from, to, thing: None, .. } => Some((index, from.as_str(), to.as_str())),
            _ => None,
        });
        DirectoryMoves(renames.collect())
    }

    /// Maps a path of the operation with this index to its location after the change.
    pub(crate) fn at_end(&self, path: &str, index: usize) -> String {
        let later = self.0.iter().filter(|(at, ..)| *at > index);
        later.fold(path.to_owned(), |path, (_, from, to)| moved_path(&path, from, to).unwrap_or(path))
    }

    /// Maps a path of the operation with this index to its location before the change.
    pub(crate) fn at_start(&self, path: &str, index: usize) -> String {
        let earlier = self.0.iter().rev().filter(|(at, ..)| *at < index);
        earlier.fold(path.to_owned(), |path, (_, from, to)| moved_path(&path, to, from).unwrap_or(path))
    }
}

/// Maps a path at or below `from` when `from` is renamed to `to`.
pub(crate) fn moved_path(path: &str, from: &str, to: &str) -> Option<String> {
    if path == from { Some(to.to_owned()) } else { path_below(from, path).map(|rest| join(to, rest)) }
}

/// Directories that exist before a change and are not moved by it.
pub(crate) struct SteadyDirectories<'a> {
    tree: &'a Tree,
    /// Directories that are moved, created or removed.
    unsteady: HashSet<&'a str>,
    /// The nearest steady directory of each directory, at or above it.
    nearest: HashMap<String, String>,
}

impl<'a> SteadyDirectories<'a> {
    pub(crate) fn new(tree: &'a Tree, operations: &'a [Operation]) -> SteadyDirectories<'a> {
        let unsteady = operations.iter().flat_map(|operation| match operation {
            Operation::Rename { from, to, thing: None, .. } => vec![from.as_str(), to.as_str()],
            Operation::RemoveDirectory { path, .. } | Operation::MakeDirectory { path, .. } => vec![path.as_str()],
            _ => Vec::new(),
        });
        let unsteady = unsteady.collect();
        SteadyDirectories { tree, unsteady, nearest: HashMap::from([(String::new(), String::new())]) }
    }

    /// Returns the nearest steady directory, at or above this one.
    pub(crate) fn nearest(&mut self, directory: &str) -> String {
        // Walks up to the first known directory, then back down. Everything below an unsteady directory is unsteady
        // too.
        let (mut unknown, mut at) = (Vec::new(), directory);
        while !self.nearest.contains_key(at) {
            unknown.push(at);
            at = split_parent(at).0;
        }
        let mut found = self.nearest[at].clone();
        let mut all_steady = found == at;
        for directory in unknown.into_iter().rev() {
            all_steady = all_steady
                && !self.unsteady.contains(directory)
                && matches!(self.tree.metadata(directory), Ok(Some(seen)) if seen.what == What::Directory);
            if all_steady {
                directory.clone_into(&mut found);
            }
            self.nearest.insert(directory.to_owned(), found.clone());
        }
        found
    }
}

/// Returns the path of each operation's temporary file at the time of execution. It is in the nearest steady directory
/// at or above the operation's path. If that directory is on another mount, from which nothing can be renamed, the
/// temporary file is next to the path. Then it may first move with a directory, see [`DirectoryMoves::at_start`].
pub(crate) fn temporary_paths(tree: &Tree, operations: &[Operation], tag: &str) -> Vec<String> {
    let (mut steady, moves) = (SteadyDirectories::new(tree, operations), DirectoryMoves::new(operations));
    let mut apart: HashMap<String, bool> = HashMap::new();
    let mut places = Vec::with_capacity(operations.len());
    for (index, operation) in operations.iter().enumerate() {
        let (directory, last) = split_parent(operation.path());
        let (nearest, start) = (steady.nearest(directory), moves.at_start(directory, index));
        let mount = |path: &str| tree.mount_of(path).ok().flatten();
        let is_apart = nearest != directory
            && *apart
                .entry(start)
                .or_insert_with_key(|start| mount(start).is_some_and(|own| Some(own) != mount(&nearest)));
        // File names are limited to 255 bytes.
        let end = last.floor_char_boundary(200);
        let name = format!(".{}.marq-{tag}{index}", &last[..end]);
        places.push(join(if is_apart { directory } else { &nearest }, &name));
    }
    places
}

/// The effect of a change on one file: its state before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Effect {
    pub(crate) before: Option<EffectSide>,
    pub(crate) after: Option<EffectSide>,
}

/// A file before or after a change, under the name that callers know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EffectSide {
    pub(crate) name: String,
    /// `None` for a file that only moved with its directory.
    pub(crate) hash: Option<String>,
    pub(crate) size: u64,
}

impl EffectSide {
    pub(crate) fn new(name: &str, thing: &FileState) -> EffectSide {
        EffectSide { name: name.to_owned(), hash: thing.hash().map(str::to_owned), size: thing.size() }
    }
}

impl Effect {
    pub(crate) fn file_effect(&self) -> FileEffect {
        let name = |side: &Option<EffectSide>| side.as_ref().map(|side| side.name.clone());
        FileEffect {
            before: name(&self.before),
            after: name(&self.after),
            hash: self.after.as_ref().and_then(|side| side.hash.clone()),
            size: self.after.as_ref().map_or(0, |side| side.size),
        }
    }

    pub(crate) fn inverse(self) -> Effect {
        Effect { before: self.after, after: self.before }
    }

    /// Returns the name for lists: the new one if there is one.
    pub(crate) fn name(&self) -> &str {
        self.after.as_ref().or(self.before.as_ref()).map_or("", |side| &side.name)
    }
}

/// A change that is ready to be executed.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) title: String,
    /// The change that this one undoes.
    pub(crate) undoes: Option<String>,
    pub(crate) steps: Vec<Step>,
    /// All written and replaced contents.
    pub(crate) contents: Contents,
    pub(crate) effects: Vec<Effect>,
    pub(crate) directories: Vec<String>,
}
