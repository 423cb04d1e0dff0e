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
        Action, Answer, Decision, DiffId, EditorEvent, EditorInfo, Event, Integration, Rejection, ReportedEvent,
        Request, Session,
    },
    limits,
};

use crate::{
    host::Shared,
    queues::{Gate, Outgoing, start},
    state::Order,
    transport::{Connection, connect},
};

/// Number of the request for the open tabs, sent when an editor is attached.
const FIRST_TABS_REQUEST: u32 = 0;
/// Maximum number of events per second, over all kinds that are not coalesced and are not decisions.
const MAX_EVENTS_PER_SECOND: u32 = 200;

/// The reason for which the connection to an editor ended.
pub(crate) enum EndReason {
    /// The editor works in a folder outside the roots.
    OutsideRoots,
    /// Any other reason, as text.
    Other(String),
}

/// State of one editor, owned by its thread.
struct Attachment<'a> {
    shared: &'a Arc<Shared>,
    id: u64,
    name: String,
    session: Box<dyn Session>,
    out: Outgoing,
    /// Timers that the session has set.
    timers: BTreeMap<u32, Instant>,
    introduced: bool,
    is_welcomed: bool,
    since: Instant,
    pace: RateLimiter,
}

/// Rate limiter for events.
#[derive(Default)]
struct RateLimiter {
    /// For selections and for tabs: when the last event was sent, and whether a newer one is pending.
    last_sent: [Option<Instant>; 2],
    has_newer: [bool; 2],
    second: Option<Instant>,
    count_in_second: u32,
}

impl RateLimiter {
    /// Counts an event; returns the number of events in the second that it belongs to.
    fn count_event(&mut self, now: Instant) -> u32 {
        if self.second.is_none_or(|second| now.duration_since(second) >= Duration::from_secs(1)) {
            (self.second, self.count_in_second) = (Some(now), 0);
        }
        self.count_in_second += 1;
        self.count_in_second
    }
}

/// Connects to the editor (unless it connected itself) and serves it until the connection ends.
pub(crate) fn run(
    shared: &Arc<Shared>,
    id: u64,
    integration: &Arc<dyn Integration>,
    orders: (&Sender<Order>, Receiver<Order>),
    dialled: Option<Connection>,
) -> EndReason {
    match attach(shared, id, integration, orders, dialled) {
        Ok(ended) => ended,
        Err(error) => EndReason::Other(error.content().message.clone()),
    }
}

