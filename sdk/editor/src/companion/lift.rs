//! Converts messages of a companion to answers, failures, events and introductions. Malformed messages are ignored.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Ability, Answer, Closed, Decided, Decision, Dirtiness, ErrorKind, Failure, Finding, Findings, Folder, Introduction,
    Mention, News, Opened, Point, Region, Request, Revealed, Selected, Severity, Tab, abilities::NAMED,
};

fn read<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

#[derive(Deserialize)]
struct Place {
    line: u32,
    column: u32,
}

#[derive(Deserialize)]
struct Range {
    start: Place,
    end: Place,
}

impl From<Range> for Region {
    fn from(Range { start, end }: Range) -> Region {
        let point = |Place { line, column }| Point { line, column };
        // A selection made backwards is normalized.
        let is_forward = (start.line, start.column) <= (end.line, end.column);
        let (start, end) = if is_forward { (start, end) } else { (end, start) };
        Region { start: point(start), end: point(end) }
    }
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Named {
    name: String,
    path: String,
}

fn folder(Named { name, path }: Named) -> Folder {
    Folder { name, path }
}

#[derive(Deserialize)]
struct Introduced {
    title: String,
    #[serde(default)]
    folders: Vec<Named>,
    #[serde(default)]
    abilities: Vec<String>,
}

/// Parses an introduction.
pub(super) fn introduction(params: Value) -> Option<Introduction> {
    let Introduced { title, folders, abilities } = read(params)?;
    let abilities = abilities.iter().filter_map(|name| ability(name)).collect();
    Some(Introduction { title, folders: folders.into_iter().map(folder).collect(), abilities })
}

fn ability(name: &str) -> Option<Ability> {
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, ability)| *ability)
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Shown {
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

fn tab(shown: Shown) -> Tab {
    let Shown { path, label, language, active, dirty, untitled, pinned, preview, group, group_active, lines } = shown;
    Tab { path, label, language, active, dirty, untitled, pinned, preview, group, group_active, lines }
}

#[derive(Deserialize)]
struct Marked {
    path: String,
    region: Range,
    #[serde(default)]
    text: String,
    #[serde(default)]
    cut: bool,
    #[serde(default)]
    language: String,
    #[serde(default)]
    mode: String,
}

fn selected(marked: Marked) -> Selected {
    let Marked { path, region, text, cut, language, mode } = marked;
    Selected { path, region: region.into(), text, cut, language, mode }
}

#[derive(Deserialize)]
struct Wrong {
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

fn finding(wrong: Wrong) -> Finding {
    let severity = match wrong.severity.as_str() {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "info" => Severity::Info,
        _ => Severity::Hint,
    };
    let Wrong { region, message, source, code, .. } = wrong;
    Finding { region: region.into(), severity, message, source, code }
}

#[derive(Deserialize)]
struct WrongIn {
    path: String,
    #[serde(default)]
    findings: Vec<Wrong>,
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
        Request::Open(_) => read(result).map(|opened: OpenedFile| {
            let revealed = match opened.revealed.as_str() {
                "start-only" => Revealed::StartOnly,
                "nothing" => Revealed::Nothing,
                _ => Revealed::All,
            };
            Answer::Opened(Opened { language: opened.language, lines: opened.lines, revealed })
        }),
        Request::ShowDiff(_) | Request::CloseDiff(_) | Request::Apply(_) | Request::Show(_) => Some(Answer::Done),
        Request::CloseTab(_) => {
            read(result).map(|Counted { closed, unsaved }| Answer::Closed(Closed { closed, unsaved }))
        }
        Request::Tabs => read(result).map(|tabs: Vec<Shown>| Answer::Tabs(tabs.into_iter().map(tab).collect())),
        Request::Selection => read(result).map(|marked: Option<Marked>| Answer::Selection(marked.map(selected))),
        Request::Dirty(_) => read(result).map(|changes: Option<Changes>| {
            Answer::Dirty(changes.map(|Changes { dirty, untitled }| Dirtiness { dirty, untitled }))
        }),
        Request::Text(_) => read(result).map(Answer::Text),
        Request::Save(_) => read(result).map(Answer::Saved),
        Request::Folders => {
            read(result).map(|folders: Vec<Named>| Answer::Folders(folders.into_iter().map(folder).collect()))
        }
        Request::Diagnostics(_) => read(result).map(|files: Vec<WrongIn>| {
            let of =
                |WrongIn { path, findings }| Findings { path, findings: findings.into_iter().map(finding).collect() };
            Answer::Diagnostics(files.into_iter().map(of).collect())
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
    let Told { message, data } = read(error).unwrap_or_default();
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
    selected: Option<Marked>,
}

#[derive(Deserialize)]
struct Tabs {
    tabs: Vec<Shown>,
}

#[derive(Deserialize)]
struct Folders {
    folders: Vec<Named>,
}

#[derive(Deserialize)]
struct OfFile {
    path: String,
    #[serde(default)]
    lines: Option<(u32, u32)>,
}

#[derive(Deserialize)]
struct Deciding {
    id: u32,
    decision: String,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct Focusing {
    focused: bool,
}

/// Parses a notification.
pub(super) fn news(method: &str, params: Value) -> Option<News> {
    Some(match method {
        "selection" => News::Selection(read::<Selecting>(params)?.selected.map(selected)),
        "tabs" => News::Tabs(read::<Tabs>(params)?.tabs.into_iter().map(tab).collect()),
        "folders" => News::Folders(read::<Folders>(params)?.folders.into_iter().map(folder).collect()),
        "saved" => News::Saved(read::<OfFile>(params)?.path),
        "changed" => News::Changed(read::<OfFile>(params)?.path),
        "mentioned" => {
            let OfFile { path, lines } = read(params)?;
            News::Mentioned(Mention { path, lines })
        }
        "focused" => News::Focused(read::<Focusing>(params)?.focused),
        "decided" => {
            let Deciding { id, decision, text } = read(params)?;
            let decision = match decision.as_str() {
                // An accepted text may be empty but must be present.
                "accepted" => Decision::Accepted(text?),
                "rejected" => Decision::Rejected,
                "closed" => Decision::Closed,
                _ => return None,
            };
            News::Decided(Decided { id, decision })
        }
        _ => return None,
    })
}
