//! Store data of a running plugin: limits, logs and file access. Also converts traps to errors.

use std::{sync::Arc, time::Duration};

use marquetry_model::{
    Error, Kind,
    escape::{escape_line, escape_text},
    limits,
    ports::{Files, new_layout},
};
use wasmtime::{Store, Trap, UpdateDeadline};

use crate::{
    bindings::marquetry::language::{log, types, workspace},
    clock::{Deadline, ExceededLimit},
    extism::Blocks,
    file_access::FileAccess,
    guest_output::GuestOutput,
    limits::{InstanceMemory, PluginLimits},
    logs::PluginLogs,
    sandbox::Sandbox,
};

/// State of a running instance.
pub(crate) struct InstanceState {
    plugin: String,
    pub(crate) memory: InstanceMemory,
    /// Memory blocks exchanged with an Extism module.
    pub(crate) blocks: Blocks,
    output: GuestOutput,
    logs: PluginLogs,
    pub(crate) workspace: Option<Arc<dyn Files>>,
    /// The files that it may read.
    pub(crate) file_access: FileAccess,
    /// Bytes that the call may pass to the host at once.
    transfer_limit: usize,
    /// Deadline of the call.
    deadline: Deadline,
}

/// Failure of a call: its error, its cause, and whether a retry may succeed.
#[derive(Debug)]
pub(crate) struct CallFailure {
    pub(crate) error: Error,
    /// True if a retry on a new instance may succeed.
    pub(crate) retry: bool,
    pub(crate) blame: Blame,
}

/// The cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blame {
    /// Not the plugin or document: the call was cancelled, or a shared resource is exhausted.
    Nobody,
    /// The document exceeds what the plugin can handle; other documents may work.
    Document,
    /// The plugin.
    Plugin,
}

/// Resource limits of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallLimits {
    /// CPU time.
    pub(crate) time: Duration,
    /// Bytes that it may pass to the host at once.
    pub(crate) transfer: usize,
}

impl CallLimits {
    /// Returns the limits of a call on documents of this many bytes.
    pub(crate) fn for_documents(bounds: &PluginLimits, bytes: usize) -> CallLimits {
        CallLimits { time: bounds.time_limit(bytes), transfer: PluginLimits::transfer_limit(bytes) }
    }
}

/// Clock ticks between two checks for cancellation of a running call.
const CHECK_TICKS: u64 = 2;
/// Converts the error of a call to a failure.
pub(crate) fn call_failure(state: &InstanceState, error: &wasmtime::Error, doing: &str) -> CallFailure {
    let plugin = &state.plugin;
    if let Some(CancelledGuest(error)) = error.downcast_ref::<CancelledGuest>() {
        return CallFailure { error: error.clone(), retry: false, blame: Blame::Nobody };
    }
    if state.memory.total_exceeded {
        let most = limits::GUEST_MEMORY >> 20;
        let message =
            format!("there is no memory left for plugin `{plugin}` while {doing}: all calls may use {most} MiB");
        let error =
            Error::new(Kind::LimitExceeded, message).hint("other large calls are running; try again when one is done");
        return CallFailure { error, retry: false, blame: Blame::Nobody };
    }
    if let Some(TimeExceeded(ExceededLimit::WallTime(waited))) = error.downcast_ref::<TimeExceeded>() {
        let seconds = waited.as_secs();
        let message = format!(
            "plugin `{plugin}` was stopped while {doing}: the machine was too busy to let it run within {seconds} s"
        );
        let error = Error::new(Kind::LimitExceeded, message).hint("try again when the machine is less busy");
        return CallFailure { error, retry: false, blame: Blame::Nobody };
    }
    let fault = plugin_failure(state, error, doing);
    state.logs.record(plugin, &fault.error.content().message, &state.output.lines());
    fault
}

