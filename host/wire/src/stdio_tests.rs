//! JSON-RPC over standard input and output.

use std::{
    io::{BufReader, Cursor, pipe},
    sync::{Arc, Mutex},
};

use super::*;
use crate::{
    limits::LIMITS,
    testing::{self, SLOW, STUCK},
};

/// Collects the output.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Written {
    fn lines(&self) -> Vec<Value> {
        let bytes = self.0.lock().expect("no panic").clone();
        let text = String::from_utf8(bytes).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn patient() -> StdioClient {
    StdioClient::with(true, || false, Duration::MAX)
}

/// Returns the answers to these lines, in any order.
fn answers(input: &[u8]) -> Vec<Value> {
    answers_of(testing::catalog(), input)
}

pub(super) fn answers_of(catalog: ServedCatalog, input: &[u8]) -> Vec<Value> {
    let written = Written::default();
    serve_streams(catalog, &mut Cursor::new(input.to_vec()), written.clone(), &patient()).expect("served");
    written.lines()
}

fn answer(line: &str) -> Value {
    let mut all = answers(line.as_bytes());
    assert_eq!(all.len(), 1, "{line}: {all:?}");
    all.remove(0)
}

#[test]
fn requests_are_answered_under_their_ids() {
    let history = |id: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"file/history\",\"params\":{{\"limit\":1}}}}")
    };
    for id in ["1", "-7", "1.5", "\"one\"", "\"\\\"quoted\\\"\"", "null", "12345678901234567890"] {
        let answer = answer(&history(id));
        assert_eq!(answer["id"], serde_json::from_str::<Value>(id).expect("JSON"), "{id}");
        assert_eq!(answer["result"]["changes"][0]["title"], "Edited a.txt in /one", "{answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
    // Calls by tool name, without parameters, without a final line break, and between empty lines.
    for line in [
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"file_history\"}",
        "\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"file/history\",\"params\":null}\n\n",
        " {\"params\":{},\"method\":\"file/history\",\"id\":1,\"jsonrpc\":\"2.0\",\"other\":[]}\r\n",
    ] {
        assert_eq!(answer(line)["result"]["changes"].as_array().map(Vec::len), Some(3), "{line}");
    }
}

#[test]
fn failed_requests_are_answered_with_the_reason() {
    let request = |rest: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":1,{rest}}}");
    let cases = [
        ("{".to_owned(), -32700, Value::Null, "not JSON: EOF"),
        ("nonsense".to_owned(), -32700, Value::Null, "not JSON: expected"),
        ("[1,".to_owned(), -32700, Value::Null, "not JSON: EOF"),
        ("3".to_owned(), -32600, Value::Null, "a message is an object"),
        ("\"text\"".to_owned(), -32600, Value::Null, "a message is an object"),
        ("[]".to_owned(), -32600, Value::Null, "a batch must not be empty"),
        ("{}".to_owned(), -32600, Value::Null, "`jsonrpc` must be"),
        ("{\"id\":1,\"method\":\"file/history\"}".to_owned(), -32600, json!(1), "`jsonrpc` must be"),
        (
            "{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"file/history\"}".to_owned(),
            -32600,
            json!("a"),
            "`jsonrpc` must be",
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"file/history\"}".to_owned(), -32600, Value::Null, "`id` must be"),
        (request("\"params\":{}"), -32600, json!(1), "`method` must be"),
        (request("\"method\":7"), -32600, json!(1), "`method` must be"),
        (request("\"method\":\"file/histroy\""), -32601, json!(1), "no method `file/histroy`"),
        (request("\"method\":\"\""), -32601, json!(1), "no method ``"),
        (request("\"method\":\"file/history\",\"params\":[1]"), -32602, json!(1), "the parameters are not an object"),
        (request("\"method\":\"file/history\",\"params\":\"a\""), -32602, json!(1), "the parameters are not an object"),
        (
            request("\"method\":\"file/history\",\"params\":{\"limt\":1}"),
            -32602,
            json!(1),
            "file_history has no argument `limt`",
        ),
        (
            request("\"method\":\"file/history\",\"params\":{\"limit\":\"a\"}"),
            -32602,
            json!(1),
            "`limit` is the string \"a\"",
        ),
        (request("\"method\":\"file/read\",\"params\":{\"file\":\"a\"}"), -32001, json!(1), "`/one/a` does not exist"),
        (
            request("\"method\":\"file/history\",\"params\":{\"root\":\"/\"}"),
            -32009,
            json!(1),
            "the root `/` is not served",
        ),
        (
            request("\"method\":\"file/undo\",\"params\":{\"id\":\"panic\"}"),
            -32603,
            json!(1),
            "panicked: as requested by the test",
        ),
    ];
    for (line, code, id, message) in cases {
        let answer = answer(&line);
        let error = &answer["error"];
        assert_eq!((&error["code"], &answer["id"]), (&json!(code), &id), "{line}: {answer}");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(message)), "{line}: {answer}");
        // Every error has all four fields.
        let data = error["data"].as_object().expect("data");
        assert!(["kind", "message", "hint", "candidates"].iter().all(|key| data.contains_key(*key)), "{answer}");
    }
    let unknown = answer(&request("\"method\":\"file/histroy\""));
    assert_eq!(unknown["error"]["data"]["candidates"][0], "file/history");
    assert_eq!(answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\u{fffd}\"}")["error"]["code"], -32601);
}

