//! What the operating system knows of files, in one form for every system: directories that stay the same however their path
//! is bent meanwhile, and what stands in them. It knows no roots, no changes and no journals.
//!
//! `unix` says it by calls relative to an open directory. `windows` holds the directories on the way open, so that nobody can
//! rename or replace one of them, and uses paths. What a file is called there and nowhere else is in `names`.

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
pub(crate) use unix::stands_behind_no_link;

/// Whether something is known to stand at a path below a directory with no symbolic link on the way: nobody can say so cheaply.
#[cfg(not(target_os = "linux"))]
pub(crate) fn stands_behind_no_link(_above: &std::path::Path, _path: &str) -> bool {
    false
}

/// An extended attribute: a name and a value.
pub(crate) type Attribute = (String, Vec<u8>);

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    File,
    Directory,
    Link,
    /// A pipe, socket or device, by name.
    #[cfg_attr(windows, expect(dead_code, reason = "none stands among files there"))]
    Other(&'static str),
}

/// What stands at a path, and everything that changes when someone else writes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) what: What,
    pub(crate) size: u64,
    /// Permissions as Unix has them. Of what others know, only whether it may be written.
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// When its content was written; whoever may write it can set that.
    pub(crate) modified: (i64, i64),
    /// When anything about it changed: unlike the time of its content, nobody can set it.
    pub(crate) changed: (i64, i64),
    /// It has further names.
    pub(crate) linked: bool,
}

impl Seen {
    /// Whether it is what it was when it was seen first. A change that takes a file's other name away changes nothing else.
    pub(crate) fn is_unchanged(&self, first: &Seen) -> bool {
        let part = |seen: &Seen| (seen.what, seen.size, seen.mode, seen.owner, seen.modified);
        self.is_same(first) && part(self) == part(first) && (first.linked || self.changed == first.changed)
    }

    /// The same file or directory, under whatever name.
    pub(crate) fn is_same(&self, other: &Seen) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// When anything about it changed, in nanoseconds since 1970.
    pub(crate) fn changed_at(&self) -> u128 {
        nanoseconds(self.changed)
    }
}

/// A time in nanoseconds since 1970; what is before that is 0.
fn nanoseconds((seconds, rest): (i64, i64)) -> u128 {
    (i128::from(seconds) * 1_000_000_000 + i128::from(rest)).try_into().unwrap_or(0)
}

/// Permissions of a file that is nobody else's business.
pub(crate) const PRIVATE: u32 = 0o600;

/// Why this system takes no file of this name; none where it does.
pub(crate) fn refusal(name: &str) -> Option<&'static str> {
    if cfg!(windows) { names::refusal(name) } else { None }
}
