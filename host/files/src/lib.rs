//! The only host crate that touches the file system: roots and paths that cannot leave them, text encodings, walks,
//! transactions with a journal, undo.
//!
//! A change is carried out in six steps (`commit`): take the lock of the root (`lock`), check every step against what is on disk
//! (`plan`), write the journal with the bytes that will be replaced, and the marker that leads to it (`marker`), write all new
//! contents beside their places, rename them into place. Whoever reaches a marker that nobody's lock covers takes the change
//! back (`settle`, `recover`), whatever root and state folder it came from; what is not the change's own by its content is left,
//! and a change that cannot be taken back keeps no reader up (`settling`), nor does one of other files (`underway`). A finished change's journal becomes its entry in the
//! history, from which it can be undone.
//!
//! What to know about writes: a file that is written gets a new inode, with the mode, owner and extended attributes of the old
//! one, or is refused where one of these would be lost; other hard links keep the old content, and the call notes that. A link
//! that moves keeps its text. Undo restores bytes, modes, links, directories and the extended attributes of files, not times and
//! not the attributes of directories. Where something is mounted, nothing is replaced, moved or removed. Programs that do not
//! use this crate are not locked out: a file is looked at once more right before it is replaced, and what they write in the
//! microseconds between is overwritten.

mod census;
pub mod clean;
mod commit;
mod decode;
mod encode;
mod failure;
mod history;
mod holders;
mod ignored;
mod journal;
mod lock;
mod lookups;
mod marker;
mod missing;
mod operation;
mod parallel;
mod place;
mod plan;
mod protected;
mod recover;
mod root;
mod roots;
mod settle;
mod settling;
mod single;
mod state;
mod system;
mod tombstone;
mod tree;
mod underway;
mod unsettled;
mod walk;

pub use history::{Budget, Purge};
pub use roots::DiskRoots;

/// The hash of a file's bytes, as callers see it.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}
