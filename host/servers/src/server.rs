//! One server of one root: started on demand, queried once it has loaded the project, stopped when idle, and
//! restarted after failures with exponential backoff.

mod definitions;

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::{Duration, Instant},
};

use marquetry_model::{
    Error, Kind, Result, Work,
    servers::{
        RequestedServer, Server, ServerAnswer, ServerDefinitions, ServerDiagnostic, ServerEdits, ServerHover,
        ServerLocation, ServerQuestion, ServerSymbol,
    },
    text::Lines,
};
use serde_json::{Value, json};

use crate::{
    capabilities::client_capabilities,
    connection::{Connection, ENDED, WaitResult},
    documents::{self, Documents, uri},
    limits,
    process::Process,
    validate::{OutsideCount, Validator},
};

/// A server, running or not.
pub(crate) struct ManagedServer {
    spec: RequestedServer,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Arc<Running>>,
    /// Failures since the last answer.
    failures: u32,
    restart_at: Option<Instant>,
    last_error: String,
}

/// A process that has been initialized.
struct Running {
    connection: Connection,
    process: Process,
    documents: Mutex<Documents>,
    /// Server capabilities.
    capabilities: Value,
    last_used: Mutex<Instant>,
    /// Time that calls have waited for definitions since the last answer.
    silent: Mutex<Duration>,
}

/// An answer, and the reason if it may be incomplete.
struct Answered<A = Value> {
    value: A,
    partial: Option<String>,
}

impl ManagedServer {
    pub(crate) fn new(spec: RequestedServer) -> ManagedServer {
        ManagedServer { spec, state: Mutex::default() }
    }

