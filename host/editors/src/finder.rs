//! Discovers editors, attaches them, and retries failed connections with exponential backoff.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak, mpsc::channel},
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Kind, Result,
    editor::{Channel, EditorEvent, Integration},
    limits,
};

use crate::{
    address::{Address, Candidate, candidates},
    attached::{EndReason, run},
    host::Shared,
    state::Editor,
    transport::Connection,
};

/// Interval between two scans.
const SCAN_INTERVAL: Duration = Duration::from_secs(3);
/// Initial pause before a reconnect. It doubles with each consecutive failure, up to `MAX_PAUSE`.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Pause before reconnecting to an editor that works in a folder outside the roots.
const OUTSIDE_ROOTS_PAUSE: Duration = Duration::from_secs(30);

/// An address that is not tried again before `until`.
pub(crate) struct Retry {
    pub(crate) integration: String,
    pub(crate) address: Address,
    failures: u32,
    until: Instant,
    /// Reason for the failure. `None` if the editor works in a folder outside the roots.
    pub(crate) why: Option<String>,
}

/// Scans once and attaches editors that are new.
pub(crate) fn scan(shared: &Arc<Shared>) {
    let integrations = integrations(shared);
    let mut found: Vec<(Candidate, Arc<dyn Integration>)> = Vec::new();
    for integration in integrations.values() {
        let spots = candidates(integration.as_ref(), &shared.environment);
        found.extend(spots.into_iter().map(|spot| (spot, Arc::clone(integration))));
    }
    let now = Instant::now();
    let new: Vec<(u64, Arc<dyn Integration>)> = shared.with_state(|state| {
        state.retries.retain(|place, _| found.iter().any(|(spot, _)| spot.address == *place));
        let mut new = Vec::new();
        for (spot, integration) in found {
            let attached = state.editors.all.values().any(|editor| editor.address == spot.address);
            let resting = state.retries.get(&spot.address).is_some_and(|retry| retry.until > now);
            if attached || resting || state.has_ended || state.editors.all.len() >= limits::EDITORS {
                continue;
            }
            new.push((add_entry(shared, state, spot, &integration), integration));
        }
        new
    });
    for (id, integration) in new {
        start_thread(shared, id, integration, None);
    }
}

/// Attaches an editor that connected to the host, if an integration accepts this path.
pub(crate) fn attach_incoming(shared: &Arc<Shared>, path: &str, connection: Connection) -> Result<()> {
    let Some(integration) = integration_at(shared, path) else {
        connection.end.close();
        return Err(Error::argument(format!("no editor integration listens at `{path}`"))
            .hint("an integration listens at this path if it has `channels = [\"websocket\"]` in registry.toml"));
    };
    let begun = shared.with_state(|state| {
        if state.has_ended || state.editors.all.len() >= limits::EDITORS {
            return None;
        }
        state.incoming_count += 1;
        let place = Address::Incoming(path.to_owned(), state.incoming_count);
        Some(add_entry(shared, state, Candidate { address: place, is_exact: false }, &integration))
    });
    let Some(id) = begun else {
        connection.end.close();
        let message = format!("{} editors are already attached", limits::EDITORS);
        return Err(Error::new(Kind::LimitExceeded, message).hint("close one of them, then try again"));
    };
    start_thread(shared, id, integration, Some(connection));
    Ok(())
}

/// Returns the integration that listens at a path. Only integrations to which the registry grants the `websocket`
/// channel are considered.
fn integration_at(shared: &Arc<Shared>, path: &str) -> Option<Arc<dyn Integration>> {
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
    for root in shared.with_state(|state| state.editors.roots.0.clone()) {
        let of_root = shared.roots.open(Some(&root)).and_then(|files| shared.integrations.for_project(&files));
        match of_root {
            Ok(list) => all.extend(list.into_iter().map(|integration| (integration.key().to_owned(), integration))),
            Err(error) => tracing::debug!("cannot load the editors of {root}: {error}"),
        }
    }
    all
}

