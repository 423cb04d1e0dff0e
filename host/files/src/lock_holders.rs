//! Processes that hold the system's lock on a directory, if the system lists them (Linux: `/proc/locks`).
//!
//! Any user who can list a directory can lock it. A lock held by a user without write access excludes no change;
//! waiting for it would let that user block marq for any length of time.

use std::{fs, fs::File};

use crate::system::{self, Seen};

/// A process that holds a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LockHolder {
    pub(crate) process: u32,
    /// The user that started it; `None` if the system hides other users' processes.
    user: Option<u32>,
}

/// The reason for which a directory is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockRole {
    /// The directory is the root of a change. A lock held by any user who can write in it must be waited for.
    Root,
    /// The directory is a parent of that root and may belong to any user.
    Above,
}

/// Returns the processes that hold a lock on an open file; empty if the system does not list them.
pub(crate) fn find_holders(file: &File) -> Vec<LockHolder> {
    let (Ok(seen), Ok(locks)) = (system::seen_of(file), fs::read_to_string("/proc/locks")) else { return Vec::new() };
    let named = parse(&locks, &seen).into_iter();
    named.map(|process| LockHolder { process, user: process_user(process) }).collect()
}

/// Returns whether a lock is held only by users that need not be waited for.
pub(crate) fn can_be_ignored(holders: &[LockHolder], role: LockRole, directory: &Seen) -> bool {
    let own = system::user();
    let may_write = |user: u32| {
        let is_shared = directory.mode & 0o022 != 0;
        user == own || user == 0 || (role == LockRole::Root && (is_shared || user == directory.owner.0))
    };
    let is_stranger = |holder: &LockHolder| match holder.user {
        Some(user) => !may_write(user),
        // The user's own processes are never hidden.
        None => role == LockRole::Above || directory.mode & 0o022 == 0,
    };
    !holders.is_empty() && holders.iter().all(is_stranger)
}

/// Parses a text like `/proc/locks`. For some file systems, the text has a different device. So if no line has the
/// right device, lines with the right inode number are used.
fn parse(locks: &str, seen: &Seen) -> Vec<u32> {
    let (exact, end) = (system::name_in_locks(seen), format!(":{}", seen.inode));
    let mut found: Vec<(bool, u32)> = Vec::new();
    // `1: FLOCK  ADVISORY  WRITE 4711 fe:00:12345 0 EOF`; waiting processes have `->` after the number.
    for line in locks.lines() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, "FLOCK", _, _, process, place, ..] = fields[..] else { continue };
        if let (true, Ok(process)) = (place.ends_with(&end), process.parse()) {
            found.push((place == exact, process));
        }
    }
    let is_exact = found.iter().any(|(exact, _)| *exact);
    found.into_iter().filter(|(exact, _)| *exact || !is_exact).map(|(_, process)| process).collect()
}

/// Returns the real user of a process. The effective user can differ, for example in setuid programs.
fn process_user(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Directory;

    fn seen(mode: u32, owner: u32) -> Seen {
        let top = tempfile::tempdir().unwrap();
        let seen = Directory::open(top.path()).unwrap().seen().unwrap();
        Seen { mode, owner: (owner, owner), device: 0xfe00, inode: 12345, ..seen }
    }

    #[test]
    fn lock_holders_are_found_by_device_and_inode() {
        let seen = seen(0o755, 1);
        let other = "3: FLOCK  ADVISORY  READ 30 00:31:12345 0 EOF\n";
        let rest = "1: FLOCK  ADVISORY  WRITE 10 fe:00:12345 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 11 fe:00:12345 0 EOF\n\
                    2: POSIX  ADVISORY  WRITE 20 fe:00:12345 0 EOF\n4: FLOCK  ADVISORY  READ 40 fe:00:112345 0 EOF\n";
        assert_eq!(parse(&format!("{other}{rest}"), &seen), [10]);
        assert_eq!(parse(other, &seen), [30], "if no line has the device, the inode number alone must be used");
        assert_eq!(parse("garbage\n\n", &seen), [] as [u32; 0]);
    }

    #[test]
    fn user_of_own_process_is_found() {
        assert_eq!(process_user(std::process::id()), Some(rustix::process::getuid().as_raw()));
        assert_eq!(process_user(u32::MAX), None);
    }

    #[test]
    fn only_lock_holders_with_write_access_are_waited_for() {
        let own = system::user();
        let (friend, foe) = (own + 1000, own + 2000);
        let held = |user: u32| [LockHolder { process: 1, user: Some(user) }];
        let hidden = [LockHolder { process: 1, user: None }];
        let cases = [
            (LockRole::Root, seen(0o755, own), held(own), false),
            (LockRole::Root, seen(0o755, own), held(0), false),
            (LockRole::Root, seen(0o755, own), held(foe), true),
            (LockRole::Root, seen(0o755, own), hidden, true),
            (LockRole::Root, seen(0o755, friend), held(friend), false),
            (LockRole::Root, seen(0o755, friend), held(foe), true),
            (LockRole::Root, seen(0o777, own), held(foe), false),
            (LockRole::Root, seen(0o775, own), hidden, false),
            (LockRole::Above, seen(0o777, own), held(foe), true),
            (LockRole::Above, seen(0o755, friend), held(friend), true),
            (LockRole::Above, seen(0o755, friend), held(own), false),
            (LockRole::Above, seen(0o755, own), hidden, true),
        ];
        for (role, directory, holders, expected) in cases {
            assert_eq!(can_be_ignored(&holders, role, &directory), expected, "{role:?} {directory:?} {holders:?}");
        }
        let both = [held(own)[0], held(foe)[0]];
        assert!(
            !can_be_ignored(&both, LockRole::Above, &seen(0o755, own)),
            "a lock must be waited for if one of its holders is the user"
        );
        assert!(
            !can_be_ignored(&[], LockRole::Above, &seen(0o755, own)),
            "a lock without a known holder must be waited for"
        );
    }
}
