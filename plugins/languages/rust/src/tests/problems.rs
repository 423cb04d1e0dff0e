//! Syntax errors with their positions, and texts that are nested too deeply.

use marquetry_sdk::testing;

use crate::Rust;

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(testing::open::<Rust>("a.rs", text).diagnostics(), expected, "{text}");
}

#[test]
fn errors_have_positions() {
    check("fn f() { 1 }\n", &[]);
    check("fn f() {\n    let = 1;\n}\n", &["2:8 expected pattern"]);
    check("fn f() {\n", &["1:9 expected `}`"]);
    check(
        "const A: &str = \"x;\n",
        &["1:17 missing trailing `\"` symbol to terminate the string literal", "2:1 expected `;`"],
    );
}

#[test]
fn words_that_only_some_editions_reserve_are_names() {
    check("fn gen() { rng.gen::<u8>(); }\n", &[]);
    check("fn async() { try!(x); }\n", &[]);
    check("async fn a() { b.await }\nunsafe extern \"C\" { safe fn c(); }\n", &[]);
}

#[test]
fn deep_texts_are_one_error() {
    let text = "(".repeat(100_000);
    check(&text, &["1:129 the code is nested too deeply to be parsed"]);
    testing::check_laws::<Rust>("a.rs", &text);
    for open in ["[", "{", "fn f() {", "!", "&", "Vec<", "if a {} else ", "|a| ", "return ", "- "] {
        testing::check_laws::<Rust>("a.rs", &format!("fn f() {{ {}", open.repeat(3000)));
        testing::check_laws::<Rust>("a.rs", &format!("fn f() {{ {}", open.repeat(120)));
    }
}
