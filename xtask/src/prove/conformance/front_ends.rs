//! The front ends: each answers calls in the same folder, with a separate state folder.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::calls::Call;
use crate::{
    plugins,
    prove::setup,
    shell::{cache_folder, top},
    tools,
};

/// The name that all front ends give as caller.
const CLIENT: &str = "conformance";

/// A way to call the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrontEnd {
    /// The crate `marquetry`.
    Library,
    JsonRpc,
    Mcp,
    CommandLine,
    TypeScript,
    Python,
}

impl FrontEnd {
    /// All front ends. The others are compared with the first one.
    pub(super) const ALL: [FrontEnd; 6] = [
        FrontEnd::Library,
        FrontEnd::JsonRpc,
        FrontEnd::Mcp,
        FrontEnd::CommandLine,
        FrontEnd::TypeScript,
        FrontEnd::Python,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            FrontEnd::Library => "crate marquetry",
            FrontEnd::JsonRpc => "JSON-RPC",
            FrontEnd::Mcp => "MCP",
            FrontEnd::CommandLine => "command line",
            FrontEnd::TypeScript => "TypeScript client",
            FrontEnd::Python => "Python client",
        }
    }

    /// Returns the interpreter that is missing or too old.
    pub(super) fn missing(self) -> Option<&'static str> {
        let (name, needed, check) = match self {
            FrontEnd::TypeScript => {
                ("node", "node 20", ["-e", "process.exit(Number(parseInt(process.versions.node) < 20))"])
            }
            FrontEnd::Python => ("python3", "python3 3.11", ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]),
            FrontEnd::Library | FrontEnd::JsonRpc | FrontEnd::Mcp | FrontEnd::CommandLine => return None,
        };
        let is_new_enough =
            |program: PathBuf| Command::new(program).args(check).status().is_ok_and(|status| status.success());
        (!tools::find(name).is_some_and(is_new_enough)).then_some(needed)
    }

    /// Starts the front end for a folder.
    pub(super) fn start(self, programs: &Programs, root: &Path) -> Result<Session> {
        let state = setup::empty_folder(&format!("conformance-state-{}", self.name().replace(' ', "-")))?;
        let launch = |program: &Path, arguments: &[&str]| {
            let mut command = Command::new(program);
            command.args(arguments).current_dir(root);
            command.env("MARQ_STATE_DIR", &state).env("MARQ_CACHE_DIR", cache_folder());
            command
        };
        let [marq, folder] = [programs.marq.as_path(), root].map(|path| path.to_string_lossy().into_owned());
        let driver = |name: &str| top().join("e2e/typed").join(name).to_string_lossy().into_owned();
        let packs = programs.packs.to_string_lossy().into_owned();
        let mut command = match self {
            FrontEnd::Library => launch(&programs.library, &[&folder, &packs]),
            FrontEnd::JsonRpc => launch(&programs.marq, &["rpc", "--stdio", "--root", &folder]),
            FrontEnd::Mcp => launch(&programs.marq, &["mcp", "--answers", "structured", "--root", &folder]),
            FrontEnd::CommandLine => {
                return Ok(Session::Shell(launch(&programs.marq, &["--json", "--root", &folder, "call"])));
            }
            FrontEnd::TypeScript => launch(Path::new("node"), &[&driver("drive.mjs"), &marq, &folder]),
            FrontEnd::Python => launch(Path::new("python3"), &[&driver("drive.py"), &marq, &folder]),
        };
        let mut lines = Lines::start(&mut command).with_context(|| format!("{} cannot be started", self.name()))?;
        Ok(match self {
            FrontEnd::JsonRpc => Session::JsonRpc(lines),
            FrontEnd::Mcp => {
                lines.greet()?;
                Session::Mcp(lines)
            }
            _ => Session::Driver(lines),
        })
    }
}

/// The programs under test.
pub(super) struct Programs {
    marq: PathBuf,
    library: PathBuf,
    /// The folder of the packs.
    packs: PathBuf,
}

