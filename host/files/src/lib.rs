//! The only host crate that touches the file system: roots and paths that cannot leave them, text encodings, walks,
//! transactions with a journal, undo.
//!
//! A change is carried out in five steps (`commit`): take the root's lock, check every step against what is on disk (`plan`),
//! write the journal with the bytes that will be replaced, write all new contents beside their places, rename them into place.
//! A journal found in its pending place means that a change was interrupted: whoever comes next takes it back (`recover`).
//! A finished change's journal becomes its entry in the history, from which it can be undone.
//!
//! What to know about writes: a file that is written gets a new inode, with the mode, owner and extended attributes of the old
//! one; other hard links keep the old content. A link that moves keeps its text. Undo restores bytes, modes, links and
//! directories, not times and not the extended attributes of deleted files. Programs that do not use this crate are not
//! locked out: a file is looked at once more right before it is replaced, and what they write in the microseconds between is
//! overwritten.

mod census;
mod commit;
mod decode;
mod encode;
mod failure;
mod history;
mod journal;
mod lock;
mod missing;
mod operation;
mod parallel;
mod place;
mod plan;
mod recover;
mod root;
mod roots;
mod state;
mod tree;
mod walk;

pub use roots::DiskRoots;

/// The hash of a file's bytes, as callers see it.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}
