//! The answers of queries, as people read them: file by file, with line and column where an editor takes them.

use std::io::Write;

use serde_json::Value;

use super::{BOLD, CYAN, DIM, RED, Style, json};

/// The answer of a query.
pub(crate) fn answer(result: &Value, style: Style) {
    if style.json {
        return json(result);
    }
    let data = &result["data"];
    let list = |key: &str| data[key].as_array().map(Vec::as_slice);
    let counted = if let Some(symbols) = list("symbols") {
        // Those of one file are a tree, those of all files a list.
        if symbols.iter().any(|symbol| symbol["path"].is_string()) {
            symbols.iter().for_each(|symbol| found(symbol, style));
            "symbol"
        } else {
            return symbols.iter().for_each(|symbol| tree(symbol, 0, style));
        }
    } else if let Some(list) = list("diagnostics") {
        list.iter().for_each(|problem| diagnostic(problem, style));
        "problem"
    } else if let Some(list) = list("references") {
        by_file(list, style, reference);
        "reference"
    } else if let Some(list) = list("dependencies") {
        list.iter().for_each(|link| dependency(link, style));
        "link"
    } else if let Some(list) = list("items") {
        by_file(list, style, relation);
        "result"
    } else {
        return json(data);
    };
    summary(data, counted, text(result, "completeness"), style);
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// `9 references in 4 files (complete)`
fn summary(data: &Value, counted: &str, completeness: &str, style: Style) {
    let items: Vec<&Value> = data
        .as_object()
        .into_iter()
        .flat_map(|data| data.values())
        .filter_map(Value::as_array)
        .flatten()
        .filter(|item| item.is_object())
        .collect();
    let mut files: Vec<&str> = items.iter().map(|item| text(item, "path")).filter(|path| !path.is_empty()).collect();
    files.sort_unstable();
    files.dedup();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let files =
        if files.is_empty() { String::new() } else { format!(" in {} file{}", files.len(), plural(files.len())) };
    say!("{}", style.paint(BOLD, &format!("{} {counted}{}{files} ({completeness})", items.len(), plural(items.len()))));
    for skipped in data["skipped"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        say!("{} {skipped}", style.paint(DIM, "not checked:"));
    }
}

/// The items under the names of their files.
fn by_file(items: &[Value], style: Style, line: fn(&Value, Style) -> String) {
    let mut file = "";
    for item in items {
        if text(item, "path") != file {
            file = text(item, "path");
            say!("{}", style.paint(CYAN, file));
        }
        say!("  {}", line(item, style));
    }
}

/// The place in its file, in front of what stands there.
fn place(item: &Value) -> String {
    format!("{:<8}", format!("{}:{}", item["line"], item["column"]))
}

fn reference(item: &Value, style: Style) -> String {
    let doubt = if item["certain"] == false { style.paint(RED, "? ") } else { String::new() };
    let usage = style.paint(DIM, &format!("{:<12}", text(item, "usage")));
    format!("{}{usage} {doubt}{}", place(item), text(item, "preview").trim())
}

fn relation(item: &Value, style: Style) -> String {
    let address = Some(text(item, "address")).filter(|address| !address.is_empty() && *address != text(item, "name"));
    let from = Some(text(item, "from")).filter(|from| !from.is_empty()).map(|from| format!("from {from}"));
    let notes: Vec<&str> = address.into_iter().chain(from.as_deref()).collect();
    format!("{}{}  {}", place(item), text(item, "name"), style.paint(DIM, &notes.join(", "))).trim_end().to_owned()
}

/// The other end, and how it is named: `src/log.ts  import ./log { log }  line 3`.
fn dependency(link: &Value, style: Style) {
    let names: Vec<&str> = link["names"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let names = if names.is_empty() { String::new() } else { format!(" {{ {} }}", names.join(", ")) };
    let only = if link["typeOnly"] == true { " type" } else { "" };
    let how = format!("{}{only} {}{names}", text(link, "kind"), text(link, "specifier"));
    let end = match (link["path"].as_str(), link["unresolved"].as_str()) {
        (Some(path), _) => style.paint(CYAN, path),
        (None, Some(why)) => style.paint(RED, why),
        (None, None) => style.paint(DIM, "outside"),
    };
    say!("{end}  {how}  {}", style.paint(DIM, &format!("line {}", link["line"])));
}

fn diagnostic(problem: &Value, style: Style) {
    let place = format!("{}:{}:{}", text(problem, "path"), problem["line"], problem["column"]);
    let severity = text(problem, "severity");
    let code = if severity == "error" { RED } else { DIM };
    say!("{place} {} {}", style.paint(code, severity), text(problem, "message"));
}

/// A symbol of any file.
fn found(symbol: &Value, style: Style) {
    let place = format!("{}:{}:{}", text(symbol, "path"), symbol["line"], symbol["column"]);
    say!("{} {}  {}", style.paint(DIM, text(symbol, "kind")), text(symbol, "address"), style.paint(CYAN, &place));
}

/// A symbol of one file, with those in it.
fn tree(symbol: &Value, depth: usize, style: Style) {
    let kind = style.paint(DIM, text(symbol, "kind"));
    say!(
        "{}{kind} {}  {}",
        "  ".repeat(depth),
        text(symbol, "address"),
        style.paint(DIM, &format!("line {}", symbol["range"]["start"]["line"]))
    );
    for child in symbol["children"].as_array().into_iter().flatten() {
        tree(child, depth + 1, style);
    }
}
