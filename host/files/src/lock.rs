//! The lock of a folder, shared by all roots that contain it and by all state folders.
//!
//! The lock is the system's lock (`flock`) on the directories themselves: exclusive on the root of a change, shared on
//! the directories above it. So two nested roots exclude each other and separate roots do not. The lock belongs to the
//! inode, so it also holds if a directory is opened by another name or was renamed. The lock needs no file that could
//! be forged, redirected by a link or left over, and the system releases it when a process ends.
//!
//! Directories that the user cannot open are skipped, because none of the user's processes can work from there. If a
//! file system cannot lock a directory (some network ones), a lock file in the state folder is used, which works only
//! between processes with the same state folder. Two mounts of one folder at different places exclude each other only
//! if the same root is opened.
//!
//! A user who can list a directory can lock it without being able to change anything. marq does not wait for such a
//! lock (see `lock_holders`): it skips the directory, and uses a private lock file in it instead until the change is
//! done. Other processes check for that file once they have the directory. The process that creates it checks the
//! directory once more, so that of two concurrent processes at least one sees the lock of the other. If the file cannot
//! be created, directories above the root are skipped without it, because nothing in them can be changed by this user.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work, limits};

use crate::{
    errors::{io_error, stale_error},
    lock_holders::{LockRole, can_be_ignored, find_holders},
    system::{self, Directory, is_unlockable},
};

/// The private lock file in a directory that an unrelated user has locked.
pub(crate) const LOCK_FILE: &str = ".marq-lock";

/// Proof that nothing else changes the contents of a folder. Released when dropped, or by the system when the process
/// ends.
pub(crate) struct Lock {
    _held: Vec<DirectoryLock>,
}

/// The lock of one directory. Released when dropped.
struct DirectoryLock {
    _directory: Option<File>,
    _inside: Option<PrivateLockFile>,
}

/// A lock file in a directory, removed by its last holder.
struct PrivateLockFile {
    file: File,
    path: PathBuf,
}

impl Drop for PrivateLockFile {
    fn drop(&mut self) {
        if self.file.try_lock().is_ok() {
            // Waiting processes notice that the file is gone and check again. If it cannot be removed, it does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Locks a folder against all other changes, in this process and others. Waiting ends when the work is cancelled.
/// `locks` is the folder of lock files, for file systems that cannot lock a directory.
pub(crate) fn lock_folder(folder: &Path, locks: &Path, work: &Work) -> Result<Lock> {
    lock_directories(folder, &LockWait { start: Instant::now(), timeout: limits::LOCK_WAIT, work, locks })
}

/// Non-blocking variant: `None` if locked.
pub(crate) fn try_lock_folder(folder: &Path, locks: &Path) -> Result<Option<Lock>> {
    let work = Work::default();
    match lock_directories(folder, &LockWait { start: Instant::now(), timeout: Duration::ZERO, work: &work, locks }) {
        Err(error) if error.kind() == Kind::LimitExceeded => Ok(None),
        other => other.map(Some),
    }
}

fn lock_directories(folder: &Path, waiting: &LockWait<'_>) -> Result<Lock> {
    let shown = folder.to_string_lossy();
    let mut held = Vec::new();
    // Directories are locked from the top downwards, to avoid deadlocks.
    let mut above: Vec<&Path> = folder.ancestors().skip(1).collect();
    above.reverse();
    for directory in above {
        match open(directory) {
            Ok(file) => held.push(waiting.lock(directory, file, LockRole::Above)?),
            Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied) => {}
            Err(error) => return Err(io_error("lock", &directory.to_string_lossy(), &error)),
        }
    }
    let file = open(folder).map_err(|error| io_error("lock", &shown, &error))?;
    let seen = system::seen_of(&file).map_err(|error| io_error("lock", &shown, &error))?;
    held.push(waiting.lock(folder, file, LockRole::Root)?);
    // The folder may have been moved away while this call was waiting.
    if !open(folder).and_then(|now| system::seen_of(&now)).is_ok_and(|now| now.is_same(&seen)) {
        return Err(stale_error(&shown));
    }
    Ok(Lock { _held: held })
}

fn open(directory: &Path) -> io::Result<File> {
    Directory::open(directory).map(Directory::into_file)
}

/// State of one call that waits for its directories.
struct LockWait<'a> {
    start: Instant,
    timeout: Duration,
    work: &'a Work,
    locks: &'a Path,
}

/// Result of waiting for a directory.
enum WaitResult {
    Locked,
    /// The directory is locked only by users that need not be waited for.
    HeldByOthers,
}

impl LockWait<'_> {
    fn lock(&self, directory: &Path, file: File, role: LockRole) -> Result<DirectoryLock> {
        let failed = |error: io::Error| io_error("lock", &directory.to_string_lossy(), &error);
        loop {
            match self.wait(directory, &file, role)? {
                Ok(WaitResult::Locked) => {
                    let inside = self.private_lock_file(directory, role, false)?;
                    return Ok(DirectoryLock { _directory: Some(file), _inside: inside });
                }
                Ok(WaitResult::HeldByOthers) => {
                    if let Some(held) = self.skip_foreign_lock(directory, &file, role)? {
                        return Ok(held);
                    }
                }
                Err(error) if is_unlockable(&error) => {
                    let file = self.lock_file(&file).map_err(failed)?;
                    while matches!(self.wait(directory, &file, role)?.map_err(failed)?, WaitResult::HeldByOthers) {}
                    return Ok(DirectoryLock { _directory: Some(file), _inside: None });
                }
                Err(error) => return Err(failed(error)),
            }
        }
    }

