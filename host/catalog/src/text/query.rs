//! Query results as text, grouped by file, with line and column in the form that editors accept.

mod files;
mod single;

use std::fmt::Write as _;

use serde_json::Value;

use super::{Style, compact, items, range, render_remaining, text, texts};

pub(super) fn render(answer: &Value, style: Style) -> String {
    let data = &answer["data"];
    if let Some(out) = single::render(answer, style) {
        return out;
    }
    let list = |key: &str| data[key].as_array().map(Vec::as_slice);
    let mut out = String::new();
    if data["matchCount"].is_u64() {
        return super::search::render(answer, style);
    }
    if data["fileCount"].is_u64() {
        return files::render(answer, style);
    }
    if data["actions"].is_array() {
        return super::actions::render(answer, style);
    }
    let counted = if let Some(symbols) = list("symbols") {
        // The symbols of a single file are a tree, those of several files a list.
        if symbols.iter().any(|symbol| symbol["path"].is_string()) || symbols.is_empty() {
            symbols.iter().for_each(|symbol| workspace_symbol(&mut out, symbol, style));
        } else {
            symbols.iter().for_each(|symbol| symbol_tree(&mut out, symbol, 0, style));
            if !style.is_for_models() {
                return out;
            }
        }
        "symbol"
    } else if let Some(list) = list("diagnostics") {
        list.iter().for_each(|problem| diagnostic(&mut out, problem, style));
        "problem"
    } else if let Some(list) = list("references") {
        by_file(&mut out, list, style, reference);
        "reference"
    } else if let Some(list) = list("dependencies") {
        list.iter().for_each(|link| dependency(&mut out, link, style));
        "link"
    } else if data["staged"].is_array() {
        git_status(&mut out, data, style);
        "change"
    } else if let Some(list) = list("items") {
        by_file(&mut out, list, style, relation);
        "result"
    } else {
        render_remaining(&mut out, data, &[], style);
        return out;
    };
    summary(&mut out, answer, counted, style);
    if style.is_for_models() {
        const LISTS: [&str; 9] =
            ["symbols", "diagnostics", "references", "dependencies", "items", "skipped", "symbol", "files", "usages"];
        // The checked areas are shown with the completeness, and `reported: all` is omitted because it is the default.
        let mut shown = LISTS.to_vec();
        shown.push("checked");
        if data["reported"] == "all" {
            shown.push("reported");
        }
        if !data["staged"].is_array() {
            render_remaining(&mut out, data, &shown, style);
        }
        let mut shown = vec!["success", "data", "completeness", "engine"];
        // The summary line already shows the total.
        if answer["truncated"].is_string() && !data["symbols"].is_array() {
            shown.push("total");
        }
        render_remaining(&mut out, answer, &shown, style);
    } else {
        texts(answer, "warnings").for_each(|warning| _ = writeln!(out, "{} {warning}", style.faint("warnings:")));
    }
    out
}

/// The branch, and the changes in each area.
fn git_status(out: &mut String, data: &Value, style: Style) {
    let commit = text(data, "commit").get(..10).unwrap_or("no commit yet");
    let branch = data["branch"].as_str().unwrap_or("detached");
    let _ = write!(out, "{} {}", style.name(branch), style.faint(commit));
    if let Some(upstream) = data["upstream"].as_str() {
        let _ = write!(out, " … {upstream}");
        if let (Some(ahead), Some(behind)) = (data["ahead"].as_u64(), data["behind"].as_u64()) {
            let _ = write!(out, " ahead {ahead}, behind {behind}");
        }
    }
    let operation = data["operation"].as_str().map(|operation| format!(" ({operation} in progress)"));
    let _ = writeln!(out, "{}", style.bad(&operation.unwrap_or_default()));
    for area in ["conflicts", "staged", "unstaged", "untracked"] {
        for change in items(data, area) {
            let from = change["from"].as_str().map(|from| format!(" from {from}")).unwrap_or_default();
            let word = if area == "untracked" { area.to_owned() } else { format!("{area} {}", text(change, "status")) };
            let _ = writeln!(out, "  {word}: {}{from}", text(change, "path"));
        }
    }
    for submodule in texts(data, "submodules") {
        let _ = writeln!(out, "{} {submodule}", style.faint("submodule:"));
    }
    for worktree in items(data, "worktrees") {
        let branch = worktree["branch"].as_str().unwrap_or("detached");
        let _ = writeln!(out, "{} {} {branch}", style.faint("worktree:"), text(worktree, "folder"));
    }
    if let Some(folder) = data["folder"].as_str() {
        let _ = writeln!(out, "{} {folder}", style.faint("repository in:"));
    }
}

/// `9 references in 4 files (complete)`
fn summary(out: &mut String, answer: &Value, counted: &str, style: Style) {
    let data = &answer["data"];
    // All lists of results, but not the counts per file or the worktrees of a repository.
    let lists =
        data.as_object().into_iter().flatten().filter(|(key, _)| !["files", "worktrees"].contains(&key.as_str()));
    let all: Vec<&Value> =
        lists.filter_map(|(_, list)| list.as_array()).flatten().filter(|item| item.is_object()).collect();
    let mut files: Vec<&str> = all.iter().map(|item| text(item, "path")).filter(|path| !path.is_empty()).collect();
    files.sort_unstable();
    files.dedup();
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let files =
        if files.is_empty() { String::new() } else { format!(" in {} file{}", files.len(), plural(files.len())) };
    let count = all.iter().map(|item| size(item)).sum::<usize>();
    // Size of the full list, if the answer has only a part of it. Trees have no such size.
    let total = answer["total"].as_u64().filter(|total| *total > count as u64 && all.len() == count);
    let (of, many) = total.map_or((String::new(), count), |total| (format!(" of {total}"), total as usize));
    let line = format!("{count}{of} {counted}{}{files} ({})", plural(many), text(answer, "completeness"));
    let _ = writeln!(out, "{}", style.strong(&line));
    // Counts per file for the whole list, including its other pages.
    let files: Vec<String> =
        items(data, "files").iter().map(|file| format!("{} {}", text(file, "path"), file["count"])).collect();
    if files.len() > 1 && style.is_for_models() {
        let usages = data["usages"].as_object().into_iter().flatten();
        let usages: Vec<String> = usages.map(|(usage, count)| format!("{usage} {count}")).collect();
        let _ = writeln!(out, "by file: {}\nby kind: {}", files.join(", "), usages.join(", "));
    }
    for skipped in texts(data, "skipped") {
        let _ = writeln!(out, "{} {skipped}", style.faint("not checked:"));
    }
}

