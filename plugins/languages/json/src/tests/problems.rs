//! Tests of syntax errors and their positions.

use marquetry_sdk::testing;

use crate::Json;

#[track_caller]
fn check_problems(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Json>(path, text).diagnostics(), expected);
}

#[test]
fn strictness_depends_on_file_name() {
    let text = "{ // why\n  \"a\": [1,],\n}\n";
    check_problems(
        "a.json",
        text,
        &["1:3 JSON has no comments", "2:10 JSON has no trailing commas", "2:12 JSON has no trailing commas"],
    );
    check_problems("tsconfig.json", text, &[]);
    check_problems("a.json", "\u{feff}{}", &[]);
    check_problems("a.json", "", &["1:1 expected a value"]);
    check_problems(
        "a.jsonl",
        "1\n2 3\n[\n",
        &["2:3 only one value per line is allowed", "3:2 the `[` of line 3 is never closed"],
    );
}

#[test]
fn reports_errors_with_positions() {
    check_problems("a.json", "{\"a\" 1}", &["1:6 expected `:`"]);
    check_problems("a.json", "{\"a\": }", &["1:7 expected a value"]);
    check_problems("a.json", "{a: 'b'}", &["1:2 keys need double quotes", "1:5 strings need double quotes"]);
    check_problems("a.json", "[1 2]", &["1:3 expected `,`"]);
    check_problems(
        "a.json",
        "[01, .5, NaN]",
        &[
            "1:2 `01` is not a number",
            "1:6 `.5` is not a value; strings need double quotes",
            "1:10 `NaN` is not a value; strings need double quotes",
        ],
    );
    check_problems(
        "a.json",
        "[\"a\\x\", \"\t\"]",
        &["1:4 `\\x` is not a JSON escape", "1:10 control characters in strings must be escaped"],
    );
    check_problems("a.json", "{\"a\": [1, 2}", &["1:12 expected `]`"]);
    check_problems("a.json", "{\"a\": [1, 2", &["1:12 the `[` of line 1 is never closed"]);
    check_problems("a.json", "[\"a\n]", &["1:2 the string is never closed"]);
    check_problems("a.json", "{} x", &["1:4 only white space may follow the value"]);
}
