//! Changes as text: the diff, a summary line, and notes.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Style, items, range, render_remaining, text, texts};

/// Fields that are lists of texts, shown without the name of the field.
const NOTES: [&str; 4] = ["warnings", "unresolved", "kept", "dangling"];
/// Fields that are not listed at the end, because the diff and the summary already show them.
const SHOWN_FIELDS: [&str; 38] = [
    "success",
    "summary",
    "diff",
    "dryRun",
    "completeness",
    "id",
    "hash",
    "range",
    "warnings",
    "kept",
    "unresolved",
    "dangling",
    "operation",
    "refactor",
    "file",
    "target",
    "symbol",
    "newName",
    "filesAffected",
    "totalEdits",
    "fileCount",
    "without",
    "changes",
    "engine",
    "path",
    "created",
    "size",
    "template",
    "source",
    "destination",
    "oldPath",
    "newPath",
    "moved",
    "renamed",
    "duplicated",
    "deleted",
    // The summary describes what was undone.
    "undone",
    "checked",
];
/// Fields that are not listed at the end if there is a diff, because it already shows them.
const IN_DIFF: [&str; 8] = [
    "importsUpdated",
    "exportsRenamed",
    "updatedFiles",
    "symbolsRenamed",
    "totalFilesUpdated",
    "totalDeleted",
    "totalImportsRemoved",
    "directoriesCreated",
];

pub(super) fn render(answer: &Value, style: Style) -> String {
    let mut out = String::new();
    if let Some(diff) = answer["diff"].as_str() {
        diff_lines(&mut out, diff, style);
    }
    let dry = if answer["dryRun"] == true { " (dry run: nothing was written)" } else { "" };
    let _ = writeln!(out, "{}{dry}", style.strong(text(answer, "summary")));
    if let Some(completeness) = answer["completeness"].as_str().filter(|completeness| *completeness != "complete") {
        let _ = writeln!(out, "{} {completeness}", style.faint("completeness:"));
    }
    if let Some(without) = answer["without"].as_u64() {
        let files = answer["fileCount"].as_u64().unwrap_or_default();
        let _ = writeln!(out, "{} {without} of {files} files have no match", style.faint("without:"));
    }
    for key in NOTES {
        for note in texts(answer, key) {
            let _ = writeln!(out, "{} {note}", style.faint(&format!("{key}:")));
        }
    }
    if answer["checked"].is_object() {
        render_checks(&mut out, &answer["checked"], style);
    }
    if style.is_for_models() {
        for_models(&mut out, answer, style);
    } else if let Some(by) = attribution(&answer["undone"]) {
        let _ = writeln!(out, "{}", style.faint(&format!("made by {by}")));
    } else if let Some(id) = answer["id"].as_str() {
        let _ = writeln!(out, "{}", style.faint(&format!("undo with: marq undo {id}")));
    }
    out
}

/// The diagnostics that the change adds and removes, one per line, and what was checked.
fn render_checks(out: &mut String, checked: &Value, style: Style) {
    for (key, sign) in [("added", style.bad("+")), ("removed", style.good("-"))] {
        for problem in items(checked, key) {
            let (path, line, column) = (text(problem, "path"), &problem["line"], &problem["column"]);
            let (severity, message) = (text(problem, "severity"), text(problem, "message"));
            let _ = writeln!(out, "{sign} {}:{line}:{column}: {severity}: {message}", style.name(path));
        }
    }
    let areas = texts(checked, "checked").collect::<Vec<_>>().join(", ");
    let files = match checked["files"].as_u64().unwrap_or_default() {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let (added, removed) = (items(checked, "added").len(), items(checked, "removed").len());
    let counts = if added + removed == 0 {
        "no difference".to_owned()
    } else {
        format!("{added} added and {removed} removed problems")
    };
    let _ = writeln!(out, "{} {counts}; {areas} of {files}", style.faint("checked:"));
    for skipped in texts(checked, "skipped") {
        let _ = writeln!(out, "{} {skipped}", style.faint("not checked:"));
    }
}

/// Adds values that a model needs for its next call.
fn for_models(out: &mut String, answer: &Value, style: Style) {
    let place = range(&answer["range"]).map(|place| format!("range {place}"));
    // The next call needs the hash of the current file; a dry run returns another one.
    let hash = answer["hash"].as_str().filter(|_| answer["dryRun"] != true).map(|hash| format!("hash {hash}"));
    let id = answer["id"].as_str().map(|id| format!("id {id}"));
    let facts: Vec<String> = [place, hash, id].into_iter().flatten().collect();
    if !facts.is_empty() {
        let _ = writeln!(out, "{}", facts.join(" "));
    }
    let shown = answer["diff"].as_str().is_some_and(|diff| !diff.is_empty());
    let shown_fields: Vec<&str> = SHOWN_FIELDS.iter().chain(IN_DIFF.iter().filter(|_| shown)).copied().collect();
    let empty = |value: &Value| matches!(value, Value::Array(list) if list.is_empty()) || *value == 0;
    let Some(fields) = answer.as_object() else { return };
    let rest: serde_json::Map<String, Value> =
        fields.iter().filter(|(_, value)| !empty(value)).map(|(key, value)| (key.clone(), value.clone())).collect();
    render_remaining(out, &Value::Object(rest), &shown_fields, style);
}

pub(super) fn diff_lines(out: &mut String, diff: &str, style: Style) {
    for line in diff.lines() {
        let line = match line.chars().next() {
            Some('+') => style.good(line),
            Some('-') => style.bad(line),
            Some('@') => style.name(line),
            _ => line.to_owned(),
        };
        let _ = writeln!(out, "{line}");
    }
}

/// Client, tool, subject and reason of a change.
fn attribution(change: &Value) -> Option<String> {
    let mut by = [text(change, "client"), text(change, "tool")]
        .into_iter()
        .filter(|part| !part.is_empty())
        .fold(String::new(), |by, part| if by.is_empty() { part.to_owned() } else { format!("{by}, {part}") });
    for (before, part) in [(" ", text(change, "about")), (": ", text(change, "why"))] {
        if !part.is_empty() {
            by += before;
            by += part;
        }
    }
    (!by.is_empty()).then_some(by)
}

/// The history of changes.
pub(super) fn history(answer: &Value, style: Style) -> String {
    let mut out = String::new();
    for change in items(answer, "changes") {
        let undone = if change["undone"] == true { " (undone)" } else { "" };
        let _ = writeln!(out, "{} {}{undone}", style.name(text(change, "id")), text(change, "title"));
        if let Some(by) = attribution(change) {
            let _ = writeln!(out, "    {}", style.faint(&by));
        }
        let purged: Vec<&str> = texts(change, "purged").collect();
        if !purged.is_empty() {
            let _ = writeln!(out, "    {} {}; it cannot be undone", style.bad("purged:"), purged.join(", "));
        }
        if let Some(kept) = change["interrupted"].as_str() {
            let _ = writeln!(
                out,
                "    {} other programs wrote to its files; their content is kept in {kept}",
                style.bad("interrupted:")
            );
        }
    }
    if style.is_for_models() {
        if items(answer, "changes").is_empty() {
            out += "no changes\n";
        }
        render_remaining(&mut out, answer, &["changes"], style);
    } else {
        texts(answer, "warnings").for_each(|warning| _ = writeln!(out, "{} {warning}", style.faint("warnings:")));
    }
    out
}
