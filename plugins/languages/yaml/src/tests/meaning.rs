//! Tests that an edit changes its target and nothing else. They compare the value of the whole file before and after,
//! for every node of many files and contents of every style.

use marquetry_sdk::{
    Document, EditOptions, Node, Operation, Position, Severity, TargetKind,
    span::apply,
    testing::{self, TestDocument, insert_into},
};
use serde_json::{Value, json};

use crate::Yaml;

const FILES: &[&str] = &[
    "# head\nname: x # why\nlist:\n  - 1\n  - a: 2\n    b: |\n      text\n\n      more\n  -\n  - - 1\n    - 2\nflow: {a: [1, 2], \"b\": c, d}\nlast:\n",
    "steps:\n- run: |\n    one\n    two\n  with: {x: [a, b]}\n# about\n- uses: y\n\n- name: >-\n    z\n    z\n",
    "--- !!map\nkey: &anchor\n  !!map\n  a: \"two\n    lines\"\n? explicit\n: - 1\n  - 2\n? alone\n",
    "- [a, [b, {c: d}], e: f]\n-\n  deep:\n    deeper:\n      - x\n",
    "plain\n  lines\n",
    "a: 1\r\nb:\r\n  c: 2\r\n  d: [1]\r\n",
];

/// Returns contents and their values.
fn contents() -> Vec<(&'static str, Value)> {
    vec![
        ("1", json!(1)),
        ("words on-a_line", json!("words on-a_line")),
        ("'it''s #1: [a]'", json!("it's #1: [a]")),
        ("\"a: b\"", json!("a: b")),
        ("word, other", json!("word, other")),
        ("[1, {a: 2}]", json!([1, {"a": 2}])),
        ("x: 1\ny:\n  - 2", json!({"x": 1, "y": [2]})),
        ("- 1\n- z: 2\n  w: 3", json!([1, {"z": 2, "w": 3}])),
        ("|\n  one\n    two\n\n  three\n", json!("one\n  two\n\nthree\n")),
        (">-\n  one\n  two\n", json!("one two")),
        ("plain\nlines", json!("plain lines")),
        ("[\n  1,\n  2\n]", json!([1, 2])),
        ("!!str 5", json!("5")),
    ]
}

fn value(text: &str) -> Value {
    let bench = testing::open::<Yaml>("a.yaml", text);
    let node = bench.nodes(TargetKind::Path, "$").expect("a root").remove(0);
    serde_json::from_str(&node.value.expect("a value")).expect("JSON")
}

/// Returns the value at an address.
fn at<'v>(root: &'v mut Value, address: &str) -> Option<&'v mut Value> {
    let mut at = root;
    let mut rest = address.strip_prefix('$')?;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("['") {
            let end = after.find("']")?;
            at = at.get_mut(after[..end].replace("\\n", "\n").replace("\\'", "'"))?;
            rest = &after[end + 2..];
        } else if let Some(after) = rest.strip_prefix('[') {
            let end = after.find(']')?;
            at = at.get_mut(after[..end].parse::<usize>().ok()?)?;
            rest = &after[end + 1..];
        } else {
            let after = rest.strip_prefix('.')?;
            let end = after.find(['.', '[']).unwrap_or(after.len());
            at = at.get_mut(&after[..end])?;
            rest = &after[end..];
        }
    }
    Some(at)
}

/// Returns the text after an operation. Returns `None` if the pack rejects the operation, or if the result has errors,
/// because the host rejects that.
fn edited(bench: &TestDocument<Yaml>, node: &Node, operation: &Operation) -> Option<String> {
    let options = EditOptions { include_doc: false, force: false };
    let edits = bench.document().edit(&[node.id], operation, options).ok()?;
    let after = apply(bench.document().text(), &edits);
    let errors = |document: &crate::YamlDocument| {
        document.diagnostics().into_iter().filter(|problem| problem.severity == Severity::Error).collect::<Vec<_>>()
    };
    let found = errors(testing::open::<Yaml>("a.yaml", &after).document());
    found.is_empty().then_some(after)
}

struct Tally {
    done: usize,
    refused: usize,
}

fn check(text: &str, tally: &mut Tally) {
    let bench = testing::open::<Yaml>("a.yaml", text);
    let before = value(text);
    for node in bench.document().outline() {
        for (content, meaning) in contents() {
            let flow = node.span.slice(text).starts_with(['[', '{']);
            if flow && content == "word, other" {
                continue; // inside brackets, these are two entries
            }
            let mut run = |operation: Operation, expect: &dyn Fn(&mut Value)| {
                let Some(after) = edited(&bench, &node, &operation) else { return tally.refused += 1 };
                let mut expected = before.clone();
                let Some(place) = at(&mut expected, &node.address) else { return };
                expect(place);
                let found = value(&after);
                assert_eq!(found, expected, "{operation:?} of `{}` in {text:?} gives {after:?}", node.address);
                tally.done += 1;
            };
            run(Operation::Replace(content.to_owned()), &|place| *place = meaning.clone());
            if node.kind == "array" {
                let item =
                    if meaning.is_array() && content.starts_with('-') { meaning.clone() } else { json!([meaning]) };
                let items = item.as_array().cloned().unwrap_or_default();
                run(insert_into(content, Position::Last), &|place| {
                    place.as_array_mut().expect("an array").extend(items.clone());
                });
                run(insert_into(content, Position::First), &|place| {
                    place.as_array_mut().expect("an array").splice(0..0, items.clone());
                });
            }
            if node.kind == "object" {
                let pair = if content.contains('\n') && !content.starts_with(['|', '>', '[']) {
                    format!("new:\n  {}", content.replace('\n', "\n  "))
                } else {
                    format!("new: {content}")
                };
                run(insert_into(&pair, Position::Sorted), &|place| place["new"] = meaning.clone());
                run(insert_into(&pair, Position::First), &|place| place["new"] = meaning.clone());
            }
        }
        check_delete(&bench, &node, &before, tally);
    }
}

fn check_delete(bench: &TestDocument<Yaml>, node: &Node, before: &Value, tally: &mut Tally) {
    let Some(after) = edited(bench, node, &Operation::Delete) else { return tally.refused += 1 };
    let mut expected = before.clone();
    let cut = node.address.rfind(['.', '[']).expect("not the root");
    let (parent, name) = (&node.address[..cut], node.name.as_str());
    match at(&mut expected, parent) {
        Some(Value::Array(items)) => drop(items.remove(name.parse().expect("an index"))),
        Some(Value::Object(members)) => drop(members.remove(name)),
        _ => return,
    }
    assert_eq!(value(&after), expected, "delete of `{}` gives {after:?}", node.address);
    tally.done += 1;
}

#[test]
fn edits_change_only_target_value() {
    let suite = testing::suite("yaml-test-suite");
    let cases = suite.iter().map(|case| serde_json::from_str::<Value>(case).expect("a case"));
    let accepted = cases.filter(|case| {
        case["expect"]["parse"] == "accept" && case["expect"]["docs"].as_array().is_some_and(|docs| docs.len() == 1)
    });
    let texts = accepted.filter_map(|case| case["files"]["doc.yaml"].as_str().map(str::to_owned));
    // In a text with aliases, one edit can change several values, so such texts are left out.
    let texts = texts.filter(|text| !text.contains('*') && !text.contains("<<"));
    let mut tally = Tally { done: 0, refused: 0 };
    for text in FILES.iter().map(|text| (*text).to_owned()).chain(texts) {
        check(&text, &mut tally);
    }
    assert!(tally.refused * 10 < tally.done, "{} edits, and {} refused", tally.done, tally.refused);
}
