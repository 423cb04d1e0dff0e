//! Names of the clients connected to the Claude Code endpoint.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

/// Maximum length of a client's name in characters.
const MAX_NAME_LENGTH: usize = 100;

/// All connected clients.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clients(Arc<Mutex<BTreeMap<u64, String>>>);

/// A connected client. Dropping it removes the client.
#[derive(Debug)]
pub(crate) struct ConnectedClient {
    clients: Clients,
    number: u64,
}

impl Clients {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a client that has not sent its name yet.
    pub(crate) fn connect(&self) -> ConnectedClient {
        let mut all = self.lock();
        let number = all.last_key_value().map_or(0, |(last, _)| last + 1);
        all.insert(number, "a client without a name".to_owned());
        ConnectedClient { clients: self.clone(), number }
    }

    /// Names of the clients, longest connected first.
    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().values().cloned().collect()
    }
}

impl ConnectedClient {
    /// Sets the client's name from the `initialize` request.
    pub(crate) fn set_name(&self, params: &Value) {
        let field = |name: &str| params["clientInfo"][name].as_str().unwrap_or_default();
        let name: String =
            format!("{} {}", field("name"), field("version")).trim().chars().take(MAX_NAME_LENGTH).collect();
        if !name.is_empty() {
            self.clients.lock().insert(self.number, name);
        }
    }
}

impl Drop for ConnectedClient {
    fn drop(&mut self) {
        self.clients.lock().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn clients_are_listed_until_they_disconnect() {
        let clients = Clients::default();
        let (one, other) = (clients.connect(), clients.connect());
        other.set_name(&json!({ "clientInfo": { "name": "claude-code", "version": "2.1" } }));
        one.set_name(&json!(null));
        assert_eq!(clients.names(), ["a client without a name", "claude-code 2.1"]);
        drop(one);
        assert_eq!(clients.names(), ["claude-code 2.1"]);
        drop(other);
        assert!(clients.names().is_empty());
    }
}
