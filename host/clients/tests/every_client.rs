//! Tests every client in every scope, with a missing file, a file with other servers, a file with comments, and a
//! broken file. The diffs are compared with `expected`; `UPDATE_EXPECT=1` rewrites them.

use std::{env, fmt::Write as _, fs, path::Path};

use marquetry_clients::{CLIENTS, Client, Connection, Extras, Outcome, Scope, snippet};
use marquetry_model::{Error, Kind};

use crate::common::Desk;

/// Clients whose files may have comments.
const WITH_COMMENTS: [&str; 5] = ["vs-code", "zed", "gemini-cli", "opencode", "opencode-1"];

fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "toml")
}

/// A configuration with another server, in the style of a person.
fn existing(file: &Path, key: &str, comment: bool) -> String {
    if is_toml(file) {
        let note = if comment { "# mine\n" } else { "" };
        return format!("{note}model = \"gpt\" # fast\n\n[{}.other]\ncommand = \"x\"\n\n[profile]\na = 1\n", &key[2..]);
    }
    let mut text = String::new();
    if comment {
        text += "// mine\n";
    }
    text += "{\n    \"theme\": \"dark\",\n";
    let names: Vec<&str> = key.split('.').skip(1).collect();
    for (depth, name) in names.iter().enumerate() {
        let _ = writeln!(text, "{}\"{name}\": {{", "    ".repeat(depth + 1));
    }
    let inner = "    ".repeat(names.len() + 1);
    let note = if comment { " // the other one" } else { "" };
    let _ = writeln!(text, "{inner}\"other\": {{ \"type\": \"local\", \"command\": \"x\" }}{note}");
    for depth in (0..names.len()).rev() {
        let _ = writeln!(text, "{}}}", "    ".repeat(depth + 1));
    }
    text + "}\n"
}

fn broken(file: &Path) -> &'static str {
    if is_toml(file) { "model = \"gpt\"\nx = [1,\n[a]\n" } else { "{\n  \"theme\": \"dark\"\n  \"a\": {}\n}\n" }
}

/// The diff of connecting, or the error.
fn outcome(desk: &Desk, client: &Client, scope: Scope) -> String {
    let selection = desk.select(client.id, Some(scope)).expect("selected");
    let shown = match desk.plan(&selection, Extras::default(), false) {
        Ok(plan) => plan.changes.iter().map(|change| change.diff.as_str()).collect::<String>(),
        Err(error) => error_text(&error),
    };
    desk.neutral(&shown)
}

fn error_text(error: &Error) -> String {
    let content = error.content();
    format!("{}: {}\nhint: {}\n", content.kind.name(), content.message, content.hint.as_deref().unwrap_or("-"))
}

/// Connects, and checks that a second time changes nothing, that undo and removal restore everything, and that the
/// server is read back.
fn check_laws(desk: &Desk, client: &Client, scope: Scope) {
    let name = format!("{} {}", client.id, scope.name());
    let before = desk.snapshot();
    let selection = desk.select(client.id, Some(scope)).expect("selected");
    let first = desk.plan(&selection, Extras::default(), false).expect("planned");
    assert_eq!(first.rows[0].outcome, Outcome::Added, "{name}");
    assert_eq!(before, desk.snapshot(), "{name}: a plan writes nothing");
    let ids = desk.apply(&first);
    assert_eq!(ids.len(), 1, "{name}: one change");
    let connected = desk.snapshot();
    let again = desk.plan(&selection, Extras::default(), false).expect("planned");
    assert_eq!((again.rows[0].outcome, again.changes.len()), (Outcome::Unchanged, 0), "{name}");
    let connection = desk.choice(client.id, scope).connection(desk.bench(), &desk.machine).expect("read");
    check_connection(desk, connection.expect("connected"), scope, &name);
    let removal = desk.plan(&selection, Extras::default(), true).expect("planned");
    assert_eq!(removal.rows[0].outcome, Outcome::Removed, "{name}");
    let removed = desk.apply(&removal);
    assert_eq!(before, desk.snapshot(), "{name}: removal restores everything");
    let nothing = desk.plan(&selection, Extras::default(), true).expect("planned");
    assert_eq!((nothing.rows[0].outcome, nothing.changes.len()), (Outcome::Absent, 0), "{name}");
    desk.undo(&removal.changes[0].root, &removed[0]);
    assert_eq!(connected, desk.snapshot(), "{name}: undo of the removal");
    desk.undo(&first.changes[0].root, &ids[0]);
    assert_eq!(before, desk.snapshot(), "{name}: undo restores everything");
}

