//! Tests `marq ide`, which is found by its lock file, as Claude Code does. The lock file is removed when the program
//! ends.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::common::Project;
use serde_json::Value;

/// An endpoint that is stopped when the test ends.
struct Endpoint(Child);

impl Endpoint {
    /// Starts the endpoint and waits for its output: one line, and one for each lock file.
    fn start(project: &Project, home: &Path, arguments: &[&str]) -> (Endpoint, Vec<String>) {
        let mut command = project.command(arguments);
        command.env("HOME", home).env("CLAUDE_CONFIG_DIR", home.join("config")).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let printed: Vec<String> = lines.map(|line| line.expect("text")).take(3).collect();
        (Endpoint(child), printed)
    }

    fn stop(&mut self) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("it runs").success());
        self.0.wait().expect("it ends");
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn locks(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Returns the first line of the answer to a handshake.
fn handshake(port: u16, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("connected");
    write!(
        stream,
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nx-claude-code-ide-authorization: {token}\r\n\r\n"
    )
    .expect("written");
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("an answer");
    String::from_utf8_lossy(&first).into_owned()
}

#[test]
fn ide_endpoint_has_locks_while_it_runs() {
    let project = Project::new(1);
    let home = tempfile::tempdir().expect("a folder");
    let (mut endpoint, printed) = Endpoint::start(&project, home.path(), &["ide"]);
    assert!(printed[0].starts_with("Claude Code: ws://127.0.0.1:"), "{printed:?}");
    let folders = [home.path().join("config/ide"), home.path().join(".claude/ide")];
    for folder in &folders {
        let [path] = locks(folder).try_into().expect("one lock");
        let lock: Value = serde_json::from_slice(&fs::read(&path).expect("read")).expect("JSON");
        let root = project.root().canonicalize().expect("real");
        assert_eq!(lock["workspaceFolders"][0], root.display().to_string());
        assert_eq!(lock["pid"], endpoint.0.id());
        let port: u16 = path.file_stem().expect("a name").to_string_lossy().parse().expect("a port");
        let token = lock["authToken"].as_str().expect("a token");
        assert_eq!(handshake(port, token), "HTTP/1.1 101");
        assert_eq!(handshake(port, &token.replace(['0', '1', '2'], "f")), "HTTP/1.1 401");
    }
    endpoint.stop();
    assert!(folders.iter().all(|folder| locks(folder).is_empty()));
}
