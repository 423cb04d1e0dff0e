//! The catalog that the front ends of a process share, with limits for concurrent calls and the connected clients.

use std::ops::Deref;

use marquetry_catalog::{Catalog, Running};
use marquetry_model::editor::Subscription;
use tokio::sync::watch;

use crate::{clients::Clients, limits::LIMITS, queues::Queues};

/// A catalog that front ends share.
#[derive(Clone)]
pub struct ServedCatalog {
    catalog: Catalog,
    queues: Queues,
    clients: Clients,
}

impl ServedCatalog {
    /// Creates a served catalog with the default limits, `LIMITS`.
    pub fn new(catalog: Catalog) -> ServedCatalog {
        ServedCatalog { catalog, queues: Queues::new(LIMITS), clients: Clients::default() }
    }

    /// Clients connected to the Claude Code endpoint.
    pub(crate) fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Queues that limit concurrent calls of front ends with many clients.
    pub(crate) fn queues(&self) -> &Queues {
        &self.queues
    }

    /// Returns a catalog with other limits.
    #[cfg(test)]
    pub(crate) fn with_limits(&self, limits: crate::limits::Limits) -> ServedCatalog {
        ServedCatalog { queues: Queues::new(limits), ..self.clone() }
    }

    /// Returns a catalog whose answers have at most about this many bytes, unless a call sets another limit.
    #[must_use]
    pub(crate) fn with_answer_limit(&self, bytes: usize) -> ServedCatalog {
        ServedCatalog { catalog: self.catalog.with_answer_limit(bytes), ..self.clone() }
    }

    /// Returns a catalog with only the roots that a client reported. `None` if this server serves none of them.
    pub(crate) fn narrowed(&self, uris: &[String]) -> Option<ServedCatalog> {
        Some(ServedCatalog { catalog: self.catalog.narrowed(uris)?, ..self.clone() })
    }
}

impl Deref for ServedCatalog {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.catalog
    }
}

/// Returns a receiver that is notified when a call begins or ends, and the subscription that notifies it.
pub(crate) fn watch_calls(running: &Running) -> (watch::Receiver<()>, Subscription) {
    let (sender, receiver) = watch::channel(());
    (receiver, running.subscribe(move |_| _ = sender.send(())))
}

#[cfg(test)]
mod tests {
    use marquetry_model::Work;

    use crate::testing;

    #[test]
    fn narrowed_catalog_shares_queues_and_clients() {
        let catalog = testing::catalog();
        let narrow = catalog.narrowed(&["file:///two".to_owned()]).expect("served").with_answer_limit(100);
        assert_eq!(narrow.bench().roots().served(), ["/two"]);
        let _client = catalog.clients().connect();
        assert_eq!(narrow.clients().names().len(), 1);
        assert!(catalog.narrowed(&["file:///three".to_owned()]).is_none());
    }

    #[test]
    fn receiver_is_notified_of_calls_until_the_subscription_ends() {
        let catalog = testing::catalog();
        let call = || {
            let tool = catalog.find("file_history").expect("a tool");
            catalog.call(tool, serde_json::Map::new(), &Work::default()).expect("answered");
        };
        let (mut receiver, subscription) = super::watch_calls(catalog.running());
        assert!(!receiver.has_changed().expect("subscribed"));
        call();
        assert!(receiver.has_changed().expect("subscribed"));
        receiver.mark_unchanged();
        drop(subscription);
        call();
        assert!(receiver.has_changed().is_err(), "the subscription must have ended");
    }
}
