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
        Ability, Answer, Attached, Call, Decision, Dialled, Editors, Heard, Integrations, News, NoEditors, Owner,
        Proposal, Rejection, Request, Selected, State as Stage, Subscription, Tab, Unsaved,
    },
    limits,
    ports::Roots,
};

use crate::{
    address::{Place, Surroundings},
    finder::{self, Retry},
    proposals::{Proposals, Verdict, new_id},
    state::{Editor, Editors as Known, Order},
};

/// The editors attached to a process. The first scan for editors happens on first use.
pub struct Host(Arc<Shared>);

type Listen = dyn Fn(&Heard) + Send + Sync;
/// A listener and the root it listens to (`None`: all roots).
type Listener = (Option<String>, Arc<Listen>);

/// State shared by all threads.
pub(crate) struct Shared {
    pub(crate) roots: Arc<dyn Roots>,
    pub(crate) integrations: Arc<dyn Integrations>,
    pub(crate) around: Surroundings,
    state: Mutex<State>,
    /// Notified when an editor becomes ready or is removed.
    pub(crate) changed: Condvar,
    listeners: Mutex<BTreeMap<u64, Listener>>,
    last_listener: AtomicU64,
    /// Order queues of editors whose thread has not started yet.
    todo: Mutex<BTreeMap<u64, Receiver<Order>>>,
    /// Lock held during a scan, with the time of the last scan.
    looking: Mutex<Option<Instant>>,
    keeps_looking: AtomicBool,
}

/// Mutable state, guarded by one lock.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) editors: Known,
    pub(crate) proposals: Proposals,
    pub(crate) retries: BTreeMap<Place, Retry>,
    pub(crate) over: bool,
    /// Number of editors that connected to the host so far.
    pub(crate) dialled: u64,
}

