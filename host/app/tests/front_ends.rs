//! The program through each of its front ends: command line, JSON-RPC, HTTP, MCP.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A project in a temporary folder.
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

    /// Writes lines and reads lines until the input ends.
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
fn read_prints_only_the_text() {
    let project = sample();
    assert_eq!(project.marq(&["read", "package.json", "$.name"]), ("\"shop\"\n".to_owned(), String::new()));
    assert_eq!(project.marq(&["read", "notes.txt", "--lines", "2-3"]).0, "two\nthree\n");
}

#[test]
fn errors_list_candidates() {
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
    let (_, error) = project.marq(&["read", "--root", ".", "../outside.txt"]);
    assert!(error.contains("(OutsideWorkspace)"), "{error}");
}

#[test]
fn edit_shows_its_diff_and_can_be_undone() {
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
fn edit_with_syntax_errors_is_refused() {
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
fn file_is_created_from_project_template() {
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
fn pack_templates_end_with_a_line_break() {
    let project = sample();
    let unknown = project.marq(&["create", "a.txt", "--template", "no such template at all"]).1;
    let names: Vec<&str> = unknown.lines().filter_map(|line| line.strip_prefix("  - ")).collect();
    assert!(names.len() > 5, "{unknown}");
    // Packs of several languages have templates of the same name.
    for (index, name) in names.into_iter().enumerate().filter(|(_, name)| *name != "empty") {
        let file = format!("{name}-{index}.made");
        let (_, error) = project.marq(&["create", &file, "--template", name]);
        assert_eq!(error, "", "{name}");
        let text = project.text(&file);
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name}: {text:?}");
    }
}

#[test]
fn template_of_the_pack_for_the_path_is_used() {
    let project = sample();
    for (file, start) in [("a.py", "\"\"\""), ("b.rs", "//!")] {
        let (_, error) = project.marq(&["create", file, "--template", "module"]);
        assert_eq!(error, "", "{file}");
        assert!(project.text(file).starts_with(start), "{file}: {}", project.text(file));
    }
}

#[test]
fn json_rpc_answers_requests_batches_and_invalid_messages() {
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

fn hello() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } })
}

fn tool_call(id: u64, name: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } })
}

#[test]
fn mcp_answers_in_text_or_json_and_errors_list_candidates() {
    let project = sample();
    let talk = |flags: &[&str]| {
        let read = |id, path: &str| tool_call(id, "file_read", &json!({ "file": "package.json", "path": path }));
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
        let greeted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        project.talk(&[&["mcp"], flags].concat(), &[hello(), greeted, list, read(3, "$.name"), read(4, "$.nam")])
    };
    let text = |answer: &Value| answer["result"]["content"][0]["text"].as_str().expect("text").to_owned();
    for flags in [&[][..], &["--answers", "both"]] {
        let answers = talk(flags);
        let tools = answers[1]["result"]["tools"].as_array().expect("tools");
        let read = tools.iter().find(|tool| tool["name"] == "file_read").expect("file_read");
        assert_eq!(read["annotations"]["readOnlyHint"], true);
        assert_eq!(read["inputSchema"]["type"], "object");
        let answer_text = text(&answers[2]);
        assert!(
            answer_text.starts_with("package.json $.name (string) 2:10-2:16 hash ")
                && answer_text.ends_with("\n\"shop\""),
            "{answer_text}"
        );
        let structured = &answers[2]["result"]["structuredContent"];
        assert_eq!(structured["content"] == "\"shop\"", !flags.is_empty(), "{structured}");
        assert_eq!(answers[3]["result"]["isError"], true);
        let answer_text = text(&answers[3]);
        assert!(answer_text.contains("TargetNotFound") && answer_text.contains("- $.name"), "{answer_text}");
    }
}

