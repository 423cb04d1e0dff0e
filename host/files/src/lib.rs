//! The only host crate that accesses the file system: roots and path confinement, text encodings, walks, transactions
//! with a journal, undo.
//!
//! A change is executed in six steps (`commit`): lock the root (`lock`), check every step against the disk (`plan`),
//! write the journal with the bytes to be replaced (`journal`), write the marker that refers to it (`recovery_marker`),
//! write all new contents to temporary files, and rename them into place. A process that finds a marker without a lock
//! rolls the change back (`recovery_check`, `recovery`), whatever root and state folder the change used. Files whose
//! content is not from the change are left alone. A change that cannot be rolled back does not block readers
//! (`pending_recovery`), and neither does a running change of other files (`running_changes`). The journal of a
//! finished change becomes its entry in the history, from which it can be undone.
//!
//! Writing a file gives it a new inode with the mode, owner and extended attributes of the old one; the write is
//! refused if one of these would be lost. Other hard links keep the old content, which the call reports. A symbolic
//! link that is moved keeps its text. Undo restores bytes, modes, links, directories and the extended attributes of
//! files, but not times or the attributes of directories. Mount points are never replaced, moved or removed. Programs
//! that do not use this crate are not locked out: each file is checked again right before it is replaced, but a write
//! between this check and the replacement is lost.

pub mod clean;
mod commit;
mod decode;
mod encode;
mod errors;
mod history;
mod ignored;
mod journal;
mod lock;
mod lock_holders;
mod lookups;
mod not_found;
mod one_step_recovery;
mod operation;
mod parallel;
mod paths;
mod pending_recovery;
mod plan;
pub mod private;
mod protected;
mod recovery;
mod recovery_check;
mod recovery_marker;
mod rollback;
mod root;
mod roots;
mod running_changes;
mod state;
mod system;
mod tombstone;
mod tree;
mod walk;
mod walk_cache;

pub use history::{HistoryBudget, Purge};
pub use protected::is_protected_name;
pub use roots::DiskRoots;

/// Returns the hash of a file's bytes in the form that callers see.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}
