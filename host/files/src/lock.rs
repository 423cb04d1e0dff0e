//! The lock of a folder, seen by every root that reaches a file and from every state folder.
//!
//! It is the system's lock (`flock`) on the directories themselves: the root of a change exclusively, the directories above
//! it shared. So two roots of which one lies in the other exclude each other, two that lie apart do not, and whoever opens a
//! directory by another name or after it was renamed meets the same lock, for it belongs to the inode. It leaves no file that
//! could be forged, be bent by a link or be left behind, and the system releases it when a process ends.
//!
//! Directories that the user may not open are passed over: none of the user's processes can work from there. A file system
//! that cannot lock a directory (some network ones) gets a lock file in the state folder, which only those see who use the same
//! state folder. Two mounts of one folder at different places exclude each other only where the same root is opened.

use std::{
    fs::{self, File, TryLockError},
    io::{self, ErrorKind},
    path::Path,
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work, limits};

use crate::{
    failure::{io_error, stale},
    system::{self, Directory, is_unlockable},
};

/// Proof that nobody else changes what is in a folder. Released when dropped, or by the system when the process ends.
pub(crate) struct Lock {
    _held: Vec<File>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Shared,
    Exclusive,
}

/// Exclude all others who change something in a folder, in this process and in others. The wait for them ends when the work
/// is cancelled. `locks` is where lock files lie for file systems that cannot lock a directory.
pub(crate) fn lock(folder: &Path, locks: &Path, work: &Work) -> Result<Lock> {
    locked(folder, &Waiting { start: Instant::now(), patience: limits::LOCK_WAIT, work, locks })
}

/// The same, where nobody else is at it; none where somebody is.
pub(crate) fn attempt(folder: &Path, locks: &Path) -> Result<Option<Lock>> {
    let work = Work::default();
    match locked(folder, &Waiting { start: Instant::now(), patience: Duration::ZERO, work: &work, locks }) {
        Err(error) if error.kind() == Kind::LimitExceeded => Ok(None),
        other => other.map(Some),
    }
}

fn locked(folder: &Path, waiting: &Waiting<'_>) -> Result<Lock> {
    let shown = folder.to_string_lossy();
    let mut held = Vec::new();
    // From the top downwards, so that two who lock never wait for each other.
    let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
    above.reverse();
    for directory in above {
        match open(directory) {
            Ok(file) => held.push(waiting.lock(directory, file, Mode::Shared)?),
            Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied) => {}
            Err(error) => return Err(io_error("lock", &directory.to_string_lossy(), &error)),
        }
    }
    let file = open(folder).map_err(|error| io_error("lock", &shown, &error))?;
    let seen = system::seen_of(&file).map_err(|error| io_error("lock", &shown, &error))?;
    held.push(waiting.lock(folder, file, Mode::Exclusive)?);
    // Whoever was waited for may have moved it away.
    if !open(folder).and_then(|now| system::seen_of(&now)).is_ok_and(|now| now.is_same(&seen)) {
        return Err(stale(&shown));
    }
    Ok(Lock { _held: held })
}

fn open(directory: &Path) -> io::Result<File> {
    Directory::open(directory).map(Directory::into_file)
}

/// One call's wait for all the directories it locks.
struct Waiting<'a> {
    start: Instant,
    patience: Duration,
    work: &'a Work,
    locks: &'a Path,
}

