//! Converts messages of a companion to answers, failures, events and introductions. Malformed messages are ignored.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Ability, Answer, Closed, Decided, Decision, Diagnostic, Dirtiness, ErrorKind, Failure, FileDiagnostics, Folder,
    Introduction, Mention, Notification, Opened, Point, Region, Request, Revealed, Selected, Severity, Tab,
    abilities::ABILITY_NAMES,
};

fn deserialize<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

#[derive(Deserialize)]
struct Position {
    line: u32,
    column: u32,
}

#[derive(Deserialize)]
struct Range {
    start: Position,
    end: Position,
}

impl From<Range> for Region {
    fn from(Range { start, end }: Range) -> Region {
        let point = |Position { line, column }| Point { line, column };
        // A selection made backwards is normalized.
        let is_forward = (start.line, start.column) <= (end.line, end.column);
        let (start, end) = if is_forward { (start, end) } else { (end, start) };
        Region { start: point(start), end: point(end) }
    }
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct NamedPath {
    name: String,
    path: String,
}

fn folder(NamedPath { name, path }: NamedPath) -> Folder {
    Folder { name, path }
}

#[derive(Deserialize)]
struct RawIntroduction {
    title: String,
    #[serde(default)]
    folders: Vec<NamedPath>,
    #[serde(default)]
    abilities: Vec<String>,
}

/// Parses an introduction.
pub(super) fn introduction(params: Value) -> Option<Introduction> {
    let RawIntroduction { title, folders, abilities } = deserialize(params)?;
    let abilities = abilities.iter().filter_map(|name| ability(name)).collect();
    Some(Introduction { title, folders: folders.into_iter().map(folder).collect(), abilities })
}

fn ability(name: &str) -> Option<Ability> {
    ABILITY_NAMES.iter().find(|(known, _)| *known == name).map(|(_, ability)| *ability)
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct RawTab {
    path: Option<String>,
    label: String,
    language: String,
    active: bool,
    dirty: bool,
    untitled: bool,
    pinned: bool,
    preview: bool,
    group: u32,
    group_active: bool,
    lines: Option<u32>,
}

fn tab(shown: RawTab) -> Tab {
    let RawTab { path, label, language, active, dirty, untitled, pinned, preview, group, group_active, lines } = shown;
    Tab { path, label, language, active, dirty, untitled, pinned, preview, group, group_active, lines }
}

#[derive(Deserialize)]
struct RawSelection {
    path: String,
    region: Range,
    #[serde(default)]
    text: String,
    #[serde(default)]
    truncated: bool,
    #[serde(default)]
    language: String,
    #[serde(default)]
    mode: String,
}

fn selected(marked: RawSelection) -> Selected {
    let RawSelection { path, region, text, truncated, language, mode } = marked;
    Selected { path, region: region.into(), text, truncated, language, mode }
}

#[derive(Deserialize)]
struct RawDiagnostic {
    region: Range,
    #[serde(default)]
    severity: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    code: String,
}

fn diagnostic(raw: RawDiagnostic) -> Diagnostic {
    let severity = match raw.severity.as_str() {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "info" => Severity::Info,
        _ => Severity::Hint,
    };
    let RawDiagnostic { region, message, source, code, .. } = raw;
    Diagnostic { region: region.into(), severity, message, source, code }
}

#[derive(Deserialize)]
struct RawFileDiagnostics {
    path: String,
    #[serde(default)]
    diagnostics: Vec<RawDiagnostic>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OpenedFile {
    language: String,
    lines: u32,
    revealed: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Counted {
    closed: u32,
    unsaved: u32,
}

#[derive(Deserialize)]
struct Changes {
    dirty: bool,
    #[serde(default)]
    untitled: bool,
}

/// Parses the result of a request.
pub(super) fn answer(request: &Request, result: Value) -> Result<Answer, Failure> {
    let answer = match request {
        Request::Open(_) => deserialize(result).map(|opened: OpenedFile| {
            let revealed = match opened.revealed.as_str() {
                "start-only" => Revealed::StartOnly,
                "nothing" => Revealed::Nothing,
                _ => Revealed::All,
            };
            Answer::Opened(Opened { language: opened.language, lines: opened.lines, revealed })
        }),
        Request::ShowDiff(_) | Request::CloseDiff(_) | Request::Apply(_) | Request::Show(_) => Some(Answer::Done),
        Request::CloseTab(_) => {
            deserialize(result).map(|Counted { closed, unsaved }| Answer::Closed(Closed { closed, unsaved }))
        }
        Request::Tabs => deserialize(result).map(|tabs: Vec<RawTab>| Answer::Tabs(tabs.into_iter().map(tab).collect())),
        Request::Selection => {
            deserialize(result).map(|marked: Option<RawSelection>| Answer::Selection(marked.map(selected)))
        }
        Request::Dirty(_) => deserialize(result).map(|changes: Option<Changes>| {
            Answer::Dirty(changes.map(|Changes { dirty, untitled }| Dirtiness { dirty, untitled }))
        }),
        Request::Text(_) => deserialize(result).map(Answer::Text),
        Request::Save(_) => deserialize(result).map(Answer::Saved),
        Request::Folders => deserialize(result)
            .map(|folders: Vec<NamedPath>| Answer::Folders(folders.into_iter().map(folder).collect())),
        Request::Diagnostics(_) => deserialize(result).map(|files: Vec<RawFileDiagnostics>| {
            let in_file = |RawFileDiagnostics { path, diagnostics }| FileDiagnostics {
                path,
                diagnostics: diagnostics.into_iter().map(diagnostic).collect(),
            };
            Answer::Diagnostics(files.into_iter().map(in_file).collect())
        }),
    };
    answer.ok_or_else(|| Failure::new(ErrorKind::EditorFailed, "the companion sent an answer of another type"))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Told {
    message: String,
    data: Data,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Data {
    kind: String,
    hint: Option<String>,
}

/// Parses an error response.
pub(super) fn failure(error: Value) -> Failure {
    let Told { message, data } = deserialize(error).unwrap_or_default();
    let kind = match data.kind.as_str() {
        "file-not-found" => ErrorKind::FileNotFound,
        "invalid-argument" => ErrorKind::InvalidArgument,
        "unsupported" => ErrorKind::Unsupported,
        "limit-exceeded" => ErrorKind::LimitExceeded,
        _ => ErrorKind::EditorFailed,
    };
    Failure { kind, message, hint: data.hint }
}

#[derive(Deserialize)]
struct Selecting {
    selected: Option<RawSelection>,
}

#[derive(Deserialize)]
struct Tabs {
    tabs: Vec<RawTab>,
}

#[derive(Deserialize)]
struct Folders {
    folders: Vec<NamedPath>,
}

#[derive(Deserialize)]
struct RawMention {
    path: String,
    #[serde(default)]
    lines: Option<(u32, u32)>,
}

#[derive(Deserialize)]
struct RawDecision {
    id: u32,
    decision: String,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct RawFocus {
    focused: bool,
}

/// Parses a notification.
pub(super) fn event(method: &str, params: Value) -> Option<Notification> {
    Some(match method {
        "selection" => Notification::Selection(deserialize::<Selecting>(params)?.selected.map(selected)),
        "tabs" => Notification::Tabs(deserialize::<Tabs>(params)?.tabs.into_iter().map(tab).collect()),
        "folders" => Notification::Folders(deserialize::<Folders>(params)?.folders.into_iter().map(folder).collect()),
        "saved" => Notification::Saved(deserialize::<RawMention>(params)?.path),
        "changed" => Notification::Changed(deserialize::<RawMention>(params)?.path),
        "mentioned" => {
            let RawMention { path, lines } = deserialize(params)?;
            Notification::Mentioned(Mention { path, lines })
        }
        "focused" => Notification::Focused(deserialize::<RawFocus>(params)?.focused),
        "decided" => {
            let RawDecision { id, decision, text } = deserialize(params)?;
            let decision = match decision.as_str() {
                // An accepted text may be empty but must be present.
                "accepted" => Decision::Accepted(text?),
                "rejected" => Decision::Rejected,
                "closed" => Decision::Closed,
                _ => return None,
            };
            Notification::Decided(Decided { id, decision })
        }
        _ => return None,
    })
}
