//! [`Host`]: implements the `Editors` port on top of the other modules.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Kind, Result,
    editor::{
        Answer, AttachedEditor, Capability, ConnectionState as Stage, Decision, EditorCall, EditorEvent,
        EditorSelection, Editors, IncomingConnection, Integrations, NoEditors, Proposal, ProposalOwner, ReceivedEvent,
        Rejection, Request, Subscription, Tab, UnsavedFile,
    },
    limits,
    ports::Roots,
};

use crate::{
    address::{Address, Environment},
    finder::{self, Retry},
    proposals::{PendingDecision, Proposals, new_id},
    state::{Editor, Editors as Known, Order},
};

/// The editors attached to a process. The first scan for editors happens on first use.
pub struct Host(Arc<Shared>);

type ListenerFn = dyn Fn(&ReceivedEvent) + Send + Sync;
/// A listener and the root it listens to (`None`: all roots).
type Listener = (Option<String>, Arc<ListenerFn>);

/// State shared by all threads.
pub(crate) struct Shared {
    pub(crate) roots: Arc<dyn Roots>,
    pub(crate) integrations: Arc<dyn Integrations>,
    pub(crate) environment: Environment,
    state: Mutex<State>,
    /// Notified when an editor becomes ready or is removed.
    pub(crate) changed: Condvar,
    listeners: Mutex<BTreeMap<u64, Listener>>,
    last_listener: AtomicU64,
    /// Order queues of editors whose thread has not started yet.
    pending_orders: Mutex<BTreeMap<u64, Receiver<Order>>>,
    /// Lock held during a scan, with the time of the last scan.
    scan_lock: Mutex<Option<Instant>>,
    scans_periodically: AtomicBool,
}

/// Mutable state, guarded by one lock.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) editors: Known,
    pub(crate) proposals: Proposals,
    pub(crate) retries: BTreeMap<Address, Retry>,
    pub(crate) has_ended: bool,
    /// Number of editors that connected to the host so far.
    pub(crate) incoming_count: u64,
}

