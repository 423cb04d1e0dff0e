//! Registry of running calls. A call can be cancelled by its request ID, and is cancelled when its connection closes.
//! Cancellation and progress use the messages of LSP.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use marquetry_model::Work;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Notification that cancels a call: `{"id": …}`.
pub(crate) const CANCEL: &str = "$/cancelRequest";
/// Notification that reports the progress of a call: `{"token": …, "value": …}`.
pub(crate) const PROGRESS: &str = "$/progress";
/// Parameter, next to the tool's arguments, that requests progress reports.
const TOKEN: &str = "workDoneToken";

/// A connection and the ID of a call on it, as JSON text.
type CallKey = (usize, String);

/// All running calls.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<HashMap<CallKey, Vec<Work>>>>);

/// A running call. Dropping it without an answer cancels it.
pub(crate) struct Call {
    calls: Calls,
    key: CallKey,
    pub(crate) work: Work,
}

impl Calls {
    /// Registers a call.
    pub(crate) fn begin(&self, connection: usize, id: String) -> Call {
        let (key, work) = ((connection, id), Work::default());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_default().push(work.clone());
        Call { calls: self.clone(), key, work }
    }

    /// Cancels all calls.
    pub(crate) fn cancel_all(&self) {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.values().flatten().for_each(Work::cancel);
    }

    /// Returns whether no call is running.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Handles a `$/cancelRequest`. Calls that have already ended are ignored.
    pub(crate) fn cancel(&self, connection: usize, params: Option<&str>) {
        #[derive(Deserialize)]
        struct Cancel {
            id: Value,
        }
        let Some(cancel) = params.and_then(|params| serde_json::from_str::<Cancel>(params).ok()) else { return };
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for work in calls.get(&(connection, cancel.id.to_string())).into_iter().flatten() {
            work.cancel();
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.work.cancel();
        let mut calls = self.calls.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(works) = calls.get_mut(&self.key) {
            works.retain(|work| !work.is_same_call(&self.work));
            if works.is_empty() {
                calls.remove(&self.key);
            }
        }
    }
}

/// Sends the parameters of a `$/progress` notification to the caller.
#[derive(Clone)]
pub(crate) struct Outbox(pub(crate) Arc<dyn Fn(Value) + Send + Sync>);

/// Removes and returns the progress token from the tool's arguments. The other arguments keep their order, because the
/// error for a call is about its first wrong argument.
pub(crate) fn take_token(arguments: &mut Map<String, Value>) -> Option<Value> {
    arguments.shift_remove(TOKEN)
}

/// Parameter, next to the tool's arguments, that identifies the caller: `{"name": …, "version": …}`.
const CLIENT: &str = "clientInfo";

/// Removes and returns the caller's name and version from the tool's arguments.
pub(crate) fn take_client(arguments: &mut Map<String, Value>) -> Option<String> {
    let client = arguments.shift_remove(CLIENT)?;
    let version = client["version"].as_str().unwrap_or_default();
    Some(format!("{} {version}", client["name"].as_str()?))
}

/// Reports the beginning, progress and end of a call to the caller.
pub(crate) struct ProgressReport {
    outbox: Outbox,
    token: Value,
}

impl ProgressReport {
    /// Reports the beginning of a call.
    pub(crate) fn begin(outbox: &Outbox, token: Value, title: &str, work: &Work) -> ProgressReport {
        let send = |outbox: &Outbox, token: &Value, value: Value| (outbox.0)(json!({ "token": token, "value": value }));
        send(outbox, &token, json!({ "kind": "begin", "title": title, "cancellable": true }));
        let (listening, known) = (outbox.clone(), token.clone());
        work.listen(move |progress| {
            let value = json!({ "kind": "report", "cancellable": true, "message": progress.to_string(), "done": progress.done, "total": progress.total });
            send(&listening, &known, value);
        });
        ProgressReport { outbox: outbox.clone(), token }
    }
}

impl Drop for ProgressReport {
    fn drop(&mut self) {
        (self.outbox.0)(json!({ "token": self.token, "value": { "kind": "end" } }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_is_cancelled_by_id_on_its_connection_only() {
        let calls = Calls::default();
        let (one, other, elsewhere) =
            (calls.begin(1, "7".to_owned()), calls.begin(1, "\"7\"".to_owned()), calls.begin(2, "7".to_owned()));
        calls.cancel(1, Some("{\"id\": 7}"));
        calls.cancel(1, Some("{\"id\": 8}"));
        calls.cancel(1, Some("nonsense"));
        assert!(one.work.is_cancelled() && !other.work.is_cancelled() && !elsewhere.work.is_cancelled());
        let work = other.work.clone();
        drop((one, other, elsewhere));
        assert!(work.is_cancelled(), "a dropped call must be cancelled");
        assert!(calls.0.lock().expect("no panic").is_empty());
    }

    #[test]
    fn calls_of_closed_connections_are_cancelled() {
        let calls = Calls::default();
        let (one, other) = (calls.begin(1, "1".to_owned()), calls.begin(2, "1".to_owned()));
        calls.cancel_all();
        assert!(one.work.is_cancelled() && other.work.is_cancelled() && !calls.is_empty());
        drop((one, other));
        assert!(calls.is_empty());
    }

    #[test]
    fn parameters_of_the_protocol_do_not_change_the_order_of_arguments() {
        for text in [
            r#"{"clientInfo": {"name": "n", "version": "1"}, "workDoneToken": 1, "a": 1, "b": 2, "c": 3}"#,
            r#"{"a": 1, "clientInfo": {"name": "n", "version": "1"}, "b": 2, "workDoneToken": 1, "c": 3}"#,
            r#"{"workDoneToken": 1, "a": 1, "b": 2, "c": 3, "clientInfo": {"name": "n", "version": "1"}}"#,
        ] {
            let mut arguments: Map<String, Value> = serde_json::from_str(text).expect("JSON");
            assert_eq!(take_client(&mut arguments).as_deref(), Some("n 1"), "{text}");
            assert_eq!(take_token(&mut arguments), Some(json!(1)), "{text}");
            assert_eq!(Value::Object(arguments).to_string(), r#"{"a":1,"b":2,"c":3}"#, "{text}");
        }
    }

    #[test]
    fn progress_token_is_not_passed_to_the_tool() {
        let mut arguments = Map::from_iter([("file".to_owned(), json!("a")), (TOKEN.to_owned(), json!(3))]);
        assert_eq!(take_token(&mut arguments), Some(json!(3)));
        assert_eq!(Value::Object(arguments), json!({ "file": "a" }));
    }
}
