//! Converts requests of the host to messages for a companion.

use serde_json::{Value, json};

use crate::{Diff, Edits, Level, OpenFile, Point, Region, Request, Reveal, Side};

/// A request with an id, as a line.
pub(super) fn request(id: u32, request: &Request) -> Vec<u8> {
    let (method, params) = call(request);
    line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// A notification, as a line.
pub(super) fn notification(method: &str, params: &Value) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

/// The error response to a request of a companion: the host answers no requests.
pub(super) fn error_response(id: &Value) -> Vec<u8> {
    line(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "the host answers no requests" } }))
}

fn line(message: &Value) -> Vec<u8> {
    let mut bytes = message.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

fn call(request: &Request) -> (&'static str, Value) {
    match request {
        Request::Open(file) => ("open", open(file)),
        Request::ShowDiff(shown) => ("show-diff", diff(shown)),
        Request::CloseDiff(id) => ("close-diff", json!({ "id": id })),
        Request::CloseTab(path) => ("close-tab", json!({ "path": path })),
        Request::Tabs => ("tabs", json!({})),
        Request::Selection => ("selection", json!({})),
        Request::Dirty(path) => ("dirty", json!({ "path": path })),
        Request::Text(path) => ("text", json!({ "path": path })),
        Request::Save(path) => ("save", json!({ "path": path })),
        Request::Folders => ("folders", json!({})),
        Request::Diagnostics(path) => ("diagnostics", json!({ "path": path })),
        Request::Apply(files) => ("apply", json!({ "files": files.iter().map(edits).collect::<Vec<Value>>() })),
        Request::Show(message) => {
            let level = match message.level {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Info => "info",
            };
            ("show", json!({ "level": level, "text": message.text }))
        }
    }
}

fn point(point: Point) -> Value {
    json!({ "line": point.line, "column": point.column })
}

fn region(region: Region) -> Value {
    json!({ "start": point(region.start), "end": point(region.end) })
}

fn open(file: &OpenFile) -> Value {
    let reveal = match &file.reveal {
        Reveal::Nothing => Value::Null,
        Reveal::Region(at) => json!({ "region": region(*at) }),
        Reveal::Text(text) => {
            json!({ "text": { "start": text.start, "end": text.end, "toLineEnd": text.to_line_end } })
        }
    };
    json!({ "path": file.path, "reveal": reveal, "preview": file.preview, "focus": file.focus })
}

fn side(side: &Side) -> Value {
    json!({ "path": side.path, "text": side.text, "label": side.label })
}

fn diff(diff: &Diff) -> Value {
    json!({
        "id": diff.id,
        "title": diff.title,
        "left": side(&diff.left),
        "right": side(&diff.right),
        "decide": diff.decide,
        "focus": diff.focus,
    })
}

fn edits(file: &Edits) -> Value {
    let edits =
        file.edits.iter().map(|edit| json!({ "region": region(edit.region), "old": edit.old, "new": edit.new }));
    json!({ "path": file.path, "edits": edits.collect::<Vec<Value>>(), "save": file.save })
}
