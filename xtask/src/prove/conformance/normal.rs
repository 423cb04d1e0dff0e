//! Removes the documented differences between front ends from their answers: ids and times of changes, the name of the
//! caller in the history, and the form of numbers.

use regex::Regex;
use serde_json::{Value, json};

/// The id of a change: its number, and five random characters.
const ID: &str = r"\b(\d+)-[0-9a-z]{5}\b";

/// Normalizes the answers of one front end, in order.
pub(super) struct Normalizer {
    id: Regex,
    latest: Option<String>,
}

impl Normalizer {
    pub(super) fn new() -> Normalizer {
        Normalizer { id: Regex::new(ID).expect("a valid pattern"), latest: None }
    }

    /// The id of the latest change.
    pub(super) fn latest_id(&self) -> Option<&str> {
        self.latest.as_deref()
    }

    /// Removes the differences from an answer, which has a `result` or an `error`.
    pub(super) fn normalize(&mut self, mut answer: Value) -> Value {
        if let Some(id) = answer["result"]["id"].as_str() {
            self.latest = Some(id.to_owned());
        }
        self.visit(&mut answer);
        answer
    }

    fn visit(&self, value: &mut Value) {
        match value {
            Value::Object(object) => {
                // An entry of the history.
                if object.contains_key("title") && object.contains_key("time") && object.contains_key("undone") {
                    for (name, replacement) in [("time", json!(0)), ("client", json!("client"))] {
                        if object.contains_key(name) {
                            object.insert(name.to_owned(), replacement);
                        }
                    }
                }
                object.values_mut().for_each(|inner| self.visit(inner));
            }
            Value::Array(list) => list.iter_mut().for_each(|inner| self.visit(inner)),
            Value::String(text) => {
                // The number stays: all front ends must make the same changes.
                if let std::borrow::Cow::Owned(replaced) = self.id.replace_all(text, "$$id$1") {
                    *text = replaced;
                }
            }
            Value::Number(number) => {
                // JavaScript has one kind of number: `1.0` is `1` there.
                if let Some(whole) = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15) {
                    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
                    let whole = whole as i64;
                    *value = json!(whole);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// Replaces `$id` in arguments by the id of the latest change, or by one that does not exist.
pub(super) fn with_latest_id(arguments: &Value, latest: Option<&str>) -> Value {
    let mut arguments = arguments.clone();
    if arguments["id"] == "$id" {
        arguments["id"] = json!(latest.unwrap_or("no-change"));
    }
    arguments
}

/// Describes the first difference of two values: its place, and both values.
pub(super) fn first_difference(expected: &Value, actual: &Value) -> Option<String> {
    fn find(path: &str, expected: &Value, actual: &Value) -> Option<String> {
        match (expected, actual) {
            (Value::Object(one), Value::Object(other)) => {
                let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
                names.into_iter().find_map(|name| {
                    let absent = || Value::String("(absent)".to_owned());
                    let [one, other] = [one, other].map(|object| object.get(name).cloned().unwrap_or_else(absent));
                    find(&format!("{path}.{name}"), &one, &other)
                })
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                let mut pairs = one.iter().zip(other).enumerate();
                pairs.find_map(|(place, (one, other))| find(&format!("{path}[{place}]"), one, other))
            }
            _ if expected == actual => None,
            _ => Some(format!("{path}: {} instead of {}", shortened(actual), shortened(expected))),
        }
    }
    find("$", expected, actual)
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_their_number() {
        let mut normalizer = Normalizer::new();
        assert_eq!(normalizer.latest_id(), None);
        let first =
            normalizer.normalize(json!({ "result": { "id": "1-abc12", "text": "undo `2-xyz00` or 1-abc12." } }));
        assert_eq!(first, json!({ "result": { "id": "$id1", "text": "undo `$id2` or $id1." } }));
        assert_eq!(normalizer.latest_id(), Some("1-abc12"));
        let other = json!({ "result": { "text": "lines 7-12, a1-abc12, 1-abc123" } });
        assert_eq!(normalizer.normalize(other.clone()), other);
        assert_eq!(normalizer.latest_id(), Some("1-abc12"));
    }

    #[test]
    fn times_and_callers_of_the_history_are_removed() {
        let change = |time: u64, client: &str| json!({ "result": { "changes": [{ "title": "a", "time": time, "undone": false, "client": client }] } });
        let [one, other] = [change(1, "a"), change(2, "b")].map(|answer| Normalizer::new().normalize(answer));
        assert_eq!(one, other);
        let other = json!({ "result": { "time": 2, "client": "b" } });
        assert_eq!(Normalizer::new().normalize(other.clone()), other, "only the history has callers");
    }

    #[test]
    fn whole_numbers_have_one_form() {
        let normalized = Normalizer::new().normalize(json!({ "result": [1.0, 1, 1.5, -2.0, 1e300] }));
        assert_eq!(normalized, json!({ "result": [1, 1, 1.5, -2, 1e300] }));
    }

    #[test]
    fn latest_id_replaces_its_placeholder_only() {
        let arguments = json!({ "id": "$id", "dryRun": true });
        assert_eq!(with_latest_id(&arguments, Some("1-a")), json!({ "id": "1-a", "dryRun": true }));
        assert_eq!(with_latest_id(&arguments, None), json!({ "id": "no-change", "dryRun": true }));
        assert_eq!(with_latest_id(&json!({ "id": "x" }), Some("1-a")), json!({ "id": "x" }));
        assert_eq!(with_latest_id(&json!({ "file": "x" }), Some("1-a"))["file"], "x");
    }

    #[test]
    fn differences_name_their_place() {
        let expected = json!({ "result": { "a": [1, { "b": 2 }], "c": 1 } });
        assert_eq!(first_difference(&expected, &expected), None);
        for (actual, difference) in [
            (json!({ "result": { "a": [1, { "b": 3 }], "c": 1 } }), "$.result.a[1].b: 3 instead of 2"),
            (json!({ "result": { "a": [1], "c": 1 } }), "$.result.a: [1] instead of [1,{\"b\":2}]"),
            (json!({ "result": { "a": [1, { "b": 2 }] } }), "$.result.c: \"(absent)\" instead of 1"),
            (json!({ "result": { "a": [1, { "b": 2 }], "c": 1, "d": 0 } }), "$.result.d: 0 instead of \"(absent)\""),
        ] {
            assert_eq!(first_difference(&expected, &actual).as_deref(), Some(difference));
        }
    }
}
