//! File system access of the operating system in a uniform form: directory handles that remain valid if their path
//! changes, and their entries. This module does not depend on roots, changes or journals.
//!
//! `unix` uses calls relative to an open directory. `windows` keeps the directories of a path open, so that they cannot
//! be renamed or replaced, and uses paths. Restrictions on file names are in `names`.

#[cfg(unix)]
mod attributes;
#[cfg(unix)]
mod mount;
mod names;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{
    Directory, attributes_of, changed_of, create_private, give_attributes, is_loop, is_private, is_secret,
    is_unlockable, make_private, name_in_locks, open_private, open_unfollowed, own, seen_of, set_mode, sync_directory,
    user,
};
#[cfg(windows)]
pub(crate) use windows::{
    Directory, attributes_of, changed_of, create_private, give_attributes, is_loop, is_private, is_secret,
    is_unlockable, make_private, name_in_locks, open_private, open_unfollowed, own, seen_of, set_mode, sync_directory,
    user,
};

#[cfg(target_os = "linux")]
pub(crate) use unix::exists_without_links;

/// Returns false, because this system has no cheap check whether a path contains a symbolic link.
#[cfg(not(target_os = "linux"))]
pub(crate) fn exists_without_links(_above: &std::path::Path, _path: &str) -> bool {
    false
}

/// An extended attribute: a name and a value.
pub(crate) type Attribute = (String, Vec<u8>);

/// Type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    File,
    Directory,
    Link,
    /// A pipe, socket or device, by name.
    #[cfg_attr(windows, expect(dead_code, reason = "Windows has none among files"))]
    Other(&'static str),
}

/// Metadata of a file, including everything that changes when another program writes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) what: What,
    pub(crate) size: u64,
    /// Unix permissions. On other systems, they only show whether the file is writable.
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Modification time, which any writer can set.
    pub(crate) modified: (i64, i64),
    /// Change time. Unlike the modification time, programs cannot set it.
    pub(crate) changed: (i64, i64),
    /// True if the file has other hard links.
    pub(crate) linked: bool,
}

impl Seen {
    /// Returns whether the file is unchanged since `first`. Removing another hard link changes only the change time.
    pub(crate) fn is_unchanged(&self, first: &Seen) -> bool {
        let part = |seen: &Seen| (seen.what, seen.size, seen.mode, seen.owner, seen.modified);
        self.is_same(first) && part(self) == part(first) && (first.linked || self.changed == first.changed)
    }

    /// Returns whether both are the same file or directory, under any name.
    pub(crate) fn is_same(&self, other: &Seen) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// Returns the change time in nanoseconds since 1970.
    pub(crate) fn changed_at(&self) -> u128 {
        nanoseconds(self.changed)
    }
}

/// Converts a time to nanoseconds since 1970; earlier times are 0.
fn nanoseconds((seconds, rest): (i64, i64)) -> u128 {
    (i128::from(seconds) * 1_000_000_000 + i128::from(rest)).try_into().unwrap_or(0)
}

/// Permissions of a private file.
pub(crate) const PRIVATE: u32 = 0o600;

/// Returns why this system does not allow a file name; `None` if it does.
pub(crate) fn refusal(name: &str) -> Option<&'static str> {
    if cfg!(windows) { names::refusal(name) } else { None }
}
