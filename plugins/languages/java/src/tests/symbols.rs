//! Symbols: variables in a file are renamed or refused, and types are found in the files that use them.

use marquetry_sdk::{DeclaredKey, FailureKind, ImportKey, Subject, Symbols, span::apply, testing};

use crate::Java;

/// The text without its mark `|`, and the offset of the mark.
fn split(marked: &str) -> (String, u32) {
    (marked.replacen('|', "", 1), marked.find('|').expect("a mark") as u32)
}

#[track_caller]
fn check(marked: &str, new_name: &str, expected: &str) {
    let (text, offset) = split(marked);
    let bench = testing::open::<Java>("A.java", &text);
    let result = Java::rename(bench.document(), Subject::At(offset), new_name).expect("renamed");
    assert_eq!(apply(&text, &result.edits), expected);
    assert_eq!(testing::open::<Java>("A.java", expected).diagnostics(), [""; 0]);
}

#[track_caller]
fn refused(marked: &str, new_name: &str, kind: FailureKind) {
    let (text, offset) = split(marked);
    let bench = testing::open::<Java>("A.java", &text);
    let failure = Java::rename(bench.document(), Subject::At(offset), new_name).expect_err(marked);
    assert_eq!((failure.kind, failure.hint.is_some()), (kind, true), "{failure:?}");
}

#[test]
fn variables_are_renamed() {
    check(
        "class A { int x; int f(int |x) { int y = x + this.x + x(); g(x -> x); return a.x; } }",
        "z",
        "class A { int x; int f(int z) { int y = z + this.x + x(); g(x -> x); return a.x; } }",
    );
    check(
        "class A { void f() { int a = 1; { |a++; } } void g() { int a; } }",
        "b",
        "class A { void f() { int b = 1; { b++; } } void g() { int a; } }",
    );
    check(
        "class A { void f() { for (int |i = 0; i < 3; i++) i(i); int i; } }",
        "j",
        "class A { void f() { for (int j = 0; j < 3; j++) i(j); int i; } }",
    );
    check(
        "class A { void f() { for (T t : |t(b)) {} for (T u : b) { u.t(); } } }"
            .replace("|t(b)", "t(b)")
            .replace("T u", "T |u")
            .as_str(),
        "v",
        "class A { void f() { for (T t : t(b)) {} for (T v : b) { v.t(); } } }",
    );
    check(
        "class A { void f() { try (var |r = o()) { r.g(); } catch (E e) { e.r(); } } }",
        "s",
        "class A { void f() { try (var s = o()) { s.g(); } catch (E e) { e.r(); } } }",
    );
    check(
        "class A { void f() { try { } catch (E |e) { throw e; } } }",
        "x",
        "class A { void f() { try { } catch (E x) { throw x; } } }",
    );
    check(
        "class A { void f() { g((|a, b) -> a + b); h((int a) -> a); } }",
        "c",
        "class A { void f() { g((c, b) -> c + b); h((int a) -> a); } }",
    );
    check(
        "class A { void f(Object o) { if (o instanceof B |b && b.c()) { b.d(); } } }",
        "e",
        "class A { void f(Object o) { if (o instanceof B e && e.c()) { e.d(); } } }",
    );
    check(
        "class A { int f(Object o) { return switch (o) { case B(int |x, var y) when x > y -> x; default -> 0; }; } }",
        "z",
        "class A { int f(Object o) { return switch (o) { case B(int z, var y) when z > y -> z; default -> 0; }; } }",
    );
    check(
        "class A { void f() { switch (a) { case 1: int |x = 1; case 2: x = 2; } } }",
        "y",
        "class A { void f() { switch (a) { case 1: int y = 1; case 2: y = 2; } } }",
    );
    check(
        "class A { void f(int... |a) { a.length(a); a: while (true) break a; } }",
        "b",
        "class A { void f(int... b) { b.length(b); a: while (true) break a; } }",
    );
    check(
        "class A { Object f(int |a) { class B { int g() { return a; } } return new B(); } }",
        "b",
        "class A { Object f(int b) { class B { int g() { return b; } } return new B(); } }",
    );
    check("class A { A(int |a) { this.a = a; } int a; }", "b", "class A { A(int b) { this.a = b; } int a; }");
}

#[test]
fn names_that_would_change_their_meaning_are_refused() {
    refused("class A { void f() { int |a = 1; int b = a; } }", "b", FailureKind::RefactorFailed);
    refused("class A { int b; void f() { int |a = b; } }", "b", FailureKind::RefactorFailed);
    refused("class A { void f() { int |a = b; } }", "b", FailureKind::RefactorFailed);
    refused("class A { void f(int |a) { g(b -> a + b); } }", "b", FailureKind::RefactorFailed);
    refused("class A { int x; void f() { x = 1; int |x = 2; } }", "y", FailureKind::RefactorFailed);
    refused("class A { int x; void f() { if (o instanceof B |x) {} x = 1; } }", "y", FailureKind::RefactorFailed);
    refused("class A { void f(int |a) {} }", "class", FailureKind::InvalidArgument);
    refused("class A { void f(int |a) {} }", "1a", FailureKind::InvalidArgument);
}

