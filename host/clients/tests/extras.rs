//! The skill, the paragraph in `AGENTS.md` and the hook: added, updated, kept, removed.

use marquetry_clients::{Extras, Outcome, Plan, Scope};
use marquetry_model::Error;

use crate::common::Desk;

const SKILL: Extras = Extras { skill: true, agents: false, hook: false };
const AGENTS: Extras = Extras { skill: false, agents: true, hook: false };
const HOOK: Extras = Extras { skill: false, agents: false, hook: true };

fn plan(desk: &Desk, client: &str, extras: Extras, remove: bool) -> Result<Plan, Error> {
    desk.plan(&desk.select(client, None).expect("selected"), extras, remove)
}

/// Outcome of the row for the extras, the only row without a client.
fn outcome(plan: &Plan) -> Outcome {
    plan.rows.iter().find(|row| row.client.is_none()).expect("a row").outcome
}

fn add(desk: &Desk, extras: Extras) -> Outcome {
    let plan = plan(desk, "claude-code", extras, false).expect("planned");
    desk.apply(&plan);
    outcome(&plan)
}

fn remove(desk: &Desk, extras: Extras) -> Outcome {
    let plan = plan(desk, "claude-code", extras, true).expect("planned");
    desk.apply(&plan);
    outcome(&plan)
}

#[test]
fn skill_has_front_matter_and_at_most_60_lines() {
    let desk = Desk::new();
    add(&desk, SKILL);
    let page = desk.project.text(".claude/skills/marq/SKILL.md");
    assert!(page.starts_with("---\nname: marq\ndescription: "), "{page}");
    assert!(page.lines().count() <= 60, "{} lines", page.lines().count());
    let description = page.lines().nth(2).expect("a line");
    assert!(description.len() <= 1024, "clients refuse longer descriptions");
}

#[test]
fn skill_is_added_updated_and_removed() {
    let desk = Desk::new();
    assert_eq!(add(&desk, SKILL), Outcome::Added);
    let page = desk.project.text(".claude/skills/marq/SKILL.md");
    assert_eq!(add(&desk, SKILL), Outcome::Unchanged);
    desk.project.write(".claude/skills/marq/SKILL.md", "---\nname: marq\n---\n\nAn older page.\n");
    assert_eq!(
        remove(&desk, SKILL),
        Outcome::Kept("it is not the page of this version; delete it yourself if you do not need it")
    );
    assert_eq!(add(&desk, SKILL), Outcome::Updated);
    assert_eq!(desk.project.text(".claude/skills/marq/SKILL.md"), page);
    assert_eq!(remove(&desk, SKILL), Outcome::Removed);
    assert!(!desk.project.root().join(".claude/skills/marq/SKILL.md").exists());
    let plan = plan(&desk, "claude-code", SKILL, true).expect("planned");
    assert_eq!((outcome(&plan), plan.changes.len()), (Outcome::Absent, 0));
}

#[test]
fn clients_with_the_same_folder_share_the_skill() {
    let desk = Desk::new();
    let names = ["claude-code", "codex", "gemini-cli"].map(str::to_owned);
    let selection = marquetry_clients::select(&desk.machine, &names, None).expect("selected");
    let plan = desk.plan(&selection, SKILL, false).expect("planned");
    let files: Vec<_> = plan.rows.iter().filter(|row| row.client.is_none()).map(|row| row.file.clone()).collect();
    let at = |path: &str| desk.machine.project.join(path);
    assert_eq!(files, [at(".claude/skills/marq/SKILL.md"), at(".agents/skills/marq/SKILL.md")]);
    assert_eq!(desk.apply(&plan).len(), 1);
}

#[test]
fn skill_of_a_user_is_in_the_home_folder() {
    let desk = Desk::new();
    let selection = desk.select("codex", Some(Scope::User)).expect("selected");
    desk.apply(&desk.plan(&selection, SKILL, false).expect("planned"));
    assert!(desk.home().join(".agents/skills/marq/SKILL.md").exists());
}

#[test]
fn skill_needs_a_client_that_reads_skills() {
    let desk = Desk::new();
    let error = plan(&desk, "windsurf", SKILL, false).expect_err("refused");
    assert_eq!(error.content().message, "none of these clients has a folder for skills");
}

/// Adds the paragraph to a text twice, and removes it.
fn check_agents(before: &str, expected_start: &str) {
    let desk = Desk::new();
    desk.project.write("AGENTS.md", before);
    assert_eq!(add(&desk, AGENTS), Outcome::Added);
    let text = desk.project.text("AGENTS.md");
    assert!(text.starts_with(expected_start), "{text:?}");
    assert!(text.trim_end().ends_with("<!-- marq: end -->"), "{text:?}");
    assert_eq!(add(&desk, AGENTS), Outcome::Unchanged);
    assert_eq!(remove(&desk, AGENTS), Outcome::Removed);
    let path = desk.project.root().join("AGENTS.md");
    let after = if path.exists() { desk.project.text("AGENTS.md") } else { String::new() };
    assert_eq!(after, before);
}