#[test]
fn line_with_invalid_utf8_is_refused() {
    let answers = answers(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"file/undo\",\"params\":{\"id\":\"\xff\"}}\n");
    assert_eq!(answers[0]["error"]["code"], -32700);
    assert!(answers[0]["error"]["message"].as_str().is_some_and(|text| text.contains("not UTF-8")));
}

#[test]
fn too_long_line_is_not_buffered() {
    let mut input = vec![b' '; MESSAGE + 10];
    input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"file/history\"}\n");
    let answers = answers(&input);
    assert_eq!(answers.len(), 2);
    let long = answers.iter().find(|answer| answer["id"].is_null()).expect("an answer");
    assert!(long["error"]["message"].as_str().is_some_and(|text| text.contains("longer than 64 MiB")), "{long}");
    assert!(answers.iter().any(|answer| answer["result"]["changes"].is_array()));
}

#[test]
fn notifications_are_not_answered_and_do_nothing() {
    let quiet = "{\"jsonrpc\":\"2.0\",\"method\":\"file/undo\",\"params\":{\"id\":\"panic\"}}\n{\"jsonrpc\":\"2.0\",\"method\":\"nothing\"}\n";
    assert_eq!(answers(quiet.as_bytes()), Vec::<Value>::new());
    assert_eq!(answers(format!("[{}]", quiet.trim().replace('\n', ",")).as_bytes()), Vec::<Value>::new());
}

#[test]
fn batches_are_answered_together() {
    let one = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"file/history\"}";
    let quiet = "{\"jsonrpc\":\"2.0\",\"method\":\"file/history\"}";
    let wrong = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"nothing\"}";
    let answer = answer(&format!("[{one},{quiet},{wrong},3]"));
    let all = answer.as_array().expect("a list");
    assert_eq!(all.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), [json!(1), json!(2), Value::Null]);
    assert_eq!((&all[1]["error"]["code"], &all[2]["error"]["code"]), (&json!(-32601), &json!(-32600)));
}

fn slow(id: u64) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "file/undo", "params": { "id": SLOW } }).to_string()
}

#[test]
fn cancelling_a_call_does_not_affect_others() {
    let cancel = |id: u64| json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } }).to_string();
    let quick = json!({ "jsonrpc": "2.0", "id": 9, "method": "file/history" }).to_string();
    let batch = format!("[{},{}]", slow(3), slow(4));
    let lines = [slow(1), quick, cancel(1), cancel(7), batch, cancel(3), cancel(4)].join("\n");
    let answers = answers(lines.as_bytes());
    assert_eq!(answers.len(), 3, "{answers:?}");
    let code = |answer: &Value| answer["error"]["code"].as_i64();
    let by_id = |id: u64| answers.iter().find(|answer| answer["id"] == id).expect("an answer");
    assert_eq!((code(by_id(1)), code(by_id(9))), (Some(-32800), None));
    let both = answers.iter().find_map(Value::as_array).expect("a batch");
    assert!(both.iter().all(|answer| code(answer) == Some(-32800)), "{both:?}");
}

