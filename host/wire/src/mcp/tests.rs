//! MCP in old and new protocol versions, over lines and over HTTP.

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};

use super::*;
use crate::{
    limits::{LIMITS, Limits},
    testing::{self, SLOW},
};

type Io = tokio::io::ReadHalf<DuplexStream>;

/// The client's end of a connection.
pub(super) struct Talk {
    input: Option<tokio::io::WriteHalf<DuplexStream>>,
    output: tokio::io::Lines<BufReader<Io>>,
    serving: JoinHandle<Result<(), Error>>,
}

impl Talk {
    fn start(settings: Settings) -> Talk {
        Talk::with(settings, StdioClient::with(false, || false, Duration::from_secs(5)))
    }

    fn with(settings: Settings, client: StdioClient) -> Talk {
        Talk::over(testing::catalog(), settings, client)
    }

    fn over(catalog: ServedCatalog, settings: Settings, client: StdioClient) -> Talk {
        let (near, far) = duplex(1 << 20);
        let (read, write) = split(far);
        let (output, input) = split(near);
        let over = Arc::new(Notify::new());
        let server = Server::new(catalog, settings);
        let lines = LineTransport::new(read, write, &server, client, Arc::clone(&over));
        let serving = tokio::spawn(async move { serve_lines(server, lines, &over).await });
        Talk { input: Some(input), output: BufReader::new(output).lines(), serving }
    }

    pub(super) async fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(format!("{line}\n").as_bytes()).await.expect("written");
    }

    async fn send(&mut self, message: Value) {
        self.say(&message.to_string()).await;
    }

    pub(super) async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(30), self.output.next_line()).await.expect("in time");
        serde_json::from_str(&line.expect("read").expect("a line")).expect("JSON")
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        self.hear().await
    }

    async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask(100, "tools/call", json!({ "name": name, "arguments": arguments })).await
    }

    /// Connects and performs the handshake of older clients.
    async fn greeted(settings: Settings, version: &str) -> Talk {
        let mut talk = Talk::start(settings);
        let answer = talk.greet(version, json!({})).await;
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        talk
    }

    /// Like [`Talk::greeted`], with another catalog.
    pub(super) async fn met(catalog: ServedCatalog, settings: Settings) -> Talk {
        let mut talk = Talk::unmet(catalog, settings);
        talk.greet("2025-11-25", json!({})).await;
        talk
    }

    /// Like [`Talk::met`], without the handshake.
    pub(super) fn unmet(catalog: ServedCatalog, settings: Settings) -> Talk {
        Talk::over(catalog, settings, StdioClient::with(false, || false, Duration::from_secs(5)))
    }

    async fn greet(&mut self, version: &str, capabilities: Value) -> Value {
        let hello = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" } });
        let answer = self.ask(0, "initialize", hello).await;
        self.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        answer
    }

    /// Closes the input and returns the remaining messages.
    async fn end(mut self) -> Vec<Value> {
        // Dropping one half of a split stream does not close it.
        self.input.take().expect("open").shutdown().await.expect("closed");
        let mut rest = Vec::new();
        while let Some(line) = self.output.next_line().await.expect("read") {
            rest.push(serde_json::from_str(&line).expect("JSON"));
        }
        self.serving.await.expect("no panic").expect("served");
        rest
    }
}

