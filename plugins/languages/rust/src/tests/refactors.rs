//! Refactors: texts before and after.

use marquetry_sdk::testing::{check_refactor, check_refactor_laws, check_refused};

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
    check_refactor_laws::<Rust>(("a.rs", text), &[]);
    assert!(check_refactor_laws::<Rust>(("a.rs", "use b;\nuse a;\n"), &[]) > 0);
}