#[test]
fn pack_sees_the_cancellation_of_its_call() {
    let started = Instant::now();
    for (method, params) in [
        ("file/read", json!({ "file": STUCK })),
        ("file/edit", json!({ "file": STUCK, "lines": "1", "operation": "replace", "content": "" })),
        ("query", json!({ "type": "documentSymbols", "path": STUCK })),
    ] {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1 } }).to_string();
        let answers = answers(format!("{call}\n{cancel}").as_bytes());
        assert_eq!(answers[0]["error"]["data"]["kind"], "Cancelled", "{method}: {answers:?}");
    }
    assert!(started.elapsed() < Duration::from_secs(10), "the call must end because it was cancelled");
}

#[test]
fn progress_is_sent_to_clients_that_request_it() {
    let mut asked: Value = serde_json::from_str(&slow(1)).expect("JSON");
    asked["params"]["workDoneToken"] = json!("t");
    let (input, mut client) = pipe().expect("a pipe");
    let written = Written::default();
    let output = written.clone();
    let serving =
        thread::spawn(move || serve_streams(testing::catalog(), &mut BufReader::new(input), output, &patient()));
    writeln!(client, "{asked}").expect("written");
    let reported = |lines: &[Value]| lines.iter().any(|line| line["params"]["value"]["kind"] == "report");
    while !reported(&written.lines()) {
        thread::yield_now();
    }
    writeln!(client, "{}", json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1 } }))
        .expect("written");
    drop(client);
    serving.join().expect("no panic").expect("served");
    let lines = written.lines();
    assert_eq!((&lines[0]["method"], &lines[0]["params"]["value"]["kind"]), (&json!("$/progress"), &json!("begin")));
    assert!(lines.iter().filter(|line| line.get("method").is_some()).all(|line| line["params"]["token"] == "t"));
    assert_eq!(lines[lines.len() - 2]["params"]["value"]["kind"], "end");
    assert_eq!(lines[lines.len() - 1]["error"]["code"], -32800);
}

#[test]
fn calls_of_disconnected_clients_are_cancelled() {
    // A client that disconnects immediately, and one that disconnects after a while.
    for client in [
        StdioClient::with(false, || true, Duration::MAX),
        StdioClient::with(false, || false, Duration::from_millis(20)),
    ] {
        let started = Instant::now();
        let written = Written::default();
        let lines = [slow(1), slow(2)].join("\n");
        serve_streams(testing::catalog(), &mut Cursor::new(lines.into_bytes()), written.clone(), &client)
            .expect("served");
        assert!(started.elapsed() < disconnect::CANCEL_TIMEOUT, "cancelled");
        assert!(written.lines().iter().all(|answer| answer["error"]["data"]["kind"] == "Cancelled"));
    }
}

#[test]
fn many_requests_at_once_are_all_answered() {
    let request =
        |id: usize| json!({ "jsonrpc": "2.0", "id": id, "method": "file/history", "params": { "limit": id % 4 } });
    let lines: Vec<String> = (0..3000).map(|id| request(id).to_string()).collect();
    let answers = answers(lines.join("\n").as_bytes());
    let mut ids: Vec<u64> = answers.iter().map(|answer| answer["id"].as_u64().expect("an id")).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..3000).collect::<Vec<u64>>());
}

/// Sends `lines_sent`, waits until `enough` has been received, then sends `last`. Returns all messages.
fn received_messages(
    catalog: ServedCatalog,
    lines_sent: &str,
    enough: impl Fn(&[Value]) -> bool,
    last: &str,
) -> Vec<Value> {
    let (input, mut client) = pipe().expect("a pipe");
    let written = Written::default();
    let output = written.clone();
    let serving = thread::spawn(move || serve_streams(catalog, &mut BufReader::new(input), output, &patient()));
    writeln!(client, "{lines_sent}").expect("written");
    let started = Instant::now();
    while !enough(&written.lines()) {
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", written.lines());
        thread::sleep(Duration::from_millis(1));
    }
    writeln!(client, "{last}").expect("written");
    drop(client);
    serving.join().expect("no panic").expect("served");
    written.lines()
}

