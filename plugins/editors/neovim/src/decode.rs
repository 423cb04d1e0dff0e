//! Converts answers and events of `session.lua` to the types of the plugin API. A missing value, or one of the wrong
//! type, becomes an empty value. The host validates everything else.

use marquetry_editor::{
    Answer, Closed, Decided, Decision, Diagnostic, Dirtiness, ErrorKind, Failure, FileDiagnostics, Folder, Mention,
    Notification, Opened, Point, Region, Request, Revealed, Selected, Severity, Tab,
};
use rmpv::Value;

/// Returns the value of a key in a map, or nil if the map does not have the key.
fn get<'a>(map: &'a Value, key: &str) -> &'a Value {
    let pairs = map.as_map().map_or(&[][..], Vec::as_slice);
    pairs.iter().find(|(known, _)| known.as_str() == Some(key)).map_or(&Value::Nil, |(_, value)| value)
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(String::from_utf8_lossy(text.as_bytes()).into_owned()),
        Value::Binary(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

fn text(map: &Value, key: &str) -> String {
    as_text(get(map, key)).unwrap_or_default()
}

fn some_text(map: &Value, key: &str) -> Option<String> {
    as_text(get(map, key)).filter(|text| !text.is_empty())
}

fn is_true(map: &Value, key: &str) -> bool {
    get(map, key).as_bool().unwrap_or(false)
}

fn count(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn region(value: &Value) -> Region {
    let at = |index: usize| list(value).get(index).map_or(0, count);
    Region { start: Point { line: at(0), column: at(1) }, end: Point { line: at(2), column: at(3) } }
}

/// Converts a list of folders.
pub(crate) fn folders(value: &Value) -> Vec<Folder> {
    list(value).iter().map(|folder| Folder { name: text(folder, "name"), path: text(folder, "path") }).collect()
}

fn tab(value: &Value) -> Tab {
    let active = is_true(value, "active");
    Tab {
        path: some_text(value, "path"),
        label: text(value, "label"),
        language: text(value, "language"),
        active,
        dirty: is_true(value, "dirty"),
        untitled: is_true(value, "untitled"),
        pinned: false,
        preview: false,
        group: 0,
        group_active: true,
        lines: get(value, "lines").as_u64().map(|_| count(get(value, "lines"))),
    }
}

fn tabs(value: &Value) -> Vec<Tab> {
    list(value).iter().map(tab).collect()
}

fn selected(value: &Value) -> Option<Selected> {
    Some(Selected {
        path: some_text(value, "path")?,
        region: region(get(value, "region")),
        text: text(value, "text"),
        truncated: is_true(value, "truncated"),
        language: text(value, "language"),
        mode: text(value, "mode"),
    })
}

fn diagnostic(value: &Value) -> Diagnostic {
    Diagnostic {
        region: region(get(value, "region")),
        severity: match count(get(value, "severity")) {
            1 => Severity::Error,
            2 => Severity::Warning,
            3 => Severity::Info,
            _ => Severity::Hint,
        },
        message: text(value, "message"),
        source: text(value, "source"),
        code: text(value, "code"),
    }
}

fn file_diagnostics(value: &Value) -> FileDiagnostics {
    FileDiagnostics {
        path: text(value, "path"),
        diagnostics: list(get(value, "diagnostics")).iter().map(diagnostic).collect(),
    }
}

/// Converts the answer to a request. The answer is a map whose only key is `value` or `failure`.
pub(crate) fn answer(request: &Request, said: &Value) -> Result<Answer, Failure> {
    let refusal = get(said, "failure");
    if !refusal.is_nil() {
        return Err(failure(refusal));
    }
    let said = get(said, "value");
    Ok(match request {
        Request::Open(_) => Answer::Opened(Opened {
            language: text(said, "language"),
            lines: count(get(said, "lines")),
            revealed: match text(said, "revealed").as_str() {
                "start" => Revealed::StartOnly,
                "nothing" => Revealed::Nothing,
                _ => Revealed::All,
            },
        }),
        Request::ShowDiff(_) | Request::CloseDiff(_) | Request::Apply(_) | Request::Show(_) => Answer::Done,
        Request::CloseTab(_) => {
            Answer::Closed(Closed { closed: count(get(said, "closed")), unsaved: count(get(said, "unsaved")) })
        }
        Request::Tabs => Answer::Tabs(tabs(said)),
        Request::Selection => Answer::Selection(selected(said)),
        Request::Dirty(_) if said.is_map() => {
            Answer::Dirty(Some(Dirtiness { dirty: is_true(said, "dirty"), untitled: is_true(said, "untitled") }))
        }
        Request::Dirty(_) => Answer::Dirty(None),
        Request::Text(_) => Answer::Text(as_text(said)),
        Request::Save(_) => Answer::Saved(said.as_bool().unwrap_or(false)),
        Request::Folders => Answer::Folders(folders(said)),
        Request::Diagnostics(_) => Answer::Diagnostics(list(said).iter().map(file_diagnostics).collect()),
    })
}

/// Converts a failure reported by `session.lua`.
fn failure(failure: &Value) -> Failure {
    let kind = match text(failure, "kind").as_str() {
        "file-not-found" => ErrorKind::FileNotFound,
        "invalid-argument" => ErrorKind::InvalidArgument,
        "unsupported" => ErrorKind::Unsupported,
        _ => ErrorKind::EditorFailed,
    };
    Failure { kind, message: text(failure, "message"), hint: some_text(failure, "hint") }
}

/// Returns the message of an error that Neovim reports. The error is either a text, or an array of a code and a text.
pub(crate) fn error_message(said: &Value) -> String {
    let message = match said {
        Value::Array(parts) => parts.iter().find_map(as_text),
        other => as_text(other),
    };
    let message = message.unwrap_or_else(|| "Neovim gave no reason".to_owned());
    message.lines().next().unwrap_or_default().to_owned()
}

/// Converts an event. `None` if it is unknown.
pub(crate) fn event(what: &str, said: &Value) -> Option<Notification> {
    Some(match what {
        "selection" => Notification::Selection(selected(said)),
        "tabs" => Notification::Tabs(tabs(said)),
        "folders" => Notification::Folders(folders(said)),
        "saved" => Notification::Saved(as_text(said)?),
        "changed" => Notification::Changed(as_text(said)?),
        "focused" => Notification::Focused(said.as_bool()?),
        "mentioned" => Notification::Mentioned(Mention {
            path: some_text(said, "path")?,
            lines: get(said, "first").as_u64().map(|_| (count(get(said, "first")), count(get(said, "last")))),
        }),
        "decided" => Notification::Decided(Decided {
            id: count(get(said, "id")),
            decision: match text(said, "what").as_str() {
                "accepted" => Decision::Accepted(text(said, "text")),
                "rejected" => Decision::Rejected,
                _ => Decision::Closed,
            },
        }),
        _ => return None,
    })
}
