//! Tests of the values that paths find, and of the errors for invalid paths.

use marquetry_sdk::{Document as _, FailureKind, TargetKind, testing};

use super::{PACKAGE, read};
use crate::Json;

#[test]
fn reads_values() {
    assert_eq!(read("a.json", PACKAGE, "$.scripts.build"), ["\"tsc\""]);
    assert_eq!(read("a.json", PACKAGE, "$['odd key'][1][-1].x"), ["null"]);
    assert_eq!(read("a.json", PACKAGE, "$.escaped"), ["true"]);
    assert_eq!(read("a.json", PACKAGE, "$..test"), ["\"vitest\""]);
    assert_eq!(read("a.json", PACKAGE, "$['odd key'][?@[0] == 2]"), ["[2, { \"x\": null }]"]);
}

#[test]
fn reads_json_lines() {
    let text = "{\"a\": 1}\r\n\r\n[2]\n3";
    assert_eq!(read("a.jsonl", text, "$[*]"), ["{\"a\": 1}", "[2]", "3"]);
    assert_eq!(read("a.jsonl", text, "$[?@.a]"), ["{\"a\": 1}"]);
    assert_eq!(read("a.ndjson", text, "$"), [text]);
}

#[test]
fn results_are_in_query_order() {
    assert_eq!(read("a.json", "{\"a\": 1, \"b\": 2}", "$['b','a','b']"), ["2", "1", "2"]);
}

#[test]
fn repeated_keys_have_unique_addresses() {
    let text = r#"{"a": 1, "b": 2, "a": 3, "\u0061": 4}"#;
    assert_eq!(read("a.json", text, "$.a"), ["4"]);
    assert_eq!(read("a.json", text, "$['a'#2]"), ["3"]);
    let bench = testing::open::<Json>("a.json", text);
    assert_eq!(
        bench.outline(),
        "object $ @$\n  number a @$['a'#1]\n  number b @$.b\n  number a @$['a'#2]\n  number a @$.a\n"
    );
    assert_eq!(
        bench.diagnostics(),
        [
            "1:2 duplicate key `a` in this object: only the last one counts",
            "1:18 duplicate key `a` in this object: only the last one counts",
        ]
    );
}

#[test]
fn not_found_offers_nearest_paths() {
    let bench = testing::open::<Json>("a.json", PACKAGE);
    let failure = |target: &str| bench.nodes(TargetKind::Path, target).expect_err(target);
    let missing = failure("$.scripts.biuld");
    assert_eq!((missing.kind, missing.candidates[0].as_str()), (FailureKind::TargetNotFound, "$.scripts.build"));
    assert_eq!(failure("$.build").candidates[0], "$.scripts.build");
    assert_eq!(failure("$.scripts.zzzzzz").candidates.len(), 2);
    let invalid = failure("scripts.build");
    assert_eq!((invalid.kind, invalid.candidates[0].as_str()), (FailureKind::InvalidTarget, "$.scripts.build"));
    assert_eq!(bench.nodes(TargetKind::Symbol, "x").expect_err("no symbols").kind, FailureKind::Unsupported);
}

#[test]
fn finds_values_in_broken_texts() {
    assert_eq!(read("a.json", "{\"a\": [1, {\"b\": 2}, \"c\": 3", "$..b"), ["2"]);
    assert_eq!(read("a.json", "{\"a\": {\"b\": 1], \"c\": 2}", "$.a.c"), ["2"]);
    assert_eq!(read("a.json", "{\"a\": , \"b\": 2}", "$.*"), ["", "2"]);
}

#[test]
fn deep_nesting_does_not_overflow_stack() {
    let deep = 50_000;
    let text = format!("{}1{}", "[".repeat(deep), "]".repeat(deep));
    let bench = testing::open::<Json>("a.json", &text);
    assert!(bench.diagnostics().is_empty());
    assert_eq!(bench.read(TargetKind::Path, &format!("${}", "[0]".repeat(deep))).expect("found"), ["1"]);
    assert_eq!(bench.read(TargetKind::Path, "$..[?@ == 1]").expect("found"), ["1"]);
    assert!(!bench.outline().is_empty());
    let broken = testing::open::<Json>("a.json", &"{\"a\":[".repeat(200_000));
    assert_eq!(broken.diagnostics().len(), 2);
    // A value that is nested too deeply is left out, but its key gets an empty value.
    for deep in [99_999, 100_000, 100_001, 150_000] {
        let objects = testing::open::<Json>("a.json", &format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep)));
        assert_eq!(objects.diagnostics().is_empty(), deep <= 100_000, "{deep}");
        assert!(!objects.outline().is_empty());
    }
}

#[test]
fn outlines_of_large_files_are_complete_up_to_the_limit_of_the_contract() {
    let keys: String = (0..3000).map(|key| format!("\"k{key}\": {key}, ")).collect();
    let nodes = |text: &str| testing::open::<Json>("a.json", text).document().outline().len();
    assert_eq!(nodes(&format!("{{{}}}", keys.trim_end_matches(", "))), 3001);
    // The outline of a list also contains the members of its objects.
    let rows = |count: usize| format!("[{}1]", "{\"a\":1},".repeat(count));
    assert_eq!(nodes(&rows(20_000)), 40_002);
    // An outline that omits something has at least as many nodes as the contract says.
    assert_eq!(nodes(&rows(40_000)), 50_000);
    // Long addresses are limited in total, because the host limits the answer.
    let long = format!("{{\"{}\": [{}1]}}", "k".repeat(1900), "1,".repeat(60_000));
    let bytes: usize =
        testing::open::<Json>("a.json", &long).document().outline().iter().map(|node| node.address.len()).sum();
    assert!((4 << 20..=8 << 20).contains(&bytes), "{bytes}");
}
