//! Tests of comments in the content of an edit: none is lost, and none takes in what follows it.

use marquetry_sdk::{
    Document, FailureKind, Operation, Target,
    TargetKind::{self, Path},
    span::apply,
    testing::{after, before, body, check_edit, check_refusal, first, last, replace, sorted},
};

use crate::{Yaml, YamlDocument};

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Yaml>(("a.yaml", text), (Path, target), operation, expected);
}

#[track_caller]
fn check_made(text: &str, path: &str, content: &str, expected: &str) {
    let document = YamlDocument::new("a.yaml", text.to_owned());
    let target = Target { kind: TargetKind::Path, value: path.to_owned() };
    assert_eq!(apply(text, &document.insert_missing(&target, content).expect("created")), expected);
}

#[test]
fn comments_above_a_value_stay_above_it() {
    check("a: 1\nb: 2\n", "$.a", replace("# c\n3"), "a:\n  # c\n  3\nb: 2\n");
    check("a: 1 # d\nb: 2\n", "$.a", replace("# c\n3"), "a: # d\n  # c\n  3\nb: 2\n");
    check("a: 1\nb: 2\n", "$.a", replace("# c\n[3]"), "a:\n  # c\n  [3]\nb: 2\n");
    check("a: 1\nb: 2\n", "$.a", replace("# c\n|\n  x"), "a:\n  # c\n  |\n  x\nb: 2\n");
    check("- 1\n- 2\n", "$[0]", replace("# c\n3 # d"), "-\n  # c\n  3 # d\n- 2\n");
    check("1\n", "$", replace("# c\n3"), "# c\n3\n");
    check_made("a: 1\n", "$.b", "# c\n3", "a: 1\nb:\n  # c\n  3\n");
    check_made("a: [1]\n", "$.a[1]", "# c\n3", "a: [1, # c\n  3]\n");
    check_made("a: [1]\n", "$.a[1]", "3 # c", "a: [1, 3 # c\n  ]\n");
    check_made("a: {b: 1}\n", "$.a.c.d", "3 # c", "a: {b: 1, c: {d: 3 # c\n  }}\n");
}

#[test]
fn comments_above_an_item_are_above_its_dash() {
    check("- 1\n- 2\n", "$", last("# c\n3 # d"), "- 1\n- 2\n# c\n- 3 # d\n");
    check("- 1\n- 2\n", "$[0]", before("# c\n3"), "# c\n- 3\n- 1\n- 2\n");
    check("a: []\n", "$.a", last("# c\n3 # d"), "a:\n  # c\n  - 3 # d\n");
    check_made("- 1\n", "$[1]", "# c\n3 # d", "- 1\n# c\n- 3 # d\n");
}

#[test]
fn comments_after_flow_entries_end_their_line() {
    check("a: [1, 2]\n", "$.a", last("3 # c"), "a: [1, 2, 3 # c\n  ]\n");
    check("a: [1, 2]\n", "$.a", first("3 # c"), "a: [3, # c\n  1, 2]\n");
    check("a: [1, 2]\n", "$.a[0]", after("3 # c, d"), "a: [1, 3, # c, d\n  2]\n");
    check("a: {x: 1}\n", "$.a", last("y: 2 # c"), "a: {x: 1, y: 2 # c\n  }\n");
    check("a: {x: 1}\n", "$.a", last("{y: 2, # c\n z: 3}"), "a: {x: 1, y: 2, # c\n  z: 3}\n");
    check("a: {x: 1}\n", "$.a", last("# c\ny: 2"), "a: {x: 1, # c\n  y: 2}\n");
    check("a: [\n  1, # x\n  2 # y\n]\n", "$.a", last("3 # c"), "a: [\n  1, # x\n  2, # y\n  3 # c\n]\n");
    check("a: [\n  1, # x\n  2 # y\n]\n", "$.a", first("3 # c"), "a: [\n  3, # c\n  1, # x\n  2 # y\n]\n");
    check("k:\n  a: [1]\n", "$.k.a", last("3 # c"), "k:\n  a: [1, 3 # c\n    ]\n");
    check("a: [1]\n", "$.a", body("3, # c\n4 # d"), "a: [\n  3, # c\n  4 # d\n  ]\n");
}