    pub(crate) fn spec(&self) -> &RequestedServer {
        &self.spec
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
    fn running(&self, place: ServerQuestion<'_>) -> Result<Arc<Running>> {
        let mut state = self.lock();
        if let Some(running) = &state.running {
            match running.connection.ended() {
                None => return Ok(Arc::clone(running)),
                Some(why) if why == IDLE => state.running = None,
                Some(why) => {
                    let error = running.failure(&why);
                    state.record_failure(&error);
                }
            }
        }
        if let Some(left) =
            state.restart_at.map(|at| at.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
        {
            let message =
                format!("the server `{}` failed {} times: {}", self.spec.id, state.failures, state.last_error);
            return Err(Error::new(Kind::PluginFailed, message).hint(format!(
                "it is started again in {} s; without `engine` the plugin answers",
                left.as_secs() + 1
            )));
        }
        match Running::start(&self.spec, place) {
            Ok(running) => {
                let running = Arc::new(running);
                watch_resources(&running, &self.spec)?;
                state.running = Some(Arc::clone(&running));
                Ok(running)
            }
            Err(error) => {
                if error.kind() != Kind::Cancelled {
                    state.record_failure(&error);
                }
                Err(error)
            }
        }
    }

    /// Sends a request and validates the answer. A server that fails or sends an invalid answer is stopped. If the
    /// process had already exited before the request, a new process may answer, so the request is repeated once.
    fn request_validated<T, A>(
        &self,
        place: ServerQuestion<'_>,
        ask: impl Fn(&Running) -> Result<Answered<A>>,
        believe: impl Fn(&Validator<'_>, A) -> Result<(T, OutsideCount)>,
    ) -> Result<ServerAnswer<T>> {
        let before = self.lock().running.clone();
        let running = self.running(place)?;
        let answer = self.ask_process(&running, place, &ask, &believe);
        let was_there = before.is_some_and(|before| Arc::ptr_eq(&before, &running));
        if answer.is_err() && was_there && running.connection.ended().is_some_and(|why| why == ENDED) {
            return self.ask_process(&self.running(place)?, place, &ask, &believe);
        }
        answer
    }

    fn ask_process<T, A>(
        &self,
        running: &Arc<Running>,
        place: ServerQuestion<'_>,
        ask: impl Fn(&Running) -> Result<Answered<A>>,
        believe: impl Fn(&Validator<'_>, A) -> Result<(T, OutsideCount)>,
    ) -> Result<ServerAnswer<T>> {
        let believer = Validator { server: &self.spec.id, files: place.files, source: place.source };
        let answered = ask(running).and_then(|answered| {
            let (answer, outside) = believe(&believer, answered.value)?;
            let left_out = (outside.0 > 0).then(|| format!("{} locations outside of the root", outside.0));
            let reasons: Vec<String> = answered.partial.into_iter().chain(left_out).collect();
            Ok(ServerAnswer { answer, incomplete: (!reasons.is_empty()).then(|| reasons.join("; ")) })
        });
        *running.last_used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let mut state = self.lock();
        match &answered {
            Ok(_) => (state.failures, state.restart_at) = (0, None),
            Err(error) if error.kind() == Kind::PluginFailed => {
                // The failure is recorded only if the failed process is still the current one, because another call may
                // have started a new one.
                if state.running.as_ref().is_some_and(|known| Arc::ptr_eq(known, running)) {
                    state.record_failure(error);
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
    fn record_failure(&mut self, error: &Error) {
        tracing::warn!("{error}");
        if let Some(running) = self.running.take() {
            // The process is killed without a `shutdown` request, because a failing server may not answer it.
            running.connection.mark_ended("it failed");
            running.process.kill();
        }
        self.failures += 1;
        self.last_error.clone_from(&error.content().message);
        // The first failure may be a coincidence, so it causes no pause.
        let doubled = limits::BACK_OFF.saturating_mul(1 << self.failures.saturating_sub(2).min(10));
        self.restart_at = (self.failures > 1).then(|| Instant::now() + doubled.min(limits::MAX_BACK_OFF));
    }
}

impl Running {
    /// Starts the process and initializes it.
    fn start(spec: &RequestedServer, place: ServerQuestion<'_>) -> Result<Running> {
        let files = place.files.as_ref();
        let root = Path::new(files.root());
        tracing::info!("starting the server `{}`", spec.id);
        let (process, input, output) = Process::start(&spec.command, root)?;
        let settings: Value = serde_json::from_str(&spec.settings).unwrap_or_default();
        let connection = Connection::new(&spec.id, input, output, settings.clone())?;
        let mut running = Running {
            connection,
            process,
            documents: Mutex::new(Documents::new(spec.languages.clone())),
            capabilities: Value::Null,
            last_used: Mutex::new(Instant::now()),
            silent: Mutex::default(),
        };
        let folder = uri(files, "");
        let greeting = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": "marq", "version": env!("CARGO_PKG_VERSION") },
            "rootUri": folder,
            "rootPath": files.root(),
            "workspaceFolders": [{ "uri": folder, "name": root.file_name().and_then(|name| name.to_str()).unwrap_or("root") }],
            "initializationOptions": settings,
            "capabilities": client_capabilities(),
        });
        let greeted = running.connection.request("initialize", greeting, limits::START_TIMEOUT, place.work);
        let answer = greeted.map_err(|error| running.with_stderr_hint(error))?;
        running.capabilities = answer["capabilities"].clone();
        running.connection.notify("initialized", json!({}))?;
        if !settings.is_null() {
            running.connection.notify("workspace/didChangeConfiguration", json!({ "settings": settings }))?;
        }
        Ok(running)
    }

    fn failure(&self, why: &str) -> Error {
        self.with_stderr_hint(self.connection.failure(why))
    }

    /// Adds the last line of standard error as a hint, because it often explains the failure.
    fn with_stderr_hint(&self, error: Error) -> Error {
        if error.kind() != Kind::PluginFailed {
            return error;
        }
        self.process.wait(limits::CHECK_INTERVAL);
        let line = self.process.last_stderr_line();
        if line.is_empty() { error } else { error.hint(format!("it printed: {line}")) }
    }

    fn supports(&self, ability: &str) -> bool {
        !matches!(self.capabilities[ability], Value::Null | Value::Bool(false))
    }

    fn require(&self, server: &str, ability: &str, what: &str) -> Result<()> {
        if self.supports(ability) {
            return Ok(());
        }
        Err(Error::new(Kind::Unsupported, format!("the server `{server}` does not support {what}"))
            .hint("without `engine` the plugin answers"))
    }

    /// Sends the text of the file. After the first document, waits a moment for the server to begin progress.
    fn sync_document(&self, place: ServerQuestion<'_>) -> Result<documents::DocumentState> {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = documents.is_empty();
        let state = documents.sync(&self.connection, place.files.as_ref(), place.source)?;
        drop(documents);
        if is_first {
            self.connection.wait_for_progress_begin(limits::PROGRESS_DELAY, place.work)?;
        }
        Ok(state)
    }

    /// Sends a request. An empty answer is marked as partial if the server reported an error meanwhile.
    fn request(&self, method: &str, parameters: Value, time: Duration, work: &Work) -> Result<Answered> {
        let before = self.connection.errors().0;
        let mut answered = self.request_when_loaded(method, parameters, time, work)?;
        let (count, complaint) = self.connection.errors();
        if count > before && (is_empty(&answered.value) || is_empty(&answered.value["items"])) {
            answered.partial.get_or_insert(format!("the server reported nothing, and wrote: {complaint}"));
        }
        Ok(answered)
    }

    /// Sends a request, and repeats it if the server began progress meanwhile.
    fn request_when_loaded(&self, method: &str, parameters: Value, time: Duration, work: &Work) -> Result<Answered> {
        let until = Instant::now() + time;
        for _ in 0..limits::REPEATS {
            let left = until.saturating_duration_since(Instant::now());
            let has_settled = self.connection.wait_for_progress_end(left, work)?;
            let begun = self.connection.progress_count();
            let left =
                if has_settled { until.saturating_duration_since(Instant::now()) } else { limits::START_TIMEOUT };
            let value = self.connection.request(method, parameters.clone(), left.max(limits::CHECK_INTERVAL), work);
            let value = value.map_err(|error| self.with_stderr_hint(error))?;
            if !has_settled {
                return Ok(Answered { value, partial: Some("the server is still loading the project".to_owned()) });
            }
            if self.connection.progress_count() == begun {
                return Ok(Answered { value, partial: None });
            }
        }
        let value = self.connection.request(method, parameters, time, work)?;
        Ok(Answered { value, partial: Some("the server did not finish its work in time".to_owned()) })
    }

    /// Returns the outline of a file. Some servers read a changed text later, and answer for the old one until then, so the
    /// outline is requested again until it fits the text and no longer changes.
    fn outline(
        &self,
        place: ServerQuestion<'_>,
        sent: Instant,
        validator: &Validator<'_>,
        time: Duration,
    ) -> Result<Answered> {
        let parameters = json!({ "textDocument": { "uri": uri(place.files.as_ref(), &place.source.path) } });
        let ask = || self.request("textDocument/documentSymbol", parameters.clone(), time, place.work);
        let mut answered = ask()?;
        for _ in 0..limits::REPEATS {
            let is_old = sent.elapsed() > limits::STALE_PAUSE * 2;
            if is_old && validator.fits_text(&answered.value) {
                break;
            }
            thread::sleep(limits::STALE_PAUSE);
            let next = ask()?;
            let is_stable = next.value == answered.value && validator.fits_text(&next.value);
            answered = next;
            if is_stable {
                break;
            }
        }
        Ok(answered)
    }

    /// Returns the diagnostics of a file. They are requested if the server supports that; otherwise those that it
    /// publishes are used.
    fn diagnostics(&self, place: ServerQuestion<'_>, time: Duration) -> Result<Answered> {
        let begun = Instant::now();
        let mut state = self.sync_document(place)?;
        let uri = uri(place.files.as_ref(), &place.source.path);
        if self.supports("diagnosticProvider") {
            let parameters = json!({ "textDocument": { "uri": uri } });
            let mut answered = self.request("textDocument/diagnostic", parameters, time, place.work)?;
            answered.value = answered.value["items"].take();
            return Ok(answered);
        }
        if state.may_be_outdated {
            // Servers publish again for a changed document, but not always for documents that depend on it.
            let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
            state = documents.resend(&self.connection, place.files.as_ref(), place.source)?.unwrap_or(state);
        }
        let since = if state.is_new { state.since.max(begun) } else { state.since };
        let waited = self.connection.diagnostics(&uri, (state.version, since), time, place.work);
        match waited.map_err(|error| self.with_stderr_hint(error))? {
            WaitResult::Ready(value) => Ok(Answered { value, partial: None }),
            WaitResult::TimedOut => {
                let why = format!("the server did not report on this file within {} s", time.as_secs());
                Ok(Answered { value: json!([]), partial: Some(why) })
            }
        }
    }
}

impl Running {
    /// Stops the process: sends `shutdown` and `exit`, and then kills it.
    fn end(&self) {
        if self.connection.ended().is_none() {
            let asked = self.connection.request("shutdown", Value::Null, limits::SHUTDOWN_TIMEOUT, &Work::default());
            if asked.is_ok() && self.connection.notify("exit", Value::Null).is_ok() {
                self.process.wait(limits::SHUTDOWN_TIMEOUT);
            }
        }
        self.connection.mark_ended("it was ended");
        self.process.kill();
    }
}

impl Drop for ManagedServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Stops a process that uses too much memory or is idle.
fn watch_resources(running: &Arc<Running>, spec: &RequestedServer) -> Result<()> {
    let (known, most, idle): (Weak<Running>, u64, Duration) = (Arc::downgrade(running), spec.memory, spec.idle);
    let look = move || {
        loop {
            thread::sleep(limits::CHECK_INTERVAL);
            let Some(running) = known.upgrade() else { return };
            if running.connection.ended().is_some() {
                running.process.kill();
                return;
            }
            if running.process.memory().is_some_and(|memory| memory > most) {
                running.connection.mark_ended(&format!("it took more than its {} MiB", most >> 20));
                running.process.kill();
                return;
            }
            let asked = *running.last_used.lock().unwrap_or_else(PoisonError::into_inner);
            // One reference is in `State::running`, and one belongs to this thread. Any other belongs to a call in
            // progress.
            if asked.elapsed() > idle && Arc::strong_count(&running) <= 2 {
                running.connection.mark_ended(IDLE);
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

fn is_empty(answer: &Value) -> bool {
    answer.is_null() || answer.as_array().is_some_and(Vec::is_empty)
}

/// Converts a position in a document to the protocol's parameters.
fn position(place: ServerQuestion<'_>) -> Value {
    let at = Lines::new(&place.source.text).position(place.offset.min(place.source.text.len()));
    json!({
        "textDocument": { "uri": uri(place.files.as_ref(), &place.source.path) },
        "position": { "line": at.line - 1, "character": at.column },
    })
}

impl Server for ManagedServer {
    fn id(&self) -> &str {
        &self.spec.id
    }

    fn hover(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Option<ServerHover>>> {
        let ask = |running: &Running| {
            running.require(&self.spec.id, "hoverProvider", "hover")?;
            running.sync_document(place)?;
            running.request("textDocument/hover", position(place), self.spec.time, place.work)
        };
        self.request_validated(place, ask, |believer, value| Ok((believer.hover(value)?, OutsideCount::default())))
    }

    fn references(&self, place: ServerQuestion<'_>, declaration: bool) -> Result<ServerAnswer<Vec<ServerLocation>>> {
        let ask = |running: &Running| {
            running.require(&self.spec.id, "referencesProvider", "references")?;
            running.sync_document(place)?;
            let mut parameters = position(place);
            parameters["context"] = json!({ "includeDeclaration": declaration });
            running.request("textDocument/references", parameters, self.spec.time, place.work)
        };
        self.request_validated(place, ask, |believer, value| believer.locations(value))
    }

    fn diagnostics(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerDiagnostic>>> {
        let ask = |running: &Running| running.diagnostics(place, self.spec.time);
        self.request_validated(place, ask, |believer, value| {
            Ok((believer.diagnostics(value)?, OutsideCount::default()))
        })
    }

    fn symbols(&self, place: ServerQuestion<'_>) -> Result<ServerAnswer<Vec<ServerSymbol>>> {
        let ask = |running: &Running| {
            running.require(&self.spec.id, "documentSymbolProvider", "outlines")?;
            let state = running.sync_document(place)?;
            let validator = Validator { server: &self.spec.id, files: place.files, source: place.source };
            running.outline(place, state.since, &validator, self.spec.time)
        };
        self.request_validated(place, ask, |believer, value| Ok((believer.symbols(value)?, OutsideCount::default())))
    }

    fn definitions(&self, places: &[ServerQuestion<'_>]) -> Result<ServerAnswer<Vec<Option<ServerDefinitions>>>> {
        self.definitions_of(places)
    }

    fn rename(&self, place: ServerQuestion<'_>, new_name: &str) -> Result<ServerAnswer<Vec<ServerEdits>>> {
        let ask = |running: &Running| {
            running.require(&self.spec.id, "renameProvider", "renames")?;
            running.sync_document(place)?;
            let mut parameters = position(place);
            parameters["newName"] = new_name.into();
            running.request("textDocument/rename", parameters, self.spec.time, place.work)
        };
        self.request_validated(place, ask, |believer, value| Ok((believer.edits(value)?, OutsideCount::default())))
    }
}
