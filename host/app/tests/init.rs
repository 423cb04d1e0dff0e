//! `marq init`, `marq hook`, `marq tools --format` and the checks of clients in `marq doctor`, with the program as built.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::Project;

/// A project, and a home folder in which nothing is installed.
struct Desk {
    project: Project,
    home: TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk { project: Project::new(1), home: tempfile::tempdir().expect("a folder") }
    }

    /// A command with this `marq` on the `PATH`.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        let program = Path::new(env!("CARGO_BIN_EXE_marq")).parent().expect("a folder");
        command.env("HOME", self.home.path()).env("PATH", format!("{}:/usr/bin:/bin", program.display()));
        for name in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CLINE_MCP_SETTINGS_PATH"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().expect("it runs")
    }

    /// Output of a command that must succeed.
    fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{arguments:?}: {out}{errors}");
        out
    }

    /// Errors of a command that must fail.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.project.root().join(path)).expect("a file")
    }
}

const PROVED: &str = "answers: 11 tools, and a dry run of an edit works";

#[test]
fn init_writes_proves_and_undoes() {
    let desk = Desk::new();
    let before = desk.project.texts();
    let out = desk.stdout(&["init", "--client", "claude-code", "--client", "codex", "--yes"]);
    assert!(out.contains("+[mcp_servers.marq]") && out.contains("+++ b/.mcp.json"), "{out}");
    assert!(out.contains("Claude Code        added to .mcp.json\n"), "{out}");
    assert!(out.contains("Codex              added to .codex/config.toml\n"), "{out}");
    assert_eq!(out.matches(PROVED).count(), 2, "{out}");
    assert!(out.contains("next: Codex: start `codex`"), "{out}");
    assert_eq!(desk.text(".codex/config.toml"), "[mcp_servers.marq]\ncommand = \"marq\"\nargs = [\"mcp\"]\n");
    let again = desk.stdout(&["init", "--client", "claude-code", "--client", "codex"]);
    assert!(again.contains("is already in .mcp.json") && !again.contains("undo with"), "{again}");
    assert_eq!(again.matches(PROVED).count(), 2, "nothing to write needs no question: {again}");
    desk.stdout(&["undo"]);
    assert_eq!(desk.project.texts(), before, "one undo takes all of it back");
}

#[test]
fn init_without_terminal_needs_yes() {
    let desk = Desk::new();
    let before = desk.project.texts();
    let errors = desk.refused(&["init", "--client", "cursor"]);
    assert!(errors.contains("nothing was written") && errors.contains("--yes"), "{errors}");
    let dry = desk.stdout(&["init", "--client", "cursor", "--dry-run"]);
    assert!(
        dry.contains("would be added to .cursor/mcp.json") && dry.contains("dry run: nothing was written"),
        "{dry}"
    );
    assert!(!dry.contains(PROVED), "{dry}");
    assert_eq!(desk.project.texts(), before);
}

#[test]
fn init_finds_clients_and_lists_those_without_project_files() {
    let desk = Desk::new();
    let errors = desk.refused(&["init", "--dry-run"]);
    assert!(errors.contains("no client was found") && errors.contains("claude-code"), "{errors}");
    fs::create_dir_all(desk.home.path().join(".codeium/windsurf")).expect("made");
    desk.project.write("CLAUDE.md", "# Rules\n");
    let out = desk.stdout(&["init", "--dry-run"]);
    assert!(out.contains("Claude Code        would be added to .mcp.json\n"), "{out}");
    assert!(out.contains("Windsurf           skipped: Windsurf has no configuration for the project"), "{out}");
    assert!(out.contains("marq init --client windsurf") || out.contains("`--client windsurf --scope user`"), "{out}");
}

