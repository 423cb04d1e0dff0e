//! Transcripts as text. What Neovim says stands behind `<`, as JSON; what the host wants behind `?`; what comes of it is shown:
//! behind `>` what is sent to Neovim, everything else as it is told to the host.

mod answers;
mod laws;
mod start;

use marquetry_editor::{Action, Asked, Event, Request, Session};
use rmpv::Value;

use crate::NeovimSession;

/// The greeting of a Neovim: channel 3, version 0.11.4, and a folder.
pub(crate) const HELLO: [&str; 2] = [
    r#"[1, 1, null, [3, {"version": {"major": 0, "minor": 11, "patch": 4}}]]"#,
    r#"[1, 2, null, [{"name": "p", "path": "/p"}]]"#,
];

/// The msgpack of some JSON.
pub(crate) fn packed(json: &str) -> Vec<u8> {
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

/// Names of types that everybody knows.
const NAMES: [&str; 6] = ["Action::", "Answer::", "Decision::", "News::", "Revealed::", "ErrorKind::"];

/// What is done, on one line each.
pub(crate) fn shown(actions: Vec<Action>) -> String {
    let line = |action: Action| match action {
        Action::Send(bytes) => {
            let value = rmpv::decode::read_value(&mut bytes.as_slice()).expect("msgpack");
            format!("> {}", shortened(&value))
        }
        other => NAMES.iter().fold(format!("{other:?}"), |shown, name| shown.replace(name, "")),
    };
    actions.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A message with its programs left out.
fn shortened(value: &Value) -> String {
    match value {
        Value::String(text) if text.as_str().is_some_and(|text| text.contains('\n')) => "…".to_owned(),
        Value::Array(list) => format!("[{}]", list.iter().map(shortened).collect::<Vec<_>>().join(", ")),
        Value::Map(map) => {
            let pairs = map.iter().map(|(key, value)| format!("{}: {}", shortened(key), shortened(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A session that is welcome; what is asked first has the number 4 in Neovim.
pub(crate) fn welcome() -> NeovimSession {
    let mut session = NeovimSession::new("{}");
    session.handle(Event::Opened);
    for line in HELLO {
        session.handle(Event::Received(packed(line)));
    }
    session.handle(Event::Welcome);
    session
}

/// Ask a session something, under the number 1.
pub(crate) fn ask(session: &mut NeovimSession, request: Request) -> String {
    shown(session.handle(Event::Request(Asked { id: 1, request })))
}

/// What comes of what Neovim says.
pub(crate) fn hear(session: &mut NeovimSession, json: &str) -> String {
    shown(session.handle(Event::Received(packed(json))))
}