fn settings(answers: Answers) -> Settings {
    Settings { answers, core: false }
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

/// Adds the `_meta` that every request in the new version has.
fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

#[tokio::test]
async fn both_protocol_eras_are_served() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut talk = Talk::greeted(Settings::default(), version).await;
        let listed = talk.ask(1, "tools/list", json!({})).await;
        assert!(listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() >= 10), "{version}: {listed}");
        assert!(text(&talk.call("file_history", json!({})).await).starts_with("change-1 Edited a.txt in /one\n"));
        assert_eq!(talk.end().await, Vec::<Value>::new());
    }
    let mut talk = Talk::start(Settings::default());
    let found = talk.ask(1, "server/discover", modern(json!({}))).await;
    assert!(
        found["result"]["supportedVersions"].as_array().is_some_and(|all| all.contains(&json!("2026-07-28"))),
        "{found}"
    );
    let called = talk.ask(2, "tools/call", modern(json!({ "name": "file_history", "arguments": {} }))).await;
    assert!(text(&called).starts_with("change-1 "), "{called}");
    assert_eq!(called["result"]["resultType"], "complete");
    assert_eq!(talk.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn invalid_messages_are_answered_with_the_reason() {
    let mut talk = Talk::greeted(Settings::default(), "2025-06-18").await;
    let request = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":5,{rest}}}");
    let cases = [
        ("{".to_owned(), -32700, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"".to_owned(), -32700, Value::Null),
        ("nonsense".to_owned(), -32700, Value::Null),
        ("7".to_owned(), -32600, Value::Null),
        ("{}".to_owned(), -32600, Value::Null),
        ("{\"id\":5,\"method\":\"ping\"}".to_owned(), -32600, json!(5)),
        ("[]".to_owned(), -32600, Value::Null),
        (format!("[{}]", request("\"method\":\"ping\"")), -32600, Value::Null),
        (request("\"method\":\"tools/call\""), -32602, json!(5)),
        (request("\"method\":\"tools/call\",\"params\":{}"), -32602, json!(5)),
        (request("\"method\":\"tools/call\",\"params\":{\"arguments\":{}}"), -32602, json!(5)),
        (request("\"method\":\"tools/call\",\"params\":{\"name\":\"file_read\",\"arguments\":[1]}"), -32602, json!(5)),
        (request("\"method\":\"tools/call\",\"params\":{\"name\":7}"), -32602, json!(5)),
        (request("\"method\":\"tools/call\",\"params\":{\"name\":\"file_raed\",\"arguments\":{}}"), -32602, json!(5)),
        (request("\"method\":\"resources/read\",\"params\":{}"), -32602, json!(5)),
        (request("\"method\":\"resources/read\",\"params\":{\"uri\":\"marq://formats/lits\"}"), -32002, json!(5)),
        (request("\"method\":\"nothing/such\""), -32601, json!(5)),
    ];
    for (line, code, id) in cases {
        talk.say(&line).await;
        let answer = talk.hear().await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.len() > 10), "{answer}");
    }
    // Misspelled names are corrected in the error.
    let unknown = talk.call("file_raed", json!({})).await;
    assert!(unknown["error"]["message"].as_str().is_some_and(|message| message.contains("file_read")), "{unknown}");
    assert_eq!(unknown["error"]["data"]["candidates"][0], "file_read");
    // The invalid requests above did not end the session. Unknown notifications are not answered.
    talk.send(json!({ "jsonrpc": "2.0", "method": "notifications/nothing" })).await;
    talk.send(json!({ "jsonrpc": "2.0", "method": "$/setTrace", "params": 3 })).await;
    assert!(talk.ask(6, "ping", json!({})).await["result"].is_object());
    assert_eq!(talk.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn too_long_line_is_refused_and_the_next_is_answered() {
    let mut talk = Talk::greeted(Settings::default(), "2025-11-25").await;
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(crate::limits::MESSAGE));
    talk.say(&long).await;
    let refused = talk.hear().await;
    assert_eq!((&refused["error"]["code"], &refused["id"]), (&json!(-32600), &Value::Null), "{refused}");
    assert!(
        refused["error"]["message"].as_str().is_some_and(|message| message.ends_with("longer than 64 MiB")),
        "{refused}"
    );
    assert!(talk.ask(2, "ping", json!({})).await["result"].is_object());
    assert_eq!(talk.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn batches_are_answered_in_versions_that_have_them() {
    let mut talk = Talk::greeted(Settings::default(), "2025-03-26").await;
    talk.send(json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/nothing" },
        { "jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": { "name": "file_history", "arguments": {} } },
        3,
        { "jsonrpc": "2.0", "id": 4, "method": "nothing/such" },
    ]))
    .await;
    let answer = talk.hear().await;
    let mut ids: Vec<String> =
        answer.as_array().expect("a list").iter().map(|answer| answer["id"].to_string()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["\"b\"", "1", "4", "null"], "{answer}");
    // A cancelled call has no response; the others in its batch do.
    talk.send(json!([
        { "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "file_undo", "arguments": { "id": SLOW } } },
        { "jsonrpc": "2.0", "id": 8, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } },
    ]))
    .await;
    let answer = talk.hear().await;
    assert_eq!(answer.as_array().map(Vec::len), Some(1), "{answer}");
    assert_eq!(answer[0]["id"], 8);
    talk.send(json!([{ "jsonrpc": "2.0", "method": "notifications/nothing" }])).await;
    talk.send(json!([1])).await;
    assert_eq!(talk.hear().await[0]["error"]["code"], -32600);
    assert_eq!(talk.end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn messages_before_initialize_do_not_disconnect() {
    let mut talk = Talk::start(Settings::default());
    talk.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
    talk.send(json!({ "jsonrpc": "2.0", "id": 9, "result": {} })).await;
    talk.say("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]").await;
    assert_eq!(talk.hear().await["error"]["code"], -32600);
    assert!(talk.ask(1, "ping", json!({})).await["result"].is_object());
    assert_eq!(talk.ask(2, "tools/list", json!({})).await["error"]["code"], -32602);
    assert_eq!(talk.greet("2025-11-25", json!({})).await["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(talk.end().await, Vec::<Value>::new());
    // The client sends nothing at all.
    assert_eq!(Talk::start(Settings::default()).end().await, Vec::<Value>::new());
}

#[tokio::test]
async fn answers_are_text_json_or_both_and_errors_are_text() {
    let arguments = json!({ "limit": 1 });
    for (answers, structured) in [(Answers::Text, false), (Answers::Structured, true), (Answers::Both, true)] {
        let mut talk = Talk::greeted(settings(answers), "2025-11-25").await;
        let tools = talk.ask(1, "tools/list", json!({})).await["result"]["tools"].clone();
        let tools = tools.as_array().expect("a list");
        assert!(tools.iter().all(|tool| tool.get("outputSchema").is_some() == structured), "{answers:?}");
        let answer = talk.call("file_history", arguments.clone()).await;
        let result = &answer["result"];
        assert_eq!(result.get("structuredContent").is_some(), structured, "{answers:?}: {answer}");
        let as_json = serde_json::from_str::<Value>(text(&answer)).ok();
        assert_eq!(as_json.is_some(), answers == Answers::Structured, "{answers:?}: {answer}");
        if let Some(as_json) = as_json {
            assert_eq!(as_json, result["structuredContent"]);
        } else {
            assert_eq!(text(&answer), "change-1 Edited a.txt in /one");
        }
        let failed = talk.call("file_read", json!({ "file": "a", "formt": "full" })).await;
        assert_eq!(failed["result"]["isError"], true, "{failed}");
        assert!(
            failed["result"].get("structuredContent").is_none(),
            "an error must not have structured content: {failed}"
        );
        let answer_text = text(&failed);
        assert!(
            answer_text.starts_with("InvalidArgument: file_read has no argument `formt`\nhint: ")
                && answer_text.contains("\n- format"),
            "{answer_text}"
        );
        talk.end().await;
    }
}

/// Returns the names of properties without a description, at any depth.
fn undescribed(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if property["description"].as_str().is_none_or(str::is_empty) {
            names.push(name.clone());
        }
        let inner = undescribed(property).into_iter().chain(undescribed(&property["items"]));
        names.extend(inner.map(|inner| format!("{name}.{inner}")));
    }
    names
}

#[tokio::test]
async fn tool_list_is_small_and_valid() {
    for (settings, most) in [
        (Settings { answers: Answers::Text, core: false }, 20_400),
        // This list also has output schemas.
        (Settings { answers: Answers::Both, core: false }, 44_400),
        (Settings { answers: Answers::Text, core: true }, 8_000),
    ] {
        let mut talk = Talk::greeted(settings, "2025-11-25").await;
        let answer = talk.ask(1, "tools/list", json!({})).await;
        let size = answer.to_string().len();
        println!("{settings:?}: {size} bytes");
        let tools = answer["result"]["tools"].as_array().expect("a list").clone();
        for tool in &tools {
            let (name, length) = (&tool["name"], tool["description"].as_str().unwrap_or_default().len());
            assert!(length < 2048 && tool["inputSchema"]["type"] == "object", "{name}");
            assert_eq!(undescribed(&tool["inputSchema"]), Vec::<String>::new(), "{settings:?}: {name}");
            for combinator in ["oneOf", "anyOf", "allOf", "not", "if"] {
                assert!(tool["inputSchema"].get(combinator).is_none(), "{name}: some models refuse `{combinator}`");
            }
            println!("    {name} {} bytes", tool.to_string().len());
        }
        assert!(size < most, "{settings:?}: {size} bytes");
        let text = answer.to_string();
        for noise in ["\"null\"", "\"format\":\"uint", "nullable", "preferences", "$schema"] {
            assert!(!text.contains(noise), "{noise}");
        }
        talk.end().await;
    }
}

#[tokio::test]
async fn core_list_gives_access_to_all_tools() {
    let mut talk = Talk::start(Settings { answers: Answers::Text, core: true });
    let hello = talk.greet("2025-11-25", json!({})).await;
    let instructions = hello["result"]["instructions"].as_str().expect("instructions").to_owned();
    assert!(
        instructions.contains("further arguments and tools: file_create") && instructions.len() < 2100,
        "{instructions}"
    );
    let listed = talk.ask(1, "tools/list", json!({})).await;
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["file_read", "file_edit", "file_move", "query", "more_tools"]);
    let others = talk.call("more_tools", json!({})).await;
    assert!(
        text(&others).contains("file_history: List changes made here") && !text(&others).contains("file_read:"),
        "{others}"
    );
    let one = talk.call("more_tools", json!({ "tool": "file_history" })).await;
    assert!(text(&one).contains("\"limit\""), "{one}");
    let called = talk.call("more_tools", json!({ "tool": "file_history", "arguments": { "limit": 1 } })).await;
    assert_eq!(text(&called), "change-1 Edited a.txt in /one");
    let direct = talk.call("file_history", json!({ "limit": 1 })).await;
    assert_eq!(text(&direct), text(&called), "a tool that is not listed must be callable directly");
    for wrong in [
        json!({ "tool": "file_histry" }),
        json!({ "arguments": {} }),
        json!({ "tool": "file_history", "arguments": 3 }),
    ] {
        let answer = talk.call("more_tools", wrong).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
    talk.end().await;
}

#[tokio::test]
async fn format_pages_are_resources() {
    let mut talk = Talk::greeted(Settings::default(), "2025-11-25").await;
    let listed = talk.ask(1, "resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"][0]["uri"], "marq://formats/list", "{listed}");
    let page = talk.ask(2, "resources/read", json!({ "uri": "marq://formats/list" })).await;
    assert_eq!(page["result"]["contents"][0]["text"], "# List\n\nLines of a list.\n", "{page}");
    let templates = talk.ask(3, "resources/templates/list", json!({})).await;
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "marq://formats/{format}");
    let missing = talk.ask(4, "resources/read", json!({ "uri": "marq://formats/lst" })).await;
    assert_eq!(missing["error"]["data"]["candidates"], json!(["marq://formats/list"]), "{missing}");
    talk.end().await;
}

#[tokio::test]
async fn client_roots_narrow_the_served_roots() {
    for (client_roots, served) in [
        (json!([{ "uri": "file:///two" }]), "/two"),
        (json!([{ "uri": "file:///elsewhere" }]), "/one"),
        (json!([]), "/one"),
        (json!([{ "uri": "file:///two" }, { "uri": "file:///one" }]), "/one"),
    ] {
        let mut talk = Talk::start(Settings::default());
        talk.greet("2025-06-18", json!({ "roots": {} })).await;
        let asked = talk.hear().await;
        assert_eq!(asked["method"], "roots/list", "{asked}");
        // The call waits for the roots.
        talk.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "file_history", "arguments": {} } })).await;
        talk.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": client_roots } })).await;
        let answer = talk.hear().await;
        assert!(text(&answer).contains(&format!("in {served}\n")), "{client_roots}: {answer}");
        let outside = talk.call("file_history", json!({ "root": "/one" })).await;
        assert_eq!(outside["result"]["isError"] == true, served == "/two", "{outside}");
        talk.end().await;
    }
}