#[test]
fn user_files_are_changed_and_removed() {
    let desk = Desk::new();
    let file = desk.home.path().join(".codeium/windsurf/mcp_config.json");
    let out = desk.stdout(&["init", "--client", "windsurf", "--yes"]);
    assert!(out.contains("added to ~/.codeium/windsurf/mcp_config.json"), "{out}");
    assert!(out.contains("undo with: marq init --remove --scope user --client windsurf\n"), "{out}");
    assert!(out.contains(PROVED), "{out}");
    let text: Value = serde_json::from_str(&fs::read_to_string(&file).expect("written")).expect("JSON");
    let root = desk.project.root().canonicalize().expect("real");
    assert_eq!(text["mcpServers"]["marq"]["args"], json!(["mcp", "--root", root.display().to_string()]));
    desk.stdout(&["init", "--remove", "--scope", "user", "--client", "windsurf", "--yes"]);
    assert!(!file.exists());
}

#[test]
fn broken_file_stops_everything() {
    let desk = Desk::new();
    desk.project.write(".cursor/mcp.json", "{\n  \"mcpServers\": {\n");
    let before = desk.project.texts();
    let errors = desk.refused(&["init", "--client", "claude-code", "--client", "cursor", "--yes"]);
    assert!(errors.contains(".cursor/mcp.json: line ") && errors.contains("(ParseError)"), "{errors}");
    assert_eq!(desk.project.texts(), before);
}

#[test]
fn failed_proof_is_reported() {
    let desk = Desk::new();
    desk.project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"marq\": {\"type\": \"stdio\", \"command\": \"marq\", \"args\": [\"mcp\", \"--no-such-flag\"]}}}\n",
    );
    let output = desk.run(&["init", "--client", "claude-code"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && out.contains("FAIL Claude Code (.mcp.json): the server ended"), "{out}");
    assert!(out.contains("--no-such-flag"), "the reason of the server: {out}");
}

#[test]
fn doctor_proves_every_configured_client() {
    let desk = Desk::new();
    assert!(!desk.stdout(&["doctor"]).contains("client "), "nothing is configured");
    desk.stdout(&["init", "--client", "cursor", "--client", "zed", "--yes"]);
    desk.stdout(&["init", "--client", "codex", "--scope", "user", "--yes"]);
    let out = desk.stdout(&["doctor"]);
    for client in ["Cursor (.cursor/mcp.json)", "Zed (.zed/settings.json)", "Codex (~/.codex/config.toml)"] {
        assert!(out.contains(&format!("ok   client {client}: ")), "{client}: {out}");
    }
    assert_eq!(out.matches(PROVED).count(), 3, "{out}");
    desk.project.write(".zed/settings.json", "{ \"context_servers\": { \"marq\": { \"command\": \"other\" } } }\n");
    let output = desk.run(&["doctor"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && out.contains("FAIL client Zed (.zed/settings.json): "), "{out}");
}

/// Checking the installation must not run code of a repository.
#[cfg(unix)]
#[test]
fn doctor_starts_no_program_of_the_project() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    desk.project.write("evil/marq", "#!/bin/sh\ntouch \"$(dirname \"$0\")/../RAN\"\n");
    let program = desk.project.root().join("evil/marq");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
    for (command, path) in [("./evil/marq", ""), (&*program.display().to_string(), ""), ("marq", "evil")] {
        let path = desk.project.root().join(path).display().to_string();
        let entry = json!({ "command": command, "args": ["mcp"], "env": { "PATH": path } });
        desk.project.write(".mcp.json", &json!({ "mcpServers": { "marq": entry } }).to_string());
        let output = desk.run(&["doctor"]);
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains("was not started") || out.contains(PROVED), "{command}: {out}");
        assert!(!desk.project.root().join("RAN").exists(), "{command}");
    }
}

#[test]
fn root_of_a_configuration_must_exist() {
    let desk = Desk::new();
    let text =
        "{\"mcpServers\": {\"marq\": {\"command\": \"marq\", \"args\": [\"mcp\", \"--root\", \"/no/such/folder\"]}}}\n";
    fs::create_dir_all(desk.home.path().join(".codeium/windsurf")).expect("made");
    fs::write(desk.home.path().join(".codeium/windsurf/mcp_config.json"), text).expect("written");
    let output = desk.run(&["doctor"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && out.contains("the root `/no/such/folder` does not exist"), "{out}");
}

#[test]
fn answer_as_json_has_files_checks_and_changes() {
    let desk = Desk::new();
    let out = desk.stdout(&["init", "--client", "vs-code", "--yes", "--json"]);
    let answer: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&answer["files"][0]["client"], &answer["files"][0]["outcome"]), (&json!("vs-code"), &json!("added")));
    assert_eq!(answer["checks"][0]["success"], true, "{answer}");
    assert!(answer["changes"][0]["undo"].as_str().is_some_and(|undo| undo.starts_with("marq undo ")), "{answer}");
    assert!(answer["diff"].as_str().is_some_and(|diff| diff.contains("${workspaceFolder}")), "{answer}");
}

