//! Result of `files`: each folder once, followed by its files with their sizes.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::Value;

use super::super::{Style, items, render_remaining, text, texts};

pub(super) fn render(answer: &Value, style: Style) -> String {
    let data = &answer["data"];
    let mut out = String::new();
    let mut folders: BTreeMap<&str, Vec<(&str, Option<u64>)>> = BTreeMap::new();
    for file in items(data, "files") {
        let path = text(file, "path");
        let (above, name) = path.rfind('/').map_or(("", path), |at| path.split_at(at + 1));
        folders.entry(above).or_default().push((name, file["size"].as_u64()));
    }
    for (folder, files) in folders {
        let indent = if folder.is_empty() { "" } else { "  " };
        if !folder.is_empty() {
            let _ = writeln!(out, "{}", style.name(folder));
        }
        for (name, size) in files {
            let size = size.map(|size| format!("  {}", style.faint(&size.to_string()))).unwrap_or_default();
            let _ = writeln!(out, "{indent}{name}{size}");
        }
    }
    for folder in items(data, "folders") {
        let _ = writeln!(out, "{}  {} files", style.name(text(folder, "path")), folder["files"]);
    }
    let count = data["fileCount"].as_u64().unwrap_or_default();
    let languages = data["languages"].as_object().into_iter().flatten();
    let mut languages: Vec<(&String, u64)> =
        languages.map(|(language, count)| (language, count.as_u64().unwrap_or_default())).collect();
    languages.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let languages: Vec<String> = languages.into_iter().map(|(language, count)| format!("{language} {count}")).collect();
    let plural = if count == 1 { "" } else { "s" };
    let of = if languages.is_empty() { String::new() } else { format!(": {}", languages.join(", ")) };
    let line = format!("{count} file{plural}{of} ({})", text(answer, "completeness"));
    let _ = writeln!(out, "{}", style.strong(&line));
    let ignored: Vec<&str> = texts(data, "ignored").collect();
    if !ignored.is_empty() {
        let _ = writeln!(out, "{} {}", style.faint("ignored:"), ignored.join(", "));
    }
    render_remaining(&mut out, answer, &["success", "data", "completeness", "engine", "total"], style);
    out
}
