//! Tests that an edit changes its target and nothing else. They compare the value of the whole file before and after,
//! for every value of many files and contents of every kind.

use marquetry_sdk::{
    Document, EditOptions, Node, Operation, Position, TargetKind,
    span::apply,
    testing::{self, TestDocument, insert_into},
};
use serde_json::{Value, json};

use crate::Json;

const FILES: &[&str] = &[
    "{\n  // about name\n  \"name\": \"x\", // behind\n  \"list\": [1, 2.5, { \"a\": null }],\n\n  /* block */\n  \"empty\": {}, \"tail\": [],\n}\n",
    "[\r\n\t{ \"a\": 1 },\r\n\t[[], [[]]], // two\r\n\t\"tëxt\"\r\n]",
    "{\"a\":{\"b\":{\"c\":[0,1,2,3]}},\"d\":\"\\u0041\"}",
    "[{\n  \"a\": 1\n}, {\n  \"b\": 2\n}]",
    "{ \"one\": 1 /* why */ , // more\n  \"two\": [ // first\n    1, // one\n    2 // last\n  ]\n}",
    "{\n}",
    "[ ]",
];

fn contents() -> Vec<(&'static str, Value)> {
    vec![
        ("1", json!(1)),
        (" \"a, b\"\n", json!("a, b")),
        ("[1, { \"a\": 2 }]", json!([1, { "a": 2 }])),
        ("{\n    \"x\": [\n        true\n    ]\n}", json!({ "x": [true] })),
    ]
}

fn value(text: &str) -> Value {
    let bench = testing::open::<Json>("a.jsonc", text);
    assert!(bench.diagnostics().is_empty(), "{text:?}: {:?}", bench.diagnostics());
    let node = bench.nodes(TargetKind::Path, "$").expect("a root").remove(0);
    serde_json::from_str(&node.value.expect("a value")).expect("JSON")
}

/// Returns the value at an address that consists of plain names and indices.
fn at<'v>(root: &'v mut Value, address: &str) -> &'v mut Value {
    let steps = address.replace('[', ".").replace(']', "");
    steps.split('.').skip(1).fold(root, |at, step| match step.parse::<usize>() {
        Ok(index) => &mut at[index],
        Err(_) => &mut at[step],
    })
}

fn edited(bench: &TestDocument<Json>, node: &Node, operation: &Operation) -> String {
    let options = EditOptions { include_doc: false, force: false };
    let edits = bench.document().edit(&[node.id], operation, options);
    apply(bench.document().text(), &edits.expect("an edit"))
}

#[track_caller]
fn check(bench: &TestDocument<Json>, node: &Node, operation: &Operation, change: impl FnOnce(&mut Value)) {
    let mut expected = value(bench.document().text());
    change(&mut expected);
    let after = edited(bench, node, operation);
    assert_eq!(value(&after), expected, "{operation:?} of `{}` gives {after:?}", node.address);
}

#[test]
fn edits_change_only_target_value() {
    for text in FILES {
        let bench = testing::open::<Json>("a.jsonc", text);
        for node in bench.document().outline() {
            let cut = node.address.rfind(['.', '[']).unwrap_or(1);
            let parent = &node.address[..cut];
            for (content, meaning) in contents() {
                let place = node.address.as_str();
                check(&bench, &node, &Operation::Replace(content.to_owned()), |root| {
                    *at(root, place) = meaning.clone()
                });
                let member = format!("\"new\": {content},");
                for position in [Position::First, Position::Last, Position::Sorted] {
                    match node.kind.as_str() {
                        "object" => check(&bench, &node, &insert_into(&member, position), |root| {
                            at(root, place)["new"] = meaning.clone();
                        }),
                        "array" if position != Position::Sorted => {
                            check(&bench, &node, &insert_into(content, position), |root| {
                                let items = at(root, place).as_array_mut().expect("an array");
                                items
                                    .insert(if position == Position::First { 0 } else { items.len() }, meaning.clone());
                            })
                        }
                        _ => {}
                    }
                }
                if let Ok(index) = node.name.parse::<usize>() {
                    for (operation, index) in [
                        (Operation::InsertBefore(content.to_owned()), index),
                        (Operation::InsertAfter(content.to_owned()), index + 1),
                    ] {
                        check(&bench, &node, &operation, |root| {
                            at(root, parent).as_array_mut().expect("an array").insert(index, meaning.clone());
                        });
                    }
                }
            }
            if node.address != "$" {
                check(&bench, &node, &Operation::Delete, |root| match at(root, parent) {
                    Value::Array(items) => drop(items.remove(node.name.parse().expect("an index"))),
                    Value::Object(members) => drop(members.remove(&node.name)),
                    other => panic!("{other} is not an array or object"),
                });
            }
        }
    }
}
