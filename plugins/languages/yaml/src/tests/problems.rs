//! Tests of syntax errors and their positions.

use marquetry_sdk::testing;

use crate::Yaml;

#[track_caller]
fn check_problems(text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Yaml>("a.yaml", text).diagnostics(), expected);
}

#[test]
fn reports_errors_with_positions() {
    check_problems("a: b: c\n", &["1:5 a mapping must start on its own line"]);
    check_problems(
        "a:\n\tb: 1\n",
        &["2:1 tabs cannot indent block structure", "2:1 tabs cannot indent block structure"],
    );
    check_problems(
        "a: [1, 2\nb: 1\n",
        &["1:4 the flow collection is not closed, or not indented deeper than the enclosing collection"],
    );
    check_problems(
        "a: \"x\nb: 1\n",
        &[
            "1:4 the quoted scalar is never closed",
            "2:1 the lines of a quoted scalar must be indented deeper than the enclosing collection",
        ],
    );
    check_problems("a: 1\n b: 2\n", &["2:3 a mapping must start on its own line"]);
    check_problems("a: 'x'\n b: 2\n", &["2:2 this line is indented deeper than its collection"]);
    check_problems("a: *x\n", &["1:4 no anchor `&x` before this alias"]);
    check_problems("a: @x\n", &["1:4 no scalar starts with this character; put it in quotes"]);
    check_problems("a: 1\nb\nc: 2\n", &["2:1 expected `:` after the key"]);
    check_problems("k: [\n  a\n]\n", &["3:1 the bracket should be indented deeper than the enclosing collection"]);
}
