//! Notifications to clients: selections and mentions.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use marquetry_model::editor::{EditorEvent, EditorSelection, ReceivedEvent, Subscription};

use super::{answers, session::Session};

/// A selection is sent after this pause; changes during it are coalesced.
const DEBOUNCE: Duration = Duration::from_millis(50);
/// Subscribes one client to the events of all editors.
pub(super) fn subscribe(session: &Arc<Session>) -> Subscription {
    let weak: Weak<Session> = Arc::downgrade(session);
    let listener = move |received: &ReceivedEvent| {
        let Some(session) = weak.upgrade() else { return };
        match &received.event {
            EditorEvent::Selection(Some(selected)) if !session.settings().quiet => {
                session.selections.set(selected.clone())
            }
            EditorEvent::Mentioned(mention) if session.is_ready() => {
                session.notify("at_mentioned", &answers::mention(mention))
            }
            _ => {}
        }
    };
    session.editors().subscribe(None, Box::new(listener))
}

/// Sends a client that has become ready the current selection and the mentions that are waiting.
pub(super) fn send_pending(session: &Session) {
    if !session.settings().quiet
        && let Some(selected) = latest_selection(session)
    {
        session.selections.set(selected);
    }
    for mention in session.endpoint().mentions.take() {
        session.notify("at_mentioned", &answers::mention(&mention));
    }
}

/// Returns the latest selection in any of the roots.
pub(super) fn latest_selection(session: &Session) -> Option<EditorSelection> {
    let roots = session.catalog().bench().roots().served();
    roots.iter().find_map(|root| session.editors().latest_selection(root))
}

/// Task that sends selections to a client until it disconnects.
pub(super) async fn send_selections(session: Arc<Session>) {
    let mut sent: Option<EditorSelection> = None;
    loop {
        session.selections.changed().await;
        tokio::time::sleep(DEBOUNCE).await;
        if !session.is_ready() {
            continue;
        }
        let Some(next) = session.selections.take() else { continue };
        if sent.as_ref() != Some(&next) {
            session.notify("selection_changed", &answers::selection(&next));
            sent = Some(next);
        }
    }
}
