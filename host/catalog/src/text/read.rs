//! Results of `file_read`. For people: only the content, so that it can be piped. For models: also its range, kind
//! and the file's hash. With several files, each content has the name of its file.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Style, compact, items, range, render_remaining, text, texts};

/// Fields that are not listed at the end, because the first line and the matches already show them.
const SHOWN_FIELDS: [&str; 15] = [
    "file",
    "target",
    "content",
    "range",
    "targetRange",
    "kind",
    "signature",
    "dependencies",
    "documentation",
    "value",
    "matches",
    "matchCount",
    "missing",
    "hash",
    "engine",
];

pub(super) fn render(answer: &Value, style: Style) -> String {
    if answer["results"].is_array() {
        return several_files(answer, style);
    }
    if style.is_for_models() { for_models(answer, style) } else { for_people(answer, style) }
}

/// Formats the results of several files, one after another, and the files that were left out.
fn several_files(answer: &Value, style: Style) -> String {
    let (mut out, results) = (String::new(), items(answer, "results"));
    // If all values are short, each is one line, as in the output of grep.
    let is_short = |found: &Value| !content(found).trim_end_matches('\n').contains('\n');
    let short = results.iter().all(|read| items(read, "matches").iter().all(is_short) && is_short(read));
    for (place, read) in results.iter().enumerate() {
        let file = text(read, "file");
        if let Some(error) = read["error"].as_object() {
            file_error(&mut out, file, &Value::Object(error.clone()), style);
        } else if style.is_for_models() {
            let gap = if place == 0 { "" } else { "\n" };
            let _ = writeln!(out, "{gap}{}", for_models(read, style).trim_end_matches('\n'));
        } else if short {
            let own = std::slice::from_ref(read);
            let found = items(read, "matches");
            for found in if found.is_empty() { own } else { found } {
                let line = found["range"]["start"]["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
                let _ = writeln!(
                    out,
                    "{}{}: {}",
                    style.name(file),
                    style.faint(&line),
                    content(found).trim_end_matches('\n')
                );
            }
        } else {
            let _ = writeln!(out, "{}\n{}\n", style.strong(file), for_people(read, style).trim_end_matches('\n'));
        }
    }
    if let Some(without) = answer["without"].as_u64() {
        let _ = writeln!(out, "{} {without} of {} files have no match", style.faint("without:"), answer["fileCount"]);
    }
    render_remaining(&mut out, answer, &["results", "fileCount", "without", "failed"], style);
    out
}

/// The error of a file, with hint and candidates.
fn file_error(out: &mut String, file: &str, error: &Value, style: Style) {
    let _ = writeln!(out, "{}: {} ({})", style.name(file), style.bad(text(error, "message")), text(error, "kind"));
    if let Some(hint) = error["hint"].as_str() {
        let _ = writeln!(out, "  {} {hint}", style.faint("hint:"));
    }
    let near: Vec<&str> = texts(error, "candidates").collect();
    if !near.is_empty() {
        let _ = writeln!(out, "  {} {}", style.faint("near:"), near.join(", "));
    }
}

fn for_people(answer: &Value, style: Style) -> String {
    let mut out = String::new();
    let matches = items(answer, "matches");
    if matches.len() < 2 {
        let _ = writeln!(out, "{}", content(answer).trim_end_matches('\n'));
    } else {
        for found in matches {
            let place = format!("{} (line {})", text(found, "address"), found["range"]["start"]["line"]);
            let _ = writeln!(out, "{}\n{}\n", style.name(&place), content(found).trim_end_matches('\n'));
        }
    }
    out
}

/// Returns the content of an answer or a match. An answer with a single match may have the content itself or in the
/// match.
fn content(of: &Value) -> &str {
    match of["content"].as_str() {
        Some(content) => content,
        None => items(of, "matches").first().map_or("", |first| text(first, "content")),
    }
}

fn for_models(answer: &Value, style: Style) -> String {
    let mut out = text(answer, "file").to_owned();
    let matches = items(answer, "matches");
    let one = if matches.len() == 1 { &matches[0] } else { answer };
    match matches.len() {
        0 | 1 => match_header(&mut out, one, answer),
        count => {
            let all = answer["matchCount"].as_u64().unwrap_or(count as u64);
            let of = if all > count as u64 { format!(" of {all}") } else { String::new() };
            let _ = write!(out, " {count}{of} matches");
        }
    }
    let _ = writeln!(out, " hash {}", text(answer, "hash"));
    let uses: Vec<String> = items(answer, "dependencies")
        .iter()
        .map(|name| match (text(name, "symbol"), text(name, "from")) {
            ("*", module) => module.to_owned(),
            (symbol, module) => format!("{symbol} from {module}"),
        })
        .collect();
    if !uses.is_empty() {
        let _ = writeln!(out, "uses: {}", uses.join(", "));
    }
    for missing in items(answer, "missing") {
        let near: Vec<&str> = texts(missing, "candidates").collect();
        let near = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
        let _ = writeln!(
            out,
            "missing: {}{near}",
            missing["symbol"].as_str().map_or_else(|| compact(missing), str::to_owned)
        );
    }
    render_remaining(&mut out, answer, &SHOWN_FIELDS, style);
    if matches.len() < 2 {
        match_body(&mut out, one, content(answer));
    } else {
        for (place, found) in matches.iter().enumerate() {
            let _ = write!(out, "\n[{}]", place + 1);
            match_header(&mut out, found, &Value::Null);
            out.push('\n');
            match_body(&mut out, found, content(found));
            if !out.ends_with('\n') {
                out.push('\n');
            }
        }
    }
    out
}

/// Writes the header of a match: ` UserService.find (method) 12:2-18:3`.
fn match_header(out: &mut String, found: &Value, answer: &Value) {
    let address = found["address"].as_str().or(answer["target"]["value"].as_str()).unwrap_or_default();
    // For a whole file, the name is already shown.
    if !address.is_empty() && answer["target"]["type"] != "file" {
        let _ = write!(out, " {address}");
    }
    if let Some(kind) = found["kind"].as_str().or(answer["kind"].as_str()) {
        let _ = write!(out, " ({kind})");
    }
    let place = range(&found["range"]).or_else(|| range(&answer["range"]));
    if let Some(place) = place {
        let _ = write!(out, " {place}");
    }
    if let Some(whole) = range(&found["targetRange"]) {
        let _ = write!(out, " of {whole}");
    }
}

/// The documentation, if it is not part of the content, and the content.
fn match_body(out: &mut String, found: &Value, content: &str) {
    let comment = &found["documentation"];
    if let (Some(text), Some(place)) = (comment["content"].as_str(), range(&comment["range"])) {
        let _ = writeln!(out, "documentation {place}:\n{}", text.trim_end_matches('\n'));
        out.push_str("content:\n");
    }
    out.push_str(content);
    // Show the parsed value only if it differs from the text.
    let value = &found["value"];
    let json = value.to_string();
    if !value.is_null() && json != content {
        let line = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
        let _ = write!(out, "{line}value: {json}");
    }
}
