//! Clients that are found, and their files on each system.

use std::{fs, path::Path};

use marquetry_clients::{CLIENTS, Scope, System, configured, select};

use crate::common::Desk;

/// The clients that are found, and those that are found but have no configuration in the scope.
fn found(desk: &Desk, scope: Option<Scope>) -> (Vec<&'static str>, Vec<&'static str>) {
    match select(&desk.machine, &[], scope) {
        Ok(selection) => (
            selection.chosen.iter().map(|choice| choice.client.id).collect(),
            selection.skipped.iter().map(|skipped| skipped.client.id).collect(),
        ),
        Err(_) => (Vec::new(), Vec::new()),
    }
}

#[test]
fn nothing_is_found_on_an_empty_machine() {
    let desk = Desk::new();
    let error = select(&desk.machine, &[], None).expect_err("nothing");
    assert_eq!(error.content().message, "no client was found on this machine or in this project");
    assert_eq!(error.content().candidates.len(), CLIENTS.len());
}

#[test]
fn traces_in_project_and_home_are_found() {
    let check = |path: &str, expected: &[&str]| {
        let desk = Desk::new();
        let file = match path.strip_prefix("~/") {
            Some(below) => desk.home().join(below),
            None => desk.machine.project.join(path),
        };
        desk.write(&file, "");
        assert_eq!(found(&desk, Some(Scope::User)).0, expected, "{path}");
    };
    check(".mcp.json", &["claude-code"]);
    check("CLAUDE.md", &["claude-code"]);
    check("~/.claude.json", &["claude-code"]);
    check("~/.config/Claude/claude_desktop_config.json", &["claude-desktop"]);
    check(".cursor/rules/a.mdc", &["cursor"]);
    check(".vscode/settings.json", &["vs-code"]);
    check("~/.copilot/config.json", &["copilot-cli"]);
    check("~/.codeium/windsurf/x", &["windsurf"]);
    check("~/.config/zed/settings.json", &["zed"]);
    check("~/.codex/config.toml", &["codex"]);
    check("GEMINI.md", &["gemini-cli"]);
    check("opencode.jsonc", &["opencode"]);
    check(".junie/guidelines.md", &["junie"]);
    check("~/.cline/data/x", &["cline-cli"]);
    check(".roo/rules/a.md", &["roo-code"]);
    check("~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/x", &["vs-code", "cline"]);
}

#[test]
fn programs_on_the_path_are_found() {
    let mut desk = Desk::new();
    let folder = desk.home().join("bin");
    desk.write(&folder.join("codex"), "");
    desk.write(&folder.join("zeditor"), "");
    fs::create_dir(folder.join("claude")).expect("made");
    desk.machine.path = vec![folder];
    assert_eq!(found(&desk, None).0, ["zed", "codex"], "folders are not programs");
}

#[test]
fn clients_without_project_configuration_are_named() {
    let desk = Desk::new();
    desk.write(&desk.home().join(".codeium/windsurf/x"), "");
    desk.project.write(".mcp.json", "{}");
    assert_eq!(found(&desk, None), (vec!["claude-code"], vec!["windsurf"]));
    let skipped = select(&desk.machine, &[], None).expect("selected").skipped.remove(0);
    assert_eq!(skipped.reason, "Windsurf has no configuration for the project: `--client windsurf --scope user`");
    let chosen = desk.select("windsurf", None).expect("selected").chosen.remove(0);
    assert_eq!(chosen.scope, Scope::User, "the only scope");
    let error = desk.select("windsurf", Some(Scope::Project)).expect_err("refused");
    assert_eq!(error.content().message, "Windsurf has no configuration for the project");
}

#[test]
fn unknown_client_has_candidates() {
    let desk = Desk::new();
    let error = desk.select("cursr", None).expect_err("refused");
    assert_eq!(error.content().message, "unknown client `cursr`");
    assert_eq!(error.content().candidates[0], "cursor");
}

/// The file of a client of the user, below the home folder.
fn user_file(desk: &Desk, client: &str) -> String {
    let file = desk.choice(client, Scope::User).file;
    file.strip_prefix(desk.home()).map_or(file.as_path(), |below| below).display().to_string()
}

