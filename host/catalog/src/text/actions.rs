//! Code actions as text: each applicable refactor with the call that performs it, and the reasons why the others do not
//! apply.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Style, compact, items, render_remaining, text, texts};

pub(super) fn render(answer: &Value, style: Style) -> String {
    let data = &answer["data"];
    let mut out = String::new();
    for action in items(data, "actions") {
        render_action(&mut out, action, style);
    }
    let unavailable = items(data, "unavailable");
    if items(data, "actions").is_empty() {
        let _ = writeln!(out, "no refactor applies at this location");
    }
    if !unavailable.is_empty() {
        let _ = writeln!(out, "{}", style.faint("not here:"));
    }
    for other in unavailable {
        let hint = Some(text(other, "hint")).filter(|hint| !hint.is_empty());
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        let _ = writeln!(out, "  {}: {}{}", text(other, "refactor"), text(other, "reason"), style.faint(&hint));
    }
    if style.is_for_models() {
        render_remaining(&mut out, answer, &["success", "data", "completeness", "engine"], style);
    }
    out
}

fn render_action(out: &mut String, action: &Value, style: Style) {
    let mends = action["fixes"].as_str().map(|problem| format!(" ({problem})")).unwrap_or_default();
    let _ = writeln!(out, "{}  {}{mends}", style.name(text(action, "refactor")), text(action, "title"));
    let takes: Vec<String> = items(action, "arguments").iter().map(argument_text).collect();
    if !takes.is_empty() {
        let _ = writeln!(out, "    {} {}", style.faint("takes:"), takes.join(", "));
    }
    if style.is_for_models() {
        let _ = writeln!(out, "    call: {}", compact(&action["call"]));
    }
}

/// Formats an argument, such as `scope (block or file)`. Shows its summary only if the argument has no fixed values.
fn argument_text(argument: &Value) -> String {
    let values: Vec<&str> = texts(argument, "values").collect();
    let needed = if argument["required"] == true { "needed: " } else { "" };
    let what = if values.is_empty() { text(argument, "summary").to_owned() } else { values.join(" or ") };
    format!("{} ({needed}{what})", text(argument, "name"))
}
