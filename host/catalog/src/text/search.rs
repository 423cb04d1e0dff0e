//! Search results, grouped by file, each with the address of the enclosing item.

use std::{fmt::Write as _, ops::Range};

use serde_json::Value;

use super::{Style, by_key, compact, items, range, render_remaining, text, texts};

pub(super) fn render(answer: &Value, style: Style) -> String {
    let data = &answer["data"];
    let mut out = String::new();
    let (mut file, matches) = ("", items(data, "matches"));
    // Context lines of different matches are separated, unless they overlap or are adjacent.
    let apart = matches.iter().any(|found| !items(found, "before").is_empty() || !items(found, "after").is_empty());
    let (mut last, mut around) = (0, "");
    for (index, found) in matches.iter().enumerate() {
        let next = matches.get(index + 1).filter(|next| text(next, "path") == text(found, "path"));
        let next = next.map_or(u64::MAX, |next| line_range(next).start);
        let first = line_range(found).start.saturating_sub(items(found, "before").len() as u64);
        if text(found, "path") != file {
            (file, last, around) = (text(found, "path"), 0, "");
            let _ = writeln!(out, "{}", style.name(file));
        } else if apart && first > last + 1 {
            let _ = writeln!(out, "  {}", style.faint("--"));
        }
        let is_known = text(found, "address") == around;
        (last, around) = (match_line(&mut out, found, last + 1..next, is_known, style), text(found, "address"));
    }
    if data["matches"].is_null() {
        for count in items(data, "counts") {
            let _ = writeln!(out, "{:>6}  {}", compact(&count["count"]), style.name(text(count, "path")));
        }
    }
    for near in texts(data, "near") {
        let _ = writeln!(out, "{} {near}", style.faint("hint:"));
    }
    for skipped in texts(data, "skipped") {
        let _ = writeln!(out, "{} {skipped}", style.faint("not searched:"));
    }
    summary(&mut out, answer, style);
    if style.is_for_models() {
        const SHOWN_FIELDS: [&str; 8] =
            ["matches", "matchCount", "fileCount", "searched", "counts", "near", "skipped", "binary"];
        render_remaining(&mut out, data, &SHOWN_FIELDS, style);
        render_remaining(&mut out, answer, &["success", "data", "completeness", "engine", "total"], style);
    }
    out
}

/// The lines of a match, as a half-open range.
fn line_range(found: &Value) -> Range<u64> {
    let line = |end: &str| found["range"][end]["line"].as_u64().unwrap_or(0);
    line("start")..line("end").max(line("start")) + 1
}

/// `3:4  UserService.find  return find(id);`, with the context lines in `room`. Omits the address if it is the same
/// as for the previous match (`is_known`). Returns the last line shown.
fn match_line(out: &mut String, found: &Value, room: Range<u64>, is_known: bool, style: Style) -> u64 {
    let (own, column) = (line_range(found), found["range"]["start"]["column"].as_u64().unwrap_or(0));
    let first = own.start.saturating_sub(items(found, "before").len() as u64);
    context_lines(out, (first..).zip(texts(found, "before")), &room, style);
    let (address, preview) = (text(found, "address"), text(found, "preview").trim());
    let is_lines = text(found, "target") == "lines";
    if style.is_for_models() {
        let what = if is_lines || is_known {
            String::new()
        } else {
            format!(" {} {address} ({})", text(found, "target"), text(found, "kind"))
        };
        // For a match within a line, the end is not shown.
        let is_one_line = own.end == own.start + 1;
        let at =
            if is_one_line { format!("{}:{column}", own.start) } else { range(&found["range"]).unwrap_or_default() };
        let _ = writeln!(out, "  {at}{what}: {preview}");
    } else {
        let address = if is_lines { String::new() } else { format!("{}  ", style.faint(address)) };
        let _ = writeln!(out, "  {:<8}{address}{preview}", format!("{}:{column}", own.start));
    }
    let captures: Vec<String> =
        by_key(&found["captures"]).map(|(name, value)| format!("{name} = {}", capture_text(value))).collect();
    if !captures.is_empty() && style.is_for_models() {
        let _ = writeln!(out, "    {}", captures.join("; "));
    }
    context_lines(out, (own.end..).zip(texts(found, "after")), &room, style);
    (own.end - 1 + items(found, "after").len() as u64).min(room.end.saturating_sub(1))
}

/// Context lines with their numbers, limited to `room`.
fn context_lines<'a>(out: &mut String, lines: impl Iterator<Item = (u64, &'a str)>, room: &Range<u64>, style: Style) {
    for (number, line) in lines.filter(|(number, _)| room.contains(number)) {
        let _ = writeln!(out, "  {}", style.faint(&format!("{number}- {line}")));
    }
}

/// The code captured by a metavariable, on one line.
fn capture_text(value: &Value) -> String {
    value.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `12 matches in 4 files; 310 searched (complete)`
fn summary(out: &mut String, answer: &Value, style: Style) {
    let data = &answer["data"];
    let number = |key: &str| data[key].as_u64().unwrap_or(0);
    let counted = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let mut line = counted(number("matchCount"), "match", "matches");
    if number("matchCount") > 0 {
        let _ = write!(line, " in {}", counted(number("fileCount"), "file", "files"));
    }
    let _ = write!(line, "; {} searched", counted(number("searched"), "file", "files"));
    if number("binary") > 0 {
        let _ = write!(line, ", {} skipped: not text", number("binary"));
    }
    let _ = writeln!(out, "{}", style.strong(&format!("{line} ({})", text(answer, "completeness"))));
}