/// Converts an error that the plugin or the document caused.
fn plugin_failure(state: &InstanceState, error: &wasmtime::Error, doing: &str) -> CallFailure {
    let plugin = &state.plugin;
    let failed = |message: String| Error::new(Kind::PluginFailed, message);
    if let Some(asked) = state.memory.refused_bytes {
        let (asked, allowed) = (asked >> 20, state.memory.allowed >> 20);
        let error =
            failed(format!("plugin `{plugin}` needs {asked} MiB of memory while {doing}; its limit is {allowed} MiB"))
                .hint("raise `limits.memory-mib` of the plugin in registry.toml if the document is that large");
        return CallFailure { error, retry: false, blame: Blame::Document };
    }
    if let Some(TimeExceeded(ExceededLimit::CpuTime(limit))) = error.downcast_ref::<TimeExceeded>() {
        let seconds = limit.as_secs();
        let message = format!(
            "plugin `{plugin}` was stopped while {doing}: it took too long (more than {seconds} s of CPU time)"
        );
        let error = failed(message).hint("raise `limits.seconds` of the plugin in registry.toml if it needs the time");
        return CallFailure { error, retry: false, blame: Blame::Document };
    }
    let cause = error.downcast_ref::<Trap>().map_or_else(|| error.root_cause().to_string(), ToString::to_string);
    // The error may quote the guest's answer, so it is escaped.
    let cause = escape_line(&cause);
    if cause.contains(TRANSFER_EXCEEDED) {
        let most = state.transfer_limit >> 20;
        let message = format!("plugin `{plugin}` returned more than {most} MiB while {doing}");
        let error = Error::new(Kind::LimitExceeded, message)
            .hint("ask for a part: name a target or lines, a smaller `limit`, or a smaller file");
        return CallFailure { error, retry: false, blame: Blame::Document };
    }
    // A recursive-descent parser overflows its stack on deeply nested input.
    let blame = match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => Blame::Document,
        _ => Blame::Plugin,
    };
    CallFailure {
        error: plugin_error(state, &format!("plugin `{plugin}` failed while {doing}: {cause}")),
        retry: true,
        blame,
    }
}

/// Message of the engine when a guest passes too many bytes to the host.
const TRANSFER_EXCEEDED: &str = "fuel allocated for hostcalls has been exhausted";

/// Maximum number of log lines in an answer; `marq plugin logs` shows all of them.
const MAX_SHOWN_LINES: usize = 20;

/// Returns an error with the guest's first error message, and its stack and log as details.
fn plugin_error(state: &InstanceState, what: &str) -> Error {
    let lines = state.output.lines();
    let Some(reason) = state.output.reason() else { return Error::new(Kind::PluginFailed, what) };
    let error = Error::new(Kind::PluginFailed, format!("{what}; it reported: {}", reason.line));
    // The guest's lines are indented, so that none looks like a line of the host.
    let shown: Vec<String> =
        lines[reason.from..].iter().take(MAX_SHOWN_LINES).map(|line| format!("\n    {line}")).collect();
    if shown.len() < 2 {
        return error;
    }
    let plugin = &state.plugin;
    error.hint(format!(
        "`marq plugin logs {plugin}` shows the whole output; from the error on, it is:{}",
        shown.concat()
    ))
}

/// Error that stops a guest whose call was cancelled.
#[derive(Debug)]
struct CancelledGuest(Error);

impl std::fmt::Display for CancelledGuest {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for CancelledGuest {}

/// Error that stops a guest that exceeded its time.
#[derive(Debug)]
struct TimeExceeded(ExceededLimit);

impl std::fmt::Display for TimeExceeded {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "it took too long: {:?}", self.0)
    }
}

impl std::error::Error for TimeExceeded {}