#[test]
fn server_serves_only_its_roots() {
    let (project, other) = (sample(), Project::new(&[("secret.txt", "hidden\n")]));
    let outside = json!({ "root": other.root(), "file": "secret.txt" });
    let up = json!({ "root": project.root().parent(), "file": "project/notes.txt" });
    let read = |arguments: &[&str], given: &Value| {
        let answers = project.talk(&[&["mcp"], arguments].concat(), &[hello(), tool_call(2, "file_read", given)]);
        answers[1]["result"]["content"][0]["text"].as_str().expect("text").to_owned()
    };
    let (here, there) = (project.root(), other.root());
    let (here, there) = (here.to_str().expect("text"), there.to_str().expect("text"));
    for refused in [
        read(&[], &outside),
        read(&["--root", here], &outside),
        read(&[], &up),
        read(&[], &json!({ "root": "/", "file": "etc/passwd" })),
    ] {
        assert!(refused.starts_with("OutsideWorkspace: the root") && refused.contains("--any-root"), "{refused}");
        assert!(refused.contains(&format!("- {here}")), "the served root must be a candidate: {refused}");
    }
    for served in [read(&["--root", here, "--root", there], &outside), read(&["--any-root"], &outside)] {
        assert!(served.contains("hidden"), "{served}");
    }
    // An absolute path in a served root needs no `root`.
    let absolute = json!({ "file": format!("{there}/secret.txt") });
    assert!(read(&["--root", here, "--root", there], &absolute).contains("hidden"));
    assert!(read(&["--root", here], &absolute).starts_with("OutsideWorkspace"));
    // A subfolder can be a root, also by a relative name on the command line.
    fs::create_dir(project.root().join("below")).expect("made");
    fs::write(project.root().join("below/a.txt"), "deep\n").expect("written");
    assert!(read(&[], &json!({ "root": format!("{here}/below"), "file": "a.txt" })).contains("deep"));
    assert_eq!(project.marq(&["read", "a.txt", "--root", "below"]).0, "deep\n");
    assert!(project.marq(&["call", "file_read", "{\"root\": \"below\", \"file\": \"a.txt\"}"]).0.contains("deep"));
    // A private process accepts roots named by calls, unless roots are given at the start.
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "file/read", "params": outside });
    let rpc = |arguments: &[&str]| project.talk(arguments, std::slice::from_ref(&request)).remove(0);
    assert!(rpc(&["rpc", "--stdio"])["result"]["content"].as_str().is_some_and(|text| text.contains("hidden")));
    assert_eq!(rpc(&["rpc", "--stdio", "--root", "."])["error"]["data"]["kind"], "OutsideWorkspace");
}

#[test]
fn tools_are_listed_as_json() {
    let project = sample();
    let one: Value = serde_json::from_str(&project.marq(&["tools", "file_read", "--json"]).0).expect("JSON");
    assert_eq!((&one["name"], &one["inputSchema"]["type"]), (&json!("file_read"), &json!("object")));
    let all: Value = serde_json::from_str(&project.marq(&["tools", "--json"]).0).expect("JSON");
    assert!(all.as_array().is_some_and(|tools| tools.len() >= 10));
    assert!(project.marq(&["tools", "file_raed"]).1.contains("  - file_read"));
}

