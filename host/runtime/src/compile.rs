//! Compiling plugins apart from the process that answers calls: a hostile module can make a compiler take any memory and time. A
//! program that can start itself compiles each plugin in a process with bounds of the system. Whoever embeds this crate names such
//! a program, or compiles in its own process, where nothing but the sizes of functions bounds a compiler.

use std::{
    io::{Read, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Condvar, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, limits};
use serde::{Deserialize, Serialize};
use wasmtime::{Engine, Module, component::Component};

use crate::{code::Code, engine, identify};

/// How to start the program that compiles: it calls [`compile_for_parent`] and nothing else.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// Its file.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// What a compiling process says before the code.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// Why there is no code, if there is none.
    failure: Option<String>,
}

/// Processes that compile at once: each may take much memory.
const AT_ONCE: usize = 2;
/// How often it is looked at a process that compiles.
const LOOK: Duration = Duration::from_millis(10);
/// Bytes of the line before the code.
const LONGEST_HEAD: usize = 64 << 10;

static BUSY: Mutex<usize> = Mutex::new(0);
static FREE: Condvar = Condvar::new();

/// A place among the processes that compile, until it is dropped.
struct Place;

impl Place {
    fn wait() -> Place {
        let mut busy = BUSY.lock().unwrap_or_else(PoisonError::into_inner);
        while *busy >= AT_ONCE {
            busy = FREE.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
        *busy += 1;
        Place
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *BUSY.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        FREE.notify_one();
    }
}

/// A process that ends with its parent's interest in it.
struct Apart(Child);

impl Drop for Apart {
    fn drop(&mut self) {
        // One that has ended needs no signal, and is waited for all the same.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Compiler {
    /// Machine code from the bytes of a plugin.
    ///
    /// # Errors
    /// It cannot be compiled; `LimitExceeded`, where it takes too much.
    pub(crate) fn compile(&self, plugin: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let _place = Place::wait();
        let failed = |error: std::io::Error| {
            Error::internal(format!("the process that compiles plugins cannot be started: {error}"))
        };
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Nothing of the environment is of use to a compiler.
        #[cfg(unix)]
        command.env_clear();
        let mut apart = Apart(command.spawn().map_err(failed)?);
        let (input, output) = (apart.0.stdin.take(), apart.0.stdout.take());
        let (Some(mut input), Some(output)) = (input, output) else { return Err(Error::internal("no pipe")) };
        let (sends, answers) = mpsc::channel();
        let answer = thread::scope(|scope| {
            // A process that ended before it was asked has nothing to answer either.
            scope.spawn(move || input.write_all(bytes).ok());
            scope.spawn(move || {
                let mut answer = Vec::new();
                let read = output.take(limits::COMPILED as u64 + LONGEST_HEAD as u64).read_to_end(&mut answer);
                // Whoever waited may be gone.
                let _ = sends.send(read.map(|_| answer).unwrap_or_default());
            });
            let started = Instant::now();
            let answer = loop {
                match answers.recv_timeout(LOOK) {
                    Ok(answer) => break Some(answer),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break Some(Vec::new()),
                    Err(mpsc::RecvTimeoutError::Timeout) if started.elapsed() < limits::COMPILE_WALL => {}
                    Err(mpsc::RecvTimeoutError::Timeout) => break None,
                }
            };
            // Its pipes end with it, and so do the threads at their other ends.
            let _ = apart.0.kill();
            answer
        });
        understood(plugin, answer)
    }
}

/// What a process answered. One that ended without an answer was ended by the system.
fn understood(plugin: &str, answer: Option<Vec<u8>>) -> Result<Vec<u8>> {
    let head = answer.as_ref().and_then(|answer| memchr(answer));
    let (Some(mut answer), Some(end)) = (answer, head) else { return Err(too_much(plugin)) };
    let Ok(head) = serde_json::from_slice::<Head>(&answer[..end]) else { return Err(too_much(plugin)) };
    match head.failure {
        Some(failure) => Err(cannot_be(plugin, &failure)),
        None if answer.len() > limits::COMPILED => Err(too_much(plugin)),
        None => {
            answer.drain(..=end);
            Ok(answer)
        }
    }
}

/// Where the line before the code ends.
fn memchr(answer: &[u8]) -> Option<usize> {
    answer.iter().take(LONGEST_HEAD).position(|byte| *byte == b'\n')
}

fn cannot_be(plugin: &str, why: &str) -> Error {
    Error::new(Kind::PluginFailed, format!("plugin `{plugin}` cannot be compiled: {why}"))
}

fn too_much(plugin: &str) -> Error {
    let (memory, seconds) = (limits::COMPILE_MEMORY >> 20, limits::COMPILE_CPU.as_secs());
    let message =
        format!("plugin `{plugin}` cannot be compiled with {memory} MiB of memory in {seconds} s of CPU time");
    Error::new(Kind::LimitExceeded, message).hint("build it with smaller functions, or without what it does not need")
}

/// Machine code from the bytes of a plugin, made in this process.
pub(crate) fn compile_here(engine: &Engine, plugin: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let failed = |error: wasmtime::Error| cannot_be(plugin, &format!("{error:#}"));
    if identify::is_module(&bytes) {
        Module::compiled(engine, plugin, bytes)?.and_then(|code| code.kept()).map_err(failed)
    } else {
        Component::compiled(engine, plugin, bytes)?.and_then(|code| code.kept()).map_err(failed)
    }
}

/// The other side of the pipe: compile the plugin whose bytes come in, and write what comes of it. This process takes no more memory
/// and CPU time from here on than compiling may.
///
/// # Errors
/// The pipe is broken.
pub fn compile_for_parent(input: &mut dyn Read, output: &mut dyn Write) -> std::io::Result<()> {
    bound();
    let mut bytes = Vec::new();
    input.take(limits::PLUGIN).read_to_end(&mut bytes)?;
    let made = engine::new_engine().and_then(|engine| compile_here(&engine, "", bytes));
    let failure = made.as_ref().err().map(|error| {
        let message = &error.content().message;
        message.strip_prefix("plugin `` cannot be compiled: ").unwrap_or(message).to_owned()
    });
    let head = serde_json::to_vec(&Head { failure }).map_err(std::io::Error::other)?;
    output.write_all(&head)?;
    output.write_all(b"\n")?;
    output.write_all(&made.unwrap_or_default())?;
    output.flush()
}

/// From here on this process gets no more memory and CPU time than compiling may take, and leaves no image of it behind.
#[cfg(unix)]
fn bound() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let most =
        [(Resource::As, limits::COMPILE_MEMORY), (Resource::Cpu, limits::COMPILE_CPU.as_secs()), (Resource::Core, 0)];
    for (resource, most) in most {
        // Where the system bounds more than this already, that stands.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
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
        out.extend(serde_json::to_vec(&Head { failure }).expect("JSON"));
        out.push(b'\n');
        out.extend(made.unwrap_or_default());
        out
    }

