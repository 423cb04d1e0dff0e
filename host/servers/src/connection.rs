//! JSON-RPC connection to a server: requests with timeouts, and notifications from the server.

use std::{
    collections::{HashMap, HashSet},
    io::{BufReader, Read, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work};
use serde_json::{Value, json};

use crate::{framing, limits};

/// A connection, served by a reader and a writer thread.
pub(crate) struct Connection {
    name: String,
    shared: Arc<Shared>,
    sender: SyncSender<Vec<u8>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    settings: Value,
}

#[derive(Default)]
struct State {
    latest: i64,
    /// Pending requests, and answers that have not been picked up yet.
    answers: HashMap<i64, Option<std::result::Result<Value, String>>>,
    /// Tokens of the progress that the server has begun and not ended.
    working: HashSet<String>,
    /// Number of times the server began progress.
    begun: u64,
    problems: HashMap<String, Published>,
    /// Number of errors that the server has reported, and the last one.
    complaints: (u64, String),
    /// Reason why the connection ended.
    ended: Option<String>,
}

/// The last published diagnostics of a file.
#[derive(Clone)]
pub(crate) struct Published {
    pub(crate) version: Option<i64>,
    pub(crate) items: Value,
    pub(crate) at: Instant,
}

/// Result of a wait.
pub(crate) enum Waited<T> {
    There(T),
    /// The time limit was reached.
    Late,
}

impl Connection {
    /// Starts the threads of a connection over these streams.
    pub(crate) fn new(
        name: &str,
        input: impl Write + Send + 'static,
        output: impl Read + Send + 'static,
        settings: Value,
    ) -> Result<Connection> {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), settings });
        let (sender, waiting) = sync_channel(limits::WAITING);
        let failed = |error: std::io::Error| Error::internal(format!("cannot start a thread for a server: {error}"));
        thread::Builder::new().name("server-input".to_owned()).spawn(move || tell(input, &waiting)).map_err(failed)?;
        let (listening, answers) = (Arc::clone(&shared), sender.clone());
        let hear = move || {
            let why = listen(output, &listening, &answers);
            listening.lock().ended.get_or_insert(why);
            listening.changed.notify_all();
        };
        thread::Builder::new().name("server-output".to_owned()).spawn(hear).map_err(failed)?;
        Ok(Connection { name: name.to_owned(), shared, sender })
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, parameters: Value) -> Result<()> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": parameters }))
    }

    fn send(&self, message: &Value) -> Result<()> {
        // A server that does not read must not block the caller.
        self.sender.try_send(message.to_string().into_bytes()).map_err(|_| {
            let why = self.ended().unwrap_or_else(|| "it does not read what is sent to it".to_owned());
            self.end(&why);
            self.failure(&why)
        })
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&self, method: &str, parameters: Value, time: Duration, work: &Work) -> Result<Value> {
        let id = {
            let mut state = self.shared.lock();
            state.latest += 1;
            let id = state.latest;
            state.answers.insert(id, None);
            id
        };
        let sent = self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        let answered = sent.and_then(|()| {
            self.wait(time, work, |state| match state.answers.get_mut(&id) {
                Some(answer) => answer.take(),
                None => Some(Err("it answered a request that was not sent".to_owned())),
            })
        });
        self.shared.lock().answers.remove(&id);
        match answered {
            Ok(Waited::There(Ok(answer))) => Ok(answer),
            Ok(Waited::There(Err(refused))) => {
                Err(Error::new(Kind::Unsupported, format!("the server `{}` refused the request: {refused}", self.name)))
            }
            Ok(Waited::Late) => {
                let why = format!("it did not answer `{method}` in {} s", time.as_millis().div_ceil(1000));
                self.end(&why);
                Err(self.failure(&why))
            }
            Err(error) => {
                if error.kind() == Kind::Cancelled {
                    let _ = self.notify("$/cancelRequest", json!({ "id": id }));
                }
                Err(error)
            }
        }
    }

    /// Waits until the server has ended all progress. Returns false if it has not when the time is over.
    pub(crate) fn settle(&self, time: Duration, work: &Work) -> Result<bool> {
        let waited = self.wait(time, work, |state| state.working.is_empty().then_some(()))?;
        Ok(matches!(waited, Waited::There(())))
    }

    /// Waits until the server begins progress, but at most for `time`.
    pub(crate) fn hear_of_work(&self, time: Duration, work: &Work) -> Result<()> {
        self.wait(time, work, |state| (state.begun > 0).then_some(())).map(|_| ())
    }

    /// Number of times the server began progress.
    pub(crate) fn begun(&self) -> u64 {
        self.shared.lock().begun
    }

    /// Number of errors that the server has reported, and the last one.
    pub(crate) fn complaints(&self) -> (u64, String) {
        self.shared.lock().complaints.clone()
    }

    /// Waits for the diagnostics of a text: those published for this version, or after this moment if they have no
    /// version. The server must have been idle and published no newer ones for `QUIET`.
    pub(crate) fn problems(
        &self,
        uri: &str,
        (version, since): (i64, Instant),
        time: Duration,
        work: &Work,
    ) -> Result<Waited<Value>> {
        self.wait(time, work, |state| {
            let told = state.problems.get(uri).filter(|told| match told.version {
                Some(told) => told >= version,
                None => told.at >= since,
            })?;
            (told.at.elapsed() >= limits::QUIET && state.working.is_empty()).then(|| told.items.clone())
        })
    }

    /// Reason why the connection ended, if it did.
    pub(crate) fn ended(&self) -> Option<String> {
        self.shared.lock().ended.clone()
    }

    /// Marks the connection as ended.
    pub(crate) fn end(&self, why: &str) {
        self.shared.lock().ended.get_or_insert(why.to_owned());
        self.shared.changed.notify_all();
    }

    /// Error for a failure of the server.
    pub(crate) fn failure(&self, why: &str) -> Error {
        Error::new(Kind::PluginFailed, format!("the server `{}` failed: {why}", self.name))
    }

    fn wait<T>(&self, time: Duration, work: &Work, mut look: impl FnMut(&mut State) -> Option<T>) -> Result<Waited<T>> {
        let until = Instant::now() + time;
        let mut state = self.shared.lock();
        loop {
            if let Some(found) = look(&mut state) {
                return Ok(Waited::There(found));
            }
            if let Some(why) = &state.ended {
                return Err(self.failure(why));
            }
            work.check()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Waited::Late);
            }
            let woken = self.shared.changed.wait_timeout(state, left.min(limits::LOOK / 4));
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles a message from the server.
    fn hear(&self, message: &Value, answers: &SyncSender<Vec<u8>>) -> std::result::Result<(), String> {
        let (method, id) = (message["method"].as_str(), message.get("id").filter(|id| !id.is_null()));
        match (method, id) {
            (Some(method), Some(id)) => {
                let answer = match self.answer(method, &message["params"]) {
                    Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    None => {
                        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "not supported" } })
                    }
                };
                answers.try_send(answer.to_string().into_bytes()).map_err(|_| "it does not read what is sent to it")?;
            }
            (Some("$/progress"), None) => self.lock().work(&message["params"]),
            (Some("textDocument/publishDiagnostics"), None) => self.lock().publish(&message["params"]),
            (Some("window/logMessage" | "window/showMessage"), None) => self.lock().complain(&message["params"]),
            (Some(_), None) => {}
            (None, Some(id)) => {
                let Some(id) = id.as_i64() else { return Err("it answered a request that was not sent".to_owned()) };
                let refused = message["error"]["message"].as_str().map(|why| why.chars().take(500).collect());
                let answer = match (refused, message.get("error")) {
                    (Some(why), _) => Err(why),
                    (None, Some(error)) if !error.is_null() => Err("without a reason".to_owned()),
                    _ => Ok(message["result"].clone()),
                };
                // Answers to abandoned requests are dropped.
                if let Some(waiting) = self.lock().answers.get_mut(&id) {
                    *waiting = Some(answer);
                }
            }
            (None, None) => return Err("it sent something that is not a message".to_owned()),
        }
        Ok(())
    }

    /// Answers a request of the server. It gets its settings; requests to act, such as edits, are refused or ignored.
    fn answer(&self, method: &str, parameters: &Value) -> Option<Value> {
        Some(match method {
            "workspace/configuration" => {
                let items = parameters["items"].as_array().map(Vec::as_slice).unwrap_or_default();
                let section = |item: &Value| match item["section"].as_str() {
                    Some(section) => section.split('.').fold(&self.settings, |settings, part| &settings[part]).clone(),
                    None => self.settings.clone(),
                };
                items.iter().take(limits::WAITING).map(section).collect()
            }
            "workspace/applyEdit" => json!({ "applied": false, "failureReason": "edits are made on request only" }),
            "window/workDoneProgress/create"
            | "client/registerCapability"
            | "client/unregisterCapability"
            | "workspace/workspaceFolders"
            | "window/showMessageRequest"
            | "workspace/diagnostic/refresh" => Value::Null,
            _ => return None,
        })
    }
}

