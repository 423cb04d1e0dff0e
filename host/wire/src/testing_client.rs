//! WebSocket client for tests.

use std::{io, net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A connection after the upgrade request, successful or not.
pub(crate) struct Client(pub(crate) TcpStream);

/// Returns the request that upgrades a connection to a WebSocket.
pub(crate) fn upgrade_request(address: SocketAddr, headers: &str) -> String {
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: {address}\r\n") };
    format!(
        "GET / HTTP/1.1\r\n{host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    )
}

/// A text message in frames of at most this many bytes, masked with zeros.
pub(crate) fn frames(text: &str, most: usize) -> Vec<u8> {
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
    /// Connects and sends the upgrade request. Also returns the head of the response.
    pub(crate) async fn connect(address: SocketAddr, headers: &str) -> (Client, String) {
        let mut stream = TcpStream::connect(address).await.expect("connected");
        stream.write_all(upgrade_request(address, headers).as_bytes()).await.expect("written");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("an answer"));
        }
        (Client(stream), String::from_utf8(head).expect("text"))
    }

    /// Sends a message in one frame.
    pub(crate) async fn send_text(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(&frames(text, usize::MAX)).await
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await.expect("written");
    }

    /// Returns the next message. `None` if the server closed the connection.
    pub(crate) async fn next_message(&mut self) -> Option<String> {
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

    pub(crate) async fn receive(&mut self) -> Value {
        let frame = tokio::time::timeout(Duration::from_secs(20), self.next_message()).await.expect("in time");
        serde_json::from_str(&frame.expect("a message")).expect("JSON")
    }

    /// Returns whether the server closes the connection soon.
    pub(crate) async fn is_closed(&mut self) -> bool {
        let end = async { while self.next_message().await.is_some() {} };
        tokio::time::timeout(Duration::from_secs(20), end).await.is_ok()
    }
}
