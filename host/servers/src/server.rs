//! One server of one root: started on demand, queried once it has loaded the project, stopped when idle, and
//! restarted after failures with exponential backoff.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Kind, Result, Work,
    servers::{Question, Server, ServerEdits, ServerHover, ServerPlace, ServerProblem, ServerWish, Told},
    text::Lines,
};
use serde_json::{Value, json};

use crate::{
    believe::{Believer, Outside},
    connection::{Connection, ENDED, Waited},
    documents::{self, Documents, uri},
    limits,
    process::Process,
};

/// A server, running or not.
pub(crate) struct OneServer {
    wish: ServerWish,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Arc<Running>>,
    /// Failures since the last answer.
    failures: u32,
    not_before: Option<Instant>,
    why: String,
}

/// A process that has been initialized.
struct Running {
    connection: Connection,
    process: Process,
    documents: Mutex<Documents>,
    /// Server capabilities.
    abilities: Value,
    asked: Mutex<Instant>,
}

/// An answer, and a reason if it may be incomplete.
struct Answered {
    value: Value,
    partial: Option<String>,
}

impl OneServer {
    pub(crate) fn new(wish: ServerWish) -> OneServer {
        OneServer { wish, state: Mutex::default() }
    }

    pub(crate) fn wish(&self) -> &ServerWish {
        &self.wish
    }

