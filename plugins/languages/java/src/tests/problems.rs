//! Syntax errors with their positions, and texts that are nested too deeply.

use marquetry_sdk::testing;

use crate::Java;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Java>("A.java", text).diagnostics(), expected, "{text}");
}

#[test]
fn errors_have_positions() {
    check("class A { int f() { return 1; } }\n", &[]);
    check("", &[]);
    check("class A {\n    int a = 1\n}\n", &["2:14 expected `;`"]);
    check("class A {\n    void f() { g(; }\n}\n", &["2:17 unexpected `(`"]);
    check("class A {\n", &["1:10 expected `}`"]);
}

#[test]
fn deep_texts_have_errors() {
    for open in
        ["(", "[", "{", "f(", "new A() {", "!", "- ", "a.", "a+", "x[", "if (a) {} else ", "class A {", "() -> {", "<"]
    {
        for count in [100, 1500] {
            testing::check_laws::<Java>("A.java", &format!("class A {{ void f() {{ {}", open.repeat(count)));
            testing::check_laws::<Java>("A.java", &format!("class A {{ int x = {}", open.repeat(count)));
        }
    }
}

#[test]
fn long_chains_are_parsed() {
    check(&format!("class A {{ int x = 1{}; }}\n", " + a".repeat(900)), &[]);
    check(&format!("class A {{ int x = a{}; }}\n", ".b()".repeat(900)), &[]);
}
