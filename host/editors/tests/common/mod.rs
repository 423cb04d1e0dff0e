//! A test editor with a line-based protocol, its integration, and a host for both.
//!
//! The editor sends `hello TITLE FOLDER`, `select PATH LINE TEXT`, `tabs PATH PATH*` (a star means unsaved),
//! `accept ID TEXT`, `reject ID`, `closed ID`, `mention PATH` and `trap`. It receives `welcome` and `ask NUMBER REQUEST …`,
//! which it answers with `done NUMBER` unless it is set to be silent.
#![allow(dead_code, reason = "each file of tests uses some of it")]

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use marquetry_editors::{Environment, Host};
use marquetry_model::{
    Error, Result, Work,
    editor::{
        Action, Answer, Capability, Channel, Diff, DiffId, DiffSide, EditorCall, EditorInfo, EditorSelection, Editors,
        Event, Folder, IncomingConnection, Integration, IntegrationInfo, Integrations, Mention, Point, Proposal,
        ProposalOwner, Region, ReportedEvent, Request, Session, Tab,
    },
    ports::{Files, Roots},
};

/// Upper bound for everything the tests wait for.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

/// Integration for the test editor.
pub(crate) struct Lines {
    addresses: Vec<String>,
}

#[derive(Default)]
struct LineSession {
    bytes: Vec<u8>,
    introduced: bool,
}

const ABILITIES: [Capability; 5] =
    [Capability::Open, Capability::ShowDiff, Capability::Decide, Capability::Tabs, Capability::Save];

impl Integration for Lines {
    fn name(&self) -> &str {
        "lines"
    }

    fn key(&self) -> &str {
        "lines"
    }

    fn channels(&self) -> &[String] {
        static CHANNELS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
        CHANNELS.get_or_init(|| vec!["socket".to_owned(), "websocket".to_owned()])
    }

    fn addresses(&self) -> Option<&[String]> {
        Some(&self.addresses)
    }

    fn describe(&self) -> Result<Arc<IntegrationInfo>> {
        let [id, name, version, settings_schema, help] = ["lines", "Lines", "1.0.0", "{}", ""].map(str::to_owned);
        let channels = vec![Channel::Socket(Vec::new()), Channel::WebSocket("/editors/lines".to_owned())];
        Ok(Arc::new(IntegrationInfo {
            id,
            name,
            version,
            channels,
            abilities: ABILITIES.to_vec(),
            settings_schema,
            help,
        }))
    }

    fn attach(&self) -> Result<Box<dyn Session>> {
        Ok(Box::<LineSession>::default())
    }
}

impl Integrations for Lines {
    fn for_project(&self, _files: &Arc<dyn Files>) -> Result<Vec<Arc<dyn Integration>>> {
        Ok(vec![Arc::new(Lines { addresses: self.addresses.clone() })])
    }
}

fn parse_line(line: &str) -> Option<Action> {
    let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (first, more) = rest.split_once(' ').unwrap_or((rest, ""));
    let id = || first.parse().unwrap_or(0);
    Some(match what {
        "hello" => Action::Introduce(EditorInfo {
            title: first.to_owned(),
            folders: vec![Folder { name: "f".to_owned(), path: more.to_owned() }],
            abilities: ABILITIES.to_vec(),
        }),
        "select" => {
            let (line, text) = more.split_once(' ').unwrap_or((more, ""));
            let at = Point { line: line.parse().unwrap_or(0), column: 0 };
            Action::Report(ReportedEvent::Selection((first != "-").then(|| EditorSelection {
                path: first.to_owned(),
                region: Region { start: at, end: at },
                text: Arc::from(text),
                ..EditorSelection::default()
            })))
        }
        "tabs" => Action::Report(ReportedEvent::Tabs(tabs(rest))),
        "accept" => Action::Report(ReportedEvent::Accepted(DiffId(id()), Arc::from(more))),
        "reject" => Action::Report(ReportedEvent::Rejected(DiffId(id()))),
        "closed" => Action::Report(ReportedEvent::Closed(DiffId(id()))),
        "mention" => Action::Report(ReportedEvent::Mentioned(Mention { path: first.to_owned(), lines: None })),
        "done" => Action::Answer(id(), Ok(Answer::Done)),
        "held" => Action::Answer(id(), Ok(Answer::Tabs(tabs(more)))),
        "fail" => Action::Answer(id(), Err(Error::argument(more))),
        _ => return None,
    })
}

fn tabs(words: &str) -> Vec<Tab> {
    let tab = |word: &str| Tab {
        path: Some(word.trim_end_matches('*').to_owned()),
        dirty: word.ends_with('*'),
        ..Tab::default()
    };
    words.split_whitespace().map(tab).collect()
}

