//! A client of `marq mcp` over standard input and output.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::{measure::process::state_folder, shell::cache_folder};

/// An initialized session in one project.
pub(super) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

/// The part of an answer that a model sees.
#[derive(Debug)]
pub(super) struct Answer {
    pub text: String,
    pub is_error: bool,
}

impl Client {
    pub(super) fn start(program: &Path, project: &Path) -> Result<Client> {
        let mut child = Command::new(program)
            .args(["mcp", "--root", "."])
            .current_dir(project)
            .env("MARQ_STATE_DIR", state_folder(project))
            .env("MARQ_CACHE_DIR", cache_folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start `{}`", program.display()))?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        let mut client = Client { child, input, output, last_id: 0 };
        let agent = json!({ "name": "xtask", "version": "0" });
        client.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": agent }),
        )?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Calls a tool. A refused request counts as an error of the tool, because models see its message as well.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Answer> {
        let message = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        if let Some(refused) = message["error"]["message"].as_str() {
            return Ok(Answer { text: refused.to_owned(), is_error: true });
        }
        let result = &message["result"];
        let contents = result["content"].as_array().map_or(&[][..], Vec::as_slice);
        let text: Vec<&str> = contents.iter().filter_map(|content| content["text"].as_str()).collect();
        Ok(Answer { text: text.join("\n"), is_error: result["isError"] == true })
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        Ok(self.input.write_all(format!("{message}\n").as_bytes())?)
    }

    /// Sends a request and returns its response.
    fn request(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }))?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "`marq mcp` ended before it answered `{method}`");
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
