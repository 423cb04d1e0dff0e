//! Conversations in `transcripts/`: a line `<` is an answer of the API, the line `>` before it the new messages that it
//! answers. `UPDATE_EXPECT=1` records the messages. The components must be built.

use std::{collections::VecDeque, fs, path::PathBuf};

use embed_model::{Api, converse};
use marquetry::{Error, Host, Kind, MemoryFiles, Result, Work};
use marquetry_testkit::components;
use serde_json::Value;

const QUESTION: &str = "Tea costs 4 now. Move the prices into the folder `data`.";
const PAGE: &str = "# Shop\n\nSee [the prices](prices.json).\n";
const PRICES: &str = "{\n  \"tea\": 3,\n  \"cake\": 5\n}\n";

fn host(files: &MemoryFiles) -> Host {
    let pack = |id: &str| fs::read(components().join(format!("marquetry_{id}.wasm"))).expect("a component");
    let builder = Host::builder().files(files.clone()).cache(Some(components().join("../../test-cache")));
    builder.pack("json", pack("json")).pack("markdown", pack("markdown")).client("model").build().expect("built")
}

fn shop() -> MemoryFiles {
    MemoryFiles::new([("shop.md", PAGE), ("prices.json", PRICES)])
}

/// The answers of a transcript, and the messages that were recorded for them.
fn read(text: &str) -> VecDeque<(Option<Value>, Value)> {
    let (mut turns, mut messages) = (VecDeque::new(), None);
    for line in text.lines() {
        let value = |text: &str| serde_json::from_str(text).expect("JSON");
        match line.split_once(' ') {
            Some((">", text)) => messages = Some(value(text)),
            Some(("<", text)) => turns.push_back((messages.take(), value(text))),
            _ => {}
        }
    }
    turns
}

fn replay(name: &str, api: Api) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts").join(name);
    let mut turns = read(&fs::read_to_string(&path).expect("a transcript"));
    let is_recording = std::env::var_os("UPDATE_EXPECT").is_some();
    let (files, mut recorded, mut sent) = (shop(), String::new(), 0);
    let host = host(&files);
    let mut transport = |request: &Value| -> Result<Value> {
        assert_eq!(request["tools"].as_array().map(Vec::len), Some(host.tools().len()));
        let (expected, answer) = turns.pop_front().expect("the transcript has another answer");
        let messages = request["messages"].as_array().expect("messages");
        let new = Value::from(&messages[sent..]);
        sent = messages.len();
        if !is_recording {
            assert_eq!(Some(&new), expected.as_ref(), "{name}: UPDATE_EXPECT=1 records the messages");
        }
        recorded += &format!("> {new}\n< {answer}\n");
        Ok(answer)
    };
    let text = converse(&host, (api, "a-model"), QUESTION, &Work::default(), &mut transport).expect("a final text");
    assert!(turns.is_empty(), "the transcript must be used up");
    assert_eq!(text, "Tea costs 4, and the prices are in `data/prices.json`.");
    assert_eq!(files.paths(), ["data/prices.json", "shop.md"]);
    assert_eq!(files.text("data/prices.json"), Some(PRICES.replace('3', "4")));
    assert_eq!(files.text("shop.md"), Some(PAGE.replace("prices.json", "data/prices.json")));
    let history = host.call("file_history", serde_json::json!({})).expect("listed");
    assert_eq!((&history["changes"][0]["client"], &history["changes"][0]["why"]), (&"model".into(), &QUESTION.into()));
    if is_recording {
        fs::write(path, recorded).expect("written");
    }
}

#[test]
fn anthropic_transcript_is_carried_out() {
    replay("anthropic.txt", Api::Anthropic);
}

#[test]
fn openai_transcript_is_carried_out() {
    replay("openai.txt", Api::Openai);
}

#[test]
fn errors_of_the_api_end_the_conversation() {
    let host = host(&shop());
    for api in [Api::Anthropic, Api::Openai] {
        let mut refuse = |_: &Value| Ok(serde_json::json!({ "error": { "message": "invalid key" } }));
        let error = converse(&host, (api, "m"), QUESTION, &Work::default(), &mut refuse).expect_err("refused");
        assert_eq!(error.content().message, "the API answered: invalid key");
        let mut unreachable = |_: &Value| Err(Error::new(Kind::Internal, "no network"));
        let error = converse(&host, (api, "m"), QUESTION, &Work::default(), &mut unreachable).expect_err("failed");
        assert_eq!(error.content().message, "no network");
    }
}

#[test]
fn cancelled_conversation_asks_no_more() {
    let (host, work) = (host(&shop()), Work::default());
    let mut asked = 0;
    let mut transport = |_: &Value| {
        asked += 1;
        work.cancel();
        Ok(serde_json::json!({ "content": [
            { "type": "tool_use", "id": "1", "name": "file_delete", "input": { "path": "shop.md" } }
        ] }))
    };
    let error = converse(&host, (Api::Anthropic, "m"), QUESTION, &work, &mut transport).expect_err("cancelled");
    assert_eq!((error.kind(), asked), (Kind::Cancelled, 1));
    assert_eq!(
        host.call("query", serde_json::json!({ "type": "files" })).expect("listed")["data"]["files"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}

#[test]
fn endless_calls_are_stopped() {
    let host = host(&shop());
    let mut transport = |_: &Value| {
        Ok(serde_json::json!({ "choices": [{ "message": { "role": "assistant", "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": "file_history", "arguments": "not JSON" } }
        ] } }] }))
    };
    let error = converse(&host, (Api::Openai, "m"), QUESTION, &Work::default(), &mut transport).expect_err("stopped");
    assert_eq!(error.kind(), Kind::LimitExceeded);
}
