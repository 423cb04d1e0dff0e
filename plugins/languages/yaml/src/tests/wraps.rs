//! Tests of wrappers around values of every style.

use marquetry_sdk::{
    Document, EditOptions, FailureKind, Severity,
    TargetKind::Path,
    span::apply,
    testing::{self, check_edit, check_refusal, wrap},
};
use serde_json::{Value, json};

use crate::Yaml;

#[track_caller]
fn check(text: &str, target: &str, (before, after): (&str, &str), expected: &str) {
    check_edit::<Yaml>(("a.yaml", text), (Path, target), wrap(before, after), expected);
}

const NESTED: &str = "a:\n  b: 1\n  c:\n    - 2\n    - 3\nd: 4\n";

#[test]
fn wrapped_lines_are_indented() {
    check(NESTED, "$.a", ("x:\n", ""), "a:\n  x:\n    b: 1\n    c:\n      - 2\n      - 3\nd: 4\n");
    check(NESTED, "$.a", ("x: ", ""), "a:\n  x:\n    b: 1\n    c:\n      - 2\n      - 3\nd: 4\n");
    check(NESTED, "$.a", ("- ", ""), "a:\n  - b: 1\n    c:\n      - 2\n      - 3\nd: 4\n");
    check(
        NESTED,
        "$.a",
        ("x:\n  y: ", "\n  z: 0"),
        "a:\n  x:\n    y:\n      b: 1\n      c:\n        - 2\n        - 3\n    z: 0\nd: 4\n",
    );
    check(NESTED, "$.a.c", ("x:\n", ""), "a:\n  b: 1\n  c:\n    x:\n      - 2\n      - 3\nd: 4\n");
    check(NESTED, "$.a.c[0]", ("k: ", ""), "a:\n  b: 1\n  c:\n    - k: 2\n    - 3\nd: 4\n");
    check(NESTED, "$.d", ("[", "]"), "a:\n  b: 1\n  c:\n    - 2\n    - 3\nd: [4]\n");
    check(NESTED, "$.d", ("'", "'"), "a:\n  b: 1\n  c:\n    - 2\n    - 3\nd: '4'\n");
    check("a: |\n  x\n  y\nb: 1\n", "$.a", ("k: ", ""), "a:\n  k: |\n    x\n    y\nb: 1\n");
    check("a: {b: [1]}\n", "$.a.b", ("{k: ", "}"), "a: {b: {k: [1]}}\n");
}

#[test]
fn wrappers_that_change_value_are_refused() {
    let refused = |text: &str, target: &str, before: &str, after: &str| {
        let failure = check_refusal::<Yaml>(("a.yaml", text), (Path, target), wrap(before, after));
        assert!(failure.hint.is_some(), "{failure:?}");
        failure.kind
    };
    assert_eq!(refused(NESTED, "$.a", "[", "]"), FailureKind::InvalidArgument);
    assert_eq!(refused("a: |\n  x\nb: 1\n", "$.a", "k: |\n", ""), FailureKind::InvalidArgument);
    refused("a: 1\n", "$.a", "[", "");
    refused("a: 1\n", "$.a", "# ", "");
    refused("a: 'x: y'\n", "$.a", "\"", "\"");
}

const FILES: &[&str] = &[
    "# head\nname: x # why\nlist:\n  - 1\n  - a: 2\n    b: |\n      text\n\n      more\n  -\n  - - 1\n    - 2\nflow: {a: [1, 2], \"b\": c, d}\nlast:\n",
    "steps:\n- run: |\n    one\n    two\n  with: {x: [a, b]}\n# about\n- uses: y\n\n- name: >-\n    z\n    z\n",
    "key: &anchor\n  !!map\n  a: \"two\n    lines\"\n? explicit\n: - 1\n  - 2\n",
    "- [a, [b, {c: d}], e: f]\n-\n  deep:\n    deeper:\n      - x\n",
    "a: |+\n  text\n\nb: |2-\n    code\n   more\nc: >\n  one\n  two\n\n  three\nd: 'q ''s'\n",
    "a: 1\r\nb:\r\n  c: 2\r\n  d: [1]\r\n",
    "a:\n- x: 1\n  # about y\n  y: 2 # two\n- z\n",
    "plain\n  lines\n",
];

type Meaning = fn(Value) -> Value;

/// Returns wrappers and their values.
fn wrappers() -> Vec<(&'static str, &'static str, Meaning)> {
    vec![
        ("[", "]", |value| json!([value])),
        ("{k: ", "}", |value| json!({ "k": value })),
        ("k: ", "", |value| json!({ "k": value })),
        ("k:\n", "", |value| json!({ "k": value })),
        ("k:\n  ", "", |value| json!({ "k": value })),
        ("k:\n    ", "\n", |value| json!({ "k": value })),
        ("k:\n  m: ", "", |value| json!({ "k": { "m": value } })),
        ("k:\n  - ", "", |value| json!({ "k": [value] })),
        ("- ", "", |value| json!([value])),
        ("-\n", "", |value| json!([value])),
        ("- 0\n- ", "\n- 9", |value| json!([0, value, 9])),
        ("k: 0\nm: ", "\nn: 9", |value| json!({ "k": 0, "m": value, "n": 9 })),
        ("k:\n", "\nn: 9", |value| json!({ "k": value, "n": 9 })),
        ("# note\nk:\n", "", |value| json!({ "k": value })),
    ]
}

fn value(text: &str, address: &str) -> Value {
    let bench = testing::open::<Yaml>("a.yaml", text);
    let node =
        bench.nodes(Path, address).unwrap_or_else(|failure| panic!("{address} in {text}: {failure:?}")).remove(0);
    serde_json::from_str(&node.value.expect("a value")).expect("JSON")
}

#[test]
fn wrapped_value_is_in_wrapper_and_rest_is_unchanged() {
    let (mut edits, mut refused) = (0, 0);
    for text in FILES {
        let bench = testing::open::<Yaml>("a.yaml", text);
        for node in bench.document().outline() {
            let old = value(text, &node.address);
            for (open, close, meaning) in wrappers() {
                let options = EditOptions { include_doc: false, force: false };
                let Ok(done) = bench.document().edit(&[node.id], &wrap(open, close), options) else {
                    let is_in_flow = bench.document().outline().iter().any(|around| {
                        around.span.contains(node.span)
                            && around.span != node.span
                            && around.span.slice(text).starts_with(['[', '{'])
                    });
                    // Block style is not allowed in brackets, and `|+` keeps the blank lines below it.
                    let in_brackets = is_in_flow || open.starts_with(['[', '{']);
                    let kept = node.span.slice(text).starts_with("|+");
                    assert!(in_brackets || kept, "{open:?} around `{}` in\n{text}\nis refused", node.address);
                    refused += 1;
                    continue;
                };
                let after = apply(text, &done);
                let what = format!("{open:?} around `{}` in\n{text}\ngives\n{after}", node.address);
                let problems = testing::open::<Yaml>("a.yaml", &after).document().diagnostics();
                assert!(problems.iter().all(|problem| problem.severity != Severity::Error), "{problems:?}: {what}");
                assert_eq!(value(&after, &node.address), meaning(old.clone()), "{what}");
                for other in bench.document().outline().iter().filter(|other| {
                    !other.address.starts_with(&node.address) && !node.address.starts_with(&other.address)
                }) {
                    assert_eq!(value(&after, &other.address), value(text, &other.address), "{}: {what}", other.address);
                }
                edits += 1;
            }
        }
    }
    println!("{edits} edits, {refused} refused");
    assert!(edits > 700 && refused * 3 < edits, "{edits} edits, {refused} refused");
}
