//! Syntax errors with their positions, and texts that are nested too deeply.

use marquetry_sdk::testing;

use crate::Python;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Python>("a.py", text).diagnostics(), expected, "{text}");
}

#[test]
fn errors_have_positions() {
    check("x = 1\n", &[]);
    check("x = \n", &["1:5 expected an expression"]);
    check("def f():\nx = 1\n", &["2:1 expected an indented block after function definition"]);
    check("match = 1\ntype X = int\nprint(f'{x!r:>{w}}')\n", &[]);
}

#[test]
fn deep_texts_are_one_error() {
    let text = "(".repeat(100_000);
    check(&text, &["1:121 the code is nested too deeply to be parsed"]);
    testing::check_laws::<Python>("a.py", &text);
}
