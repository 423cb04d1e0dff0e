//! Formats answers compactly: one field per line, ranges as `1:0-1:9`, multi-line text unescaped.

use marquetry_model::Error;
use serde_json::{Map, Value};

/// Fields that are checked separately, or differ in every run.
const OMITTED_FIELDS: [&str; 6] = ["success", "hash", "id", "diff", "engine", "time"];

/// Fields of a change that only repeat its diff.
const FIELDS_IN_DIFF: [&str; 24] = [
    "operation",
    "file",
    "target",
    "filesAffected",
    "totalEdits",
    "changes",
    "range",
    "summary",
    "dryRun",
    "source",
    "destination",
    "moved",
    "importsUpdated",
    "totalFilesUpdated",
    "oldPath",
    "newPath",
    "renamed",
    "path",
    "created",
    "size",
    "deleted",
    "totalDeleted",
    "duplicated",
    "symbol",
];

/// Formats an error: its message, hint and candidates, or only the kind of the error if `wanted` contains `kind`.
pub(crate) fn format_error(error: &Error, wanted: &[String]) -> String {
    let content = error.content();
    if wanted.iter().any(|field| field == "kind") {
        return format!("{}\n", content.kind.name());
    }
    let mut out = format!("{}: {}\n", content.kind.name(), content.message);
    if let Some(hint) = &content.hint {
        out.push_str(&format!("hint: {hint}\n"));
    }
    if !content.candidates.is_empty() {
        out.push_str(&format!("candidates: {}\n", content.candidates.join(" | ")));
    }
    out
}

/// Formats the requested fields of an answer: those that are named, or all for `*`, or the relevant ones if none is
/// requested.
pub(crate) fn format_answer(answer: &Value, wanted: &[String], is_change: bool) -> String {
    let Some(fields) = answer.as_object() else { return answer.to_string() };
    let left_out: Vec<&str> = wanted.iter().filter_map(|field| field.strip_prefix("- ")).collect();
    let named: Vec<&str> = wanted.iter().map(String::as_str).filter(|field| !field.starts_with("- ")).collect();
    let is_shown = |name: &str| {
        if left_out.contains(&name) {
            false
        } else if named.contains(&"*") {
            !OMITTED_FIELDS.contains(&name)
        } else if named.is_empty() {
            !OMITTED_FIELDS.contains(&name) && !(is_change && FIELDS_IN_DIFF.contains(&name))
        } else {
            named.contains(&name)
        }
    };
    let mut out = String::new();
    for (name, value) in fields.iter().filter(|(name, value)| is_shown(name) && !value.is_null()) {
        format_field(name, value, 0, &mut out);
    }
    out
}

fn format_field(name: &str, value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match format_short(value) {
        Some(text) => out.push_str(&format!("{indent}{name}: {text}\n").replace(": \n", ":\n")),
        None => {
            out.push_str(&format!("{indent}{name}:\n"));
            format_long(value, depth + 1, out);
        }
    }
}

/// Formats a value on one line, if it fits.
fn format_short(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.contains('\n') => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => {
            let inner: Option<Vec<String>> =
                list.iter().map(|item| if item.is_object() { None } else { format_short(item) }).collect();
            let text = format!("[{}]", inner?.join(", "));
            (text.len() <= 120).then_some(text)
        }
        Value::Object(fields) => format_position(fields).or_else(|| {
            let inner: Option<Vec<String>> =
                visible_fields(fields).map(|(name, value)| Some(format!("{name}={}", format_short(value)?))).collect();
            let text = inner?.join("  ");
            (text.len() <= 160).then_some(text)
        }),
        other => Some(other.to_string()),
    }
}

fn visible_fields(fields: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    fields.iter().filter(move |(name, value)| !empty(value) && !["id", "hash", "time"].contains(&name.as_str()))
}

fn format_long(value: &Value, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match value {
        Value::String(text) => {
            for line in text.split('\n') {
                out.push_str(format!("{indent}| {line}").trim_end());
                out.push('\n');
            }
        }
        Value::Array(list) => {
            for item in list {
                match format_short(item) {
                    Some(text) => out.push_str(&format!("{indent}- {text}\n")),
                    None => {
                        out.push_str(&format!("{indent}-\n"));
                        format_long(item, depth + 1, out);
                    }
                }
            }
        }
        Value::Object(fields) => {
            for (name, value) in visible_fields(fields) {
                format_field(name, value, depth, out);
            }
        }
        other => out.push_str(&format!("{indent}{other}\n")),
    }
}

/// Formats a range or a position.
fn format_position(fields: &Map<String, Value>) -> Option<String> {
    let number = |value: &Value| value.as_u64().map(|number| number.to_string());
    let point = |value: &Value| match value {
        Value::Object(fields) if fields.len() == 2 => {
            Some(format!("{}:{}", number(fields.get("line")?)?, number(fields.get("column")?)?))
        }
        Value::Array(pair) if pair.len() == 2 => Some(format!("{}:{}", number(&pair[0])?, number(&pair[1])?)),
        _ => None,
    };
    if fields.len() == 2
        && let (Some(start), Some(end)) = (fields.get("start"), fields.get("end"))
    {
        return Some(format!("{}-{}", point(start)?, point(end)?));
    }
    point(&Value::Object(fields.clone()))
}