fn attach(
    shared: &Arc<Shared>,
    id: u64,
    integration: &Arc<dyn Integration>,
    (orders, todo): (&Sender<Order>, Receiver<Order>),
    dialled: Option<Connection>,
) -> Result<EndReason> {
    let Some((name, place)) =
        shared.with_state(|state| state.editors.all.get(&id).map(|e| (e.name.clone(), e.address.clone())))
    else {
        return Ok(EndReason::Other("the connection was closed".to_owned()));
    };
    let failed = |error: std::io::Error| Error::argument(format!("{place} cannot be reached: {error}"));
    let connection = dialled.map_or_else(|| connect(&place), Ok).map_err(failed)?;
    let end = connection.end.clone();
    let session = match integration.attach() {
        Ok(session) => session,
        Err(error) => {
            end.close();
            return Err(error);
        }
    };
    let gate = Arc::<Gate>::default();
    let out = start(connection, orders.clone(), Arc::clone(&gate)).map_err(failed)?;
    shared.with_state(|state| {
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
        timers: BTreeMap::new(),
        introduced: false,
        is_welcomed: false,
        since: Instant::now(),
        pace: RateLimiter::default(),
    };
    let ended = attachment.serve(&todo, &gate);
    end.close();
    Ok(ended)
}

impl Attachment<'_> {
    fn serve(&mut self, todo: &Receiver<Order>, gate: &Gate) -> EndReason {
        let mut ended = self.handle_event(Event::Opened);
        while ended.is_none() {
            ended = match self.next(todo) {
                Ok(Some(Order::Received(bytes))) => {
                    let ended = self.handle_event(Event::Received(bytes));
                    gate.mark_handled();
                    ended
                }
                Ok(Some(Order::Ask(id, request))) => self.handle_event(Event::Request(id, request)),
                Ok(Some(Order::Cancel(id))) => self.handle_event(Event::Cancelled(id)),
                Ok(Some(Order::Ended(why))) => {
                    let _ = self.session.handle(Event::Closed(why.clone()));
                    Some(EndReason::Other(why))
                }
                Ok(None) => self.handle_timers(),
                Err(ended) => Some(ended),
            };
        }
        // Write the messages that are still queued, such as requests to close diffs.
        self.out.flush();
        self.out.end.close();
        // The reader thread may be waiting because too many reads are queued. Marking a read as handled lets the thread
        // continue and end. Its data is no longer needed.
        gate.mark_handled();
        ended.unwrap_or(EndReason::OutsideRoots)
    }

    /// Waits for the next order. `None` if a timer expired.
    fn next(&mut self, todo: &Receiver<Order>) -> std::result::Result<Option<Order>, EndReason> {
        let introduction = (!self.introduced).then(|| self.since + limits::EDITOR_HANDSHAKE_TIME);
        let newer = (0..2).filter(|kind| self.pace.has_newer[*kind]);
        let newer = newer.filter_map(|kind| Some(self.pace.last_sent[kind]? + limits::EDITOR_EVENT_INTERVAL)).min();
        let first = self.timers.values().copied().chain(introduction).chain(newer).min();
        let gone = || EndReason::Other("the connection was closed".to_owned());
        match first {
            None => todo.recv().map(Some).map_err(|_| gone()),
            Some(first) => match todo.recv_timeout(first.saturating_duration_since(Instant::now())) {
                Ok(order) => Ok(Some(order)),
                Err(RecvTimeoutError::Timeout) if !self.introduced && introduction <= Some(Instant::now()) => {
                    Err(EndReason::Other("it did not complete the handshake in time".to_owned()))
                }
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(gone()),
            },
        }
    }

    /// Handles expired timers.
    fn handle_timers(&mut self) -> Option<EndReason> {
        for kind in 0..2 {
            let due = self.pace.last_sent[kind].is_none_or(|sent| sent.elapsed() >= limits::EDITOR_EVENT_INTERVAL);
            if self.pace.has_newer[kind] && due {
                self.pace.has_newer[kind] = false;
                self.pace.last_sent[kind] = Some(Instant::now());
                self.send_latest(kind);
            }
        }
        let now = Instant::now();
        let due: Vec<u32> = self.timers.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        due.into_iter().find_map(|id| {
            self.timers.remove(&id);
            self.handle_event(Event::TimerExpired(id))
        })
    }

    /// Passes an event to the session and carries out the actions it returns.
    fn handle_event(&mut self, event: Event) -> Option<EndReason> {
        let actions = match self.session.handle(event) {
            Ok(actions) => actions,
            Err(error) => return Some(EndReason::Other(error.to_string())),
        };
        actions.into_iter().find_map(|action| self.perform(action))
    }

    fn perform(&mut self, action: Action) -> Option<EndReason> {
        match action {
            Action::Send(bytes) => {
                if !self.out.send(bytes) {
                    return Some(EndReason::Other("it does not read what is sent to it".to_owned()));
                }
            }
            Action::Introduce(introduction) if !self.introduced => return self.introduce(introduction),
            Action::Introduce(_) => return Some(EndReason::Other("it sent `introduce` twice".to_owned())),
            Action::Answer(id, answer) => self.handle_answer(id, answer),
            Action::Report(event) if self.is_welcomed => self.forward_event(event),
            Action::Report(_) => {}
            Action::StartTimer(id, milliseconds) if self.timers.len() < limits::EDITOR_REQUESTS => {
                self.timers.insert(id, Instant::now() + Duration::from_millis(milliseconds.max(1).into()));
            }
            Action::StartTimer(..) => return Some(EndReason::Other("it has too many timers".to_owned())),
            Action::Close(why) => return Some(EndReason::Other(why)),
        }
        None
    }

    fn introduce(&mut self, info: EditorInfo) -> Option<EndReason> {
        self.introduced = true;
        let ready = self.shared.with_state(|state| {
            let now = state.editors.advance_clock();
            let roots = state.editors.roots.0.clone();
            let editor = state.editors.all.get_mut(&self.id)?;
            (editor.title, editor.folders, editor.abilities) = (info.title, info.folders, info.abilities);
            editor.focused = now;
            Some(roots.iter().any(|root| editor.works_in(root)))
        });
        if ready != Some(true) {
            return Some(EndReason::OutsideRoots);
        }
        self.is_welcomed = true;
        // The editor is ready once its unsaved files are known.
        self.handle_event(Event::Accepted)
            .or_else(|| self.handle_event(Event::Request(FIRST_TABS_REQUEST, Request::Tabs)))
    }

    fn ready(&mut self, answer: Result<Answer>) {
        self.shared.with_state(|state| {
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

    fn handle_answer(&mut self, id: u32, answer: Result<Answer>) {
        if id == FIRST_TABS_REQUEST {
            return self.ready(answer);
        }
        let waiting = self.shared.with_state(|state| {
            let roots = state.editors.roots.clone();
            let waiting = state.editors.all.get_mut(&self.id)?.pending.remove(&id)?;
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

    /// Returns whether the rate limit allows this event.
    fn allows_event(&mut self) -> bool {
        let count = self.pace.count_event(Instant::now());
        if count == MAX_EVENTS_PER_SECOND + 1 {
            tracing::warn!(
                "editor `{}` sends more than {MAX_EVENTS_PER_SECOND} events a second: the others are dropped",
                self.name
            );
        }
        count <= MAX_EVENTS_PER_SECOND
    }

    fn forward_event(&mut self, event: ReportedEvent) {
        match event {
            ReportedEvent::Selection(selected) => {
                self.shared.with_state(|state| {
                    let (now, selected) = (state.editors.advance_clock(), state.editors.roots.selection(selected));
                    if let Some(editor) = state.editors.all.get_mut(&self.id) {
                        (editor.focused, editor.is_current) = (now, selected.is_some());
                        editor.selected = selected.map(|selected| (now, selected)).or(editor.selected.take());
                    }
                });
                self.coalesce(0);
            }
            ReportedEvent::Tabs(tabs) => {
                self.shared.with_state(|state| {
                    let tabs = state.editors.roots.tabs(tabs);
                    if let Some(editor) = state.editors.all.get_mut(&self.id) {
                        editor.tabs = tabs;
                    }
                });
                self.coalesce(1);
            }
            ReportedEvent::Accepted(diff, text) => self.handle_decision(diff, Decision::Accepted(text)),
            ReportedEvent::Rejected(diff) => self.handle_decision(diff, Decision::Rejected(Rejection::Refused)),
            ReportedEvent::Closed(diff) => self.handle_decision(diff, Decision::Rejected(Rejection::Closed)),
            other if self.allows_event() => self.forward_single_event(other),
            _ => {}
        }
    }

    /// Handles an event that is not coalesced.
    fn forward_single_event(&mut self, reported: ReportedEvent) {
        let event = self.shared.with_state(|state| {
            let now = state.editors.advance_clock();
            let roots = state.editors.roots.clone();
            let editor = state.editors.all.get_mut(&self.id)?;
            Some(match reported {
                ReportedEvent::Focused(focused) => {
                    editor.focused = if focused { now } else { editor.focused };
                    EditorEvent::Focused(focused)
                }
                ReportedEvent::Folders(folders) => {
                    editor.folders = folders;
                    EditorEvent::Folders(roots.folders(&editor.folders))
                }
                ReportedEvent::Saved(path) if roots.contain(&path) => EditorEvent::Saved(path),
                ReportedEvent::Changed(path) if roots.contain(&path) => EditorEvent::Changed(path),
                ReportedEvent::Mentioned(mention) if roots.contain(&mention.path) => EditorEvent::Mentioned(mention),
                _ => return None,
            })
        });
        if let Some(event) = event {
            self.shared.notify(self.id, &self.name, event);
        }
    }

    fn handle_decision(&mut self, diff: DiffId, decision: Decision) {
        let verdict = self.shared.with_state(|state| state.proposals.decide(self.id, diff, decision.clone()));
        if let Some(verdict) = verdict {
            verdict.deliver();
            self.shared.notify(self.id, &self.name, EditorEvent::Decided(diff, decision));
        }
    }

    /// Sends the latest selection or tabs now, or later if one was sent a moment ago.
    fn coalesce(&mut self, kind: usize) {
        if self.pace.last_sent[kind].is_some_and(|sent| sent.elapsed() < limits::EDITOR_EVENT_INTERVAL) {
            self.pace.has_newer[kind] = true;
            return;
        }
        self.pace.last_sent[kind] = Some(Instant::now());
        self.pace.has_newer[kind] = false;
        self.send_latest(kind);
    }

    fn send_latest(&self, kind: usize) {
        let event = self.shared.with_state(|state| {
            let editor = state.editors.all.get(&self.id)?;
            let selected =
                || editor.selected.as_ref().filter(|_| editor.is_current).map(|(_, selected)| selected.clone());
            Some(if kind == 0 { EditorEvent::Selection(selected()) } else { EditorEvent::Tabs(editor.tabs.clone()) })
        });
        if let Some(event) = event {
            self.shared.notify(self.id, &self.name, event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_counts_events_by_second() {
        let (mut pace, start) = (RateLimiter::default(), Instant::now());
        let counts: Vec<u32> = (0..3).map(|_| pace.count_event(start)).collect();
        assert_eq!(counts, [1, 2, 3]);
        assert_eq!(pace.count_event(start + Duration::from_millis(999)), 4);
        assert_eq!(pace.count_event(start + Duration::from_secs(1)), 1);
    }
}