impl InstanceState {
    /// Creates a store for an instance with this memory limit and these initial limits.
    pub(crate) fn store(
        sandbox: &Sandbox,
        plugin: &str,
        memory: InstanceMemory,
        allowed: CallLimits,
    ) -> Store<InstanceState> {
        let state = InstanceState {
            plugin: plugin.to_owned(),
            memory,
            blocks: Blocks::default(),
            output: GuestOutput::default(),
            logs: sandbox.logs.clone(),
            workspace: None,
            file_access: FileAccess::default(),
            transfer_limit: allowed.transfer,
            deadline: Deadline::begin(allowed.time),
        };
        let mut store = Store::new(&sandbox.engine, state);
        store.set_hostcall_fuel(allowed.transfer);
        store.limiter(|state| &mut state.memory);
        store.epoch_deadline_callback(|mut context| context.data_mut().tick());
        store.set_epoch_deadline(CHECK_TICKS);
        store
    }

    /// Prepares for another call on the current thread.
    pub(crate) fn begin_call(store: &mut Store<InstanceState>, allowed: CallLimits) {
        let state = store.data_mut();
        state.output.begin();
        (state.memory.refused_bytes, state.memory.total_exceeded) = (None, false);
        (state.deadline, state.transfer_limit) = (Deadline::begin(allowed.time), allowed.transfer);
        store.set_hostcall_fuel(allowed.transfer);
        store.set_epoch_deadline(CHECK_TICKS);
    }

    /// Logs a message of the plugin, shortened before it is copied. Each of its lines is logged separately, because
    /// text after a line break would look like output of the host.
    pub(crate) fn log(&mut self, level: log::Level, message: &str) {
        for line in truncate_line(message).lines() {
            self.log_line(level, line);
        }
    }

    /// Returns the workspace if the plugin may read this file.
    fn readable(&self, path: &str) -> Option<&Arc<dyn Files>> {
        self.workspace.as_ref().filter(|files| self.file_access.allows(files.as_ref(), path))
    }

    /// Decides whether the guest may continue. Called every `CHECK_TICKS` clock ticks.
    fn tick(&mut self) -> wasmtime::Result<UpdateDeadline> {
        if let Some(work) = self.workspace.as_ref().and_then(|files| files.work()) {
            work.check().map_err(CancelledGuest)?;
        }
        match self.deadline.exceeded_limit() {
            Some(passed) => Err(wasmtime::Error::new(TimeExceeded(passed))),
            None => Ok(UpdateDeadline::Continue(CHECK_TICKS)),
        }
    }

    /// Handles output to a standard stream: complete lines are logged.
    pub(crate) fn print(&mut self, bytes: &[u8]) {
        for line in self.output.add_output(bytes) {
            self.log_line(log::Level::Warn, &line);
        }
    }

    fn log_line(&mut self, level: log::Level, message: &str) {
        if message.trim().is_empty() {
            return;
        }
        let message: String = escape_text(message).chars().take(limits::LOG_LINE).collect();
        self.output.add_line(&message);
        if self.output.count() <= limits::LOG_LINES {
            let plugin = self.plugin.as_str();
            match level {
                log::Level::Error => tracing::error!(plugin, "{message}"),
                log::Level::Warn => tracing::warn!(plugin, "{message}"),
                log::Level::Info => tracing::info!(plugin, "{message}"),
                log::Level::Debug => tracing::debug!(plugin, "{message}"),
                log::Level::Trace => tracing::trace!(plugin, "{message}"),
            }
        } else if self.output.count() == limits::LOG_LINES + 1 {
            tracing::warn!(
                plugin = self.plugin.as_str(),
                "more than {} log lines in one call: the rest is dropped",
                limits::LOG_LINES
            );
        }
    }
}

/// Truncates a message to the maximum line length, counted in bytes to avoid counting characters.
fn truncate_line(message: &str) -> &str {
    &message[..message.floor_char_boundary(limits::LOG_LINE)]
}

impl log::Host for InstanceState {
    fn write(&mut self, level: log::Level, message: String) {
        self.log(level, &message);
    }
}

impl types::Host for InstanceState {}

impl workspace::Host for InstanceState {
    fn stat(&mut self, path: String) -> Option<workspace::EntryKind> {
        self.workspace.as_ref()?.stat(&path).map(entry_kind)
    }