#[test]
fn every_flag_of_a_command_is_an_argument_of_its_tool() {
    let project = sample();
    for (command, tool) in [
        ("read", "file_read"),
        ("edit", "file_edit"),
        ("create", "file_create"),
        ("move", "file_move"),
        ("rename", "file_rename"),
        ("delete", "file_delete"),
        ("duplicate", "file_duplicate"),
        ("query", "query"),
        ("undo", "file_undo"),
        ("history", "file_history"),
    ] {
        let help = project.marq(&[command, "--help"]).0;
        let described: Value = serde_json::from_str(&project.marq(&["tools", tool, "--json"]).0).expect("JSON");
        let kebab = |name: &str| {
            name.chars()
                .flat_map(|c| if c.is_uppercase() { vec!['-', c.to_ascii_lowercase()] } else { vec![c] })
                .collect::<String>()
        };
        let elsewhere = [
            "root",
            "refactor",
            "newName",
            "scope",
            "line",
            "column",
            "selectionRange",
            "extractedName",
            "arguments",
            "preferences",
            "wrapper",
            "path",
            "symbol",
            "templateVars",
            "exportMapping",
            "symbolMapping",
            "exports",
            "engine",
            // The command line moves one file at a time.
            "moves",
        ];
        for name in described["inputSchema"]["properties"].as_object().expect("arguments").keys() {
            let flag = kebab(name);
            let place = format!("<{}>", flag.replace('-', "_").to_uppercase());
            let maybe = format!("[{}]", flag.replace('-', "_").to_uppercase());
            let there =
                [format!("--{flag}"), format!("--no-{flag}"), place, maybe].iter().any(|form| help.contains(form));
            assert!(there || elsewhere.contains(&name.as_str()), "{command} --{flag}:\n{help}");
        }
    }
}

#[cfg(unix)]
#[test]
fn ended_server_removes_its_token() {
    for name in ["TERM", "INT", "HUP"] {
        let project = sample();
        let mut server = Server::start(&project);
        let folder = project.0.path().join("state/servers");
        assert_eq!(
            fs::read_dir(&folder).expect("the folder").count(),
            2,
            "one file for calls, and one that opens the page"
        );
        let status = Command::new("kill").args(["-s", name, &server.child.id().to_string()]).status().expect("it runs");
        assert!(status.success());
        assert!(server.child.wait().expect("it ends").success(), "{name}");
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 0, "{name}");
    }
}