    /// Stops the process, if there is one.
    pub(crate) fn end(&self) {
        let running = self.lock().running.take();
        if let Some(running) = running {
            running.end();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the process, starting it if necessary.
    fn running(&self, place: Question<'_>) -> Result<Arc<Running>> {
        let mut state = self.lock();
        if let Some(running) = &state.running {
            match running.connection.ended() {
                None => return Ok(Arc::clone(running)),
                Some(why) if why == IDLE => state.running = None,
                Some(why) => {
                    let error = running.failure(&why);
                    state.fail(&error);
                }
            }
        }
        if let Some(left) =
            state.not_before.map(|at| at.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
        {
            let message = format!("the server `{}` failed {} times: {}", self.wish.id, state.failures, state.why);
            return Err(Error::new(Kind::PluginFailed, message).hint(format!(
                "it is started again in {} s; without `engine` the plugin answers",
                left.as_secs() + 1
            )));
        }
        match Running::start(&self.wish, place) {
            Ok(running) => {
                let running = Arc::new(running);
                watch(&running, &self.wish)?;
                state.running = Some(Arc::clone(&running));
                Ok(running)
            }
            Err(error) => {
                if error.kind() != Kind::Cancelled {
                    state.fail(&error);
                }
                Err(error)
            }
        }
    }

    /// Sends a request and validates the answer. A server that fails or sends an invalid answer is stopped. If the
    /// process turns out to have exited before the request, that says nothing about a new process, so the request is
    /// repeated once.
    fn ask<T>(
        &self,
        place: Question<'_>,
        ask: impl Fn(&Running) -> Result<Answered>,
        believe: impl Fn(&Believer<'_>, Value) -> Result<(T, Outside)>,
    ) -> Result<Told<T>> {
        let before = self.lock().running.clone();
        let running = self.running(place)?;
        let told = self.ask_process(&running, place, &ask, &believe);
        let was_there = before.is_some_and(|before| Arc::ptr_eq(&before, &running));
        if told.is_err() && was_there && running.connection.ended().is_some_and(|why| why == ENDED) {
            return self.ask_process(&self.running(place)?, place, &ask, &believe);
        }
        told
    }

    fn ask_process<T>(
        &self,
        running: &Arc<Running>,
        place: Question<'_>,
        ask: impl Fn(&Running) -> Result<Answered>,
        believe: impl Fn(&Believer<'_>, Value) -> Result<(T, Outside)>,
    ) -> Result<Told<T>> {
        let believer = Believer { server: &self.wish.id, files: place.files, asked: place.source };
        let answered = ask(running).and_then(|answered| {
            let (answer, outside) = believe(&believer, answered.value)?;
            let left_out = (outside.0 > 0).then(|| format!("{} locations outside of the root", outside.0));
            let reasons: Vec<String> = answered.partial.into_iter().chain(left_out).collect();
            Ok(Told { answer, partial: (!reasons.is_empty()).then(|| reasons.join("; ")) })
        });
        *running.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let mut state = self.lock();
        match &answered {
            Ok(_) => (state.failures, state.not_before) = (0, None),
            Err(error) if error.kind() == Kind::PluginFailed => {
                // Only for the process that failed: another call may have started a new one.
                if state.running.as_ref().is_some_and(|known| Arc::ptr_eq(known, running)) {
                    state.fail(error);
                }
            }
            Err(_) => {}
        }
        drop(state);
        answered.map_err(|error| {
            if error.kind() == Kind::PluginFailed && error.content().hint.is_none() {
                return error.hint("without `engine` the plugin answers");
            }
            error
        })
    }
}

impl State {
    fn fail(&mut self, error: &Error) {
        tracing::warn!("{error}");
        if let Some(running) = self.running.take() {
            // Without a `shutdown` request: a failing server may not answer it.
            running.connection.end("it failed");
            running.process.kill();
        }
        self.failures += 1;
        self.why.clone_from(&error.content().message);
        // The first failure may be a coincidence, so it causes no pause.
        let doubled = limits::BACK_OFF.saturating_mul(1 << self.failures.saturating_sub(2).min(10));
        self.not_before = (self.failures > 1).then(|| Instant::now() + doubled.min(limits::LONGEST_BACK_OFF));
    }
}

impl Running {
    /// Starts the process and initializes it.
    fn start(wish: &ServerWish, place: Question<'_>) -> Result<Running> {
        let files = place.files.as_ref();
        let root = Path::new(files.root());
        tracing::info!("starting the server `{}`", wish.id);
        let (process, input, output) = Process::start(&wish.command, root)?;
        let settings: Value = serde_json::from_str(&wish.settings).unwrap_or_default();
        let connection = Connection::new(&wish.id, input, output, settings.clone())?;
        let mut running = Running {
            connection,
            process,
            documents: Mutex::new(Documents::new(wish.languages.clone())),
            abilities: Value::Null,
            asked: Mutex::new(Instant::now()),
        };
        let folder = uri(files, "");
        let greeting = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": "marq", "version": env!("CARGO_PKG_VERSION") },
            "rootUri": folder,
            "rootPath": files.root(),
            "workspaceFolders": [{ "uri": folder, "name": root.file_name().and_then(|name| name.to_str()).unwrap_or("root") }],
            "initializationOptions": settings,
            "capabilities": abilities_of_ours(),
        });
        let greeted = running.connection.request("initialize", greeting, limits::START, place.work);
        let answer = greeted.map_err(|error| running.with_last_words(error))?;
        running.abilities = answer["capabilities"].clone();
        running.connection.notify("initialized", json!({}))?;
        if !settings.is_null() {
            running.connection.notify("workspace/didChangeConfiguration", json!({ "settings": settings }))?;
        }
        Ok(running)
    }

    fn failure(&self, why: &str) -> Error {
        self.with_last_words(self.connection.failure(why))
    }

    /// Adds the last line of standard error as a hint: it often explains the failure.
    fn with_last_words(&self, error: Error) -> Error {
        if error.kind() != Kind::PluginFailed {
            return error;
        }
        self.process.wait(limits::LOOK);
        let said = self.process.last_words();
        if said.is_empty() { error } else { error.hint(format!("it printed: {said}")) }
    }

    fn can(&self, ability: &str) -> bool {
        !matches!(self.abilities[ability], Value::Null | Value::Bool(false))
    }

    fn needs(&self, server: &str, ability: &str, what: &str) -> Result<()> {
        if self.can(ability) {
            return Ok(());
        }
        Err(Error::new(Kind::Unsupported, format!("the server `{server}` does not support {what}"))
            .hint("without `engine` the plugin answers"))
    }

    /// Sends the text of the file. After the first document, waits a moment for the server to begin progress.
    fn tell(&self, place: Question<'_>) -> Result<documents::Told> {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = documents.is_empty();
        let told = documents.tell(&self.connection, place.files.as_ref(), place.source)?;
        drop(documents);
        if is_first {
            self.connection.hear_of_work(limits::SETTLE, place.work)?;
        }
        Ok(told)
    }

    /// Sends a request. An empty answer is marked as partial if the server reported an error meanwhile.
    fn request(&self, method: &str, parameters: Value, time: Duration, work: &Work) -> Result<Answered> {
        let before = self.connection.complaints().0;
        let mut answered = self.request_settled(method, parameters, time, work)?;
        let (count, complaint) = self.connection.complaints();
        if count > before && (is_empty(&answered.value) || is_empty(&answered.value["items"])) {
            answered.partial.get_or_insert(format!("the server reported nothing, and wrote: {complaint}"));
        }
        Ok(answered)
    }

    /// Sends a request, and repeats it if the server began progress meanwhile.
    fn request_settled(&self, method: &str, parameters: Value, time: Duration, work: &Work) -> Result<Answered> {
        let until = Instant::now() + time;
        for _ in 0..limits::AGAIN {
            let left = until.saturating_duration_since(Instant::now());
            let has_settled = self.connection.settle(left, work)?;
            let begun = self.connection.begun();
            let left = if has_settled { until.saturating_duration_since(Instant::now()) } else { limits::START };
            let value = self.connection.request(method, parameters.clone(), left.max(limits::LOOK), work);
            let value = value.map_err(|error| self.with_last_words(error))?;
            if !has_settled {
                return Ok(Answered { value, partial: Some("the server is still loading the project".to_owned()) });
            }
            if self.connection.begun() == begun {
                return Ok(Answered { value, partial: None });
            }
        }
        let value = self.connection.request(method, parameters, time, work)?;
        Ok(Answered { value, partial: Some("the server did not finish its work in time".to_owned()) })
    }

    /// Diagnostics of a file: pulled if the server supports that, otherwise those that it publishes.
    fn problems(&self, place: Question<'_>, time: Duration) -> Result<Answered> {
        let begun = Instant::now();
        let mut told = self.tell(place)?;
        let uri = uri(place.files.as_ref(), &place.source.path);
        if self.can("diagnosticProvider") {
            let parameters = json!({ "textDocument": { "uri": uri } });
            let mut answered = self.request("textDocument/diagnostic", parameters, time, place.work)?;
            answered.value = answered.value["items"].take();
            return Ok(answered);
        }
        if told.is_doubtful {
            // Servers publish again for a changed document, but not always for documents that depend on it.
            let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
            told = documents.tell_again(&self.connection, place.files.as_ref(), place.source)?.unwrap_or(told);
        }
        let since = if told.is_new { told.since.max(begun) } else { told.since };
        let waited = self.connection.problems(&uri, (told.version, since), time, place.work);
        match waited.map_err(|error| self.with_last_words(error))? {
            Waited::There(value) => Ok(Answered { value, partial: None }),
            Waited::Late => {
                let why = format!("the server did not report on this file within {} s", time.as_secs());
                Ok(Answered { value: json!([]), partial: Some(why) })
            }
        }
    }
}

impl Running {
    /// Stops the process: `shutdown` and `exit` first, then a kill.
    fn end(&self) {
        if self.connection.ended().is_none() {
            let asked = self.connection.request("shutdown", Value::Null, limits::END, &Work::default());
            if asked.is_ok() && self.connection.notify("exit", Value::Null).is_ok() {
                self.process.wait(limits::END);
            }
        }
        self.connection.end("it was ended");
        self.process.kill();
    }
}

impl Drop for OneServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Stops a process that uses too much memory or is idle.
fn watch(running: &Arc<Running>, wish: &ServerWish) -> Result<()> {
    let (known, most, idle): (Weak<Running>, u64, Duration) = (Arc::downgrade(running), wish.memory, wish.idle);
    let look = move || {
        loop {
            thread::sleep(limits::LOOK);
            let Some(running) = known.upgrade() else { return };
            if running.connection.ended().is_some() {
                running.process.kill();
                return;
            }
            if running.process.memory().is_some_and(|memory| memory > most) {
                running.connection.end(&format!("it took more than its {} MiB", most >> 20));
                running.process.kill();
                return;
            }
            let asked = *running.asked.lock().unwrap_or_else(PoisonError::into_inner);
            // The two references are `State::running` and this thread; others are calls in progress.
            if asked.elapsed() > idle && Arc::strong_count(&running) <= 2 {
                running.connection.end(IDLE);
                running.process.kill();
                return;
            }
        }
    };
    let started = thread::Builder::new().name("server-watch".to_owned()).spawn(look);
    started.map(|_| ()).map_err(|error| Error::internal(format!("cannot start a thread for a server: {error}")))
}

/// Reason for stopping an idle server, which is not a failure.
const IDLE: &str = "it was idle";

/// Client capabilities.
fn abilities_of_ours() -> Value {
    json!({
        "workspace": {
            "configuration": true,
            "workspaceFolders": true,
            "didChangeConfiguration": { "dynamicRegistration": false },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
            "workspaceEdit": { "documentChanges": true },
        },
        "window": { "workDoneProgress": true },
        "general": { "positionEncodings": ["utf-16"] },
        "textDocument": {
            "synchronization": { "didSave": false },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "references": {},
            "rename": { "prepareSupport": false },
            "publishDiagnostics": { "versionSupport": true, "relatedInformation": false },
            "diagnostic": { "dynamicRegistration": false },
        },
    })
}

fn is_empty(answer: &Value) -> bool {
    answer.is_null() || answer.as_array().is_some_and(Vec::is_empty)
}

/// Converts a position in a document to the protocol's parameters.
fn position(place: Question<'_>) -> Value {
    let at = Lines::new(&place.source.text).position(place.offset.min(place.source.text.len()));
    json!({
        "textDocument": { "uri": uri(place.files.as_ref(), &place.source.path) },
        "position": { "line": at.line - 1, "character": at.column },
    })
}

impl Server for OneServer {
    fn id(&self) -> &str {
        &self.wish.id
    }

    fn hover(&self, place: Question<'_>) -> Result<Told<Option<ServerHover>>> {
        let ask = |running: &Running| {
            running.needs(&self.wish.id, "hoverProvider", "hover")?;
            running.tell(place)?;
            running.request("textDocument/hover", position(place), self.wish.time, place.work)
        };
        self.ask(place, ask, |believer, value| Ok((believer.hover(value)?, Outside::default())))
    }

    fn references(&self, place: Question<'_>, declaration: bool) -> Result<Told<Vec<ServerPlace>>> {
        let ask = |running: &Running| {
            running.needs(&self.wish.id, "referencesProvider", "references")?;
            running.tell(place)?;
            let mut parameters = position(place);
            parameters["context"] = json!({ "includeDeclaration": declaration });
            running.request("textDocument/references", parameters, self.wish.time, place.work)
        };
        self.ask(place, ask, |believer, value| believer.places(value))
    }

    fn problems(&self, place: Question<'_>) -> Result<Told<Vec<ServerProblem>>> {
        let ask = |running: &Running| running.problems(place, self.wish.time);
        self.ask(place, ask, |believer, value| Ok((believer.problems(value)?, Outside::default())))
    }

    fn rename(&self, place: Question<'_>, new_name: &str) -> Result<Told<Vec<ServerEdits>>> {
        let ask = |running: &Running| {
            running.needs(&self.wish.id, "renameProvider", "renames")?;
            running.tell(place)?;
            let mut parameters = position(place);
            parameters["newName"] = new_name.into();
            running.request("textDocument/rename", parameters, self.wish.time, place.work)
        };
        self.ask(place, ask, |believer, value| Ok((believer.edits(value)?, Outside::default())))
    }
}
