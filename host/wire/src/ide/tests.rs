//! Transcripts of a client and a scripted editor, and hostile clients.

mod client;
mod hostile;
mod script;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_catalog::Catalog;
use marquetry_model::editor::Editors;
use serde_json::Value;

use super::*;
use crate::{
    limits::{LIMITS, Limits},
    testing,
};
use client::Client;
use script::{Script, TOKEN};

/// An endpoint for `/one` and `/two`, where each root has `a.ts` and `b c.md`.
async fn started(editors: Arc<dyn Editors>, limits: Limits) -> Running {
    let bench = testing::catalog().bench().with_editors(editors);
    let settings = Settings { home: Some(PathBuf::from("/one")), quiet: false };
    let listener = listen(0).await.expect("it listens");
    listener.serve(ServedCatalog::new(Catalog::new(bench)).with_limits(limits), settings, TOKEN)
}

/// Replays a transcript. `UPDATE_EXPECT=1` records what was received.
///
/// `->` is a message from the client, `->>` the same without waiting for the answer, `!!` an action in the editor,
/// `<-` a message to the client, and `..` a request to the editor.
async fn replay(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ide/transcripts").join(name).with_extension("txt");
    let expected = std::fs::read_to_string(&path).expect("a transcript");
    let script = Arc::new(Script::default());
    let server = started(Arc::<Script>::clone(&script), LIMITS).await;
    let mut client = Client::open(&server).await;
    let mut got = String::new();
    for line in expected.lines().filter(|line| !line.starts_with("<-") && !line.starts_with("..")) {
        got += line;
        got.push('\n');
        let received = if let Some(client_message) = line.strip_prefix("->> ") {
            client.send_text(client_message).await.expect("written");
            script.wait_asked().await;
            Vec::new()
        } else if let Some(client_message) = line.strip_prefix("-> ") {
            client.send_text(client_message).await.expect("written");
            client.answer_to(client_message).await
        } else if let Some(done) = line.strip_prefix("!! ") {
            let tells = script.do_it(done);
            if tells { vec![client.receive().await] } else { Vec::new() }
        } else {
            continue;
        };
        for asked in script.take_asked() {
            got += &format!(".. {asked}\n");
        }
        for message in received {
            got += &format!("<- {}\n", in_order(&message));
        }
    }
    server.end().await;
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, got).expect("written");
        return;
    }
    assert_lines(&expected, &got);
}

/// Prints a message with its fields sorted by name, also in texts that are JSON. Whether the JSON library preserves
/// their order depends on its features.
fn in_order(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<&String, String> =
                fields.iter().map(|(name, value)| (name, in_order(value))).collect();
            let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            format!("{{{}}}", fields.join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(in_order).collect::<Vec<String>>().join(",")),
        Value::String(text) if text.starts_with(['{', '[']) => match serde_json::from_str::<Value>(text) {
            Ok(inner) => Value::from(in_order(&inner)).to_string(),
            Err(_) => value.to_string(),
        },
        other => other.to_string(),
    }
}

#[track_caller]
fn assert_lines(expected: &str, got: &str) {
    for (line, (expected, got)) in expected.lines().zip(got.lines()).enumerate() {
        assert_eq!(got, expected, "line {}", line + 1);
    }
    assert_eq!(got.lines().count(), expected.lines().count(), "{got}");
}

