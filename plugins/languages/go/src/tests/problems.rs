//! Syntax errors with their positions, and texts that are nested too deeply.

use marquetry_sdk::testing;

use crate::Go;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Go>("a.go", text).diagnostics(), expected, "{text}");
}

#[test]
fn errors_have_positions() {
    check("package a\nfunc f() { return 1 }\n", &[]);
    check("", &["1:1 expected the clause `package NAME`, found the end of the file"]);
    check("func f() {}\n", &["1:1 expected the clause `package NAME`, found `func`"]);
    check("package a\nfunc f() {\n\tx := ,\n\ty()\n}\n", &["3:7 expected an expression, found `,`"]);
    check("package a\nfunc f() {\n", &["3:1 expected `}`, found the end of the file"]);
    check("package a\nvar s = \"x\n", &["2:9 the string is not closed on its line"]);
    check("package a\nvar s = f(1, 2\n", &["2:15 expected `)` or `,`, found the end of the line"]);
    check("package a\nx := 1\n", &["2:1 expected a declaration, found `x`"]);
    check("package a\nfunc f() { a b }\n", &["2:14 expected the end of the statement, found `b`"]);
    check("package a\nfunc f() { if { } }\n", &["2:15 expected a condition, found `{`"]);
    check("package a\nfunc f() { a.b := 1 }\n", &["2:12 only a name can be declared with `:=`"]);
    check("package a\n\nfunc f(\n\npackage b\n", &["5:1 expected a parameter, found `package`"]);
}

#[test]
fn deep_texts_are_one_error() {
    let text = format!("package a\nvar x = {}", "(".repeat(100_000));
    let found = testing::open::<Go>("a.go", &text).diagnostics();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("the code is nested too deeply to be parsed"), "{found:?}");
    for open in [
        "(",
        "[",
        "{",
        "func() {",
        "!",
        "&",
        "[]",
        "*",
        "if a {} else ",
        "map[a]",
        "- ",
        "a.",
        "a+",
        "f(",
        "x[",
        "T{",
        "chan ",
        "struct { a ",
        "for {",
        "switch {case a:",
        "a:",
    ] {
        for count in [100, 3000] {
            testing::check_laws::<Go>("a.go", &format!("package a\nfunc f() {{ {}", open.repeat(count)));
            testing::check_laws::<Go>("a.go", &format!("package a\nvar x {}", open.repeat(count)));
        }
    }
}

#[test]
fn long_chains_are_parsed() {
    let sum = format!("package a\nvar x = 1{}\n", " + a".repeat(1500));
    check(&sum, &[]);
    let calls = format!("package a\nvar x = a{}\n", ".b()".repeat(800));
    check(&calls, &[]);
}
