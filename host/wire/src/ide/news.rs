//! Notifications to clients: selections and mentions.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use marquetry_model::editor::{Heard, News, Selected, Subscription};

use super::{answers, session::Session};

/// A selection is sent after this pause; changes during it are coalesced.
const STEADY: Duration = Duration::from_millis(50);
/// Subscribes one client to the events of all editors.
pub(super) fn listen(session: &Arc<Session>) -> Subscription {
    let weak: Weak<Session> = Arc::downgrade(session);
    let listener = move |heard: &Heard| {
        let Some(session) = weak.upgrade() else { return };
        match &heard.news {
            News::Selection(Some(selected)) if !session.settings().quiet => session.selections.set(selected.clone()),
            News::Mentioned(mention) if session.is_ready() => session.tell("at_mentioned", &answers::mention(mention)),
            _ => {}
        }
    };
    session.editors().subscribe(None, Box::new(listener))
}

/// Sends a client that has become ready the current selection and the mentions that are waiting.
pub(super) fn welcome(session: &Session) {
    if !session.settings().quiet
        && let Some(selected) = latest(session)
    {
        session.selections.set(selected);
    }
    for mention in session.endpoint().mentions.take() {
        session.tell("at_mentioned", &answers::mention(&mention));
    }
}

/// Returns the latest selection in any of the roots.
pub(super) fn latest(session: &Session) -> Option<Selected> {
    let roots = session.catalog().bench().roots().served();
    roots.iter().find_map(|root| session.editors().latest_selection(root))
}

/// Task that sends selections to a client until it disconnects.
pub(super) async fn tell_selections(session: Arc<Session>) {
    let mut told: Option<Selected> = None;
    loop {
        session.selections.changed().await;
        tokio::time::sleep(STEADY).await;
        if !session.is_ready() {
            continue;
        }
        let Some(next) = session.selections.take() else { continue };
        if told.as_ref() != Some(&next) {
            session.tell("selection_changed", &answers::selection(&next));
            told = Some(next);
        }
    }
}