#[test]
fn mcp_over_http_requires_the_token() {
    let project = sample();
    let server = Server::start(&project);
    let accept = "Accept: application/json, text/event-stream\r\n";
    let token = format!("{accept}Authorization: Bearer {}\r\n", server.token);
    let post = |headers: &str, body: &str| server.request("POST", "/mcp", headers, body);
    let answered = |headers: &str, body: &Value| {
        let (status, answer) = post(headers, &body.to_string());
        let json = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
        (status, serde_json::from_str::<Value>(json).unwrap_or_default())
    };
    let (status, greeting) = answered(&token, &hello());
    assert_eq!((status, &greeting["result"]["protocolVersion"]), (200, &json!("2025-06-18")), "{greeting}");
    let call = tool_call(2, "file_read", &json!({ "file": "package.json", "path": "$.name" }));
    let version = format!("{token}MCP-Protocol-Version: 2025-06-18\r\n");
    let (status, read) = answered(&version, &call);
    assert!(
        status == 200 && read["result"]["content"][0]["text"].as_str().is_some_and(|text| text.ends_with("\"shop\"")),
        "{read}"
    );
    assert_eq!(answered(&version, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).0, 202);
    for (headers, status) in [
        (accept.to_owned(), 401),
        (format!("{accept}Authorization: Bearer 00\r\n"), 401),
        (format!("{token}Origin: http://example.org\r\n"), 403),
        (format!("{token}Host: example.org\r\n"), 403),
    ] {
        assert_eq!(post(&headers, &call.to_string()).0, status, "{headers}");
    }
    for (body, code) in [
        ("{", -32700),
        ("7", -32600),
        ("{}", -32600),
        ("[]", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}", -32602),
    ] {
        let (status, answer) = post(&version, body);
        assert!(answer.contains(&format!("\"code\":{code}")) && (code == -32602 || status == 400), "{body}: {answer}");
    }
    // Batches, in the protocol version that has them.
    let older = format!("{token}MCP-Protocol-Version: 2025-03-26\r\n");
    let (status, both) = answered(
        &older,
        &json!([call, { "jsonrpc": "2.0", "method": "notifications/initialized" }, tool_call(3, "file_history", &json!({})), 7]),
    );
    assert_eq!((status, both.as_array().map(Vec::len)), (200, Some(3)), "{both}");
    assert_eq!(answered(&version, &json!([call])).0, 400);
    // The newer protocol, without a handshake.
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" }, "io.modelcontextprotocol/clientCapabilities": {} });
    let newer = format!("{token}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: file_read\r\n");
    let mut modern = call;
    modern["params"]["_meta"] = meta;
    let (status, read) = answered(&newer, &modern);
    assert!(status == 200 && read["result"]["resultType"] == "complete", "{read}");
    assert_eq!(server.request("GET", "/mcp", &token, "").0, 405);
    // JSON-RPC is also available at `/rpc`.
    assert_eq!(server.post(&token).0, 200);
    let unknown = json!({ "jsonrpc": "2.0", "id": 1, "method": "file/raed" }).to_string();
    let (_, answer) = server.request("POST", "/rpc", &token, &unknown);
    assert!(answer.contains("-32601") && answer.contains("\"candidates\":[\"file/read\""), "{answer}");
    let (_, answer) = server.request("POST", "/rpc", &token, &format!("[{unknown}]"));
    assert!(answer.contains("-32601") && answer.contains("\"candidates\":[\"file/read\""), "{answer}");
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
        let (first, second) = (line(), line());
        let address = first.rsplit("//").next().expect("an address").to_owned();
        Server { child, address, token: second.trim_start_matches("token: ").to_owned() }
    }

    /// Returns status and answer of a call.
    fn post(&self, headers: &str) -> (u16, String) {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "file/read", "params": { "file": "package.json", "path": "$.name" } }).to_string();
        self.request("POST", "/", headers, &body)
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", self.address) };
        write!(stream, "{method} {path} HTTP/1.1\r\n{host}Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}", body.len())
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
fn server_requires_the_token() {
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
    let discovery = folder.join(format!("{}.json", server.child.id()));
    let found: Value = serde_json::from_str(&fs::read_to_string(discovery).expect("text")).expect("JSON");
    assert_eq!(found["token"], server.token.as_str());
    // The file that opens the page is private too, because it has the token.
    #[cfg(unix)]
    for file in fs::read_dir(folder).expect("the folder") {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.expect("a file").metadata().expect("metadata").permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn project_registry_selects_plugins() {
    let project = sample();
    fs::write(project.root().join("registry.toml"), "marquetry = 1\n[plugins.json]\nenabled = false\n")
        .expect("written");
    let result = project.call("file_read", &json!({ "file": "package.json", "lines": "2" }));
    assert_eq!(result["engine"], "text");
    fs::write(project.root().join("registry.toml"), "marquetry = 1\n[plugins.json]\ngrants = [\"network\"]\n")
        .expect("written");
    assert!(project.marq(&["read", "package.json"]).1.contains("unknown grant `network`"));
}

#[test]
fn changed_locked_plugin_is_refused() {
    let project = sample();
    // The lock has only plugins that are not bundled.
    let own =
        Path::new(env!("CARGO_BIN_EXE_marq")).with_file_name("../wasm32-wasip2/release/marquetry_properties.wasm");
    fs::copy(own, project.root().join("own.wasm")).expect("the packs are built");
    let registry = "marquetry = 1\n[plugins.properties]\nsource = \"path:own.wasm\"\n";
    fs::write(project.root().join("registry.toml"), registry).expect("written");
    project.marq(&["trust", "--allow"]);
    project.marq(&["plugin", "lock"]);
    let lock = project.text("registry.lock");
    let sha = lock.lines().find(|line| line.starts_with("sha256")).expect("a digest");
    fs::write(project.root().join("registry.lock"), lock.replace(sha, &format!("sha256 = \"{}\"", "0".repeat(64))))
        .expect("written");
    let (out, _) = project.marq(&["plugin", "list"]);
    assert!(out.contains("does not match registry.lock"), "{out}");
}