/// Number of items in a tree.
fn size(item: &Value) -> usize {
    1 + items(item, "children").iter().map(size).sum::<usize>()
}

/// Lists items under the names of their files.
fn by_file(out: &mut String, items: &[Value], style: Style, line: fn(&Value, Style) -> String) {
    let mut file = "";
    for item in items {
        if text(item, "path") != file {
            file = text(item, "path");
            let _ = writeln!(out, "{}", style.name(file));
        }
        let _ = writeln!(out, "  {}", line(item, style));
    }
}

/// The position at the start of a line, aligned for people.
fn position(item: &Value, style: Style) -> String {
    let place = format!("{}:{}", item["line"], item["column"]);
    if style.is_for_models() { format!("{place} ") } else { format!("{place:<8}") }
}

fn reference(item: &Value, style: Style) -> String {
    let doubt = if item["certain"] == false { style.bad("? ") } else { String::new() };
    let usage = text(item, "usage");
    let usage = if style.is_for_models() { usage.to_owned() } else { style.faint(&format!("{usage:<12}")) };
    format!("{}{usage} {doubt}{}", position(item, style), text(item, "preview").trim())
}

fn relation(item: &Value, style: Style) -> String {
    let address = Some(text(item, "address")).filter(|address| !address.is_empty() && *address != text(item, "name"));
    let from = Some(text(item, "from")).filter(|from| !from.is_empty()).map(|from| format!("from {from}"));
    let via = Some(text(item, "via")).filter(|via| !via.is_empty()).map(|via| format!("via {via}"));
    let depth = item["depth"].as_u64().filter(|depth| *depth > 1).map(|depth| format!("depth {depth}"));
    let notes = address.into_iter().chain(from.as_deref()).chain(depth.as_deref()).chain(via.as_deref());
    let notes: Vec<&str> = notes.collect();
    let kind =
        Some(text(item, "kind")).filter(|kind| !kind.is_empty()).map(|kind| format!("{kind} ")).unwrap_or_default();
    let line = format!("{}{kind}{}  {}", position(item, style), text(item, "name"), style.faint(&notes.join(", ")));
    let mut shown = line.trim_end().to_owned();
    for call in items(item, "calls") {
        let at = format!("{}:{}", call["line"], call["column"]);
        let _ = write!(shown, "\n    {} {}", style.faint(&at), text(call, "preview"));
    }
    shown
}

/// The other end of a dependency and the import: `src/log.ts  import ./log { log }  line 3`.
fn dependency(out: &mut String, link: &Value, style: Style) {
    let names: Vec<&str> = texts(link, "names").collect();
    let names = if names.is_empty() { String::new() } else { format!(" {{ {} }}", names.join(", ")) };
    let only = if link["typeOnly"] == true { " type" } else { "" };
    let how = format!("{}{only} {}{names}", text(link, "kind"), text(link, "specifier"));
    let end = match (link["path"].as_str(), link["unresolved"].as_str()) {
        (Some(path), _) => style.name(path),
        (None, Some(why)) => style.bad(why),
        (None, None) => style.faint("outside"),
    };
    let _ = writeln!(out, "{end}  {how}  {}", style.faint(&format!("line {}", link["line"])));
}

fn diagnostic(out: &mut String, problem: &Value, style: Style) {
    let place = format!("{}:{}:{}", text(problem, "path"), problem["line"], problem["column"]);
    let severity = text(problem, "severity");
    let shown = if severity == "error" { style.bad(severity) } else { style.faint(severity) };
    let fix = Some(&problem["fix"]).filter(|fix| fix.is_object() && style.is_for_models());
    let fix = fix.map(|fix| format!("  fix: {}", compact(fix))).unwrap_or_default();
    let _ = writeln!(out, "{place} {shown} {}{fix}", text(problem, "message"));
}

/// A symbol in a list of several files.
fn workspace_symbol(out: &mut String, symbol: &Value, style: Style) {
    let place = format!("{}:{}:{}", text(symbol, "path"), symbol["line"], symbol["column"]);
    let _ = writeln!(out, "{} {}  {}", style.faint(text(symbol, "kind")), text(symbol, "address"), style.name(&place));
}

/// A symbol in the tree of a file, with its children.
fn symbol_tree(out: &mut String, symbol: &Value, depth: usize, style: Style) {
    let kind = style.faint(text(symbol, "kind"));
    let place = if style.is_for_models() {
        range(&symbol["range"]).unwrap_or_else(|| compact(&symbol["range"]))
    } else {
        format!("line {}", symbol["range"]["start"]["line"])
    };
    let _ = writeln!(out, "{}{kind} {}  {}", "  ".repeat(depth), text(symbol, "address"), style.faint(&place));
    for child in items(symbol, "children") {
        symbol_tree(out, child, depth + 1, style);
    }
}
