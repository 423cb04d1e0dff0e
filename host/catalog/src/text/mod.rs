//! Answers as text, for models and for terminals with colors.
//!
//! The text is derived from the JSON answer. Fields unknown to this module are listed at the end, so new fields show
//! up without changes here.

mod actions;
mod change;
mod lines;
mod open;
mod query;
mod read;
mod search;

use std::fmt::Write as _;

use marquetry_model::{Error, escape::escape_line};
use serde_json::Value;

/// Reader of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// A language model, which needs addresses, ranges, hashes and IDs for its next call.
    Model,
    /// A person, who only needs to see the result.
    Person,
}

/// Style of the text.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    audience: Audience,
    color: bool,
}

const RED: &str = "31";
const GREEN: &str = "32";
const CYAN: &str = "36";
const DIM: &str = "2";
const BOLD: &str = "1";

impl Style {
    /// For language models.
    pub fn for_models() -> Style {
        Style { audience: Audience::Model, color: false }
    }

    /// For people, with or without terminal colors.
    pub fn for_people(color: bool) -> Style {
        Style { audience: Audience::Person, color }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Emphasis.
    pub fn strong(self, text: &str) -> String {
        self.paint(BOLD, text)
    }

    /// Success.
    pub fn good(self, text: &str) -> String {
        self.paint(GREEN, text)
    }

    /// Errors and warnings.
    pub fn bad(self, text: &str) -> String {
        self.paint(RED, text)
    }

    /// Names, paths and IDs.
    pub fn name(self, text: &str) -> String {
        self.paint(CYAN, text)
    }

    /// Minor details.
    pub fn faint(self, text: &str) -> String {
        self.paint(DIM, text)
    }

    fn is_for_models(self) -> bool {
        self.audience == Audience::Model
    }
}

/// Renders the answer of a tool.
pub fn render(tool: &str, answer: &Value, style: Style) -> String {
    let answer = lines::escape_single_lines(answer);
    let answer = answer.as_ref();
    let mut text = match tool {
        "file_read" => return read::render(answer, style),
        "query" => query::render(answer, style),
        "file_history" => change::history(answer, style),
        "open" => open::render(answer, style),
        _ => change::render(answer, style),
    };
    if style.is_for_models() && text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Renders a diff.
pub fn diff(diff: &str, style: Style) -> String {
    let mut out = String::new();
    change::diff_lines(&mut out, diff, style);
    out
}

/// Renders an error with its hint and candidates.
pub fn error(error: &Error, style: Style) -> String {
    let content = error.content();
    // A file name may contain a line break. The text after it is indented, so that it cannot look like another line of
    // the answer.
    let message = content.message.replace('\n', "\n  ");
    let mut text = match style.audience {
        Audience::Model => format!("{}: {message}", content.kind.name()),
        Audience::Person => format!("error: {message} ({})", content.kind.name()),
    };
    if let Some(hint) = &content.hint {
        let _ = write!(text, "\nhint: {}", hint.replace('\n', "\n  "));
    }
    if !content.candidates.is_empty() {
        let (head, indent) = if style.is_for_models() { ("\ncandidates:", "") } else { ("", "  ") };
        text += head;
        for candidate in &content.candidates {
            let _ = write!(text, "\n{indent}- {}", escape_line(candidate));
        }
    }
    text
}

/// A string field, or an empty string.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The strings of a list.
fn texts<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    value[key].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The items of a list.
fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// `12:4-14:1`, with one-based lines and zero-based columns.
fn range(range: &Value) -> Option<String> {
    Some(format!("{}-{}", point(&range["start"])?, point(&range["end"])?))
}

/// `12:4`
fn point(point: &Value) -> Option<String> {
    Some(format!("{}:{}", point["line"].as_u64()?, point["column"].as_u64()?))
}

/// The fields of an object, sorted by name, because their order in the JSON library depends on its features.
fn by_key(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten().collect::<std::collections::BTreeMap<_, _>>().into_iter()
}

/// The fields that were not shown yet: `key: value`, or one line per item of a list.
fn render_remaining(out: &mut String, answer: &Value, shown: &[&str], style: Style) {
    for (key, value) in by_key(answer).filter(|(key, _)| !shown.contains(&key.as_str())) {
        render_field(out, key, value, style);
    }
}

fn render_field(out: &mut String, key: &str, value: &Value, style: Style) {
    let label = style.faint(&format!("{key}:"));
    match value {
        Value::Null => {}
        Value::Array(list) if list.iter().all(Value::is_string) => {
            for each in list.iter().filter_map(Value::as_str) {
                let _ = writeln!(out, "{label} {each}");
            }
        }
        Value::Array(list) => {
            for each in list {
                let _ = writeln!(out, "{label} {}", compact(each));
            }
        }
        value => {
            let _ = writeln!(out, "{label} {}", compact(value));
        }
    }
}

/// A value on one line, with little punctuation.
fn compact(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) if fields.len() == 2 && range(value).is_some() => range(value).unwrap_or_default(),
        Value::Object(fields) if fields.len() == 2 && point(value).is_some() => point(value).unwrap_or_default(),
        Value::Object(_) => {
            let fields = by_key(value).map(|(key, value)| format!("{key} {}", compact(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        Value::Array(list) => format!("[{}]", list.iter().map(compact).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
