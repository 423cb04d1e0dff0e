//! Refactors: texts before and after.

use marquetry_sdk::{
    Failure,
    testing::{check_refactor, check_refactor_laws, check_refused, run_refactor},
};

use crate::Rust;

#[track_caller]
fn check_sorted(before: &str, after: &str) {
    check_refactor::<Rust>(("a.rs", before), "organize_imports", &[], after);
    check_refactor::<Rust>(("a.rs", after), "organize_imports", &[], after);
}

#[test]
fn imports_are_sorted() {
    check_sorted("use b;\nuse a;\n", "use a;\nuse b;\n");
    check_sorted("use b;\n\nuse a;\n", "use b;\n\nuse a;\n");
    check_sorted(
        "use std::fmt; // it\n// The map.\nuse std::collections::HashMap;\n#[cfg(unix)]\npub use crate::z;\nuse super::y;\nuse self::x;\nuse ::other;\n",
        "use self::x;\nuse super::y;\n#[cfg(unix)]\npub use crate::z;\nuse ::other;\n// The map.\nuse std::collections::HashMap;\nuse std::fmt; // it\n",
    );
    check_sorted(
        "use a::{c, d};\nuse a::*;\nuse a::LIMIT;\nuse a::Type;\nuse a::f as g;\nuse a;\n",
        "use a;\nuse a::f as g;\nuse a::Type;\nuse a::LIMIT;\nuse a::*;\nuse a::{c, d};\n",
    );
    check_sorted("use a;\nuse b;\nuse a;\n", "use a;\nuse b;\n");
    check_sorted("use b;\r\nuse a;\r\n", "use a;\r\nuse b;\r\n");
    check_sorted(
        "mod m {\n    use b;\n    use a;\n\n    fn f() {\n        use d;\n        use c;\n    }\n}\n",
        "mod m {\n    use a;\n    use b;\n\n    fn f() {\n        use c;\n        use d;\n    }\n}\n",
    );
    check_sorted("use b; use a;\n", "use b; use a;\n");
    check_sorted("use b;\nfn f() {}\nuse a;\n", "use b;\nfn f() {}\nuse a;\n");
    check_refused::<Rust>(("a.rs", "use b;\nuse a\nfn ("), "organize_imports", &[], "syntax");
}

#[test]
fn refactor_laws_hold() {
    let text = include_str!("everything.rs");
    check_refactor_laws::<Rust>(("a.rs", text), &[("destination", "src/b.rs")]);
    assert!(check_refactor_laws::<Rust>(("a.rs", "use b;\nuse a;\n"), &[]) > 0);
}

/// Extracts the code between marks, and returns the reason why the result may behave differently.
fn extract(text: &str) -> Result<Option<String>, Failure> {
    run_refactor::<Rust>(("a.rs", text), "extract_function", &[("extractedName", "part")])
        .1
        .map(|rewrite| rewrite.incomplete)
}

#[test]
fn destructors_are_searched_once_in_each_type() {
    let fields = |next: usize| (0..200).map(|field| format!("f{field}: S{next}, ")).collect::<String>();
    let types: String = (0..4).map(|own| format!("struct S{own} {{ {} }}\n", fields(own + 1))).collect();
    let code = "fn f(n: u32) -> u32 {\n    «let s: S0 = g();\n    let a: u32 = n;»\n    a\n}\n";
    assert_eq!(extract(&format!("{types}struct S4 {{ text: String }}\n{code}")), Ok(None));
}

#[test]
fn borrows_are_followed_through_many_variables() {
    let chain: String = (1..200).map(|own| format!("    let v{own}: &str = v{};\n", own - 1)).collect();
    let start = "let s: String = n.to_string();\n    let v0: &str = s.as_str();";
    let text = format!("fn f(n: u32) -> usize {{\n    «{start}\n{chain}    let r: &str = v199;»\n    r.len()\n}}\n");
    let failure = extract(&text).expect_err("`s` is dropped in the function");
    assert!(failure.message.contains("`r` may borrow `s`"), "{failure:?}");
}