    #[test]
    fn answers_of_a_compiling_process_are_understood() {
        let code = understood("p", Some(answered(b"\0asm\x01\0\0\0"))).expect("an empty module");
        let engine = engine::new_engine().expect("an engine");
        assert!(!code.is_empty() && Engine::detect_precompiled(&code).is_some());
        drop(engine);
        let error = understood("p", Some(answered(b"\0asm\x01\0\0\0\xff"))).expect_err("damaged");
        assert_eq!(error.kind(), Kind::PluginFailed);
        for ended in [None, Some(Vec::new()), Some(b"no line".to_vec()), Some(b"no JSON\n".to_vec())] {
            let error = understood("p", ended).expect_err("ended by the system");
            assert_eq!(error.kind(), Kind::LimitExceeded);
            assert!(error.content().message.contains("plugin `p` cannot be compiled with"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn process_that_ends_or_says_nothing_is_a_limit() {
        let shell =
            |script: &str| Compiler { program: "/bin/sh".into(), arguments: vec!["-c".to_owned(), script.to_owned()] };
        for script in ["exit 0", "kill -9 $$", "cat > /dev/null; echo no", "echo '{\"failure\":3}'"] {
            let error = shell(script).compile("p", &[0; 1 << 20]).expect_err(script);
            assert_eq!(error.kind(), Kind::LimitExceeded, "{script}: {error}");
        }
        let error = shell("cat > /dev/null; echo '{\"failure\":\"why\"}'").compile("p", b"x").expect_err("refused");
        assert_eq!(error.content().message, "plugin `p` cannot be compiled: why");
        let code = shell("cat > /dev/null; echo '{\"failure\":null}'; printf code").compile("p", b"x");
        assert_eq!(code, Ok(b"code".to_vec()));
        let nobody = Compiler { program: "/no/such/program".into(), arguments: Vec::new() };
        assert_eq!(nobody.compile("p", b"x").expect_err("not there").kind(), Kind::Internal);
    }
}