    /// Skips a directory that unrelated users have locked. `None` if another process has locked the directory by now
    /// and must be waited for.
    fn skip_foreign_lock(&self, directory: &Path, file: &File, role: LockRole) -> Result<Option<DirectoryLock>> {
        let inside = self.private_lock_file(directory, role, true)?;
        if inside.is_none() && role == LockRole::Root {
            return Err(busy_error(directory, file));
        }
        match try_lock(file, role) {
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) if is_foreign_lock(file, role) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
        }
        Ok(Some(DirectoryLock { _directory: file.try_clone().ok(), _inside: inside }))
    }

    /// Opens the private lock file in a directory if it exists, or creates it if `make` is set and that is possible.
    fn private_lock_file(&self, directory: &Path, role: LockRole, make: bool) -> Result<Option<PrivateLockFile>> {
        let path = directory.join(LOCK_FILE);
        loop {
            if !make && path.symlink_metadata().is_err() {
                return Ok(None);
            }
            let opened = if make { system::open_private(&path) } else { open_lock_file(&path) };
            // A file of another user is not a lock.
            let Ok(file) = opened else { return Ok(None) };
            let is_own = file.metadata().is_ok_and(|metadata| metadata.is_file() && system::is_secret(&metadata));
            if !is_own {
                return Ok(None);
            }
            if self.wait_for(directory, &file, role, || false)?.is_err() {
                return Ok(None);
            }
            // The previous holder may have removed the lock file.
            let seen = system::seen_of(&file).ok();
            let now = open_lock_file(&path).and_then(|now| system::seen_of(&now)).ok();
            if seen.zip(now).is_some_and(|(seen, now)| seen.is_same(&now)) {
                return Ok(Some(PrivateLockFile { file, path }));
            }
        }
    }

    /// Waits for the lock of a directory. The inner result is that of the system call.
    fn wait(&self, directory: &Path, file: &File, role: LockRole) -> Result<io::Result<WaitResult>> {
        self.wait_for(directory, file, role, || is_foreign_lock(file, role))
    }

    /// Waits for a lock until `is_in_vain` returns true.
    fn wait_for(
        &self,
        directory: &Path,
        file: &File,
        role: LockRole,
        is_in_vain: impl Fn() -> bool,
    ) -> Result<io::Result<WaitResult>> {
        let mut pause = Duration::from_micros(500);
        loop {
            match try_lock(file, role) {
                Ok(()) => return Ok(Ok(WaitResult::Locked)),
                Err(TryLockError::WouldBlock) if is_in_vain() => return Ok(Ok(WaitResult::HeldByOthers)),
                Err(TryLockError::WouldBlock) if self.start.elapsed() < self.timeout => {
                    self.work.check()?;
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) if self.timeout.is_zero() => {
                    return Err(Error::new(Kind::LimitExceeded, "the lock is taken"));
                }
                Err(TryLockError::WouldBlock) => return Err(busy_error(directory, file)),
                Err(TryLockError::Error(error)) => return Ok(Err(error)),
            }
        }
    }

    /// Opens the lock file for a directory that cannot be locked itself.
    fn lock_file(&self, directory: &File) -> io::Result<File> {
        system::make_private(self.locks)?;
        let seen = system::seen_of(directory)?;
        system::open_private(&self.locks.join(format!("{:x}-{:x}", seen.device, seen.inode)))
    }
}

fn try_lock(file: &File, role: LockRole) -> std::result::Result<(), TryLockError> {
    if role == LockRole::Above { file.try_lock_shared() } else { file.try_lock() }
}

