//! Test client of the endpoint.

use serde_json::{Value, json};

use super::{super::Running, script::TOKEN};
pub(super) use crate::testing_client::{Client, frames};

/// Returns the request that upgrades a connection to a WebSocket.
pub(super) fn hello(server: &Running, headers: &str) -> String {
    crate::testing_client::upgrade_request(server.address, headers)
}

impl Client {
    pub(super) async fn open(server: &Running) -> Client {
        let headers = format!("x-claude-code-ide-authorization: {TOKEN}\r\nSec-WebSocket-Protocol: mcp\r\n");
        let (client, head) = Client::try_open(server, &headers).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        assert!(head.to_lowercase().contains("sec-websocket-protocol: mcp\r\n"), "{head}");
        client
    }

    /// Connects and sends the upgrade request. Also returns the head of the response.
    pub(super) async fn try_open(server: &Running, headers: &str) -> (Client, String) {
        Client::connect(server.address, headers).await
    }

    /// Sends a message and returns what is received up to its answer. For a notification, up to the answer to a ping
    /// after it.
    pub(super) async fn answer_to(&mut self, request: &str) -> Vec<Value> {
        let id = serde_json::from_str::<Value>(request).map(|request| request["id"].clone()).unwrap_or_default();
        let is_request = serde_json::from_str::<Value>(request).is_ok_and(|request| request.get("id").is_some());
        let sync = json!("sync");
        if !is_request {
            self.send_text(r#"{"jsonrpc":"2.0","id":"sync","method":"ping"}"#).await.expect("written");
        }
        let mut received = Vec::new();
        loop {
            let message = self.receive().await;
            if message["id"] == sync {
                return received;
            }
            let done = is_request && message["id"] == id && message.get("method").is_none();
            received.push(message);
            if done {
                return received;
            }
        }
    }

    /// Completes the handshake, so that notifications are sent.
    pub(super) async fn begin(&mut self) {
        self.send_text(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await.expect("written");
        self.send_text(r#"{"jsonrpc":"2.0","id":"sync","method":"ping"}"#).await.expect("written");
        assert_eq!(self.receive().await["id"], "sync");
    }
}
