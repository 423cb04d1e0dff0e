//! The calls that run: to be cancelled by the id their caller gave them, or because the caller is gone; and the words in
//! which their progress is told, those of the language server protocol.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use marquetry_model::Work;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The notification that cancels a call: `{"id": …}`.
pub(crate) const CANCEL: &str = "$/cancelRequest";
/// The notification that tells how far a call is: `{"token": …, "value": …}`.
pub(crate) const PROGRESS: &str = "$/progress";
/// The parameter, beside the arguments of the tool, by which a caller asks for that.
const TOKEN: &str = "workDoneToken";

/// A connection and the id of a call on it, as JSON text.
type Key = (usize, String);

/// The calls that run.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<HashMap<Key, Vec<Work>>>>);

/// A call that runs. Dropped without an answer, it is cancelled: nobody waits for one.
pub(crate) struct Call {
    calls: Calls,
    key: Key,
    pub(crate) work: Work,
}

impl Calls {
    /// A call begins.
    pub(crate) fn begin(&self, connection: usize, id: String) -> Call {
        let (key, work) = ((connection, id), Work::default());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_default().push(work.clone());
        Call { calls: self.clone(), key, work }
    }

    /// Nobody waits for any of them any more.
    pub(crate) fn cancel_all(&self) {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.values().flatten().for_each(Work::cancel);
    }

    /// Whether none runs.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// What the parameters of a `$/cancelRequest` name is no longer wanted. A call that is over is not missed.
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
            works.retain(|work| !work.is_same(&self.work));
            if works.is_empty() {
                calls.remove(&self.key);
            }
        }
    }
}

/// Where a caller hears of progress: takes the parameters of a `$/progress`.
#[derive(Clone)]
pub(crate) struct Outbox(pub(crate) Arc<dyn Fn(Value) + Send + Sync>);

/// Take the token by which the caller knows the progress of a call out of the arguments of its tool.
pub(crate) fn take_token(arguments: &mut Map<String, Value>) -> Option<Value> {
    arguments.remove(TOKEN)
}

/// The parameter, beside the arguments of the tool, by which a caller says who it is: `{"name": …, "version": …}`.
const CLIENT: &str = "clientInfo";

/// Take who calls out of the arguments of its tool.
pub(crate) fn take_client(arguments: &mut Map<String, Value>) -> Option<String> {
    let client = arguments.remove(CLIENT)?;
    let version = client["version"].as_str().unwrap_or_default();
    Some(format!("{} {version}", client["name"].as_str()?))
}

/// Tells the caller how a call begins, goes on and ends.
pub(crate) struct Report {
    outbox: Outbox,
    token: Value,
}

impl Report {
    /// The call begins.
    pub(crate) fn begin(outbox: &Outbox, token: Value, title: &str, work: &Work) -> Report {
        let tell = |outbox: &Outbox, token: &Value, value: Value| (outbox.0)(json!({ "token": token, "value": value }));
        tell(outbox, &token, json!({ "kind": "begin", "title": title, "cancellable": true }));
        let (listening, known) = (outbox.clone(), token.clone());
        work.listen(move |progress| {
            let value = json!({ "kind": "report", "cancellable": true, "message": progress.to_string(), "done": progress.done, "total": progress.total });
            tell(&listening, &known, value);
        });
        Report { outbox: outbox.clone(), token }
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        (self.outbox.0)(json!({ "token": self.token, "value": { "kind": "end" } }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_cancelled_by_its_id_on_its_connection() {
        let calls = Calls::default();
        let (one, other, elsewhere) =
            (calls.begin(1, "7".to_owned()), calls.begin(1, "\"7\"".to_owned()), calls.begin(2, "7".to_owned()));
        calls.cancel(1, Some("{\"id\": 7}"));
        calls.cancel(1, Some("{\"id\": 8}"));
        calls.cancel(1, Some("nonsense"));
        assert!(one.work.is_cancelled() && !other.work.is_cancelled() && !elsewhere.work.is_cancelled());
        let work = other.work.clone();
        drop((one, other, elsewhere));
        assert!(work.is_cancelled(), "nobody waits for it");
        assert!(calls.0.lock().expect("no panic").is_empty());
    }

    #[test]
    fn whoever_is_gone_waits_for_nothing() {
        let calls = Calls::default();
        let (one, other) = (calls.begin(1, "1".to_owned()), calls.begin(2, "1".to_owned()));
        calls.cancel_all();
        assert!(one.work.is_cancelled() && other.work.is_cancelled() && !calls.is_empty());
        drop((one, other));
        assert!(calls.is_empty());
    }

    #[test]
    fn the_token_is_no_argument_of_the_tool() {
        let mut arguments = Map::from_iter([("file".to_owned(), json!("a")), (TOKEN.to_owned(), json!(3))]);
        assert_eq!(take_token(&mut arguments), Some(json!(3)));
        assert_eq!(Value::Object(arguments), json!({ "file": "a" }));
    }
}