impl Programs {
    /// The crate gets the packs of the program by the same path, so that it finds them in the cache: the version of a pack is
    /// known only once it has been compiled.
    pub(super) fn new(marq: PathBuf, library: PathBuf) -> Result<Programs> {
        let beside = marq.canonicalize()?.parent().map(|folder| folder.join("../wasm32-wasip2/release"));
        let packs = beside.filter(|folder| folder.is_dir()).unwrap_or_else(|| top().join(plugins::FOLDER));
        Ok(Programs { marq, library, packs })
    }
}

/// A front end that has been started.
pub(super) enum Session {
    /// Reads calls and writes answers.
    Driver(Lines),
    JsonRpc(Lines),
    Mcp(Lines),
    /// Starts a process for each call, with these arguments first.
    Shell(Command),
}

impl Session {
    /// Makes a call. The answer has `result`, or `error` with the kind, message, hint and candidates. MCP has only the
    /// `text` of errors.
    pub(super) fn call(&mut self, Call { tool, arguments }: &Call) -> Result<Value> {
        match self {
            Session::Driver(lines) => lines.exchange(&json!({ "tool": tool, "arguments": arguments })),
            Session::JsonRpc(lines) => {
                let mut params = arguments.clone();
                params["clientInfo"] = client();
                let response = lines.request(tool, &params)?;
                Ok(match response.get("error") {
                    Some(error) => json!({ "error": error["data"] }),
                    None => json!({ "result": response["result"] }),
                })
            }
            Session::Mcp(lines) => {
                let response = lines.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
                let result = &response["result"];
                match (result["isError"].as_bool(), response.get("error")) {
                    (_, Some(error)) => bail!("MCP: {tool} {arguments}: {error}"),
                    (Some(true), None) => Ok(json!({ "text": result["content"][0]["text"] })),
                    _ => Ok(json!({ "result": result["structuredContent"] })),
                }
            }
            Session::Shell(command) => call_in_shell(command, tool, arguments),
        }
    }
}

fn client() -> Value {
    json!({ "name": CLIENT, "version": "1" })
}

/// Runs the command line. Errors have the exit code 2.
fn call_in_shell(command: &Command, tool: &str, arguments: &Value) -> Result<Value> {
    let mut call = Command::new(command.get_program());
    call.args(command.get_args()).args([tool, &arguments.to_string()]);
    if let Some(folder) = command.get_current_dir() {
        call.current_dir(folder);
    }
    call.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = call.output()?;
    let [text, log] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let text = if text.trim().is_empty() { log } else { text };
    let value: Value = serde_json::from_str(&text).with_context(|| format!("marq call {tool} {arguments}: {text}"))?;
    match output.status.code() {
        Some(0) => Ok(json!({ "result": value })),
        Some(2) => Ok(json!({ "error": value })),
        other => bail!("marq call {tool} {arguments}: exit code {other:?}: {text}"),
    }
}

/// A process that reads and writes lines of JSON.
pub(super) struct Lines {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Lines {
    fn start(command: &mut Command) -> Result<Lines> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().context("no input")?;
        let output = BufReader::new(child.stdout.take().context("no output")?);
        Ok(Lines { child, input, output, last_id: 0 })
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}").with_context(|| format!("the process has ended before {message}"))
    }

    fn receive(&mut self) -> Result<Value> {
        let mut line = String::new();
        ensure!(self.output.read_line(&mut line)? > 0, "the process has ended");
        serde_json::from_str(&line).with_context(|| line.clone())
    }

    fn exchange(&mut self, message: &Value) -> Result<Value> {
        self.send(message)?;
        self.receive()
    }

    /// Sends a JSON-RPC request, and returns its response.
    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let message = self.receive()?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    /// Initializes a session of MCP.
    fn greet(&mut self) -> Result<()> {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client() });
        self.request("initialize", &params)?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
