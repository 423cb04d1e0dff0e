//! Editors that connect to a server: the page, and companions of other editors. Their messages reach the tools through
//! the sandboxed integration.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::common::Project;
use serde_json::{Value, json};

/// A server that is stopped when the test ends.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(project: &Project) -> Server {
        let mut command = project.command(&["serve", "--no-ide"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let (first, second) = (line(), line());
        let address = first.split("http://").nth(1).and_then(|rest| rest.split(' ').next()).expect("an address");
        let token = second.strip_prefix("token: ").expect("a token").to_owned();
        let server = Server { child, address: address.to_owned(), token };
        // The remaining output is discarded, so that the pipe does not fill up.
        std::thread::spawn(move || while let Some(Ok(_)) = lines.next() {});
        server
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("set");
        stream
    }

    fn call(&self, method: &str, params: &Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let mut stream = self.connect();
        write!(
            stream,
            "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        )
        .expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        serde_json::from_str(answer.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON")
    }

    /// Opens a WebSocket, or returns the status of the rejection.
    fn dial(&self, path: &str, headers: &str) -> Result<Companion, u16> {
        let mut stream = self.connect();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n",
            self.address
        )
        .expect("written");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).expect("text");
        match head.split(' ').nth(1).and_then(|status| status.parse().ok()) {
            Some(101) => Ok(Companion(stream)),
            status => Err(status.expect("a status")),
        }
    }

    fn authorized(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The part that runs inside an editor.
struct Companion(TcpStream);

impl Companion {
    fn say_text(&mut self, text: &str) {
        let mut frame = vec![0x81, 0x80 | 127];
        frame.extend((text.len() as u64).to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        // The connection may be closed.
        let _ = self.0.write_all(&frame);
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.say_text(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    fn introduce(&mut self, folder: &str) {
        let abilities = ["open", "tabs", "selection", "decide", "show-diff"];
        let folders = json!([{ "name": "p", "path": folder }]);
        self.notify("introduce", &json!({ "title": "Scripted 1.0", "folders": folders, "abilities": abilities }));
    }

    /// Returns the next message; `None` if the server closed the connection.
    fn next(&mut self) -> Option<Value> {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).ok()?;
        let wide = match head[1] {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mut length = [0; 8];
        self.0.read_exact(&mut length[8 - wide..]).ok()?;
        let length = if wide == 0 { u64::from(head[1]) } else { u64::from_be_bytes(length) };
        let mut text = vec![0; usize::try_from(length).ok()?];
        self.0.read_exact(&mut text).ok()?;
        (head[0] & 0x0F == 1).then(|| serde_json::from_slice(&text).expect("JSON"))
    }

    /// Answers requests until one of this method; returns its parameters.
    fn answer_up_to(&mut self, method: &str, result: &Value) -> Value {
        loop {
            let asked = self.next().expect("it goes on");
            let Some(id) = asked.get("id") else { continue };
            let is_meant = asked["method"] == method;
            let result = if is_meant { result.clone() } else { json!([]) };
            self.say_text(&json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string());
            if is_meant {
                return asked["params"].clone();
            }
        }
    }
}

#[test]
fn dialling_editor_is_used_like_any_other() {
    let project = Project::new(1);
    let server = Server::start(&project);
    let root = project.root().canonicalize().expect("real").display().to_string();
    let mut companion = server.dial("/editors/web", &server.authorized()).expect("let in");
    companion.introduce(&root);
    assert_eq!(companion.next().expect("welcome")["method"], "welcome");
    companion.answer_up_to("tabs", &json!([]));
    let open = json!({ "type": "file", "path": "src/shared.ts", "startLine": 1 });
    let shown = std::thread::scope(|scope| {
        let opened = scope.spawn(|| server.call("open", &open));
        let shown = companion.answer_up_to("open", &json!({ "language": "typescript", "lines": 2, "revealed": "all" }));
        assert_eq!(opened.join().expect("answered")["result"]["success"], true);
        shown
    });
    assert_eq!((&shown["path"], &shown["focus"]), (&json!(format!("{root}/src/shared.ts")), &json!(true)), "{shown}");
    let editors = || server.call("ui/workspace", &json!({}))["result"]["editors"].clone();
    let known = editors();
    assert_eq!((&known[0]["name"], &known[0]["title"]), (&json!("web"), &json!("Scripted 1.0")), "{known}");
    assert_eq!((&known[0]["channel"], &known[0]["state"]), (&json!("websocket /editors/web"), &json!("ready")));
    let doctor = String::from_utf8(project.marq(&["doctor"]).stdout).expect("text");
    assert!(doctor.contains("editors: Scripted 1.0; clients of Claude Code: none"), "{doctor}");
    drop(companion);
    while editors() != json!([]) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn integrations_require_the_token() {
    let project = Project::new(1);
    let server = Server::start(&project);
    let (token, wrong) = (server.authorized(), format!("Authorization: Bearer {}\r\n", "0".repeat(64)));
    for (path, headers, status) in [
        ("/editors/web", "", 401),
        ("/editors/web", wrong.as_str(), 401),
        ("/editors/other", token.as_str(), 404),
        ("/editors/", token.as_str(), 404),
    ] {
        assert_eq!(server.dial(path, headers).err(), Some(status), "{path} {headers}");
    }
    for origin in ["http://example.org", "null", &format!("http://{}", server.address)] {
        let refused = server.dial("/editors/web", &format!("{token}Origin: {origin}\r\n")).err();
        assert!(matches!(refused, Some(401 | 403)), "{origin}: {refused:?}");
    }
}

#[test]
fn lying_editor_is_disconnected_alone() {
    let project = Project::new(1);
    let server = Server::start(&project);
    let root = project.root().canonicalize().expect("real").display().to_string();
    for message in ["nonsense", "{}", "[]", "{\"jsonrpc\":\"2.0\",\"method\":\"introduce\",\"params\":{}}", "a\nb"] {
        let mut companion = server.dial("/editors/web", &server.authorized()).expect("let in");
        companion.say_text(message);
        assert!(companion.next().is_none(), "{message}");
    }
    let mut elsewhere = server.dial("/editors/web", &server.authorized()).expect("let in");
    elsewhere.introduce("/somewhere/else");
    assert!(elsewhere.next().is_none(), "an editor outside of the roots must be disconnected");
    let mut companion = server.dial("/editors/web", &server.authorized()).expect("let in");
    companion.introduce(&root);
    assert_eq!(companion.next().expect("welcome")["method"], "welcome");
    let outside = json!({ "path": "/etc/passwd", "label": "passwd", "dirty": true });
    companion.answer_up_to("tabs", &json!([outside]));
    companion.notify("tabs", &json!({ "tabs": [outside] }));
    let region = json!({ "start": { "line": 0, "column": 0 }, "end": { "line": 0, "column": 1 } });
    companion.notify("selection", &json!({ "selected": { "path": "/etc/passwd", "region": region, "text": "r" } }));
    let info = server.call("query", &json!({ "type": "projectInfo" }));
    assert!(!info.to_string().contains("passwd"), "{info}");
}

#[test]
fn endless_message_closes_the_connection() {
    let project = Project::new(1);
    let server = Server::start(&project);
    let root = project.root().canonicalize().expect("real").display().to_string();
    let mut companion = server.dial("/editors/web", &server.authorized()).expect("let in");
    companion.introduce(&root);
    assert_eq!(companion.next().expect("welcome")["method"], "welcome");
    companion.say_text(&"x".repeat(100 << 20));
    while companion.next().is_some() {}
    assert_eq!(server.call("file/history", &json!({}))["result"]["changes"], json!([]));
}

#[test]
fn random_messages_neither_crash_nor_reach_outside() {
    let project = Project::new(1);
    let server = Server::start(&project);
    let root = project.root().canonicalize().expect("real").display().to_string();
    let mut companion = server.dial("/editors/web", &server.authorized()).expect("let in");
    companion.introduce(&root);
    assert_eq!(companion.next().expect("welcome")["method"], "welcome");
    companion.answer_up_to("tabs", &json!([]));
    let methods = ["selection", "tabs", "saved", "changed", "decided", "mentioned", "focused", "nothing", "open"];
    let outside = json!({ "path": "/etc/passwd", "label": "passwd", "dirty": true, "lines": [1, 2] });
    let region = json!({ "start": { "line": 4_000_000_000_u32, "column": 7 }, "end": { "line": 0, "column": 0 } });
    let selected = json!({ "path": format!("{root}/../../etc/passwd"), "region": region, "text": "root" });
    let given = [
        json!({ "tabs": [outside] }),
        outside.clone(),
        json!({ "selected": selected }),
        json!({ "selected": null }),
        json!({ "id": 1, "decision": "accepted", "text": "x" }),
        json!([1, 2, 3]),
        json!(null),
        json!({ "focused": true }),
        json!({ "id": -1, "lines": [-1, 2.5] }),
    ];
    let mut seed = 7_usize;
    let mut any = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    // `MARQ_FRAMES` sets another number for manual runs.
    let frames = std::env::var("MARQ_FRAMES").ok().and_then(|number| number.parse().ok()).unwrap_or(20_000);
    for _ in 0..frames {
        let params = &given[any(given.len())];
        match any(4) {
            0 => companion.say_text(&json!({ "jsonrpc": "2.0", "id": any(9), "result": params }).to_string()),
            1 => companion.say_text(&json!({ "jsonrpc": "2.0", "id": any(9), "error": params }).to_string()),
            _ => companion.notify(methods[any(methods.len())], params),
        }
    }
    let known = || server.call("ui/workspace", &json!({}))["result"]["editors"][0]["state"].clone();
    assert_eq!(known(), "ready", "it is still attached");
    let info = server.call("query", &json!({ "type": "projectInfo" })).to_string();
    assert!(!info.contains("passwd"), "{info}");
}

#[test]
fn redirect_file_to_the_page_is_removed_with_the_server() {
    let project = Project::new(1);
    let mut server = Server::start(&project);
    let servers = project.root().with_file_name("state").join("servers");
    let doorway = servers.join(format!("{}.html", server.child.id()));
    let text = fs::read_to_string(&doorway).expect("there");
    assert!(text.contains(&format!("url=http://{}/ui/#token={}", server.address, server.token)), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&doorway).expect("there").permissions().mode() & 0o777, 0o600);
    }
    let output = project.marq(&["ui", "--no-open"]);
    let output = String::from_utf8(output.stdout).expect("text");
    assert_eq!(
        output,
        format!("page: http://{}/ui/#token={}\n", server.address, server.token),
        "the address must be that of the running server"
    );
    let id = server.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("it runs").success());
    server.child.wait().expect("it ends");
    assert!(!doorway.exists());
}