/// Maximum number of roots that are remembered, including the served ones.
const ROOTS: usize = 64;
/// Maximum time that a call waits for editors that are about to be attached.
const ATTACH_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time that a change waits for the unsaved files of editors that are about to be attached.
const UNSAVED_ATTACH_TIMEOUT: Duration = Duration::from_secs(1);
/// If no editor can serve a call, a scan older than this is repeated.
const RESCAN_AGE: Duration = Duration::from_millis(500);
/// Interval at which a waiting call checks whether it was cancelled.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(20);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads or changes the state. `run` holds the lock, so it must neither block nor call listeners.
    pub(crate) fn with_state<R>(&self, run: impl FnOnce(&mut State) -> R) -> R {
        run(&mut self.lock())
    }

    pub(crate) fn store_orders(&self, id: u64, orders: Receiver<Order>) {
        self.pending_orders.lock().unwrap_or_else(PoisonError::into_inner).insert(id, orders);
    }

    pub(crate) fn take_orders(&self, id: u64) -> Option<Receiver<Order>> {
        self.pending_orders.lock().unwrap_or_else(PoisonError::into_inner).remove(&id)
    }

    /// Sends an event to all listeners of this editor.
    pub(crate) fn notify(&self, id: u64, name: &str, event: EditorEvent) {
        let listeners: Vec<Listener> =
            self.listeners.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let works_in = |root: &str| {
            self.with_state(|state| state.editors.all.get(&id).is_some_and(|editor| editor.works_in(root)))
        };
        let received = ReceivedEvent { editor: name.to_owned(), event };
        for (root, listener) in listeners {
            if root.as_deref().is_none_or(works_in) {
                listener(&received);
            }
        }
    }

    /// Like [`Shared::notify`], for an editor that is no longer in the list.
    pub(crate) fn notify_about(&self, editor: &Editor, event: EditorEvent) {
        let listeners: Vec<Listener> =
            self.listeners.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let received = ReceivedEvent { editor: editor.name.clone(), event };
        for (root, listener) in listeners {
            if root.as_deref().is_none_or(|root| editor.works_in(root)) {
                listener(&received);
            }
        }
    }

    /// Scans for editors. A concurrent call waits for the running scan and then scans, too.
    pub(crate) fn scan(self: &Arc<Self>) {
        let mut looking = self.scan_lock.lock().unwrap_or_else(PoisonError::into_inner);
        finder::scan(self);
        *looking = Some(Instant::now());
    }

    fn scanned_within(&self, time: Duration) -> bool {
        let looked = self.scan_lock.lock().unwrap_or_else(PoisonError::into_inner);
        looked.is_some_and(|looked| looked.elapsed() < time)
    }

    /// Waits until all editors are ready, but at most for `time`.
    fn wait_until_ready(&self, time: Duration, wanted: impl Fn() -> bool) {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while state.editors.all.values().any(|editor| !editor.ready) && Instant::now() < until && wanted() {
            state = self.changed.wait_timeout(state, CANCEL_CHECK_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Adds the served roots and the root of a query. Returns whether any of them is new.
    fn add_roots(&self, root: Option<&str>) -> bool {
        let served = self.roots.served();
        let requested = root.into_iter().map(str::to_owned);
        self.with_state(|state| {
            let roots = &mut state.editors.roots.0;
            let before = roots.len();
            for root in served.into_iter().chain(requested) {
                let root = root.trim_end_matches('/').to_owned();
                if !root.is_empty() && roots.len() < ROOTS && !roots.contains(&root) {
                    roots.push(root);
                }
            }
            let new = roots.len() > before;
            if new {
                // An editor that works outside the known roots may work in the new one.
                state.retries.retain(|_, retry| retry.why.is_some());
            }
            new
        })
    }

    /// Ensures that editors of a root were scanned for at least once.
    fn ensure_scanned(self: &Arc<Self>, root: Option<&str>, settle: Duration) {
        let new = self.add_roots(root);
        if new || self.scan_lock.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            self.scan();
            if !self.scans_periodically.swap(true, Ordering::Relaxed) {
                finder::scan_periodically(self);
            }
            self.wait_until_ready(settle, || true);
        }
    }

    /// Sends a request to an editor without waiting for the answer.
    fn send_request(&self, editor: u64, request: Request) {
        self.with_state(|state| {
            if let Some(editor) = state.editors.all.get_mut(&editor) {
                editor.last_request += 1;
                let _ = editor.orders.send(Order::Ask(editor.last_request, request));
            }
        });
    }

    /// Removes a proposal, closes its diff, and returns the decision to deliver.
    fn close_proposal(&self, owner: ProposalOwner, tab: &str, why: Rejection) -> Option<PendingDecision> {
        let (diff, editor, verdict) = self.with_state(|state| state.proposals.remove(owner, tab, why))?;
        self.send_request(editor, Request::CloseDiff(diff));
        Some(verdict)
    }
}

impl Host {
    /// Creates the host of the editors that these integrations can reach.
    pub fn new(roots: Arc<dyn Roots>, integrations: Arc<dyn Integrations>, around: Environment) -> Host {
        Host(Arc::new(Shared {
            roots,
            integrations,
            environment: around,
            state: Mutex::default(),
            changed: Condvar::new(),
            listeners: Mutex::default(),
            last_listener: AtomicU64::new(0),
            pending_orders: Mutex::default(),
            scan_lock: Mutex::default(),
            scans_periodically: AtomicBool::new(false),
        }))
    }

    /// Withdraws all proposals and disconnects all editors.
    pub fn end(&self) {
        let shared = &self.0;
        let proposals = shared.with_state(|state| {
            state.has_ended = true;
            state.proposals.open_proposals()
        });
        for (owner, tab) in proposals {
            if let Some(verdict) = shared.close_proposal(owner, &tab, Rejection::Withdrawn) {
                verdict.deliver();
            }
        }
        shared.with_state(|state| {
            for editor in state.editors.all.values() {
                let _ = editor.orders.send(Order::Ended("marq ends".to_owned()));
            }
        });
        let until = Instant::now() + UNSAVED_ATTACH_TIMEOUT;
        let mut state = shared.lock();
        while !state.editors.all.is_empty() && Instant::now() < until {
            state = shared.changed.wait_timeout(state, CANCEL_CHECK_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Selects the editor for a call.
    fn choose_editor(&self, call: &EditorCall, ability: Capability) -> Result<u64> {
        let shared = &self.0;
        shared.ensure_scanned(Some(&call.root), ATTACH_TIMEOUT);
        let choose = || shared.with_state(|state| choose_among(&state.editors, call, ability));
        match choose() {
            Err(error) if error.kind() == Kind::Unsupported => {
                if !shared.scanned_within(RESCAN_AGE) {
                    shared.scan();
                }
                // An editor that has just connected has not reported its open files yet.
                shared.wait_until_ready(ATTACH_TIMEOUT, || !call.work.is_cancelled());
                choose()
            }
            chosen => chosen,
        }
    }

    /// Sends a request to an editor and waits for the answer.
    fn ask_one(&self, id: u64, call: &EditorCall, request: Request) -> Result<Answer> {
        let shared = &self.0;
        let (what, answer_time) = (Capability::required_by(&request).name(), answer_time(&request));
        let (answer, answered) = sync_channel(1);
        let asked = shared.with_state(|state| {
            if let Some(stray) = state.editors.roots.first_path_outside(&request) {
                return Err(Error::new(Kind::OutsideWorkspace, format!("`{stray}` is outside of the served roots")));
            }
            let gone = || Error::new(Kind::Unsupported, "the editor disconnected").hint("repeat the call");
            let editor = state.editors.all.get_mut(&id).ok_or_else(gone)?;
            if editor.pending.len() >= limits::EDITOR_REQUESTS {
                let message = format!("editor `{}` already has {} pending requests", editor.name, editor.pending.len());
                return Err(Error::new(Kind::LimitExceeded, message).hint("try again after it answered some of them"));
            }
            editor.last_request += 1;
            let number = editor.last_request;
            editor.pending.insert(number, answer);
            let _ = editor.orders.send(Order::Ask(number, request));
            Ok((number, editor.name.clone()))
        });
        let (number, name) = asked?;
        let until = Instant::now() + call.timeout.unwrap_or(answer_time);
        let error = loop {
            match answered.recv_timeout(CANCEL_CHECK_INTERVAL) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => {
                    break Error::new(Kind::Unsupported, format!("editor `{name}` disconnected before it answered"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(cancelled) = call.work.check() {
                break cancelled;
            }
            if until <= Instant::now() {
                break Error::new(Kind::LimitExceeded, format!("editor `{name}` did not answer `{what}` in time"))
                    .hint(
                        "it may be waiting for input, or have done it although it did not answer: check the editor before \
                         you repeat the call",
                    );
            }
        };
        shared.with_state(|state| {
            if let Some(editor) = state.editors.all.get_mut(&id) {
                editor.pending.remove(&number);
                let _ = editor.orders.send(Order::Cancel(number));
            }
        });
        Err(error)
    }
}

/// Returns the default time for the answer to a request.
fn answer_time(request: &Request) -> Duration {
    match request {
        Request::Open(_) | Request::ShowDiff(_) | Request::Show(_) => limits::EDITOR_SHOW_TIME,
        _ => limits::EDITOR_ANSWER_TIME,
    }
}

/// Selects the editor for a call among the ready ones.
fn choose_among(editors: &Known, call: &EditorCall, ability: Capability) -> Result<u64> {
    let ready = editors.ready();
    let meant: Vec<&(u64, &Editor)> = match &call.editor {
        Some(name) => {
            let exact = ready.iter().filter(|(_, editor)| editor.name == *name);
            let of_kind = ready.iter().filter(|(_, editor)| !call.is_exact && editor.integration == *name);
            exact.chain(of_kind).collect()
        }
        None => ready.iter().filter(|(_, editor)| editor.works_in(&call.root)).collect(),
    };
    let able = |(_, editor): &&&(u64, &Editor)| editor.abilities.contains(&ability);
    match (meant.iter().find(able), meant.first(), &call.editor) {
        (Some((id, _)), _, _) => Ok(*id),
        (None, Some((_, editor)), _) => {
            let message = format!("{} (`{}`) cannot do `{}`", editor.title, editor.name, ability.name());
            Err(Error::new(Kind::Unsupported, message))
        }
        (None, None, Some(name)) if !ready.is_empty() => {
            let names = ready.iter().map(|(_, editor)| editor.name.clone());
            Err(Error::argument(format!("no editor `{name}` is attached")).candidates(names))
        }
        (None, None, _) => Err(NoEditors::error()),
    }
}

/// Fails with `LimitExceeded` if a text is too large to show.
fn check_sizes(proposal: &Proposal) -> Result<()> {
    let sides = [&proposal.diff.left, &proposal.diff.right];
    match sides.iter().filter_map(|side| side.text.as_ref()).find(|text| text.len() > limits::EDITOR_TEXT) {
        None => Ok(()),
        Some(text) => {
            let (size, most) = (text.len() >> 20, limits::EDITOR_TEXT >> 20);
            let message = format!("a text of {size} MiB is not shown in an editor: the limit is {most} MiB");
            Err(Error::new(Kind::LimitExceeded, message))
        }
    }
}

impl Editors for Host {
    fn attached(&self, root: Option<&str>) -> Vec<AttachedEditor> {
        self.0.ensure_scanned(root, ATTACH_TIMEOUT);
        self.0.with_state(|state| {
            let editors = &state.editors;
            let mut all: Vec<AttachedEditor> = match root {
                Some(root) => {
                    let works_here = editors.ready().into_iter().filter(|(_, editor)| editor.works_in(root));
                    works_here.map(|(_, editor)| editor.attached(&editors.roots)).collect()
                }
                None => editors.all.values().map(|editor| editor.attached(&editors.roots)).collect(),
            };
            let failed = state.retries.values().filter(|_| root.is_none());
            all.extend(failed.filter_map(|retry| {
                Some(AttachedEditor {
                    name: retry.integration.clone(),
                    integration: retry.integration.clone(),
                    title: String::new(),
                    channel: retry.address.to_string(),
                    state: Stage::Failed(retry.why.clone()?),
                    folders: Vec::new(),
                    capabilities: Vec::new(),
                    focus_order: 0,
                })
            }));
            all.sort_by_key(|editor| std::cmp::Reverse(editor.focus_order));
            all
        })
    }

    fn send_request(&self, call: &EditorCall, mut request: Request) -> Result<Answer> {
        if let Request::ShowDiff(diff) = &mut request {
            // Diffs that are shown at the same time need different IDs.
            diff.id = new_id();
        }
        let id = self.choose_editor(call, Capability::required_by(&request))?;
        self.ask_one(id, call, request)
    }

    fn propose(&self, call: &EditorCall, proposal: Proposal, decided: Box<dyn FnOnce(Decision) + Send>) -> Result<()> {
        check_sizes(&proposal)?;
        let id = self.choose_editor(call, Capability::Decide)?;
        let Proposal { owner, tab, mut diff } = proposal;
        if let Some(verdict) = self.0.close_proposal(owner, &tab, Rejection::Replaced) {
            verdict.deliver();
        }
        (diff.id, diff.decide) = (new_id(), true);
        let number = diff.id;
        self.0.with_state(|state| {
            if state.proposals.len() >= limits::PROPOSALS {
                let message = format!("{} proposals are already waiting for a decision", state.proposals.len());
                return Err(Error::new(Kind::LimitExceeded, message).hint("close those that are no longer wanted"));
            }
            state.proposals.add(owner, &tab, number, id, decided);
            Ok(())
        })?;
        let shown = self.ask_one(id, call, Request::ShowDiff(diff));
        if shown.is_err() {
            self.0.with_state(|state| state.proposals.discard(owner, &tab, number));
            // The editor may still show the diff later, so it is asked to close it.
            self.0.send_request(id, Request::CloseDiff(number));
        }
        shown.map(drop)
    }

    fn close(&self, owner: ProposalOwner, tab: &str) -> bool {
        let verdict = self.0.close_proposal(owner, tab, Rejection::Withdrawn);
        let was_there = verdict.is_some();
        if let Some(verdict) = verdict {
            verdict.deliver();
        }
        was_there
    }

    fn close_all(&self, owner: ProposalOwner) -> usize {
        let tabs = self.0.with_state(|state| state.proposals.tabs_of(owner));
        tabs.iter().filter(|tab| self.close(owner, tab)).count()
    }

    fn latest_selection(&self, root: &str) -> Option<EditorSelection> {
        self.0.ensure_scanned(Some(root), ATTACH_TIMEOUT);
        self.0.with_state(|state| state.editors.latest_selection(root.trim_end_matches('/')))
    }

    fn known_tabs(&self, editor: &str) -> Vec<Tab> {
        self.0.with_state(|state| {
            let known = state.editors.all.values().find(|known| known.name == editor);
            known.map(|known| known.tabs.clone()).unwrap_or_default()
        })
    }

    fn unsaved(&self, paths: &[String]) -> Vec<UnsavedFile> {
        let Some(first) = paths.first() else { return Vec::new() };
        self.0.ensure_scanned(self.0.roots.root_of(first).as_deref(), UNSAVED_ATTACH_TIMEOUT);
        self.0.with_state(|state| state.editors.unsaved(paths))
    }

    fn unsaved_without_waiting(&self, paths: &[String]) -> Vec<UnsavedFile> {
        let Some(first) = paths.first() else { return Vec::new() };
        let root = self.0.roots.root_of(first);
        // A scan may block on a socket, so reads trigger it only once per root.
        let is_known = |root: &String| self.0.with_state(|state| state.editors.roots.0.contains(root));
        if !self.0.scans_periodically.load(Ordering::Relaxed) || !root.as_ref().is_none_or(is_known) {
            self.0.ensure_scanned(root.as_deref(), UNSAVED_ATTACH_TIMEOUT);
        }
        self.0.with_state(|state| state.editors.unsaved(paths))
    }

    fn accept_connection(&self, path: &str, connection: IncomingConnection) -> Result<()> {
        self.0.ensure_scanned(None, Duration::ZERO);
        finder::attach_incoming(&self.0, path, connection.into())
    }

    fn subscribe(&self, root: Option<&str>, listener: Box<dyn Fn(&ReceivedEvent) + Send + Sync>) -> Subscription {
        self.0.ensure_scanned(root, Duration::ZERO);
        let number = self.0.last_listener.fetch_add(1, Ordering::Relaxed);
        let entry = (root.map(|root| root.trim_end_matches('/').to_owned()), Arc::from(listener));
        self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner).insert(number, entry);
        let shared = Arc::downgrade(&self.0);
        Subscription::with_end(move || {
            if let Some(shared) = shared.upgrade() {
                shared.listeners.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use marquetry_model::editor::OpenFile;

    use super::*;

    #[test]
    fn editors_have_more_time_to_show_files_than_to_answer_questions() {
        assert_eq!(answer_time(&Request::Open(OpenFile::default())), limits::EDITOR_SHOW_TIME);
        for request in [Request::Tabs, Request::Selection, Request::Folders] {
            assert_eq!(answer_time(&request), limits::EDITOR_ANSWER_TIME, "{request:?}");
        }
    }
}