    fn read(&mut self, path: String) -> Result<String, workspace::Denial> {
        let exists = self.workspace.as_ref().and_then(|files| files.stat(&path))
            == Some(marquetry_model::ports::EntryKind::File);
        if !exists {
            return Err(workspace::Denial::NotFound);
        }
        let files = self.readable(&path).ok_or(workspace::Denial::NotGranted)?;
        files.read(&path).map(|source| source.text.to_string()).map_err(|error| read_denial(error.kind()))
    }

    fn entries(&mut self, path: String) -> Vec<workspace::Entry> {
        let Some(files) = &self.workspace else { return Vec::new() };
        files.entries(&path).into_iter().map(|(name, kind)| workspace::Entry { name, kind: entry_kind(kind) }).collect()
    }

    fn version(&mut self, path: String) -> Option<u64> {
        // The empty path names no file: its version is the number of the snapshot.
        let files = if path.is_empty() { self.workspace.as_ref()? } else { self.readable(&path)? };
        files.version(&path)
    }

    fn exporters(&mut self, name: String) -> Vec<String> {
        self.workspace.as_ref().map_or_else(Vec::new, |files| files.exporters(&name))
    }

    fn layout(&mut self) -> u64 {
        self.workspace.as_ref().map_or_else(new_layout, |files| files.layout())
    }
}

fn read_denial(kind: Kind) -> workspace::Denial {
    match kind {
        Kind::FileNotFound => workspace::Denial::NotFound,
        Kind::LimitExceeded => workspace::Denial::TooLarge,
        Kind::PermissionDenied => workspace::Denial::NotGranted,
        _ => workspace::Denial::NotText,
    }
}

