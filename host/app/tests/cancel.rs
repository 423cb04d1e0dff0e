//! Tests long calls through every front end: progress is reported, and a cancelled call changes no files and leaves no
//! journal.

use crate::common;

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::Project;
use serde_json::{Value, json};

/// Enough for a call to be still running when it is cancelled after its first report, even on a fast machine.
const FILES: usize = 1500;

fn project() -> Project {
    Project::new(FILES)
}

fn move_there() -> Value {
    json!({ "source": "src/shared.ts", "destination": "lib/shared.ts" })
}

fn with_token(mut arguments: Value) -> Value {
    arguments["workDoneToken"] = json!("work");
    arguments
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn cancel(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } })
}

/// Checks that nothing was changed and nothing blocks the next call.
fn assert_untouched(project: &Project, before: &common::Texts) {
    assert_eq!(project.texts(), *before);
    assert_eq!(project.journals(), Vec::<String>::new(), "no journal is left");
}

#[test]
fn json_rpc_sends_progress_and_cancels() {
    let project = project();
    let before = project.texts();
    let mut talk = project.talk(&["rpc", "--stdio"]);
    talk.send(&request(1, "file/move", &with_token(move_there())));
    let begun = talk.until(|message| message["params"]["value"]["kind"] == "report");
    assert_eq!(begun[0]["method"], "$/progress");
    assert_eq!(
        begun[0]["params"],
        json!({ "token": "work", "value": { "kind": "begin", "title": "Move File", "cancellable": true } })
    );
    let report = &begun[begun.len() - 1]["params"]["value"];
    assert!(
        report["message"].as_str().is_some_and(|text| text.contains('/')) && report["total"].as_u64() > Some(0),
        "{report}"
    );
    talk.send(&cancel(1));
    let rest = talk.until(|message| message["id"] == 1);
    let [.., end, answer] = &rest[..] else { panic!("{rest:?}") };
    assert_eq!(end["params"]["value"]["kind"], "end");
    assert_eq!((&answer["error"]["code"], &answer["error"]["data"]["kind"]), (&json!(-32800), &json!("Cancelled")));
    assert_untouched(&project, &before);
    // The same call again, which completes. A cancellation after its end has no effect.
    talk.send(&request(2, "file/move", &move_there()));
    let answer = talk.next();
    assert_eq!((&answer["result"]["moved"], &answer["result"]["totalFilesUpdated"]), (&json!(true), &json!(FILES)));
    talk.send(&cancel(2));
    talk.send(&cancel(1));
    talk.send(&request(3, "file/undo", &json!({ "id": answer["result"]["id"] })));
    assert_eq!(talk.next()["result"]["success"], true);
    assert_eq!(talk.end(), Vec::<Value>::new());
    let mut after = project.texts();
    after.remove("lib/");
    assert_eq!(after, before);
}

/// A queued call that is cancelled never starts.
#[test]
fn waiting_calls_of_a_batch_are_cancelled() {
    let project = project();
    let before = project.texts();
    let mut talk = project.talk(&["rpc", "--stdio"]);
    let question = json!({ "type": "workspaceSymbols", "query": "value7", "workDoneToken": 1 });
    talk.send(&json!([request(1, "query", &question), request(2, "file/move", &move_there())]));
    talk.until(|message| message["params"]["value"]["kind"] == "begin");
    talk.send(&cancel(2));
    let answers = talk.until(Value::is_array).pop().expect("an answer");
    assert_eq!(answers[0]["result"]["success"], true);
    assert_eq!(answers[1]["error"]["data"]["kind"], "Cancelled");
    assert_untouched(&project, &before);
    talk.end();
}

#[test]
fn mcp_sends_progress_and_cancels() {
    let project = project();
    let before = project.texts();
    let mut talk = project.talk(&["mcp", "--answers", "both"]);
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
    talk.send(&request(1, "initialize", &hello));
    talk.next();
    talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    let call = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": "work" } });
    talk.send(&request(2, "tools/call", &call("file_move", move_there())));
    let report = talk.next();
    assert_eq!(
        (&report["method"], &report["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("work"))
    );
    assert!(report["params"]["total"].as_f64() >= report["params"]["progress"].as_f64(), "{report}");
    talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } }));
    // The cancelled call gets no answer; calls on an index run one at a time, so this one waits for its end.
    talk.send(&request(
        3,
        "tools/call",
        &call("query", json!({ "type": "dependencies", "path": "src/shared.ts", "direction": "importedBy", "maxBytes": 10_000_000 })),
    ));
    let messages = talk.until(|message| message.get("id").is_some());
    let answer = &messages[messages.len() - 1];
    assert_eq!(answer["id"], 3);
    assert_eq!(answer["result"]["structuredContent"]["data"]["dependencies"].as_array().map(Vec::len), Some(FILES));
    assert_untouched(&project, &before);
    let reported: Vec<f64> = messages.iter().filter_map(|message| message["params"]["progress"].as_f64()).collect();
    assert!(!reported.is_empty(), "the second call reads the files again");
    assert!(
        messages.windows(2).all(|pair| pair[1].get("id").is_some() || pair[0]["params"]["progressToken"] == "work")
    );
    talk.end();
}

