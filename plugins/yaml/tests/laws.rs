//! The laws that every pack keeps, on random texts and on every input of the conformance suite, where it is at hand.

use std::{fs, path::Path};

use marquetry_sdk::{Node, TargetKind, testing};
use marquetry_yaml::Yaml;
use serde_json::Value;

const PIECES: &[&str] = &[
    "a", "b", "key", ": ", ":", "- ", "-", "? ", "\n", "\n  ", "\n    ", " ", "  ", "\r\n", "\t", "# c", " # c\n",
    "\"q\"", "'s'", "\"", "'", "[", "]", "{", "}", ", ", "&x ", "*x", "!t ", "!!str ", "|\n", ">-\n", "---", "---\n",
    "...\n", "%", "1", "true", "<<: *x", "é", "\u{feff}",
];

const DOCUMENTS: &[&str] = &[
    "# head\nname: x\nlist:\n  - 1\n  - a: 2\n    b: |\n      text\n\n      more\n  -\nflow: {a: [1, 2], \"b\": c}\nlast: # why\n",
    "a: &x\n  b: 1\nc: *x\nd:\n  <<: *x\n  e: !t 2\n",
    "- - 1\n  - 2\n- ? k\n  : v\n- >-\n  folded\n  text\n",
    "%YAML 1.2\n---\na: 1\n...\n---\n- \"two\n  lines\"\n- plain\n  lines\n",
    "jobs:\r\n  build:\r\n    steps:\r\n    - run: x\r\n    # about y\r\n    - run: y\r\n",
];

#[test]
fn keeps_the_laws() {
    testing::laws_on_random::<Yaml>("a.yaml", PIECES, DOCUMENTS);
    DOCUMENTS.iter().for_each(|text| testing::laws::<Yaml>("a.yaml", text));
}

#[test]
fn what_is_made_is_there_and_changes_nothing_else() {
    let mut count = 0;
    for text in DOCUMENTS {
        for below in [".new", ".new.deep['a b'][0].end", "[0]", "[1].new", "[2][0]", "[3]"] {
            let target = |node: &Node| format!("{}{below}", node.address);
            for content in ["1", "{\"x\": [1, {\"y\": 2}]}", "- a\n- b: |\n    text\n"] {
                count += testing::laws_of_making::<Yaml>(("a.yaml", text), TargetKind::Path, target, content);
            }
        }
    }
    assert!(count > 50, "only {count} were made");
}

fn cases() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/yaml-test-suite/cases.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}

#[test]
fn keeps_the_laws_on_the_suite() {
    for case in cases() {
        testing::laws::<Yaml>("a.yaml", case["files"]["doc.yaml"].as_str().expect("text"));
    }
}

#[test]
fn values_are_those_of_the_suite() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (Some(documents), Some(text)) = (case["expect"]["docs"].as_array(), case["files"]["doc.yaml"].as_str())
        else {
            continue;
        };
        if documents.is_empty() {
            continue;
        }
        let path = if documents.len() == 1 { "$" } else { "$[*]" };
        let nodes = testing::open::<Yaml>("a.yaml", text).nodes(TargetKind::Path, path).expect("found");
        let parse =
            |value: &Option<String>| serde_json::from_str(value.as_deref().unwrap_or_default()).unwrap_or(Value::Null);
        let values: Vec<Value> = nodes.iter().map(|node| parse(&node.value)).collect();
        if !same(&Value::from(values.clone()), &Value::from(documents.clone())) {
            wrong.push(format!("{} {values:?} instead of {documents:?}", case["id"]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Equality of JSON values, by which 1 is 1.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
