//! Declarations that refer to each other, and types that grow with each use.

use marquetry_sdk::{
    Hover,
    testing::{self, check_refused},
    workspace::set_files,
};

use crate::Go;

fn files(text: &str) {
    let text = text.replace(['«', '»'], "");
    set_files([("go.mod".to_owned(), "module x.org/m\n".to_owned()), ("a.go".to_owned(), text)]);
}

#[track_caller]
fn refused(text: &str, message: &str) {
    files(text);
    check_refused::<Go>(("a.go", text), "extract_function", &[], message);
}

#[test]
fn aliases_may_refer_to_each_other() {
    let text = "package a\n\ntype I interface{ M() X }\n\ntype X = Y\n\ntype Y = X\n\ntype Z int\n\nfunc (Z) M() X { panic(1) }\n\ntype P Q\n\ntype Q P\n\ntype A[T any] = B[T]\n\ntype B[T any] = A[T]\n";
    files(text);
    let document = testing::open::<Go>("a.go", text);
    let found = Go::subtypes(document.document(), "I").expect("a type");
    assert_eq!(found.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Z (a.go)"]);
    for name in ["P", "X", "A"] {
        refused(
            &format!("{text}\nfunc f(v {name}) {{\n\tx := v.N\n\t«println(x)»\n}}\n"),
            "the type of `x` is not known",
        );
    }
}

#[test]
fn values_may_refer_to_each_other() {
    let body = "func f() {\n\tx := y\n\t«println(x)»\n}\n";
    for declarations in [
        "var y = z\n\nvar z = y\n",
        "var y = -z + 1\n\nvar z = (y)\n",
        "var y = g().a\n\nvar g = y.b\n",
        "var y, z = z, y\n",
        "var y = []int{y}[y]\n",
        "var y = func() int { return y }()\n\nvar z = y[z]\n",
    ] {
        let text = format!("package a\n\n{declarations}\n{body}");
        files(&text);
        let run = testing::run_refactor::<Go>(("a.go", &text), "extract_function", &[]);
        drop(run);
    }
    refused(&format!("package a\n\nvar y = z\n\nvar z = y\n\n{body}"), "the type of `x` is not known");
}

#[test]
fn types_that_grow_are_not_known() {
    let chain = ".X".repeat(40);
    let text = "package a\n\ntype N[T any] struct{ X *N[map[T]T] }\n\nfunc twice[T any](v T) map[T]T { return nil }\n";
    refused(
        &format!("{text}\nfunc f(n N[int]) {{\n\tx := n{chain}\n\t«println(x)»\n}}\n"),
        "the type of `x` is not known",
    );
    let calls = format!("{}1{}", "twice(".repeat(40), ")".repeat(40));
    refused(&format!("{text}\nfunc f() {{\n\tx := {calls}\n\t«println(x)»\n}}\n"), "the type of `x` is not known");
}

#[test]
fn long_expressions_have_types() {
    let sum = vec!["\"a\""; 300].join(" + ");
    let text = format!("package a\n\nfunc f() {{\n\tx := {sum}\n\t«println(x)»\n}}\n");
    files(&text);
    let after = format!(
        "package a\n\nfunc f() {{\n\tx := {sum}\n\textracted(x)\n}}\n\nfunc extracted(x string) {{\n\tprintln(x)\n}}\n"
    );
    testing::check_refactor::<Go>(("a.go", &text), "extract_function", &[], &after);
}
