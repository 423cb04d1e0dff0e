//! Discovers editors, attaches them, and retries failed connections with exponential backoff.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak, mpsc::channel},
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Kind, Result,
    editor::{Channel, Integration, News},
    limits,
};

use crate::{
    address::{Place, Spot, spots},
    attached::{Ended, run},
    host::Shared,
    state::Editor,
    transport::Connection,
};

/// Interval between two scans.
const LOOK: Duration = Duration::from_secs(3);
/// Initial pause before a reconnect. It doubles with each consecutive failure, up to `LONGEST_PAUSE`.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Pause before reconnecting to an editor that works in a folder outside the roots.
const ELSEWHERE: Duration = Duration::from_secs(30);

/// A location that is not tried again before `until`.
pub(crate) struct Retry {
    pub(crate) integration: String,
    pub(crate) place: Place,
    failures: u32,
    until: Instant,
    /// Reason for the failure. `None` if the editor works in a folder outside the roots.
    pub(crate) why: Option<String>,
}

/// Scans once and attaches editors that are new.
pub(crate) fn look(shared: &Arc<Shared>) {
    let integrations = integrations(shared);
    let mut found: Vec<(Spot, Arc<dyn Integration>)> = Vec::new();
    for integration in integrations.values() {
        let spots = spots(integration.as_ref(), &shared.around);
        found.extend(spots.into_iter().map(|spot| (spot, Arc::clone(integration))));
    }
    let now = Instant::now();
    let new: Vec<(u64, Arc<dyn Integration>)> = shared.with(|state| {
        state.retries.retain(|place, _| found.iter().any(|(spot, _)| spot.place == *place));
        let mut new = Vec::new();
        for (spot, integration) in found {
            let attached = state.editors.all.values().any(|editor| editor.place == spot.place);
            let resting = state.retries.get(&spot.place).is_some_and(|retry| retry.until > now);
            if attached || resting || state.over || state.editors.all.len() >= limits::EDITORS {
                continue;
            }
            new.push((begin(shared, state, spot, &integration), integration));
        }
        new
    });
    for (id, integration) in new {
        start(shared, id, integration, None);
    }
}

/// Attaches an editor that connected to the host, if an integration accepts this path.
pub(crate) fn dialled(shared: &Arc<Shared>, path: &str, connection: Connection) -> Result<()> {
    let Some(integration) = listening(shared, path) else {
        connection.end.end();
        return Err(Error::argument(format!("no editor integration listens at `{path}`"))
            .hint("an integration listens there if it has `channels = [\"websocket\"]` in registry.toml"));
    };
    let begun = shared.with(|state| {
        if state.over || state.editors.all.len() >= limits::EDITORS {
            return None;
        }
        state.dialled += 1;
        let place = Place::Dialled(path.to_owned(), state.dialled);
        Some(begin(shared, state, Spot { place, meant: false }, &integration))
    });
    let Some(id) = begun else {
        connection.end.end();
        let message = format!("{} editors are attached already", limits::EDITORS);
        return Err(Error::new(Kind::LimitExceeded, message).hint("close one of them, then try again"));
    };
    start(shared, id, integration, Some(connection));
    Ok(())
}

/// Returns the integration that accepts connections at a path, of those that the registry permits to accept any.
fn listening(shared: &Arc<Shared>, path: &str) -> Option<Arc<dyn Integration>> {
    integrations(shared).into_values().find(|integration| {
        let listens = integration.channels().iter().any(|channel| channel == "websocket");
        let described = listens.then(|| integration.describe());
        let described = described.and_then(|described| match described {
            Ok(described) => Some(described),
            Err(error) => {
                tracing::warn!("{error}");
                None
            }
        });
        let channels = described.iter().flat_map(|described| &described.channels);
        channels.into_iter().any(|channel| matches!(channel, Channel::WebSocket(known) if known == path))
    })
}

/// The integrations of all roots.
fn integrations(shared: &Arc<Shared>) -> BTreeMap<String, Arc<dyn Integration>> {
    let mut all = BTreeMap::new();
    for root in shared.with(|state| state.editors.roots.0.clone()) {
        let of_root = shared.roots.open(Some(&root)).and_then(|files| shared.integrations.of(&files));
        match of_root {
            Ok(list) => all.extend(list.into_iter().map(|integration| (integration.key().to_owned(), integration))),
            Err(error) => tracing::debug!("cannot load the editors of {root}: {error}"),
        }
    }
    all
}

