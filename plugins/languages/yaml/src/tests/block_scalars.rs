//! Tests of the white space at the ends of block scalars, which is part of their values.

use marquetry_sdk::{
    Document, Operation, Target,
    TargetKind::{self, Path},
    span::apply,
    testing::{after, before, body, check_edit, first, last, replace, sorted},
};

use crate::{Yaml, YamlDocument};

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Yaml>(("a.yaml", text), (Path, target), operation, expected);
}

#[track_caller]
fn shown(text: &str, path: &str) -> String {
    super::read(text, path).concat()
}

#[test]
fn kept_empty_lines_are_part_of_the_value() {
    let text = "a: |+\n  x\n\n\nb: 1\n";
    assert_eq!(shown(text, "$.a"), "|+\n  x\n\n\n");
    assert_eq!(shown("a:\n  - |+\n    x\n\nb: 1\n", "$.a"), "- |+\n    x\n\n");
    assert_eq!(shown("a: |+\n  x\nb: 1\n", "$.a"), "|+\n  x");
    assert_eq!(shown("a: |\n  x\n\n\nb: 1\n", "$.a"), "|\n  x");
    check(text, "$.a", replace("|+\n  y\n\n\n"), "a: |+\n  y\n\n\nb: 1\n");
    check(text, "$.a", replace("|+\n  y\n\n"), "a: |+\n  y\n\nb: 1\n");
    check(text, "$.a", replace("|+\n  y"), "a: |+\n  y\nb: 1\n");
    check(text, "$.a", replace("|-\n  y\n\n"), "a: |-\n  y\nb: 1\n");
    check(text, "$.a", replace("y"), "a: y\nb: 1\n");
    check("a: 1\nb: 1\n", "$.a", replace(">+\n  y\n\n"), "a: >+\n  y\n\nb: 1\n");
    check("b: 1\na: 1\n", "$.a", replace("|+\n  y\n\n"), "b: 1\na: |+\n  y\n\n");
    check("b: 1\na: 1", "$.a", replace("|+\n  y\n\n"), "b: 1\na: |+\n  y\n\n");
    check("a: 1 # c\nb: 1\n", "$.a", replace("|+\n  y\n\n"), "a: |+ # c\n  y\n\nb: 1\n");
    check("a: {}\nb: 1\n", "$.a", replace("k:\n- |+\n  y\n\n"), "a:\n  k:\n  - |+\n    y\n\nb: 1\n");
    check("- 1\n- 2\n", "$[0]", replace("k: |+\n  y\n\n"), "- k: |+\n    y\n\n- 2\n");
    check("a: 1\r\nb: 1\r\n", "$.a", replace("|+\n  y\n\n"), "a: |+\n  y\n\r\nb: 1\r\n");
}

#[test]
fn empty_lines_below_do_not_join_the_value() {
    check("a: 1\n\nb: 1\n", "$.a", replace("|+\n  y"), "a: |+\n  y\nb: 1\n");
    check("a: 1\n\n\nb: 1\n", "$.a", replace("|+\n  y\n\n"), "a: |+\n  y\n\nb: 1\n");
    check("b: 1\na: 1\n\n\n", "$.a", replace("|+\n  y"), "b: 1\na: |+\n  y\n");
    check("a: 1\n\nb: 1\n", "$.a", after("n: |+\n  y"), "a: 1\n\nn: |+\n  y\nb: 1\n");
    check("a: 1\n\nb: 1\n", "$.a", before("n: |+\n  y\n\n"), "n: |+\n  y\n\na: 1\n\nb: 1\n");
    check("a: 1\n\nb: 1\n\n\n", "$", last("n: |+\n  y"), "a: 1\n\nb: 1\n\nn: |+\n  y\n");
    check("a: 1\n\nb: 1\n", "$.a", replace("|\n  y\n\n"), "a: |\n  y\n\nb: 1\n");
}

#[test]
fn inserted_entries_keep_their_empty_lines() {
    check("a: 1\nb: 1\n", "$.a", after("n: |+\n  y\n\n"), "a: 1\nn: |+\n  y\n\nb: 1\n");
    check("a: 1\nb: 1\n", "$.b", after("n: |+\n  y\n\n"), "a: 1\nb: 1\nn: |+\n  y\n\n");
    check("a: 1\nc: 1\n", "$", sorted("d: 1\nb: |+\n  y\n\n"), "a: 1\nb: |+\n  y\n\nc: 1\nd: 1\n");
    check("a:\n  k: 1\nb: 1\n", "$.a", last("n: |+\n  y\n\n"), "a:\n  k: 1\n  n: |+\n    y\n\nb: 1\n");
    check("a:\n  - 1\nb: 1\n", "$.a", first("|+\n  y\n\n"), "a:\n  - |+\n    y\n\n  - 1\nb: 1\n");
    check("a: []\nb: 1\n", "$.a", last("|+\n  y\n\n"), "a:\n  - |+\n    y\n\nb: 1\n");
    check("a: {}\nb: 1\n", "$.a", last("k: |+\n  y\n\n"), "a:\n  k: |+\n    y\n\nb: 1\n");
    check("a:\n  k: 1\nb: 1\n", "$.a", body("n: |+\n  y\n\n"), "a:\n  n: |+\n    y\n\nb: 1\n");
}

#[test]
fn spaces_at_the_end_are_part_of_the_value() {
    check("a: 1\nb: 1\n", "$.a", replace("|\n  y  "), "a: |\n  y  \nb: 1\n");
    check("a: 1\nb: 1\n", "$.a", replace("|-\n  y \n"), "a: |-\n  y \nb: 1\n");
    check("a: 1\nb: 1\n", "$", last("k:\n  n: |-\n    y \n"), "a: 1\nb: 1\nk:\n  n: |-\n    y \n");
    check("a: [1]\n", "$.a[0]", replace("|-\n  y \n"), "a: [\"y \"]\n");
    check("a: 1\nb: 1\n", "$.a", replace("y  \n"), "a: y\nb: 1\n");
}

#[test]
fn entries_beside_kept_lines_are_deleted() {
    check("a: |+\n  x\n\n\nb: 1\n", "$.b", Operation::Delete, "a: |+\n  x\n\n\n");
    check("a: |+\n  x\n\n\nb: 1\nc: 1\n", "$.b", Operation::Delete, "a: |+\n  x\n\n\nc: 1\n");
    check("a: |+\n  x\n\n\nb: 1\n", "$.a", Operation::Delete, "b: 1\n");
    check("- |+\n  x\n\n- 1\n", "$[1]", Operation::Delete, "- |+\n  x\n\n");
}

#[test]
fn missing_values_keep_their_empty_lines() {
    let document = YamlDocument::new("a.yaml", "a: 1\n\nb: 1\n".to_owned());
    let made = |path: &str, content: &str| {
        let target = Target { kind: TargetKind::Path, value: path.to_owned() };
        apply(document.text(), &document.insert_missing(&target, content).expect("created"))
    };
    assert_eq!(made("$.n.m", "|+\n  y\n\n"), "a: 1\n\nb: 1\n\nn:\n  m: |+\n    y\n\n");
    assert_eq!(made("$.n[0]", "|-\n  y "), "a: 1\n\nb: 1\n\nn:\n  - |-\n    y \n");
}