impl State {
    fn work(&mut self, parameters: &Value) {
        let token = parameters["token"].to_string();
        match parameters["value"]["kind"].as_str() {
            Some("begin") if self.working.len() < limits::PROGRESS => {
                self.begun += 1;
                self.working.insert(token);
            }
            Some("end") => _ = self.working.remove(&token),
            _ => {}
        }
    }

    fn complain(&mut self, parameters: &Value) {
        // 1 is `MessageType::Error`.
        if parameters["type"] == 1 {
            let first = parameters["message"].as_str().and_then(|message| message.lines().next()).unwrap_or_default();
            self.complaints = (self.complaints.0 + 1, first.chars().take(limits::COMPLAINT).collect());
        }
    }

    fn publish(&mut self, parameters: &Value) {
        let Some(uri) = parameters["uri"].as_str() else { return };
        if self.problems.len() >= limits::PUBLISHED && !self.problems.contains_key(uri) {
            self.problems.clear();
        }
        let (version, items) = (parameters["version"].as_i64(), parameters["diagnostics"].clone());
        self.problems.insert(uri.to_owned(), Published { version, items, at: Instant::now() });
    }
}

/// Writer thread: writes queued messages until all senders are gone.
fn tell(mut input: impl Write, waiting: &Receiver<Vec<u8>>) {
    while let Ok(message) = waiting.recv() {
        if framing::write(&mut input, &message).is_err() {
            return;
        }
    }
}

/// Reason for a process that exited or was killed.
pub(crate) const ENDED: &str = "it ended";

/// Reader thread: handles messages until the stream ends. Returns the reason.
fn listen(output: impl Read, shared: &Shared, answers: &SyncSender<Vec<u8>>) -> String {
    let mut output = BufReader::new(output);
    loop {
        let message = match framing::read(&mut output) {
            Ok(Some(message)) => message,
            Ok(None) => return ENDED.to_owned(),
            Err(error) => return error.to_string(),
        };
        let heard = match serde_json::from_slice::<Value>(&message) {
            Ok(Value::Array(batch)) => batch.iter().try_for_each(|message| shared.hear(message, answers)),
            Ok(message) => shared.hear(&message, answers),
            Err(_) => return "it sent something that is not JSON".to_owned(),
        };
        if let Err(why) = heard {
            return why;
        }
        if shared.lock().ended.is_some() {
            return String::new();
        }
        shared.changed.notify_all();
    }
}
