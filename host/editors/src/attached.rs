//! Thread of one attached editor: passes events to the integration's session and carries out the actions it returns.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Result,
    editor::{
        Action, Answer, Decision, DiffId, Event, Integration, Introduction, News, Rejection, Request, Session, Told,
    },
    limits,
};

use crate::{
    host::Shared,
    state::Order,
    transport::{Connection, connect},
    waiting::{Gate, Outgoing, start},
};

/// Number of the request for the open tabs, sent when an editor is attached.
const FIRST_TABS: u32 = 0;
/// Maximum number of events per second, over all kinds that are not coalesced and are not decisions.
const NEWS_A_SECOND: u32 = 200;

/// Why the connection to an editor ended.
pub(crate) enum Ended {
    /// The editor works in a folder outside the roots.
    Elsewhere,
    /// Any other reason, as text.
    Because(String),
}

/// State of one editor, owned by its thread.
struct Attachment<'a> {
    shared: &'a Arc<Shared>,
    id: u64,
    name: String,
    session: Box<dyn Session>,
    out: Outgoing,
    /// Timers that the session has set.
    wakes: BTreeMap<u32, Instant>,
    introduced: bool,
    welcome: bool,
    since: Instant,
    pace: Pace,
}

/// Rate limiter for events.
#[derive(Default)]
struct Pace {
    /// For selections and for tabs: when the last event was sent, and whether a newer one is pending.
    told: [Option<Instant>; 2],
    newer: [bool; 2],
    second: Option<Instant>,
    others: u32,
}

impl Pace {
    /// Counts an event; returns the number of events in the second that it belongs to.
    fn count(&mut self, now: Instant) -> u32 {
        if self.second.is_none_or(|second| now.duration_since(second) >= Duration::from_secs(1)) {
            (self.second, self.others) = (Some(now), 0);
        }
        self.others += 1;
        self.others
    }
}

/// Connects to the editor (unless it connected itself) and serves it until the connection ends.
pub(crate) fn run(
    shared: &Arc<Shared>,
    id: u64,
    integration: &Arc<dyn Integration>,
    orders: (&Sender<Order>, Receiver<Order>),
    dialled: Option<Connection>,
) -> Ended {
    match attach(shared, id, integration, orders, dialled) {
        Ok(ended) => ended,
        Err(error) => Ended::Because(error.content().message.clone()),
    }
}

fn attach(
    shared: &Arc<Shared>,
    id: u64,
    integration: &Arc<dyn Integration>,
    (orders, todo): (&Sender<Order>, Receiver<Order>),
    dialled: Option<Connection>,
) -> Result<Ended> {
    let Some((name, place)) =
        shared.with(|state| state.editors.all.get(&id).map(|e| (e.name.clone(), e.place.clone())))
    else {
        return Ok(Ended::Because("the connection was closed".to_owned()));
    };
    let failed = |error: std::io::Error| Error::argument(format!("{place} cannot be reached: {error}"));
    let connection = dialled.map_or_else(|| connect(&place), Ok).map_err(failed)?;
    let end = connection.end.clone();
    let session = match integration.attach() {
        Ok(session) => session,
        Err(error) => {
            end.end();
            return Err(error);
        }
    };
    let gate = Arc::<Gate>::default();
    let out = start(connection, orders.clone(), Arc::clone(&gate)).map_err(failed)?;
    shared.with(|state| {
        if let Some(editor) = state.editors.all.get_mut(&id) {
            editor.end = Some(end.clone());
        }
    });
    let mut attachment = Attachment {
        shared,
        id,
        name,
        session,
        out,
        wakes: BTreeMap::new(),
        introduced: false,
        welcome: false,
        since: Instant::now(),
        pace: Pace::default(),
    };
    let ended = attachment.serve(&todo, &gate);
    end.end();
    Ok(ended)
}

