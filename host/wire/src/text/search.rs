//! What a search found: file by file, each place with the address of what is around it.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Style, by_key, compact, items, others, range, text, texts};

pub(super) fn render(answer: &Value, style: Style) -> String {
    let data = &answer["data"];
    let mut out = String::new();
    let (mut file, matches) = ("", items(data, "matches"));
    // Lines around matches keep a distance to those of others.
    let apart = matches.iter().any(|found| !items(found, "before").is_empty() || !items(found, "after").is_empty());
    for found in matches {
        if text(found, "path") != file {
            file = text(found, "path");
            let _ = writeln!(out, "{}", style.name(file));
        } else if apart {
            let _ = writeln!(out, "  {}", style.faint("--"));
        }
        place(&mut out, found, style);
    }
    if data["matches"].is_null() {
        for count in items(data, "counts") {
            let _ = writeln!(out, "{:>6}  {}", compact(&count["count"]), style.name(text(count, "path")));
        }
    }
    for near in texts(data, "near") {
        let _ = writeln!(out, "{} {near}", style.faint("but:"));
    }
    for skipped in texts(data, "skipped") {
        let _ = writeln!(out, "{} {skipped}", style.faint("not searched:"));
    }
    summary(&mut out, answer, style);
    if style.is_for_models() {
        const TOLD: [&str; 8] =
            ["matches", "matchCount", "fileCount", "searched", "counts", "near", "skipped", "binary"];
        others(&mut out, data, &TOLD, style);
        others(&mut out, answer, &["success", "data", "completeness", "engine", "total"], style);
    }
    out
}

/// `3:4  UserService.find  return find(id);`, with the lines around it.
fn place(out: &mut String, found: &Value, style: Style) {
    let start = &found["range"]["start"];
    let (line, column) = (start["line"].as_u64().unwrap_or(0), start["column"].as_u64().unwrap_or(0));
    for (index, before) in texts(found, "before").enumerate() {
        let number = line.saturating_sub((items(found, "before").len() - index) as u64);
        let _ = writeln!(out, "  {}", style.faint(&format!("{number}- {before}")));
    }
    let (address, preview) = (text(found, "address"), text(found, "preview").trim());
    let is_lines = text(found, "target") == "lines";
    if style.is_for_models() {
        let what = if is_lines {
            String::new()
        } else {
            format!(" {} {address} ({})", text(found, "target"), text(found, "kind"))
        };
        let _ = writeln!(out, "  {}{what}: {preview}", range(&found["range"]).unwrap_or_default());
    } else {
        let address = if is_lines { String::new() } else { format!("{}  ", style.faint(address)) };
        let _ = writeln!(out, "  {:<8}{address}{preview}", format!("{line}:{column}"));
    }
    let captures: Vec<String> =
        by_key(&found["captures"]).map(|(name, value)| format!("{name} = {}", shown(value))).collect();
    if !captures.is_empty() && style.is_for_models() {
        let _ = writeln!(out, "    {}", captures.join("; "));
    }
    let last = found["range"]["end"]["line"].as_u64().unwrap_or(line);
    for (index, after) in texts(found, "after").enumerate() {
        let _ = writeln!(out, "  {}", style.faint(&format!("{}- {after}", last + 1 + index as u64)));
    }
}

/// What stands for a hole, on one line.
fn shown(value: &Value) -> String {
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
        let _ = write!(line, ", {} passed over that are no text", number("binary"));
    }
    let _ = writeln!(out, "{}", style.strong(&format!("{line} ({})", text(answer, "completeness"))));
}