fn check_connection(desk: &Desk, connection: Connection, scope: Scope, name: &str) {
    let is_shared = scope == Scope::Project;
    assert_eq!(connection.command, if is_shared { "marq" } else { "/opt/marq/bin/marq" }, "{name}");
    assert_eq!(connection.arguments[0], "mcp", "{name}");
    let is_absolute = connection.arguments.iter().any(|argument| Path::new(argument).is_absolute());
    assert!(!(is_shared && is_absolute), "{name}: a shared file must not have absolute paths: {connection:?}");
    for root in connection.roots() {
        let project = desk.machine.project.display().to_string();
        assert!(root == "${workspaceFolder}" || root == project, "{name}: {root}");
    }
}

/// The expected text of a client in a scope, and the laws on each kind of file.
fn run(client: &'static Client, scope: Scope) -> String {
    let place = client.place(scope).expect("a place");
    let mut out = String::new();
    let mut section = |title: &str, text: &str| {
        let _ = write!(out, "==== {title}\n{text}");
    };
    let desk = Desk::new();
    let file = desk.choice(client.id, scope).file;
    section("missing file", &outcome(&desk, client, scope));
    check_laws(&desk, client, scope);
    desk.write(&file, "");
    section("empty file", &outcome(&desk, client, scope));
    desk.write(&file, &existing(&file, place.key, false));
    section("file with another server", &outcome(&desk, client, scope));
    check_laws(&desk, client, scope);
    desk.write(&file, &existing(&file, place.key, true));
    section("file with comments", &outcome(&desk, client, scope));
    if is_toml(&file) || WITH_COMMENTS.contains(&client.id) {
        check_laws(&desk, client, scope);
    }
    desk.write(&file, broken(&file));
    let before = desk.snapshot();
    section("broken file", &outcome(&desk, client, scope));
    assert_eq!(before, desk.snapshot(), "{}: a broken file is not changed", client.id);
    out
}

