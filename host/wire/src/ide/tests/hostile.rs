//! Hostile and faulty clients.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpStream, time::timeout};

use super::{
    client::{Client, frames, hello},
    script::{Script, TOKEN},
    started,
};
use crate::limits::{LIMITS, Limits, MESSAGE};

fn token() -> String {
    format!("x-claude-code-ide-authorization: {TOKEN}\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_token_or_from_web_pages_are_refused() {
    let server = started(Arc::new(Script::default()), LIMITS).await;
    let port = server.address.port();
    for (headers, status) in [
        (token(), 101),
        (format!("{}Host: localhost:{port}\r\n", token()), 101),
        (format!("{}Sec-WebSocket-Protocol: other, mcp\r\n", token()), 101),
        (String::new(), 401),
        ("x-claude-code-ide-authorization: \r\n".to_owned(), 401),
        (format!("x-claude-code-ide-authorization: {}\r\n", &TOKEN[1..]), 401),
        (format!("x-claude-code-ide-authorization: {}\r\n", TOKEN.to_uppercase()), 401),
        (format!("x-claude-code-ide-authorization: {TOKEN}0\r\n"), 401),
        (format!("Authorization: Bearer {TOKEN}\r\n"), 401),
        (format!("{}Origin: http://example.org\r\n", token()), 403),
        (format!("{}Origin: null\r\n", token()), 403),
        (format!("{}Origin: http://localhost:{port}\r\n", token()), 403),
        (format!("{}Host: example.org\r\n", token()), 403),
        (format!("{}Host: example.org:{port}\r\n", token()), 403),
    ] {
        let (_, head) = Client::try_open(&server, &headers).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{headers}: {head}");
        let offers = headers.contains("Protocol");
        assert_eq!(head.to_lowercase().contains("sec-websocket-protocol: mcp"), offers, "{head}");
    }
    let mut plain = TcpStream::connect(server.address).await.expect("connected");
    let request = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", token());
    plain.write_all(request.as_bytes()).await.expect("written");
    let mut answer = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut plain, &mut answer).await.expect("answered, and closed");
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_read_in_any_fragmentation() {
    let server = started(Arc::new(Script::default()), LIMITS).await;
    let mut client = Client::open(&server).await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for size in [1, 2, 7, ping.len()] {
        client.0.write_all(&frames(ping, size)).await.expect("written");
        assert_eq!(client.receive().await, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
    }
    for byte in frames(ping, usize::MAX) {
        client.0.write_all(&[byte]).await.expect("written");
        client.0.flush().await.expect("written");
        tokio::task::yield_now().await;
    }
    assert_eq!(client.receive().await["id"], 1);
    // Send the upgrade request byte by byte.
    let mut stream = TcpStream::connect(server.address).await.expect("connected");
    stream.set_nodelay(true).expect("set");
    for byte in hello(&server, &token()).into_bytes() {
        stream.write_all(&[byte]).await.expect("written");
    }
    let mut slow = Client(stream);
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tokio::io::AsyncReadExt::read_u8(&mut slow.0).await.expect("an answer"));
    }
    slow.send_text(ping).await.expect("written");
    assert_eq!(slow.receive().await["id"], 1);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_messages_are_answered_and_long_ones_disconnect() {
    let server = started(Arc::new(Script::default()), LIMITS).await;
    let mut client = Client::open(&server).await;
    for (message, code) in [
        ("", -32700),
        ("nonsense", -32700),
        ("[]", -32600),
        ("7", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"executeCode","arguments":{}}}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openFile","arguments":{}}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openFile","arguments":[]}}"#, -32602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openFile","arguments":{"filePath":"/etc/passwd"}}}"#,
            -32000,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"saveDocument","arguments":{"filePath":"file:///etc/%00"}}}"#,
            -32000,
        ),
    ] {
        client.send_text(message).await.expect("written");
        let answer = client.receive().await;
        assert_eq!(answer["error"]["code"], code, "{message}: {answer}");
    }
    // A frame that announces more than the maximum size of a message.
    let mut head = vec![0x81, 0x80 | 127];
    head.extend_from_slice(&(MESSAGE as u64 + 1).to_be_bytes());
    head.extend_from_slice(&[0; 4]);
    client.0.write_all(&head).await.expect("written");
    assert!(client.is_closed().await);
    // Invalid frames.
    for bytes in [&[0xff_u8, 0xff, 0xff, 0xff][..], &[0x83, 0x80, 0, 0, 0, 0], &[0x81, 0x01, b'x']] {
        let mut client = Client::open(&server).await;
        client.0.write_all(bytes).await.expect("written");
        client.0.write_all(&[0; 200]).await.ok();
        assert!(client.is_closed().await, "{bytes:?}");
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_and_excess_connections_are_closed() {
    let limits =
        Limits { authentication_time: Duration::from_millis(50), connections: 2, calls_per_connection: 1, ..LIMITS };
    let script = Arc::new(Script::default());
    let server = started(Arc::<Script>::clone(&script), limits).await;
    let mut silent = Client(TcpStream::connect(server.address).await.expect("connected"));
    assert!(silent.is_closed().await, "a connection that did not authenticate must be closed");
    let mut first = Client::open(&server).await;
    let _second = Client::open(&server).await;
    let (_, head) = Client::try_open(&server, &token()).await;
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    let diff = |id: u32| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "openDiff", "arguments": {
            "old_file_path": "a.ts", "new_file_path": "a.ts", "new_file_contents": "", "tab_name": format!("{id}") } } })
        .to_string()
    };
    first.send_text(&diff(1)).await.expect("written");
    script.wait_asked().await;
    first.send_text(&diff(2)).await.expect("written");
    let refused = first.receive().await;
    assert_eq!((&refused["id"], &refused["error"]["data"]["kind"]), (&json!(2), &json!("LimitExceeded")), "{refused}");
    assert!(script.do_it("rejects"));
    assert_eq!(first.receive().await["id"], 1);
    assert!(timeout(Duration::from_secs(20), server.end()).await.is_ok());
}

