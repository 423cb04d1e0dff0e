//! Roots and commands in configurations.

use marquetry_clients::{Extras, Outcome, Scope};

use crate::common::Desk;

fn connect(desk: &Desk, client: &str, scope: Scope) -> Outcome {
    let selection = desk.select(client, Some(scope)).expect("selected");
    let plan = desk.plan(&selection, Extras::default(), false).expect("planned");
    desk.apply(&plan);
    plan.rows[0].outcome
}

fn arguments(desk: &Desk, client: &str, scope: Scope) -> Vec<String> {
    let connection = desk.choice(client, scope).connection(desk.bench(), &desk.machine).expect("read");
    connection.expect("connected").arguments.iter().map(|text| desk.neutral(text)).collect()
}

#[test]
fn client_that_starts_servers_elsewhere_lists_the_project() {
    let desk = Desk::new();
    assert_eq!(connect(&desk, "claude-desktop", Scope::User), Outcome::Added);
    assert_eq!(arguments(&desk, "claude-desktop", Scope::User), ["mcp", "--root", "/path/to/project"]);
}

#[test]
fn second_project_is_added_to_the_list() {
    let mut desk = Desk::new();
    connect(&desk, "windsurf", Scope::User);
    let first = desk.machine.project.clone();
    desk.machine.project = desk.home().join("other");
    std::fs::create_dir(&desk.machine.project).expect("made");
    assert_eq!(connect(&desk, "windsurf", Scope::User), Outcome::Updated);
    let first = first.display().to_string();
    assert_eq!(arguments(&desk, "windsurf", Scope::User), ["mcp", "--root", &first, "--root", "/path/to/project"]);
    assert_eq!(connect_outcome(&desk, "windsurf"), Outcome::Unchanged);
    // A folder in a served project is served.
    desk.machine.project = desk.machine.project.join("below");
    std::fs::create_dir(&desk.machine.project).expect("made");
    assert_eq!(connect_outcome(&desk, "windsurf"), Outcome::Unchanged);
}

fn connect_outcome(desk: &Desk, client: &str) -> Outcome {
    let selection = desk.select(client, Some(Scope::User)).expect("selected");
    desk.plan(&selection, Extras::default(), false).expect("planned").rows[0].outcome
}

#[test]
fn variable_of_the_client_stands_for_the_project() {
    let desk = Desk::new();
    connect(&desk, "vs-code", Scope::Project);
    assert_eq!(arguments(&desk, "vs-code", Scope::Project), ["mcp", "--root", "${workspaceFolder}"]);
}

#[test]
fn roots_of_the_user_are_kept() {
    let desk = Desk::new();
    desk.project.write(
        ".vscode/mcp.json",
        "{\"servers\": {\"marq\": {\"type\": \"stdio\", \"command\": \"marq\", \"args\": [\"mcp\", \"--root\", \"web\"]}}}\n",
    );
    let selection = desk.select("vs-code", None).expect("selected");
    assert_eq!(desk.plan(&selection, Extras::default(), false).expect("planned").rows[0].outcome, Outcome::Unchanged);
}

#[test]
fn command_in_a_user_file_is_the_name_if_it_is_on_the_path() {
    let mut desk = Desk::new();
    let folder = desk.home().join("bin");
    desk.write(&folder.join("marq"), "");
    desk.machine.path = vec![folder];
    connect(&desk, "codex", Scope::User);
    let connection = desk.choice("codex", Scope::User).connection(desk.bench(), &desk.machine).expect("read");
    assert_eq!(connection.expect("connected").command, "marq");
}

#[test]
fn path_of_a_missing_program_is_replaced() {
    let mut desk = Desk::new();
    desk.machine.program = Some("/old/marq".into());
    connect(&desk, "codex", Scope::User);
    desk.machine.program = Some("/new/marq".into());
    assert_eq!(connect(&desk, "codex", Scope::User), Outcome::Updated);
    let text = std::fs::read_to_string(desk.home().join(".codex/config.toml")).expect("written");
    assert_eq!(text, "[mcp_servers.marq]\ncommand = \"/new/marq\"\nargs = [\"mcp\"]\n");
}

#[test]
fn command_for_another_folder_has_only_that_root() {
    let desk = Desk::new();
    connect(&desk, "claude-desktop", Scope::User);
    let connection = desk.choice("claude-desktop", Scope::User).connection(desk.bench(), &desk.machine);
    let connection = connection.expect("read").expect("connected").for_folder(std::path::Path::new("/somewhere"));
    assert_eq!(connection.arguments, ["mcp", "--root", "/somewhere"]);
}

#[test]
fn joined_form_of_a_root_is_understood() {
    let desk = Desk::new();
    let file = desk.choice("windsurf", Scope::User).file;
    let project = desk.machine.project.display().to_string();
    desk.write(
        &file,
        &format!(
            "{{\"mcpServers\": {{\"marq\": {{\"command\": \"marq\", \"args\": [\"mcp\", \"--root={project}\"]}}}}}}\n"
        ),
    );
    assert_eq!(arguments(&desk, "windsurf", Scope::User), ["mcp", "--root=/path/to/project"]);
    let connection = desk.choice("windsurf", Scope::User).connection(desk.bench(), &desk.machine);
    let connection = connection.expect("read").expect("connected");
    assert_eq!(connection.roots(), [project.as_str()]);
    assert_eq!(connection.for_folder(std::path::Path::new("/x")).arguments, ["mcp", "--root=/x"]);
    assert_eq!(connect(&desk, "windsurf", Scope::User), Outcome::Updated, "the path of the program");
    assert_eq!(arguments(&desk, "windsurf", Scope::User), ["mcp", "--root=/path/to/project"]);
}

/// Dotfiles are often links into a repository.
#[cfg(unix)]
#[test]
fn linked_file_is_edited_where_it_is() {
    let desk = Desk::new();
    let real = tempfile::tempdir().expect("a folder");
    let file = real.path().join("settings.json");
    std::fs::write(&file, "{\n  \"theme\": \"One\"\n}\n").expect("written");
    let link = desk.home().join(".config/zed/settings.json");
    std::fs::create_dir_all(link.parent().expect("a folder")).expect("made");
    std::os::unix::fs::symlink(&file, &link).expect("linked");
    assert_eq!(connect(&desk, "zed", Scope::User), Outcome::Added);
    assert!(link.symlink_metadata().expect("there").is_symlink(), "the link stays");
    assert!(std::fs::read_to_string(&file).expect("read").contains("context_servers"));
}
