//! Finding and showing values, and what is wrong with a text.

use marquetry_json::Json;
use marquetry_sdk::{FailureKind, Form, TargetKind, testing};

fn read(path: &str, text: &str, target: &str) -> Vec<String> {
    testing::open::<Json>(path, text).read(TargetKind::Path, target).expect(target)
}

const PACKAGE: &str = r#"{
  "name": "shop",
  "scripts": { "build": "tsc", "test": "vitest" },
  "odd key": [1, [2, { "x": null }]],
  "esc\u0061ped": true
}
"#;

#[test]
fn reads_values() {
    assert_eq!(read("a.json", PACKAGE, "$.scripts.build"), ["\"tsc\""]);
    assert_eq!(read("a.json", PACKAGE, "$['odd key'][1][-1].x"), ["null"]);
    assert_eq!(read("a.json", PACKAGE, "$.escaped"), ["true"]);
    assert_eq!(read("a.json", PACKAGE, "$..test"), ["\"vitest\""]);
    assert_eq!(read("a.json", PACKAGE, "$['odd key'][?@[0] == 2]"), ["[2, { \"x\": null }]"]);
}

#[test]
fn reads_lines() {
    let text = "{\"a\": 1}\r\n\r\n[2]\n3";
    assert_eq!(read("a.jsonl", text, "$[*]"), ["{\"a\": 1}", "[2]", "3"]);
    assert_eq!(read("a.jsonl", text, "$[?@.a]"), ["{\"a\": 1}"]);
    assert_eq!(read("a.ndjson", text, "$"), [text]);
}

#[test]
fn answers_in_the_order_of_the_query() {
    assert_eq!(read("a.json", "{\"a\": 1, \"b\": 2}", "$['b','a','b']"), ["2", "1", "2"]);
}

#[test]
fn repeated_keys_have_addresses_of_their_own() {
    let text = r#"{"a": 1, "b": 2, "a": 3, "\u0061": 4}"#;
    assert_eq!(read("a.json", text, "$.a"), ["4"]);
    assert_eq!(read("a.json", text, "$['a'#2]"), ["3"]);
    let bench = testing::open::<Json>("a.json", text);
    assert_eq!(
        bench.outline(),
        "object $ @$\n  number a @$['a'#1]\n  number b @$.b\n  number a @$['a'#2]\n  number a @$.a\n"
    );
    assert_eq!(
        bench.problems(),
        [
            "1:2 the key `a` comes again in the same object, and only the last counts",
            "1:18 the key `a` comes again in the same object, and only the last counts",
        ]
    );
}

#[test]
fn offers_what_is_near() {
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
fn shows_more_than_the_text() {
    let bench = testing::open::<Json>("a.json", PACKAGE);
    let show = |target: &str, form: Form| {
        let nodes = bench.nodes(TargetKind::Path, target).expect(target);
        bench.show(&nodes[0], form).expect("a view")
    };
    assert_eq!(show("$.scripts", Form::Signature), "\"scripts\": object with 2 members");
    assert_eq!(show("$.scripts", Form::Body), " \"build\": \"tsc\", \"test\": \"vitest\" ");
    assert_eq!(show("$['odd key'][0]", Form::Signature), "1");
    assert_eq!(show("$['odd key'][1]", Form::Summary), "[ 2 elements, first: number ]");
    assert_eq!(show("$.scripts", Form::Summary), "\"scripts\": {\n  \"build\": string\n  \"test\": string\n}");
}

#[test]
fn comments_are_attached() {
    let text = "{\n  // header\n\n  // about a\n  \"a\": 1, // behind\n  \"b\": 2\n}";
    let bench = testing::open::<Json>("a.jsonc", text);
    let doc =
        |target: &str| bench.nodes(TargetKind::Path, target).expect(target)[0].doc.map(|doc| doc.of(text).to_owned());
    assert_eq!(doc("$.a").as_deref(), Some("// about a"));
    assert_eq!(doc("$.b"), None);
}

#[track_caller]
fn check_problems(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Json>(path, text).problems(), expected);
}

#[test]
fn strict_where_the_name_says_so() {
    let text = "{ // why\n  \"a\": [1,],\n}\n";
    check_problems(
        "a.json",
        text,
        &["1:3 JSON has no comments", "2:10 JSON has no trailing commas", "2:12 JSON has no trailing commas"],
    );
    check_problems("tsconfig.json", text, &[]);
    check_problems("a.json", "\u{feff}{}", &[]);
    check_problems("a.json", "", &["1:1 expected a value"]);
    check_problems("a.jsonl", "1\n2 3\n[\n", &["2:3 a line holds one value", "3:2 the `[` of line 3 is never closed"]);
}

#[test]
fn says_what_is_wrong() {
    check_problems("a.json", "{\"a\" 1}", &["1:6 expected `:`"]);
    check_problems("a.json", "{\"a\": }", &["1:7 expected a value"]);
    check_problems("a.json", "{a: 'b'}", &["1:2 keys stand in double quotes", "1:5 strings stand in double quotes"]);
    check_problems("a.json", "[1 2]", &["1:3 expected `,`"]);
    check_problems(
        "a.json",
        "[01, .5, NaN]",
        &[
            "1:2 `01` is no number",
            "1:6 `.5` is no value; strings stand in double quotes",
            "1:10 `NaN` is no value; strings stand in double quotes",
        ],
    );
    check_problems(
        "a.json",
        "[\"a\\x\", \"\t\"]",
        &["1:4 `\\x` is no escape of JSON", "1:10 control characters in strings are written as escapes"],
    );
    check_problems("a.json", "{\"a\": [1, 2}", &["1:12 expected `]`"]);
    check_problems("a.json", "{\"a\": [1, 2", &["1:12 the `[` of line 1 is never closed"]);
    check_problems("a.json", "[\"a\n]", &["1:2 the string is never closed"]);
    check_problems("a.json", "{} x", &["1:4 only white space may follow the value"]);
}

#[test]
fn broken_texts_can_be_read() {
    assert_eq!(read("a.json", "{\"a\": [1, {\"b\": 2}, \"c\": 3", "$..b"), ["2"]);
    assert_eq!(read("a.json", "{\"a\": {\"b\": 1], \"c\": 2}", "$.a.c"), ["2"]);
    assert_eq!(read("a.json", "{\"a\": , \"b\": 2}", "$.*"), ["", "2"]);
}

#[test]
fn depth_is_no_danger() {
    let deep = 50_000;
    let text = format!("{}1{}", "[".repeat(deep), "]".repeat(deep));
    let bench = testing::open::<Json>("a.json", &text);
    assert!(bench.problems().is_empty());
    assert_eq!(bench.read(TargetKind::Path, &format!("${}", "[0]".repeat(deep))).expect("found"), ["1"]);
    assert_eq!(bench.read(TargetKind::Path, "$..[?@ == 1]").expect("found"), ["1"]);
    assert!(!bench.outline().is_empty());
    let broken = testing::open::<Json>("a.json", &"{\"a\":[".repeat(200_000));
    assert_eq!(broken.problems().len(), 2);
}
