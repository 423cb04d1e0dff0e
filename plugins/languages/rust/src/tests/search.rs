//! Structural search: patterns and their matches.

use marquetry_sdk::{Context, Search, testing};

use crate::Rust;

#[track_caller]
fn check(pattern: &str, text: &str, expected: &[&str]) {
    let bench = testing::open::<Rust>("a.rs", text);
    let found =
        Rust::matches(bench.document(), pattern, 100).unwrap_or_else(|failure| panic!("{pattern}: {failure:?}"));
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
    check(
        "$A.unwrap()",
        "fn f() { a.b().unwrap(); let x = c.unwrap(); d.unwrap_or(1) }",
        &["a.b().unwrap()", "c.unwrap()"],
    );
    check("f($A, $$$)", "fn g() { f(1); f(1, 2); h(f(x, y, z)) }", &["f(1)", "f(1, 2)", "f(x, y, z)"]);
    check("$A == $A", "fn g() { a == a; a == b; f(x) == f( x ) }", &["a == a", "f(x) == f( x )"]);
    check("\"$S\"", "fn g() { f(\"abc\"); 'a' }", &["\"abc\""]);
    check("Some($X)", "fn g() { if let Some(a) = b { Some(1) } }", &["Some(1)"]);
}

#[test]
fn statements_are_found() {
    check("let $X = $Y.clone();", "fn g() { let a = b.clone(); let c = d; }", &["let a = b.clone();"]);
    check(
        "if let Some($X) = $Y { $$$ }",
        "fn g() { if let Some(a) = b { c(); d() } if x { y } }",
        &["if let Some(a) = b { c(); d() }"],
    );
    check("a();\nb($X);", "fn g() { a(); b(1); a(); c(); }", &["a(); b(1);"]);
}

#[test]
fn items_are_found() {
    check("fn $F() { $$$ }", "fn a() { x }\nimpl B { fn c() {} fn d(&self) {} }", &["fn a() { x }", "fn c() {}"]);
    check("struct $S;", "struct A;\nstruct B(u8);", &["struct A;"]);
    check("use std::$X;", "use std::fmt;\nuse std::io::Read;", &["use std::fmt;"]);
    check("fn $F(&self) -> $T;", "trait A { fn b(&self) -> u8; fn c(&self); }", &["fn b(&self) -> u8;"]);
}

#[test]
fn arguments_of_macros_are_found() {
    check("println!($$$)", "fn g() { println!(\"{}\", a + b); print!(\"\") }", &["println!(\"{}\", a + b)"]);
    check("vec![$A]", "fn g() { vec![1]; vec![1, 2] }", &["vec![1]"]);
}

#[test]
fn code_in_the_arguments_of_any_macro_is_found() {
    let tri = "fn f() { let a = tri!(g(v)); let b = tri!(g(&v[1..]).map_err(|e| e.to_string())); }";
    check("$R.map_err(|e| e.to_string())", tri, &["g(&v[1..]).map_err(|e| e.to_string())"]);
    check("tri!($A)", tri, &["tri!(g(v))", "tri!(g(&v[1..]).map_err(|e| e.to_string()))"]);
    check("g($A)", tri, &["g(v)", "g(&v[1..])"]);
    check("$A.unwrap()", "fn f() { m![a.unwrap(), b; c.unwrap()] }", &["a.unwrap()", "c.unwrap()"]);
    check(
        "$A.unwrap()",
        "fn f() { a::m!(n!(a.unwrap()), vec![b.unwrap()], |x| { println!(\"{}\", x.unwrap()); }) }",
        &["a.unwrap()", "b.unwrap()", "x.unwrap()"],
    );
    check("$A.unwrap()", "fn f() {\n    // c\n    m!(\n        /* d */ a.unwrap(), // e\n    );\n}", &["a.unwrap()"]);
    // Other syntax stays a list of tokens, next to code.
    check("$A.unwrap()", "fn f() { m!(a => b.unwrap()); n!(c.unwrap()); }", &["c.unwrap()"]);
    check("m!(a => $B)", "fn f() { m!(a => b); n!(c.unwrap()); }", &["m!(a => b)"]);
    check("m!($A, $B)", "fn f() { m!(1, 2); m!(x y, z); m!(g(1), h(2)); }", &["m!(1, 2)", "m!(g(1), h(2))"]);
    check("$A.unwrap()", "n!(a.unwrap());\nmacro_rules! m { ($x:expr) => { $x.unwrap() } }", &[]);
    check("$A.unwrap()", "fn f() { m!{ a.unwrap() } if !(a.unwrap()) {} }", &["a.unwrap()"]);
    // Each match is reported once.
    check("a.b()", "fn f() { a.b(); m!(a.b()); }", &["a.b()", "a.b()"]);
}

#[test]
fn the_total_counts_matches_beyond_the_limit() {
    let bench = testing::open::<Rust>("a.rs", "fn f() { a.b(); m!(a.b(), a.b()); }");
    let found = Rust::matches(bench.document(), "a.b()", 2).expect("matches");
    assert_eq!((found.matches.len(), found.total), (2, 3));
    assert!(found.matches.iter().is_sorted_by_key(|one| one.span.start));
}

#[test]
fn wrong_patterns_are_refused() {
    for pattern in ["", "f(", "$A", "fn f(:", "a } fn b() { c"] {
        let failure = Rust::read_pattern(&Context::for_path("a.rs"), pattern).expect_err(pattern);
        assert!(failure.hint.is_some(), "{pattern}: {failure:?}");
    }
    let info = Rust::read_pattern(&Context::for_path("a.rs"), "total($A)");
    assert_eq!(info.map(|info| info.words), Ok(vec!["total".to_owned()]));
}
