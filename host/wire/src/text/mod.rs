//! Answers as text: for models, which read code as code and no JSON, and for people, with colours.
//!
//! Made from the JSON of an answer, so that what a tool comes to say more is shown without a word here: fields that this does
//! not know are listed at the end.

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

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// Wants what it needs for its next call: addresses, ranges, hashes, ids.
    Model,
    /// Wants to see what was asked for.
    Person,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    reader: Reader,
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
        Style { reader: Reader::Model, color: false }
    }

    /// For people, on a terminal that has colours or not.
    pub fn for_people(color: bool) -> Style {
        Style { reader: Reader::Person, color }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Something that stands out.
    pub fn strong(self, text: &str) -> String {
        self.paint(BOLD, text)
    }

    /// Something well.
    pub fn good(self, text: &str) -> String {
        self.paint(GREEN, text)
    }

    /// Something wrong.
    pub fn bad(self, text: &str) -> String {
        self.paint(RED, text)
    }

    /// A name that can be used.
    pub fn name(self, text: &str) -> String {
        self.paint(CYAN, text)
    }

    /// Something beside the point.
    pub fn faint(self, text: &str) -> String {
        self.paint(DIM, text)
    }

    fn is_for_models(self) -> bool {
        self.reader == Reader::Model
    }
}

/// The answer of a tool.
pub fn render(tool: &str, answer: &Value, style: Style) -> String {
    let answer = lines::one_line_each(answer);
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

/// An error: what was wrong, what to do, and the nearest right answers.
pub fn error(error: &Error, style: Style) -> String {
    let content = error.content();
    let mut text = match style.reader {
        Reader::Model => format!("{}: {}", content.kind.name(), content.message),
        Reader::Person => format!("error: {} ({})", content.message, content.kind.name()),
    };
    if let Some(hint) = &content.hint {
        let _ = write!(text, "\nhint: {hint}");
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

/// A text of the answer; empty where there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The texts of a list.
fn texts<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a str> {
    value[key].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The items of a list.
fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// `12:4-14:1`, lines from 1, columns from 0.
fn range(range: &Value) -> Option<String> {
    Some(format!("{}-{}", point(&range["start"])?, point(&range["end"])?))
}

/// `12:4`
fn point(point: &Value) -> Option<String> {
    Some(format!("{}:{}", point["line"].as_u64()?, point["column"].as_u64()?))
}

/// The fields of an object by their names: how a JSON library orders them depends on how it was built.
fn by_key(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten().collect::<std::collections::BTreeMap<_, _>>().into_iter()
}

/// What no part of the text has told: `key: value`, lists a line each.
fn others(out: &mut String, answer: &Value, told: &[&str], style: Style) {
    for (key, value) in by_key(answer).filter(|(key, _)| !told.contains(&key.as_str())) {
        other(out, key, value, style);
    }
}

fn other(out: &mut String, key: &str, value: &Value, style: Style) {
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

/// A value on one line, with as few signs as can be.
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
