//! A project with an editor on a socket: the sandboxed integration, and the host of editors that uses it.
#![allow(dead_code, reason = "each file of tests uses some of it")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use marquetry_editors::{Environment, Host};
use marquetry_files::DiskRoots;
use marquetry_model::{
    Work,
    editor::{
        Answer, Decision, Diff, DiffId, DiffSide, EditorCall, EditorEvent, Editors, Proposal, ProposalOwner,
        ReceivedEvent, Request, Subscription,
    },
    ports::Roots,
};
use marquetry_testkit::packs;

/// Time limit of each wait. It is long, because the first run compiles the integration.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) struct Project {
    folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) roots: Arc<dyn Roots>,
    pub(crate) host: Arc<Host>,
}

impl Project {
    /// A folder with two files, with a socket for the editor.
    pub(crate) fn new() -> Project {
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().canonicalize().expect("there");
        let root = real.join("project");
        fs::create_dir(&root).expect("made");
        fs::write(root.join("a.txt"), "one\ntwo 😀 é\nthree\nfour\n").expect("written");
        fs::write(root.join("b.txt"), "b\n").expect("written");
        let roots: Arc<dyn Roots> = Arc::new(DiskRoots::new(root.clone(), real.join("state")));
        let socket = real.join("s").display().to_string();
        let registry = format!(
            "marquetry = 1\n[plugins.text]\n[editors.neovim]\nchannels = [\"socket\"]\naddresses = [\"{socket}\"]\n"
        );
        let around = Environment {
            variable: Box::new(|_| None),
            runtime: None,
            temporary: real.join("tmp"),
            user: String::new(),
            home: None,
        };
        let host = Arc::new(Host::new(Arc::clone(&roots), Arc::new(packs(&registry)), around));
        Project { folder, root, roots, host }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.root.with_file_name("s")
    }

    pub(crate) fn state(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.root.join(name).display().to_string()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.root.join(name)).expect("there")
    }

    pub(crate) fn call(&self) -> EditorCall {
        EditorCall {
            timeout: Some(TIMEOUT),
            ..EditorCall::for_root(&self.root.display().to_string(), &Work::default())
        }
    }

    #[track_caller]
    pub(crate) fn ask(&self, request: Request) -> Answer {
        self.host.send_request(&self.call(), request).expect("answered")
    }

    /// Proposes a text for a file. The channel receives the decision.
    #[track_caller]
    pub(crate) fn propose(&self, owner: ProposalOwner, name: &str, text: &str) -> std::sync::mpsc::Receiver<Decision> {
        let (sender, receiver) = std::sync::mpsc::channel();
        let side = |text: Option<&str>| DiffSide {
            path: Some(self.path(name)),
            text: text.map(Arc::from),
            label: name.to_owned(),
        };
        let (left, right) = (side(None), side(Some(text)));
        let diff = Diff { id: DiffId(0), title: format!("{name} (proposed)"), left, right, decide: true, focus: true };
        let proposal = Proposal { owner, tab: name.to_owned(), diff };
        self.host
            .propose(&self.call(), proposal, Box::new(move |decision| drop(sender.send(decision))))
            .expect("shown");
        receiver
    }
}

/// Collects the events of the editors, in order.
pub(crate) struct EventRecorder {
    heard: Arc<Mutex<Vec<EditorEvent>>>,
    _subscription: Subscription,
}

impl EventRecorder {
    pub(crate) fn subscribe(host: &Host) -> EventRecorder {
        let heard: Arc<Mutex<Vec<EditorEvent>>> = Arc::default();
        let ours = Arc::clone(&heard);
        let listen = move |received: &ReceivedEvent| ours.lock().expect("no panic").push(received.event.clone());
        EventRecorder { heard, _subscription: host.subscribe(None, Box::new(listen)) }
    }

    /// Returns whether an event matched.
    pub(crate) fn has_received(&self, what: impl Fn(&EditorEvent) -> bool) -> bool {
        self.heard.lock().expect("no panic").iter().any(what)
    }

    /// Asserts that no event matched.
    #[track_caller]
    pub(crate) fn assert_none(&self, what: impl Fn(&EditorEvent) -> bool) {
        let events = self.heard.lock().expect("no panic");
        assert_eq!(events.iter().find(|event| what(event)), None);
    }

    /// Waits for a matching event.
    #[track_caller]
    pub(crate) fn wait_for_event<R>(&self, what: impl Fn(&EditorEvent) -> Option<R>) -> R {
        let mut found = None;
        wait_until(|| {
            found = self.heard.lock().expect("no panic").iter().find_map(&what);
            found.is_some()
        });
        found.expect("a matching event")
    }
}

/// Waits until a condition holds.
#[track_caller]
pub(crate) fn wait_until(mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !holds() {
        assert!(Instant::now() < end, "the condition was not met in time");
        std::thread::sleep(Duration::from_millis(3));
    }
}
