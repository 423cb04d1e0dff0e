//! Compiles plugins in a separate process, because a hostile module can make a compiler use any amount of memory and
//! time. The program starts itself once for each plugin, with resource limits of the system. A program that embeds this
//! crate either names such a program or compiles in its own process, where only the size of functions is limited.

use std::{
    io::{Read, Write},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Condvar, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, limits};
use serde::{Deserialize, Serialize};
use wasmtime::Engine;

use crate::{engine, identify, versions::adapt_component};

/// Command line of a program that only calls [`compile_for_parent`].
#[derive(Debug, Clone)]
pub struct Compiler {
    /// The executable.
    pub program: PathBuf,
    /// The arguments of the executable.
    pub arguments: Vec<String>,
}

/// Header that a compiler process writes before the code.
#[derive(Debug, Serialize, Deserialize)]
struct ResultHeader {
    /// The error message, if compiling failed.
    failure: Option<String>,
}

/// Maximum number of compiler processes at the same time, as each may use much memory.
const MAX_PROCESSES: usize = 2;
/// Interval at which a compiler process is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Time in which a compiler process must exit after it has closed its output.
const EXIT_TIME: Duration = Duration::from_secs(5);
/// Maximum length of the header line, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 10;

static BUSY: Mutex<usize> = Mutex::new(0);
static FREE: Condvar = Condvar::new();

/// Permit for one compiler process, released when dropped.
struct ProcessPermit;

impl ProcessPermit {
    fn wait() -> ProcessPermit {
        let mut busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
        while *busy >= MAX_PROCESSES {
            busy = FREE.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        *busy += 1;
        ProcessPermit
    }
}

impl Drop for ProcessPermit {
    fn drop(&mut self) {
        *BUSY.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        FREE.notify_one();
    }
}

/// A child process that is killed when dropped.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // A process that has already exited must still be waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Compiler {
    /// Compiles the bytes of a plugin to machine code.
    ///
    /// # Errors
    /// Fails if the plugin cannot be compiled; `LimitExceeded` if that needs too much memory or time.
    pub(crate) fn compile(&self, plugin: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let _place = ProcessPermit::wait();
        let failed = |error: std::io::Error| {
            Error::internal(format!("the process that compiles plugins cannot be started: {error}"))
        };
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // The compiler needs no environment variables, so it gets none.
        #[cfg(unix)]
        command.env_clear();
        let mut apart = ChildGuard(command.spawn().map_err(failed)?);
        let (input, output) = (apart.0.stdin.take(), apart.0.stdout.take());
        let (Some(mut input), Some(output)) = (input, output) else { return Err(Error::internal("no pipe")) };
        let (sends, answers) = mpsc::channel();
        let end = thread::scope(|scope| {
            // Write errors are ignored: if the process has exited, there is no answer, which is reported below.
            scope.spawn(move || input.write_all(bytes).ok());
            scope.spawn(move || {
                let mut answer = Vec::new();
                let read =
                    output.take(limits::COMPILED_BYTES as u64 + MAX_HEADER_BYTES as u64).read_to_end(&mut answer);
                // The receiver may be gone.
                let _ = sends.send(read.map(|_| answer).unwrap_or_default());
            });
            let started = Instant::now();
            let end = loop {
                match answers.recv_timeout(POLL_INTERVAL) {
                    Ok(answer) => break ProcessEnd::answered(&mut apart, answer),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break ProcessEnd::Exited(apart.exit_status()),
                    Err(mpsc::RecvTimeoutError::Timeout) if started.elapsed() < limits::COMPILE_WALL => {}
                    Err(mpsc::RecvTimeoutError::Timeout) => break ProcessEnd::TimedOut,
                }
            };
            // Killing the process closes its pipes, which ends the threads.
            let _ = apart.0.kill();
            end
        });
        parse_result(plugin, end)
    }
}

impl ChildGuard {
    /// Returns the exit status of a process that has closed its output. `None` if it does not exit.
    fn exit_status(&mut self) -> Option<ExitStatus> {
        let started = Instant::now();
        while started.elapsed() < EXIT_TIME {
            match self.0.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => thread::sleep(POLL_INTERVAL),
                Err(_) => return None,
            }
        }
        None
    }
}

