//! Tests of comments in the content of an edit: none is lost, and none takes in what follows it.

use marquetry_sdk::{
    Document, FailureKind, Operation, Target,
    TargetKind::{self, Path},
    span::apply,
    testing::{after, before, body, check_edit, check_refusal, first, last, replace},
};

use crate::{Toml, TomlDocument};

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Toml>(("a.toml", text), (Path, target), operation, expected);
}

#[track_caller]
fn check_made(text: &str, path: &str, content: &str, expected: &str) {
    let document = TomlDocument::new("a.toml", text.to_owned());
    let target = Target { kind: TargetKind::Path, value: path.to_owned() };
    assert_eq!(apply(text, &document.insert_missing(&target, content).expect("created")), expected);
}

#[test]
fn comments_after_values_are_at_the_end_of_the_line() {
    check("a = 1\nb = 2\n", "$.a", replace("3 # c"), "a = 3 # c\nb = 2\n");
    check("a = 1 # d\nb = 2\n", "$.a", replace("3 # c"), "a = 3 # d # c\nb = 2\n");
    check("a = 1\n", "$.a", replace("[ # c\n  3,\n] # d"), "a = [ # c\n  3,\n] # d\n");
    check("a = \"x\"\n", "$.a", replace("\"y # z\""), "a = \"y # z\"\n");
    check("a = [1, 2]\n", "$.a[0]", replace("3 # c"), "a = [3, # c\n    2]\n");
    check("a = [\n  1,\n  2,\n]\n", "$.a[0]", replace("3 # c"), "a = [\n  3, # c\n  2,\n]\n");
    check("a = [\n  1,\n  2\n]\n", "$.a[1]", replace("3 # c"), "a = [\n  1,\n  3 # c\n]\n");
    check_made("a = 1\n", "$.b", "3 # c", "a = 1\nb = 3 # c\n");
    check_made("[t]\na = 1\n", "$.u.b", "3 # c", "[t]\na = 1\n\n[u]\nb = 3 # c\n");
    check_made("a = [1]\n", "$.a[1]", "3 # c", "a = [1, 3 # c\n]\n");
}

#[test]
fn comments_after_elements_are_after_the_comma() {
    let text = "a = [\n  1,\n  2, # two, x\n  3 # three\n]\n";
    check(text, "$.a", last("4 # c"), "a = [\n  1,\n  2, # two, x\n  3, # three\n  4 # c\n]\n");
    check(text, "$.a", first("0, # c, d"), "a = [\n  0, # c, d\n  1,\n  2, # two, x\n  3 # three\n]\n");
    check(text, "$.a[0]", after("9 # c"), "a = [\n  1,\n  9, # c\n  2, # two, x\n  3 # three\n]\n");
    check("a = [\n  1,\n]\n", "$.a", last("2 # c"), "a = [\n  1,\n  2, # c\n]\n");
    check("a = [1, 2]\n", "$.a[1]", before("9 # c"), "a = [1, 9, # c\n    2]\n");
    check("a = [1, 2]\n", "$.a", last("9 # c"), "a = [1, 2, 9 # c\n]\n");
    check("a = []\n", "$.a", last("9 # c"), "a = [\n    9 # c\n]\n");
    check("a = [\n  1,\n]\n", "$.a", body("2, # c\n3 # d"), "a = [\n  2, # c\n  3, # d\n]\n");
}

#[test]
fn comments_in_inline_tables_are_refused() {
    let kind = |operation: Operation, target: &str| {
        check_refusal::<Toml>(("a.toml", "a = { b = 1 }\n"), (Path, target), operation).kind
    };
    assert_eq!(kind(last("c = 2 # c"), "$.a"), FailureKind::InvalidArgument);
    assert_eq!(kind(replace("2 # c"), "$.a.b"), FailureKind::InvalidArgument);
}
