//! The port through which tools and protocols reach the editors that are attached.

use std::{
    fmt,
    io::{Read, Write},
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    time::{Duration, Instant},
};

use super::words::{Answer, Decision, Diff, Folder, News, Request, Selected, Tab};
use crate::{Error, Kind, Result, Work};

/// An editor that is attached, or that the host tries to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// What names it in calls: the integration's name, and a number for every further one: `vi`, `vi-2`.
    pub name: String,
    /// The integration: its name in `registry.toml`.
    pub integration: String,
    /// What the editor calls itself, with its version; empty as long as it has not said so.
    pub title: String,
    /// How it is reached, for people: `socket /run/user/1000/vi.1`.
    pub channel: String,
    /// How far it is.
    pub state: State,
    /// The folders that it works in, as far as they are below served roots.
    pub folders: Vec<Folder>,
    /// The requests that it can carry out, by name: `open`, `show-diff`, `decide`, `diagnostics` …
    pub abilities: Vec<&'static str>,
    /// Larger for the one that had the person's keys later.
    pub focused: u64,
}

/// How far an editor is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It answers.
    Ready,
    /// It was reached, and has not introduced itself.
    Connecting,
    /// It cannot be reached, or failed: why, and that it is tried again.
    Failed(String),
}

/// Whom a request is for.
#[derive(Clone, Default)]
pub struct Call {
    /// The root that it is about, absolute: of the editors that work in it the one that was focused last is asked.
    pub root: String,
    /// The editor by its name, whatever it works in; or an integration by its name, and of its editors the one focused last.
    pub editor: Option<String>,
    /// The very editor of this name, and no other of its kind.
    pub exact: bool,
    /// How long the editor has; a time of the host's choosing where none is given.
    pub within: Option<Duration>,
    /// The call that it is for: when it is cancelled, so is the request.
    pub work: Work,
}

impl Call {
    /// About a root, for whichever editor is at hand.
    pub fn about(root: &str, work: &Work) -> Call {
        Call { root: root.to_owned(), editor: None, exact: false, within: None, work: work.clone() }
    }
}

/// Who proposes changes: a client of a server, a call. Tabs are named by each owner for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner(u64);

impl Owner {
    /// Somebody who was not there before.
    #[expect(clippy::new_without_default, reason = "each one is another: there is no usual one")]
    pub fn new() -> Owner {
        static LATEST: AtomicU64 = AtomicU64::new(1);
        Owner(LATEST.fetch_add(1, Ordering::Relaxed))
    }
}

/// A diff for the person to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Who proposes it.
    pub owner: Owner,
    /// What its owner calls it; a proposal that the owner has under the same name is rejected as replaced.
    pub tab: String,
    /// What is shown. `id` and `decide` are set by the port.
    pub diff: Diff,
}

/// News, and of whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The editor by its name.
    pub editor: String,
    /// What it tells.
    pub news: News,
}

/// A file that an editor has changes of that are not on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsaved {
    /// The editor by its name.
    pub editor: String,
    /// What it calls itself.
    pub title: String,
    /// The file.
    pub path: String,
    /// The editor hands its text over, and carries edits of it out.
    pub edits_itself: bool,
}

