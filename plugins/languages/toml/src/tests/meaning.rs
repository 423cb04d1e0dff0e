//! Tests that an edit changes its target and nothing else. They compare the value of the whole file before and after,
//! for every value of many files and contents of every kind.

use marquetry_sdk::{
    Document, EditOptions, Node, Operation, Position, TargetKind,
    span::apply,
    testing::{self, TestDocument, insert_into, random_lines},
};
use serde_json::{Value, json};

use super::MANIFEST;
use crate::Toml;

const FILES: &[&str] = &[
    MANIFEST,
    "# top\n\n# about a\na = 1 # behind\nlist = [1, 2.5, { a = true }]\n\nempty = {}\ntail = []\n\n[t]\n",
    "a = [\r\n\t{ a = 1 },\r\n\t[[], [[]]], # two\r\n\t\"tëxt\",\r\n]\r\n[b]\r\nc = \"x\"\r\n",
    "[a]\nx = 1\n[b]\ny = 1\n[a.c]\nz = 1\n[a.c.d]\n[b.e]\n",
    "[[a]]\n[[a.b]]\nx = 1\n[[a.b]]\n[a.b.c]\ny = 2\n[[a]]\nz = 3",
    "one = [ # first\n  1, # one\n  2 # last\n]\ntwo = { b.c = 1, b.d = 2, e = 3 }\n",
    "[a.b.c]\n\n  x = 1\n\n  # end\n\n[d]\n",
    "a.b.c = 1\na.b.d = 2\na.e = '''\n[x]\n'''\n",
];

fn contents() -> Vec<(&'static str, Value)> {
    vec![
        ("1", json!(1)),
        (" \"a, b\"\n", json!("a, b")),
        ("[1, { a = 2 }]", json!([1, { "a": 2 }])),
        ("[\n    '''\n  x\n''',\n]", json!(["  x\n"])),
        ("{ x = [true] }", json!({ "x": [true] })),
    ]
}

