//! A transcript of calls of Extism modules with the answers of two hosts. Used by the oracle, which runs Extism's own
//! host, and by the tests of the sandbox, which run ours. Independent of both.
//!
//! ```text
//! ==== the name of a module
//! settings {"name": "value"}
//! (func (export "greet") (result i32) … (call $done))
//! # Why ours answers something else.
//! > greet "the input"
//! warn "a line of its log"
//! < "the output"
//! ~ ! "why the call fails in ours"
//! ```
//!
//! The lines up to the first call are a module, which follows [`PRELUDE`]. Lines with `~` are answers of our host that
//! differ from Extism's; a comment before the call explains why.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::Value;
use tracing::{Event, Metadata, Subscriber, field, span};

/// The beginning of every module.
const PRELUDE: &str = include_str!("prelude.wat");
/// The maximum memory of a module, in WebAssembly pages. Small, so that the limit is reached quickly.
pub(crate) const PAGES: u32 = 512;
/// The log levels.
pub(crate) const LEVELS: [&str; 5] = ["trace", "debug", "info", "warn", "error"];
/// The prefix of our host's answers.
const OURS: &str = "~ ";

/// A log line: its level and message.
pub(crate) type Line = (String, String);

/// A host that runs one Extism module.
pub(crate) trait Host {
    /// Calls a function. Returns the log, and the output or the error.
    fn call(&mut self, function: &str, input: &[u8]) -> (Vec<Line>, Result<Vec<u8>, String>);
}

/// The host whose answers are recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "each of the two programs that read this is one of them")]
pub(crate) enum Side {
    Extism,
    Ours,
}

/// A module before it is started.
#[derive(Default)]
pub(crate) struct Module {
    /// The text of the module, without the prelude.
    text: String,
    /// The configuration of the module.
    pub(crate) settings: Value,
}

impl Module {
    /// Compiles the module.
    ///
    /// # Panics
    /// Panics if the text is invalid, as transcripts are written by hand.
    pub(crate) fn wasm(&self) -> Vec<u8> {
        // Imports must come first.
        let (imports, rest): (Vec<&str>, Vec<&str>) =
            self.text.lines().partition(|line| line.trim_start().starts_with("(import"));
        let head = PRELUDE.replacen("...", &imports.join("\n"), 1);
        let text = format!("{head}{}\n)", rest.join("\n"));
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// Replaces the recorded answers of one host with the actual ones. `start` starts a module.
///
/// # Panics
/// Panics if the transcript is invalid, or a difference is not explained.
pub(crate) fn replay(text: &str, side: Side, mut start: impl FnMut(&Module) -> Box<dyn Host>) -> String {
    let mut module = Module::default();
    let mut host: Option<Box<dyn Host>> = None;
    let mut out: Vec<String> = Vec::new();
    let mut lines = text.lines().peekable();
    let mut said_why = false;
    let mut unexplained: Vec<String> = Vec::new();
    while let Some(line) = lines.next() {
        out.push(line.to_owned());
        if line.starts_with("==== ") {
            (module, host) = (Module { settings: serde_json::json!({}), ..Module::default() }, None);
        } else if let Some(call) = line.strip_prefix("> ") {
            let mut known = Vec::new();
            while let Some(line) = lines.next_if(|line| is_answer(line)) {
                known.push(line.to_owned());
            }
            let (function, input) = call.split_once(' ').expect("a function and its input");
            let host = host.get_or_insert_with(|| start(&module));
            let answer = answer(host.as_mut(), function, &serde_json::from_str::<String>(input).expect("an input"));
            let (ours, extisms): (Vec<String>, Vec<String>) =
                known.into_iter().partition(|line| line.starts_with(OURS));
            let (ours, extisms) = match side {
                Side::Extism => (ours, answer),
                Side::Ours if answer == extisms => (Vec::new(), extisms),
                Side::Ours => (answer.iter().map(|line| format!("{OURS}{line}")).collect(), extisms),
            };
            if !ours.is_empty() && !said_why {
                unexplained.push([&[line.to_owned()][..], &extisms, &ours].concat().join("\n"));
            }
            out.extend(extisms);
            out.extend(ours);
        } else if let Some(settings) = line.strip_prefix("settings ") {
            module.settings = serde_json::from_str(settings).expect("settings");
        } else if host.is_none() && !line.starts_with('#') {
            module.text.push_str(line);
            module.text.push('\n');
        }
        said_why = line.starts_with('#');
    }
    assert!(
        unexplained.is_empty(),
        "our host answers differently, and no comment before the call explains why:\n{}",
        unexplained.join("\n")
    );
    out.join("\n") + "\n"
}

fn is_answer(line: &str) -> bool {
    let (word, _) = line.split_once(' ').unwrap_or((line, ""));
    ["<", "!", "~"].contains(&word) || LEVELS.contains(&word)
}

/// Formats an answer as lines.
fn answer(host: &mut dyn Host, function: &str, input: &str) -> Vec<String> {
    let (log, ended) = host.call(function, input.as_bytes());
    let mut lines: Vec<String> = log.iter().map(|(level, line)| format!("{level} {}", quoted(line))).collect();
    lines.push(match ended {
        Ok(output) => format!("< {}", quoted(&String::from_utf8_lossy(&output))),
        Err(why) => format!("! {}", quoted(&why)),
    });
    lines
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Runs a function. Returns its result and the log lines with this target.
pub(crate) fn logged<T>(target: &'static str, run: impl FnOnce() -> T) -> (T, Vec<Line>) {
    let lines = Lines::default();
    let done = tracing::subscriber::with_default(Log { target, lines: Arc::clone(&lines) }, run);
    let lines = std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner));
    (done, lines)
}

type Lines = Arc<Mutex<Vec<Line>>>;

/// A log that is kept in memory.
struct Log {
    target: &'static str,
    lines: Lines,
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        if metadata.target() == self.target {
            let mut message = Message::default();
            event.record(&mut message);
            let level = metadata.level().as_str().to_ascii_lowercase();
            self.lines.lock().unwrap_or_else(PoisonError::into_inner).push((level, message.0));
        }
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The message of an event.
#[derive(Default)]
struct Message(String);

impl field::Visit for Message {
    fn record_debug(&mut self, field: &field::Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
