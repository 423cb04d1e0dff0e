//! A client of the protocol, replayed in both directions against an editor that does what it is told; and clients that mean
//! no good.

mod client;
mod hostile;
mod script;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_model::editor::Editors;
use serde_json::Value;

use super::*;
use crate::{
    limits::{LIMITS, Limits},
    testing,
};
use client::Client;
use script::{Script, TOKEN};

/// An endpoint over `/one` and `/two`, where each root has `a.ts` and `b c.md`.
async fn started(editors: Arc<dyn Editors>, limits: Limits) -> Running {
    let bench = testing::catalog().bench().with_editors(editors);
    let settings = Settings { home: Some(PathBuf::from("/one")), quiet: false };
    let listener = listen(0).await.expect("it listens");
    listener.serve(Catalog::new(bench).within(limits), settings, TOKEN)
}

/// Replay a transcript. `UPDATE_EXPECT=1` writes down what came.
///
/// `->` is what the client says, `->>` the same without waiting for the answer, `!!` what happens in the editor; `<-` is what
/// the client hears then, `..` what the editor is asked.
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
        let heard = if let Some(said) = line.strip_prefix("->> ") {
            client.say(said).await.expect("written");
            script.wait_asked().await;
            Vec::new()
        } else if let Some(said) = line.strip_prefix("-> ") {
            client.say(said).await.expect("written");
            client.answer_to(said).await
        } else if let Some(done) = line.strip_prefix("!! ") {
            let tells = script.do_it(done);
            if tells { vec![client.hear().await] } else { Vec::new() }
        } else {
            continue;
        };
        for asked in script.take_asked() {
            got += &format!(".. {asked}\n");
        }
        for message in heard {
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

/// A message with its fields by name, also in the JSON of its texts: how a library orders them depends on how it was built.
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
async fn a_session_from_its_beginning() {
    replay("session").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_tabs_and_folders() {
    replay("files").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selections_and_mentions() {
    replay("news").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn diffs_and_what_becomes_of_them() {
    replay("diffs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_editor_the_host_says_what_it_knows() {
    replay("alone").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_have_diffs_of_their_own_and_hear_the_same_news() {
    let script = Arc::new(Script::default());
    let server = started(Arc::<Script>::clone(&script), LIMITS).await;
    let (mut one, mut other) = (Client::open(&server).await, Client::open(&server).await);
    for client in [&mut one, &mut other] {
        client.begin().await;
    }
    let diff = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"openDiff","arguments":{"old_file_path":"/one/a.ts","new_file_path":"/one/a.ts","new_file_contents":"x\n","tab_name":"tab"}}}"#;
    for client in [&mut one, &mut other] {
        client.say(diff).await.expect("written");
        script.wait_asked().await;
        script.take_asked();
    }
    assert_eq!(script.open_proposals(), 2, "the same name, and not the same client");
    assert!(script.do_it("selects /one/a.ts 0:0-0:1 c"));
    for client in [&mut one, &mut other] {
        assert_eq!(client.hear().await["method"], "selection_changed");
    }
    // A client that goes takes its own diff along, and no other.
    drop(one);
    script.wait_for_proposals(1).await;
    assert!(script.do_it("accepts y\\n"));
    let answer = other.hear().await;
    assert_eq!(answer["result"]["content"][1]["text"], "y\n", "{answer}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_rejects_what_is_not_decided() {
    let script = Arc::new(Script::default());
    let server = started(Arc::<Script>::clone(&script), LIMITS).await;
    let mut client = Client::open(&server).await;
    let diff = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openDiff","arguments":{"old_file_path":"a.ts","new_file_path":"a.ts","new_file_contents":"","tab_name":"tab"}}}"#;
    client.say(diff).await.expect("written");
    script.wait_asked().await;
    let (answer, ()) = tokio::join!(client.hear(), server.end());
    assert_eq!(answer["result"]["content"][0]["text"], "DIFF_REJECTED");
    assert!(client.ends().await);
    assert_eq!(script.open_proposals(), 0);
}
