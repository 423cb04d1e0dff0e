//! The only host crate that touches the file system: roots and paths that cannot leave them, text encodings, walks,
//! transactions with a journal, undo.
//!
//! A change is carried out in five steps (`commit`): take the root's lock, check every step against what is on disk (`plan`),
//! write the journal with the bytes that will be replaced, write all new contents beside their places, rename them into place.
//! A journal found in its pending place means that a change was interrupted: whoever comes next takes it back (`recover`).
//! A finished change's journal becomes its entry in the history, from which it can be undone.

mod commit;
mod decode;
mod encode;
mod failure;
mod history;
mod journal;
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