/// Adds an entry for an editor that is about to be attached.
fn add_entry(
    shared: &Arc<Shared>,
    state: &mut crate::host::State,
    spot: Candidate,
    integration: &Arc<dyn Integration>,
) -> u64 {
    let (orders, todo) = channel();
    let make = |name: String| Editor {
        name,
        integration: integration.name().to_owned(),
        address: spot.address,
        is_exact: spot.is_exact,
        ready: false,
        title: String::new(),
        folders: Vec::new(),
        abilities: Vec::new(),
        tabs: Vec::new(),
        selected: None,
        is_current: false,
        focused: 0,
        orders,
        end: None,
        pending: BTreeMap::new(),
        last_request: 0,
    };
    let id = state.editors.add(make, integration.name());
    shared.store_orders(id, todo);
    id
}

/// Starts the thread of an editor.
fn start_thread(shared: &Arc<Shared>, id: u64, integration: Arc<dyn Integration>, dialled: Option<Connection>) {
    let ours = Arc::clone(shared);
    let thread = std::thread::Builder::new().name("editor".to_owned()).spawn(move || {
        let orders = ours.with_state(|state| state.editors.all.get(&id).map(|editor| editor.orders.clone()));
        let ended = match orders.zip(ours.take_orders(id)) {
            Some((orders, todo)) => run(&ours, id, &integration, (&orders, todo), dialled),
            None => EndReason::OutsideRoots,
        };
        remove_editor(&ours, id, ended);
    });
    if let Err(error) = thread {
        remove_editor(shared, id, EndReason::Other(format!("cannot start a thread for it: {error}")));
    }
}

/// Returns the pause before a reconnect after a number of consecutive failures.
fn pause_after(failures: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(MAX_PAUSE)
}

/// Removes an editor, schedules a retry and reports the loss to pending calls, proposals and subscribers.
fn remove_editor(shared: &Arc<Shared>, id: u64, ended: EndReason) {
    let lost = shared.with_state(|state| {
        let editor = state.editors.all.remove(&id)?;
        if matches!(editor.address, Address::Incoming(..)) {
            // An editor that connected to the host reconnects by itself.
            return Some((editor, state.proposals.remove_editor(id)));
        }
        let before = state.retries.get(&editor.address).map_or(0, |retry| retry.failures);
        let (failures, pause, why) = match &ended {
            EndReason::OutsideRoots => (0, OUTSIDE_ROOTS_PAUSE, None),
            // An editor that was ready is retried after the initial pause; its earlier failures no longer count.
            EndReason::Other(why) => {
                let failures = if editor.ready { 0 } else { before + 1 };
                (failures, pause_after(failures), Some(why.clone()))
            }
        };
        let (integration, place) = (editor.integration.clone(), editor.address.clone());
        let retry = Retry { integration, address: place.clone(), failures, until: Instant::now() + pause, why };
        state.retries.insert(place, retry);
        Some((editor, state.proposals.remove_editor(id)))
    });
    shared.changed.notify_all();
    let Some((editor, verdicts)) = lost else { return };
    if let EndReason::Other(why) = &ended {
        tracing::info!("editor `{}` ({}) disconnected: {why}", editor.name, editor.address);
    }
    let error = Error::new(Kind::Unsupported, format!("editor `{}` disconnected before it answered", editor.name))
        .hint("`marq doctor` lists the attached editors");
    for waiting in editor.pending.values() {
        let _ = waiting.try_send(Err(error.clone()));
    }
    for verdict in verdicts {
        verdict.deliver();
    }
    if editor.ready {
        shared.notify_about(&editor, EditorEvent::Disconnected);
    }
}

/// Starts a thread that scans periodically until the host is dropped.
pub(crate) fn scan_periodically(shared: &Arc<Shared>) {
    let weak: Weak<Shared> = Arc::downgrade(shared);
    let thread = std::thread::Builder::new().name("editors".to_owned()).spawn(move || {
        loop {
            std::thread::sleep(SCAN_INTERVAL);
            match weak.upgrade() {
                Some(shared) if !shared.with_state(|state| state.has_ended) => shared.scan(),
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
