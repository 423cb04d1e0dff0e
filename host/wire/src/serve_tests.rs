//! HTTP: JSON-RPC and MCP with authentication, batches, and closed connections.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::*;
use crate::{
    limits::LIMITS,
    mcp::Answers,
    testing::{self, SLOW},
};

pub(super) const TOKEN: &str = "0123456789abcdef";
const ACCEPT: &str = "Accept: application/json, text/event-stream\r\n";

async fn started() -> Running {
    within(LIMITS).await
}

async fn within(limits: Limits) -> Running {
    let settings = Settings { answers: Answers::Text, core: false };
    serve(testing::catalog().with_limits(limits), settings, 0, TOKEN.to_owned()).await.expect("it listens")
}

fn authorized() -> String {
    format!("{ACCEPT}Authorization: Bearer {TOKEN}\r\n")
}

fn versioned(version: &str) -> String {
    format!("{}MCP-Protocol-Version: {version}\r\n", authorized())
}

async fn send(server: &Running, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.expect("connected");
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", server.address) };
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\n{host}Content-Type: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    stream.write_all((head + body).as_bytes()).await.expect("written");
    stream
}

/// Sends a request. Returns the status and the body of the response.
async fn request(server: &Running, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let (head, body) = request_with_head(server, method, path, headers, body).await;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body)
}

/// Sends a request. Returns the head and the body of the response.
pub(super) async fn request_with_head(
    server: &Running,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> (String, String) {
    let mut stream = send(server, method, path, headers, body).await;
    let mut answer = Vec::new();
    tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut answer))
        .await
        .expect("in time")
        .expect("read");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
    let body =
        if head.to_lowercase().contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_owned() };
    (head.to_owned(), body)
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        whole += &rest[..size];
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

async fn post(server: &Running, path: &str, headers: &str, body: &Value) -> (u16, Value) {
    let (status, body) = request(server, "POST", path, headers, &body.to_string()).await;
    // In a stream of events, the last one is the answer.
    let json = body.lines().rev().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&body);
    (status, serde_json::from_str(json).unwrap_or_default())
}

