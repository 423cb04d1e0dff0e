//! The port through which tools and protocols reach the attached editors.

use std::{
    fmt,
    io::{Read, Write},
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    time::{Duration, Instant},
};

use super::messages::{Answer, Decision, Diff, EditorEvent, EditorSelection, Folder, Request, Tab};
use crate::{Error, Kind, Result, Work};

/// An editor that is attached, or that the host is trying to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedEditor {
    /// Its name in calls: the name of the integration, numbered from the second one on, such as `vi`, `vi-2`.
    pub name: String,
    /// The integration: its name in `registry.toml`.
    pub integration: String,
    /// The editor's own name and version. Empty until the editor has reported it.
    pub title: String,
    /// A description of the connection, for people: `socket /run/user/1000/vi.1`.
    pub channel: String,
    /// The state of the connection.
    pub state: ConnectionState,
    /// The editor's folders that are below served roots.
    pub folders: Vec<Folder>,
    /// The names of the requests that it supports: `open`, `show-diff`, `decide`, `diagnostics` …
    pub capabilities: Vec<&'static str>,
    /// Orders editors by focus: the larger, the more recently focused.
    pub focus_order: u64,
}

/// The connection state of an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// The editor answers.
    Ready,
    /// Connected, but the editor has not completed the handshake yet.
    Connecting,
    /// The editor cannot be reached, or its connection failed. Contains the reason, and says that the host retries.
    Failed(String),
}

/// The addressee of a request.
#[derive(Clone, Default)]
pub struct EditorCall {
    /// The root that the request concerns, as an absolute path. The most recently focused editor that works in it is
    /// asked.
    pub root: String,
    /// The name of an editor, whichever root it works in; or the name of an integration, meaning its most recently
    /// focused editor.
    pub editor: Option<String>,
    /// True if `editor` is the name of one editor. If that editor is gone, another one of the same integration is not
    /// used.
    pub is_exact: bool,
    /// The time limit for the editor. If `None`, the host uses the default for the kind of request.
    pub timeout: Option<Duration>,
    /// The call on whose behalf the request is made. Cancelling it cancels the request.
    pub work: Work,
}

impl EditorCall {
    /// Creates a call for a root, for any editor that works in it.
    pub fn for_root(root: &str, work: &Work) -> EditorCall {
        EditorCall { root: root.to_owned(), editor: None, is_exact: false, timeout: None, work: work.clone() }
    }
}

/// The owner of proposals: a client of a server, or a call. Tab names are unique per owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProposalOwner(u64);

impl ProposalOwner {
    /// Creates an owner that differs from all others.
    #[expect(clippy::new_without_default, reason = "each owner is unique, so there is no default")]
    pub fn new() -> ProposalOwner {
        static LATEST: AtomicU64 = AtomicU64::new(1);
        ProposalOwner(LATEST.fetch_add(1, Ordering::Relaxed))
    }
}

/// A diff for the user to accept or reject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The owner of the proposal.
    pub owner: ProposalOwner,
    /// The owner's name for it. An earlier proposal of the same owner and name is rejected as replaced.
    pub tab: String,
    /// The diff to show. The port sets `id` and `decide`.
    pub diff: Diff,
}

/// An event from an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedEvent {
    /// The name of the editor.
    pub editor: String,
    /// The event.
    pub event: EditorEvent,
}

/// A file with unsaved changes in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsavedFile {
    /// The name of the editor.
    pub editor: String,
    /// The editor's own name and version.
    pub title: String,
    /// The file.
    pub path: String,
    /// True if the editor can return the text and apply edits to it.
    pub can_edit: bool,
}