/// The end of a compiler process.
#[derive(Debug)]
enum ProcessEnd {
    /// The process wrote an answer: the header, the length of its line, and all bytes.
    Answered(ResultHeader, usize, Vec<u8>),
    /// The process ended without an answer.
    Exited(Option<ExitStatus>),
    /// The process was still running after the wall time limit.
    TimedOut,
}

impl ProcessEnd {
    fn answered(process: &mut ChildGuard, answer: Vec<u8>) -> ProcessEnd {
        let end = header_end(&answer);
        let header = end.and_then(|end| serde_json::from_slice(&answer[..end]).ok().map(|header| (header, end)));
        match header {
            Some((header, end)) => ProcessEnd::Answered(header, end, answer),
            None => ProcessEnd::Exited(process.exit_status()),
        }
    }
}

/// Returns the compiled code. Only a limit that the compiler itself exceeded is an error of the plugin. A process that a
/// signal interrupted, or that was still running after the wall time limit, is a transient error.
fn parse_result(plugin: &str, end: ProcessEnd) -> Result<Vec<u8>> {
    let (head, end, mut answer) = match end {
        ProcessEnd::Answered(head, end, answer) => (head, end, answer),
        ProcessEnd::Exited(Some(status)) if exceeded_limit(status) => return Err(compile_limit_error(plugin)),
        ProcessEnd::Exited(status) => return Err(interrupted_error(plugin, status)),
        ProcessEnd::TimedOut => return Err(interrupted_error(plugin, None)),
    };
    match head.failure {
        Some(failure) => Err(compile_error(plugin, &failure)),
        None if answer.len() > limits::COMPILED_BYTES => Err(compile_limit_error(plugin)),
        None => {
            answer.drain(..=end);
            Ok(answer)
        }
    }
}

/// Returns whether a process ended because of a limit: of CPU time, of memory (the allocator aborts), or of its stack.
#[cfg(unix)]
fn exceeded_limit(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;

    use rustix::process::Signal;
    let signal = status.signal();
    [Signal::XCPU, Signal::ABORT, Signal::SEGV, Signal::BUS].iter().any(|limit| signal == Some(limit.as_raw()))
}

#[cfg(not(unix))]
fn exceeded_limit(_status: ExitStatus) -> bool {
    false
}

/// Returns the end of the header line.
fn header_end(answer: &[u8]) -> Option<usize> {
    answer.iter().take(MAX_HEADER_BYTES).position(|byte| *byte == b'\n')
}

fn compile_error(plugin: &str, why: &str) -> Error {
    Error::new(Kind::PluginFailed, format!("plugin `{plugin}` cannot be compiled: {why}"))
}

fn compile_limit_error(plugin: &str) -> Error {
    let (memory, seconds) = (limits::COMPILE_MEMORY >> 20, limits::COMPILE_CPU.as_secs());
    let message =
        format!("plugin `{plugin}` cannot be compiled with {memory} MiB of memory in {seconds} s of CPU time");
    Error::new(Kind::LimitExceeded, message).hint("build it with smaller functions, or without unused code")
}

fn interrupted_error(plugin: &str, status: Option<ExitStatus>) -> Error {
    let why = status.map_or_else(|| "it took too long".to_owned(), |status| status.to_string());
    Error::internal(format!("the process that compiles plugin `{plugin}` did not finish: {why}"))
        .hint("repeat the call; close other programs if the machine has too little memory")
        .transient()
}

/// Compiles the bytes of a plugin in this process, for the target of the engine.
pub(crate) fn compile_here(engine: &Engine, plugin: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let failed = |error: wasmtime::Error| compile_error(plugin, &format!("{error:#}"));
    if identify::is_module(&bytes) {
        engine.precompile_module(&bytes).map_err(failed)
    } else {
        engine.precompile_component(&adapt_component(plugin, bytes)?).map_err(failed)
    }
}

