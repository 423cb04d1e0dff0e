//! A scripted editor that implements the `Editors` port.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Kind, Result,
    editor::{
        Answer, AttachedEditor, ConnectionState, Decision, DiffSide, DirtyState, EditorCall, EditorDiagnostic,
        EditorEvent, EditorSelection, Editors, FileDiagnostics, Mention, NoEditors, Opened, Point, Proposal,
        ProposalOwner, ReceivedEvent, Region, Rejection, Request, Reveal, Revealed, Subscription, Tab, UnsavedFile,
    },
    pack::Severity,
};

pub(super) const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const NAME: &str = "scripted";

type Listener = Box<dyn Fn(&ReceivedEvent) + Send + Sync>;
type Decided = Box<dyn FnOnce(Decision) + Send>;

struct Open {
    owner: ProposalOwner,
    tab: String,
    /// `None` once decided.
    decided: Option<Decided>,
}

#[derive(Default)]
struct Inner {
    alone: bool,
    asked: Vec<String>,
    proposals: Vec<Open>,
    listeners: Vec<Arc<Listener>>,
    selected: Option<EditorSelection>,
    revealed: Revealed,
}

/// The scripted editor.
#[derive(Default)]
pub(super) struct Script(Mutex<Inner>);

fn point(text: &str) -> Point {
    let (line, column) = text.split_once(':').expect("line:column");
    Point { line: line.parse().expect("a line"), column: column.parse().expect("a column") }
}

fn region(text: &str) -> Region {
    let (start, end) = text.split_once('-').expect("start-end");
    Region { start: point(start), end: point(end) }
}

fn shown(region: Region) -> String {
    let end = if region.end.column == u32::MAX { "end".to_owned() } else { region.end.column.to_string() };
    format!("{}:{}-{}:{end}", region.start.line, region.start.column, region.end.line)
}

fn side(side: &DiffSide) -> String {
    let path = side.path.as_deref().unwrap_or("-");
    let text = side.text.as_ref().map_or("the file".to_owned(), |text| format!("{text:?}"));
    format!("{path} [{}] {text}", side.label)
}