#[tokio::test]
async fn cancelled_call_has_no_answer_and_progress_is_sent() {
    let mut talk = Talk::greeted(Settings::default(), "2025-11-25").await;
    let params = json!({ "name": "file_undo", "arguments": { "id": SLOW }, "_meta": { "progressToken": "p" } });
    talk.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })).await;
    let report = talk.hear().await;
    assert_eq!(
        (&report["method"], &report["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("p"))
    );
    assert!(report["params"]["message"].as_str().is_some_and(|text| text.starts_with("waiting ")), "{report}");
    talk.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } })).await;
    talk.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" })).await;
    let mut next = talk.hear().await;
    while next["method"] == "notifications/progress" {
        next = talk.hear().await;
    }
    assert_eq!(next["id"], 2, "{next}");
    assert!(talk.end().await.iter().all(|message| message["id"] != 1));
}

#[tokio::test]
async fn calls_of_disconnected_clients_are_cancelled() {
    for client in [
        StdioClient::with(false, || true, Duration::MAX),
        StdioClient::with(false, || false, Duration::from_millis(20)),
    ] {
        let mut talk = Talk::with(Settings::default(), client);
        talk.greet("2025-11-25", json!({})).await;
        let params = json!({ "name": "file_undo", "arguments": { "id": SLOW } });
        talk.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })).await;
        let started = std::time::Instant::now();
        let rest = talk.end().await;
        assert!(started.elapsed() < crate::disconnect::CANCEL_TIMEOUT, "cancelled");
        assert!(rest.iter().all(|answer| text(answer).starts_with("Cancelled")), "{rest:?}");
    }
}

