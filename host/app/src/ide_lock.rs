//! Lock files by which Claude Code finds the endpoint: `PORT.lock` in its folders, with the token, private to their
//! owner.
//!
//! Lock files of other programs are kept, unless the program has ended: the process does not exist and the port refuses
//! connections.

use std::{
    fs,
    io::Write as _,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
};

use marquetry_model::{Error, Kind, Result};
use serde_json::{Value, json};

/// Name shown in the client's list of editors.
pub(crate) const NAME: &str = "Marquetry";
/// Maximum bytes of a lock file.
const MAX_FILE_BYTES: u64 = 64 << 10;
/// Maximum number of lock files read.
const MAX_LOCKS: usize = 1_000;
/// Timeout of connections to a local port, which answers or refuses immediately.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(200);

/// The lock files of a running endpoint, removed when dropped.
pub(crate) struct Locks(Vec<PathBuf>);

impl Locks {
    /// Writes a lock file into each folder.
    pub(crate) fn write(folders: &[PathBuf], port: u16, roots: &[String], token: &str) -> Result<Locks> {
        let text = json!({
            "pid": std::process::id(), "workspaceFolders": roots, "ideName": NAME, "transport": "ws", "authToken": token,
            "runningInWindows": cfg!(windows),
        });
        let mut locks = Locks(Vec::new());
        for folder in folders {
            let failed =
                |error: std::io::Error| Error::new(Kind::PermissionDenied, format!("{}: {error}", folder.display()));
            make_private(folder).map_err(failed)?;
            // The file is private from the start and appears atomically.
            let mut file = tempfile::Builder::new().prefix(".lock").tempfile_in(folder).map_err(failed)?;
            file.write_all(text.to_string().as_bytes()).map_err(failed)?;
            let path = lock_path(folder, port);
            file.persist(&path).map_err(|error| failed(error.error))?;
            locks.0.push(path);
        }
        Ok(locks)
    }

    /// Returns the paths of the files.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.0
    }
}

impl Drop for Locks {
    fn drop(&mut self) {
        for path in &self.0 {
            // Errors cannot be reported while dropping.
            let _ = fs::remove_file(path);
        }
    }
}

fn lock_path(folder: &Path, port: u16) -> PathBuf {
    folder.join(format!("{port}.lock"))
}

/// Creates a folder private to its owner; an existing folder is not changed.
fn make_private(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// An existing lock file.
pub(crate) struct FoundLock {
    pub(crate) path: PathBuf,
    pub(crate) port: u16,
    /// Name of the program.
    pub(crate) name: String,
    /// True if the process in the file exists.
    pub(crate) is_running: bool,
    /// True if the port in the file's name accepts connections.
    pub(crate) is_listening: bool,
}

/// Reads the lock files in these folders.
pub(crate) fn find_locks(folders: &[PathBuf]) -> Vec<FoundLock> {
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut all: Vec<FoundLock> = entries.take(MAX_LOCKS).filter_map(|entry| read_lock(&entry.path())).collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

fn read_lock(path: &Path) -> Option<FoundLock> {
    let port = path.file_name()?.to_str()?.strip_suffix(".lock")?.parse().ok()?;
    let meta = fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_FILE_BYTES {
        return None;
    }
    let lock: Value = serde_json::from_slice(&fs::read(path).ok()?).unwrap_or_default();
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    Some(FoundLock {
        path: path.to_owned(),
        port,
        name: lock["ideName"].as_str().unwrap_or("-").to_owned(),
        // A process that cannot be checked is assumed to exist.
        is_running: lock["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).is_none_or(is_process_running),
        is_listening: TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).is_ok(),
    })
}

/// Returns whether a process exists.
#[cfg(unix)]
pub(crate) fn is_process_running(pid: i32) -> bool {
    let Some(pid) = rustix::process::Pid::from_raw(pid).filter(|_| pid > 0) else { return false };
    // Any other error, such as `EPERM` for another user's process, means that the process exists.
    !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
pub(crate) fn is_process_running(_pid: i32) -> bool {
    true
}

/// Returns whether another running program has a lock file for this port. It may listen on the same port of another
/// local address, so binding the port does not detect it.
pub(crate) fn is_port_taken(folders: &[PathBuf], port: u16) -> bool {
    folders.iter().filter_map(|folder| read_lock(&lock_path(folder, port))).any(|lock| lock.is_running)
}

/// Removes the lock files of programs that have ended.
pub(crate) fn remove_stale_locks(folders: &[PathBuf]) {
    for lock in find_locks(folders).into_iter().filter(|lock| !lock.is_running && !lock.is_listening) {
        tracing::info!("removed {}: its program has ended", lock.path.display());
        let _ = fs::remove_file(&lock.path);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{net::TcpListener, os::unix::fs::PermissionsExt as _};

    use super::*;

    /// Starts a process, waits for its end, and returns its id.
    fn gone() -> u32 {
        let mut child = std::process::Command::new("true").spawn().expect("it starts");
        child.wait().expect("it ends");
        child.id()
    }

    #[test]
    fn lock_is_private_and_removed_with_its_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = [folder.path().join("config/ide"), folder.path().join("home/ide")];
        let locks = Locks::write(&folders, 4711, &["/root".to_owned()], "token").expect("written");
        for folder in &folders {
            let path = folder.join("4711.lock");
            let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
            assert_eq!((mode(&path), mode(folder)), (0o600, 0o700));
            let lock: Value = serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
            assert_eq!(
                lock,
                json!({
                    "pid": std::process::id(), "workspaceFolders": ["/root"], "ideName": "Marquetry", "transport": "ws",
                    "authToken": "token", "runningInWindows": false,
                })
            );
            assert_eq!(fs::read_dir(folder).expect("listed").count(), 1, "the folder must contain only the lock file");
        }
        assert_eq!(locks.paths().len(), 2);
        drop(locks);
        assert!(folders.iter().all(|folder| !folder.join("4711.lock").exists()));
    }

    #[test]
    fn only_locks_of_ended_programs_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = [folder.path().to_owned()];
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let answering = listener.local_addr().expect("an address").port();
        let refusing = {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("an address").port()
        };
        let write = |name: String, text: String| fs::write(folder.path().join(name), text).expect("written");
        let pid = std::process::id();
        for (name, text, stays) in [
            (format!("{refusing}.lock"), format!("{{\"pid\":{}}}", gone()), false),
            (format!("{refusing}.lock"), format!("{{\"pid\":{pid}}}"), true),
            (format!("{refusing}.lock"), "{}".to_owned(), true),
            (format!("{refusing}.lock"), "no lock".to_owned(), true),
            (format!("{answering}.lock"), format!("{{\"pid\":{}}}", gone()), true),
            ("notes.lock".to_owned(), format!("{{\"pid\":{}}}", gone()), true),
        ] {
            write(name.clone(), text.clone());
            remove_stale_locks(&folders);
            assert_eq!(folder.path().join(&name).exists(), stays, "{name} {text}");
            let _ = fs::remove_file(folder.path().join(&name));
        }
        write(format!("{answering}.lock"), format!("{{\"pid\":{pid}}}"));
        assert!(is_port_taken(&folders, answering) && !is_port_taken(&folders, refusing));
    }
}