impl Attachment<'_> {
    fn serve(&mut self, todo: &Receiver<Order>, gate: &Gate) -> Ended {
        let mut ended = self.happen(Event::Opened);
        while ended.is_none() {
            ended = match self.next(todo) {
                Ok(Some(Order::Received(bytes))) => {
                    let ended = self.happen(Event::Received(bytes));
                    gate.leave();
                    ended
                }
                Ok(Some(Order::Ask(id, request))) => self.happen(Event::Request(id, request)),
                Ok(Some(Order::Cancel(id))) => self.happen(Event::Cancelled(id)),
                Ok(Some(Order::Ended(why))) => {
                    let _ = self.session.handle(Event::Closed(why.clone()));
                    Some(Ended::Because(why))
                }
                Ok(None) => self.woken(),
                Err(ended) => Some(ended),
            };
        }
        // Flush what was sent before the end, such as requests to close diffs.
        self.out.flush();
        self.out.end.end();
        // The reader may be blocked at the gate, and its data is no longer needed.
        gate.leave();
        ended.unwrap_or(Ended::Elsewhere)
    }

    /// Waits for the next order. `None` if a timer expired.
    fn next(&mut self, todo: &Receiver<Order>) -> std::result::Result<Option<Order>, Ended> {
        let introduction = (!self.introduced).then(|| self.since + limits::EDITOR_INTRODUCTION);
        let news = (0..2).filter(|kind| self.pace.newer[*kind]);
        let news = news.filter_map(|kind| Some(self.pace.told[kind]? + limits::EDITOR_NEWS)).min();
        let first = self.wakes.values().copied().chain(introduction).chain(news).min();
        let gone = || Ended::Because("the connection was closed".to_owned());
        match first {
            None => todo.recv().map(Some).map_err(|_| gone()),
            Some(first) => match todo.recv_timeout(first.saturating_duration_since(Instant::now())) {
                Ok(order) => Ok(Some(order)),
                Err(RecvTimeoutError::Timeout) if !self.introduced && introduction <= Some(Instant::now()) => {
                    Err(Ended::Because("it did not introduce itself in time".to_owned()))
                }
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(gone()),
            },
        }
    }

    /// Handles expired timers.
    fn woken(&mut self) -> Option<Ended> {
        for kind in 0..2 {
            let due = self.pace.told[kind].is_none_or(|told| told.elapsed() >= limits::EDITOR_NEWS);
            if self.pace.newer[kind] && due {
                self.pace.newer[kind] = false;
                self.pace.told[kind] = Some(Instant::now());
                self.tell_latest(kind);
            }
        }
        let now = Instant::now();
        let due: Vec<u32> = self.wakes.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        due.into_iter().find_map(|id| {
            self.wakes.remove(&id);
            self.happen(Event::Woken(id))
        })
    }

    /// Passes an event to the session and carries out the actions it returns.
    fn happen(&mut self, event: Event) -> Option<Ended> {
        let actions = match self.session.handle(event) {
            Ok(actions) => actions,
            Err(error) => return Some(Ended::Because(error.to_string())),
        };
        actions.into_iter().find_map(|action| self.carry_out(action))
    }

    fn carry_out(&mut self, action: Action) -> Option<Ended> {
        match action {
            Action::Send(bytes) => {
                if !self.out.send(bytes) {
                    return Some(Ended::Because("it does not read what is sent to it".to_owned()));
                }
            }
            Action::Introduce(introduction) if !self.introduced => return self.introduce(introduction),
            Action::Introduce(_) => return Some(Ended::Because("it introduced itself twice".to_owned())),
            Action::Answer(id, answer) => self.answered(id, answer),
            Action::Tell(told) if self.welcome => self.told(told),
            Action::Tell(_) => {}
            Action::Wake(id, milliseconds) if self.wakes.len() < limits::EDITOR_REQUESTS => {
                self.wakes.insert(id, Instant::now() + Duration::from_millis(milliseconds.max(1).into()));
            }
            Action::Wake(..) => return Some(Ended::Because("it has too many timers".to_owned())),
            Action::Close(why) => return Some(Ended::Because(why)),
        }
        None
    }

    fn introduce(&mut self, said: Introduction) -> Option<Ended> {
        self.introduced = true;
        let welcome = self.shared.with(|state| {
            let now = state.editors.tick();
            let roots = state.editors.roots.0.clone();
            let editor = state.editors.all.get_mut(&self.id)?;
            (editor.title, editor.folders, editor.abilities) = (said.title, said.folders, said.abilities);
            editor.focused = now;
            Some(roots.iter().any(|root| editor.works_in(root)))
        });
        if welcome != Some(true) {
            return Some(Ended::Elsewhere);
        }
        self.welcome = true;
        // The editor is ready once its unsaved files are known.
        self.happen(Event::Welcome).or_else(|| self.happen(Event::Request(FIRST_TABS, Request::Tabs)))
    }

    fn ready(&mut self, answer: Result<Answer>) {
        self.shared.with(|state| {
            let roots = state.editors.roots.clone();
            if let Some(editor) = state.editors.all.get_mut(&self.id) {
                editor.ready = true;
                if let Ok(Answer::Tabs(tabs)) = answer {
                    editor.tabs = roots.tabs(tabs);
                }
            }
        });
        self.shared.changed.notify_all();
    }

    fn answered(&mut self, id: u32, answer: Result<Answer>) {
        if id == FIRST_TABS {
            return self.ready(answer);
        }
        let waiting = self.shared.with(|state| {
            let roots = state.editors.roots.clone();
            let waiting = state.editors.all.get_mut(&self.id)?.waiting.remove(&id)?;
            Some((waiting, roots))
        });
        // Ignore answers to cancelled requests.
        let Some((waiting, roots)) = waiting else { return };
        let confined = answer.map(|answer| match answer {
            Answer::Tabs(tabs) => Answer::Tabs(roots.tabs(tabs)),
            Answer::Selection(selected) => Answer::Selection(roots.selection(selected)),
            Answer::Folders(folders) => Answer::Folders(roots.folders(&folders)),
            Answer::Diagnostics(files) => Answer::Diagnostics(roots.diagnostics(files)),
            other => other,
        });
        let _ = waiting.try_send(confined);
    }

    /// Returns whether the rate limit lets this event pass.
    fn admits(&mut self) -> bool {
        let count = self.pace.count(Instant::now());
        if count == NEWS_A_SECOND + 1 {
            tracing::warn!(
                "editor `{}` sends more than {NEWS_A_SECOND} events a second: the others are dropped",
                self.name
            );
        }
        count <= NEWS_A_SECOND
    }

    fn told(&mut self, told: Told) {
        match told {
            Told::Selection(selected) => {
                self.shared.with(|state| {
                    let (now, selected) = (state.editors.tick(), state.editors.roots.selection(selected));
                    if let Some(editor) = state.editors.all.get_mut(&self.id) {
                        (editor.focused, editor.in_view) = (now, selected.is_some());
                        editor.selected = selected.map(|selected| (now, selected)).or(editor.selected.take());
                    }
                });
                self.latest(0);
            }
            Told::Tabs(tabs) => {
                self.shared.with(|state| {
                    let tabs = state.editors.roots.tabs(tabs);
                    if let Some(editor) = state.editors.all.get_mut(&self.id) {
                        editor.tabs = tabs;
                    }
                });
                self.latest(1);
            }
            Told::Accepted(diff, text) => self.decided(diff, Decision::Accepted(text)),
            Told::Rejected(diff) => self.decided(diff, Decision::Rejected(Rejection::Refused)),
            Told::Closed(diff) => self.decided(diff, Decision::Rejected(Rejection::Closed)),
            other if self.admits() => self.single(other),
            _ => {}
        }
    }

    /// Handles an event that is not coalesced.
    fn single(&mut self, told: Told) {
        let news = self.shared.with(|state| {
            let now = state.editors.tick();
            let roots = state.editors.roots.clone();
            let editor = state.editors.all.get_mut(&self.id)?;
            Some(match told {
                Told::Focused(focused) => {
                    editor.focused = if focused { now } else { editor.focused };
                    News::Focused(focused)
                }
                Told::Folders(folders) => {
                    editor.folders = folders;
                    News::Folders(roots.folders(&editor.folders))
                }
                Told::Saved(path) if roots.hold(&path) => News::Saved(path),
                Told::Changed(path) if roots.hold(&path) => News::Changed(path),
                Told::Mentioned(mention) if roots.hold(&mention.path) => News::Mentioned(mention),
                _ => return None,
            })
        });
        if let Some(news) = news {
            self.shared.tell(self.id, &self.name, news);
        }
    }

    fn decided(&mut self, diff: DiffId, decision: Decision) {
        let verdict = self.shared.with(|state| state.proposals.decide(self.id, diff, decision.clone()));
        if let Some(verdict) = verdict {
            verdict.tell();
            self.shared.tell(self.id, &self.name, News::Decided(diff, decision));
        }
    }

    /// Sends the latest selection or tabs now, or later if one was sent a moment ago.
    fn latest(&mut self, kind: usize) {
        if self.pace.told[kind].is_some_and(|told| told.elapsed() < limits::EDITOR_NEWS) {
            self.pace.newer[kind] = true;
            return;
        }
        self.pace.told[kind] = Some(Instant::now());
        self.pace.newer[kind] = false;
        self.tell_latest(kind);
    }

    fn tell_latest(&self, kind: usize) {
        let news = self.shared.with(|state| {
            let editor = state.editors.all.get(&self.id)?;
            let selected = || editor.selected.as_ref().filter(|_| editor.in_view).map(|(_, selected)| selected.clone());
            Some(if kind == 0 { News::Selection(selected()) } else { News::Tabs(editor.tabs.clone()) })
        });
        if let Some(news) = news {
            self.shared.tell(self.id, &self.name, news);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_counts_events_by_second() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let counts: Vec<u32> = (0..3).map(|_| pace.count(start)).collect();
        assert_eq!(counts, [1, 2, 3]);
        assert_eq!(pace.count(start + Duration::from_millis(999)), 4);
        assert_eq!(pace.count(start + Duration::from_secs(1)), 1);
    }
}