#[tokio::test(flavor = "multi_thread")]
async fn session_starts_with_handshake() {
    replay("session").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_tabs_and_folders() {
    replay("files").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selections_and_mentions() {
    replay("events").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn diffs_are_accepted_rejected_or_closed() {
    replay("diffs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_come_in_the_order_of_decisions() {
    replay("order").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_calls_are_answered_with_the_reason() {
    replay("wrong").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn host_answers_without_an_editor() {
    replay("alone").await;
}

/// Returns all messages in the transcripts. The flag of each is true if the client sent it. Texts in answers that are
/// JSON are parsed, too.
fn transcripts() -> Vec<(bool, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ide/transcripts");
    let mut messages = Vec::new();
    for entry in std::fs::read_dir(folder).expect("transcripts") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a transcript");
        for line in text.lines() {
            let (from_client, json) = match line.split_once(' ') {
                Some(("->" | "->>", json)) => (true, json),
                Some(("<-", json)) => (false, json),
                _ => continue,
            };
            messages.push((from_client, serde_json::from_str(json).expect("JSON")));
        }
    }
    messages
}

/// Collects the names of all fields in a value, and in texts that are JSON.
fn fields(value: &Value, known: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(name, value)| {
            known.insert(name.clone());
            fields(value, known);
        }),
        Value::Array(items) => items.iter().for_each(|item| fields(item, known)),
        Value::String(text) => {
            if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
                fields(&inner, known);
            } else {
                known.insert(format!("={text}"));
            }
        }
        _ => {}
    }
}

/// Fields in the messages of the real client and its editors.
const HEARD: &str = "content type text code message success filePath languageId lineCount selection start end line character \
    isEmpty fileUrl tabs uri isActive label isDirty isPinned isPreview groupIndex viewColumn isGroupActive fileName isUntitled \
    folders name path rootPath saved diagnostics severity range source lineStart lineEnd protocolVersion capabilities \
    serverInfo version tools prompts resources inputSchema description";
const WORDS: [&str; 13] = [
    "FILE_SAVED",
    "DIFF_REJECTED",
    "TAB_CLOSED",
    "CLOSED_0_DIFF_TABS",
    "Error",
    "Warning",
    "Info",
    "Hint",
    "selection_changed",
    "at_mentioned",
    "No active editor found",
    "No selection available",
    "Document saved successfully",
];
const METHODS: [&str; 9] = [
    "initialize",
    "notifications/initialized",
    "ide_connected",
    "tools/list",
    "tools/call",
    "prompts/list",
    "resources/list",
    "ping",
    "server/discover",
];

#[test]
fn every_field_of_every_tool_is_in_a_transcript() {
    let all = transcripts();
    let list = all.iter().find_map(|(_, message)| message["result"]["tools"].as_array()).expect("the list of tools");
    assert_eq!(list.len(), 11);
    let mut missing = Vec::new();
    for tool in list {
        let name = &tool["name"];
        let calls = || all.iter().filter(|(from, message)| *from && message["params"]["name"] == *name);
        if calls().next().is_none() {
            missing.push(format!("{name} is not called"));
        }
        for field in tool["inputSchema"]["properties"].as_object().expect("properties").keys() {
            if !calls().any(|(_, message)| message["params"]["arguments"].get(field).is_some()) {
                missing.push(format!("{name} is not given `{field}`"));
            }
        }
    }
    let mut known = std::collections::BTreeSet::new();
    all.iter().filter(|(from_client, _)| !from_client).for_each(|(_, message)| fields(message, &mut known));
    missing
        .extend(HEARD.split_whitespace().filter(|field| !known.contains(*field)).map(|field| format!("no `{field}`")));
    missing.extend(WORDS.iter().filter(|word| !known.contains(&format!("={word}"))).map(|word| format!("no {word}")));
    let methods: Vec<&Value> = all.iter().filter(|(from, _)| *from).map(|(_, message)| &message["method"]).collect();
    missing.extend(
        METHODS.iter().filter(|name| !methods.iter().any(|message| message == name)).map(|name| format!("no {name}")),
    );
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_have_separate_diffs_and_receive_the_same_events() {
    let script = Arc::new(Script::default());
    let server = started(Arc::<Script>::clone(&script), LIMITS).await;
    let (mut one, mut other) = (Client::open(&server).await, Client::open(&server).await);
    for client in [&mut one, &mut other] {
        client.begin().await;
    }
    let diff = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"openDiff","arguments":{"old_file_path":"/one/a.ts","new_file_path":"/one/a.ts","new_file_contents":"x\n","tab_name":"tab"}}}"#;
    for client in [&mut one, &mut other] {
        client.send_text(diff).await.expect("written");
        script.wait_asked().await;
        script.take_asked();
    }
    assert_eq!(script.open_proposals(), 2, "proposals of two clients may have the same name");
    assert!(script.do_it("selects /one/a.ts 0:0-0:1 c"));
    for client in [&mut one, &mut other] {
        assert_eq!(client.receive().await["method"], "selection_changed");
    }
    // A client that disconnects withdraws its own proposals and no others.
    drop(one);
    script.wait_for_proposals(1).await;
    assert!(script.do_it("accepts y\\n"));
    let answer = other.receive().await;
    assert_eq!(answer["result"]["content"][1]["text"], "y\n", "{answer}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_the_call_closes_its_diff() {
    let script = Arc::new(Script::default());
    let server = started(Arc::<Script>::clone(&script), LIMITS).await;
    let mut client = Client::open(&server).await;
    let diff = r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"openDiff","arguments":{"old_file_path":"a.ts","new_file_path":"a.ts","new_file_contents":"","tab_name":"tab"}}}"#;
    client.send_text(diff).await.expect("written");
    script.wait_asked().await;
    for id in ["7", "\"8\"", "8"] {
        let cancelled =
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
        assert_eq!(
            script.open_proposals(),
            1,
            "the proposal must stay open until its own call is cancelled; next is {id}"
        );
        client.send_text(&cancelled).await.expect("written");
        client.send_text(r#"{"jsonrpc":"2.0","id":"sync","method":"ping"}"#).await.expect("written");
        let received = client.receive().await;
        if received["id"] != "sync" {
            assert_eq!(
                (&received["id"], &received["result"]["content"][0]["text"]),
                (&8.into(), &"DIFF_REJECTED".into())
            );
        }
    }
    script.wait_for_proposals(0).await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn undecided_diffs_are_rejected_when_the_server_ends() {
    let script = Arc::new(Script::default());
    let server = started(Arc::<Script>::clone(&script), LIMITS).await;
    let mut client = Client::open(&server).await;
    let diff = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openDiff","arguments":{"old_file_path":"a.ts","new_file_path":"a.ts","new_file_contents":"","tab_name":"tab"}}}"#;
    client.send_text(diff).await.expect("written");
    script.wait_asked().await;
    let (answer, ()) = tokio::join!(client.receive(), server.end());
    assert_eq!(answer["result"]["content"][0]["text"], "DIFF_REJECTED");
    assert!(client.is_closed().await);
    assert_eq!(script.open_proposals(), 0);
}
