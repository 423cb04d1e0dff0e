//! Tests of comments in the content of an edit: none is lost, and none takes in what follows it.

use marquetry_sdk::{
    Document, FailureKind, Operation, Target,
    TargetKind::{self, Path},
    span::apply,
    testing::{after, before, body, check_edit, check_refusal, first, last, replace, sorted},
};

use crate::{Json, JsonDocument};

#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    check_edit::<Json>(("a.jsonc", text), (Path, target), operation, expected);
}

#[track_caller]
fn check_made(text: &str, path: &str, content: &str, expected: &str) {
    let document = JsonDocument::new("a.jsonc", text.to_owned());
    let target = Target { kind: TargetKind::Path, value: path.to_owned() };
    assert_eq!(apply(text, &document.insert_missing(&target, content).expect("created")), expected);
}

const LINES: &str = "{\n  \"a\": 1, // one, two\n  \"b\": 2 // x, y\n}\n";

#[test]
fn line_comments_of_members_are_after_the_comma() {
    let n = "\"n\": 0 // p, q";
    check(LINES, "$", first(n), "{\n  \"n\": 0, // p, q\n  \"a\": 1, // one, two\n  \"b\": 2 // x, y\n}\n");
    check(LINES, "$", last(n), "{\n  \"a\": 1, // one, two\n  \"b\": 2, // x, y\n  \"n\": 0 // p, q\n}\n");
    check(LINES, "$.a", after(n), "{\n  \"a\": 1, // one, two\n  \"n\": 0, // p, q\n  \"b\": 2 // x, y\n}\n");
    check(LINES, "$.b", before(n), "{\n  \"a\": 1, // one, two\n  \"n\": 0, // p, q\n  \"b\": 2 // x, y\n}\n");
    check(
        LINES,
        "$",
        sorted("\"aa\": 0, // c"),
        "{\n  \"a\": 1, // one, two\n  \"aa\": 0, // c\n  \"b\": 2 // x, y\n}\n",
    );
    check("{\n  \"a\": 1\n}", "$", first("\"n\": 0,\n// next"), "{\n  \"n\": 0,\n  // next\n  \"a\": 1\n}");
    check("{\n  \"a\": 1\n}", "$", first("\"n\": 0 /* , */,"), "{\n  \"n\": 0 /* , */,\n  \"a\": 1\n}");
    check(
        "{\n  \"a\": 1\n}",
        "$",
        first("{\"n\": 0, // c\n\"m\": 1}"),
        "{\n  \"n\": 0, // c\n  \"m\": 1,\n  \"a\": 1\n}",
    );
    check("[\n  1\n]", "$", first("0 // c"), "[\n  0, // c\n  1\n]");
    check("{}", "$", last("\"n\": 0 // c"), "{\n  \"n\": 0 // c\n}");
    check("{\"a\": []}", "$.a", last("0 // c"), "{\"a\": [\n  0 // c\n]}");
}

#[test]
fn line_comments_on_one_line_move_what_follows() {
    check("{\"a\": 1}", "$.a", before("\"n\": 0 // c"), "{\"n\": 0, // c\n  \"a\": 1}");
    check("{\"a\": 1}", "$.a", after("\"n\": 0 // c"), "{\"a\": 1, \"n\": 0 // c\n}");
    check("[1, 2]", "$[0]", after("0 // c"), "[1, 0, // c\n  2]");
    check("[1, 2]", "$", body("0, // c\n3 // d"), "[\n  0, // c\n  3 // d\n]");
    check("[1, 2]", "$[0]", replace("0 // c"), "[0, // c\n  2]");
    check("[1, 2]", "$[1]", replace("0 // c"), "[1, 0 // c\n]");
    check("{\"a\": [1, 2], \"b\": 3}", "$.a", replace("[] // c"), "{\"a\": [], // c\n  \"b\": 3}");
}

#[test]
fn line_comments_of_values_are_after_the_comma() {
    check(LINES, "$.a", replace("2 // c"), "{\n  \"a\": 2, // one, two // c\n  \"b\": 2 // x, y\n}\n");
    check("{\n  \"a\": 1,\n  \"b\": 2\n}", "$.a", replace("2 // c"), "{\n  \"a\": 2, // c\n  \"b\": 2\n}");
    check("{\n  \"a\": 1,\n  \"b\": 2\n}", "$.b", replace("3 // c"), "{\n  \"a\": 1,\n  \"b\": 3 // c\n}");
    check("{\n  \"a\": 1,\n  \"b\": 2\n}", "$.a", replace("2 /* c */"), "{\n  \"a\": 2 /* c */,\n  \"b\": 2\n}");
    check("{\n  \"a\": 1\n  , \"b\": 2\n}", "$.a", replace("2 // c"), "{\n  \"a\": 2 // c\n  , \"b\": 2\n}");
    check("1\n", "$", replace("2 // c"), "2 // c\n");
    check("{\n  \"a\": 1\n}", "$.a", replace("\"http://x\""), "{\n  \"a\": \"http://x\"\n}");
}

#[test]
fn missing_values_have_their_comments() {
    check_made("{\n  \"a\": 1\n}", "$.b", "2 // c", "{\n  \"a\": 1,\n  \"b\": 2 // c\n}");
    check_made("{\"a\": 1}", "$.b", "2 // c", "{\"a\": 1, \"b\": 2 // c\n}");
    check_made("{\"a\": 1}", "$.b.c", "2 // c", "{\"a\": 1, \"b\": {\n  \"c\": 2 // c\n}}");
    check_made("{\"a\": 1}", "$.b.c", "\"http://x\"", "{\"a\": 1, \"b\": {\"c\": \"http://x\"}}");
    check_made("[1]", "$[1]", "2 // c", "[1, 2 // c\n]");
}

#[test]
fn members_fill_null() {
    check("{\"a\": null}", "$.a", last("\"k\": 1"), "{\"a\": {\"k\": 1}}");
    check("{\n  \"a\": null\n}", "$.a", last("\"k\": 1"), "{\n  \"a\": {\n    \"k\": 1\n  }\n}");
    check("[ null, { \"b\": 1 } ]", "$[0]", last("\"k\": 1, \"l\": 2"), "[ { \"k\": 1, \"l\": 2 }, { \"b\": 1 } ]");
    check("{\"a\": null}", "$.a", last("\"k\": 1 // c"), "{\"a\": {\n  \"k\": 1 // c\n}}");
    for content in ["1", "{\"k\": 1}", "[1]"] {
        let failure = check_refusal::<Json>(("a.json", "{\"a\": null}"), (Path, "$.a"), last(content));
        assert_eq!(failure.kind, FailureKind::Unsupported, "{content}");
    }
}