#[test]
fn user_files_depend_on_the_system() {
    let mut desk = Desk::new();
    let mut check = |system, client: &str, expected: &str| {
        desk.machine.system = system;
        assert_eq!(user_file(&desk, client), expected, "{system:?}");
    };
    check(System::Linux, "claude-desktop", ".config/Claude/claude_desktop_config.json");
    check(System::Macos, "claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json");
    check(System::Windows, "claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json");
    check(System::Linux, "vs-code", ".config/Code/User/mcp.json");
    check(System::Macos, "vs-code", "Library/Application Support/Code/User/mcp.json");
    check(System::Windows, "vs-code", "AppData/Roaming/Code/User/mcp.json");
    check(System::Linux, "zed", ".config/zed/settings.json");
    check(System::Macos, "zed", ".config/zed/settings.json");
    check(System::Windows, "zed", "AppData/Roaming/Zed/settings.json");
    for system in [System::Linux, System::Macos, System::Windows] {
        check(system, "claude-code", ".claude.json");
        check(system, "cursor", ".cursor/mcp.json");
        check(system, "copilot-cli", ".copilot/mcp-config.json");
        check(system, "windsurf", ".codeium/windsurf/mcp_config.json");
        check(system, "codex", ".codex/config.toml");
        check(system, "gemini-cli", ".gemini/settings.json");
        check(system, "opencode", ".config/opencode/opencode.json");
        check(system, "junie", ".junie/mcp/mcp.json");
    }
}

#[test]
fn variables_move_user_files() {
    let mut desk = Desk::new();
    desk.machine.variable = Box::new(|name| match name {
        "CODEX_HOME" => Some("/elsewhere/codex".to_owned()),
        "CLAUDE_CONFIG_DIR" => Some("/elsewhere/claude".to_owned()),
        "XDG_CONFIG_HOME" => Some("/elsewhere/config".to_owned()),
        // Relative folders are ignored, as the clients would look for them below their own working folder.
        "COPILOT_HOME" => Some("here".to_owned()),
        _ => None,
    });
    assert_eq!(user_file(&desk, "codex"), "/elsewhere/codex/config.toml");
    assert_eq!(user_file(&desk, "claude-code"), "/elsewhere/claude/.claude.json");
    assert_eq!(user_file(&desk, "zed"), "/elsewhere/config/zed/settings.json");
    assert_eq!(user_file(&desk, "copilot-cli"), ".copilot/mcp-config.json");
}

#[test]
fn existing_alternative_of_a_file_is_used() {
    let desk = Desk::new();
    desk.project.write("opencode.jsonc", "{}");
    assert_eq!(desk.choice("opencode", Scope::Project).file, desk.machine.project.join("opencode.jsonc"));
    desk.project.write("opencode.json", "{}");
    assert_eq!(desk.choice("opencode", Scope::Project).file, desk.machine.project.join("opencode.json"));
}

#[test]
fn without_home_folder_only_projects_are_configured() {
    let mut desk = Desk::new();
    desk.machine.home = None;
    desk.project.write(".mcp.json", "{}");
    assert_eq!(found(&desk, None).0, ["claude-code"]);
    let error = desk.select("codex", Some(Scope::User)).expect_err("refused");
    assert_eq!(error.content().message, "the home folder is unknown");
}

#[test]
fn configured_files_are_listed_once() {
    let desk = Desk::new();
    assert!(configured(&desk.machine).is_empty());
    desk.project.write(".mcp.json", "{}");
    desk.write(&desk.home().join(".codex/config.toml"), "");
    let files: Vec<_> = configured(&desk.machine).iter().map(|choice| choice.client.id).collect();
    assert_eq!(files, ["claude-code", "codex"], "Claude Code and Copilot CLI read the same file");
}

#[test]
fn ids_and_pages_are_complete() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients");
    let mut ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
    for client in CLIENTS {
        assert!(client.project.is_some() || client.user.is_some(), "{}", client.id);
        assert!(client.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
        let mentioned = fs::read_dir(&pages).expect("pages").any(|page| {
            let text = fs::read_to_string(page.expect("an entry").path()).expect("a page");
            text.contains(&format!("marq init --print {}", client.id))
        });
        assert!(mentioned, "no page shows `marq init --print {}`", client.id);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), CLIENTS.len());
}
