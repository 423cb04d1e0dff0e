//! Formats results of `open`, one per line. Without an editor, formats the contents for a terminal.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Style, change, items, range, text, texts};

pub(super) fn render(answer: &Value, style: Style) -> String {
    let mut out = String::new();
    for result in items(answer, "results") {
        if result["success"] == true {
            render_opened(&mut out, result, style)
        } else {
            render_failed(&mut out, result, style)
        }
    }
    for warning in texts(answer, "warnings") {
        let _ = writeln!(out, "{} {warning}", style.faint("warnings:"));
    }
    out
}

fn render_opened(out: &mut String, result: &Value, style: Style) {
    if let Some(content) = result["content"].as_str() {
        out.push_str(content);
        if !content.is_empty() && !content.ends_with('\n') {
            out.push('\n');
        }
    } else if let Some(diff) = result["diff"].as_str() {
        change::diff_lines(out, diff, style);
    } else {
        let place = range(&result["range"]).map(|range| format!(" {range}")).unwrap_or_default();
        let words = ["address", "change"].map(|key| text(result, key)).into_iter().filter(|word| !word.is_empty());
        let words = words.fold(String::new(), |words, word| words + "  " + word);
        let _ = writeln!(out, "opened {}{place}{}", style.name(text(result, "path")), style.faint(&words));
    }
    if let Some(note) = result["note"].as_str() {
        let _ = writeln!(out, "{}", style.faint(note));
    }
}

fn render_failed(out: &mut String, result: &Value, style: Style) {
    let _ = writeln!(out, "{} ({})", style.bad(text(result, "error")), text(result, "kind"));
    if let Some(hint) = result["hint"].as_str() {
        let _ = writeln!(out, "hint: {hint}");
    }
    for candidate in texts(result, "candidates") {
        let _ = writeln!(out, "  - {candidate}");
    }
}