#[tokio::test]
async fn last_requests_before_end_of_input_are_answered() {
    let mut talk = Talk::greeted(Settings::default(), "2025-11-25").await;
    for id in 1..=50 {
        let params = json!({ "name": "file_history", "arguments": { "limit": 1 } });
        talk.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })).await;
    }
    assert_eq!(talk.end().await.len(), 50);
}

#[tokio::test]
async fn excess_calls_are_refused_and_reads_do_not_wait() {
    let limits = Limits { calls_per_connection: 3, writes: 1, ..LIMITS };
    let client = StdioClient::with(false, || false, Duration::from_millis(50));
    let mut talk = Talk::over(testing::catalog().with_limits(limits), Settings::default(), client);
    talk.greet("2025-06-18", json!({})).await;
    let slow = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "file_undo", "arguments": { "id": SLOW } } });
    talk.send(slow(1)).await;
    talk.send(slow(2)).await;
    let history = talk.call("file_history", json!({})).await;
    assert!(text(&history).starts_with("change-1 "), "{history}");
    talk.send(slow(3)).await;
    talk.send(slow(4)).await;
    let refused = talk.hear().await;
    assert!(text(&refused).starts_with("LimitExceeded: 3 calls are in progress on this connection"), "{refused}");
    assert!(refused["result"]["isError"] == true && text(&refused).contains("then retry"), "{refused}");
}