fn entry_kind(kind: marquetry_model::ports::EntryKind) -> workspace::EntryKind {
    match kind {
        marquetry_model::ports::EntryKind::File => workspace::EntryKind::File,
        marquetry_model::ports::EntryKind::Directory => workspace::EntryKind::Directory,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Cache;

    fn state() -> InstanceState {
        InstanceState {
            plugin: "p".to_owned(),
            memory: InstanceMemory::default(),
            blocks: Blocks::default(),
            output: GuestOutput::default(),
            logs: PluginLogs::new(Cache::new(None)),
            workspace: None,
            file_access: FileAccess::default(),
            transfer_limit: 0,
            deadline: Deadline::begin(Duration::from_secs(1)),
        }
    }

    #[test]
    fn output_is_logged_line_by_line() {
        let mut state = state();
        state.print(b"one\ntw");
        assert_eq!((state.output.lines().join("|").as_str(), state.output.count()), ("one|tw", 1));
        state.print(b"o\n\n   \n");
        assert_eq!(
            (state.output.lines().join("|").as_str(), state.output.count()),
            ("one|two", 2),
            "empty lines are not logged"
        );
        state.print(&[0xFF, b'\n']);
        assert_eq!(state.output.reason().map(|reason| reason.line).as_deref(), Some("\u{FFFD}"));
    }

    #[test]
    fn failure_includes_the_error_of_the_guest() {
        let mut state = state();
        state.print(b"thread main panicked at a.rs:1:\non purpose\nnote: run with `RUST_BACKTRACE=1`\n");
        let failed = call_failure(&state, &wasmtime::format_err!("unreachable"), "opening a.x");
        assert!(failed.retry);
        assert_eq!(
            failed.error.content().message,
            "plugin `p` failed while opening a.x: unreachable; it reported: on purpose"
        );
        state.output.begin();
        state.print(
            b"reading\nReferenceError: x is not defined\n    at edit (pack.js:3:1)\nRedirecting call to abort()\n",
        );
        let error = call_failure(&state, &wasmtime::format_err!("unreachable"), "editing a.x").error;
        let content = error.content();
        assert!(content.message.ends_with("; it reported: ReferenceError: x is not defined"), "{}", content.message);
        let hint = content.hint.as_deref().unwrap_or_default();
        assert!(hint.contains("`marq plugin logs p`") && hint.contains("\n        at edit (pack.js:3:1)\n"), "{hint}");
    }

    #[test]
    fn output_of_a_guest_cannot_forge_host_lines() {
        let mut state = state();
        state.log(log::Level::Error, "error: \u{1b}[31mred\r\nundo with: `marq undo 1-fake`\n\n  tail\tx");
        assert_eq!(
            state.output.lines(),
            ["error: \\u{1b}[31mred", "undo with: `marq undo 1-fake`", "  tail\tx"],
            "each line must be a separate log line"
        );
        let error = call_failure(&state, &wasmtime::format_err!("a variant `x\n\u{1b}[2J`"), "opening a.x").error;
        let content = error.content();
        assert_eq!(
            content.message,
            "plugin `p` failed while opening a.x: a variant `x\\n\\u{1b}[2J`; it reported: error: \\u{1b}[31mred"
        );
        let hint = content.hint.as_deref().unwrap_or_default();
        assert!(hint.lines().skip(1).all(|line| line.starts_with("    ")), "{hint}");
        // The output ends without a line break.
        state.output.begin();
        state.print(b"\x00\x1b[2J\rx");
        let error = call_failure(&state, &wasmtime::format_err!("unreachable"), "opening a.x").error;
        assert_eq!(
            error.content().message,
            "plugin `p` failed while opening a.x: unreachable; it reported: \\u{0}\\u{1b}[2J\\rx"
        );
    }

    #[test]
    fn exceeded_limit_is_not_retried() {
        let mut state = state();
        (state.memory.allowed, state.memory.refused_bytes) = (64 << 20, Some(100 << 20));
        let too_much = call_failure(&state, &wasmtime::format_err!("x"), "outlining a.x");
        assert!(!too_much.retry);
        let message = "plugin `p` needs 100 MiB of memory while outlining a.x; its limit is 64 MiB";
        assert_eq!(too_much.error.content().message, message);
        state.memory.refused_bytes = None;
        state.memory.total_exceeded = true;
        let crowded = call_failure(&state, &Trap::UnreachableCodeReached.into(), "outlining a.x");
        assert_eq!((crowded.retry, crowded.error.kind()), (false, Kind::LimitExceeded));
        state.memory.total_exceeded = false;
        let stopped = |passed| call_failure(&state, &wasmtime::Error::new(TimeExceeded(passed)), "outlining a.x");
        let too_long = stopped(ExceededLimit::CpuTime(Duration::from_secs(10)));
        assert_eq!((too_long.retry, too_long.blame), (false, Blame::Document));
        assert_eq!(
            too_long.error.content().message,
            "plugin `p` was stopped while outlining a.x: it took too long (more than 10 s of CPU time)"
        );
        let waited = stopped(ExceededLimit::WallTime(Duration::from_secs(130)));
        assert_eq!((waited.retry, waited.blame, waited.error.kind()), (false, Blame::Nobody, Kind::LimitExceeded));
        let trap = call_failure(&state, &Trap::UnreachableCodeReached.into(), "x");
        assert_eq!((trap.retry, trap.blame), (true, Blame::Plugin));
        assert_eq!(call_failure(&state, &Trap::StackOverflow.into(), "x").blame, Blame::Document);
    }

    #[test]
    fn excess_log_lines_are_dropped_and_counted() {
        let mut state = state();
        for line in 0..limits::LOG_LINES + 50 {
            state.print(format!("line {line}\n").as_bytes());
        }
        assert_eq!(state.output.count(), limits::LOG_LINES + 50);
        let last = format!("line {}", limits::LOG_LINES + 49);
        let reason = state.output.reason().expect("there are lines").line;
        assert_eq!(reason, last, "the last line must be kept, because it explains a trap");
    }

    #[test]
    fn workspace_functions_without_workspace_find_nothing() {
        use workspace::Host;
        let mut state = state();
        assert!(state.stat("a".to_owned()).is_none());
        assert_eq!(state.read("a".to_owned()), Err(workspace::Denial::NotFound));
        assert!(state.entries(String::new()).is_empty());
    }
}
