//! Starts the process group of a server, measures its memory use, and ends it.

use std::{
    collections::VecDeque,
    io::Read,
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use marquetry_model::{Error, Kind, Result, escape::quote_command};

use crate::limits;

/// A running server. Dropping it kills the process group.
pub(crate) struct Process {
    child: Mutex<Child>,
    /// True after a kill: a second one could hit a reused process ID.
    is_killed: AtomicBool,
    id: u32,
    stderr: Arc<Mutex<StderrTail>>,
}

/// The last bytes that the server printed to standard error.
#[derive(Default)]
struct StderrTail {
    last: VecDeque<u8>,
    is_over: bool,
}

impl Process {
    /// Starts a program in its own process group, with the root as working folder.
    pub(crate) fn start(command: &[String], root: &Path) -> Result<(Process, ChildStdin, ChildStdout)> {
        let failed = |why: &str| {
            Error::new(Kind::PluginFailed, format!("`{}` cannot be started: {why}", quote_command(command)))
                .hint("see `command` of the server in registry.toml; a path in it starts at the root")
        };
        let (program, arguments) = command.split_first().ok_or_else(|| failed("no command"))?;
        let path = root.join(program);
        let mut starting = Command::new(if program.contains('/') { path.as_path() } else { Path::new(program) });
        starting.args(arguments).current_dir(root);
        starting.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut starting, 0);
        let mut child = starting.spawn().map_err(|error| failed(&error.to_string()))?;
        let printed: Arc<Mutex<StderrTail>> = Arc::default();
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Process {
            id: child.id(),
            child: Mutex::new(child),
            is_killed: AtomicBool::new(false),
            stderr: Arc::clone(&printed),
        };
        let (Some(input), Some(output), Some(mut errors)) = streams else { return Err(failed("no pipes")) };
        let listen = move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = errors.read(&mut buffer) {
                let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
                printed.last.extend(&buffer[..count]);
                let surplus = printed.last.len().saturating_sub(limits::STDERR_BYTES);
                printed.last.drain(..surplus);
            }
            printed.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
        };
        thread::Builder::new()
            .name("server-errors".to_owned())
            .spawn(listen)
            .map_err(|error| failed(&error.to_string()))?;
        Ok((process, input, output))
    }

    /// Returns the last line of standard error. Waits for all output if the process has exited.
    pub(crate) fn last_stderr_line(&self) -> String {
        let until = Instant::now() + limits::SHUTDOWN_TIMEOUT;
        let printed = loop {
            let printed = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
            if printed.is_over || !self.has_ended() || Instant::now() >= until {
                break printed.last.iter().copied().collect::<Vec<u8>>();
            }
            drop(printed);
            thread::sleep(Duration::from_millis(5));
        };
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let last = printed.lines().rev().map(str::trim).find(|line| !line.is_empty());
        last.unwrap_or_default().chars().take(200).collect()
    }

    /// Memory of all processes in the group in bytes. `None` if this system does not report it.
    pub(crate) fn memory(&self) -> Option<u64> {
        let mut sum = None;
        for entry in std::fs::read_dir("/proc").ok()?.flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
            let Ok(stat) = std::fs::read_to_string(format!("/proc/{id}/stat")) else { continue };
            // The program name is in parentheses and may contain anything. It is followed by the state, parent and
            // group.
            let fields: Vec<&str> =
                stat.rsplit_once(')').map_or(Vec::new(), |(_, rest)| rest.split_whitespace().collect());
            if fields.get(2).and_then(|group| group.parse::<u32>().ok()) != Some(self.id) {
                continue;
            }
            let pages: u64 = fields.get(21).and_then(|pages| pages.parse().ok()).unwrap_or(0);
            *sum.get_or_insert(0) += pages * page_size();
        }
        sum
    }

    /// Returns whether the process has exited.
    pub(crate) fn has_ended(&self) -> bool {
        !matches!(self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait(), Ok(None))
    }

    /// Waits for the process to exit, but at most for `time`.
    pub(crate) fn wait(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.has_ended() && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills the process group.
    pub(crate) fn kill(&self) {
        if self.is_killed.swap(true, Ordering::SeqCst) {
            return;
        }
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.id).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn page_size() -> u64 {
    #[cfg(unix)]
    return rustix::param::page_size() as u64;
    #[cfg(not(unix))]
    4096
}