impl Session for LineSession {
    fn handle(&mut self, event: Event) -> Result<Vec<Action>> {
        let send = |text: String| Ok(vec![Action::Send(text.into_bytes())]);
        match event {
            Event::Received(bytes) => {
                self.bytes.extend(bytes);
                let mut actions = Vec::new();
                while let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = self.bytes.drain(..=end).collect();
                    let line = String::from_utf8_lossy(&line[..end]).into_owned();
                    if line == "trap" {
                        return Err(Error::internal("it trapped"));
                    }
                    actions.extend(parse_line(&line));
                }
                Ok(actions)
            }
            Event::Accepted => send("welcome\n".to_owned()),
            Event::Request(id, Request::Tabs) => send(format!("ask {id} tabs\n")),
            Event::Request(id, Request::ShowDiff(diff)) => {
                let text = diff.right.text.as_deref().unwrap_or("").to_owned();
                send(format!("ask {id} show-diff {} {} {text}\n", diff.id.0, diff.title))
            }
            Event::Request(id, Request::CloseDiff(diff)) => send(format!("ask {id} close-diff {}\n", diff.0)),
            Event::Request(id, Request::Open(file)) => send(format!("ask {id} open {}\n", file.path)),
            Event::Request(id, request) => send(format!("ask {id} {}\n", Capability::required_by(&request).name())),
            Event::Cancelled(id) => send(format!("cancelled {id}\n")),
            Event::Opened | Event::Closed(_) | Event::TimerExpired(_) => Ok(Vec::new()),
        }
    }
}

/// A `Roots` port with a single root.
struct Root(String);

impl Roots for Root {
    fn open(&self, root: Option<&str>) -> Result<Arc<dyn Files>> {
        Ok(Arc::new(marquetry_editors_files::Named(root.unwrap_or(&self.0).to_owned())))
    }

    fn served(&self) -> Vec<String> {
        vec![self.0.clone()]
    }

    fn restricted_to(&self, _told: &[String]) -> Option<Arc<dyn Roots>> {
        None
    }

    fn root_of(&self, path: &str) -> Option<String> {
        path.starts_with(&self.0).then(|| self.0.clone())
    }
}

/// A `Files` port that knows only its root.
mod marquetry_editors_files {
    use marquetry_model::{
        Change, ChangeEffects, Error, Result, Work,
        ports::{EntryKind, FileStamp, Files, PastChange, Source},
    };

    pub(crate) struct Named(pub(crate) String);

    fn nothing<T>() -> Result<T> {
        Err(Error::internal("there are no files"))
    }

    impl Files for Named {
        fn root(&self) -> &str {
            &self.0
        }

        fn is_on_disk(&self) -> bool {
            false
        }

        fn locate(&self, _path: &str) -> Result<String> {
            nothing()
        }

        fn read(&self, _path: &str) -> Result<Source> {
            nothing()
        }

        fn read_bytes(&self, _path: &str) -> Result<Vec<u8>> {
            nothing()
        }

        fn stat(&self, _path: &str) -> Option<EntryKind> {
            None
        }

        fn entries(&self, _path: &str) -> Vec<(String, EntryKind)> {
            Vec::new()
        }

        fn walk(&self, _below: &str) -> Result<Vec<FileStamp>> {
            nothing()
        }

        fn apply(&self, _change: &Change, _dry_run: bool, _work: &Work) -> Result<ChangeEffects> {
            nothing()
        }

        fn undo(&self, _id: Option<&str>, _dry_run: bool, _work: &Work) -> Result<(PastChange, ChangeEffects)> {
            nothing()
        }

        fn history(&self, _limit: usize) -> Result<Vec<PastChange>> {
            Ok(Vec::new())
        }
    }
}

/// A running test editor: records what it receives and sends lines on request.
pub(crate) struct TestEditor {
    shared: Arc<TestEditorState>,
    pub(crate) path: PathBuf,
}

struct TestEditorState {
    lines: Mutex<Vec<String>>,
    more: Condvar,
    streams: Mutex<Vec<UnixStream>>,
    /// If set, it does not answer requests.
    silent: AtomicBool,
    /// The line it sends first, and the tabs that it reports.
    hello: String,
    tabs: Mutex<String>,
}

