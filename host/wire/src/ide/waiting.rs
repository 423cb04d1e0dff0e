//! What clients are to be told and cannot be yet: the latest selection, mentions that nobody can hear of.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use marquetry_model::editor::{Editors, Heard, Mention, News, Selected, Subscription};
use tokio::sync::Notify;

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

    pub(super) fn set(&self, selected: Selected) {
        *self.next() = Some(selected);
        self.changed.notify_one();
    }

    /// Wait until there is another one.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    pub(super) fn take(&self) -> Option<Selected> {
        self.next().take()
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
    pub(super) fn take(&self) -> Vec<Mention> {
        self.ready.fetch_add(1, Ordering::AcqRel);
        let all = std::mem::take(&mut *self.waiting());
        all.into_iter().filter(|(since, _)| since.elapsed() < WAIT).map(|(_, mention)| mention).collect()
    }

    /// A client that was ready has gone.
    pub(super) fn missed_by_one(&self) {
        self.ready.fetch_sub(1, Ordering::AcqRel);
    }
}
