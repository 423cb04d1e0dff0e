//! The program itself, through each of its front ends: command line, JSON-RPC, HTTP, MCP.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A project in a folder of its own, and the program.
struct Project(TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let project = Project(tempfile::tempdir().expect("a folder"));
        fs::create_dir(project.root()).expect("made");
        for (path, text) in files {
            let path = project.root().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        project
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("project")
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).expect("a text")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_marq"));
        command.args(arguments).current_dir(self.root()).env("MARQ_STATE_DIR", self.0.path().join("state"));
        command.env("MARQ_CACHE_DIR", Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-cache"));
        command
    }

    fn marq(&self, arguments: &[&str]) -> (String, String) {
        let Output { stdout, stderr, .. } = self.command(arguments).output().expect("it runs");
        (String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned())
    }

    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let (out, error) = self.marq(&["--json", "call", tool, &arguments.to_string()]);
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("no JSON: {out}{error}"))
    }

    /// Lines in, lines out, until the input ends.
    fn talk(&self, arguments: &[&str], lines: &[Value]) -> Vec<Value> {
        let mut child =
            self.command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let (mut input, output) = (child.stdin.take().expect("input"), child.stdout.take().expect("output"));
        let mut answers = BufReader::new(output).lines();
        let mut got = Vec::new();
        for line in lines {
            writeln!(input, "{line}").expect("written");
            if line.get("id").is_some() {
                got.push(serde_json::from_str(&answers.next().expect("an answer").expect("a line")).expect("JSON"));
            }
        }
        drop(input);
        child.wait().expect("it ends");
        got
    }
}

fn sample() -> Project {
    Project::new(&[
        ("package.json", "{\n  \"name\": \"shop\",\n  \"version\": \"1.0.0\"\n}\n"),
        ("notes.txt", "one\ntwo\nthree\n"),
    ])
}

#[test]
fn a_read_prints_the_text_and_nothing_else() {
    let project = sample();
    assert_eq!(project.marq(&["read", "package.json", "$.name"]), ("\"shop\"\n".to_owned(), String::new()));
    assert_eq!(project.marq(&["read", "notes.txt", "--lines", "2-3"]).0, "two\nthree\n");
}

#[test]
fn an_error_is_a_menu() {
    let project = sample();
    let (out, error) = project.marq(&["read", "package.json", "$.nam"]);
    assert_eq!(out, "");
    assert!(
        error.starts_with("error: ")
            && error.contains("(TargetNotFound)")
            && error.contains("hint: ")
            && error.contains("  - $.name"),
        "{error}"
    );
    let (_, error) = project.marq(&["read", "packag.json"]);
    assert!(error.contains("(FileNotFound)") && error.contains("  - package.json"), "{error}");
    let (_, error) = project.marq(&["read", "../outside.txt"]);
    assert!(error.contains("(OutsideWorkspace)"), "{error}");
}

#[test]
fn an_edit_shows_its_diff_and_is_undone() {
    let project = sample();
    let before = project.text("package.json");
    let (out, _) = project.marq(&["edit", "package.json", "$.version", "replace", "\"2.0.0\""]);
    assert!(out.contains("-  \"version\": \"1.0.0\"\n+  \"version\": \"2.0.0\"\n"), "{out}");
    assert_eq!(project.text("package.json"), before.replace("1.0.0", "2.0.0"));
    let (out, _) = project.marq(&["undo"]);
    assert!(out.starts_with("Undid: Replaced $.version"), "{out}");
    assert_eq!(project.text("package.json"), before);
}