impl TestEditor {
    /// Starts an editor that listens on socket `name` in `sockets` and works in folder `works_in`.
    pub(crate) fn start(sockets: &Path, name: &str, works_in: &str) -> TestEditor {
        let path = sockets.join(name);
        let listener = UnixListener::bind(&path).expect("bound");
        let shared = Arc::new(TestEditorState {
            lines: Mutex::default(),
            more: Condvar::new(),
            streams: Mutex::default(),
            silent: AtomicBool::new(false),
            hello: format!("hello {name} {works_in}\n"),
            tabs: Mutex::default(),
        });
        let ours = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&ours);
                std::thread::spawn(move || shared.serve(&stream));
            }
        });
        TestEditor { shared, path }
    }

    /// Starts an editor that connects to the host at `path`.
    pub(crate) fn dial(host: &Host, path: &str, works_in: &str) -> Result<TestEditor> {
        let shared = Arc::new(TestEditorState {
            lines: Mutex::default(),
            more: Condvar::new(),
            streams: Mutex::default(),
            silent: AtomicBool::new(false),
            hello: format!("hello dialling {works_in}\n"),
            tabs: Mutex::default(),
        });
        let (ours, theirs) = UnixStream::pair().expect("made");
        let [read, write, end] = [(); 3].map(|()| theirs.try_clone().expect("cloned"));
        let end = Box::new(move || drop(end.shutdown(std::net::Shutdown::Both)));
        host.accept_connection(path, IncomingConnection { read: Box::new(read), write: Box::new(write), end })?;
        let serving = Arc::clone(&shared);
        std::thread::spawn(move || serving.serve(&ours));
        Ok(TestEditor { shared, path: PathBuf::new() })
    }

    pub(crate) fn silent(&self, silent: bool) {
        self.shared.silent.store(silent, Ordering::SeqCst);
    }

    pub(crate) fn has_tabs(&self, tabs: &str) {
        *self.shared.tabs.lock().expect("no panic") = tabs.to_owned();
    }

    /// Sends a line on all connections.
    pub(crate) fn send_line(&self, line: &str) {
        for mut stream in self.shared.streams.lock().expect("no panic").iter() {
            let _ = stream.write_all(format!("{line}\n").as_bytes());
        }
    }

    /// Ends all connections.
    pub(crate) fn disconnect(&self) {
        for stream in self.shared.streams.lock().expect("no panic").drain(..) {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Waits for a line with this prefix, and removes it and the lines before it.
    #[track_caller]
    pub(crate) fn wait_for_line(&self, start: &str) -> String {
        let until = Instant::now() + TIMEOUT;
        let mut lines = self.shared.lines.lock().expect("no panic");
        loop {
            if let Some(at) = lines.iter().position(|line| line.starts_with(start)) {
                return lines.drain(..=at).next_back().expect("there");
            }
            assert!(Instant::now() < until, "no line starts with `{start}`; received: {lines:?}");
            lines = self.shared.more.wait_timeout(lines, Duration::from_millis(20)).expect("no panic").0;
        }
    }

    pub(crate) fn received_lines(&self) -> Vec<String> {
        self.shared.lines.lock().expect("no panic").clone()
    }
}

impl TestEditorState {
    fn serve(&self, stream: &UnixStream) {
        let mut write = stream.try_clone().expect("cloned");
        self.streams.lock().expect("no panic").push(stream.try_clone().expect("cloned"));
        let _ = write.write_all(self.hello.as_bytes());
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            let answer = match words.as_slice() {
                ["ask", id, "tabs", ..] => Some(format!("held {id} {}\n", self.tabs.lock().expect("no panic"))),
                ["ask", id, ..] if !self.silent.load(Ordering::SeqCst) => Some(format!("done {id}\n")),
                _ => None,
            };
            self.lines.lock().expect("no panic").push(line.clone());
            self.more.notify_all();
            if let Some(answer) = answer {
                let _ = write.write_all(answer.as_bytes());
            }
        }
    }
}

/// A host that looks for editors at sockets in a folder. An address without `*` is exact.
pub(crate) fn host(root: &str, sockets: &Path, addresses: &[&str]) -> Arc<Host> {
    let addresses = addresses.iter().map(|address| sockets.join(address).display().to_string()).collect();
    let around = Environment {
        variable: Box::new(|_| None),
        runtime: None,
        temporary: sockets.to_owned(),
        user: "me".to_owned(),
        home: None,
    };
    Arc::new(Host::new(Arc::new(Root(root.to_owned())), Arc::new(Lines { addresses }), around))
}

pub(crate) fn call(root: &str) -> EditorCall {
    EditorCall::for_root(root, &Work::default())
}

pub(crate) fn proposal(owner: ProposalOwner, tab: &str, text: &str) -> Proposal {
    let right = DiffSide { path: None, text: Some(Arc::from(text)), label: String::new() };
    let diff =
        Diff { id: DiffId(0), title: tab.to_owned(), left: DiffSide::default(), right, decide: false, focus: true };
    Proposal { owner, tab: tab.to_owned(), diff }
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn wait_until(holds: impl Fn() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !holds() {
        assert!(Instant::now() < end, "the condition was not met in time");
        std::thread::sleep(Duration::from_millis(2));
    }
}