#[test]
fn every_client_is_connected_and_disconnected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected");
    let mut wrong = Vec::new();
    for client in CLIENTS {
        for scope in [Scope::Project, Scope::User].into_iter().filter(|scope| client.place(*scope).is_some()) {
            let file = folder.join(format!("{}.{}.txt", client.id, scope.name()));
            let actual = run(client, scope);
            let expected = fs::read_to_string(&file).unwrap_or_default();
            if actual == expected {
                continue;
            }
            if env::var_os("UPDATE_EXPECT").is_some() {
                fs::create_dir_all(&folder).expect("made");
                fs::write(&file, actual).expect("written");
                continue;
            }
            wrong.push(format!("{}:\n{actual}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn snippet_is_the_text_of_a_new_file() {
    for client in CLIENTS {
        for scope in [Scope::Project, Scope::User].into_iter().filter(|scope| client.place(*scope).is_some()) {
            let desk = Desk::new();
            let empty = tempfile::tempdir().expect("a folder");
            let folder = empty.path().canonicalize().expect("real");
            let printed = snippet((desk.bench(), &desk.machine), client.id, Some(scope), &folder).expect("printed");
            let selection = desk.select(client.id, Some(scope)).expect("selected");
            desk.apply(&desk.plan(&selection, Extras::default(), false).expect("planned"));
            assert_eq!(fs::read_to_string(&printed.0).expect("written"), printed.1, "{}", client.id);
            assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0, "{}: nothing is written", client.id);
        }
    }
}

#[test]
fn entry_of_another_program_is_not_replaced() {
    let desk = Desk::new();
    let text = "{\"mcpServers\": {\"marq\": {\"command\": \"other\", \"args\": [\"mcp\"]}}}\n";
    desk.project.write(".mcp.json", text);
    let selection = desk.select("claude-code", None).expect("selected");
    for remove in [false, true] {
        let error = desk.plan(&selection, Extras::default(), remove).expect_err("refused");
        let shown = desk.neutral(&error_text(&error));
        assert_eq!(
            shown,
            "OverwriteBlocked: `$.mcpServers.marq` of /path/to/project/.mcp.json runs `other`, not `marq mcp`\n\
             hint: rename the entry, or delete it: marq edit /path/to/project/.mcp.json '$.mcpServers.marq' delete\n"
        );
    }
    let error = desk.choice("claude-code", Scope::Project).connection(desk.bench(), &desk.machine);
    assert_eq!(error.expect_err("refused").kind(), Kind::OverwriteBlocked);
    assert_eq!(desk.project.text(".mcp.json"), text);
}

#[test]
fn settings_of_the_user_in_an_entry_are_kept() {
    let desk = Desk::new();
    desk.project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"marq\": {\"command\": \"/gone/marq\", \"args\": [\"mcp\", \"--tools\", \"core\"], \"env\": {\"A\": \"1\"}}}}\n",
    );
    let selection = desk.select("claude-code", None).expect("selected");
    let plan = desk.plan(&selection, Extras::default(), false).expect("planned");
    assert_eq!(plan.rows[0].outcome, Outcome::Updated);
    desk.apply(&plan);
    assert_eq!(
        desk.project.text(".mcp.json"),
        "{\"mcpServers\": {\"marq\": {\"command\": \"marq\", \"args\": [\"mcp\", \"--tools\", \"core\"], \"env\": {\"A\": \"1\"}, \"type\": \"stdio\"}}}\n"
    );
    let connection = desk.choice("claude-code", Scope::Project).connection(desk.bench(), &desk.machine);
    let connection = connection.expect("read").expect("connected");
    assert_eq!(connection.arguments, ["mcp", "--tools", "core"]);
    assert_eq!(connection.environment, [], "variables of a project are not used");
}

#[test]
fn variables_of_the_user_are_used() {
    let desk = Desk::new();
    let file = desk.home().join(".codex/config.toml");
    desk.write(&file, "[mcp_servers.marq]\ncommand = \"marq\"\nargs = [\"mcp\"]\nenv = { A = \"1\" }\n");
    let connection = desk.choice("codex", Scope::User).connection(desk.bench(), &desk.machine);
    let connection = connection.expect("read").expect("connected");
    assert_eq!(connection.environment, [("A".to_owned(), "1".to_owned())]);
}

/// A path in a file of a project could start code of the project.
#[test]
fn paths_in_files_of_a_project_are_not_started() {
    for command in ["./marq", "tools/marq", "/tmp/marq", "..\\\\marq"] {
        let desk = Desk::new();
        let text = format!("{{\"mcpServers\": {{\"marq\": {{\"command\": \"{command}\", \"args\": [\"mcp\"]}}}}}}\n");
        desk.project.write(".mcp.json", text);
        let error = desk.choice("claude-code", Scope::Project).connection(desk.bench(), &desk.machine);
        assert_eq!(error.expect_err("refused").kind(), Kind::PermissionDenied, "{command}");
        let selection = desk.select("claude-code", None).expect("selected");
        desk.apply(&desk.plan(&selection, Extras::default(), false).expect("planned"));
        let fixed = desk.choice("claude-code", Scope::Project).connection(desk.bench(), &desk.machine);
        assert_eq!(fixed.expect("read").expect("connected").command, "marq", "{command}");
    }
}

#[test]
fn all_clients_of_a_project_are_one_change() {
    let desk = Desk::new();
    let before = desk.snapshot();
    let names = ["claude-code", "copilot-cli", "cursor", "codex", "zed"].map(str::to_owned);
    let selection = marquetry_clients::select(&desk.machine, &names, None).expect("selected");
    let plan = desk.plan(&selection, Extras::default(), false).expect("planned");
    let outcomes: Vec<Outcome> = plan.rows.iter().map(|row| row.outcome).collect();
    // Claude Code and Copilot CLI read the same file, `.mcp.json`, and both rows report that the entry was added.
    assert_eq!(outcomes, [Outcome::Added; 5]);
    let ids = desk.apply(&plan);
    assert_eq!(ids.len(), 1);
    for file in [".mcp.json", ".cursor/mcp.json", ".codex/config.toml", ".zed/settings.json"] {
        assert!(desk.project.text(file).contains("marq"), "{file}");
    }
    desk.undo(&desk.machine.project, &ids[0]);
    assert_eq!(before, desk.snapshot());
}

#[test]
fn broken_file_with_an_entry_is_reported() {
    let desk = Desk::new();
    desk.project.write(
        ".mcp.json",
        "{\"mcpServers\": {\"marq\": {\"type\": \"stdio\", \"command\": \"marq\", \"args\": [\"mcp\"]}}, \"a\" 1}\n",
    );
    let selection = desk.select("claude-code", None).expect("selected");
    let error = desk.plan(&selection, Extras::default(), false).expect_err("refused");
    assert_eq!(error.kind(), Kind::ParseError);
    let message = &error.content().message;
    assert!(message.starts_with(".mcp.json: line 1, column "), "{message}");
    let error = desk.choice("claude-code", Scope::Project).connection(desk.bench(), &desk.machine);
    assert_eq!(error.expect_err("refused").kind(), Kind::ParseError);
}

#[test]
fn one_broken_file_stops_all_changes() {
    let desk = Desk::new();
    desk.project.write(".cursor/mcp.json", "{ \"mcpServers\": [ }\n");
    let names = ["claude-code", "cursor"].map(str::to_owned);
    let selection = marquetry_clients::select(&desk.machine, &names, None).expect("selected");
    let error = desk.plan(&selection, Extras::default(), false).expect_err("refused");
    assert_eq!(error.kind(), Kind::ParseError);
    assert!(error.content().message.starts_with(".cursor/mcp.json: line 1, column "), "{error:?}");
    assert!(!desk.project.root().join(".mcp.json").exists());
}