#[test]
fn reads_do_not_wait_for_many_changes() {
    let history = json!({ "jsonrpc": "2.0", "id": 9000, "method": "file/history" }).to_string();
    let slow: Vec<String> = (0..200).map(slow).collect();
    let cancel = |id| json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } }).to_string();
    let cancel: Vec<String> = (0..200).map(cancel).collect();
    let input = format!("{}\n{history}", slow.join("\n"));
    let lines = received_messages(testing::catalog(), &input, |lines| !lines.is_empty(), &cancel.join("\n"));
    assert_eq!(lines[0]["id"], 9000, "{}", lines[0]);
    assert_eq!(lines.len(), 201);
    assert!(lines[1..].iter().all(|line| line["error"]["data"]["kind"] == "Cancelled"));
}

#[test]
fn batch_uses_the_queue_of_its_widest_call() {
    let session = |text: &str| {
        let output = Output::new(Written::default());
        let outbox = Outbox(Arc::new(|_| {}));
        let session = Session { catalog: testing::catalog(), calls: Calls::default(), outbox, output };
        session.queue(&session.parse(text))
    };
    let call = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let read = call("file/read", json!({ "file": "a" }));
    let edit = call("file/edit", json!({ "file": "a", "content": "b" }));
    let refactor = call("file/edit", json!({ "file": "a", "refactor": "rename_symbol" }));
    for (message, queue) in [
        (read.clone(), Queue::Read),
        (edit.clone(), Queue::Write),
        (refactor.clone(), Queue::Long),
        (json!([read, edit]), Queue::Write),
        (json!([edit, refactor, read]), Queue::Long),
        (json!([]), Queue::Read),
        (json!([1]), Queue::Read),
        (json!({}), Queue::Read),
        (call("nothing", json!({})), Queue::Read),
        (call("query", json!({ "type": "references" })), Queue::Long),
        (json!({ "jsonrpc": "2.0", "method": "file/move" }), Queue::Read),
    ] {
        assert_eq!(session(&message.to_string()), queue, "{message}");
    }
    assert_eq!(session("no JSON"), Queue::Read);
}

/// Blocks writes until it is released.
#[derive(Clone, Default)]
struct Stuck {
    written: Written,
    goes_on: Arc<(Mutex<bool>, std::sync::Condvar)>,
}

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let (goes_on, condition) = &*self.goes_on;
        drop(condition.wait_while(goes_on.lock().expect("no panic"), |goes_on| !*goes_on).expect("no panic"));
        self.written.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn no_work_is_done_for_clients_that_do_not_read() {
    let read =
        |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "file/read", "params": { "file": "x".repeat(1000) } });
    let requests: Vec<String> = (0..200).map(|id| read(id).to_string()).collect();
    let stuck = Stuck::default();
    let output = Output::new(stuck.clone());
    let limits = Limits { unread: 2000, ..LIMITS };
    let catalog = testing::catalog().with_limits(limits);
    let outbox = Outbox(Arc::new(|_| {}));
    let session = Session { catalog, calls: Calls::default(), outbox, output: output.clone() };
    let mut workers = Workers::new(session.clone());
    for line in &requests {
        workers.enqueue(session.parse(line), line.len()).expect("a thread");
    }
    // Calls that began before the first write may finish, but no further ones begin.
    let most = (limits.reads + 2) * 2000;
    for _ in 0..50 {
        assert!(!output.unread.exceeds(most), "too many unread answers were computed");
        thread::sleep(Duration::from_millis(2));
    }
    *stuck.goes_on.0.lock().expect("no panic") = true;
    stuck.goes_on.1.notify_all();
    workers.finish(&patient());
    assert_eq!(stuck.written.lines().len(), 200, "all requests must be answered once the client reads again");
}

#[test]
fn absolute_path_selects_its_root() {
    let read = |file: &str| {
        answer(&json!({ "jsonrpc": "2.0", "id": 1, "method": "file/read", "params": { "file": file } }).to_string())
    };
    for (file, expected) in [
        ("/two/a", "`/two//two/a`"),
        ("file:///two/a", "`/two/file:///two/a`"),
        ("/one/a", "`/one//one/a`"),
        ("/three/a", "`/one//three/a`"),
    ] {
        let answer = read(file);
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains(expected)), "{answer}");
    }
}