/// Maximum number of roots that are remembered, including the served ones.
const ROOTS: usize = 64;
/// How long a call waits for editors that are about to be attached.
const SETTLE: Duration = Duration::from_secs(5);
/// How long a change waits for the unsaved files of editors that are about to be attached.
const SETTLE_UNSAVED: Duration = Duration::from_secs(1);
/// If no editor can serve a call, a scan older than this is repeated.
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// How often a waiting call checks whether it was cancelled.
const TICK: Duration = Duration::from_millis(20);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads or changes the state. `run` holds the lock, so it must neither block nor call listeners.
    pub(crate) fn with<R>(&self, run: impl FnOnce(&mut State) -> R) -> R {
        run(&mut self.lock())
    }

    pub(crate) fn todo(&self, id: u64, orders: Receiver<Order>) {
        self.todo.lock().unwrap_or_else(PoisonError::into_inner).insert(id, orders);
    }

    pub(crate) fn take_todo(&self, id: u64) -> Option<Receiver<Order>> {
        self.todo.lock().unwrap_or_else(PoisonError::into_inner).remove(&id)
    }

    /// Sends an event to all listeners of this editor.
    pub(crate) fn tell(&self, id: u64, name: &str, news: News) {
        let listeners: Vec<Listener> =
            self.listeners.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let works_in =
            |root: &str| self.with(|state| state.editors.all.get(&id).is_some_and(|editor| editor.works_in(root)));
        let heard = Heard { editor: name.to_owned(), news };
        for (root, listener) in listeners {
            if root.as_deref().is_none_or(works_in) {
                listener(&heard);
            }
        }
    }

    /// Like [`Shared::tell`], for an editor that is no longer in the list.
    pub(crate) fn tell_about(&self, editor: &Editor, news: News) {
        let listeners: Vec<Listener> =
            self.listeners.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let heard = Heard { editor: editor.name.clone(), news };
        for (root, listener) in listeners {
            if root.as_deref().is_none_or(|root| editor.works_in(root)) {
                listener(&heard);
            }
        }
    }

    /// Scans for editors. A concurrent call waits for the running scan and then scans, too.
    pub(crate) fn look(self: &Arc<Self>) {
        let mut looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        finder::look(self);
        *looking = Some(Instant::now());
    }

    fn looked_within(&self, time: Duration) -> bool {
        let looked = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        looked.is_some_and(|looked| looked.elapsed() < time)
    }

    /// Waits until all editors are ready, but at most for `time`.
    fn settle(&self, time: Duration, wanted: impl Fn() -> bool) {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while state.editors.all.values().any(|editor| !editor.ready) && Instant::now() < until && wanted() {
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Adds the served roots and the root of a query. Returns whether any of them is new.
    fn know(&self, root: Option<&str>) -> bool {
        let served = self.roots.served();
        let asked = root.into_iter().map(str::to_owned);
        self.with(|state| {
            let roots = &mut state.editors.roots.0;
            let before = roots.len();
            for root in served.into_iter().chain(asked) {
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
    fn prepare(self: &Arc<Self>, root: Option<&str>, settle: Duration) {
        let new = self.know(root);
        if new || self.looking.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            self.look();
            if !self.keeps_looking.swap(true, Ordering::Relaxed) {
                finder::keep_looking(self);
            }
            self.settle(settle, || true);
        }
    }

    /// Sends a request to an editor without waiting for the answer.
    fn post(&self, editor: u64, request: Request) {
        self.with(|state| {
            if let Some(editor) = state.editors.all.get_mut(&editor) {
                editor.last_request += 1;
                let _ = editor.orders.send(Order::Ask(editor.last_request, request));
            }
        });
    }

    /// Removes a proposal, closes its diff, and returns the verdict to deliver.
    fn close(&self, owner: Owner, tab: &str, why: Rejection) -> Option<Verdict> {
        let (diff, editor, verdict) = self.with(|state| state.proposals.remove(owner, tab, why))?;
        self.post(editor, Request::CloseDiff(diff));
        Some(verdict)
    }
}

impl Host {
    /// Creates the host of the editors that these integrations can reach.
    pub fn new(roots: Arc<dyn Roots>, integrations: Arc<dyn Integrations>, around: Surroundings) -> Host {
        Host(Arc::new(Shared {
            roots,
            integrations,
            around,
            state: Mutex::default(),
            changed: Condvar::new(),
            listeners: Mutex::default(),
            last_listener: AtomicU64::new(0),
            todo: Mutex::default(),
            looking: Mutex::default(),
            keeps_looking: AtomicBool::new(false),
        }))
    }

    /// Withdraws all proposals and disconnects all editors.
    pub fn end(&self) {
        let shared = &self.0;
        let proposals = shared.with(|state| {
            state.over = true;
            state.proposals.all()
        });
        for (owner, tab) in proposals {
            if let Some(verdict) = shared.close(owner, &tab, Rejection::Withdrawn) {
                verdict.tell();
            }
        }
        shared.with(|state| {
            for editor in state.editors.all.values() {
                let _ = editor.orders.send(Order::Ended("marq ends".to_owned()));
            }
        });
        let until = Instant::now() + SETTLE_UNSAVED;
        let mut state = shared.lock();
        while !state.editors.all.is_empty() && Instant::now() < until {
            state = shared.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Selects the editor for a call.
    fn chosen(&self, call: &Call, ability: Ability) -> Result<u64> {
        let shared = &self.0;
        shared.prepare(Some(&call.root), SETTLE);
        let choose = || shared.with(|state| choose(&state.editors, call, ability));
        match choose() {
            Err(error) if error.kind() == Kind::Unsupported => {
                if !shared.looked_within(LOOK_AGAIN) {
                    shared.look();
                }
                // An editor that has just connected has not reported its open files yet.
                shared.settle(SETTLE, || !call.work.is_cancelled());
                choose()
            }
            chosen => chosen,
        }
    }

    /// Sends a request to an editor and waits for the answer.
    fn ask_one(&self, id: u64, call: &Call, request: Request) -> Result<Answer> {
        let shared = &self.0;
        let what = Ability::of(&request).name();
        let (answer, answered) = sync_channel(1);
        let asked = shared.with(|state| {
            if let Some(stray) = state.editors.roots.stray(&request) {
                return Err(Error::new(Kind::OutsideWorkspace, format!("`{stray}` is outside of the served roots")));
            }
            let gone = || Error::new(Kind::Unsupported, "the editor disconnected").hint("repeat the call");
            let editor = state.editors.all.get_mut(&id).ok_or_else(gone)?;
            if editor.waiting.len() >= limits::EDITOR_REQUESTS {
                let message = format!("editor `{}` already has {} pending requests", editor.name, editor.waiting.len());
                return Err(Error::new(Kind::LimitExceeded, message).hint("try again after it answered some of them"));
            }
            editor.last_request += 1;
            let number = editor.last_request;
            editor.waiting.insert(number, answer);
            let _ = editor.orders.send(Order::Ask(number, request));
            Ok((number, editor.name.clone()))
        });
        let (number, name) = asked?;
        let until = Instant::now() + call.within.unwrap_or(limits::EDITOR_ANSWER);
        let error = loop {
            match answered.recv_timeout(TICK) {
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
                    .hint("it may be waiting for input: check the editor");
            }
        };
        shared.with(|state| {
            if let Some(editor) = state.editors.all.get_mut(&id) {
                editor.waiting.remove(&number);
                let _ = editor.orders.send(Order::Cancel(number));
            }
        });
        Err(error)
    }
}

/// Selects the editor for a call among the ready ones.
fn choose(editors: &Known, call: &Call, ability: Ability) -> Result<u64> {
    let ready = editors.ready();
    let meant: Vec<&(u64, &Editor)> = match &call.editor {
        Some(name) => {
            let exact = ready.iter().filter(|(_, editor)| editor.name == *name);
            let of_kind = ready.iter().filter(|(_, editor)| !call.exact && editor.integration == *name);
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
    fn attached(&self, root: Option<&str>) -> Vec<Attached> {
        self.0.prepare(root, SETTLE);
        self.0.with(|state| {
            let editors = &state.editors;
            let mut all: Vec<Attached> = match root {
                Some(root) => {
                    let works_here = editors.ready().into_iter().filter(|(_, editor)| editor.works_in(root));
                    works_here.map(|(_, editor)| editor.attached(&editors.roots)).collect()
                }
                None => editors.all.values().map(|editor| editor.attached(&editors.roots)).collect(),
            };
            let failed = state.retries.values().filter(|_| root.is_none());
            all.extend(failed.filter_map(|retry| {
                Some(Attached {
                    name: retry.integration.clone(),
                    integration: retry.integration.clone(),
                    title: String::new(),
                    channel: retry.place.to_string(),
                    state: Stage::Failed(retry.why.clone()?),
                    folders: Vec::new(),
                    abilities: Vec::new(),
                    focused: 0,
                })
            }));
            all.sort_by_key(|editor| std::cmp::Reverse(editor.focused));
            all
        })
    }

    fn ask(&self, call: &Call, mut request: Request) -> Result<Answer> {
        if let Request::ShowDiff(diff) = &mut request {
            // Diffs that are shown at the same time need different IDs.
            diff.id = new_id();
        }
        let id = self.chosen(call, Ability::of(&request))?;
        self.ask_one(id, call, request)
    }

    fn propose(&self, call: &Call, proposal: Proposal, decided: Box<dyn FnOnce(Decision) + Send>) -> Result<()> {
        check_sizes(&proposal)?;
        let id = self.chosen(call, Ability::Decide)?;
        let Proposal { owner, tab, mut diff } = proposal;
        if let Some(verdict) = self.0.close(owner, &tab, Rejection::Replaced) {
            verdict.tell();
        }
        (diff.id, diff.decide) = (new_id(), true);
        let number = diff.id;
        self.0.with(|state| {
            if state.proposals.len() >= limits::PROPOSALS {
                let message = format!("{} proposals are already waiting for a decision", state.proposals.len());
                return Err(Error::new(Kind::LimitExceeded, message).hint("close those that are no longer wanted"));
            }
            state.proposals.add(owner, &tab, number, id, decided);
            Ok(())
        })?;
        let shown = self.ask_one(id, call, Request::ShowDiff(diff));
        if shown.is_err() {
            self.0.with(|state| state.proposals.discard(owner, &tab, number));
            // The editor may still show it later.
            self.0.post(id, Request::CloseDiff(number));
        }
        shown.map(drop)
    }

    fn close(&self, owner: Owner, tab: &str) -> bool {
        let verdict = self.0.close(owner, tab, Rejection::Withdrawn);
        let was_there = verdict.is_some();
        if let Some(verdict) = verdict {
            verdict.tell();
        }
        was_there
    }

    fn close_all(&self, owner: Owner) -> usize {
        let tabs = self.0.with(|state| state.proposals.of(owner));
        tabs.iter().filter(|tab| self.close(owner, tab)).count()
    }

    fn latest_selection(&self, root: &str) -> Option<Selected> {
        self.0.prepare(Some(root), SETTLE);
        self.0.with(|state| state.editors.latest_selection(root.trim_end_matches('/')))
    }

    fn known_tabs(&self, editor: &str) -> Vec<Tab> {
        self.0.with(|state| {
            let known = state.editors.all.values().find(|known| known.name == editor);
            known.map(|known| known.tabs.clone()).unwrap_or_default()
        })
    }

    fn unsaved(&self, paths: &[String]) -> Vec<Unsaved> {
        let Some(first) = paths.first() else { return Vec::new() };
        self.0.prepare(self.0.roots.holding(first).as_deref(), SETTLE_UNSAVED);
        self.0.with(|state| state.editors.unsaved(paths))
    }

    fn held(&self, paths: &[String]) -> Vec<Unsaved> {
        let Some(first) = paths.first() else { return Vec::new() };
        let root = self.0.roots.holding(first);
        // A scan may block on a socket, so reads trigger it only once per root.
        let is_known = |root: &String| self.0.with(|state| state.editors.roots.0.contains(root));
        if !self.0.keeps_looking.load(Ordering::Relaxed) || !root.as_ref().is_none_or(is_known) {
            self.0.prepare(root.as_deref(), SETTLE_UNSAVED);
        }
        self.0.with(|state| state.editors.unsaved(paths))
    }

    fn dialled(&self, path: &str, connection: Dialled) -> Result<()> {
        self.0.prepare(None, Duration::ZERO);
        finder::dialled(&self.0, path, connection.into())
    }

    fn subscribe(&self, root: Option<&str>, listener: Box<dyn Fn(&Heard) + Send + Sync>) -> Subscription {
        self.0.prepare(root, Duration::ZERO);
        let number = self.0.last_listener.fetch_add(1, Ordering::Relaxed);
        let entry = (root.map(|root| root.trim_end_matches('/').to_owned()), Arc::from(listener));
        self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner).insert(number, entry);
        let shared = Arc::downgrade(&self.0);
        Subscription::ended_by(move || {
            if let Some(shared) = shared.upgrade() {
                shared.listeners.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
            }
        })
    }
}
