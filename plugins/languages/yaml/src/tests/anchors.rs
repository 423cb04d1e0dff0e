//! Tests that edits do not change which anchors aliases refer to.

use marquetry_sdk::{
    Document, EditOptions, Failure, FailureKind, Node, Operation,
    TargetKind::Path,
    span::apply,
    testing::{self, after, before, check_edit, check_refusal, last, random_lines, replace},
};
use serde_json::Value;

use crate::Yaml;

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Yaml>(("a.yaml", text), (Path, target), operation, expected);
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) -> Failure {
    check_refusal::<Yaml>(("a.yaml", text), (Path, target), operation)
}

const TWICE: &str = "a: &x 1\nb: *x\nc: &x 2\nd: *x\n";

#[test]
fn edits_keep_anchors_of_aliases() {
    for (target, operation) in [
        ("$.c", Operation::Delete),
        ("$.a", after("new: &x 3")),
        ("$.d", before("new: &x 3")),
        ("$.c", after("new: &x 3")),
    ] {
        let failure = refused(TWICE, target, operation.clone());
        assert_eq!(failure.kind, FailureKind::InvalidArgument, "{operation:?}");
        assert!(failure.message.contains("would get another value"), "{}", failure.message);
        assert!(failure.hint.is_some_and(|hint| hint.contains("rename_symbol")));
    }
    check(TWICE, "$.d", Operation::Delete, "a: &x 1\nb: *x\nc: &x 2\n");
    check(TWICE, "$.d", after("e: &x 3\nf: *x"), &format!("{TWICE}e: &x 3\nf: *x\n"));
    check(TWICE, "$.b", before("e: 3"), "a: &x 1\ne: 3\nb: *x\nc: &x 2\nd: *x\n");
    check(TWICE, "$.c", replace("5"), "a: &x 1\nb: *x\nc: &x 5\nd: *x\n");
    check(TWICE, "$.b", replace("*x"), TWICE);
    let failure = refused("a: &x 1\nb: 2\nc: *x\n", "$.b", replace("&x 3"));
    assert!(failure.message.contains("`*x` at `$.c`"), "{}", failure.message);
    let failure = refused("a: &x 1\nb: [1]\nc: *x\n", "$.b", last("&x 3"));
    assert!(failure.message.contains("`*x` at `$.c`"), "{}", failure.message);
}

#[test]
fn anchor_of_content_replaces_old_one() {
    check("a: &x 1\n", "$.a", replace("&y 2"), "a: &y 2\n");
    check("a: &x 1\nb: *x\n", "$.a", replace("&x 2"), "a: &x 2\nb: *x\n");
    check("a: &x !t 1 # one\n", "$.a", replace("&y 2"), "a: &y 2 # one\n");
    check("a: !t &x 1\n", "$.a", replace("&y !u 2"), "a: &y !u 2\n");
    check("- &x 1\n- 2\n", "$[0]", replace("&y [2]"), "- &y [2]\n- 2\n");
    check("[&x 1, 2]\n", "$[0]", replace("&y 2"), "[&y 2, 2]\n");
    check("{a: &x [1]}\n", "$.a", replace("&y !t 2"), "{a: &y !t 2}\n");
    check("&x 1\n", "$", replace("&y 2"), "&y 2\n");
    check("--- &x 1\n", "$", replace("&y 2"), "--- &y 2\n");
    check("a: &x\n  k: 1\n", "$.a", replace("&y\nk: 2"), "a: &y\n  k: 2\n");
    check("a: &x\n  k: 1\n", "$.a", replace("&y 2"), "a: &y 2\n");
    check("a: &x |\n  k\n", "$.a", replace("&y |\n  m\n"), "a: &y |\n  m\n");
}

#[test]
fn unknown_aliases_of_content_are_refused() {
    let failure = refused("a: &base 1\nb: 2\n", "$.b", replace("*bsae"));
    assert_eq!(failure.message, "the content refers to the anchor `&bsae`, which the file does not have");
    assert_eq!(failure.candidates, ["*base"]);
    for operation in [after("x: *no"), before("x: [*no]"), replace("{k: *no}"), last("x: *no")] {
        let failure = refused("a:\n  k: 2\n", "$.a", operation.clone());
        assert!(failure.hint.is_some_and(|hint| hint.contains("`&no`")), "{operation:?}: {}", failure.message);
    }
    let failure = refused("a: 1\nb: &base 2\n", "$.a", replace("*base"));
    assert_eq!(failure.message, "the anchor `&base` is not above the alias `*base` of the content");
    check("a: &base 1\nb: 2\n", "$.b", replace("*base"), "a: &base 1\nb: *base\n");
    check("a: 1\n", "$.a", replace("'*no'"), "a: '*no'\n");
}