/// A subscription to events. It ends when this is dropped.
pub struct Subscription(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Subscription {
    /// Creates a subscription that calls `end` when dropped.
    pub fn with_end(end: impl FnOnce() + Send + Sync + 'static) -> Subscription {
        Subscription(Some(Box::new(end)))
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Subscription")
    }
}

/// A connection that an editor opened to the host.
pub struct IncomingConnection {
    /// Data from the editor, until the connection ends. Reading may block.
    pub read: Box<dyn Read + Send>,
    /// Data to the editor. Writing may block, and fails after the connection has ended.
    pub write: Box<dyn Write + Send>,
    /// Ends the connection, even while other threads read or write.
    pub end: Box<dyn Fn() + Send + Sync>,
}

/// Interval at which a waiting call checks whether it was cancelled.
const CANCEL_POLL: Duration = Duration::from_millis(20);

/// The attached editors. All methods can be called from any thread. Methods that block say so.
pub trait Editors: Send + Sync {
    /// Returns the editors that work in a root (absolute), the most recently focused first. Without a root, returns all
    /// editors, including failed ones.
    fn attached(&self, root: Option<&str>) -> Vec<AttachedEditor>;

    /// Returns whether any editor is ready or connecting.
    fn is_any_attached(&self) -> bool {
        self.attached(None).iter().any(|editor| !matches!(editor.state, ConnectionState::Failed(_)))
    }

    /// Sends a request to an editor and waits for its answer. The editor may carry out a request even if it is
    /// cancelled.
    ///
    /// # Errors
    /// See the [module](super).
    fn send_request(&self, call: &EditorCall, request: Request) -> Result<Answer>;

    /// Shows a diff. `decided` is called once, from any thread, when the user decides, when the proposal is replaced or
    /// withdrawn, or when the editor disconnects. Blocks until the diff is shown, not until it is decided. The diff
    /// stays open, even after it was accepted, until the caller closes it.
    ///
    /// # Errors
    /// See the [module](super). `decided` is not called then.
    fn propose(&self, call: &EditorCall, proposal: Proposal, decided: Box<dyn FnOnce(Decision) + Send>) -> Result<()>;

    /// Closes a proposal by owner and tab name. An undecided one is withdrawn. Returns whether there was one.
    fn close(&self, owner: ProposalOwner, tab: &str) -> bool;

    /// Closes all proposals of an owner, for example when a client disconnects. Returns their number.
    fn close_all(&self, owner: ProposalOwner) -> usize;

    /// Returns the last reported selection below a root, without asking an editor. The selection is kept when another
    /// program gets the focus. `None` if no editor has reported a selection, or the editor has disconnected.
    fn latest_selection(&self, root: &str) -> Option<EditorSelection>;

    /// Returns the last reported tabs of an editor, without asking it.
    fn known_tabs(&self, editor: &str) -> Vec<Tab>;

    /// Returns the files at or below these paths (absolute) with unsaved changes in editors, without asking an editor.
    fn unsaved(&self, paths: &[String]) -> Vec<UnsavedFile>;

    /// Like `unsaved`, for read-only calls: does not wait for new editors once the editors of the root are known.
    fn unsaved_without_waiting(&self, paths: &[String]) -> Vec<UnsavedFile> {
        self.unsaved(paths)
    }

    /// Subscribes to the events of all editors that work in a root, or of all editors. The listener is called in order,
    /// from the thread that received the event, and must not block.
    fn subscribe(&self, root: Option<&str>, listener: Box<dyn Fn(&ReceivedEvent) + Send + Sync>) -> Subscription;

    /// Attaches an editor that opened a connection to the host at this path. A served root must grant the channel
    /// `websocket` to an integration that listens at the path. May block until the integration is compiled.
    ///
    /// # Errors
    /// `InvalidArgument` if no integration listens at the path, `LimitExceeded` if too many editors are attached.
    fn accept_connection(&self, path: &str, _connection: IncomingConnection) -> Result<()> {
        Err(Error::argument(format!("no editor integration listens at `{path}`")))
    }

    /// Proposes a change and waits until the user decides, the call is cancelled, or the time is over. If the call is
    /// cancelled or the time is over, the proposal is withdrawn. Always closes the proposal.
    ///
    /// # Errors
    /// Those of [`Editors::propose`], `Cancelled`, and `LimitExceeded` if there was no decision in time.
    fn propose_and_wait(&self, call: &EditorCall, proposal: Proposal, within: Option<Duration>) -> Result<Decision> {
        let (owner, tab) = (proposal.owner, proposal.tab.clone());
        let (sender, receiver) = sync_channel(1);
        let until = within.and_then(|within| Instant::now().checked_add(within));
        self.propose(call, proposal, Box::new(move |decision| drop(sender.try_send(decision))))?;
        let decided = loop {
            match receiver.recv_timeout(CANCEL_POLL) {
                Ok(decision) => break Ok(decision),
                Err(RecvTimeoutError::Disconnected) => break Err(Error::internal("a proposal was dropped")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(cancelled) = call.work.check() {
                break Err(cancelled);
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                break Err(Error::new(Kind::LimitExceeded, format!("`{tab}` was not decided in time"))
                    .hint("the proposal was withdrawn; send it again when the user can decide"));
            }
        };
        self.close(owner, &tab);
        decided
    }
}

/// An implementation without any editors.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEditors;

impl NoEditors {
    /// Creates the error for requests while no editor is attached.
    pub fn error() -> Error {
        Error::new(Kind::Unsupported, "no editor is attached")
            .hint("start an editor (see docs/editors.md); `marq doctor` lists the attached ones")
    }
}

impl Editors for NoEditors {
    fn attached(&self, _root: Option<&str>) -> Vec<AttachedEditor> {
        Vec::new()
    }

    fn send_request(&self, _call: &EditorCall, _request: Request) -> Result<Answer> {
        Err(NoEditors::error())
    }

    fn propose(
        &self,
        _call: &EditorCall,
        _proposal: Proposal,
        _decided: Box<dyn FnOnce(Decision) + Send>,
    ) -> Result<()> {
        Err(NoEditors::error())
    }

    fn close(&self, _owner: ProposalOwner, _tab: &str) -> bool {
        false
    }

    fn close_all(&self, _owner: ProposalOwner) -> usize {
        0
    }

    fn latest_selection(&self, _root: &str) -> Option<EditorSelection> {
        None
    }

    fn known_tabs(&self, _editor: &str) -> Vec<Tab> {
        Vec::new()
    }

    fn unsaved(&self, _paths: &[String]) -> Vec<UnsavedFile> {
        Vec::new()
    }

    fn subscribe(&self, _root: Option<&str>, _listener: Box<dyn Fn(&ReceivedEvent) + Send + Sync>) -> Subscription {
        Subscription(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::{Arc, Mutex, atomic::AtomicBool};

    use crate::editor::{DiffId, DiffSide, Rejection};

    type Callback = Box<dyn FnOnce(Decision) + Send>;

    /// Editors that are in these states. They answer a proposal with a decision, or with an error, or not at all.
    #[derive(Default)]
    struct TestEditors {
        states: Vec<ConnectionState>,
        answer: Option<Result<Decision>>,
        /// Callbacks of proposals that are not answered.
        pending: Mutex<Vec<Callback>>,
        /// True to drop the callbacks of proposals.
        is_lossy: bool,
        closed: Mutex<Vec<String>>,
    }

    impl Editors for TestEditors {
        fn attached(&self, _root: Option<&str>) -> Vec<AttachedEditor> {
            let editor = |state: &ConnectionState| AttachedEditor {
                name: "vi".to_owned(),
                integration: "vi".to_owned(),
                title: String::new(),
                channel: String::new(),
                state: state.clone(),
                folders: Vec::new(),
                capabilities: Vec::new(),
                focus_order: 0,
            };
            self.states.iter().map(editor).collect()
        }
        fn send_request(&self, _call: &EditorCall, _request: Request) -> Result<Answer> {
            Err(NoEditors::error())
        }
        fn propose(&self, _: &EditorCall, _: Proposal, decided: Box<dyn FnOnce(Decision) + Send>) -> Result<()> {
            match &self.answer {
                Some(Ok(decision)) => decided(decision.clone()),
                Some(Err(error)) => return Err(error.clone()),
                None if self.is_lossy => {}
                None => self.pending.lock().expect("no panic").push(decided),
            }
            Ok(())
        }
        fn close(&self, _owner: ProposalOwner, tab: &str) -> bool {
            self.closed.lock().expect("no panic").push(tab.to_owned());
            true
        }
        fn close_all(&self, _owner: ProposalOwner) -> usize {
            0
        }
        fn latest_selection(&self, _root: &str) -> Option<EditorSelection> {
            None
        }
        fn known_tabs(&self, _editor: &str) -> Vec<Tab> {
            Vec::new()
        }
        fn unsaved(&self, paths: &[String]) -> Vec<UnsavedFile> {
            let file = |path: &String| UnsavedFile {
                editor: "vi".to_owned(),
                title: String::new(),
                path: path.clone(),
                can_edit: true,
            };
            paths.iter().map(file).collect()
        }
        fn subscribe(&self, _root: Option<&str>, _listener: Box<dyn Fn(&ReceivedEvent) + Send + Sync>) -> Subscription {
            Subscription(None)
        }
    }

    fn proposal() -> Proposal {
        let side = DiffSide::default;
        let id = DiffId(0);
        let diff = Diff { id, title: String::new(), left: side(), right: side(), decide: true, focus: false };
        Proposal { owner: ProposalOwner::new(), tab: "a.ts".to_owned(), diff }
    }

    #[test]
    fn editor_is_attached_unless_it_failed() {
        let failed = || ConnectionState::Failed("gone".to_owned());
        for (states, expected) in [
            (vec![], false),
            (vec![failed()], false),
            (vec![ConnectionState::Connecting], true),
            (vec![failed(), ConnectionState::Ready], true),
        ] {
            let editors = TestEditors { states, ..TestEditors::default() };
            assert_eq!(editors.is_any_attached(), expected, "{:?}", editors.states);
        }
    }

    #[test]
    fn decision_closes_the_proposal() {
        let refused = Error::new(Kind::Unsupported, "cannot show diffs");
        for (answer, closed) in [
            (Ok(Decision::Accepted("new".into())), &["a.ts"][..]),
            (Ok(Decision::Rejected(Rejection::Closed)), &["a.ts"]),
            (Err(refused), &[]),
        ] {
            let editors = TestEditors { answer: Some(answer.clone()), ..TestEditors::default() };
            let call = EditorCall::for_root("/r", &Work::default());
            let decided = editors.propose_and_wait(&call, proposal(), Some(Duration::from_secs(60)));
            assert_eq!(decided, answer);
            assert_eq!(*editors.closed.lock().expect("no panic"), closed);
        }
    }

    #[test]
    fn proposal_ends_without_a_decision() {
        let (cancelled, active) = (Work::default(), Work::default());
        cancelled.cancel();
        for (work, within, is_lossy, expected) in [
            (&cancelled, None, false, Kind::Cancelled),
            (&active, Some(Duration::ZERO), false, Kind::LimitExceeded),
            (&active, Some(Duration::from_millis(30)), false, Kind::LimitExceeded),
            (&active, None, true, Kind::Internal),
        ] {
            let editors = TestEditors { is_lossy, ..TestEditors::default() };
            let call = EditorCall::for_root("/r", work);
            let start = Instant::now();
            let error = editors.propose_and_wait(&call, proposal(), within).expect_err("no decision");
            assert_eq!(error.kind(), expected, "{error}");
            assert!(start.elapsed() >= within.unwrap_or_default(), "{error}: too early");
            assert_eq!(*editors.closed.lock().expect("no panic"), ["a.ts"]);
        }
    }

    #[test]
    fn unsaved_files_are_the_same_without_waiting() {
        let editors = TestEditors::default();
        let paths = ["/r/a.ts".to_owned()];
        assert_eq!(editors.unsaved_without_waiting(&paths), editors.unsaved(&paths));
        assert_eq!(editors.unsaved_without_waiting(&paths).len(), 1);
    }

    #[test]
    fn connection_needs_an_integration_that_listens() {
        let connection = IncomingConnection {
            read: Box::new(std::io::empty()),
            write: Box::new(std::io::sink()),
            end: Box::new(|| {}),
        };
        let error = NoEditors.accept_connection("/vi", connection).expect_err("no integration");
        let message = "no editor integration listens at `/vi`";
        assert_eq!((error.kind(), error.content().message.as_str()), (Kind::InvalidArgument, message));
    }

    #[test]
    fn host_without_editors_refuses_requests_with_a_hint() {
        let call = EditorCall::for_root("/r", &Work::default());
        let sent = NoEditors.send_request(&call, Request::Tabs).map(|_| ());
        for answer in [sent, NoEditors.propose(&call, proposal(), Box::new(drop))] {
            let error = answer.expect_err("no editor");
            assert_eq!(error.kind(), Kind::Unsupported);
            assert!(error.content().hint.as_deref().is_some_and(|hint| hint.contains("marq doctor")), "{error}");
        }
        let owner = ProposalOwner::new();
        assert_eq!((NoEditors.close(owner, "a"), NoEditors.close_all(owner)), (false, 0));
        assert_eq!((NoEditors.latest_selection("/r"), NoEditors.known_tabs("vi")), (None, vec![]));
        assert_eq!((NoEditors.attached(None), NoEditors.unsaved(&["/r/a".to_owned()])), (vec![], vec![]));
        assert!(!NoEditors.is_any_attached());
    }

    #[test]
    fn owners_differ() {
        assert_ne!(ProposalOwner::new(), ProposalOwner::new());
    }

    #[test]
    fn subscription_ends_when_dropped() {
        let ended = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ended);
        let subscription = Subscription::with_end(move || seen.store(true, Ordering::SeqCst));
        assert!(!ended.load(Ordering::SeqCst));
        assert_eq!(format!("{subscription:?}"), "Subscription");
        drop(subscription);
        assert!(ended.load(Ordering::SeqCst));
    }

    #[test]
    fn call_for_a_root_names_no_editor() {
        let work = Work::default();
        let call = EditorCall::for_root("/r", &work);
        assert_eq!((call.root.as_str(), &call.editor, call.is_exact, call.timeout), ("/r", &None, false, None));
        assert!(call.work.is_same_call(&work));
    }
}