#[test]
fn paragraph_is_added_below_other_text_and_removed() {
    check_agents("", "<!-- marq: begin -->\n## Reading and editing files\n");
    check_agents("# Rules\n\nBe kind.\n", "# Rules\n\nBe kind.\n\n<!-- marq: begin -->\n## Reading");
    check_agents("# Rules", "# Rules\n\n<!-- marq: begin -->\n");
    check_agents("a\n\n```sh\nls\n```\n", "a\n\n```sh\nls\n```\n\n<!-- marq: begin -->\n");
    check_agents("- a\n  - b\n", "- a\n  - b\n\n<!-- marq: begin -->\n");
    check_agents("# A\r\n\r\ntext\r\n", "# A\r\n\r\ntext\r\n\r\n<!-- marq: begin -->\r\n");
}

#[test]
fn paragraph_is_created_and_updated_in_place() {
    let desk = Desk::new();
    assert_eq!(add(&desk, AGENTS), Outcome::Added);
    let text = desk.project.text("AGENTS.md");
    desk.project.write("AGENTS.md", "# A\n\n<!-- marq: begin -->\nold\n<!-- marq: end -->\n\n# B\n");
    assert_eq!(add(&desk, AGENTS), Outcome::Updated);
    assert_eq!(desk.project.text("AGENTS.md"), format!("# A\n\n{text}\n# B\n"));
    desk.project.write("AGENTS.md", &text);
    assert_eq!(remove(&desk, AGENTS), Outcome::Removed);
    assert!(!desk.project.root().join("AGENTS.md").exists());
}

#[test]
fn paragraph_is_only_for_projects() {
    let desk = Desk::new();
    let selection = desk.select("codex", Some(Scope::User)).expect("selected");
    let error = desk.plan(&selection, AGENTS, false).expect_err("refused");
    assert_eq!(error.content().message, "AGENTS.md is a file of a project");
}

/// Adds the hook to settings, compares, and removes it.
fn check_hook(before: Option<&str>, expected: &str) {
    let desk = Desk::new();
    if let Some(before) = before {
        desk.project.write(".claude/settings.json", before);
    }
    assert_eq!(add(&desk, HOOK), Outcome::Added);
    assert_eq!(desk.project.text(".claude/settings.json"), expected);
    assert_eq!(add(&desk, HOOK), Outcome::Unchanged);
    assert_eq!(remove(&desk, HOOK), Outcome::Removed);
    match before {
        Some(before) => assert_eq!(desk.project.text(".claude/settings.json"), before),
        None => assert!(!desk.project.root().join(".claude/settings.json").exists()),
    }
}

#[test]
fn hook_is_added_to_settings_and_removed() {
    let hook = |indent: &str| {
        let lines = [
            "{",
            "  \"matcher\": \"Grep|Bash|Edit|MultiEdit\",",
            "  \"hooks\": [",
            "    {",
            "      \"type\": \"command\",",
            "      \"command\": \"marq hook\",",
            "      \"timeout\": 5",
            "    }",
            "  ]",
            "}",
        ];
        lines.map(|line| format!("{indent}{line}")).join("\n")
    };
    let hook = hook("      ");
    check_hook(None, &format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n{hook}\n    ]\n  }}\n}}\n"));
    check_hook(
        Some("{\n  \"model\": \"opus\"\n}\n"),
        &format!("{{\n  \"model\": \"opus\",\n  \"hooks\": {{\n    \"PreToolUse\": [\n{hook}\n    ]\n  }}\n}}\n"),
    );
    let other = "      { \"matcher\": \"Bash\", \"hooks\": [] }";
    check_hook(
        Some(&format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n{other}\n    ]\n  }}\n}}\n")),
        &format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n{other},\n{hook}\n    ]\n  }}\n}}\n"),
    );
}

#[test]
fn hook_is_only_for_claude_code() {
    let desk = Desk::new();
    let error = plan(&desk, "codex", HOOK, false).expect_err("refused");
    assert_eq!(error.content().message, "only Claude Code has hooks");
}

#[test]
fn everything_is_one_change_with_one_undo() {
    let desk = Desk::new();
    desk.project.write("AGENTS.md", "# Rules\n");
    let before = desk.snapshot();
    let all = Extras { skill: true, agents: true, hook: true };
    let plan = plan(&desk, "claude-code", all, false).expect("planned");
    assert_eq!(plan.rows.len(), 4);
    let ids = desk.apply(&plan);
    assert_eq!(ids.len(), 1);
    desk.undo(&desk.machine.project, &ids[0]);
    assert_eq!(before, desk.snapshot());
}