fn rpc(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn call(id: u64, name: &str, arguments: Value) -> Value {
    rpc(id, "tools/call", json!({ "name": name, "arguments": arguments }))
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_token_or_from_web_pages_are_refused() {
    let server = started().await;
    let token = authorized();
    let cases = [
        (token.clone(), 200),
        (format!("{token}Host: localhost:{}\r\n", server.address.port()), 200),
        (format!("{token}Host: 127.0.0.1\r\n"), 200),
        (ACCEPT.to_owned(), 401),
        (format!("{ACCEPT}Authorization: {TOKEN}\r\n"), 401),
        (format!("{ACCEPT}Authorization: Bearer {}\r\n", &TOKEN[1..]), 401),
        (format!("{ACCEPT}Authorization: Bearer {}\r\n", TOKEN.to_uppercase()), 401),
        (format!("{ACCEPT}Authorization: Bearer \r\n"), 401),
        (format!("{token}Origin: http://example.org\r\n"), 403),
        (format!("{token}Origin: null\r\n"), 403),
        (format!("{token}Origin: http://localhost.example.org\r\n"), 403),
        (format!("{token}Host: example.org\r\n"), 403),
        (format!("{token}Host: example.org:{}\r\n", server.address.port()), 403),
    ];
    for (headers, expected) in cases {
        let history = rpc(1, "file/history", json!({}));
        assert_eq!(post(&server, "/", &headers, &history).await.0, expected, "{headers}");
        assert_eq!(post(&server, "/rpc", &headers, &history).await.0, expected, "{headers}");
        let (status, _) = post(&server, MCP, &headers, &call(1, "file_history", json!({}))).await;
        assert_eq!(status, expected, "{headers}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn server_answers_proof_requests_on_loopback() {
    let server = started().await;
    let nonce = "0123456789abcdef0123456789abcdef";
    let own_page = format!("Origin: http://{}\r\n", server.address);
    let cases = [
        (format!("/proof?nonce={nonce}"), String::new(), 200),
        (format!("/proof?nonce={nonce}"), own_page, 403),
        (format!("/proof?nonce={nonce}"), "Host: example.org\r\n".to_owned(), 403),
        (format!("/proof?nonce={}", &nonce[1..]), String::new(), 400),
        (format!("/proof?nonce={}", nonce.replace('0', "g")), String::new(), 400),
        (format!("/proof?nonce={}", nonce.repeat(5)), String::new(), 400),
        ("/proof".to_owned(), String::new(), 400),
    ];
    for (path, headers, expected) in cases {
        let (status, body) = request(&server, "GET", &path, &headers, "").await;
        assert_eq!(status, expected, "{path} {headers}: {body}");
        assert!(!body.contains(TOKEN), "{body}");
    }
    assert_eq!(request(&server, "POST", &format!("/proof?nonce={nonce}"), "", "").await.0, 405);
}

/// The token is sent only over the connection on which the server proved its identity.
#[tokio::test(flavor = "multi_thread")]
async fn connection_stays_usable_after_the_proof() {
    let server = started().await;
    let address = server.address;
    let client = move |token: &'static str| {
        let mut stream = std::net::TcpStream::connect(address).expect("connected");
        let proved = proof::challenge(&mut stream, token, std::process::id());
        (proved.map_err(|error| error.kind()), stream)
    };
    let asked = tokio::task::spawn_blocking(move || {
        assert_eq!(client("another token").0, Err(std::io::ErrorKind::PermissionDenied));
        let (proved, mut stream) = client(TOKEN);
        proved.expect("proved");
        let body = rpc(1, "file/history", json!({})).to_string();
        let head = format!("{}Host: {address}\r\nConnection: close\r\n", authorized());
        let length = body.len();
        let request = format!(
            "POST / HTTP/1.1\r\n{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        std::io::Write::write_all(&mut stream, request.as_bytes()).expect("written");
        std::io::read_to_string(stream).expect("answered")
    });
    let answer = asked.await.expect("no panic");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("change-1"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_rpc_answers_requests_batches_and_invalid_messages() {
    let server = started().await;
    let token = authorized();
    let (status, answer) = post(&server, "/rpc", &token, &rpc(1, "file/history", json!({ "limit": 1 }))).await;
    assert_eq!((status, &answer["result"]["changes"][0]["id"]), (200, &json!("change-1")), "{answer}");
    let cases = [
        (rpc(1, "file/histroy", json!({})), -32601, "no method `file/histroy`"),
        (rpc(1, "file/history", json!([1])), -32602, "the parameters are not an object"),
        (rpc(1, "file/history", json!({ "limt": 1 })), -32602, "file_history has no argument `limt`"),
        (rpc(1, "file/history", json!({ "root": "/" })), -32009, "the root `/` is not served"),
        (rpc(1, "file_read", json!({ "file": "a" })), -32001, "`/one/a` does not exist"),
    ];
    for (body, code, message) in cases {
        for (one, answer) in [
            (body.clone(), post(&server, "/rpc", &token, &body).await.1),
            (json!([body]), post(&server, "/rpc", &token, &json!([body])).await.1[0].clone()),
        ] {
            let error = &answer["error"];
            assert_eq!(error["code"], code, "{one}: {answer}");
            assert!(error["message"].as_str().is_some_and(|text| text.contains(message)), "{answer}");
            assert!(error["data"]["candidates"].is_array(), "every error must have candidates: {answer}");
        }
    }
    let (_, both) =
        post(&server, "/rpc", &token, &json!([rpc(1, "file/history", json!({})), rpc(2, "nothing", json!({}))])).await;
    assert_eq!(both.as_array().map(Vec::len), Some(2), "{both}");
    for body in ["{", "nonsense", "[]", "7"] {
        let (_, answer) = request(&server, "POST", "/rpc", &token, body).await;
        assert!(answer.contains("\"code\":-32700") || answer.contains("\"code\":-32600"), "{body}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_is_served_in_both_eras_without_sessions() {
    let server = started().await;
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let hello =
            json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let (status, answer) = post(&server, MCP, &authorized(), &rpc(1, "initialize", hello)).await;
        assert_eq!((status, &answer["result"]["protocolVersion"]), (200, &json!(version)), "{answer}");
        let headers = versioned(version);
        let (status, _) =
            post(&server, MCP, &headers, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        assert_eq!(status, 202);
        let (_, listed) = post(&server, MCP, &headers, &rpc(2, "tools/list", json!({}))).await;
        assert!(listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() >= 10), "{listed}");
        let (_, answer) = post(&server, MCP, &headers, &call(3, "file_history", json!({ "limit": 1 }))).await;
        assert_eq!(text(&answer), "change-1 Edited a.txt in /one", "{answer}");
        let (_, page) =
            post(&server, MCP, &headers, &rpc(4, "resources/read", json!({ "uri": "marq://formats/list" }))).await;
        assert_eq!(page["result"]["contents"][0]["text"], "# List\n\nLines of a list.\n", "{page}");
    }
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let headers = format!("{}Mcp-Method: tools/call\r\nMcp-Name: file_history\r\n", versioned("2026-07-28"));
    let mut modern = call(1, "file_history", json!({ "limit": 1 }));
    modern["params"]["_meta"] = meta;
    let (status, answer) = post(&server, MCP, &headers, &modern).await;
    assert_eq!((status, text(&answer)), (200, "change-1 Edited a.txt in /one"), "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
    // The headers and the body must agree.
    let other = format!("{}Mcp-Method: tools/list\r\n", versioned("2026-07-28"));
    assert_eq!(post(&server, MCP, &other, &modern).await.0, 400);
    assert_eq!(request(&server, "GET", MCP, &authorized(), "").await.0, 405);
    assert_eq!(request(&server, "DELETE", MCP, &authorized(), "").await.0, 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_messages_are_answered_over_http() {
    let server = started().await;
    let headers = versioned("2025-06-18");
    let cases = [
        ("{", 400, -32700),
        ("nonsense", 400, -32700),
        ("7", 400, -32600),
        ("{}", 400, -32600),
        ("{\"id\":1,\"method\":\"ping\"}", 400, -32600),
        ("[]", 400, -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", 400, -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}", 200, -32602),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"file_read\",\"arguments\":[]}}",
            200,
            -32602,
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"file_raed\"}}", 200, -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing/such\"}", 200, -32601),
    ];
    for (body, status, code) in cases {
        let (got, answer) = request(&server, "POST", MCP, &headers, body).await;
        assert!(answer.contains(&format!("\"code\":{code}")), "{body}: {answer}");
        // The library may choose another status for its own responses.
        assert!(got == status || (status == 200 && (400..500).contains(&got)), "{body}: {got} {answer}");
    }
    let (_, failed) = post(&server, MCP, &headers, &call(1, "file_read", json!({ "file": "a" }))).await;
    assert!(failed["result"]["isError"] == true && text(&failed).starts_with("FileNotFound: "), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_are_answered_together_over_http() {
    let server = started().await;
    let mut watched = call(2, "file_history", json!({}));
    watched["params"]["_meta"] = json!({ "progressToken": 1 });
    let batch =
        json!([rpc(1, "ping", json!({})), { "jsonrpc": "2.0", "method": "notifications/initialized" }, watched, 7]);
    let (status, answer) = post(&server, MCP, &versioned("2025-03-26"), &batch).await;
    assert_eq!((status, answer.as_array().map(Vec::len)), (200, Some(3)), "{answer}");
    let ids: Vec<&Value> = answer.as_array().expect("a list").iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!(2), &Value::Null], "{answer}");
    let quiet = json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }]);
    assert_eq!(post(&server, MCP, &versioned("2025-03-26"), &quiet).await.0, 202);
    assert_eq!(request(&server, "POST", MCP, &versioned("2025-03-26"), "[1,").await.0, 400);
}

/// Waits until the slow undo is in progress, or until it has ended.
async fn until(server: &Running, waiting: bool) {
    let started = Instant::now();
    while (testing::waiting() > 0) != waiting {
        assert!(started.elapsed() < Duration::from_secs(10), "waiting: {waiting}, at {}", server.address);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_closed_http_connections_are_cancelled() {
    let server = started().await;
    let slow = json!({ "id": format!("{SLOW}, alone") });
    for (path, headers, body) in [
        ("/rpc", authorized(), rpc(1, "file/undo", slow.clone())),
        (MCP, versioned("2025-06-18"), call(1, "file_undo", slow.clone())),
    ] {
        let stream = send(&server, "POST", path, &headers, &body.to_string()).await;
        until(&server, true).await;
        drop(stream);
        until(&server, false).await;
    }
}

#[test]
fn tokens_are_long_and_unique() {
    let (one, other) = (token().expect("randomness"), token().expect("randomness"));
    assert!(one.len() == 64 && one.bytes().all(|byte| byte.is_ascii_hexdigit()) && one != other);
    assert!(
        constant_time_eq(b"abc", b"abc")
            && !constant_time_eq(b"abc", b"abd")
            && !constant_time_eq(b"abc", b"ab")
            && !constant_time_eq(b"", b"a")
    );
}

#[tokio::test]
async fn occupied_port_is_an_error_with_a_hint() {
    let server = started().await;
    let again = serve(testing::catalog(), Settings::default(), server.address.port(), TOKEN.to_owned()).await;
    let error = again.err().expect("it is taken");
    assert!(error.content().hint.as_ref().is_some_and(|hint| hint.contains("another port")), "{error}");
}

/// Opens a connection on which nothing is sent.
async fn silent(server: &Running) -> TcpStream {
    TcpStream::connect(server.address).await.expect("connected")
}

/// Opens a connection that stays open after its first response. Also returns the status of that response.
async fn kept(server: &Running, token: &str) -> (TcpStream, u16) {
    let mut stream = silent(server).await;
    let body = rpc(1, "file/history", json!({})).to_string();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{token}\r\n",
        server.address,
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.expect("written");
    let mut start = [0; 12];
    stream.read_exact(&mut start).await.expect("an answer");
    let status = std::str::from_utf8(&start[9..]).ok().and_then(|status| status.parse().ok()).expect("a status");
    (stream, status)
}

/// Returns whether the server closes the connection soon.
async fn ends(stream: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut rest)).await.is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_are_closed() {
    let server = within(Limits { authentication_time: Duration::from_millis(100), ..LIMITS }).await;
    assert!(ends(&mut silent(&server).await).await, "a connection without a request must be closed");
    let mut slow = silent(&server).await;
    slow.write_all(b"POST / HTTP/1.1\r\nHost: local").await.expect("written");
    assert!(ends(&mut slow).await, "a connection with an incomplete request must be closed");
    let (mut inside, status) = kept(&server, &authorized()).await;
    assert_eq!(status, 200);
    let mut byte = [0];
    while tokio::time::timeout(Duration::from_millis(500), inside.read(&mut byte))
        .await
        .is_ok_and(|read| read.is_ok_and(|read| read > 0))
    {}
    assert!(kept(&server, &authorized()).await.1 == 200, "other clients are accepted meanwhile");
    inside.write_all(b"GET / HTTP/1.1\r\n").await.expect("an authenticated connection stays open");
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_request_closes_its_connection() {
    let server = started().await;
    let (mut refused, status) = kept(&server, ACCEPT).await;
    assert!(status == 401 && ends(&mut refused).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn unauthenticated_connections_do_not_block_others() {
    let server = within(Limits { unauthenticated: 3, ..LIMITS }).await;
    let mut unauthenticated = Vec::new();
    for _ in 0..20 {
        unauthenticated.push(silent(&server).await);
    }
    assert_eq!(kept(&server, &authorized()).await.1, 200);
    for connection in &mut unauthenticated[..17] {
        assert!(ends(connection).await, "the oldest connections must be closed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn number_of_connections_is_limited() {
    let server = within(Limits { connections: 2, ..LIMITS }).await;
    let (one, _other) = (kept(&server, &authorized()).await, kept(&server, &authorized()).await);
    assert_eq!(kept(&server, &authorized()).await.1, 503);
    drop(one);
    let started = Instant::now();
    while kept(&server, &authorized()).await.1 != 200 {
        assert!(started.elapsed() < Duration::from_secs(10), "a closed connection must free its slot");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn client_that_does_not_read_is_disconnected() {
    let server = within(Limits { stalled: Duration::from_millis(200), ..LIMITS }).await;
    let mut stream = silent(&server).await;
    let body = rpc(1, "file/read", json!({ "file": "x".repeat(1 << 20) })).to_string();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n",
        server.address,
        body.len(),
        authorized()
    );
    // All requests together are larger than the buffers between client and server.
    let all = async {
        for _ in 0..200 {
            stream.write_all((head.clone() + &body).as_bytes()).await?;
        }
        Ok::<(), std::io::Error>(())
    };
    let written = tokio::time::timeout(Duration::from_secs(30), all).await.expect("the connection is closed in time");
    assert!(written.is_err());
}

/// Opens connections, each with a change that runs until it is cancelled.
async fn busy(server: &Running, changes: usize) -> Vec<TcpStream> {
    let slow = rpc(1, "file/undo", json!({ "id": SLOW })).to_string();
    let mut busy = Vec::new();
    for _ in 0..changes {
        busy.push(send(server, "POST", "/", &authorized(), &slow).await);
    }
    busy
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_are_answered_while_changes_wait() {
    let server = within(Limits { writes: 1, ..LIMITS }).await;
    let history = rpc(2, "file/history", json!({}));
    let _busy = busy(&server, 5).await;
    let (_, answer) = post(&server, "/", &authorized(), &history).await;
    assert!(answer["result"]["changes"].is_array(), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn excess_calls_are_refused_with_a_hint() {
    for (path, headers, body) in [
        ("/", authorized(), rpc(2, "file/history", json!({}))),
        ("/", authorized(), json!([rpc(2, "file/history", json!({}))])),
        (MCP, versioned("2025-06-18"), call(2, "file_history", json!({}))),
    ] {
        let server = within(Limits { calls: 3, ..LIMITS }).await;
        let (mut changes, started) = (Vec::new(), Instant::now());
        // The change may be refused, too, if it arrives after this call.
        let refusal = loop {
            changes.append(&mut busy(&server, 1).await);
            let refusal = post(&server, path, &headers, &body).await.1.to_string();
            if refusal.contains("LimitExceeded") {
                break refusal;
            }
            assert!(started.elapsed() < Duration::from_secs(10), "{path}: {refusal}");
        };
        assert!(
            refusal.contains("3 calls are in progress in this server") && refusal.contains("then retry"),
            "{path}: {refusal}"
        );
    }
}
