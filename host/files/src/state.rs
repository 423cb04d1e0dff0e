//! What is kept about a root outside of it: the lock, the journal of a running change, the history.

use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work, limits};

use crate::failure::io_error;

/// The directory of one root's state.
pub(crate) struct State {
    directory: PathBuf,
    root: String,
}

impl State {
    /// The state of a root below the state directory. Nothing is read or made yet.
    pub(crate) fn new(state: &Path, root: &str) -> State {
        let key = crate::hash(root.as_bytes());
        State { directory: state.join(&key[..16]), root: root.to_owned() }
    }

    /// Finished changes, and the journal of the running one.
    pub(crate) fn changes(&self) -> PathBuf {
        self.directory.join("changes")
    }

    /// The journal of the change that is running, or was interrupted.
    pub(crate) fn pending(&self) -> PathBuf {
        self.changes().join("pending")
    }

    /// Whether a change is running or was interrupted: one system call.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending().symlink_metadata().is_ok()
    }

    /// Exclude all others who change this root, in this process and in others. The wait for them ends when the work is
    /// cancelled.
    pub(crate) fn lock(&self, work: &Work) -> Result<Lock> {
        self.make().map_err(|error| {
            io_error("keep a journal in", &self.directory.to_string_lossy(), &error)
                .hint("nothing is changed without one; make the state directory writable")
        })?;
        let path = self.directory.join("lock");
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = file.map_err(|error| io_error("lock", &path.to_string_lossy(), &error))?;
        let (start, mut pause) = (Instant::now(), Duration::from_micros(500));
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if start.elapsed() < limits::LOCK_WAIT => {
                    work.check()?;
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => return Err(self.busy(&mut file)),
                Err(TryLockError::Error(error)) => {
                    return Err(io_error("lock", &path.to_string_lossy(), &error));
                }
            }
        }
        // Only for the message to others; it need not outlive a crash.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Lock { _file: file })
    }

    fn busy(&self, file: &mut File) -> Error {
        let mut holder = String::new();
        let _ = file.read_to_string(&mut holder);
        let seconds = limits::LOCK_WAIT.as_secs();
        let holder = if holder.is_empty() { "another process".to_owned() } else { format!("process {holder}") };
        Error::new(Kind::LimitExceeded, format!("{holder} has been changing `{}` for more than {seconds} s", self.root))
            .hint("wait for it or end it, then repeat the call; nothing was written")
    }

    fn make(&self) -> io::Result<()> {
        if self.changes().is_dir() {
            return Ok(());
        }
        DirBuilder::new().recursive(true).mode(0o700).create(self.changes())?;
        std::fs::write(self.directory.join("root"), &self.root)?;
        // A journal is worth nothing in a directory that a power failure takes away.
        self.changes().ancestors().take(4).try_for_each(sync_directory)
    }
}

/// Make the entries of a directory durable.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Proof that nobody else changes the root. Released when dropped, or by the system when the process ends.
pub(crate) struct Lock {
    _file: File,
}
