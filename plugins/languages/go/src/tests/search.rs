//! Structural search: patterns and their matches.

use marquetry_sdk::{Context, Search, testing};

use crate::Go;

#[track_caller]
fn check(pattern: &str, text: &str, expected: &[&str]) {
    let text = format!("package a\n{text}");
    let bench = testing::open::<Go>("a.go", &text);
    let found = Go::matches(bench.document(), pattern, 100).unwrap_or_else(|failure| panic!("{pattern}: {failure:?}"));
    let texts: Vec<&str> = found.matches.iter().map(|found| found.span.slice(&text)).collect();
    assert_eq!(texts, expected, "{pattern} in\n{text}");
    for found in &found.matches {
        for capture in &found.captures {
            assert!(found.span.contains(capture.span), "{pattern}: {capture:?}");
        }
    }
}

#[test]
fn expressions_are_found() {
    check("errors.New($M)", "var a = errors.New(\"x\")\nvar b = errors.Is(a, b)", &["errors.New(\"x\")"]);
    check("f($A, $$$)", "var x = f(1) + f(1, 2) + h(f(x, y, z))", &["f(1)", "f(1, 2)", "f(x, y, z)"]);
    check("$A == $A", "var x, y, z = a == a, a == b, f(x) == f( x )", &["a == a", "f(x) == f( x )"]);
    check("\"$S\"", "var x = f(\"abc\", 'a')", &["\"abc\""]);
    check("&T{A: $X}", "var x = []*T{&T{A: 1}, &T{B: 1}, &T{A: f()}}", &["&T{A: 1}", "&T{A: f()}"]);
    check("[]int{$$$A}", "var x, y = []int{1, 2}, []int{}", &["[]int{1, 2}", "[]int{}"]);
}

#[test]
fn statements_are_found() {
    check(
        "if err != nil { return err }",
        "func f() error { if err != nil {\n\treturn err\n}\nif x { y() } }",
        &["if err != nil {\n\treturn err\n}"],
    );
    check("if err != nil { $$$ }", "func f() { if err != nil { a(); b() } }", &["if err != nil { a(); b() }"]);
    check("$X := $Y.Clone()", "func f() { a := b.Clone(); c := d }", &["a := b.Clone()"]);
    check("a()\nb($X)", "func f() { a(); b(1); a(); c() }", &["a(); b(1)"]);
    check(
        "for $I := 0; $I < $N; $I++ { $$$ }",
        "func f() { for i := 0; i < 3; i++ { a() }\nfor x := 0; y < 3; x++ {} }",
        &["for i := 0; i < 3; i++ { a() }"],
    );
    check("defer $X.Close()", "func f() { defer a.b.Close(); defer c() }", &["defer a.b.Close()"]);
}

#[test]
fn declarations_are_found() {
    check("func $F() { $$$ }", "func a() { x() }\nfunc b(c int) {}\nfunc d() {}", &["func a() { x() }", "func d() {}"]);
    check("func ($R *$T) $F() { $$$ }", "func (c *C) a() {}\nfunc (c C) b() {}", &["func (c *C) a() {}"]);
    check("type $T struct { $$$ }", "type A struct { b int }\ntype C int", &["type A struct { b int }"]);
    check("import \"$P\"", "import \"fmt\"\nimport x \"io\"", &["import \"fmt\""]);
    check("$N []int", "type T struct { a []int; b int }", &["a []int"]);
}

#[test]
fn wrong_patterns_are_refused() {
    for pattern in ["", "f(", "$A", "func f(:", "a } func b() { c"] {
        let failure = Go::read_pattern(&Context::for_path("a.go"), pattern).expect_err(pattern);
        assert!(failure.hint.is_some(), "{pattern}: {failure:?}");
    }
    let info = Go::read_pattern(&Context::for_path("a.go"), "total($A)");
    assert_eq!(info.map(|info| info.words), Ok(vec!["total".to_owned()]));
}