/// Number of random frames to send. `MARQ_FRAMES` overrides it for long manual runs.
fn frames_to_send() -> usize {
    std::env::var("MARQ_FRAMES").ok().and_then(|number| number.parse().ok()).unwrap_or(20_000)
}

/// Deterministic pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    /// A random message, valid or not.
    fn message(&mut self) -> String {
        let method =
            self.pick(&["tools/call", "tools/call", "tools/call", "initialize", "ping", "tools/list", "nothing", ""]);
        let tool = self.pick(&[
            "openFile",
            "openDiff",
            "close_tab",
            "closeAllDiffTabs",
            "getDiagnostics",
            "getCurrentSelection",
            "getLatestSelection",
            "getOpenEditors",
            "getWorkspaceFolders",
            "checkDocumentDirty",
            "saveDocument",
            "executeCode",
        ]);
        let path =
            self.pick(&["/etc/passwd", "file:///etc/passwd", "~/x", "/one/a.ts", "a.ts", "", "\0", "file://%zz", "/"]);
        let id = [json!(self.below(9)), json!(null), json!("x"), json!({}), json!(-1)][self.below(5)].clone();
        let value = [json!(path), json!(null), json!([path]), json!(self.below(1 << 30))][self.below(4)].clone();
        let mut arguments = json!({ "filePath": path, "uri": path, "tab_name": value, "startLine": value });
        for name in ["old_file_path", "new_file_path", "new_file_contents"] {
            if self.below(4) > 0 {
                arguments[name] = json!(path);
            }
        }
        let mut generated =
            json!({ "jsonrpc": "2.0", "method": method, "params": { "name": tool, "arguments": arguments } });
        if self.below(5) > 0 {
            generated["id"] = id;
        }
        let mut text = generated.to_string();
        // Some messages are truncated.
        if self.below(6) == 0 {
            let at = (0..=self.below(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.truncate(at);
        }
        text
    }

    /// Random bytes, which may form a frame, several frames, or part of one.
    fn bytes(&mut self) -> Vec<u8> {
        (0..self.below(40)).map(|_| self.below(256) as u8).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_frames_neither_crash_nor_reach_other_files() {
    const BATCH: usize = 64;
    let script = Arc::new(Script::default());
    let server = started(Arc::<Script>::clone(&script), LIMITS).await;
    let (mut random, mut sent, mut round) = (Random(7), 0, 0);
    let mut client = Client::open(&server).await;
    while sent < frames_to_send() {
        round += 1;
        // Read between batches: a client that does not read is disconnected.
        let batch: Vec<String> = (0..BATCH).map(|_| random.message()).collect();
        client
            .0
            .write_all(&batch.iter().flat_map(|message| frames(message, 1 + message.len() / 2)).collect::<Vec<u8>>())
            .await
            .expect("taken");
        client.send_text(r#"{"jsonrpc":"2.0","id":"sync","method":"ping"}"#).await.expect("written");
        while client.receive().await["id"] != "sync" {}
        sent += BATCH;
        for asked in script.take_asked() {
            assert!(!asked.contains("/etc") && !asked.contains(".."), "{asked}");
        }
        if round % 8 == 0 {
            // Invalid frames end their connection and no other.
            client.0.write_all(&random.bytes()).await.expect("written");
            client = Client::open(&server).await;
            sent += 1;
        }
    }
    drop(client);
    script.wait_for_proposals(0).await;
    server.end().await;
}