/// Lines of documents that define anchors several times.
const LINES: &[&str] = &[
    "a: &x 1\n",
    "b: &x {k: 2}\n",
    "c: &y\n  k: *x\n",
    "d: *x\n",
    "e: [*x, 3]\n",
    "f: *y\n",
    "g:\n  - &x 4\n  - *x\n  - n\n",
    "h:\n  <<: *y\n  m: 5\n",
    "i: 6\n",
    "j: &y !t [7]\n",
    "# note\n",
];

fn value(text: &str) -> Value {
    let bench = testing::open::<Yaml>("a.yaml", text);
    let node = bench.nodes(Path, "$").expect("a root").remove(0);
    serde_json::from_str(&node.value.expect("a value")).expect("JSON")
}

fn edited(text: &str, node: &Node, operation: &Operation) -> Option<String> {
    let bench = testing::open::<Yaml>("a.yaml", text);
    let options = EditOptions { include_doc: false, force: false };
    let edits = bench.document().edit(&[node.id], operation, options);
    let after = apply(text, &edits.inspect_err(|failure| assert!(failure.hint.is_some(), "{failure:?}")).ok()?);
    testing::open::<Yaml>("a.yaml", &after).document().diagnostics().is_empty().then_some(after)
}

#[test]
fn values_of_aliases_elsewhere_stay() {
    let (mut edits, mut refused) = (0, 0);
    for text in random_lines(LINES, 8, 2000) {
        let bench = testing::open::<Yaml>("a.yaml", &text);
        if !bench.document().diagnostics().is_empty() || value(&text).as_object().is_none() {
            continue;
        }
        let old = value(&text);
        for node in bench.document().outline().iter().filter(|node| node.address.matches(['.', '[']).count() == 1) {
            let line = text.lines().find(|line| line.starts_with(&format!("{}:", node.name))).unwrap_or_default();
            let has_anchor = line.contains('&') || node.span.slice(&text).contains('&');
            let mut operations = vec![
                after("new: &x 9"),
                before("new: &x 9"),
                after("new: *x"),
                before("new: [&y 8, *y]"),
                after("new: 7"),
                Operation::Delete,
            ];
            if !has_anchor {
                operations.extend([replace("&x 9"), replace("&y [8]"), replace("9")]);
            }
            for operation in operations {
                let Some(after) = edited(&text, node, &operation) else {
                    refused += 1;
                    continue;
                };
                let (mut expected, mut found) = (old.clone(), value(&after));
                for name in ["new", node.name.as_str()] {
                    expected.as_object_mut().expect("a mapping").remove(name);
                    found.as_object_mut().expect("a mapping").remove(name);
                }
                assert_eq!(found, expected, "{operation:?} of `{}` in\n{text}\ngives\n{after}", node.address);
                edits += 1;
            }
        }
    }
    println!("{edits} edits, {refused} refused");
    assert!(edits > 2000 && refused < edits, "{edits} edits, {refused} refused");
}

#[test]
fn several_targets_and_force() {
    let run = |text: &str, target: &str, operation: &Operation, force: bool| {
        let bench = testing::open::<Yaml>("a.yaml", text);
        let ids: Vec<u32> = bench.nodes(Path, target).expect("found").iter().map(|node| node.id).collect();
        let edits = bench.document().edit(&ids, operation, EditOptions { include_doc: false, force });
        edits.map(|edits| apply(text, &edits)).map_err(|failure| failure.message)
    };
    let message = run(TWICE, "$['c', 'b']", &Operation::Delete, false).expect_err("a refusal");
    assert!(message.starts_with("`*x` at `$.d` would get another value"), "{message}");
    assert_eq!(run(TWICE, "$['c', 'b']", &Operation::Delete, true).expect("edits"), "a: &x 1\nd: *x\n");
    assert_eq!(run(TWICE, "$['c', 'd']", &Operation::Delete, false).expect("edits"), "a: &x 1\nb: *x\n");
    assert_eq!(run(TWICE, "$.c", &Operation::Delete, true).expect("edits"), "a: &x 1\nb: *x\nd: *x\n");
    assert!(run("a: 1\nb: 2\n", "$.*", &replace("*no"), false).is_err());
}