impl Waiting<'_> {
    fn lock(&self, directory: &Path, file: File, mode: Mode) -> Result<File> {
        let failed = |error: io::Error| io_error("lock", &directory.to_string_lossy(), &error);
        match self.wait(directory, &file, mode)? {
            Ok(()) => Ok(file),
            Err(error) if is_unlockable(&error) => {
                let file = self.lock_file(&file).map_err(failed)?;
                self.wait(directory, &file, mode)?.map_err(failed)?;
                Ok(file)
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Wait for a lock. The inner result is the system's.
    fn wait(&self, directory: &Path, file: &File, mode: Mode) -> Result<io::Result<()>> {
        let mut pause = Duration::from_micros(500);
        loop {
            let result = if mode == Mode::Shared { file.try_lock_shared() } else { file.try_lock() };
            match result {
                Ok(()) => return Ok(Ok(())),
                Err(TryLockError::WouldBlock) if self.start.elapsed() < self.patience => {
                    self.work.check()?;
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) if self.patience.is_zero() => {
                    return Err(Error::new(Kind::LimitExceeded, "somebody has the lock"));
                }
                Err(TryLockError::WouldBlock) => return Err(busy(directory, file)),
                Err(TryLockError::Error(error)) => return Ok(Err(error)),
            }
        }
    }

    /// A file that stands for a directory that cannot be locked itself.
    fn lock_file(&self, directory: &File) -> io::Result<File> {
        system::make_private(self.locks)?;
        let seen = system::seen_of(directory)?;
        system::open_private(&self.locks.join(format!("{:x}-{:x}", seen.device, seen.inode)))
    }
}

fn busy(directory: &Path, file: &File) -> Error {
    let seconds = limits::LOCK_WAIT.as_secs();
    let holder = holder(file).map_or_else(|| "another process".to_owned(), |process| format!("process {process}"));
    Error::new(
        Kind::LimitExceeded,
        format!("{holder} has been changing `{}` for more than {seconds} s", directory.display()),
    )
    .hint("wait for it or end it, then repeat the call; nothing was written")
}

/// The process that holds a lock, where the system tells. Only for the message.
fn holder(file: &File) -> Option<u32> {
    let end = format!(":{}", system::seen_of(file).ok()?.inode);
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 4711 fe:00:12345 0 EOF`; those who wait have `->` behind the number.
    locks.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let held = fields.get(1) == Some(&"FLOCK") && fields.get(5)?.ends_with(&end);
        held.then(|| fields.get(4)?.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_free(folder: &Path) -> bool {
        let work = Work::default();
        work.cancel();
        lock(folder, Path::new("/nowhere"), &work).is_ok()
    }

    #[test]
    fn folders_within_each_other_exclude_each_other() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (outer, inner, other) = (top.join("outer"), top.join("outer/inner"), top.join("other"));
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir_all(&other).unwrap();
        let held = lock(&inner, Path::new("/nowhere"), &Work::default()).unwrap();
        assert!(!is_free(&inner) && !is_free(&outer) && is_free(&other));
        drop(held);
        let _held = lock(&outer, Path::new("/nowhere"), &Work::default()).unwrap();
        assert!(!is_free(&inner) && !is_free(&outer) && is_free(&other));
    }

    #[test]
    fn a_lock_stays_with_a_folder_that_is_renamed() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        fs::create_dir(top.join("a")).unwrap();
        let _held = lock(&top.join("a"), Path::new("/nowhere"), &Work::default()).unwrap();
        fs::rename(top.join("a"), top.join("b")).unwrap();
        assert!(!is_free(&top.join("b")));
    }

    #[test]
    fn the_holder_is_named() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let _held = lock(&top, Path::new("/nowhere"), &Work::default()).unwrap();
        let holder = holder(&open(&top).unwrap());
        assert!(!cfg!(target_os = "linux") || holder == Some(std::process::id()), "{holder:?}");
    }

    #[test]
    fn a_lock_file_is_no_link() {
        let top = tempfile::tempdir().unwrap();
        let victim = top.path().join("victim");
        fs::write(&victim, "text").unwrap();
        let directory = open(top.path()).unwrap();
        let seen = system::seen_of(&directory).unwrap();
        let locks = top.path().join("locks");
        fs::create_dir(&locks).unwrap();
        let name = locks.join(format!("{:x}-{:x}", seen.device, seen.inode));
        std::os::unix::fs::symlink(&victim, &name).unwrap();
        let work = Work::default();
        let waiting = Waiting { start: Instant::now(), patience: Duration::ZERO, work: &work, locks: &locks };
        assert!(waiting.lock_file(&directory).is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "text");
        fs::remove_file(&name).unwrap();
        let file = waiting.lock_file(&directory).unwrap();
        waiting.wait(top.path(), &file, Mode::Exclusive).unwrap().unwrap();
    }
}
