//! The web page: access to its files, to tickets and to its methods, and the results of the methods.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    mcp::Settings,
    serve::{Running, serve},
    testing::{self, SLOW},
};

const TOKEN: &str = "0123456789abcdef";
const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

async fn started() -> Running {
    serve(testing::catalog(), Settings::default(), 0, TOKEN.to_owned()).await.expect("it listens")
}

/// Opens a connection and sends a request without a body.
async fn send(server: &Running, method: &str, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.expect("connected");
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", server.address) };
    let head = format!("{method} {path} HTTP/1.1\r\n{host}Content-Length: 0\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).await.expect("written");
    stream
}

/// The head of the response, with header names in lower case.
async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("an answer"));
    }
    String::from_utf8(head).expect("text")
}

fn status(head: &str) -> u16 {
    head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

async fn get(server: &Running, path: &str, headers: &str) -> (String, String) {
    let mut stream = send(server, "GET", path, headers).await;
    let head = head(&mut stream).await;
    let mut body = String::new();
    stream.read_to_string(&mut body).await.expect("read: the connection ends");
    (head, body)
}

/// The cookie and the page's key.
async fn ticket(server: &Running) -> (String, String) {
    let headers =
        format!("Authorization: Bearer {TOKEN}\r\nOrigin: http://{}\r\nConnection: close\r\n", server.address);
    let mut stream = send(server, "POST", super::TICKET_PATH, &headers).await;
    let head = head(&mut stream).await;
    let mut body = String::new();
    stream.read_to_string(&mut body).await.expect("read");
    assert_eq!(status(&head), 200, "{head}");
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    let key = serde_json::from_str::<Value>(&body).expect("JSON")["key"].as_str().expect("a key").to_owned();
    (cookie.split(';').next().expect("a pair").to_owned(), key)
}

#[tokio::test(flavor = "multi_thread")]
async fn page_files_are_served_to_local_browsers_only() {
    let server = started().await;
    let (first, html) = get(&server, "/ui/", "").await;
    assert_eq!(status(&first), 200, "{first}");
    let policy = first.lines().find_map(|line| line.strip_prefix("content-security-policy: ")).expect("a policy");
    let nonce = html.split("data-style=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a nonce for styles");
    assert!(policy.contains(&format!("style-src 'self' 'nonce-{nonce}'")), "{policy}");
    assert!(policy.contains(&format!("connect-src 'self' ws://{};", server.address)), "{policy}");
    assert!(policy.starts_with("default-src 'none';") && policy.contains("frame-ancestors 'none'"), "{policy}");
    let (_, again) = get(&server, "/ui/", "").await;
    assert_ne!(again, html, "each response must have a new nonce");
    for (path, headers, expected) in [
        ("/ui/page.js", "", 200),
        ("/ui/page.css", "", 200),
        ("/ui/licences.txt", "", 200),
        ("/ui", "", 308),
        ("/ui/other.js", "", 404),
        ("/ui/../Cargo.toml", "", 404),
        ("/ui/", "Host: example.org\r\n", 403),
        ("/ui/", "Host: localhost:1;script-src *\r\n", 403),
        ("/ui/", "Host: localhost:1 http://example.org\r\n", 403),
        ("/ui/", "Host: localhost:\r\n", 403),
        ("/ui/", "Host: [::1]:x]\r\n", 403),
        ("/ui/page.js", "Host: example.org:80\r\n", 403),
        ("/ui/rpc", "", 401),
        ("/ui/ticket", "", 401),
        ("/", "", 401),
    ] {
        let (head, body) = get(&server, path, headers).await;
        assert_eq!(status(&head), expected, "{path} {headers}");
        assert!(!body.contains(TOKEN) && !head.contains(TOKEN), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ticket_requires_token_and_same_origin() {
    let server = started().await;
    let (token, own) = (format!("Authorization: Bearer {TOKEN}\r\n"), format!("Origin: http://{}\r\n", server.address));
    for (headers, expected) in [
        (format!("{token}{own}"), 200),
        (token.clone(), 200),
        (own.clone(), 401),
        (format!("Authorization: Bearer {}\r\n{own}", &TOKEN[1..]), 401),
        (format!("{token}Origin: http://example.org\r\n"), 403),
        (format!("{token}Origin: null\r\n"), 403),
        (format!("{token}Origin: http://127.0.0.1:1\r\n"), 403),
        (format!("{token}Origin: https://{}\r\n", server.address), 403),
        (format!("{token}Host: example.org\r\nOrigin: http://example.org\r\n"), 403),
    ] {
        let mut stream = send(&server, "POST", super::TICKET_PATH, &headers).await;
        assert_eq!(status(&head(&mut stream).await), expected, "{headers}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connection_requires_cookie_and_key_of_a_ticket() {
    let server = started().await;
    let (cookie, key) = ticket(&server).await;
    let (foreign, _) = ticket(&started().await).await;
    let (_, other) = ticket(&server).await;
    let own = format!("Origin: http://{}\r\n", server.address);
    let offer = |key: &str| format!("{UPGRADE}Sec-WebSocket-Protocol: marquetry, {key}\r\n");
    let with = |cookie: &str| format!("Cookie: a=b; {cookie}\r\n");
    for (headers, expected) in [
        (format!("{}{}{own}", offer(&key), with(&cookie)), 101),
        (format!("{}{own}", offer(&key)), 401),
        (format!("{UPGRADE}{}{own}", with(&cookie)), 401),
        (format!("{}{}{own}", offer(&other), with(&cookie)), 401),
        (format!("{}{}{own}", offer(&key), with(&foreign)), 401),
        (format!("{}{}{own}", offer(&key[1..]), with(&cookie)), 401),
        (format!("{}{}", offer(&key), with(&cookie)), 401),
        (format!("{}{}Origin: http://example.org\r\n", offer(&key), with(&cookie)), 403),
        (format!("{}{}Host: example.org\r\nOrigin: http://example.org\r\n", offer(&key), with(&cookie)), 403),
        // Programs authenticate with the token alone. A page cannot do so, because browsers cannot send this header
        // with a WebSocket.
        (format!("{UPGRADE}Authorization: Bearer {TOKEN}\r\n"), 101),
        (format!("{UPGRADE}Authorization: Bearer {TOKEN}\r\n{own}"), 401),
    ] {
        let mut stream = send(&server, "GET", super::RPC_PATH, &headers).await;
        let answer = head(&mut stream).await;
        assert_eq!(status(&answer), expected, "{headers}");
        let chosen = answer.to_lowercase().contains("sec-websocket-protocol: marquetry\r\n");
        assert_eq!(chosen, expected == 101 && headers.contains("marquetry,"), "{headers}: {answer}");
        // Connections from editors are authenticated in the same way. Here no integration accepts one.
        let mut stream = send(&server, "GET", "/editors/none", &headers).await;
        let expected = if expected == 101 { 404 } else { expected };
        assert_eq!(status(&head(&mut stream).await), expected, "{headers}");
    }
    // A ticket does not authenticate other requests.
    let mut stream = send(&server, "POST", "/", &format!("{}{own}", with(&cookie))).await;
    assert_eq!(status(&head(&mut stream).await), 403);
}

/// The answer to a call over HTTP.
async fn call(server: &Running, method: &str, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let mut stream = TcpStream::connect(server.address).await.expect("connected");
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).await.expect("written");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("read");
    serde_json::from_str(answer.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn page_methods_answer() {
    let server = started().await;
    let answer = call(&server, "ui/workspace", json!({})).await;
    assert_eq!((&answer["result"]["roots"], &answer["result"]["editors"]), (&json!(["/one", "/two"]), &json!([])));
    let files = call(&server, "ui/files", json!({ "root": "/two" })).await;
    assert_eq!(files["result"], json!({ "files": [], "more": 0 }), "{files}");
    for (method, params, kind) in [
        ("ui/files", json!({ "root": "/three" }), "OutsideWorkspace"),
        ("ui/text", json!({ "path": "a" }), "FileNotFound"),
        ("ui/text", json!({ "path": "/etc/passwd" }), "OutsideWorkspace"),
        ("ui/text", json!({}), "InvalidArgument"),
        ("ui/change", json!({ "id": "9-none" }), "InvalidArgument"),
        ("ui/cancel", json!({ "call": 9 }), "InvalidArgument"),
        ("ui/plugins", json!({ "rot": "/one" }), "InvalidArgument"),
        ("ui/nothing", json!({}), "InvalidArgument"),
    ] {
        let answer = call(&server, method, params.clone()).await;
        assert_eq!(answer["error"]["data"]["kind"], kind, "{method} {params}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_lists_and_cancels_calls_in_progress() {
    let server = started().await;
    let undo = call(&server, "file/undo", json!({ "id": SLOW, "clientInfo": { "name": "test", "version": "1" } }));
    let watch = async {
        loop {
            let seen = call(&server, "ui/calls", json!({})).await;
            let Some(running) = seen["result"]["calls"].as_array().and_then(|calls| calls.first()) else {
                tokio::time::sleep(Duration::from_millis(2)).await;
                continue;
            };
            if running["client"] == "" || running.get("progress").is_none() {
                tokio::time::sleep(Duration::from_millis(2)).await;
                continue;
            }
            assert_eq!((&running["tool"], &running["client"]), (&json!("file_undo"), &json!("test 1")), "{seen}");
            assert!(running["progress"].as_str().is_some_and(|progress| progress.starts_with("waiting ")), "{seen}");
            assert_eq!(seen["result"]["changes"], 0);
            return call(&server, "ui/cancel", json!({ "call": running["call"] })).await;
        }
    };
    let (undone, cancelled) = tokio::join!(undo, watch);
    assert_eq!(undone["error"]["data"]["kind"], "Cancelled", "{undone}");
    assert_eq!(cancelled["result"]["calls"][0]["cancelled"], true, "{cancelled}");
    let after = call(&server, "ui/calls", json!({})).await;
    assert_eq!(after["result"], json!({ "calls": [], "changes": 1 }), "{after}");
}
