//! JSON-RPC over a WebSocket: limits per client, and what happens if one exceeds them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::{
    limits::LIMITS,
    mcp::Settings,
    serve::{self, Running},
    testing::{self, SLOW},
    testing_client::Client,
};

const TOKEN: &str = "0123456789abcdef";

async fn within(limits: Limits) -> Running {
    let catalog = testing::catalog().with_limits(limits);
    serve::serve(catalog, Settings::default(), 0, TOKEN.to_owned()).await.expect("it listens")
}

/// Opens an authenticated connection.
async fn open(server: &Running) -> Client {
    let (client, head) = Client::connect(server.address, &format!("Authorization: Bearer {TOKEN}\r\n")).await;
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    client
}

fn call(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn slow(id: u64) -> Value {
    call(id, "file/undo", json!({ "id": SLOW }))
}

fn cancel(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } })
}

/// A request whose answer is about as long as the request.
fn long(id: u64, bytes: usize) -> Value {
    call(id, "file/read", json!({ "file": "x".repeat(bytes) }))
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_sent_in_order_of_completion() {
    let server = within(LIMITS).await;
    let mut client = open(&server).await;
    client.send(&slow(1)).await;
    client.send(&call(2, "file/history", json!({ "limit": 1 }))).await;
    let quick = client.receive().await;
    assert_eq!((&quick["id"], &quick["result"]["changes"][0]["id"]), (&json!(2), &json!("change-1")), "{quick}");
    client.send(&cancel(1)).await;
    let cancelled = client.receive().await;
    assert_eq!((&cancelled["id"], &cancelled["error"]["code"]), (&json!(1), &json!(-32800)), "{cancelled}");
    client.send(&json!([call(3, "file/history", json!({})), cancel(9), call(4, "nothing", json!({}))])).await;
    let both = client.receive().await;
    let ids: Vec<&Value> = both.as_array().expect("a list").iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [3, 4], "{both}");
    client.send_text("{").await.expect("written");
    assert_eq!(client.receive().await["error"]["code"], -32700);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_a_connection_are_limited() {
    let server = within(Limits { calls_per_connection: 3, ..LIMITS }).await;
    let (mut one, mut other) = (open(&server).await, open(&server).await);
    for id in 1..4 {
        one.send(&slow(id)).await;
    }
    // The calls are admitted concurrently, so any of them may be the fourth, which is refused.
    one.send(&slow(4)).await;
    let refused = one.receive().await;
    assert_eq!(refused["error"]["data"]["kind"], "LimitExceeded", "{refused}");
    let message = "3 calls are in progress on this connection; at most 3 are allowed";
    assert_eq!(refused["error"]["message"], message);
    assert!(refused["error"]["data"]["hint"].as_str().is_some_and(|hint| hint.contains("then retry")), "{refused}");
    other.send(&call(5, "file/history", json!({}))).await;
    assert!(other.receive().await["result"].is_object(), "other clients must be served");
    for id in 1..5 {
        one.send(&cancel(id)).await;
    }
    for _ in 0..3 {
        assert_eq!(one.receive().await["error"]["code"], -32800);
    }
    one.send(&call(6, "file/history", json!({}))).await;
    assert!(one.receive().await["result"].is_object(), "a call must be admitted after others have ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn batch_counts_each_of_its_calls() {
    let server = within(Limits { calls_per_connection: 3, ..LIMITS }).await;
    let mut client = open(&server).await;
    client.send(&slow(1)).await;
    client.send(&slow(2)).await;
    // Two of three calls are in progress or soon will be: either the batch or a later call is refused.
    client.send(&json!([call(3, "file/history", json!({})), slow(4)])).await;
    let refused = client.receive().await;
    let first = if refused.is_array() { &refused[0] } else { &refused };
    assert_eq!(first["error"]["data"]["kind"], "LimitExceeded", "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_reader_gets_every_answer() {
    let server = within(Limits { unread: 10_000, ..LIMITS }).await;
    let mut client = open(&server).await;
    for id in 0..100 {
        client.send(&long(id, 3000)).await;
    }
    let mut answers = BTreeMap::new();
    for _ in 0..100 {
        let answer = client.receive().await;
        let message = answer["error"]["message"].as_str().expect("nothing is called so").len();
        answers.insert(answer["id"].as_u64().expect("an id"), message);
    }
    assert!(answers.into_keys().eq(0..100));
}

#[tokio::test(flavor = "multi_thread")]
async fn client_that_does_not_read_gets_no_work_and_is_closed() {
    let server = within(Limits { unread: 1 << 20, stalled: Duration::from_millis(300), ..LIMITS }).await;
    let mut client = open(&server).await;
    let request = long(1, 1 << 20).to_string();
    let asks = async {
        // All requests together are larger than the buffers between client and server.
        for _ in 0..200 {
            client.send_text(&request).await?;
        }
        Ok::<(), io::Error>(())
    };
    // Either it cannot send any more, or it finds its connection closed when it finally reads.
    let asked = tokio::time::timeout(Duration::from_secs(30), asks).await.expect("the client is not blocked forever");
    assert!(asked.is_err() || client.is_closed().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_socket_is_closed_but_used_one_is_kept() {
    let server = within(Limits { first_message: Duration::from_millis(200), ..LIMITS }).await;
    let (mut silent, mut spoke) = (open(&server).await, open(&server).await);
    spoke.send(&call(1, "file/history", json!({}))).await;
    assert!(spoke.receive().await["result"].is_object());
    assert!(silent.is_closed().await);
    spoke.send(&call(2, "file/history", json!({}))).await;
    assert!(spoke.receive().await["result"].is_object(), "an authenticated client may stay idle");
}
