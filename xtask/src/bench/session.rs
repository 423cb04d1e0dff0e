//! A running `marq rpc --stdio`: what a warm host answers in.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::process::{cache, state};

/// A running host.
pub(crate) struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Session {
    pub(crate) fn start(marq: &Path, folder: &Path) -> Result<Session> {
        let mut command = Command::new(marq);
        command.args(["rpc", "--stdio"]).current_dir(folder);
        command.env("MARQ_STATE_DIR", state(folder)).env("MARQ_CACHE_DIR", cache(folder));
        Session::over(&mut command)
    }

    /// The host that a command starts.
    pub(crate) fn over(command: &mut Command) -> Result<Session> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        Ok(Session { child, input, output, id: 0 })
    }

    /// One call, in milliseconds.
    pub(crate) fn timed(&mut self, method: &str, params: &Value) -> Result<f64> {
        Ok(self.call(method, params)?.0)
    }

    /// One call: milliseconds, and the line that came back.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Result<(f64, String)> {
        self.id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }).to_string() + "\n";
        let started = Instant::now();
        self.input.write_all(request.as_bytes())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let time = started.elapsed().as_secs_f64() * 1e3;
        if !line.contains("\"result\"") {
            bail!("{method} {params}: {}", line.chars().take(300).collect::<String>());
        }
        Ok((time, line))
    }

    /// The largest resident set so far, in MiB; zero where the system does not say.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It ends by itself when its input does; the figures are taken.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
