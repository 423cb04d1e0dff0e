//! What people see: results, diffs and errors on the terminal; with `--json`, the results themselves.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the one place that prints")]

use std::io::{IsTerminal, Write};

use marquetry_model::{Error, Result};
use marquetry_wire::{Catalog, catalog::error_json};
use serde_json::Value;

use crate::flags::When;

/// A line on standard output. Whoever reads it may have read enough and gone: that is no failure.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

mod answer;

pub(crate) use answer::answer;

/// How to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    json: bool,
    color: bool,
}

const RED: &str = "31";
const GREEN: &str = "32";
const CYAN: &str = "36";
const DIM: &str = "2";
const BOLD: &str = "1";

impl Style {
    pub(crate) fn new(json: bool, when: When) -> Style {
        let color = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Style { json, color }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// One line of output.
pub(crate) fn line(text: &str) {
    say!("{text}");
}

/// A value as JSON, for programs.
fn json(value: &Value) {
    say!("{}", serde_json::to_string_pretty(value).unwrap_or_default());
}

/// The result of a read: the text and nothing else, so that it can be piped; notes go to standard error.
pub(crate) fn read(result: &Value, style: Style) {
    if style.json {
        return json(result);
    }
    let content = |of: &Value| of["content"].as_str().unwrap_or_default().to_owned();
    let matches = result["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
    if matches.len() < 2 {
        say!("{}", content(result).trim_end_matches('\n'));
    } else {
        for found in matches {
            let place =
                format!("{} (line {})", found["address"].as_str().unwrap_or_default(), found["range"]["start"]["line"]);
            say!("{}\n{}\n", style.paint(CYAN, &place), content(found).trim_end_matches('\n'));
        }
    }
    if let Some(note) = result["truncated"].as_str() {
        eprintln!("{}", style.paint(DIM, note));
    }
}

/// The result of a change: its diff, and one line that says what was done.
pub(crate) fn change(result: &Value, style: Style) {
    if style.json {
        return json(result);
    }
    if let Some(diff) = result["diff"].as_str() {
        let _ = write!(std::io::stdout(), "{}", colored(diff, style));
    }
    let dry = if result["dryRun"] == true { " (dry run: nothing was written)" } else { "" };
    say!("{}{dry}", style.paint(BOLD, result["summary"].as_str().unwrap_or_default()));
    if let Some(completeness) = result["completeness"].as_str().filter(|completeness| *completeness != "complete") {
        say!("{} {completeness}", style.paint(DIM, "completeness:"));
    }
    for key in ["warnings", "left", "unresolved", "dangling"] {
        for note in result[key].as_array().into_iter().flatten().filter_map(Value::as_str) {
            say!("{} {note}", style.paint(DIM, &format!("{key}:")));
        }
    }
    if let Some(id) = result["id"].as_str() {
        say!("{}", style.paint(DIM, &format!("undo with: marq undo {id}")));
    }
}

fn colored(diff: &str, style: Style) -> String {
    let paint = |line: &str| match line.chars().next() {
        Some('+') => style.paint(GREEN, line),
        Some('-') => style.paint(RED, line),
        Some('@') => style.paint(CYAN, line),
        _ => line.to_owned(),
    };
    diff.lines().map(|line| paint(line) + "\n").collect()
}

/// The changes made so far.
pub(crate) fn history(result: &Value, style: Style) {
    if style.json {
        return json(result);
    }
    for change in result["changes"].as_array().into_iter().flatten() {
        let undone = if change["undone"] == true { " (undone)" } else { "" };
        say!(
            "{} {}{undone}",
            style.paint(CYAN, change["id"].as_str().unwrap_or_default()),
            change["title"].as_str().unwrap_or_default()
        );
        if let Some(kept) = change["interrupted"].as_str() {
            say!(
                "    {} others wrote to its files; what stood in them is kept in {kept}",
                style.paint(RED, "interrupted:")
            );
        }
    }
}

/// The tools in one line each, or one tool with its schema.
pub(crate) fn tools(catalog: &Catalog, name: Option<&str>, style: Style) -> Result<()> {
    if let Some(name) = name {
        let tool = catalog.find(name)?;
        say!("{} ({})\n{}\n", style.paint(BOLD, tool.name), tool.method, tool.description);
        json(&tool.input_schema());
        return Ok(());
    }
    for tool in catalog.tools() {
        if style.json {
            json(&serde_json::json!({
                "name": tool.name, "method": tool.method, "title": tool.title, "description": tool.description, "readOnly": tool.read_only,
                "destructive": tool.destructive, "inputSchema": tool.input_schema(), "outputSchema": tool.output_schema(),
            }));
        } else {
            let first = tool.description.split(". ").next().unwrap_or_default();
            say!("{:<16}{first}", style.paint(BOLD, tool.name));
        }
    }
    Ok(())
}

/// The plugins as a table.
pub(crate) fn plugins(rows: &[Value], style: Style) {
    if style.json {
        return json(&Value::Array(rows.to_vec()));
    }
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
        let list = |key: &str| {
            row[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        };
        let state = text("state");
        let shown = if state == "ready" { style.paint(GREEN, &state) } else { style.paint(RED, &state) };
        say!("{} {} {} {shown}", style.paint(BOLD, &text("id")), text("version"), text("source"));
        say!("    files: {}", list("files"));
        for key in ["interfaces", "grants"] {
            if !list(key).is_empty() {
                say!("    {key}: {}", list(key));
            }
        }
    }
}

/// A list of checks.
pub(crate) fn checks(checks: &[(String, std::result::Result<String, String>)], style: Style) {
    for (name, result) in checks {
        match result {
            Ok(detail) => say!("{} {name}: {detail}", style.paint(GREEN, "ok  ")),
            Err(why) => say!("{} {name}: {why}", style.paint(RED, "FAIL")),
        }
    }
}

/// An error: what was wrong, what to do, and the nearest right answers.
pub(crate) fn error(error: &Error, json: bool) {
    if json {
        say!("{}", error_json(error));
        return;
    }
    let content = error.content();
    eprintln!("error: {} ({})", content.message, content.kind.name());
    if let Some(hint) = &content.hint {
        eprintln!("hint: {hint}");
    }
    for candidate in &content.candidates {
        eprintln!("  - {candidate}");
    }
}
