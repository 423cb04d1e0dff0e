//! The hook of Claude Code that suggests marq before a search or an edit that marq supports better. It never blocks the
//! tool.

use std::path::Path;

use marquetry_model::Result;
use marquetry_tools::{FileEdit, FileSetArgs, OneEdit, OperationName, TargetArgs, Workbench};
use serde_json::{Value, json};

use crate::{
    entry::{delete_value, outermost_path, set_value, text_of, value},
    machine::Machine,
    outcome::Outcome,
    table::Scope,
};

/// Command of this program that answers the hook.
pub const HOOK_COMMAND: &str = "hook";
/// Place of the hooks that run before a tool.
const KEY: &str = "$.hooks.PreToolUse";
/// Tools of Claude Code that search and edit.
const MATCHER: &str = "Grep|Bash|Edit|MultiEdit";

/// Returns the settings file of Claude Code.
pub(crate) fn template(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => ".claude/settings.json",
        Scope::User => "${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json",
    }
}

/// Adds the hook.
pub(crate) fn add(
    (bench, machine, scope): (&Workbench, &Machine, Scope),
    root: &Path,
    file: &Path,
    set: &mut FileSetArgs,
) -> Result<Outcome> {
    let program = machine.command(scope == Scope::Project);
    let program = if program.contains(' ') { format!("\"{program}\"") } else { program };
    let entry = json!({
        "matcher": MATCHER,
        "hooks": [{ "type": "command", "command": format!("{program} {HOOK_COMMAND}"), "timeout": 5 }],
    });
    let entry = serde_json::to_string_pretty(&entry).unwrap_or_default();
    match value(bench, root, file, KEY)? {
        Some(Value::Array(known)) if position(&known).is_some() => return Ok(Outcome::Unchanged),
        Some(Value::Array(_)) => {
            let edit = OneEdit {
                place: TargetArgs { path: Some(KEY.to_owned()), ..TargetArgs::default() },
                operation: Some(OperationName::InsertInto),
                content: Some(entry),
                ..OneEdit::default()
            };
            set.edits.push(FileEdit { file: text_of(file), edit, expected_hash: None });
        }
        _ => set.edits.push(set_value(
            &text_of(file),
            KEY.to_owned(),
            format!("[\n  {}\n]", entry.replace('\n', "\n  ")),
        )),
    }
    Ok(Outcome::Added)
}

/// Removes the hook, with the lists that contain nothing else.
pub(crate) fn remove(bench: &Workbench, root: &Path, file: &Path, set: &mut FileSetArgs) -> Result<Outcome> {
    let Some(Value::Array(known)) = value(bench, root, file, KEY)? else { return Ok(Outcome::Absent) };
    let Some((entry, hook)) = position(&known) else { return Ok(Outcome::Absent) };
    let is_only_hook = known[entry]["hooks"].as_array().is_some_and(|hooks| hooks.len() == 1);
    let path = match (known.len(), is_only_hook) {
        (1, true) => outermost_path(bench, root, file, KEY)?,
        (_, true) => format!("{KEY}[{entry}]"),
        (_, false) => format!("{KEY}[{entry}].hooks[{hook}]"),
    };
    set.edits.push(delete_value(&text_of(file), path));
    Ok(Outcome::Removed)
}

/// Returns the position of the hook: its entry, and its place in the entry.
fn position(entries: &[Value]) -> Option<(usize, usize)> {
    let is_ours = |hook: &Value| {
        let command = hook["command"].as_str().unwrap_or_default().replace(['"', '\''], "");
        let program = command.strip_suffix(HOOK_COMMAND).map_or("", str::trim_end);
        program.rsplit(['/', '\\']).next().is_some_and(|name| name == "marq" || name == "marq.exe")
    };
    entries
        .iter()
        .enumerate()
        .find_map(|(index, entry)| Some((index, entry["hooks"].as_array()?.iter().position(is_ours)?)))
}
