//! Converts requests of the host to functions of `session.lua` and their arguments.

use marquetry_editor::{Diff, Edits, Level, OpenFile, Region, Request, Reveal, Side};
use rmpv::Value;

/// Returns the function to call, and its arguments.
pub(crate) fn call(request: &Request) -> (&'static str, Vec<Value>) {
    match request {
        Request::Open(file) => ("open", vec![open(file)]),
        Request::ShowDiff(shown) => ("show_diff", vec![diff(shown)]),
        Request::CloseDiff(id) => ("close_diff", vec![(*id).into()]),
        Request::CloseTab(path) => ("close_tab", vec![path.as_str().into()]),
        Request::Tabs => ("tabs", vec![]),
        Request::Selection => ("selection", vec![]),
        Request::Dirty(path) => ("dirty", vec![path.as_str().into()]),
        Request::Text(path) => ("text", vec![path.as_str().into()]),
        Request::Save(path) => ("save", vec![path.as_str().into()]),
        Request::Folders => ("folders", vec![]),
        // Without a path, pass no argument at all: Neovim converts msgpack nil to `vim.NIL`, which is not `nil` in Lua.
        Request::Diagnostics(path) => ("diagnostics", path.iter().map(|path| path.as_str().into()).collect()),
        Request::Apply(files) => ("apply", vec![Value::Array(files.iter().map(edits).collect())]),
        Request::Show(message) => {
            let level = match message.level {
                Level::Error => "ERROR",
                Level::Warning => "WARN",
                Level::Info => "INFO",
            };
            ("show", vec![level.into(), message.text.as_str().into()])
        }
    }
}

/// Creates a map without the fields that are nil, because a key of a Lua table cannot have the value `nil`.
fn map(fields: Vec<(&str, Value)>) -> Value {
    Value::Map(
        fields.into_iter().filter(|(_, value)| !value.is_nil()).map(|(key, value)| (key.into(), value)).collect(),
    )
}

fn optional(text: Option<&str>) -> Value {
    text.map_or(Value::Nil, Value::from)
}

fn region(region: Region) -> Value {
    let places = [region.start.line, region.start.column, region.end.line, region.end.column];
    Value::Array(places.into_iter().map(Value::from).collect())
}

fn open(file: &OpenFile) -> Value {
    let mut fields =
        vec![("path", file.path.as_str().into()), ("preview", file.preview.into()), ("focus", file.focus.into())];
    match &file.reveal {
        Reveal::Nothing => {}
        Reveal::Region(at) => fields.push(("region", region(*at))),
        Reveal::Text(text) => fields.extend([
            ("start", text.start.as_str().into()),
            ("stop", optional(text.end.as_deref())),
            ("to_line_end", text.to_line_end.into()),
        ]),
    }
    map(fields)
}

fn side(side: &Side) -> Value {
    map(vec![
        ("path", optional(side.path.as_deref())),
        ("text", optional(side.text.as_deref())),
        ("label", side.label.as_str().into()),
    ])
}

fn diff(diff: &Diff) -> Value {
    map(vec![
        ("id", diff.id.into()),
        ("title", diff.title.as_str().into()),
        ("left", side(&diff.left)),
        ("right", side(&diff.right)),
        ("decide", diff.decide.into()),
        ("focus", diff.focus.into()),
    ])
}

fn edits(file: &Edits) -> Value {
    let edits = file.edits.iter().map(|edit| {
        map(vec![("region", region(edit.region)), ("old", edit.old.as_str().into()), ("new", edit.new.as_str().into())])
    });
    map(vec![("path", file.path.as_str().into()), ("edits", Value::Array(edits.collect())), ("save", file.save.into())])
}