impl Script {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the requests since the last call.
    pub(super) fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut self.inner().asked)
    }

    pub(super) async fn wait_asked(&self) {
        self.wait(|inner| !inner.asked.is_empty()).await;
    }

    pub(super) fn open_proposals(&self) -> usize {
        self.inner().proposals.len()
    }

    pub(super) async fn wait_for_proposals(&self, count: usize) {
        self.wait(|inner| inner.proposals.len() == count).await;
    }

    async fn wait(&self, done: impl Fn(&Inner) -> bool) {
        let since = Instant::now();
        while !done(&self.inner()) {
            assert!(since.elapsed() < Duration::from_secs(20), "the condition was not met in time");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    fn send_event(&self, event: EditorEvent) {
        let listeners = self.inner().listeners.clone();
        let received = ReceivedEvent { editor: NAME.to_owned(), event };
        for listener in listeners {
            listener(&received);
        }
    }

    /// Decides the newest pending proposal.
    fn decide(&self, decision: Decision, gone: bool) {
        let decided = {
            let mut inner = self.inner();
            let at = inner.proposals.iter().rposition(|open| open.decided.is_some()).expect("something to decide");
            let decided = inner.proposals[at].decided.take();
            if gone {
                inner.proposals.remove(at);
            }
            decided
        };
        decided.expect("not decided")(decision);
    }

    /// Performs an action in the editor, such as a selection by the user. Returns whether clients are notified.
    pub(super) fn do_it(&self, what: &str) -> bool {
        let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
        match verb {
            "leaves" => self.inner().alone = true,
            "finds" => {
                self.inner().revealed = match rest {
                    "nothing" => Revealed::Nothing,
                    "start" => Revealed::StartOnly,
                    _ => Revealed::All,
                };
            }
            "selects" | "selected" => {
                let mut words = rest.splitn(3, ' ');
                let path = words.next().expect("a path").to_owned();
                let region = region(words.next().expect("a region"));
                let text: Arc<str> = words.next().unwrap_or_default().into();
                let selected = EditorSelection { path, region, text, ..EditorSelection::default() };
                self.inner().selected = Some(selected.clone());
                if verb == "selects" {
                    self.send_event(EditorEvent::Selection(Some(selected)));
                    return true;
                }
            }
            "mentions" | "mentioned" => {
                let (path, lines) = rest.split_once(' ').unwrap_or((rest, ""));
                let lines =
                    lines.split_once('-').map(|(a, b)| (a.parse().expect("a line"), b.parse().expect("a line")));
                self.send_event(EditorEvent::Mentioned(Mention { path: path.to_owned(), lines }));
                return verb == "mentions";
            }
            "accepts" => {
                self.decide(Decision::Accepted(rest.replace("\\n", "\n").into()), false);
                return true;
            }
            "rejects" => {
                self.decide(Decision::Rejected(Rejection::Refused), true);
                return true;
            }
            "closes" => {
                self.decide(Decision::Rejected(Rejection::Closed), true);
                return true;
            }
            "dies" => {
                self.decide(Decision::Rejected(Rejection::EditorDisconnected), true);
                return true;
            }
            other => panic!("{other}"),
        }
        false
    }

    fn request_text(&self, request: &Request) -> String {
        match request {
            Request::Open(file) => {
                let reveal = match &file.reveal {
                    Reveal::Nothing => String::new(),
                    Reveal::Region(region) => format!(" {}", shown(*region)),
                    Reveal::Text { start, end, to_line_end } => format!(" from {start:?} to {end:?} {to_line_end}"),
                };
                let (preview, focus) =
                    (if file.preview { " preview" } else { "" }, if file.focus { " focus" } else { "" });
                format!("open {}{reveal}{preview}{focus}", file.path)
            }
            Request::Dirty(path) => format!("dirty {path}"),
            Request::Save(path) => format!("save {path}"),
            Request::Diagnostics(path) => format!("diagnostics {}", path.as_deref().unwrap_or("of all")),
            Request::Selection => "selection".to_owned(),
            Request::Tabs => "tabs".to_owned(),
            other => format!("{other:?}"),
        }
    }
}

/// Returns whether the editor has the file open.
fn is_open(path: &str) -> bool {
    path == "/one/a.ts"
}

impl Editors for Script {
    fn attached(&self, _root: Option<&str>) -> Vec<AttachedEditor> {
        if self.inner().alone {
            return Vec::new();
        }
        vec![AttachedEditor {
            name: NAME.to_owned(),
            integration: NAME.to_owned(),
            title: "Scripted 1".to_owned(),
            channel: String::new(),
            state: ConnectionState::Ready,
            folders: Vec::new(),
            capabilities: vec!["open"],
            focus_order: 1,
        }]
    }

    fn send_request(&self, call: &EditorCall, request: Request) -> Result<Answer> {
        if self.inner().alone {
            return Err(NoEditors::error());
        }
        assert!(["/one", "/two"].contains(&call.root.as_str()), "{}", call.root);
        let text = self.request_text(&request);
        self.inner().asked.push(text);
        Ok(match request {
            Request::Open(_) => {
                let revealed = self.inner().revealed;
                Answer::Opened(Opened { language: "typescript".to_owned(), lines: 12, revealed })
            }
            Request::Dirty(path) => {
                Answer::Dirty(is_open(&path).then_some(DirtyState { dirty: true, untitled: false }))
            }
            Request::Save(path) => Answer::Saved(is_open(&path)),
            Request::Selection => Answer::Selection(self.inner().selected.clone()),
            Request::Tabs => {
                let tab = Tab { path: Some("/one/a.ts".to_owned()), label: "a.ts".to_owned(), ..Tab::default() };
                let active = Tab { active: true, group_active: true, dirty: true, lines: Some(12), ..tab.clone() };
                let other = Tab { path: None, label: "Untitled-1".to_owned(), untitled: true, group: 1, ..tab };
                Answer::Tabs(vec![Tab { language: "typescript".to_owned(), ..active }, other])
            }
            Request::Diagnostics(path) => {
                let region = Region { start: Point { line: 2, column: 4 }, end: Point { line: 2, column: 9 } };
                let finding = |severity, message: &str, source: &str, code: &str| EditorDiagnostic {
                    region,
                    severity,
                    message: message.to_owned(),
                    source: source.to_owned(),
                    code: code.to_owned(),
                };
                let findings = match path {
                    Some(_) => vec![finding(Severity::Warning, "unused", "ts", "6133")],
                    None => vec![
                        finding(Severity::Error, "wrong", "ts", ""),
                        finding(Severity::Warning, "unused", "ts", "6133"),
                        finding(Severity::Info, "known", "", ""),
                        finding(Severity::Hint, "shorter", "", "s1"),
                    ],
                };
                let path = path.unwrap_or_else(|| "/one/b c.md".to_owned());
                Answer::Diagnostics(vec![FileDiagnostics { path, diagnostics: findings }])
            }
            _ => return Err(Error::new(Kind::Unsupported, "it cannot do that")),
        })
    }

    fn propose(&self, _call: &EditorCall, proposal: Proposal, decided: Box<dyn FnOnce(Decision) + Send>) -> Result<()> {
        if self.inner().alone {
            return Err(NoEditors::error());
        }
        let Proposal { owner, tab, diff } = proposal;
        let replaced = {
            let mut inner = self.inner();
            let at = inner.proposals.iter().position(|open| open.owner == owner && open.tab == tab);
            let replaced = at.map(|at| inner.proposals.remove(at));
            inner.proposals.push(Open { owner, tab, decided: Some(decided) });
            replaced
        };
        if let Some(decided) = replaced.and_then(|open| open.decided) {
            decided(Decision::Rejected(Rejection::Replaced));
        }
        // The request is recorded after the replaced proposal was answered. So a test that waits for the request has
        // also received that answer.
        self.inner().asked.push(format!("diff {} | {} | {}", diff.title, side(&diff.left), side(&diff.right)));
        Ok(())
    }

    fn close(&self, owner: ProposalOwner, tab: &str) -> bool {
        let closed = {
            let mut inner = self.inner();
            let at = inner.proposals.iter().position(|open| open.owner == owner && open.tab == tab);
            at.map(|at| inner.proposals.remove(at))
        };
        let was_there = closed.is_some();
        if let Some(decided) = closed.and_then(|open| open.decided) {
            decided(Decision::Rejected(Rejection::Withdrawn));
        }
        was_there
    }

    fn close_all(&self, owner: ProposalOwner) -> usize {
        let tabs: Vec<String> =
            self.inner().proposals.iter().filter(|open| open.owner == owner).map(|open| open.tab.clone()).collect();
        tabs.iter().filter(|tab| self.close(owner, tab)).count()
    }

    fn latest_selection(&self, root: &str) -> Option<EditorSelection> {
        self.inner().selected.clone().filter(|selected| selected.path.starts_with(root))
    }

    fn known_tabs(&self, _editor: &str) -> Vec<Tab> {
        Vec::new()
    }

    fn unsaved(&self, _paths: &[String]) -> Vec<UnsavedFile> {
        Vec::new()
    }

    fn subscribe(&self, _root: Option<&str>, listener: Listener) -> Subscription {
        self.inner().listeners.push(Arc::new(listener));
        Subscription::with_end(|| {})
    }
}
