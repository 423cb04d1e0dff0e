//! Notifications that cannot be sent yet: the latest selection, and mentions while no client is ready.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use marquetry_model::editor::{EditorEvent, EditorSelection, Editors, Mention, ReceivedEvent, Subscription};
use tokio::sync::Notify;

/// Time for which a mention waits for a client to become ready.
const MENTION_LIFETIME: Duration = Duration::from_secs(60);
/// Maximum number of mentions that are kept.
const MAX_MENTIONS: usize = 16;

/// The next selection to send to a client. A newer one replaces it.
#[derive(Default)]
pub(super) struct Selections {
    next: Mutex<Option<EditorSelection>>,
    changed: Notify,
}

impl Selections {
    fn next(&self) -> MutexGuard<'_, Option<EditorSelection>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, selected: EditorSelection) {
        *self.next() = Some(selected);
        self.changed.notify_one();
    }

    /// Waits until a selection is set.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }

    pub(super) fn take(&self) -> Option<EditorSelection> {
        self.next().take()
    }
}

/// Mentions that arrived while no client was ready.
#[derive(Default)]
pub(super) struct Mentions {
    waiting: Mutex<VecDeque<(Instant, Mention)>>,
    /// Number of ready clients, which receive mentions directly.
    ready: AtomicUsize,
    subscription: Mutex<Option<Subscription>>,
}

impl Mentions {
    pub(super) fn subscribe(editors: &Arc<dyn Editors>) -> Arc<Mentions> {
        let mentions = Arc::<Mentions>::default();
        let weak = Arc::downgrade(&mentions);
        let listener = move |received: &ReceivedEvent| {
            if let (Some(mentions), EditorEvent::Mentioned(mention)) = (weak.upgrade(), &received.event) {
                mentions.store(mention);
            }
        };
        let subscription = editors.subscribe(None, Box::new(listener));
        *mentions.subscription.lock().unwrap_or_else(PoisonError::into_inner) = Some(subscription);
        mentions
    }

    fn store(&self, mention: &Mention) {
        if self.ready.load(Ordering::Acquire) > 0 {
            return;
        }
        let mut waiting = self.waiting();
        if waiting.len() == MAX_MENTIONS {
            waiting.pop_front();
        }
        waiting.push_back((Instant::now(), mention.clone()));
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<(Instant, Mention)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Increments the number of ready clients after one has become ready, and returns the stored mentions for it.
    pub(super) fn take(&self) -> Vec<Mention> {
        self.ready.fetch_add(1, Ordering::AcqRel);
        let all = std::mem::take(&mut *self.waiting());
        all.into_iter().filter(|(since, _)| since.elapsed() < MENTION_LIFETIME).map(|(_, mention)| mention).collect()
    }

    /// Decrements the number of ready clients after one has disconnected.
    pub(super) fn client_left(&self) {
        self.ready.fetch_sub(1, Ordering::AcqRel);
    }
}