/// Listening, until this is dropped.
pub struct Subscription(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Subscription {
    /// One that is ended by this.
    pub fn ended_by(end: impl FnOnce() + Send + Sync + 'static) -> Subscription {
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

/// A connection that an editor made to the host: bytes both ways.
pub struct Dialled {
    /// What comes from the editor; it ends when the connection does. Reading may wait.
    pub read: Box<dyn Read + Send>,
    /// What goes to it. Writing may wait, and fails when the connection has ended.
    pub write: Box<dyn Write + Send>,
    /// Ends it, whoever is reading or writing.
    pub end: Box<dyn Fn() + Send + Sync>,
}

/// How long a waiting call sleeps before it looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// The editors that are attached. Every call may come from any thread; those that wait say so.
pub trait Editors: Send + Sync {
    /// The editors that work in a root (absolute), the last focused first; all there are, failed ones included, where no root
    /// is given.
    fn attached(&self, root: Option<&str>) -> Vec<Attached>;

    /// Whether any editor is at hand that answers, or is about to.
    fn is_any_attached(&self) -> bool {
        self.attached(None).iter().any(|editor| !matches!(editor.state, State::Failed(_)))
    }

    /// Ask one editor, and wait for its answer. A cancelled request may have been carried out.
    ///
    /// # Errors
    /// See the module.
    fn ask(&self, call: &Call, request: Request) -> Result<Answer>;

    /// Show a diff and have `decided` called once, from any thread, when it is decided: by the person, or because it is
    /// replaced, withdrawn, or its editor goes away. Waits until it is shown, not until it is decided. Whoever makes the
    /// proposal closes it, also after it was accepted: until then it stays in view.
    ///
    /// # Errors
    /// See the module; then `decided` is not called.
    fn propose(&self, call: &Call, proposal: Proposal, decided: Box<dyn FnOnce(Decision) + Send>) -> Result<()>;

    /// Close a proposal by its owner's name for it; what is not decided is withdrawn. Whether there was one.
    fn close(&self, owner: Owner, tab: &str) -> bool;

    /// Close all proposals of an owner; how many there were. For a client that goes away, too.
    fn close_all(&self, owner: Owner) -> usize;

    /// What was selected last below a root, without asking anyone: kept as it was told, also when the focus has gone to
    /// another program. None where nothing was, or its editor is gone.
    fn latest_selection(&self, root: &str) -> Option<Selected>;

    /// The tabs of an editor as it told them last, without asking it.
    fn known_tabs(&self, editor: &str) -> Vec<Tab>;

    /// The files at or below these paths (absolute) that editors have changes of which are not on disk, without asking anyone.
    fn unsaved(&self, paths: &[String]) -> Vec<Unsaved>;

    /// The same for whoever reads: editors that were attached a moment ago are not waited for once others are known.
    fn held(&self, paths: &[String]) -> Vec<Unsaved> {
        self.unsaved(paths)
    }

    /// Hear the news of all editors that work in a root, or of all. The listener is called from the thread that got them, in
    /// order, and must not wait.
    fn subscribe(&self, root: Option<&str>, listener: Box<dyn Fn(&Heard) + Send + Sync>) -> Subscription;

    /// An editor dialled the host at this path. It is attached where a served root grants an integration the channel
    /// `websocket` and that integration listens there. May wait until the integration is compiled.
    ///
    /// # Errors
    /// `InvalidArgument` where no integration listens at the path, `LimitExceeded` where too many editors are attached.
    fn dialled(&self, path: &str, _connection: Dialled) -> Result<()> {
        Err(Error::argument(format!("no editor is expected at `{path}`")))
    }

    /// Propose a change and wait for what becomes of it: until it is decided, the call is cancelled, or its time is over. In
    /// the latter cases it is withdrawn. The proposal is closed.
    ///
    /// # Errors
    /// Those of [`Editors::propose`], `Cancelled`, and `LimitExceeded` where nobody decided in `within`.
    fn decide(&self, call: &Call, proposal: Proposal, within: Option<Duration>) -> Result<Decision> {
        let (owner, tab) = (proposal.owner, proposal.tab.clone());
        let (tell, told) = sync_channel(1);
        let until = within.and_then(|within| Instant::now().checked_add(within));
        self.propose(call, proposal, Box::new(move |decision| drop(tell.try_send(decision))))?;
        let decided = loop {
            match told.recv_timeout(LOOK) {
                Ok(decision) => break Ok(decision),
                Err(RecvTimeoutError::Disconnected) => break Err(Error::internal("a proposal was lost")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(cancelled) = call.work.check() {
                break Err(cancelled);
            }
            if until.is_some_and(|until| until <= Instant::now()) {
                break Err(Error::new(Kind::LimitExceeded, format!("no decision about `{tab}` in time"))
                    .hint("the proposal was withdrawn; repeat it when someone can decide"));
            }
        };
        self.close(owner, &tab);
        decided
    }
}

/// No editors at all: what a program has that attaches none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEditors;

impl NoEditors {
    /// The answer to whoever asks for an editor where none is attached.
    pub fn error() -> Error {
        Error::new(Kind::Unsupported, "no editor is attached").hint(
            "start an editor (see docs/editors.md); `marq doctor` lists the attached ones",
        )
    }
}

impl Editors for NoEditors {
    fn attached(&self, _root: Option<&str>) -> Vec<Attached> {
        Vec::new()
    }

    fn ask(&self, _call: &Call, _request: Request) -> Result<Answer> {
        Err(NoEditors::error())
    }

    fn propose(&self, _call: &Call, _proposal: Proposal, _decided: Box<dyn FnOnce(Decision) + Send>) -> Result<()> {
        Err(NoEditors::error())
    }

    fn close(&self, _owner: Owner, _tab: &str) -> bool {
        false
    }

    fn close_all(&self, _owner: Owner) -> usize {
        0
    }

    fn latest_selection(&self, _root: &str) -> Option<Selected> {
        None
    }

    fn known_tabs(&self, _editor: &str) -> Vec<Tab> {
        Vec::new()
    }

    fn unsaved(&self, _paths: &[String]) -> Vec<Unsaved> {
        Vec::new()
    }

    fn subscribe(&self, _root: Option<&str>, _listener: Box<dyn Fn(&Heard) + Send + Sync>) -> Subscription {
        Subscription(None)
    }
}
