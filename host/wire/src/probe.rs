//! A client that tests whether a configured server works: it starts the command of a configuration, does the handshake,
//! lists the tools, and makes an edit as a dry run.
//!
//! The client sends only three requests, one after the other, so it needs no protocol library.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result};
use serde_json::{Value, json};

/// Revision of the protocol that the client asks for.
const REVISION: &str = "2025-06-18";
/// Maximum number of bytes that are read from each stream of the server.
const MAX_OUTPUT: u64 = 16 << 20;
/// Maximum number of lines that wait to be read.
const MAX_WAITING: usize = 100;
/// Time to wait for each line of standard error of a server that ended.
const ERROR_TIME: Duration = Duration::from_millis(200);
/// Maximum length of a message that is shown in an error.
const MAX_SHOWN: usize = 300;

/// A server to test, as a client would start it.
#[derive(Debug, Clone)]
pub struct Probe<'a> {
    /// The program.
    pub command: &'a str,
    /// The arguments of the program.
    pub arguments: &'a [String],
    /// Environment variables that are set for the program.
    pub environment: &'a [(String, String)],
    /// The working directory of the program. It contains the file that `edit` names.
    pub folder: &'a Path,
    /// Arguments of `file_edit`, for a dry run.
    pub edit: Value,
    /// Text that the answer to the edit contains.
    pub expected: &'a str,
    /// Maximum time for the whole test.
    pub timeout: Duration,
}

/// Result of a successful test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Name and version of the server.
    pub server: String,
    /// Revision of the protocol that the server uses.
    pub revision: String,
    /// Number of tools.
    pub tools: usize,
    /// Time from the start of the program to the last answer.
    pub time: Duration,
}

/// A running server.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Receiver<String>,
    deadline: Instant,
}

/// Starts a server and tests it.
///
/// # Errors
/// Fails if the program does not start, does not answer in time, or refuses the edit.
pub fn prove(probe: &Probe<'_>) -> Result<Proof> {
    let began = Instant::now();
    let mut session = Session::start(probe)?;
    let client = json!({ "name": "marq init", "version": env!("CARGO_PKG_VERSION") });
    let hello = json!({ "protocolVersion": REVISION, "capabilities": {}, "clientInfo": client });
    let hello = session.request(1, "initialize", &hello)?;
    session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let listed = session.request(2, "tools/list", &json!({}))?;
    let names: Vec<&str> =
        listed["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    if !names.contains(&"file_edit") {
        return Err(Error::new(
            Kind::Unsupported,
            format!("the server has no tool `file_edit`, only: {}", names.join(", ")),
        )
        .hint("check that the command starts `marq mcp`"));
    }
    let tools = names.len();
    let edited = session.request(3, "tools/call", &json!({ "name": "file_edit", "arguments": probe.edit }))?;
    let content = edited["content"].as_array().into_iter().flatten();
    let text: String = content.filter_map(|item| item["text"].as_str()).collect::<Vec<&str>>().join("\n");
    if edited["isError"] == true || !text.contains(probe.expected) {
        return Err(Error::new(
            Kind::PluginFailed,
            format!("the server refused a dry run of an edit: {}", shortened(&text)),
        )
        .hint("`marq doctor` checks the installation"));
    }
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let server = &hello["serverInfo"];
    let proof = Proof {
        server: format!("{} {}", text(&server["name"]), text(&server["version"])),
        revision: text(&hello["protocolVersion"]),
        tools,
        time: began.elapsed(),
    };
    session.end();
    Ok(proof)
}

impl Session {
    fn start(probe: &Probe<'_>) -> Result<Session> {
        let mut command = Command::new(probe.command);
        command.args(probe.arguments).envs(probe.environment.iter().cloned()).current_dir(probe.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| not_started(probe.command, &error))?;
        let input = child.stdin.take();
        let lines = read_lines(child.stdout.take());
        let errors = read_lines(child.stderr.take());
        Ok(Session { child, input, lines, errors, deadline: Instant::now() + probe.timeout })
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let written = self.input.as_mut().map(|input| writeln!(input, "{message}").and_then(|()| input.flush()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    /// Sends a request and returns its result. Other messages are skipped.
    fn request(&mut self, id: u64, method: &str, params: &Value) -> Result<Value> {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Error::new(
                        Kind::LimitExceeded,
                        format!("the server did not answer `{method}` in time"),
                    )
                    .hint("run the command in a terminal to see what it does"));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            };
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
                let message = format!("the command printed a line that is not a message: {}", shortened(&line));
                return Err(Error::new(Kind::Unsupported, message)
                    .hint("standard output of an MCP server belongs to the protocol; check the command"));
            };
            if message["id"] != id {
                continue;
            }
            if let Some(error) = message.get("error") {
                let text = error["message"].as_str().unwrap_or("unknown error");
                return Err(Error::new(
                    Kind::Unsupported,
                    format!("the server refused `{method}`: {}", shortened(text)),
                ));
            }
            return Ok(message["result"].take());
        }
    }

    /// Error for a server that closed its output, with the last lines of its standard error.
    fn ended(&mut self) -> Error {
        // The server may still run, and programs that it started may keep its standard error open.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let said: Vec<String> = std::iter::from_fn(|| self.errors.recv_timeout(ERROR_TIME).ok()).take(20).collect();
        let said = if said.is_empty() { "no message".to_owned() } else { shortened(&said.join("; ")) };
        Error::new(Kind::PluginFailed, format!("the server ended before it answered: {said}"))
            .hint("run the command in a terminal to see why")
    }

    /// Ends the server as a client does: by closing its input.
    fn end(&mut self) {
        drop(self.input.take());
        // The output ends when the server has exited.
        let left = self.deadline.saturating_duration_since(Instant::now());
        let _ = self.lines.recv_timeout(left);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads lines in a thread until the stream ends or has too many bytes.
fn read_lines(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = mpsc::sync_channel(MAX_WAITING);
    let read = move || {
        for line in stream.into_iter().flat_map(|stream| BufReader::new(stream.take(MAX_OUTPUT)).lines()) {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    };
    // Without the thread, the stream appears to have ended.
    let _ = thread::Builder::new().name("probe".to_owned()).spawn(read);
    receiver
}

fn not_started(command: &str, error: &std::io::Error) -> Error {
    let kind = match error.kind() {
        std::io::ErrorKind::NotFound => Kind::FileNotFound,
        _ => Kind::PermissionDenied,
    };
    let is_path = command.contains(['/', '\\']);
    let hint =
        if is_path { "check the path" } else { "add its folder to the PATH, or give its path in the configuration" };
    Error::new(kind, format!("`{command}` cannot be started: {error}")).hint(hint)
}

fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
