//! Running servers of this user: found by their discovery files, verified, and queried for their state.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
};

use marquetry::folders;
use marquetry_model::Result;
use marquetry_wire::proof;
use serde_json::{Value, json};

use crate::{
    config::{self, Host},
    ide_lock,
};

/// Timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(300);
/// Timeout of each part of an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum bytes of an answer.
const MAX_ANSWER_BYTES: u64 = 4 << 20;
/// Maximum bytes of a discovery file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A server as described by its discovery file.
pub(crate) struct FoundServer {
    pub(crate) file: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) roots: Vec<String>,
    pub(crate) token: String,
    process: u32,
}

impl FoundServer {
    /// Reads a discovery file. `None` if it is not private to this user, or the process in its name has ended.
    fn read(file: &Path) -> Option<FoundServer> {
        let metadata = file.symlink_metadata().ok()?;
        if !folders::is_own_file(&metadata) || metadata.len() > MAX_FILE_BYTES {
            return None;
        }
        let written: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        let roots = written["roots"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
        let address: SocketAddr = written["address"].as_str()?.parse().ok()?;
        let token = written["token"].as_str()?.to_owned();
        let process = u32::try_from(written["pid"].as_u64()?).ok()?;
        let is_named = file.file_stem()?.to_str()? == process.to_string();
        let runs = i32::try_from(process).is_ok_and(ide_lock::is_process_running);
        let agrees = is_named && runs && address.ip().is_loopback();
        agrees.then(|| FoundServer { file: file.to_owned(), address, roots: roots.collect(), token, process })
    }

    /// Connects to the server, which must prove that it wrote the file; `None` if another process listens at its
    /// address.
    fn connect(&self) -> Option<TcpStream> {
        let mut stream = TcpStream::connect_timeout(&self.address, CONNECT_TIMEOUT).ok()?;
        stream.set_read_timeout(Some(ANSWER_TIMEOUT)).ok()?;
        proof::challenge(&mut stream, &self.token, self.process).ok()?;
        Some(stream)
    }

    /// Returns whether the server that wrote the file listens at its address.
    pub(crate) fn is_running(&self) -> bool {
        self.connect().is_some()
    }

    /// Returns the attached editors and clients; `None` if the server does not answer in time.
    pub(crate) fn workspace(&self) -> Option<Value> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ui/workspace", "params": {} }).to_string();
        let mut stream = self.connect()?;
        write!(
            stream,
            "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        )
        .ok()?;
        let mut answer = String::new();
        stream.take(MAX_ANSWER_BYTES).read_to_string(&mut answer).ok()?;
        let body = answer.split_once("\r\n\r\n")?.1;
        let answer: Value = serde_json::from_str(body).ok()?;
        answer.get("result").cloned()
    }
}

/// Returns servers whose discovery files are private to this user and whose processes exist. Whether they answer is not
/// checked yet.
///
/// # Errors
/// Fails if the state folder is not private to this user, or is in a root of the host.
pub(crate) fn find_servers(host: &Host) -> Result<Vec<FoundServer>> {
    let entries = fs::read_dir(config::discovery_folder(host)?).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    let is_discovery = |file: &&PathBuf| file.extension().is_some_and(|end| end == "json");
    Ok(files.iter().filter(is_discovery).filter_map(|file| FoundServer::read(file)).collect())
}