#[test]
fn comments_after_replaced_flow_values_end_their_line() {
    check("a: [1, 2]\n", "$.a[0]", replace("3 # c"), "a: [3, # c\n  2]\n");
    check("a: [1, 2]\n", "$.a[1]", replace("3 # c"), "a: [1, 3 # c\n  ]\n");
    check("a: {x: 1, y: 2}\n", "$.a.x", replace("3 # c"), "a: {x: 3, # c\n  y: 2}\n");
    check("a: {x: 1}\n", "$.a.x", replace("# c\n3"), "a: {x: # c\n  3}\n");
    check("a: [\n  1, # x\n  2\n]\n", "$.a[0]", replace("3 # c"), "a: [\n  3, # x # c\n  2\n]\n");
}

#[test]
fn comments_of_sorted_entries_stay_with_them() {
    check("a: 1\nd: 1\n", "$", sorted("c: 3 # c\nb: 2 # b"), "a: 1\nb: 2 # b\nc: 3 # c\nd: 1\n");
    check("a: 1\nd: 1\n", "$", sorted("# c\nc: 3\n# b\nb: 2\n# end"), "a: 1\n# b\nb: 2\n# end\n# c\nc: 3\nd: 1\n");
}

#[test]
fn block_collections_in_brackets_are_written_in_flow_style() {
    check("a: [1]\n", "$.a[0]", replace("x: 1\ny:\n- 2\n-\n"), "a: [{x: 1, y: [2, null]}]\n");
    check(
        "a: {}\nb: {c: 1}\n",
        "$.b",
        last("d:\n  e: 'x'\n  f: |\n    y\n"),
        "a: {}\nb: {c: 1, d: {e: 'x', f: \"y\\n\"}}\n",
    );
    check("a: [1]\n", "$.a[0]", replace("&x !t\nk: &y 1\n"), "a: [&x !t {k: &y 1}]\n");
    check("a: [1]\n", "$.a", body("- x: 1\n  y: 2\n- 3"), "a: [{x: 1, y: 2}, 3]\n");
    check_made("a: {x: 1}\n", "$.a.y", "k: []", "a: {x: 1, y: {k: []}}\n");
    let refused =
        |content: &str| check_refusal::<Yaml>(("a.yaml", "a: [1]\n"), (Path, "$.a[0]"), replace(content)).kind;
    assert_eq!(refused("x: 1 # c\ny: 2"), FailureKind::InvalidArgument);
    assert_eq!(refused("x:\n  # c\n  y: 2"), FailureKind::InvalidArgument);
    assert_eq!(refused("x: | # c\n  y"), FailureKind::InvalidArgument);
    assert_eq!(refused("# c\nx: 1\ny: 2"), FailureKind::InvalidArgument);
    assert_eq!(refused("x: 1\ny: 2\n# c"), FailureKind::InvalidArgument);
}

#[test]
fn null_becomes_the_missing_container() {
    for null in ["~", "null", "Null"] {
        check_made(&format!("a: {null}\nb: 1\n"), "$.a.k", "1", "a:\n  k: 1\nb: 1\n");
        check_made(&format!("a: {null}\nb: 1\n"), "$.a[0]", "1", "a:\n  - 1\nb: 1\n");
        check_made(&format!("- {null}\n- 1\n"), "$[0].k", "1", "- k: 1\n- 1\n");
        check_made(&format!("{{a: {null}, b: 1}}\n"), "$.a.k", "1", "{a: {k: 1}, b: 1}\n");
        check(&format!("{{a: {null}, b: 1}}\n"), "$.a", last("k: 1"), "{a: {k: 1}, b: 1}\n");
    }
    check_made("{a: , b: 1}\n", "$.a.k", "1", "{a: {k: 1}, b: 1}\n");
    check_made("{b: 1, a: }\n", "$.a.k", "1", "{b: 1, a: {k: 1}}\n");
    check_made("a: ~ # c\nb: 1\n", "$.a.k", "1", "a: # c\n  k: 1\nb: 1\n");
}