#[test]
fn printed_configuration_is_only_the_text() {
    let desk = Desk::new();
    let printed: Value = serde_json::from_str(&desk.stdout(&["init", "--print", "opencode"])).expect("JSON");
    assert_eq!(printed, json!({ "mcp": { "servers": { "marq": { "type": "local", "command": ["marq", "mcp"] } } } }));
    assert!(desk.refused(&["init", "--print", "cursr"]).contains("  - cursor"));
    assert!(desk.refused(&["init", "--print", "windsurf", "--scope", "project"]).contains("--scope user"));
}

#[test]
fn hook_hints_and_never_fails() {
    let desk = Desk::new();
    let answer = |request: &str| {
        let mut command = desk.command(&["hook"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("input").write_all(request.as_bytes()).expect("written");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{request}");
        String::from_utf8(output.stdout).expect("text")
    };
    let hint = answer(&json!({ "tool_name": "Grep", "tool_input": { "pattern": "findById" } }).to_string());
    let hint: Value = serde_json::from_str(&hint).expect("JSON");
    let output = &hint["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PreToolUse");
    assert!(output["additionalContext"].as_str().is_some_and(|text| text.contains("references")), "{hint}");
    assert_eq!(output.get("permissionDecision"), None, "it decides nothing");
    for request in ["", "{", "[]", "null", "{\"tool_name\":\"Read\",\"tool_input\":{}}"] {
        assert_eq!(answer(request), "", "{request}");
    }
}

#[test]
fn hook_is_installed_only_on_request() {
    let desk = Desk::new();
    desk.stdout(&["init", "--client", "claude-code", "--yes"]);
    assert!(!desk.project.root().join(".claude").exists());
    desk.stdout(&["init", "--client", "claude-code", "--skill", "--agents-md", "--hook", "--yes"]);
    assert!(desk.text(".claude/settings.json").contains("\"command\": \"marq hook\""));
    assert!(desk.text("AGENTS.md").contains("<!-- marq: begin -->"));
    assert!(desk.text(".claude/skills/marq/SKILL.md").starts_with("---\nname: marq\n"));
    desk.stdout(&["init", "--remove", "--client", "claude-code", "--skill", "--agents-md", "--hook", "--yes"]);
    for path in [".claude/settings.json", "AGENTS.md", ".claude/skills/marq/SKILL.md", ".mcp.json"] {
        assert!(!desk.project.root().join(path).exists(), "{path}");
    }
}

#[test]
fn tools_are_printed_in_every_format() {
    let desk = Desk::new();
    let list =
        |format: &str| -> Value { serde_json::from_str(&desk.stdout(&["tools", "--format", format])).expect("JSON") };
    assert_eq!(list("mcp")["tools"][0]["name"], "file_read");
    assert_eq!(list("openai")[0]["function"]["name"], "file_read");
    assert_eq!(list("anthropic")[0]["input_schema"]["type"], "object");
    assert_eq!(list("gemini")[0]["functionDeclarations"][0]["parametersJsonSchema"]["type"], "object");
    assert_eq!(list("vscode-lm")[0]["name"], "marquetry_file_read");
    assert_eq!(list("openrpc")["methods"][0]["name"], "file/read");
    let one: Value = serde_json::from_str(&desk.stdout(&["tools", "query", "--format", "anthropic"])).expect("JSON");
    assert_eq!((one.as_array().map(Vec::len), &one[0]["name"]), (Some(1), &json!("query")));
    assert!(desk.refused(&["tools", "--format", "xml"]).contains("openrpc"), "the formats are listed");
}