/// Adds an entry for an editor that is about to be attached.
fn begin(shared: &Arc<Shared>, state: &mut crate::host::State, spot: Spot, integration: &Arc<dyn Integration>) -> u64 {
    let (orders, todo) = channel();
    let make = |name: String| Editor {
        name,
        integration: integration.name().to_owned(),
        place: spot.place,
        meant: spot.meant,
        ready: false,
        title: String::new(),
        folders: Vec::new(),
        abilities: Vec::new(),
        tabs: Vec::new(),
        selected: None,
        in_view: false,
        focused: 0,
        orders,
        end: None,
        waiting: BTreeMap::new(),
        last_request: 0,
    };
    let id = state.editors.add(make, integration.name());
    shared.todo(id, todo);
    id
}

/// Starts the thread of an editor.
fn start(shared: &Arc<Shared>, id: u64, integration: Arc<dyn Integration>, dialled: Option<Connection>) {
    let ours = Arc::clone(shared);
    let thread = std::thread::Builder::new().name("editor".to_owned()).spawn(move || {
        let orders = ours.with(|state| state.editors.all.get(&id).map(|editor| editor.orders.clone()));
        let ended = match orders.zip(ours.take_todo(id)) {
            Some((orders, todo)) => run(&ours, id, &integration, (&orders, todo), dialled),
            None => Ended::Elsewhere,
        };
        gone(&ours, id, ended);
    });
    if let Err(error) = thread {
        gone(shared, id, Ended::Because(format!("cannot start a thread for it: {error}")));
    }
}

/// Returns the pause before a reconnect after a number of consecutive failures.
fn pause_after(failures: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LONGEST_PAUSE)
}

/// Removes an editor, schedules a retry and reports the loss to pending calls, proposals and subscribers.
fn gone(shared: &Arc<Shared>, id: u64, ended: Ended) {
    let lost = shared.with(|state| {
        let editor = state.editors.all.remove(&id)?;
        if matches!(editor.place, Place::Dialled(..)) {
            // This editor reconnects itself.
            return Some((editor, state.proposals.lose(id)));
        }
        let before = state.retries.get(&editor.place).map_or(0, |retry| retry.failures);
        let (failures, pause, why) = match &ended {
            Ended::Elsewhere => (0, ELSEWHERE, None),
            // An editor that was ready is retried after the initial pause; its earlier failures no longer count.
            Ended::Because(why) => {
                let failures = if editor.ready { 0 } else { before + 1 };
                (failures, pause_after(failures), Some(why.clone()))
            }
        };
        let (integration, place) = (editor.integration.clone(), editor.place.clone());
        let retry = Retry { integration, place: place.clone(), failures, until: Instant::now() + pause, why };
        state.retries.insert(place, retry);
        Some((editor, state.proposals.lose(id)))
    });
    shared.changed.notify_all();
    let Some((editor, verdicts)) = lost else { return };
    if let Ended::Because(why) = &ended {
        tracing::info!("editor `{}` ({}) disconnected: {why}", editor.name, editor.place);
    }
    let error = Error::new(Kind::Unsupported, format!("editor `{}` disconnected before it answered", editor.name))
        .hint("`marq doctor` lists the attached editors");
    for waiting in editor.waiting.values() {
        let _ = waiting.try_send(Err(error.clone()));
    }
    for verdict in verdicts {
        verdict.tell();
    }
    if editor.ready {
        shared.tell_about(&editor, News::Gone);
    }
}

/// Starts a thread that scans periodically until the host is dropped.
pub(crate) fn keep_looking(shared: &Arc<Shared>) {
    let weak: Weak<Shared> = Arc::downgrade(shared);
    let thread = std::thread::Builder::new().name("editors".to_owned()).spawn(move || {
        loop {
            std::thread::sleep(LOOK);
            match weak.upgrade() {
                Some(shared) if !shared.with(|state| state.over) => shared.look(),
                _ => return,
            }
        }
    });
    if let Err(error) = thread {
        tracing::warn!("cannot start the thread that looks for editors: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_from_the_first_failure_on() {
        let pauses: Vec<u128> = [0, 1, 2, 3, 7, 8, 99].map(|failures| pause_after(failures).as_millis()).to_vec();
        assert_eq!(pauses, [500, 500, 1_000, 2_000, 32_000, 60_000, 60_000]);
    }
}