#[test]
fn unlisted_tool_uses_its_own_queue() {
    let offer = ToolList::new(&testing::catalog(), Settings { answers: Answers::Text, core: true });
    let queue = |name: &str, given: Value| offer.queue(name, given.as_object().expect("an object"));
    for (name, given, expected) in [
        ("file_read", json!({ "file": "a" }), Queue::Read),
        ("query", json!({ "type": "references" }), Queue::Long),
        ("more_tools", json!({}), Queue::Read),
        ("more_tools", json!({ "tool": "file_delete" }), Queue::Read),
        ("more_tools", json!({ "tool": "file_delete", "arguments": {} }), Queue::Long),
        ("more_tools", json!({ "tool": "file_create", "arguments": {} }), Queue::Write),
        ("more_tools", json!({ "tool": "file_edit", "arguments": { "refactor": "rename_symbol" } }), Queue::Long),
        ("more_tools", json!({ "tool": "file_delete", "arguments": 1 }), Queue::Read),
        ("file_edit", json!({ "tool": "file_delete", "arguments": {} }), Queue::Write),
    ] {
        assert_eq!(queue(name, given.clone()), expected, "{name} {given}");
    }
}

#[tokio::test]
async fn unread_answers_pause_work_and_none_is_lost() {
    let limits = Limits { unread: 10_000, ..LIMITS };
    let client = StdioClient::with(false, || false, Duration::from_secs(5));
    let mut talk = Talk::over(testing::catalog().with_limits(limits), Settings::default(), client);
    talk.greet("2025-06-18", json!({})).await;
    for id in 1..=60 {
        let read = json!({ "name": "file_read", "arguments": { "file": "x".repeat(3000) } });
        talk.send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": read })).await;
    }
    let mut ids = Vec::new();
    for _ in 1..=60 {
        let answer = talk.hear().await;
        assert!(text(&answer).starts_with("FileNotFound: "), "{answer}");
        ids.push(answer["id"].as_u64().expect("an id"));
    }
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1..=60));
}

#[test]
fn list_without_a_server_is_that_of_the_server() {
    let catalog = testing::catalog();
    let listed = listed_tools(&catalog, None);
    let names: Vec<&str> =
        listed["tools"].as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, catalog.tools().iter().map(|tool| tool.name).collect::<Vec<_>>());
    let alone = listed_tools(&catalog, Some(catalog.find("file_undo").expect("a tool")));
    let undo = listed["tools"].as_array().expect("a list").iter().find(|tool| tool["name"] == "file_undo");
    assert_ne!(undo, Some(&alone["tools"][0]), "alone, it has all descriptions itself");
    let mut shape = alone["tools"][0].clone();
    (shape["description"], shape["inputSchema"]) = ("…".into(), shape["inputSchema"]["type"].clone());
    assert_eq!(
        shape.to_string(),
        r#"{"name":"file_undo","title":"Undo Change","description":"…","inputSchema":"object","annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}}"#
    );
}
