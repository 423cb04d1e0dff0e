//! Tests of the pack. When there are many, use one file per topic below `tests/`.

use marquetry_sdk::{
    FailureKind, Operation,
    TargetKind::Path,
    testing::{self, after, check_edit, check_refusal, replace, wrap},
};

use crate::PASCAL;

const TEXT: &str = "title: Shop\nprice: 10\nprice: 12\nnote:\n";

#[track_caller]
fn check(target: &str, operation: Operation, expected: &str) {
    check_edit::<PASCAL>(("a.NAME", TEXT), (Path, target), operation, expected);
}

#[test]
fn finds_values_by_their_names() {
    let bench = testing::open::<PASCAL>("a.NAME", TEXT);
    assert_eq!(
        bench.outline(),
        "property title @title\nproperty price @price\nproperty price @price[2]\nproperty note @note\n"
    );
    assert_eq!(bench.read(Path, "price[2]").expect("found"), ["12"]);
    let failure = bench.nodes(Path, "titel").expect_err("a typo");
    assert_eq!((failure.kind, failure.candidates), (FailureKind::TargetNotFound, vec!["title".to_owned()]));
}

#[test]
fn edits_lines() {
    check("price", replace("11"), &TEXT.replace("10", "11"));
    check("note", replace("new"), &TEXT.replace("note:", "note: new"));
    check("title", after("more: 1"), &TEXT.replace("Shop\n", "Shop\nmore: 1\n"));
    check("price", Operation::Delete, &TEXT.replace("price: 10\n", ""));
}

#[test]
fn refuses_multiline_values() {
    check_refusal::<PASCAL>(("a.NAME", TEXT), (Path, "title"), replace("one\ntwo"));
    check_refusal::<PASCAL>(("a.NAME", TEXT), (Path, "title"), wrap("(", ")"));
}

#[test]
fn reports_invalid_lines() {
    assert_eq!(testing::open::<PASCAL>("a.NAME", "a: 1\nb\n").diagnostics(), ["2:1 expected `name: value`"]);
}

#[test]
fn satisfies_the_laws() {
    testing::check_laws_on_random::<PASCAL>("a.NAME", &["a", "b", ":", ": ", " ", "\n", "\r\n", "[2]", "é"], &[TEXT]);
    testing::check_laws::<PASCAL>("a.NAME", TEXT);
}
