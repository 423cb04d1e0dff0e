//! Renders templates in a separate process, where the system limits their memory. The process is killed if the call is
//! cancelled or takes too long.

use std::{
    io::{Read, Write},
    process::{Child, Command, ExitCode, Stdio},
    sync::{Condvar, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, Work, limits, ports::Templates};
use marquetry_tools::TemplateEngine;
use serde_json::{Value, json};

use crate::subprocess;

/// The hidden command that renders a template.
pub(crate) const COMMAND: &str = "render-template";
/// Interval at which a call checks for cancellation.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum bytes of an answer. Escaping in JSON can make the text six times as long; the rest of the answer is small.
const MAX_ANSWER_BYTES: u64 = 6 * limits::TEMPLATE_TEXT as u64 + (1 << 16);

/// Renders templates in separate processes.
#[derive(Debug, Default)]
pub(crate) struct SubprocessTemplates {
    /// Number of running processes.
    running: Mutex<usize>,
    free: Condvar,
}

/// Permit for one process, released when dropped.
struct ProcessPermit<'a>(&'a SubprocessTemplates);

impl Drop for ProcessPermit<'_> {
    fn drop(&mut self) {
        *self.0.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.free.notify_one();
    }
}

/// A child process that is killed when dropped.
struct Renderer(Child);

impl Drop for Renderer {
    fn drop(&mut self) {
        // A process that has already exited must still be waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl SubprocessTemplates {
    fn acquire(&self, work: &Work) -> Result<ProcessPermit<'_>> {
        let mut busy = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while *busy >= limits::CONCURRENT_TEMPLATES {
            work.check()?;
            busy = self.free.wait_timeout(busy, CHECK_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        }
        *busy += 1;
        drop(busy);
        Ok(ProcessPermit(self))
    }
}

impl Templates for SubprocessTemplates {
    fn render(&self, template: &str, values: &str, work: &Work) -> Result<String> {
        let _place = self.acquire(work)?;
        let failed = |error: std::io::Error| {
            Error::internal(format!("the process that renders templates cannot be started: {error}"))
        };
        let mut renderer = Renderer(start_process().map_err(failed)?);
        let (input, output) = (renderer.0.stdin.take(), renderer.0.stdout.take());
        let (Some(mut input), Some(output)) = (input, output) else { return Err(Error::internal("no pipe")) };
        let question = json!({ "template": template, "values": values }).to_string();
        // Write errors are ignored: a process that has exited does not answer either.
        thread::spawn(move || input.write_all(question.as_bytes()).ok());
        let (sends, answers) = mpsc::channel();
        thread::spawn(move || {
            let mut answer = Vec::new();
            let read = output.take(MAX_ANSWER_BYTES).read_to_end(&mut answer);
            // The receiver may be gone.
            let _ = sends.send(read.map(|_| answer));
        });
        let started = Instant::now();
        let answer = loop {
            match answers.recv_timeout(CHECK_INTERVAL) {
                Ok(answer) => break answer.unwrap_or_default(),
                Err(mpsc::RecvTimeoutError::Disconnected) => break Vec::new(),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            work.check()?;
            if started.elapsed() > limits::TEMPLATE_TIME {
                return Err(limit_error(format!("takes more than {} s", limits::TEMPLATE_TIME.as_secs())));
            }
        };
        // A signal of the terminal also ends the renderer, whose answer is then missing, so cancellation is checked
        // first.
        work.check()?;
        parse_answer(&answer)
    }
}

fn limit_error(what: String) -> Error {
    Error::new(Kind::LimitExceeded, format!("the template {what}")).hint("give `content` instead")
}

/// Parses the answer of a process. If it is invalid, the system is assumed to have killed the process for lack of
/// memory.
fn parse_answer(answer: &[u8]) -> Result<String> {
    let Ok(mut answer) = serde_json::from_slice::<Value>(answer) else {
        return Err(limit_error(format!("needs more than {} MiB of memory", limits::TEMPLATE_MEMORY >> 20)));
    };
    if let Value::String(text) = answer["text"].take() {
        return Ok(text);
    }
    let field = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
    let known = [Kind::LimitExceeded, Kind::InvalidArgument];
    let kind = known.into_iter().find(|kind| answer["kind"] == kind.name()).unwrap_or(Kind::Internal);
    let error = Error::new(kind, field("message"));
    Err(if answer["hint"].is_string() { error.hint(field("hint")) } else { error })
}

fn start_process() -> std::io::Result<Child> {
    let mut command = Command::new(subprocess::executable()?);
    command.arg(COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A template needs no environment variables.
    #[cfg(unix)]
    command.env_clear();
    command.spawn()
}

/// Runs the renderer process: reads a template and writes the result.
pub(crate) fn run_renderer() -> ExitCode {
    limit_memory();
    let mut question = String::new();
    let read = std::io::stdin().lock().read_to_string(&mut question);
    let question: Value = serde_json::from_str(&question).unwrap_or_default();
    let field = |key: &str| question[key].as_str().unwrap_or_default();
    let rendered = read
        .map_err(|error| Error::internal(error.to_string()))
        .and_then(|_| TemplateEngine.render(field("template"), field("values"), &Work::default()));
    let answer = match rendered {
        Ok(text) => json!({ "text": text }),
        Err(error) => {
            let content = error.content();
            json!({ "kind": content.kind.name(), "message": content.message, "hint": content.hint })
        }
    };
    match std::io::stdout().lock().write_all(answer.to_string().as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Limits the memory of this process and disables core dumps.
#[cfg(unix)]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (resource, most) in [(Resource::As, limits::TEMPLATE_MEMORY), (Resource::Core, 0)] {
        // A stricter limit of the system stays in force.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

#[cfg(not(unix))]
fn limit_memory() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_the_template_process_are_parsed() {
        assert_eq!(parse_answer(br#"{"text":"a"}"#), Ok("a".to_owned()));
        let error = parse_answer(br#"{"kind":"InvalidArgument","message":"m","hint":"h"}"#).expect_err("an error");
        assert_eq!((error.kind(), error.content().hint.as_deref()), (Kind::InvalidArgument, Some("h")));
        for ended in [&b""[..], b"{\"text\":\"a"] {
            assert_eq!(parse_answer(ended).expect_err("it ended").kind(), Kind::LimitExceeded);
        }
    }
}