#[test]
fn what_would_break_the_file_is_refused_and_nothing_is_written() {
    let project = sample();
    let before = project.text("package.json");
    let (_, error) = project.marq(&["edit", "package.json", "$", "replace_text", "{", "--old", "\"1.0.0\""]);
    assert!(error.contains("the edit would add") && error.contains("(ParseError)"), "{error}");
    let stale = json!({ "file": "package.json", "target": "$.version", "operation": "delete", "expectedHash": "00" });
    assert!(project.marq(&["call", "file_edit", &stale.to_string()]).1.contains("(Stale)"));
    let misspelt = json!({ "file": "package.json", "target": "$.version", "operation": "delete", "dryrun": true });
    assert!(project.marq(&["call", "file_edit", &misspelt.to_string()]).1.contains("no argument `dryrun`"));
    assert_eq!(project.text("package.json"), before);
}

#[test]
fn several_edits_are_one_change() {
    let project = sample();
    let edits = json!([
        { "target": "$.name", "operation": "replace", "content": "\"store\"" },
        { "target": "$", "operation": "insert_into", "content": "\"private\": true" },
    ]);
    let result = project.call("file_edit", &json!({ "file": "package.json", "edits": edits }));
    assert_eq!(result["totalEdits"].as_u64().map(|count| count >= 2), Some(true), "{result}");
    assert_eq!(
        project.text("package.json"),
        "{\n  \"name\": \"store\",\n  \"version\": \"1.0.0\",\n  \"private\": true\n}\n"
    );
    project.marq(&["undo"]);
    assert!(project.text("package.json").contains("shop"));
}

#[test]
fn files_keep_their_line_endings_and_byte_order_mark() {
    let project = Project::new(&[("a.json", "\u{feff}{\r\n  \"a\": 1\r\n}\r\n")]);
    project.call(
        "file_edit",
        &json!({ "file": "a.json", "target": "$", "operation": "insert_into", "content": "\"b\": 2" }),
    );
    assert_eq!(project.text("a.json"), "\u{feff}{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n");
}

#[test]
fn a_file_is_made_from_a_template_of_the_project() {
    let project = Project::new(&[(".marquetry/templates/greeting.j2", "Hello {{ who }} from {{ name | pascal }}\n")]);
    let result = project.call(
        "file_create",
        &json!({ "path": "docs/my-page.txt", "template": "greeting", "templateVars": { "who": "you" } }),
    );
    assert_eq!(result["directoriesCreated"], json!(["docs"]));
    assert_eq!(project.text("docs/my-page.txt"), "Hello you from MyPage\n");
    let again = project.marq(&["create", "docs/my-page.txt", "--content", "x"]).1;
    assert!(again.contains("(OverwriteBlocked)"), "{again}");
    let unknown = project.marq(&["create", "a.txt", "--template", "greting"]).1;
    assert!(unknown.contains("  - greeting"), "{unknown}");
}

#[test]
fn every_template_of_a_pack_ends_its_last_line() {
    let project = sample();
    let unknown = project.marq(&["create", "a.txt", "--template", "no such template at all"]).1;
    let names: Vec<&str> = unknown.lines().filter_map(|line| line.strip_prefix("  - ")).collect();
    assert!(names.len() > 5, "{unknown}");
    for name in names.into_iter().filter(|name| *name != "empty") {
        let file = format!("{name}.made");
        let (_, error) = project.marq(&["create", &file, "--template", name]);
        assert_eq!(error, "", "{name}");
        let text = project.text(&file);
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name}: {text:?}");
    }
}

#[test]
fn json_rpc_answers_requests_batches_and_nonsense() {
    let project = sample();
    let read = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "file/read", "params": { "file": "package.json", "path": "$.name" } });
    let answers =
        project.talk(&["rpc", "--stdio"], &[read(1), json!({ "jsonrpc": "2.0", "id": 2, "method": "file/raed" })]);
    assert_eq!(answers[0]["result"]["content"], "\"shop\"");
    assert_eq!(answers[1]["error"]["code"], -32601);
    let failed = project.talk(
        &["rpc", "--stdio"],
        &[json!({ "jsonrpc": "2.0", "id": 3, "method": "file/read", "params": { "file": "none" } })],
    );
    assert_eq!(failed[0]["error"]["data"]["kind"], "FileNotFound");
}

