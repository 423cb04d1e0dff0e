//! Servers of the person's that run, found by the files that they write, and what they tell of themselves.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    time::Duration,
};

use marquetry_model::Result;
use serde_json::{Value, json};

use crate::config;

/// How long it is tried whether a server is still there.
const DIAL: Duration = Duration::from_millis(300);
/// How long one has to tell of itself.
const ANSWER: Duration = Duration::from_secs(2);
/// Bytes of what it tells.
const MOST: u64 = 4 << 20;

/// A server as its discovery file tells of it.
pub(crate) struct Found {
    pub(crate) file: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) roots: Vec<String>,
    pub(crate) token: String,
}

impl Found {
    fn read(file: &Path) -> Option<Found> {
        let told: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        let roots = told["roots"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
        let address: SocketAddr = told["address"].as_str()?.parse().ok()?;
        let token = told["token"].as_str()?.to_owned();
        address.ip().is_loopback().then(|| Found { file: file.to_owned(), address, roots: roots.collect(), token })
    }

    /// Whether its port answers.
    pub(crate) fn answers(&self) -> bool {
        TcpStream::connect_timeout(&self.address, DIAL).is_ok()
    }

    /// Who is attached and connected to it; none where it does not say in time.
    pub(crate) fn told(&self) -> Option<Value> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ui/workspace", "params": {} }).to_string();
        let mut stream = TcpStream::connect_timeout(&self.address, DIAL).ok()?;
        stream.set_read_timeout(Some(ANSWER)).ok()?;
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
        stream.take(MOST).read_to_string(&mut answer).ok()?;
        let body = answer.split_once("\r\n\r\n")?.1;
        let answer: Value = serde_json::from_str(body).ok()?;
        answer.get("result").cloned()
    }
}

/// All that wrote where they are, whether they are still there or not.
pub(crate) fn found() -> Result<Vec<Found>> {
    let entries = std::fs::read_dir(config::servers_folder()?).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    let is_told = |file: &&PathBuf| file.extension().is_some_and(|end| end == "json");
    Ok(files.iter().filter(is_told).filter_map(|file| Found::read(file)).collect())
}