fn is_foreign_lock(file: &File, role: LockRole) -> bool {
    system::seen_of(file).is_ok_and(|seen| can_be_ignored(&find_holders(file), role, &seen))
}

/// Opens an existing lock file without following links.
fn open_lock_file(path: &Path) -> io::Result<File> {
    let file = system::open_unfollowed(path)?;
    // Some file systems lock only files opened for writing.
    Ok(OpenOptions::new().read(true).write(true).open(path).ok().filter(|other| is_same(&file, other)).unwrap_or(file))
}

fn is_same(file: &File, other: &File) -> bool {
    matches!((system::seen_of(file), system::seen_of(other)), (Ok(one), Ok(two)) if one.is_same(&two))
}

fn busy_error(directory: &Path, file: &File) -> Error {
    let seconds = limits::LOCK_WAIT.as_secs();
    let holder = find_holders(file).first().map(|holder| format!("process {}", holder.process));
    let holder = holder.unwrap_or_else(|| "another process".to_owned());
    Error::new(
        Kind::LimitExceeded,
        format!("{holder} has been changing `{}` for more than {seconds} s", directory.display()),
    )
    .hint("wait for it or end it, then repeat the call; nothing was written")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn is_free(folder: &Path) -> bool {
        let work = Work::default();
        work.cancel();
        lock_folder(folder, Path::new("/nowhere"), &work).is_ok()
    }

    /// Returns whether a folder can be locked soon. A process that another test starts at the same moment has copies of
    /// this process's files, with their locks, until it runs its program.
    fn becomes_free(folder: &Path) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            if is_free(folder) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    #[test]
    fn nested_folders_exclude_each_other() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (outer, inner, other) = (top.join("outer"), top.join("outer/inner"), top.join("other"));
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir_all(&other).unwrap();
        let held = lock_folder(&inner, Path::new("/nowhere"), &Work::default()).unwrap();
        assert!(!is_free(&inner) && !is_free(&outer) && is_free(&other));
        drop(held);
        let _held = lock_folder(&outer, Path::new("/nowhere"), &Work::default()).unwrap();
        assert!(!is_free(&inner) && !is_free(&outer) && is_free(&other));
    }

    #[test]
    fn lock_follows_a_renamed_folder() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        fs::create_dir(top.join("a")).unwrap();
        let _held = lock_folder(&top.join("a"), Path::new("/nowhere"), &Work::default()).unwrap();
        fs::rename(top.join("a"), top.join("b")).unwrap();
        assert!(!is_free(&top.join("b")));
    }

    #[test]
    fn lock_error_names_the_holding_process() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let _held = lock_folder(&top, Path::new("/nowhere"), &Work::default()).unwrap();
        let holders = find_holders(&open(&top).unwrap());
        let is_named = holders.first().is_some_and(|holder| holder.process == std::process::id());
        assert!(!cfg!(target_os = "linux") || is_named, "{holders:?}");
    }

    #[test]
    fn symbolic_link_is_not_accepted_as_lock_file() {
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
        let waiting = LockWait { start: Instant::now(), timeout: Duration::ZERO, work: &work, locks: &locks };
        assert!(waiting.lock_file(&directory).is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "text");
        fs::remove_file(&name).unwrap();
        let file = waiting.lock_file(&directory).unwrap();
        waiting.wait(top.path(), &file, LockRole::Root).unwrap().unwrap();
    }

    /// Starts a process of a user without write access that locks a directory. `None` if the test cannot act as another
    /// user.
    fn other_user_locks(directory: &Path, mode: &str) -> Option<std::process::Child> {
        use std::os::unix::{fs::PermissionsExt as _, process::CommandExt as _};
        if system::user() != 0 {
            return None;
        }
        for above in directory.ancestors().take_while(|above| above.starts_with(std::env::temp_dir())) {
            let mode = fs::metadata(above).unwrap().permissions().mode() | 0o055;
            let _ = fs::set_permissions(above, fs::Permissions::from_mode(mode));
        }
        let mut flock = std::process::Command::new("flock");
        let child =
            flock.args([mode, "-n", "-o"]).arg(directory).args(["sleep", "60"]).uid(65534).gid(65534).spawn().ok()?;
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            if find_holders(&open(directory).unwrap()).iter().any(|holder| holder.process == child.id()) {
                return Some(child);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the child process did not get the lock within 20 seconds");
    }

    fn end(mut child: std::process::Child) {
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn locks_of_unrelated_users_do_not_block() {
        for mode in ["-x", "-s"] {
            for at in ["outer", "outer/inner"] {
                let top = tempfile::tempdir().unwrap();
                let top = top.path().canonicalize().unwrap();
                let (outer, inner) = (top.join("outer"), top.join("outer/inner"));
                fs::create_dir_all(&inner).unwrap();
                let Some(child) = other_user_locks(&top.join(at), mode) else { return };
                let start = Instant::now();
                let first = lock_folder(&inner, Path::new("/nowhere"), &Work::default()).unwrap();
                assert!(start.elapsed() < Duration::from_secs(5), "{mode} {at}");
                assert!(
                    !is_free(&inner) && !is_free(&outer),
                    "other processes of this user must still be excluded: {mode} {at}"
                );
                end(child);
                assert!(
                    !is_free(&inner) && !is_free(&outer),
                    "the folders must stay locked after the other user's process has ended: {mode} {at}"
                );
                drop(first);
                assert!(becomes_free(&inner) && becomes_free(&outer), "{mode} {at}");
                assert!(
                    !inner.join(LOCK_FILE).exists() && !outer.join(LOCK_FILE).exists(),
                    "lock files must be removed: {mode} {at}"
                );
            }
        }
    }

    #[test]
    fn locks_of_users_with_write_access_are_waited_for() {
        use std::os::unix::fs::PermissionsExt as _;
        let top = tempfile::tempdir().unwrap();
        let shared = top.path().canonicalize().unwrap().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
        let Some(child) = other_user_locks(&shared, "-x") else { return };
        assert!(!is_free(&shared));
        end(child);
        assert!(becomes_free(&shared));
    }

    #[test]
    fn lock_files_of_other_users_are_ignored() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let path = top.join(LOCK_FILE);
        std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
        drop(lock_folder(&top, Path::new("/nowhere"), &Work::default()).unwrap());
        assert!(path.is_symlink(), "the link must not be removed");
        fs::remove_file(&path).unwrap();
        // A leftover file is reused and removed.
        fs::write(&path, "").unwrap();
        std::os::unix::fs::chown(&path, Some(65534), None).ok();
        drop(lock_folder(&top, Path::new("/nowhere"), &Work::default()).unwrap());
        assert!(path.exists() || system::user() != 0);
        let _ = fs::remove_file(&path);
        drop(system::create_private(&path).unwrap());
        drop(lock_folder(&top, Path::new("/nowhere"), &Work::default()).unwrap());
        assert!(!path.exists());
    }

    /// While an unrelated user locks and unlocks repeatedly, two processes never have the lock at once.
    #[test]
    fn intermittent_foreign_locks_keep_mutual_exclusion() {
        use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let inner = top.join("inner");
        fs::create_dir(&inner).unwrap();
        let Some(child) = other_user_locks(&inner, "-x") else { return };
        let (ends, within, rounds) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |folder: &Path| {
            while !ends.load(Ordering::SeqCst) {
                let Ok(held) = lock_folder(folder, Path::new("/nowhere"), &Work::default()) else { continue };
                assert_eq!(within.fetch_add(1, Ordering::SeqCst), 0, "two threads have the lock at the same time");
                std::thread::yield_now();
                within.fetch_sub(1, Ordering::SeqCst);
                rounds.fetch_add(1, Ordering::SeqCst);
                drop(held);
            }
        };
        std::thread::scope(|scope| {
            for folder in [&inner, &inner, &top] {
                scope.spawn(move || work(folder));
            }
            std::thread::sleep(Duration::from_millis(200));
            end(child);
            for directory in [&top, &inner, &top] {
                std::thread::sleep(Duration::from_millis(50));
                // The unrelated user does not get the lock while one of the threads has it.
                if let Some(child) = other_user_waits_for_lock(directory) {
                    std::thread::sleep(Duration::from_millis(100));
                    end(child);
                }
            }
            ends.store(true, Ordering::SeqCst);
        });
        assert!(rounds.load(Ordering::SeqCst) > 20);
        assert!(!inner.join(LOCK_FILE).exists() && !top.join(LOCK_FILE).exists());
    }

    /// Starts an unrelated user that tries for a while to get a lock.
    fn other_user_waits_for_lock(directory: &Path) -> Option<std::process::Child> {
        use std::os::unix::process::CommandExt as _;
        let mut flock = std::process::Command::new("flock");
        flock.args(["-x", "-w", "5", "-o"]).arg(directory).args(["sleep", "60"]).uid(65534).gid(65534).spawn().ok()
    }
}
