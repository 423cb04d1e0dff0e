//! Changes: everything one call does to the workspace, and what became of it.

use crate::EditSet;

/// Everything one call does. Steps speak of the workspace as it was before the change: an edit names the old path of a
/// file that the same change moves.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// One line for the history: what was done.
    pub title: String,
    /// What to do. Edits come first, then moves, copies, creations and deletions, whatever the order here.
    pub steps: Vec<Step>,
}

/// One step of a change. Paths are relative to the root, with `/`.
#[derive(Debug, Clone)]
pub enum Step {
    /// Splice a text file.
    Edit {
        /// The file.
        path: String,
        /// The hash of the bytes that the edits were computed from.
        base: String,
        /// The splices, in offsets of the decoded text.
        edits: EditSet,
    },
    /// Write a new file.
    Create {
        /// The file.
        path: String,
        /// Its bytes.
        content: Vec<u8>,
        /// Replace a file that is there.
        overwrite: bool,
        /// Make the directories above it.
        directories: bool,
    },
    /// Remove a file, or a directory with all that is in it.
    Delete {
        /// The file or directory.
        path: String,
        /// Allow a directory that is not empty.
        recursive: bool,
    },
    /// Move a file or directory.
    Move {
        /// From here.
        from: String,
        /// To there.
        to: String,
        /// Replace a file that is there.
        overwrite: bool,
    },
    /// Copy a file; its text may be changed on the way.
    Copy {
        /// From here.
        from: String,
        /// To there.
        to: String,
        /// Replace a file that is there.
        overwrite: bool,
        /// Splices of the copy, with the hash they were computed from.
        edits: Option<(String, EditSet)>,
    },
}

/// Whether a change was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is on disk.
    Applied,
    /// It was only computed.
    DryRun,
    /// There was nothing to change.
    Nothing,
}

/// What a change did, or would do.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The id for undo; none for a dry run.
    pub id: Option<String>,
    /// Whether it is on disk.
    pub outcome: Outcome,
    /// The files it touched, by path.
    pub files: Vec<FileEffect>,
    /// Directories it made.
    pub directories_created: Vec<String>,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEffect {
    /// The path before; none for a new file.
    pub before: Option<String>,
    /// The path after; none for a deleted file.
    pub after: Option<String>,
    /// The hash of the bytes after; none for a deleted file, a link, and a file that only moved along with its directory.
    pub hash: Option<String>,
    /// Size after, in bytes.
    pub size: u64,
}

/// A file or directory that goes elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// The path before.
    pub from: String,
    /// The path after.
    pub to: String,
}

impl Relocation {
    /// Where a path is afterwards.
    pub fn of(&self, path: &str) -> String {
        match path.strip_prefix(&self.from) {
            Some("") => self.to.clone(),
            Some(rest) if rest.starts_with('/') => format!("{}{rest}", self.to),
            _ => path.to_owned(),
        }
    }

    /// Whether a path goes elsewhere.
    pub fn moves(&self, path: &str) -> bool {
        path == self.from || is_below(path, &self.from)
    }
}

/// Whether a path lies below a folder; everything lies below the root, which is empty.
pub fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
