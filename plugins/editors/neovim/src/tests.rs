//! Tests that compare transcripts. Messages from Neovim are written as JSON. Messages to Neovim are shown after `>`,
//! and all other actions in debug format.

mod answers;
mod laws;
mod start;

use marquetry_editor::{Action, Event, Request, RequestMessage, Session};
use rmpv::Value;

use crate::NeovimSession;

/// Messages that Neovim sends during the handshake: its channel ID 3, its version 0.11.4, and one folder.
pub(crate) const HELLO: [&str; 2] = [
    r#"[1, 1, null, [3, {"version": {"major": 0, "minor": 11, "patch": 4}}]]"#,
    r#"[1, 2, null, [{"name": "p", "path": "/p"}]]"#,
];

/// Encodes JSON as MessagePack.
pub(crate) fn to_msgpack(json: &str) -> Vec<u8> {
    let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, &of_json(&value)).expect("written");
    bytes
}

fn of_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Nil,
        serde_json::Value::Bool(truth) => Value::Boolean(*truth),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        serde_json::Value::String(text) => text.as_str().into(),
        serde_json::Value::Array(list) => Value::Array(list.iter().map(of_json).collect()),
        serde_json::Value::Object(map) => {
            Value::Map(map.iter().map(|(key, value)| (key.as_str().into(), of_json(value))).collect())
        }
    }
}

/// Type names that are omitted from the debug format.
const NAMES: [&str; 6] = ["Action::", "Answer::", "Decision::", "Notification::", "Revealed::", "ErrorKind::"];

/// Prints actions, one per line.
pub(crate) fn format_actions(actions: Vec<Action>) -> String {
    let line = |action: Action| match action {
        Action::Send(bytes) => {
            let value = rmpv::decode::read_value(&mut bytes.as_slice()).expect("msgpack");
            format!("> {}", format_message(&value))
        }
        other => NAMES.iter().fold(format!("{other:?}"), |shown, name| shown.replace(name, "")),
    };
    actions.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Prints a message without the Lua code in it.
fn format_message(value: &Value) -> String {
    match value {
        Value::String(text) if text.as_str().is_some_and(|text| text.contains('\n')) => "…".to_owned(),
        Value::Array(list) => format!("[{}]", list.iter().map(format_message).collect::<Vec<_>>().join(", ")),
        Value::Map(map) => {
            let pairs = map.iter().map(|(key, value)| format!("{}: {}", format_message(key), format_message(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Creates a session that the host has accepted. The next request that it sends to Neovim has ID 4.
pub(crate) fn accepted_session() -> NeovimSession {
    let mut session = NeovimSession::new("{}");
    session.handle(Event::Opened);
    for line in HELLO {
        session.handle(Event::Received(to_msgpack(line)));
    }
    session.handle(Event::Welcome);
    session
}

/// Sends a request with ID 1 to a session. Returns its actions.
pub(crate) fn send_request(session: &mut NeovimSession, request: Request) -> String {
    format_actions(session.handle(Event::Request(RequestMessage { id: 1, request })))
}

/// Passes a message from Neovim to a session. Returns its actions.
pub(crate) fn receive(session: &mut NeovimSession, json: &str) -> String {
    format_actions(session.handle(Event::Received(to_msgpack(json))))
}
