//! The calls: drawn from a list by seed, and varied.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::measure::sample::Random;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments: Value,
}

/// Reads a list of calls: lines of `TOOL ARGUMENTS`.
pub(super) fn parse(text: &str) -> Result<Vec<Call>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (tool, arguments) = line.split_once(' ').with_context(|| format!("`{line}` has no arguments"))?;
            let arguments = serde_json::from_str(arguments).with_context(|| line.to_owned())?;
            Ok(Call { tool: tool.to_owned(), arguments })
        })
        .collect()
}

/// Of 20 calls that are not undone, this many are varied.
const VARIED: usize = 9;
/// Of 10 changes, this many are undone by the next call, so that later calls still find their files.
const UNDONE: usize = 7;

/// Draws calls in rounds. Every tool has at least one turn in each round.
pub(super) fn draw(list: &[Call], schemas: &BTreeMap<String, Value>, seed: u64, count: usize) -> Vec<Call> {
    let mut random = Random::new(seed, "conformance");
    let mut tools: Vec<&str> = list.iter().map(|call| call.tool.as_str()).collect();
    tools.dedup();
    let mut calls = Vec::new();
    'rounds: loop {
        for tool in &tools {
            // Tools with many calls in the list, such as reads, edits and queries, have several turns in each round.
            let own: Vec<&Call> = list.iter().filter(|call| call.tool == **tool).collect();
            for _ in 0..own.len().div_ceil(8) {
                let mut call = own[random.below(own.len())].clone();
                if random.below(20) < VARIED {
                    vary(&mut call, &schemas[*tool], &mut random);
                }
                let is_change = tool.starts_with("file_") && !["file_read", "file_history", "file_undo"].contains(tool);
                calls.push(call);
                if is_change && random.below(10) < UNDONE {
                    calls.push(Call { tool: "file_undo".to_owned(), arguments: json!({ "id": "$id" }) });
                }
            }
            if calls.len() >= count {
                break 'rounds;
            }
        }
    }
    calls.truncate(count);
    calls
}

/// Changes one argument of a call, which may become invalid or request something else.
fn vary(call: &mut Call, schema: &Value, random: &mut Random) {
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let Some(arguments) = call.arguments.as_object_mut() else { return };
    let key = (!arguments.is_empty()).then(|| sorted(arguments)[random.below(arguments.len())].clone());
    match (random.below(7), key) {
        (0, Some(key)) => {
            let value = arguments.remove(&key).unwrap_or_default();
            arguments.insert(misspelt(&key, random), value);
        }
        // A relative root is valid in the shell only, where it is relative to the current folder.
        (1, Some(key)) if key != "root" => {
            let wrong =
                [json!(7), json!(-1), json!(1.5), json!(true), json!("text"), json!([]), json!({}), json!(null)];
            arguments.insert(key, wrong[random.below(wrong.len())].clone());
        }
        (2, Some(key)) => drop(arguments.remove(&key)),
        (3, Some(key)) => {
            if let Some(text) = arguments.get(&key).and_then(Value::as_str).map(|text| format!("{text}x")) {
                arguments.insert(key, text.into());
            }
        }
        (4, _) => drop(arguments.insert("unknown".to_owned(), json!(true))),
        (5, _) if properties.contains_key("dryRun") => drop(arguments.insert("dryRun".to_owned(), json!(true))),
        _ => add_word(arguments, &properties, random),
    }
}

/// The names of an object in alphabetical order: their own order depends on a feature of the JSON library, which other
/// crates of a build may enable.
fn sorted(object: &Map<String, Value>) -> Vec<&String> {
    let mut names: Vec<&String> = object.keys().collect();
    names.sort();
    names
}

/// Returns a name with a small mistake.
fn misspelt(name: &str, random: &mut Random) -> String {
    match random.below(3) {
        0 => name[..name.len() - 1].to_owned(),
        1 => name.to_lowercase() + "_",
        _ => format!("{name}{}", &name[name.len() - 1..]),
    }
}

