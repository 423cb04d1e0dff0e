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
    /// The answer to each pending request; `None` until it has arrived.
    answers: HashMap<i64, Option<std::result::Result<Value, String>>>,
    /// Tokens of the progress that the server has begun and not ended.
    active_progress: HashSet<String>,
    /// Number of times the server began progress.
    progress_count: u64,
    diagnostics: HashMap<String, Published>,
    /// Number of errors that the server has reported, and the last one.
    errors: (u64, String),
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
pub(crate) enum WaitResult<T> {
    Ready(T),
    /// The time limit was reached.
    TimedOut,
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
        let (sender, waiting) = sync_channel(limits::QUEUED);
        let failed = |error: std::io::Error| Error::internal(format!("cannot start a thread for a server: {error}"));
        thread::Builder::new()
            .name("server-input".to_owned())
            .spawn(move || write_messages(input, &waiting))
            .map_err(failed)?;
        let (listening, answers) = (Arc::clone(&shared), sender.clone());
        let hear = move || {
            let why = read_messages(output, &listening, &answers);
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
            self.mark_ended(&why);
            self.failure(&why)
        })
    }

    /// Sends a request and waits for its answer. If the server does not answer in time, it is treated as failed.
    pub(crate) fn request(&self, method: &str, parameters: Value, time: Duration, work: &Work) -> Result<Value> {
        match self.try_request(method, parameters, time, work)? {
            WaitResult::Ready(answer) => Ok(answer),
            WaitResult::TimedOut => Err(self.fail_silent(method, time)),
        }
    }

    /// Ends the connection to a server that did not answer in time, and returns the error.
    pub(crate) fn fail_silent(&self, method: &str, time: Duration) -> Error {
        let why = format!("it did not answer `{method}` in {} s", time.as_millis().div_ceil(1000));
        self.mark_ended(&why);
        self.failure(&why)
    }

    /// Sends a request and waits for its answer. When the time is over, the request is cancelled, but the connection
    /// stays open.
    pub(crate) fn try_request(
        &self,
        method: &str,
        parameters: Value,
        time: Duration,
        work: &Work,
    ) -> Result<WaitResult<Value>> {
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
        let cancel = || _ = self.notify("$/cancelRequest", json!({ "id": id }));
        match answered {
            Ok(WaitResult::Ready(Ok(answer))) => Ok(WaitResult::Ready(answer)),
            Ok(WaitResult::Ready(Err(refused))) => {
                Err(Error::new(Kind::Unsupported, format!("the server `{}` refused the request: {refused}", self.name)))
            }
            Ok(WaitResult::TimedOut) => {
                cancel();
                Ok(WaitResult::TimedOut)
            }
            Err(error) => {
                if error.kind() == Kind::Cancelled {
                    cancel();
                }
                Err(error)
            }
        }
    }

    /// Waits until the server has ended all progress. Returns false if progress is still active after this time.
    pub(crate) fn wait_for_progress_end(&self, time: Duration, work: &Work) -> Result<bool> {
        let waited = self.wait(time, work, |state| state.active_progress.is_empty().then_some(()))?;
        Ok(matches!(waited, WaitResult::Ready(())))
    }

    /// Waits until the server begins progress, but at most for `time`.
    pub(crate) fn wait_for_progress_begin(&self, time: Duration, work: &Work) -> Result<()> {
        self.wait(time, work, |state| (state.progress_count > 0).then_some(())).map(|_| ())
    }

    /// Number of times the server began progress.
    pub(crate) fn progress_count(&self) -> u64 {
        self.shared.lock().progress_count
    }

    /// Number of errors that the server has reported, and the last one.
    pub(crate) fn errors(&self) -> (u64, String) {
        self.shared.lock().errors.clone()
    }

    /// Waits for the diagnostics of a text. They must have been published for this version or, if they have no version,
    /// after this moment. The wait ends when the server has no active progress and has published nothing newer for
    /// `PUBLISH_PAUSE`.
    pub(crate) fn diagnostics(
        &self,
        uri: &str,
        (version, since): (i64, Instant),
        time: Duration,
        work: &Work,
    ) -> Result<WaitResult<Value>> {
        self.wait(time, work, |state| {
            let published = state.diagnostics.get(uri).filter(|published| match published.version {
                Some(published) => published >= version,
                None => published.at >= since,
            })?;
            (published.at.elapsed() >= limits::PUBLISH_PAUSE && state.active_progress.is_empty())
                .then(|| published.items.clone())
        })
    }

    /// Reason why the connection ended, if it did.
    pub(crate) fn ended(&self) -> Option<String> {
        self.shared.lock().ended.clone()
    }

    /// Marks the connection as ended.
    pub(crate) fn mark_ended(&self, why: &str) {
        self.shared.lock().ended.get_or_insert(why.to_owned());
        self.shared.changed.notify_all();
    }

    /// Creates the error for a failure of the server.
    pub(crate) fn failure(&self, why: &str) -> Error {
        Error::new(Kind::PluginFailed, format!("the server `{}` failed: {why}", self.name))
    }

    fn wait<T>(
        &self,
        time: Duration,
        work: &Work,
        mut look: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<WaitResult<T>> {
        let until = Instant::now() + time;
        let mut state = self.shared.lock();
        loop {
            if let Some(found) = look(&mut state) {
                return Ok(WaitResult::Ready(found));
            }
            if let Some(why) = &state.ended {
                return Err(self.failure(why));
            }
            work.check()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(WaitResult::TimedOut);
            }
            let woken = self.shared.changed.wait_timeout(state, left.min(limits::CHECK_INTERVAL / 4));
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles a message from the server.
    fn handle_message(&self, message: &Value, answers: &SyncSender<Vec<u8>>) -> std::result::Result<(), String> {
        let (method, id) = (message["method"].as_str(), message.get("id").filter(|id| !id.is_null()));
        match (method, id) {
            (Some(method), Some(id)) => {
                let answer = match self.answer_request(method, &message["params"]) {
                    Some(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    None => {
                        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "not supported" } })
                    }
                };
                answers.try_send(answer.to_string().into_bytes()).map_err(|_| "it does not read what is sent to it")?;
            }
            (Some("$/progress"), None) => self.lock().update_progress(&message["params"]),
            (Some("textDocument/publishDiagnostics"), None) => self.lock().publish(&message["params"]),
            (Some("window/logMessage" | "window/showMessage"), None) => self.lock().record_error(&message["params"]),
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

    /// Answers a request of the server. A request for settings is answered; requests that ask the host to do something,
    /// such as to apply edits, are refused or ignored.
    fn answer_request(&self, method: &str, parameters: &Value) -> Option<Value> {
        Some(match method {
            "workspace/configuration" => {
                let items = parameters["items"].as_array().map(Vec::as_slice).unwrap_or_default();
                let section = |item: &Value| match item["section"].as_str() {
                    Some(section) => section.split('.').fold(&self.settings, |settings, part| &settings[part]).clone(),
                    None => self.settings.clone(),
                };
                items.iter().take(limits::QUEUED).map(section).collect()
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
    fn update_progress(&mut self, parameters: &Value) {
        let token = parameters["token"].to_string();
        match parameters["value"]["kind"].as_str() {
            Some("begin") if self.active_progress.len() < limits::PROGRESS => {
                self.progress_count += 1;
                self.active_progress.insert(token);
            }
            Some("end") => _ = self.active_progress.remove(&token),
            _ => {}
        }
    }

    fn record_error(&mut self, parameters: &Value) {
        // 1 is `MessageType::Error`.
        if parameters["type"] == 1 {
            let first = parameters["message"].as_str().and_then(|message| message.lines().next()).unwrap_or_default();
            self.errors = (self.errors.0 + 1, first.chars().take(limits::ERROR_CHARS).collect());
        }
    }

    fn publish(&mut self, parameters: &Value) {
        let Some(uri) = parameters["uri"].as_str() else { return };
        if self.diagnostics.len() >= limits::PUBLISHED && !self.diagnostics.contains_key(uri) {
            self.diagnostics.clear();
        }
        let (version, items) = (parameters["version"].as_i64(), parameters["diagnostics"].clone());
        self.diagnostics.insert(uri.to_owned(), Published { version, items, at: Instant::now() });
    }
}

/// Runs on the writer thread: writes queued messages until all senders are dropped.
fn write_messages(mut input: impl Write, waiting: &Receiver<Vec<u8>>) {
    while let Ok(message) = waiting.recv() {
        if framing::write(&mut input, &message).is_err() {
            return;
        }
    }
}

/// Reason why the connection ended if the process exited or was killed.
pub(crate) const ENDED: &str = "it ended";

/// Runs on the reader thread: handles messages until the stream ends. Returns why it ended.
fn read_messages(output: impl Read, shared: &Shared, answers: &SyncSender<Vec<u8>>) -> String {
    let mut output = BufReader::new(output);
    loop {
        let message = match framing::read(&mut output) {
            Ok(Some(message)) => message,
            Ok(None) => return ENDED.to_owned(),
            Err(error) => return error.to_string(),
        };
        let parsed = match serde_json::from_slice::<Value>(&message) {
            Ok(Value::Array(batch)) => batch.iter().try_for_each(|message| shared.handle_message(message, answers)),
            Ok(message) => shared.handle_message(&message, answers),
            Err(_) => return "it sent something that is not JSON".to_owned(),
        };
        if let Err(why) = parsed {
            return why;
        }
        if shared.lock().ended.is_some() {
            return String::new();
        }
        shared.changed.notify_all();
    }
}