fn value(text: &str) -> Value {
    let bench = testing::open::<Toml>("a.toml", text);
    assert!(bench.diagnostics().is_empty(), "{:?} in\n{text}", bench.diagnostics());
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

/// Returns the value before and after the operation, and the new text. If the operation is rejected, checks the error
/// and returns `None`.
fn change(bench: &TestDocument<Toml>, node: &Node, operation: &Operation) -> Option<(Value, Value, String)> {
    let options = EditOptions { include_doc: false, force: false };
    let before = bench.document().text();
    match bench.document().edit(&[node.id], operation, options) {
        Ok(edits) => {
            let after = apply(before, &edits);
            Some((value(before), value(&after), after))
        }
        Err(failure) => {
            assert!(failure.hint.is_some(), "{operation:?} of `{}`: {failure:?}", node.address);
            None
        }
    }
}

#[track_caller]
fn check(bench: &TestDocument<Toml>, node: &Node, operation: &Operation, expect: impl FnOnce(&mut Value)) -> usize {
    let Some((mut expected, found, after)) = change(bench, node, operation) else { return 0 };
    expect(&mut expected);
    prune(&mut expected);
    let mut found = found;
    prune(&mut found);
    assert_eq!(found, expected, "{operation:?} of `{}` in\n{}\ngives\n{after}", node.address, bench.document().text());
    1
}

/// Removes empty tables. A table that is named only by its parts disappears together with the last part, so it must not
/// be compared.
fn prune(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(prune);
            members.retain(|_, value| !is_empty(value));
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

#[test]
fn edits_change_only_target_value() {
    let mut count = 0;
    for text in FILES {
        let bench = testing::open::<Toml>("a.toml", text);
        for node in bench.document().outline() {
            let place = node.address.as_str();
            let parent = &place[..place.rfind(['.', '[']).unwrap_or(1)];
            for (content, meaning) in contents() {
                if !matches!(node.kind.as_str(), "table" | "array") {
                    count += check(&bench, &node, &Operation::Replace(content.to_owned()), |root| {
                        *at(root, place) = meaning.clone();
                    });
                }
                let member = format!("new = {}", content.trim());
                for position in [Position::First, Position::Last, Position::Sorted] {
                    if node.kind == "table" {
                        count += check(&bench, &node, &insert_into(&member, position), |root| {
                            at(root, place)["new"] = meaning.clone();
                        });
                    }
                    if node.kind == "array" && position != Position::Sorted {
                        count += check(&bench, &node, &insert_into(content, position), |root| {
                            let items = at(root, place).as_array_mut().expect("an array");
                            items.insert(if position == Position::First { 0 } else { items.len() }, meaning.clone());
                        });
                    }
                }
                for operation in [Operation::InsertBefore(member.clone()), Operation::InsertAfter(member.clone())] {
                    if place != "$" && !place.ends_with(']') {
                        count += check(&bench, &node, &operation, |root| at(root, parent)["new"] = meaning.clone());
                    }
                }
                if let Ok(index) = node.name.parse::<usize>() {
                    for (operation, index) in [
                        (Operation::InsertBefore(content.to_owned()), index),
                        (Operation::InsertAfter(content.to_owned()), index + 1),
                    ] {
                        count += check(&bench, &node, &operation, |root| {
                            at(root, parent).as_array_mut().expect("an array").insert(index, meaning.clone());
                        });
                    }
                }
            }
            if place != "$" {
                count += check(&bench, &node, &Operation::Delete, |root| match at(root, parent) {
                    Value::Array(items) => drop(items.remove(node.name.parse().expect("an index"))),
                    Value::Object(members) => drop(members.remove(&node.name)),
                    other => panic!("{other} is not an array or object"),
                });
            }
        }
    }
    assert!(count > 1500, "only {count} edits were made");
}

#[test]
fn replacing_section_replaces_its_value() {
    for text in FILES {
        let bench = testing::open::<Toml>("a.toml", text);
        for node in bench.document().outline().iter().filter(|node| node.kind == "table" && node.address != "$") {
            for operation in [Operation::Replace("new = 1".to_owned()), Operation::ReplaceBody("new = 1".to_owned())] {
                let Some((before, after, written)) = change(&bench, node, &operation) else { continue };
                // Parts of the table at other places in the file are kept.
                let (mut expected, mut found) = (before, after);
                let own = at(&mut found, &node.address).clone();
                assert_eq!(own["new"], json!(1), "{operation:?} of `{}` gives\n{written}", node.address);
                *at(&mut expected, &node.address) = own;
                assert_eq!(found, expected, "{operation:?} of `{}` in\n{text}\ngives\n{written}", node.address);
            }
        }
    }
}

/// Lines of documents in which the parts of a table are in several sections.
const LINES: &[&str] = &[
    "[t]\n",
    "[t.sub]\n",
    "[t.a.sub]\n",
    "[t.a.b.sub]\n",
    "[[t.a.list]]\n",
    "[[t.list]]\n",
    "[[list]]\n",
    "[list.t.sub]\n",
    "[list.t]\n",
    "[a.sub]\n",
    "[[a.b.list]]\n",
    "a.x = 1\n",
    "a.b.y = 2\n",
    "x = 3\n",
    "z.a = 4\n",
    "list.v = { a.x = 1 }\n",
    "t.a.w = 5\n",
    "t.sub.w = 6\n",
    "# comment\n",
    "\n",
];

/// Inserts keys, some of them dotted, at every place of the document. Returns the number of edits.
fn check_insertions(text: &str) -> usize {
    let bench = testing::open::<Toml>("a.toml", text);
    let mut count = 0;
    for node in bench.document().outline() {
        let place = node.address.as_str();
        let parent = &place[..place.rfind(['.', '[']).unwrap_or(1)];
        for (content, meaning) in [("new = 1", json!(1)), ("new.a.b = 1", json!({ "a": { "b": 1 } }))] {
            for position in [Position::First, Position::Last, Position::Sorted] {
                if node.kind == "table" {
                    count += check(&bench, &node, &insert_into(content, position), |root| {
                        at(root, place)["new"] = meaning.clone();
                    });
                }
            }
            for operation in [Operation::InsertBefore(content.to_owned()), Operation::InsertAfter(content.to_owned())] {
                if place != "$" && !place.ends_with(']') {
                    count += check(&bench, &node, &operation, |root| at(root, parent)["new"] = meaning.clone());
                }
            }
        }
    }
    count
}

#[test]
fn keys_are_inserted_into_asked_table() {
    let is_valid = |text: &String| testing::open::<Toml>("a.toml", text).diagnostics().is_empty();
    let texts: Vec<String> = random_lines(LINES, 9, 140).filter(is_valid).collect();
    assert!(texts.len() > 20, "only {} documents are valid", texts.len());
    let count: usize = texts.iter().map(|text| check_insertions(text)).sum();
    assert!(count > 1000, "only {count} edits were made");
}

#[test]
fn deleted_keys_are_those_of_target() {
    let is_valid = |text: &String| testing::open::<Toml>("a.toml", text).diagnostics().is_empty();
    let mut count = 0;
    for text in random_lines(LINES, 8, 1000).filter(is_valid) {
        let bench = testing::open::<Toml>("a.toml", &text);
        for node in bench.document().outline().iter().filter(|node| node.address != "$") {
            let parent = &node.address[..node.address.rfind(['.', '[']).unwrap_or(1)];
            count += check(&bench, node, &Operation::Delete, |root| match at(root, parent) {
                Value::Array(items) => drop(items.remove(node.name.parse().expect("an index"))),
                Value::Object(members) => drop(members.remove(&node.name)),
                other => panic!("{other} is not an array or object"),
            });
        }
    }
    assert!(count > 300, "only {count} values were deleted");
}
