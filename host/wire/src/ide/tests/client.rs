//! The client's end of a WebSocket.

use std::{io, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{super::Running, script::TOKEN};

pub(super) struct Client(pub(super) TcpStream);

/// What a client sends to become one.
pub(super) fn hello(server: &Running, headers: &str) -> String {
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", server.address) };
    format!(
        "GET / HTTP/1.1\r\n{host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    )
}

/// A text in frames of so many bytes, under a mask of zeros.
pub(super) fn frames(text: &str, most: usize) -> Vec<u8> {
    let parts: Vec<&[u8]> = if text.is_empty() { vec![b""] } else { text.as_bytes().chunks(most).collect() };
    let mut bytes = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let last = if index + 1 == parts.len() { 0x80 } else { 0 };
        bytes.push(last | u8::from(index == 0));
        match part.len() {
            length @ 0..126 => bytes.push(0x80 | length as u8),
            length @ 126..0x1_0000 => {
                bytes.push(0x80 | 126);
                bytes.extend_from_slice(&(length as u16).to_be_bytes());
            }
            length => {
                bytes.push(0x80 | 127);
                bytes.extend_from_slice(&(length as u64).to_be_bytes());
            }
        }
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(part);
    }
    bytes
}

impl Client {
    pub(super) async fn open(server: &Running) -> Client {
        let headers = format!("x-claude-code-ide-authorization: {TOKEN}\r\nSec-WebSocket-Protocol: mcp\r\n");
        let (client, head) = Client::try_open(server, &headers).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        assert!(head.to_lowercase().contains("sec-websocket-protocol: mcp\r\n"), "{head}");
        client
    }

    /// A connection, and the head of what it was answered.
    pub(super) async fn try_open(server: &Running, headers: &str) -> (Client, String) {
        let mut stream = TcpStream::connect(server.address).await.expect("connected");
        stream.write_all(hello(server, headers).as_bytes()).await.expect("written");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("an answer"));
        }
        (Client(stream), String::from_utf8(head).expect("text"))
    }

    pub(super) async fn say(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(&frames(text, usize::MAX)).await
    }

    /// The next message; none where the server closed.
    pub(super) async fn frame(&mut self) -> Option<String> {
        let opcode = self.0.read_u8().await.ok()? & 15;
        let length = match self.0.read_u8().await.ok()? {
            126 => u64::from(self.0.read_u16().await.ok()?),
            127 => self.0.read_u64().await.ok()?,
            length => u64::from(length),
        };
        let mut text = vec![0; usize::try_from(length).ok()?];
        self.0.read_exact(&mut text).await.ok()?;
        (opcode != 8).then(|| String::from_utf8(text).expect("text"))
    }

    pub(super) async fn hear(&mut self) -> Value {
        let frame = tokio::time::timeout(Duration::from_secs(20), self.frame()).await.expect("in time");
        serde_json::from_str(&frame.expect("a message")).expect("JSON")
    }

    /// What is heard up to the answer to a message; of a notification, up to the answer to a ping after it.
    pub(super) async fn answer_to(&mut self, said: &str) -> Vec<Value> {
        let id = serde_json::from_str::<Value>(said).map(|said| said["id"].clone()).unwrap_or_default();
        let is_request = serde_json::from_str::<Value>(said).is_ok_and(|said| said.get("id").is_some());
        let sync = json!("sync");
        if !is_request {
            self.say(r#"{"jsonrpc":"2.0","id":"sync","method":"ping"}"#).await.expect("written");
        }
        let mut heard = Vec::new();
        loop {
            let message = self.hear().await;
            if message["id"] == sync {
                return heard;
            }
            let done = is_request && message["id"] == id && message.get("method").is_none();
            heard.push(message);
            if done {
                return heard;
            }
        }
    }

    /// Say hello, so that news come.
    pub(super) async fn begin(&mut self) {
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await.expect("written");
        self.say(r#"{"jsonrpc":"2.0","id":"sync","method":"ping"}"#).await.expect("written");
        assert_eq!(self.hear().await["id"], "sync");
    }

    /// Whether the server closes, and soon.
    pub(super) async fn ends(&mut self) -> bool {
        let end = async { while self.frame().await.is_some() {} };
        tokio::time::timeout(Duration::from_secs(20), end).await.is_ok()
    }
}
