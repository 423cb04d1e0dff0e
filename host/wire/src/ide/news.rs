//! What clients are told of their own accord: what the person selects, and what the person wants to be talked about.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use marquetry_model::editor::{Editors, Heard, Mention, News, Selected, Subscription};
use tokio::sync::Notify;

use super::{answers, session::Session};

/// A selection that moves is told of when it has stood for so long, and at most so often.
const STEADY: Duration = Duration::from_millis(50);
/// A mention waits so long for a client that can hear of it.
const WAIT: Duration = Duration::from_secs(60);
/// Mentions that wait.
const MOST: usize = 16;

/// The selection that one client is to be told of next: the latest.
#[derive(Default)]
pub(super) struct Selections {
    next: Mutex<Option<Selected>>,
    changed: Notify,
}

impl Selections {
    fn next(&self) -> MutexGuard<'_, Option<Selected>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, selected: Selected) {
        *self.next() = Some(selected);
        self.changed.notify_one();
    }
}

/// Hear for one client what editors tell.
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

/// A client is ready: what is selected, and what was mentioned while nobody could hear of it.
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

/// What was selected last in any of the roots.
pub(super) fn latest(session: &Session) -> Option<Selected> {
    let roots = session.catalog().bench().roots().served();
    roots.iter().find_map(|root| session.editors().latest_selection(root))
}

/// Tell a client what is selected, as long as it is there.
pub(super) async fn tell_selections(session: Arc<Session>) {
    let mut told: Option<Selected> = None;
    loop {
        session.selections.changed.notified().await;
        tokio::time::sleep(STEADY).await;
        if !session.is_ready() {
            continue;
        }
        let Some(next) = session.selections.next().take() else { continue };
        if told.as_ref() != Some(&next) {
            session.tell("selection_changed", &answers::selection(&next));
            told = Some(next);
        }
    }
}

/// Mentions that came while no client could hear of them.
#[derive(Default)]
pub(super) struct Mentions {
    waiting: Mutex<VecDeque<(Instant, Mention)>>,
    /// Clients that hear for themselves.
    ready: AtomicUsize,
    listening: Mutex<Option<Subscription>>,
}

impl Mentions {
    pub(super) fn listening(editors: &Arc<dyn Editors>) -> Arc<Mentions> {
        let mentions = Arc::<Mentions>::default();
        let weak = Arc::downgrade(&mentions);
        let listener = move |heard: &Heard| {
            if let (Some(mentions), News::Mentioned(mention)) = (weak.upgrade(), &heard.news) {
                mentions.keep(mention);
            }
        };
        let subscription = editors.subscribe(None, Box::new(listener));
        *mentions.listening.lock().unwrap_or_else(PoisonError::into_inner) = Some(subscription);
        mentions
    }

    fn keep(&self, mention: &Mention) {
        if self.ready.load(Ordering::Acquire) > 0 {
            return;
        }
        let mut waiting = self.waiting();
        if waiting.len() == MOST {
            waiting.pop_front();
        }
        waiting.push_back((Instant::now(), mention.clone()));
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<(Instant, Mention)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client is ready, and gets what waits.
    fn take(&self) -> Vec<Mention> {
        self.ready.fetch_add(1, Ordering::AcqRel);
        let all = std::mem::take(&mut *self.waiting());
        all.into_iter().filter(|(since, _)| since.elapsed() < WAIT).map(|(_, mention)| mention).collect()
    }

    /// A client that was ready has gone.
    pub(super) fn missed_by_one(&self) {
        self.ready.fetch_sub(1, Ordering::AcqRel);
    }
}