#[test]
fn signal_ends_a_command_and_rolls_back() {
    let project = project();
    let before = project.texts();
    // Ctrl-C, a termination request, and a closed terminal.
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let mut command = project.command(&["move", "src/shared.ts", "lib/shared.ts"]);
        let mut child = command
            .env("MARQ_LOG", "marquetry_catalog=debug")
            .stderr(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("errors")).lines();
        let first = lines.next().expect("a line").expect("text");
        assert!(first.contains("call of file_move"), "{first}");
        signal(&child, name);
        let rest: Vec<String> = lines.map(|line| line.expect("text")).collect();
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{rest:?}");
        assert_eq!(rest[0], "error: the call was cancelled (Cancelled)");
        assert_untouched(&project, &before);
    }
    let output = project.marq(&["move", "src/shared.ts", "lib/shared.ts"]);
    assert!(output.status.success(), "the cancelled call must not block the next one");
}

#[test]
fn signal_ends_a_server_after_its_calls() {
    let project = project();
    let before = project.texts();
    let mut command = project.command(&["rpc", "--stdio"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
    let mut input = child.stdin.take().expect("input");
    writeln!(input, "{}", request(1, "file/move", &with_token(move_there()))).expect("written");
    // The call is in progress.
    assert!(lines.any(|line| line.expect("text").contains("\"report\"")));
    signal(&child, "TERM");
    assert_eq!(child.wait().expect("it ends").code(), Some(143), "it must end although its input is still open");
    assert_untouched(&project, &before);
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().expect("it runs");
    assert!(sent.success());
}

/// A server that is stopped when the test ends.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(project: &Project) -> Server {
        let mut child = project.command(&["serve", "--no-ide"]).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let address = line().rsplit("//").next().expect("an address").to_owned();
        let token = line().trim_start_matches("token: ").to_owned();
        Server { child, address, token }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("connected");
        // The test fails instead of waiting forever.
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("set");
        stream
    }

    /// Sends a call over HTTP.
    fn post(&self, body: &Value) -> TcpStream {
        let (body, mut stream) = (body.to_string(), self.connect());
        let head = format!("POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n", self.address, self.token);
        let rest = format!(
            "Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        write!(stream, "{head}{rest}").expect("written");
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A minimal WebSocket client: text in one frame, masked with zeros.
struct Socket(TcpStream);

impl Socket {
    fn open(server: &Server) -> Socket {
        let mut stream = server.connect();
        let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n", server.address, server.token);
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        write!(stream, "{head}{upgrade}").expect("written");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            answer.push(byte[0]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        Socket(stream)
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let mut frame = vec![0x81, 0x80 | 126];
        frame.extend(u16::try_from(text.len()).expect("short").to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.write_all(&frame).expect("written");
    }

    fn next(&mut self) -> Value {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).expect("a frame");
        let wide = match head[1] {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mut length = [0; 8];
        self.0.read_exact(&mut length[8 - wide..]).expect("a length");
        let length = if wide == 0 { u64::from(head[1]) } else { u64::from_be_bytes(length) };
        let mut text = vec![0; usize::try_from(length).expect("not that long")];
        self.0.read_exact(&mut text).expect("a text");
        if head[0] & 0x0F == 1 { serde_json::from_slice(&text).expect("JSON") } else { self.next() }
    }
}

#[test]
fn web_socket_sends_progress_and_cancels() {
    let project = project();
    let before = project.texts();
    let server = Server::start(&project);
    let mut socket = Socket::open(&server);
    socket.send(&request(1, "progress/subscribe", &json!([])));
    let subscription = socket.next()["result"].clone();
    socket.send(&request(2, "file/move", &with_token(move_there())));
    let next_event = |kind: &str, socket: &mut Socket| loop {
        let message = socket.next();
        assert!(message.get("id").is_none(), "answered before `{kind}` was reported: {message}");
        if message["params"]["result"]["value"]["kind"] == kind {
            assert_eq!((&message["method"], &message["params"]["subscription"]), (&json!("$/progress"), &subscription));
            return assert_eq!(message["params"]["result"]["token"], "work");
        }
    };
    next_event("begin", &mut socket);
    next_event("report", &mut socket);
    socket.send(&cancel(2));
    next_event("end", &mut socket);
    assert_eq!(socket.next()["error"]["code"], -32800);
    assert_untouched(&project, &before);
    // Closing a connection cancels its calls.
    socket.send(&request(3, "file/move", &with_token(move_there())));
    next_event("report", &mut socket);
    drop(socket);
    assert_moves_now(&server, &project);
}

#[test]
fn request_of_a_closed_connection_is_cancelled() {
    let project = project();
    let server = Server::start(&project);
    let stream = server.post(&request(1, "file/move", &move_there()));
    thread::sleep(Duration::from_millis(100));
    drop(stream);
    assert_moves_now(&server, &project);
}

/// Checks that the file was not moved and can be moved now.
fn assert_moves_now(server: &Server, project: &Project) {
    let mut answer = String::new();
    server.post(&request(9, "file/move", &move_there())).read_to_string(&mut answer).expect("an answer");
    assert!(answer.contains("\"moved\":true"), "{}", &answer[..answer.len().min(2000)]);
    assert_eq!(project.journals().len(), 1, "one change was made");
}
