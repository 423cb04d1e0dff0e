//! Terminal output: results, diffs and errors; with `--json`, the raw results.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the one place that prints")]

use std::{
    io::{IsTerminal, Write},
    process::{Command, Stdio},
};

use marquetry_catalog::{
    Catalog, Tool, error_json,
    text::{self, Style},
};
use marquetry_model::{
    Error, Result,
    escape::{escape_json, escape_line, escape_text},
};
use serde_json::Value;

use crate::{
    config,
    flags::{ColorChoice, Pager},
    shell_words::{answer_for_shell, for_shell, note_for_shell},
};

/// Prints a line on standard output. A closed pipe is not an error, because the reader may have read enough.
macro_rules! say {
    ($($text:tt)*) => {{
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

mod clients;
pub(crate) use clients::{client_diffs, clients};

/// Output options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    style: Style,
    terminal: bool,
}

impl Output {
    pub(crate) fn new(json: bool, when: ColorChoice) -> Output {
        let color = match when {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Output { json, style: Style::for_people(color), terminal: std::io::stdout().is_terminal() }
    }
}

/// Prints bytes.
pub(crate) fn bytes(bytes: &[u8]) {
    let _ = std::io::stdout().write_all(bytes);
}

/// Prints one line: a message, or JSON.
pub(crate) fn line(text: &str) {
    say!("{}", escape_json(text));
}

/// Prints lines that a plugin wrote, with control characters escaped.
pub(crate) fn text(text: &str) {
    say!("{}", escape_text(text));
}

/// Prints a value as JSON.
pub(crate) fn json(value: &Value) {
    say!("{}", escape_json(&serde_json::to_string_pretty(value).unwrap_or_default()));
}

/// Prints the answer of a tool. For a read, only the text is printed, so that it can be piped; notes go to standard
/// error.
pub(crate) fn answer(tool: &str, answer: &Value, output: Output) {
    if output.json {
        return json(answer);
    }
    let answer = answer_for_shell(answer);
    let shown = if output.terminal { &escape_multiline(&answer) } else { &answer };
    let rendered = text::render(tool, shown, output.style);
    let _ = write!(std::io::stdout(), "{rendered}");
    print_notes(&answer, &rendered, output.style);
}

/// Prints a note on standard error.
pub(crate) fn note(text: &str) {
    print_error_line(&escape_line(text));
}

/// Prints a line on standard error. A closed pipe is not an error.
fn print_error_line(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints notes of the answer on standard error: all warnings in the JSON also appear on the terminal.
fn print_notes(answer: &Value, rendered: &str, style: Style) {
    if let Some(note) = answer["truncated"].as_str() {
        print_error_line(&style.faint(&note_for_shell(note)));
    }
    for warning in unseen_warnings(answer, rendered) {
        print_error_line(&format!("{} {warning}", style.bad("warning:")));
    }
}

/// Returns the warnings of an answer that its rendered text does not contain.
fn unseen_warnings(answer: &Value, rendered: &str) -> Vec<String> {
    let all = answer["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    all.map(escape_line).filter(|warning| !rendered.contains(&**warning)).collect()
}

/// Prints an answer in a pager if standard output is a terminal.
pub(crate) fn answer_in_pager(tool: &str, value: &Value, output: Output, pager: Pager) {
    let program = config::pager().filter(|_| output.terminal && !output.json && pager == Pager::Auto);
    let Some((program, arguments)) = program.as_deref().and_then(<[String]>::split_first) else {
        return answer(tool, value, output);
    };
    let started = Command::new(program).args(arguments).stdin(Stdio::piped()).spawn();
    let Ok(mut reading) = started else { return answer(tool, value, output) };
    let value = &answer_for_shell(value);
    let rendered = text::render(tool, &escape_multiline(value), output.style);
    if let Some(mut input) = reading.stdin.take() {
        // The user may have quit the pager.
        let _ = input.write_all(rendered.as_bytes());
    }
    let _ = reading.wait();
    print_notes(value, &rendered, output.style);
}

/// Lists the tools in one line each, or prints one tool with its schema.
pub(crate) fn tools(catalog: &Catalog, name: Option<&str>, Output { json: as_json, style, .. }: Output) -> Result<()> {
    let described = |tool: &Tool| {
        serde_json::json!({
            "name": tool.name, "method": tool.method, "title": tool.title, "description": tool.description, "core": tool.core,
            "readOnly": tool.read_only, "destructive": tool.destructive, "inputSchema": tool.input_schema(),
            "outputSchema": tool.output_schema(),
        })
    };
    if let Some(name) = name {
        let tool = catalog.find(name)?;
        if as_json {
            json(&described(tool));
            return Ok(());
        }
        say!("{} ({})\n{}\n", style.strong(tool.name), tool.method, tool.description);
        json(tool.input_schema());
        return Ok(());
    }
    if as_json {
        json(&catalog.tools().iter().map(described).collect());
        return Ok(());
    }
    for tool in catalog.tools() {
        let first = tool.description.split(". ").next().unwrap_or_default();
        say!("{:<16}{first}", style.strong(tool.name));
    }
    Ok(())
}

/// Prints the plugins as a table.
pub(crate) fn plugins(rows: &[Value], Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(&Value::Array(rows.to_vec()));
    }
    for row in rows.iter().map(escape_one_line) {
        let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
        let list = |key: &str| {
            row[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        };
        let state = text("state");
        let shown = if state == "ready" { style.good(&state) } else { style.bad(&state) };
        say!("{} {} {} {shown}", style.strong(&text("id")), text("version"), text("source"));
        say!("    files: {}", list("files"));
        for key in ["interfaces", "grants"] {
            if !list(key).is_empty() {
                say!("    {key}: {}", list(key));
            }
        }
        for overlap in row["overlaps"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            say!("    two plugins: {overlap}");
        }
    }
}

/// Prints the known language servers. The names and commands of a project are untrusted.
pub(crate) fn language_servers(rows: &[Value], Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(&Value::Array(rows.to_vec()));
    }
    for row in rows.iter().map(escape_one_line) {
        let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
        let files: Vec<&str> = row["files"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let state = text("state");
        let shown = if state == "approved" { style.good(&state) } else { state };
        say!("{} {shown}: {}", style.strong(&text("id")), files.join(" "));
        if row["command"].is_string() {
            say!("    {} ({})", text("command"), text("found"));
        }
        say!("    {}", text("next"));
    }
}

/// Prints found plugins, a line each. Their titles are untrusted.
pub(crate) fn found_plugins(rows: &[Value], left: usize, Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(&serde_json::json!({ "found": rows, "left": left }));
    }
    for row in rows {
        let text = |key: &str| escape_line(row[key].as_str().unwrap_or("-"));
        let signed = if row["signed"] == true { ", signed" } else { "" };
        say!("{} {}  {}{signed}", style.strong(&text("source")), text("version"), text("title"));
    }
    if rows.is_empty() {
        say!("no plugins found");
    }
    if left > 0 {
        say!("{left} more were not checked: give more of the name, or a longer prefix");
    }
}

/// Prints named values, a line each.
pub(crate) fn rows(rows: &[(&str, Value)], Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(&rows.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
    }
    for (name, value) in rows {
        let list = value.as_array().map(|list| list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "));
        let shown = list.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_else(|| value.to_string());
        let shown = escape_line(&shown);
        if !shown.is_empty() {
            say!("{} {shown}", style.strong(&format!("{name:<16}")));
        }
    }
}

/// Prints the results of testing a pack.
pub(crate) fn test_report(report: &Value, Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(report);
    }
    let report = &escape_multiline(report);
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let (plugin, version) = (text(&report["plugin"]), text(&report["version"]));
    say!("{} {version}, {}", style.strong(&plugin), format_size(&report["bytes"]));
    for verdict in report["verdicts"].as_array().into_iter().flatten() {
        let wrong: Vec<&str> = verdict["wrong"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mark = if wrong.is_empty() { style.good("ok  ") } else { style.bad("FAIL") };
        say!("{mark} {}", text(&verdict["what"]));
        for what in wrong {
            say!("{}", what.trim_end().lines().map(|line| format!("     {line}\n")).collect::<String>().trim_end());
        }
    }
    let figures: Vec<&Value> = report["figures"].as_array().into_iter().flatten().collect();
    if !figures.is_empty() {
        say!("{:>10} {:>12} {:>12}  document", "bytes", "first ms", "again ms");
    }
    for figure in figures {
        let (first, again) = (&figure["firstMs"], &figure["againMs"]);
        let bytes = &figure["bytes"];
        say!(
            "{:>10} {:>12} {:>12}  {}",
            bytes.to_string(),
            first.to_string(),
            again.to_string(),
            text(&figure["document"])
        );
    }
    say!("memory at the end: {}", format_size(&report["memoryBytes"]));
}

/// Prints the permissions that a project requests and their approval.
pub(crate) fn requested_permissions(answer: &Value, Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(answer);
    }
    let answer = &escape_one_line(answer);
    let all = answer["permissions"].as_array().map_or(&[][..], Vec::as_slice);
    let is_allowed = |demand: &&Value| demand["allowed"] == true;
    let is_mixed = all.iter().any(|demand| is_allowed(&demand)) && !all.iter().all(|demand| is_allowed(&demand));
    for demand in all {
        let text = |key: &str| demand[key].as_str().unwrap_or("-").to_owned();
        let allowed = if is_mixed && is_allowed(&demand) { " (allowed)" } else { "" };
        say!("{}: {}{allowed}", style.strong(&text("plugin")), text("permission"));
        for note in demand["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            say!("    {note}");
        }
    }
    say!("{}", answer["approval"].as_str().unwrap_or("-"));
}

/// Prints interrupted changes and what was done about them.
pub(crate) fn interrupted_changes(answer: &Value, Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(answer);
    }
    let answer = &escape_one_line(answer);
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    if let Some(id) = answer["givenUp"].as_str() {
        say!("{} is left as it is; the old content is in {}", style.strong(id), text(&answer["kept"]));
    }
    if let Some(message) = answer["rolledBack"].as_str() {
        say!("{message}");
    }
    let list = answer["unfinished"].as_array().map_or(&[][..], Vec::as_slice);
    for change in list {
        say!("{} {} in {}", style.strong(&text(&change["id"])), text(&change["title"]), text(&change["folder"]));
        say!("    {}", text(&change["reason"]));
        for file in change["files"].as_array().into_iter().flatten() {
            say!("    {}", text(file));
        }
    }
    if list.is_empty() {
        say!("no interrupted changes");
    }
}

/// Prints stale data and whether it was removed.
pub(crate) fn stale_data(answer: &Value, Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(answer);
    }
    let answer = &escape_one_line(answer);
    let list = answer["staleData"].as_array().map_or(&[][..], Vec::as_slice);
    let (mut bytes, mut gone) = (0, 0);
    for item in list {
        let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
        say!("{:>9}  {}  {}", format_size(&item["bytes"]), text("reason"), style.faint(&text("path")));
        if item["kept"].is_string() {
            say!("           {} {}", style.bad("kept:"), text("kept"));
            continue;
        }
        bytes += item["bytes"].as_u64().unwrap_or(0);
        gone += 1;
    }
    let sum = format_size(&bytes.into());
    match (list.is_empty(), answer["removed"] == true) {
        (true, _) => say!("nothing to remove: all stored data is in use"),
        (_, true) => say!("removed {gone} in total, {sum}"),
        _ => say!("{gone} in total, {sum}; nothing was removed: `marq clean --yes` removes them"),
    }
}

/// Prints what a history keeps of a path and whether it was purged.
pub(crate) fn purged_history(answer: &Value, Output { json: as_json, style, .. }: Output) {
    if as_json {
        return json(answer);
    }
    let answer = &escape_one_line(answer);
    let path = answer["path"].as_str().unwrap_or_default();
    let (done, mut kept) = (answer["purged"] == true, false);
    for history in answer["histories"].as_array().into_iter().flatten() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let changes = history["changes"].as_array().map_or(&[][..], Vec::as_slice);
        for change in changes {
            let cannot = if done { "can no longer be undone" } else { "could no longer be undone" };
            say!("{} {}: {cannot}", style.strong(&text(&change["id"])), text(&change["title"]));
        }
        for unread in history["unread"].as_array().into_iter().flatten() {
            say!("{} {} cannot be read, and may hold it: remove it yourself", style.bad("unread:"), text(unread));
        }
        if !changes.is_empty() {
            kept = true;
            let verb = if done { "purged" } else { "would purge" };
            say!("{verb} {} from the history of {}", format_size(&history["bytes"]), text(&history["root"]));
        }
    }
    match (kept, done) {
        (false, _) => say!("no history has contents of {path}"),
        (true, false) => say!("nothing was erased; `--yes` erases it permanently"),
        (true, true) if answer["exists"] == true => say!("{path} itself was not changed"),
        _ => {}
    }
}

/// Formats a size for users.
fn format_size(bytes: &Value) -> String {
    let bytes = bytes.as_u64().unwrap_or(0);
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// Prints a list of checks.
pub(crate) fn checks(checks: &[(String, std::result::Result<String, String>)], Output { style, .. }: Output) {
    for (name, result) in checks {
        match result {
            Ok(detail) => say!("{} {}: {}", style.good("ok  "), escape_line(name), escape_line(detail)),
            Err(why) => say!("{} {}: {}", style.bad("FAIL"), escape_line(name), escape_line(why)),
        }
    }
}

/// Prints an error: the problem, a hint, and the nearest valid alternatives.
pub(crate) fn error(error: &Error, json: bool) {
    if json {
        say!("{}", escape_json(&error_json(error).to_string()));
        return;
    }
    let shown = text::error(&for_shell(error), Style::for_people(false));
    print_error_line(&if std::io::stderr().is_terminal() { escape_text(&shown) } else { shown });
}

/// Escapes the texts of an answer for a terminal, keeping line breaks.
fn escape_multiline(answer: &Value) -> Value {
    map_texts(answer, escape_text)
}

/// Escapes the texts of an answer, each for one line.
fn escape_one_line(answer: &Value) -> Value {
    map_texts(answer, escape_line)
}

/// Maps all texts and names of an answer.
fn map_texts(answer: &Value, change: fn(&str) -> String) -> Value {
    match answer {
        Value::String(text) => change(text).into(),
        Value::Array(list) => list.iter().map(|item| map_texts(item, change)).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (change(name), map_texts(value, change))).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warning_of_the_json_is_printed() {
        let answer = serde_json::json!({ "warnings": ["files below `src` may be half changed", "told", "\u{1b}[2J"] });
        let unseen = unseen_warnings(&answer, "warnings: told\n");
        assert_eq!(unseen, ["files below `src` may be half changed", "\\u{1b}[2J"]);
        assert!(unseen_warnings(&serde_json::json!({ "content": "x" }), "x").is_empty());
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        for hidden in ["\u{7f}", "\u{9b}", "\u{202e}", "\u{2028}", "\u{feff}", "\u{e0041}", "\u{1b}\n\\\"é"] {
            let value = serde_json::json!({ format!("a{hidden}"): [format!("{hidden}\n\\{hidden}b")] });
            for json in [value.to_string(), serde_json::to_string_pretty(&value).expect("JSON")] {
                let escaped = escape_json(&json);
                assert!(escaped.chars().all(|letter| letter.is_ascii() || letter == 'é'), "{escaped}");
                assert_eq!(serde_json::from_str::<Value>(&escaped).expect("JSON"), value, "{hidden:?}");
            }
        }
    }

    #[test]
    fn nested_texts_of_answers_are_escaped() {
        let answer = serde_json::json!({ "content": ["\u{1b}[2J\n"], "\u{202e}": { "n": 1 } });
        let escaped = serde_json::json!({ "content": ["\\u{1b}[2J\n"], "\\u{202e}": { "n": 1 } });
        assert_eq!(escape_multiline(&answer), escaped);
        assert_eq!(escape_one_line(&answer)["content"][0], "\\u{1b}[2J\\n");
    }
}
