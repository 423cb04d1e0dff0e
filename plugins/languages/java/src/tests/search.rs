//! Structural search: patterns and their matches.

use marquetry_sdk::{Context, Search, testing};

use crate::Java;

#[track_caller]
fn check(pattern: &str, text: &str, expected: &[&str]) {
    let bench = testing::open::<Java>("A.java", text);
    let found =
        Java::matches(bench.document(), pattern, 100).unwrap_or_else(|failure| panic!("{pattern}: {failure:?}"));
    let texts: Vec<&str> = found.matches.iter().map(|found| found.span.slice(text)).collect();
    assert_eq!(texts, expected, "{pattern} in\n{text}");
    for found in &found.matches {
        for capture in &found.captures {
            assert!(found.span.contains(capture.span), "{pattern}: {capture:?}");
        }
    }
}

#[test]
fn expressions_are_found() {
    check("a()", "class A { void f() { a(); b.a(); a(1); } }", &["a()"]);
    check("f($A, $$$)", "class A { int x = f(1) + f(1, 2) + h(f(x, y, z)); }", &["f(1)", "f(1, 2)", "f(x, y, z)"]);
    check("$A == $A", "class A { boolean x = a == a, y = a == b, z = f(x) == f( x ); }", &["a == a", "f(x) == f( x )"]);
    check("\"$S\"", "class A { Object x = f(\"abc\", 'a'); }", &["\"abc\""]);
    check("$A.equals($B)", "class A { void f() { a.equals(b); c.hash(); } }", &["a.equals(b)"]);
    check(
        "new ArrayList<>()",
        "class A { List<B> x = new ArrayList<>(), y = new ArrayList<>(1); }",
        &["new ArrayList<>()"],
    );
}

#[test]
fn statements_are_found() {
    let text = "class A { void f() { if (x == null) { a(); b(); } if (y) z(); int v = w.clone(); } }";
    check("if ($A == null) { $$$ }", text, &["if (x == null) { a(); b(); }"]);
    check("a();\nb();", text, &["a(); b();"]);
    check("int $X = $Y.clone()", text, &["int v = w.clone();"]);
    check("return $X;", "class A { int f() { return 1; } }", &["return 1;"]);
}

#[test]
fn declarations_are_found() {
    let text = "import a.b.C;\nclass A {\n    void a() { x(); }\n    void b(int c) {}\n    int d() { return 1; }\n}\n";
    check("void $F() { $$$ }", text, &["void a() { x(); }"]);
    check("void $F($$$) { $$$ }", text, &["void a() { x(); }", "void b(int c) {}"]);
    check("import a.b.C;", text, &["import a.b.C;"]);
}

#[test]
fn wrong_patterns_are_refused() {
    for pattern in ["", "f(", "$A", "a } void b() { c", "if ("] {
        let failure = Java::read_pattern(&Context::for_path("A.java"), pattern).expect_err(pattern);
        assert!(failure.hint.is_some(), "{pattern}: {failure:?}");
    }
    let info = Java::read_pattern(&Context::for_path("A.java"), "total($A)");
    assert_eq!(info.map(|info| info.words), Ok(vec!["total".to_owned()]));
}