#[test]
fn mcp_lists_tools_with_schemas_and_says_everything_twice() {
    let project = sample();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let answers = project.talk(
        &["mcp"],
        &[
            hello,
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
            json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "file_read", "arguments": { "file": "package.json", "path": "$.name" } } }),
            json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": { "name": "file_read", "arguments": { "file": "package.json", "path": "$.nam" } } }),
        ],
    );
    let tools = answers[1]["result"]["tools"].as_array().expect("tools");
    let read = tools.iter().find(|tool| tool["name"] == "file_read").expect("file_read");
    assert_eq!(read["annotations"]["readOnlyHint"], true);
    assert_eq!(read["inputSchema"]["type"], "object");
    assert!(tools.iter().all(|tool| tool["description"].as_str().is_some_and(|text| text.len() < 2048)));
    assert_eq!(answers[2]["result"]["structuredContent"]["content"], "\"shop\"");
    let text: Value =
        serde_json::from_str(answers[2]["result"]["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(text, answers[2]["result"]["structuredContent"]);
    assert_eq!(answers[3]["result"]["isError"], true);
    assert!(
        answers[3]["result"]["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("TargetNotFound") && text.contains("- $.name"))
    );
}

/// A server that is stopped when the test ends.
struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(project: &Project) -> Server {
        let mut child = project.command(&["serve"]).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let (first, second) = (line(), line());
        let address = first.rsplit("//").next().expect("an address").to_owned();
        Server { child, address, token: second.trim_start_matches("token: ").to_owned() }
    }

    /// Status and body of a call.
    fn post(&self, headers: &str) -> (u16, String) {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "file/read", "params": { "file": "package.json", "path": "$.name" } }).to_string();
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        write!(stream, "POST / HTTP/1.1\r\n{host}Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len())
            .expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_lets_only_its_owner_in() {
    let project = sample();
    let server = Server::start(&project);
    let token = format!("Authorization: Bearer {}\r\n", server.token);
    let (status, answer) = server.post(&token);
    assert!(status == 200 && answer.contains("shop"), "{answer}");
    assert_eq!(server.post("").0, 401);
    assert_eq!(server.post("Authorization: Bearer 00\r\n").0, 401);
    assert_eq!(server.post(&format!("{token}Origin: http://example.org\r\n")).0, 403);
    assert_eq!(server.post(&format!("{token}Host: example.org\r\n")).0, 403);
    let folder = project.0.path().join("state/servers");
    let discovery = fs::read_dir(folder).expect("the folder").next().expect("a file").expect("a file").path();
    let found: Value = serde_json::from_str(&fs::read_to_string(&discovery).expect("text")).expect("JSON");
    assert_eq!(found["token"], server.token.as_str());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&discovery).expect("metadata").permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_project_chooses_its_plugins() {
    let project = sample();
    fs::write(project.root().join("registry.toml"), "marquetry = 1\n[plugins.json]\nenabled = false\n")
        .expect("written");
    let result = project.call("file_read", &json!({ "file": "package.json", "lines": "2" }));
    assert_eq!(result["engine"], "text");
    fs::write(project.root().join("registry.toml"), "marquetry = 1\n[plugins.json]\ngrants = [\"network\"]\n")
        .expect("written");
    assert!(project.marq(&["read", "package.json"]).1.contains("no grant `network`"));
}

#[test]
fn a_change_of_a_locked_plugin_is_refused() {
    let project = sample();
    project.marq(&["plugin", "lock"]);
    let lock = project.text("registry.lock");
    let sha = lock.lines().find(|line| line.starts_with("sha256")).expect("a digest");
    fs::write(project.root().join("registry.lock"), lock.replace(sha, &format!("sha256 = \"{}\"", "0".repeat(64))))
        .expect("written");
    let (out, _) = project.marq(&["plugin", "list"]);
    assert!(out.contains("is not the one of registry.lock"), "{out}");
}
