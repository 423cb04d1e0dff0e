//! Results about one symbol, position or project.

use std::fmt::Write as _;

use serde_json::Value;

use super::super::{Style, by_key, compact, items, range, text, texts};

/// Renders a result that is not a list. `None` if it is one.
pub(super) fn render(answer: &Value, style: Style) -> Option<String> {
    let data = &answer["data"];
    let mut out = String::new();
    if data["contents"].is_string() {
        let _ = writeln!(out, "{}", text(data, "contents"));
        if style.is_for_models() {
            let _ =
                writeln!(out, "at {} ({})", range(&data["range"]).unwrap_or_default(), text(answer, "completeness"));
        }
    } else if data["definitions"].is_array() {
        definitions(&mut out, answer, style);
    } else if data["location"].is_object() {
        symbol(&mut out, answer, style);
    } else if data["workspaceFolders"].is_array() {
        project(&mut out, answer, style);
    } else {
        return None;
    }
    if style.is_for_models()
        && let Some(said) = answer["truncated"].as_str()
    {
        let _ = writeln!(out, "truncated: {said}");
    }
    texts(answer, "warnings").for_each(|said| _ = writeln!(out, "{}", style.faint(said)));
    Some(out)
}

/// Formats a count with its noun: `1 file`, `2 files`.
fn count_text(count: &Value, what: &str) -> String {
    format!("{count} {what}{}", if *count == 1 { "" } else { "s" })
}

fn location_text(place: &Value) -> String {
    format!("{}:{}:{}", text(place, "path"), place["line"], place["column"])
}

/// `function add  src/a.ts:3:9  2 references`, followed by code and documentation.
fn symbol(out: &mut String, answer: &Value, style: Style) {
    let data = &answer["data"];
    let mut head =
        format!("{} {}  {}", text(data, "kind"), text(data, "name"), style.name(&location_text(&data["location"])));
    if let Some(count) = data["references"].as_u64() {
        let _ = write!(head, "  {count} reference{}", if count == 1 { "" } else { "s" });
    }
    let _ = writeln!(out, "{}", style.strong(&head));
    for key in ["code", "documentation"] {
        if let Some(value) = data[key].as_str() {
            let _ = writeln!(out, "{value}");
        }
    }
    if let Some(ty) = data["type"].as_str() {
        let _ = writeln!(out, "{} {ty}", style.faint("type:"));
    }
    for note in items(data, "notes") {
        let place = Some(&note["location"])
            .filter(|place| place.is_object())
            .map(|place| format!("  {}", style.name(&location_text(place))));
        let _ = writeln!(
            out,
            "{} {}{}",
            style.faint(&format!("{}:", text(note, "label"))),
            text(note, "text"),
            place.unwrap_or_default()
        );
    }
    if style.is_for_models() {
        let address = Some(text(data, "address")).filter(|address| !address.is_empty());
        let whole = range(&data["range"]).unwrap_or_default();
        if let Some(address) = address {
            let _ = writeln!(out, "address: {address}  {whole}");
        }
        let _ = writeln!(out, "({})", text(answer, "completeness"));
    }
}

/// Each definition with its position and its code.
fn definitions(out: &mut String, answer: &Value, style: Style) {
    let data = &answer["data"];
    let ty = data["type"].as_str().map(|ty| format!(": {ty}")).unwrap_or_default();
    let _ = writeln!(out, "{}", style.strong(&format!("{}{ty}", text(data, "name"))));
    for definition in items(data, "definitions") {
        let address = text(definition, "address");
        let _ = writeln!(out, "{} {}  {address}", style.name(&location_text(definition)), text(definition, "kind"));
        let _ = writeln!(out, "{}", text(definition, "content"));
    }
    if items(data, "definitions").is_empty() {
        let _ = writeln!(out, "no part of this type is defined in the workspace");
    }
    if style.is_for_models() {
        let _ = writeln!(out, "({})", text(answer, "completeness"));
    }
}

fn project(out: &mut String, answer: &Value, style: Style) {
    let data = &answer["data"];
    let trust = Some(text(data, "trust")).filter(|trust| !trust.is_empty()).map(|trust| format!(", {trust}"));
    let git = Some(text(data, "git")).filter(|git| !git.is_empty()).map(|git| format!(", git {git}"));
    let notes = format!("{}{}", trust.unwrap_or_default(), git.unwrap_or_default());
    let _ = writeln!(
        out,
        "{}",
        style.strong(&format!("{}  {}{notes}", text(data, "root"), count_text(&data["files"], "file")))
    );
    for root in texts(data, "roots").filter(|root| *root != text(data, "root")) {
        let _ = writeln!(out, "also served: {root}");
    }
    for language in items(data, "languages") {
        let plugin = text(language, "plugin");
        let (files, name) = (count_text(&language["files"], "file"), text(language, "language"));
        let _ = writeln!(out, "{files} {name} {}", style.faint(plugin));
    }
    for manifest in items(data, "manifests") {
        let known = ["name", "version", "manager"].map(|key| text(manifest, key));
        let known: Vec<&str> = known.into_iter().filter(|known| !known.is_empty()).collect();
        let _ = writeln!(out, "{}  {}", style.name(text(manifest, "path")), known.join(" "));
        for (name, command) in by_key(&manifest["scripts"]) {
            let _ = writeln!(out, "  {name}: {}", compact(command));
        }
        let parts: Vec<&str> = texts(manifest, "workspaces").collect();
        if !parts.is_empty() {
            let _ = writeln!(out, "  parts: {}", parts.join(", "));
        }
    }
    for plugin in items(data, "plugins") {
        let state = text(plugin, "state");
        if style.is_for_models() || state != "ready" {
            let _ = writeln!(
                out,
                "plugin {} {} {}: {state}",
                text(plugin, "id"),
                text(plugin, "version"),
                text(plugin, "source")
            );
        }
    }
    match data["activeFile"].as_str() {
        Some(active) => _ = writeln!(out, "active: {active}"),
        None => _ = writeln!(out, "{}", style.faint(text(data, "editor"))),
    }
    for open in texts(data, "openEditors") {
        let _ = writeln!(out, "open: {open}");
    }
    if style.is_for_models() {
        let _ = writeln!(out, "({})", text(answer, "completeness"));
    }
}