#[test]
fn variables_that_an_inherited_field_may_hide_are_refused() {
    for marked in [
        "class A { Object f(int |a) { return new B() { int g() { return a; } }; } }",
        "class A { Object f(int |a) { return new B() { Object g() { return h(() -> a); } }; } }",
        "class A { Object f(int |a) { class C extends B { int g() { return a; } } return new C(); } }",
        "class A { Object f(int |a) { class C implements B { int g() { return a; } } return new C(); } }",
    ] {
        refused(marked, "b", FailureKind::RefactorFailed);
        let (text, offset) = split(marked);
        let bench = testing::open::<Java>("A.java", &text);
        let found = Java::resolve_symbol(bench.document(), Subject::At(offset)).expect("resolved");
        assert!(found.incomplete.is_some(), "{marked}");
    }
    check(
        "class A { Object f(int |a) { return new B(a) { int g(int a) { return a; } }; } }",
        "b",
        "class A { Object f(int b) { return new B(b) { int g(int a) { return a; } }; } }",
    );
}

#[test]
fn types_and_members_are_refused() {
    for marked in [
        "class |A {}",
        "class A { B |b; }",
        "class A { void |f() {} }",
        "class A { |B b; }",
        "class A { void f() { a.|b(); } }",
        "enum A { |B }",
        "record A(int |b) { int c() { return b; } }",
        "class A { void f() { this.|b = 1; } }",
        "class A<|T> { T a; }",
    ] {
        refused(marked, "zzz", FailureKind::Unsupported);
    }
    refused("class A { void f() |{} }", "zzz", FailureKind::TargetNotFound);
}

#[test]
fn references_of_variables_are_complete() {
    let (text, offset) = split("class A { int f(int |x) { return x + this.x; } }");
    let bench = testing::open::<Java>("A.java", &text);
    let found = Java::resolve_symbol(bench.document(), Subject::At(offset)).expect("resolved");
    assert_eq!((found.occurrences.len(), found.incomplete), (2, None));
    let member = Java::resolve_symbol(bench.document(), Subject::Address("A.f".to_owned())).expect("resolved");
    assert!(member.incomplete.is_some());
}

#[track_caller]
fn check_imported(text: &str, specifier: &str, name: &str, expected: &[u32]) {
    let bench = testing::open::<Java>("B.java", text);
    let key = ImportKey { specifiers: vec![specifier.to_owned()], name: name.to_owned() };
    let found = Java::resolve_symbol(bench.document(), Subject::Imported(key)).expect("resolved");
    let starts: Vec<u32> = found.occurrences.iter().map(|occurrence| occurrence.span.start).collect();
    assert_eq!(starts, expected, "{text}");
    assert!(found.occurrences.iter().all(|found| found.span.slice(text) == name), "{found:?}");
}

#[test]
fn types_are_found_in_files_that_import_them() {
    check_imported("import a.C;\nclass B { C c = C.d(); List<C> e; a.C f; }", "a.C", "C", &[9, 22, 28, 40, 46 + 2]);
    check_imported("class B { C c; a.C d; }", "C", "C", &[10]);
    check_imported("import static a.C.d;\nclass B { C c; }", "a.C.d", "C", &[16]);
    check_imported("import b.C;\nclass B { C c; }", "a.C", "C", &[]);
}

#[test]
fn facts_have_types_and_imports() {
    let bench = testing::open::<Java>(
        "A.java",
        "import a.B;\nimport c.*;\nclass A { D d; static class E {} }\ninterface F {}\n",
    );
    let facts = Java::facts(bench.document());
    let exports: Vec<String> = facts.exports.iter().map(|export| format!("{} {}", export.kind, export.name)).collect();
    assert_eq!(exports, ["class A", "interface F"]);
    let imports: Vec<&str> = facts.imports.iter().map(|import| import.specifier.as_str()).collect();
    assert_eq!(imports, ["a.B", "D"], "the types that are imported or named");
}

#[test]
fn members_of_other_languages_are_not_in_the_file() {
    let bench = testing::open::<Java>("A.java", "class A { void start() { this.start(); } }\n");
    let subject = || {
        let key = DeclaredKey { name: "start".to_owned(), locations: Vec::new(), forms: Vec::new() };
        Subject::Declared(key)
    };
    let found = Java::resolve_symbol(bench.document(), subject()).expect("resolved");
    assert_eq!((found.name.as_str(), found.occurrences), ("start", Vec::new()));
    let renamed = Java::rename(bench.document(), subject(), "launch").expect("renamed");
    assert!(renamed.edits.is_empty() && renamed.unresolved.is_empty(), "{renamed:?}");
}
