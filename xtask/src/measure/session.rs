//! A `marq rpc --stdio` process, to measure calls to a host that is already running.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::process::{peak_memory, state_folder};
use crate::shell::cache_folder;

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
        command.env("MARQ_STATE_DIR", state_folder(folder)).env("MARQ_CACHE_DIR", cache_folder());
        Session::start_command(&mut command)
    }

    /// Starts the host with this command.
    pub(crate) fn start_command(command: &mut Command) -> Result<Session> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        Ok(Session { child, input, output, id: 0 })
    }

    /// Makes a call and returns its milliseconds.
    pub(crate) fn call_time(&mut self, method: &str, params: &Value) -> Result<f64> {
        Ok(self.call(method, params)?.0)
    }

    /// Makes a call. Returns its milliseconds and its response line.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Result<(f64, String)> {
        let (time, line) = self.exchange(method, params)?;
        if !line.contains("\"result\"") {
            bail!("{method} {params}: {}", line.chars().take(300).collect::<String>());
        }
        Ok((time, line))
    }

    /// Makes a call. Returns its result, or its error if it was refused.
    pub(crate) fn result(&mut self, method: &str, params: &Value) -> Result<std::result::Result<Value, Value>> {
        let (_, line) = self.exchange(method, params)?;
        let mut answer: Value = serde_json::from_str(&line).with_context(|| format!("{method} {params}: {line}"))?;
        Ok(match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].take()),
        })
    }

    /// Sends a request. Returns its milliseconds and the line of the response.
    fn exchange(&mut self, method: &str, params: &Value) -> Result<(f64, String)> {
        self.id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }).to_string() + "\n";
        let started = Instant::now();
        self.input.write_all(request.as_bytes())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok((started.elapsed().as_secs_f64() * 1e3, line))
    }

    /// Peak resident set size so far in MiB.
    pub(crate) fn peak_memory(&self) -> u64 {
        peak_memory(self.child.id())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // All figures are recorded; there is no need to wait for an orderly shutdown.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