/// Sets an optional argument that has a list of values or is a flag.
fn add_word(arguments: &mut Map<String, Value>, properties: &Map<String, Value>, random: &mut Random) {
    let optional: Vec<(&String, &Value)> = sorted(properties)
        .into_iter()
        .filter_map(|name| properties.get_key_value(name))
        .filter(|(name, schema)| {
            !arguments.contains_key(*name) && (schema["enum"].is_array() || schema["type"] == "boolean")
        })
        .collect();
    if optional.is_empty() {
        return;
    }
    let (name, schema) = optional[random.below(optional.len())];
    let words = schema["enum"].as_array().filter(|words| !words.is_empty());
    let value = words.map_or(json!(true), |words| words[random.below(words.len())].clone());
    arguments.insert(name.clone(), value);
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::*;
    use crate::shell::top;

    fn list() -> Vec<Call> {
        parse(&fs::read_to_string(top().join(super::super::LIST)).expect("the list")).expect("calls")
    }

    fn schemas() -> BTreeMap<String, Value> {
        super::super::schemas().expect("schemas")
    }

    #[test]
    fn list_has_calls_of_every_tool_with_valid_names() {
        let (list, schemas) = (list(), schemas());
        let tools: BTreeSet<&str> = list.iter().map(|call| call.tool.as_str()).collect();
        assert!(tools.into_iter().eq(schemas.keys().map(String::as_str)));
        // Only variations may contain wrong names. A wrong name in the list would turn the call into an error in every
        // front end.
        for call in &list {
            for name in call.arguments.as_object().expect("an object").keys() {
                let is_known = schemas[&call.tool]["properties"].get(name).is_some() || name == "why";
                assert!(is_known, "{} has no argument `{name}`", call.tool);
            }
        }
    }

    #[test]
    fn same_seed_gives_same_calls_of_all_tools() {
        let (list, schemas) = (list(), schemas());
        for seed in 0..10 {
            let calls = draw(&list, &schemas, seed, 200);
            assert_eq!(calls.len(), 200);
            assert_eq!(calls, draw(&list, &schemas, seed, 200));
            assert_ne!(calls, draw(&list, &schemas, seed + 1, 200));
            let tools: BTreeSet<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
            assert_eq!(tools.len(), schemas.len());
            let varied = calls.iter().filter(|call| !list.contains(call)).count();
            assert!((30..120).contains(&varied), "{seed}: {varied}");
        }
        assert_eq!(draw(&list, &schemas, 1, 3).len(), 3);
    }

    #[test]
    fn variations_are_of_every_kind() {
        let call = Call { tool: "file_move".to_owned(), arguments: json!({ "source": "a", "destination": "b" }) };
        let schema = json!({ "properties": { "source": {}, "destination": {}, "dryRun": { "type": "boolean" },
            "check": { "type": "boolean" }, "engine": { "enum": ["plugin", "server"] } } });
        let mut seen = BTreeSet::new();
        for seed in 0..400 {
            let mut varied = call.clone();
            vary(&mut varied, &schema, &mut Random::new(seed, "test"));
            seen.insert(varied.arguments.to_string());
        }
        for expected in [
            json!({ "destination": "b", "sourc": "a" }),
            json!({ "destination": "b", "sourcee": "a" }),
            json!({ "source": "a", "destination": null }),
            json!({ "destination": "b" }),
            json!({ "source": "ax", "destination": "b" }),
            json!({ "source": "a", "destination": "b", "unknown": true }),
            json!({ "source": "a", "destination": "b", "dryRun": true }),
            json!({ "source": "a", "destination": "b", "engine": "server" }),
        ] {
            let is_seen = seen.iter().any(|text| serde_json::from_str::<Value>(text).expect("JSON") == expected);
            assert!(is_seen, "{expected}");
        }
    }

    #[test]
    fn roots_stay_absolute() {
        let call = Call { tool: "file_read".to_owned(), arguments: json!({ "root": "/nowhere" }) };
        for seed in 0..200 {
            let mut varied = call.clone();
            vary(&mut varied, &json!({}), &mut Random::new(seed, "test"));
            let root = varied.arguments.get("root").and_then(Value::as_str);
            assert!(root.is_none_or(|root| root.starts_with('/')), "{varied:?}");
        }
    }

    #[test]
    fn lines_without_arguments_are_refused() {
        assert!(parse("file_read").is_err() && parse("file_read {").is_err());
        assert_eq!(parse("# a\n\nopen {}\n").expect("a call").len(), 1);
    }
}