/// Runs the compiler process: reads the bytes of a plugin, compiles them and writes the result. From this call on, the
/// memory and CPU time of the process are limited.
///
/// # Errors
/// Fails if the pipe is broken.
pub fn compile_for_parent(input: &mut dyn Read, output: &mut dyn Write) -> std::io::Result<()> {
    bound();
    let mut bytes = Vec::new();
    input.take(limits::PLUGIN_BYTES).read_to_end(&mut bytes)?;
    let made = engine::new_engine().and_then(|engine| compile_here(&engine, "", bytes));
    let failure = made.as_ref().err().map(|error| {
        let message = &error.content().message;
        message.strip_prefix("plugin `` cannot be compiled: ").unwrap_or(message).to_owned()
    });
    let head = serde_json::to_vec(&ResultHeader { failure }).map_err(std::io::Error::other)?;
    output.write_all(&head)?;
    output.write_all(b"\n")?;
    output.write_all(&made.unwrap_or_default())?;
    output.flush()
}

/// Limits the memory and CPU time of this process and disables core dumps.
#[cfg(unix)]
fn bound() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let cpu = limits::COMPILE_CPU.as_secs();
    // At the first limit of CPU time the system sends SIGXCPU, which the parent recognizes; at the second, SIGKILL.
    let most = [(Resource::As, limits::COMPILE_MEMORY, 0), (Resource::Cpu, cpu, 5), (Resource::Core, 0, 0)];
    for (resource, most, more) in most {
        // A stricter limit of the system stays in force.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most + more) });
    }
}

#[cfg(not(unix))]
fn bound() {}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let engine = engine::new_engine().expect("an engine");
        let made = compile_here(&engine, "", bytes.to_vec());
        let failure = made.as_ref().err().map(|error| error.content().message.clone());
        out.extend(serde_json::to_vec(&ResultHeader { failure }).expect("JSON"));
        out.push(b'\n');
        out.extend(made.unwrap_or_default());
        out
    }

    #[test]
    fn answers_of_the_compiler_process_are_parsed() {
        let parse = |answer: Vec<u8>| {
            let end = header_end(&answer).expect("a header");
            let header = serde_json::from_slice(&answer[..end]).expect("JSON");
            parse_result("p", ProcessEnd::Answered(header, end, answer))
        };
        let code = parse(answered(b"\0asm\x01\0\0\0")).expect("an empty module");
        let engine = engine::new_engine().expect("an engine");
        assert!(!code.is_empty() && Engine::detect_precompiled(&code).is_some());
        drop(engine);
        let error = parse(answered(b"\0asm\x01\0\0\0\xff")).expect_err("damaged");
        assert_eq!(error.kind(), Kind::PluginFailed);
        for end in [ProcessEnd::TimedOut, ProcessEnd::Exited(None)] {
            assert_eq!(parse_result("p", end).expect_err("it did not finish").kind(), Kind::Internal);
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_limits_of_the_compiler_are_faults_of_the_plugin() {
        let shell =
            |script: &str| Compiler { program: "/bin/sh".into(), arguments: vec!["-c".to_owned(), script.to_owned()] };
        for signal in ["XCPU", "ABRT", "SEGV", "BUS"] {
            let error = shell(&format!("kill -{signal} $$")).compile("p", &[0; 1 << 20]).expect_err(signal);
            assert_eq!(error.kind(), Kind::LimitExceeded, "{signal}: {error}");
        }
        let scripts = ["kill -INT $$", "kill -TERM $$", "kill -KILL $$", "kill -HUP $$", "exit 0", "exit 1"];
        for script in scripts.into_iter().chain(["cat > /dev/null; echo no", "echo '{\"failure\":3}'"]) {
            let error = shell(script).compile("p", &[0; 1 << 20]).expect_err(script);
            assert_eq!(error.kind(), Kind::Internal, "{script}: {error}");
            assert!(error.content().message.contains("did not finish"), "{script}: {error}");
        }
        let error = shell("cat > /dev/null; echo '{\"failure\":\"why\"}'").compile("p", b"x").expect_err("refused");
        assert_eq!(error.content().message, "plugin `p` cannot be compiled: why");
        let code = shell("cat > /dev/null; echo '{\"failure\":null}'; printf code").compile("p", b"x");
        assert_eq!(code, Ok(b"code".to_vec()));
        let nobody = Compiler { program: "/no/such/program".into(), arguments: Vec::new() };
        assert_eq!(nobody.compile("p", b"x").expect_err("not there").kind(), Kind::Internal);
    }
}
