//! Symbols: references, renames in the file and through imports, and conflicts.

use marquetry_sdk::{
    Hover, ImportKey, RenameResult, Result, Subject, Symbols, Usage, span::apply, testing, workspace::set_files,
};

use crate::Rust;

/// The text without its mark, and the offset of the mark.
fn marked(text: &str) -> (String, u32) {
    let at = text.find('‸').expect("a mark");
    (text.replace('‸', ""), at as u32)
}

fn rename_at(text: &str, new: &str) -> (String, Result<RenameResult>) {
    let (text, at) = marked(text);
    set_files([("src/lib.rs".to_owned(), text.clone())]);
    let bench = testing::open::<Rust>("src/lib.rs", &text);
    let result = Rust::rename(bench.document(), Subject::At(at), new);
    (text, result)
}

#[track_caller]
fn check_rename(text: &str, new: &str, expected: &str) -> RenameResult {
    let (text, result) = rename_at(text, new);
    let result = result.unwrap_or_else(|failure| panic!("{failure:?} in\n{text}"));
    assert_eq!(apply(&text, &result.edits), expected, "{text}");
    result
}

#[track_caller]
fn check_refused(text: &str, new: &str, message: &str) {
    match rename_at(text, new) {
        (text, Ok(result)) => panic!("not refused:\n{}", apply(&text, &result.edits)),
        (text, Err(failure)) => {
            assert!(failure.message.contains(message), "{failure:?} in\n{text}");
            assert!(failure.hint.is_some());
        }
    }
}

#[test]
fn variables_are_renamed_from_their_let_on() {
    check_rename("fn f() { let ‸x = 1; let x = x + 1; g(x) }", "y", "fn f() { let y = 1; let x = y + 1; g(x) }");
    check_rename("fn f() { let x = 1; let ‸x = x + 1; g(x) }", "y", "fn f() { let x = 1; let y = x + 1; g(y) }");
    check_rename("fn f(‸a: u8) -> u8 { let b = |a| a; b(a) }", "c", "fn f(c: u8) -> u8 { let b = |a| a; b(c) }");
    check_rename(
        "fn f(a: Option<u8>) { if let Some(a) = ‸a { g(a) } else { h(a) } }",
        "b",
        "fn f(b: Option<u8>) { if let Some(a) = b { g(a) } else { h(b) } }",
    );
    check_rename(
        "fn f() { match x { Some(‸y) if y > 1 => y, y => y } }",
        "z",
        "fn f() { match x { Some(z) if z > 1 => z, y => y } }",
    );
    check_rename("fn f(i: I) { for ‸i in i { g(i) } h(i) }", "j", "fn f(i: I) { for j in i { g(j) } h(i) }");
    check_rename("fn f() { { let ‸x = 1; g(x); } x }", "y", "fn f() { { let y = 1; g(y); } x }");
    check_rename(
        "fn f(a: A) { while let Some(‸b) = a.b() && b.c() { d(b) } }",
        "e",
        "fn f(a: A) { while let Some(e) = a.b() && e.c() { d(e) } }",
    );
    check_rename("fn f() { let (A(‸x) | B(x)) = y; x }", "z", "fn f() { let (A(z) | B(z)) = y; z }");
    // A module and a variable are in different namespaces.
    check_rename(
        "mod conf;\nfn f() { let ‸conf = conf::load(); conf.x }",
        "c",
        "mod conf;\nfn f() { let c = conf::load(); c.x }",
    );
    // Variables around an inner function are not visible in it.
    check_rename("fn g() {}\nfn f(‸g: u8) { fn h() { g() } g; }", "x", "fn g() {}\nfn f(x: u8) { fn h() { g() } x; }");
}

#[test]
fn shorthands_keep_the_field() {
    check_rename("fn f(‸x: u8) -> P { P { x, y: x } }", "z", "fn f(z: u8) -> P { P { x: z, y: z } }");
    check_rename("fn f(P { ‸x, .. }: P) { g(x) }", "z", "fn f(P { x: z, .. }: P) { g(z) }");
    check_rename("fn f() { let P { mut ‸x } = p; x }", "z", "fn f() { let P { x: mut z } = p; z }");
}

#[test]
fn arguments_of_known_macros_are_renamed() {
    check_rename(
        "fn f(‸x: u8) { println!(\"{x} {{x}} {x:?} {:x$}\", x); assert!(v.iter().all(|x| x > 1), \"{}\", x) }",
        "y",
        "fn f(y: u8) { println!(\"{y} {{x}} {y:?} {:y$}\", y); assert!(v.iter().all(|x| x > 1), \"{}\", y) }",
    );
    check_rename("fn f(‸x: u8) { matches!(x, Some(_)); }", "y", "fn f(y: u8) { matches!(y, Some(_)); }");
    check_rename(
        "fn f(‸x: u8) { matches!(x, Some(a) if a); vec![x] }",
        "y",
        "fn f(y: u8) { matches!(x, Some(a) if a); vec![y] }",
    );
    let result = check_rename("fn f(‸x: u8) { other!(x); g(x) }", "y", "fn f(y: u8) { other!(x); g(y) }");
    assert_eq!(result.unresolved.len(), 1);
}

#[test]
fn items_are_renamed_with_their_paths() {
    let result = check_rename(
        "pub struct ‸A;\nimpl A { fn new() -> Self { A } }\nfn f(a: &A) -> self::A { A::new() }\nmod tests {\n    use super::*;\n    fn t() { A::new(); crate::A }\n}\n",
        "B",
        "pub struct B;\nimpl B { fn new() -> Self { B } }\nfn f(a: &B) -> self::B { B::new() }\nmod tests {\n    use super::*;\n    fn t() { B::new(); crate::B }\n}\n",
    );
    assert_eq!(result.exported[0].new, "B");
    check_rename("fn ‸f() {}\nfn g() { f(); let f = 1; f }", "h", "fn h() {}\nfn g() { h(); let f = 1; f }");
    check_rename(
        "fn f() {}\nmod t { use super::f; fn g() { ‸f() } }",
        "h",
        "fn h() {}\nmod t { use super::h; fn g() { h() } }",
    );
    check_rename(
        "fn f() {}\nmod t { use super::f as x; fn g() { ‸x() } }",
        "h",
        "fn f() {}\nmod t { use super::f as h; fn g() { h() } }",
    );
    check_rename(
        "fn ‸f() {}\nmod t { use super::f; fn g() { f() } }",
        "h",
        "fn h() {}\nmod t { use super::h; fn g() { h() } }",
    );
    check_rename("fn f<‸T: A>(t: T) -> Vec<T> { T::x() }", "U", "fn f<U: A>(t: U) -> Vec<U> { U::x() }");
    check_rename(
        "const ‸MAX: u8 = 1;\nfn f() { match x { MAX => 1, _ => [0; MAX] } }",
        "MIN",
        "const MIN: u8 = 1;\nfn f() { match x { MIN => 1, _ => [0; MIN] } }",
    );
}

#[test]
fn root_paths_are_renamed_if_the_file_is_in_a_crate() {
    set_files([("src/lib.rs".to_owned(), String::new())]);
    check_rename("fn ‸f() {}\nfn g() { crate::f() }", "h", "fn h() {}\nfn g() { crate::h() }");
}

#[test]
fn names_are_followed_through_modules_of_the_file() {
    check_rename(
        "mod s { pub use super::a::A; struct ‸B; }\npub use self::s::*;\nfn f(b: B, a: A) {}\n",
        "C",
        "mod s { pub use super::a::A; struct C; }\npub use self::s::*;\nfn f(b: C, a: A) {}\n",
    );
    check_rename(
        "mod s { mod t { struct ‸B; }\n pub use self::t::*; }\nuse crate::s::*;\nfn f(b: B) {}\n",
        "C",
        "mod s { mod t { struct C; }\n pub use self::t::*; }\nuse crate::s::*;\nfn f(b: C) {}\n",
    );
    // The glob import of the module may provide the new name.
    let result = check_rename(
        "fn ‸f() {}\nmod m { use x::*; fn g() { f() } }\n",
        "h",
        "fn h() {}\nmod m { use x::*; fn g() { f() } }\n",
    );
    assert_eq!(result.unresolved.len(), 1);
    let result = check_import(
        "mod s { pub(crate) use crate::m::f; }\npub use self::s::*;\nfn a() { f() }\n",
        "f",
        "g",
        "mod s { pub(crate) use crate::m::g; }\npub use self::s::*;\nfn a() { g() }\n",
    );
    let exported: Vec<(&str, &str)> = result.exported.iter().map(|one| (&*one.old, &*one.new)).collect();
    assert_eq!(exported, [("f", "g"), ("s::f", "s::g")]);
}

#[test]
fn conflicts_are_refused() {
    check_refused("fn ‸f() {}\nfn g() {}\n", "g", "another meaning");
    check_refused("fn ‸f() {}\nfn h(g: u8) { f() }\n", "g", "another meaning");
    check_refused("fn f(‸x: u8) { g(x, y) }\n", "y", "another meaning");
    check_refused("fn f() { let ‸x = 1; let y = 2; x }\n", "y", "another meaning");
    // A pattern with the name of a constant does not bind a variable.
    check_refused("const MAX: u8 = 1;\nfn f() { let ‸x = 1; }\n", "MAX", "another meaning");
    check_refused("static max: u8 = 1;\nfn f(‸x: u8) {}\n", "max", "another meaning");
    check_refused("use a::MAX;\nfn f() { match 1 { ‸x => {} } }\n", "MAX", "another meaning");
    check_refused("fn f<const N: u8>(‸x: u8) {}\n", "N", "another meaning");
    check_refused("fn f(‸x: u8) {}\n", "None", "another meaning");
    check_refused("const ‸A: u8 = 1;\nfn f(P { b }: P) {}\n", "b", "another meaning");
    check_rename("use a::max;\nfn f(‸x: u8) { x }\n", "max", "use a::max;\nfn f(max: u8) { max }\n");
    check_refused("fn ‸f() {}\n", "fn", "not a valid name");
    check_refused("fn ‸f() {}\n", "1a", "not a valid name");
    check_refused("impl A { fn ‸f() {} }\n", "g", "is a member");
    check_refused("trait A { type ‸F; type G; }\n", "G", "already has a member `G`");
    check_refused("impl Iterator for A { type ‸Item = u8; }\n", "B", "the trait `Iterator` requires");
    check_refused("use a::B;\nimpl B for A { fn ‸f() {} }\n", "g", "is a member");
    check_refused("struct A { ‸x: u8, g: u8 }\n", "g", "already has a member");
    check_refused("enum A { ‸X, Y }\n", "Y", "already has a member");
    check_refused("fn f() { a.‸x }\n", "y", "is a member");
    check_refused("fn f() { ‸x }\n", "y", "not declared in this file");
    check_refused("macro_rules! ‸m { () => {} }\n", "n", "macro");
    check_refused("mod ‸m;\n", "n", "module whose file");
    check_refused("mod a { pub fn ‸f() {} }\n", "g", "visible outside");
}

#[track_caller]
fn check_import(text: &str, name: &str, new: &str, expected: &str) -> RenameResult {
    set_files([
        ("src/lib.rs".to_owned(), "mod m;\nmod a;\n".to_owned()),
        ("src/m.rs".to_owned(), "pub fn f() {}\npub enum E { f }\n".to_owned()),
        ("src/a.rs".to_owned(), text.to_owned()),
    ]);
    let bench = testing::open::<Rust>("src/a.rs", text);
    let key = ImportKey {
        specifiers: vec!["crate::m".to_owned(), "super::m".to_owned(), "crate::m::E".to_owned()],
        name: name.to_owned(),
    };
    let found = Rust::resolve_symbol(bench.document(), Subject::Imported(key.clone())).expect("resolved");
    let result = Rust::rename(bench.document(), Subject::Imported(key), new).expect("renamed");
    assert_eq!(apply(text, &result.edits), expected, "{text}");
    let certain: Vec<_> = found.occurrences.iter().filter(|o| o.certain).map(|o| o.span).collect();
    for edit in result.edits.iter().filter(|edit| edit.text == new) {
        assert!(certain.contains(&edit.span), "{edit:?} is not an occurrence in\n{text}");
    }
    result
}

#[test]
fn names_in_unknown_macros_and_attributes_are_listed() {
    let check = |text: &str, count: usize| {
        let (_, result) = rename_at(text, "g");
        assert_eq!(result.map(|result| result.unresolved.len()), Ok(count), "{text}");
    };
    check("fn f(‸x: u8) { log!(\"{x} {y} {:x$}\"); log!(\"x\") }", 2);
    check("fn f(‸x: u8) { log!(\"{g}\", g) }", 2);
    check("fn ‸f() {}\n#[serde(default = \"f\")]\nstruct A;\n#[doc = \"f\"]\nfn h() {}\n", 1);
    check("fn ‸f() {}\n#[serde(default = \"crate::f\", with = \"std::f\")]\nstruct A;\n", 1);
    check("fn ‸f() {}\nfn h(f: u8) { log!(f, a.f, b..f) }\n", 0);
    check("fn ‸f() {}\nfn h() { log!(f, a.f, b..f) }\n", 2);
}

#[test]
fn imported_names_are_renamed() {
    check_import("use crate::m::f;\nfn a() { f(); f }\n", "f", "g", "use crate::m::g;\nfn a() { g(); g }\n");
    check_import("use crate::m::f as h;\nfn a() { h() }\n", "f", "g", "use crate::m::g as h;\nfn a() { h() }\n");
    check_import(
        "use super::m::{self, f};\nfn a() { m::f(); f }\n",
        "f",
        "g",
        "use super::m::{self, g};\nfn a() { m::g(); g }\n",
    );
    check_import(
        "fn a() { crate::m::f(crate::m::x::f, m::f) }\n",
        "f",
        "g",
        "fn a() { crate::m::g(crate::m::x::f, m::f) }\n",
    );
    check_import("use crate::m::f;\nfn g() { f() }\n", "f", "g", "use crate::m::g as f;\nfn g() { f() }\n");
    // `E::f` is a variant of an enum in the module, which is another name.
    check_import(
        "use crate::m::E;\nfn a() { E::f; crate::m::E::f }\n",
        "f",
        "g",
        "use crate::m::E;\nfn a() { E::f; crate::m::E::f }\n",
    );
    check_import(
        "use crate::m::*;\nfn a(x: u8) { f(x); let f = 1; f }\n",
        "f",
        "g",
        "use crate::m::*;\nfn a(x: u8) { g(x); let f = 1; f }\n",
    );
    check_import("use other::m::f;\nfn a() { f() }\n", "f", "g", "use other::m::f;\nfn a() { f() }\n");
    let result = check_import("pub(crate) use crate::m::f;\n", "f", "g", "pub(crate) use crate::m::g;\n");
    assert_eq!(result.exported[0].old, "f");
    // Users in other crates cannot be found.
    let result = check_import("pub use crate::m::f;\n", "f", "g", "pub use crate::m::g as f;\n");
    assert!(result.exported.is_empty());
    let result =
        check_import("use crate::m::f;\nfn a() { other!(f) }\n", "f", "g", "use crate::m::g;\nfn a() { other!(f) }\n");
    assert_eq!(result.unresolved.len(), 1);
}

#[test]
fn facts_have_exports_and_imports() {
    let text = "use crate::m::{f as g, h};\npub use crate::n::*;\nstruct A;\nfn b() { fn c() {} crate::o::d() }\nmod e { fn i() {} }\n";
    let facts = Rust::facts(testing::open::<Rust>("src/a.rs", text).document());
    let exports: Vec<String> = facts.exports.iter().map(|e| format!("{} {}", e.kind, e.name)).collect();
    assert_eq!(exports, ["struct A", "function b", "module e"]);
    // Private imports are visible in the descendants of the module, too.
    let named = facts.imports.iter().filter(|i| i.name != "*" || i.exported.is_some());
    let imports: Vec<String> = named
        .map(|i| format!("{} {} {:?} {:?}", i.specifier, i.name, i.local.as_deref(), i.exported.as_deref()))
        .collect();
    assert_eq!(
        imports,
        ["crate::m f Some(\"g\") Some(\"g\")", "crate::m h Some(\"h\") Some(\"h\")", "crate::n * None Some(\"*\")"]
    );
    assert!(facts.imports.iter().any(|i| i.specifier == "crate::o" && i.name == "*"));
}

#[test]
fn references_have_their_use() {
    let text = "fn f() {}\nfn g() { f(); let a = f; self::f() }\n";
    let bench = testing::open::<Rust>("src/a.rs", text);
    let found = Rust::resolve_symbol(bench.document(), Subject::Address("f".to_owned())).expect("resolved");
    let uses: Vec<Usage> = found.occurrences.iter().map(|o| o.usage).collect();
    assert_eq!(uses, [Usage::Declaration, Usage::Called, Usage::Read, Usage::Called]);
    assert_eq!((found.kind.as_str(), found.address.as_deref(), found.incomplete), ("function", Some("f"), None));
}

/// The occurrences of the name at `‸` in all files, each as its line with the name in brackets and its use.
fn occurrences(files: &[(&str, &str)]) -> Vec<String> {
    let mut subjects = Vec::new();
    let mut texts = std::collections::BTreeMap::new();
    for (path, text) in files {
        if let Some(at) = text.find('‸') {
            subjects.push(((*path).to_owned(), Subject::At(at as u32)));
        }
        texts.insert((*path).to_owned(), text.replace('‸', ""));
    }
    set_files(texts.clone());
    let mut found = Vec::new();
    while let Some((path, subject)) = subjects.pop() {
        let text = &texts[&path];
        let bench = testing::open::<Rust>(&path, text);
        let resolution = Rust::resolve_symbol(bench.document(), subject).expect("resolved");
        for one in resolution.occurrences {
            let sign = if one.certain { "" } else { "?" };
            let (before, after) = (&text[..one.span.range().start], &text[one.span.range().end..]);
            let (before, after) = (before.rsplit('\n').next(), after.split('\n').next());
            let line = format!("{}[{}]{}", before.unwrap_or(""), one.span.slice(text), after.unwrap_or(""));
            let usage = format!("{:?}", one.usage);
            found.push(format!("{}: {}{sign}", line.trim(), usage.trim_start_matches("Usage::")));
        }
        let others = texts.keys().filter(|other| **other != path);
        if let Some(key) = resolution.declared {
            subjects.extend(others.map(|other| (other.clone(), Subject::Declared(key.clone()))));
        } else if !resolution.exported_as.is_empty() {
            let module = path.trim_start_matches("src/").trim_end_matches(".rs");
            let specifiers = vec![format!("crate::{module}"), format!("self::{module}"), format!("super::{module}")];
            let key = ImportKey { specifiers, name: resolution.name };
            subjects.extend(others.map(|other| (other.clone(), Subject::Imported(key.clone()))));
        }
    }
    found
}

#[track_caller]
fn check_occurrences(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(occurrences(files), expected);
}

#[test]
fn calls_by_paths_are_calls() {
    let main = "mod w;\nfn main() {\n    w::scan();\n    w::scan::<u8>();\n    (w::scan)();\n    let f = w::scan;\n    crate::w::scan();\n    println!(\"{}\", w::scan());\n    other!(w::scan(), w::scan::<Vec<u8>>(1), w::scan);\n}\n";
    check_occurrences(
        &[("src/main.rs", main), ("src/w.rs", "pub fn ‸scan() {}\n")],
        &[
            "pub fn [scan]() {}: Declaration",
            "w::[scan]();: Called",
            "w::[scan]::<u8>();: Called",
            "(w::[scan])();: Called",
            "let f = w::[scan];: Read",
            "crate::w::[scan]();: Called",
            "println!(\"{}\", w::[scan]());: Called",
            "other!(w::[scan](), w::scan::<Vec<u8>>(1), w::scan);: Called?",
            "other!(w::scan(), w::[scan]::<Vec<u8>>(1), w::scan);: Called?",
            "other!(w::scan(), w::scan::<Vec<u8>>(1), w::[scan]);: Read?",
        ],
    );
    let main = "mod w;\nfn main(x: w::Size) {\n    let y: Vec<w::Size> = w::Size(1);\n    w::Size::default();\n    let w::Size(z) = x;\n    self::w::Size;\n}\nimpl w::Size {}\n";
    check_occurrences(
        &[("src/main.rs", main), ("src/w.rs", "pub struct ‸Size(u8);\n")],
        &[
            "pub struct [Size](u8);: Declaration",
            "fn main(x: w::[Size]) {: TypeUse",
            "let y: Vec<w::[Size]> = w::Size(1);: TypeUse",
            "let y: Vec<w::Size> = w::[Size](1);: Called",
            "w::[Size]::default();: Read",
            "let w::[Size](z) = x;: Read",
            "self::w::[Size];: Read",
            "impl w::[Size] {}: TypeUse",
        ],
    );
    let main = "mod w {\n    macro_rules! ‸hello { () => {} }\n    pub(crate) use hello;\n}\nfn main() {\n    w::hello!();\n    w::hello!{};\n}\n";
    check_occurrences(
        &[("src/main.rs", main)],
        &[
            "macro_rules! [hello] { () => {} }: Declaration",
            "pub(crate) use [hello];: Imported",
            "w::[hello]!();: Called",
            "w::[hello]!{};: Called",
        ],
    );
}

#[test]
fn calls_of_members_are_calls() {
    check_occurrences(
        &[(
            "src/main.rs",
            "struct W;\nimpl W { fn ‸new() -> W { W } }\nfn f() {\n    W::new();\n    <W>::new();\n    x.map(W::new);\n}\nfn g(w: impl Fn()) { g(W::new) }\n",
        )],
        &[
            "impl W { fn [new]() -> W { W } }: Declaration",
            "W::[new]();: Called",
            "<W>::[new]();: Called",
            "x.map(W::[new]);: Read",
            "fn g(w: impl Fn()) { g(W::[new]) }: Read",
        ],
    );
    check_occurrences(
        &[(
            "src/main.rs",
            "struct W { x: X }\nstruct X;\nimpl X { fn ‸go(&self) {} }\nimpl W { fn f(&self) {\n    self.x.go();\n    X.go();\n    X::go(&self.x);\n    vec![X.go()];\n    self.y.go();\n} }\n",
        )],
        &[
            "impl X { fn [go](&self) {} }: Declaration",
            "self.x.[go]();: Called",
            "X.[go]();: Called",
            "X::[go](&self.x);: Called",
            "vec![X.[go]()];: Called",
            "self.y.[go]();: Called?",
        ],
    );
    check_occurrences(
        &[(
            "src/main.rs",
            "trait T { fn ‸f(&self); }\nstruct X;\nimpl T for X { fn f(&self) {} }\nfn g(x: X) {\n    T::f(&x);\n    <X as T>::f(&x);\n    X::f(&x);\n    x.f();\n}\n",
        )],
        &[
            "trait T { fn [f](&self); }: Declaration",
            "impl T for X { fn [f](&self) {} }: Declaration",
            "T::[f](&x);: Called",
            "<X as T>::[f](&x);: Called",
            "X::[f](&x);: Called",
            "x.[f]();: Called",
        ],
    );
    check_occurrences(
        &[(
            "src/main.rs",
            "enum E { ‸A(u8) }\nuse E::A;\nfn g(e: E) {\n    E::A(1);\n    A(1);\n    let E::A(x) = e;\n    x.map(E::A);\n}\nstruct P { f: fn() }\n",
        )],
        &[
            "enum E { [A](u8) }: Declaration",
            "use E::[A];: Imported",
            "E::[A](1);: Called",
            "[A](1);: Called",
            "let E::[A](x) = e;: Read",
            "x.map(E::[A]);: Read",
        ],
    );
    check_occurrences(
        &[("src/main.rs", "struct P { ‸f: fn() }\nfn g(p: P) {\n    (p.f)();\n    p.f;\n    let P { f } = p;\n}\n")],
        &["struct P { [f]: fn() }: Declaration", "(p.[f])();: Called", "p.[f];: Read", "let P { [f] } = p;: Read"],
    );
}

#[test]
fn functions_of_other_types_are_not_references() {
    let files = |main: &'static str| {
        [
            ("Cargo.toml", "[package]\nname = \"w\"\n[dependencies]\ntempfile = \"3\"\n"),
            ("src/main.rs", main),
            ("src/w.rs", "pub struct W;\nimpl W { pub fn ‸new() -> W { W } }\n"),
            ("src/x.rs", "pub(crate) use std::path::Path;\npub struct X;\nimpl X { pub fn new() -> X { X } }\n"),
        ]
    };
    let check = |main: &'static str, expected: &[&str]| {
        let found = occurrences(&files(main));
        assert_eq!(found[1..], *expected, "{main}");
    };
    let head = "mod w;\nmod x;\nuse std::{io, path::Path};\nuse w::W;\nuse x::X;\n";
    let all = format!(
        "{head}fn main() {{\n    Path::new(1);\n    std::path::PathBuf::new();\n    io::Cursor::new(1);\n    X::new();\n    x::X::new();\n    tempfile::Builder::new();\n    String::new();\n    Vec::<W>::new();\n    Box::new(W);\n    u8::new();\n    <Path>::new();\n    <W as Default>::new();\n}}\n"
    );
    check(all.leak(), &[]);
    // The module around the tests has the imports.
    let tests = format!(
        "{head}mod tests {{\n    use super::*;\n    fn t() {{\n        Path::new(1);\n        X::new();\n        W::new();\n    }}\n}}\n"
    );
    check(tests.leak(), &["W::[new]();: Called"]);
    check(
        "mod w;\nmod x;\nuse w::W;\nfn f() { other!(String::new(), std::path::Path::new(), W::new()) }\n",
        &["fn f() { other!(String::new(), std::path::Path::new(), W::[new]()) }: Called?"],
    );
    check("mod w;\nmod x;\nuse x::*;\nfn f() { Path::new(1); }\n", &[]);
    // A type parameter gives access to the functions of its bounds only.
    check("mod w;\nfn f<T: Default>() { T::new(); }\n", &[]);
    // Names that may refer to the type.
    check("mod w;\ntype A = w::W;\nfn f() { A::new(); }\n", &["fn f() { A::[new](); }: Called?"]);
    check("mod w;\nuse w::W as V;\nfn f() { V::new(); }\n", &["fn f() { V::[new](); }: Called"]);
    check("mod w;\nfn f<T: A>() { T::Hash::new(); }\n", &["fn f<T: A>() { T::Hash::[new](); }: Called?"]);
    check(
        "mod w;\nimpl A for B { fn f() { Self::Hash::new(); } }\n",
        &["impl A for B { fn f() { Self::Hash::[new](); } }: Called?"],
    );
    check("mod w;\nfn f<T: A>() { other!(T::new()) }\n", &["fn f<T: A>() { other!(T::[new]()) }: Called?"]);
    check("mod w;\nuse tempfile::*;\nfn f() { quote!(#t::new()) }\n", &["fn f() { quote!(#t::[new]()) }: Called?"]);
    check("mod w;\nuse unknown::*;\nfn f() { W::new(); }\n", &["fn f() { W::[new](); }: Called?"]);
    check(
        "mod w;\n#[cfg(unix)]\nuse std::x::W;\n#[cfg(not(unix))]\nuse w::W;\nfn f() { W::new(); }\n",
        &["fn f() { W::[new](); }: Called?"],
    );
    check(
        "mod w;\nuse w::W;\nfn f() { <W>::new(); <_>::new(); }\n",
        &["fn f() { <W>::[new](); <_>::new(); }: Called", "fn f() { <W>::new(); <_>::[new](); }: Called?"],
    );
}

#[test]
fn functions_of_other_types_are_not_references_of_trait_members() {
    let manifest = "[package]\nname = \"w\"\n[dependencies]\ntempfile = \"3\"\n";
    let text = "use std::path::Path;\nuse tempfile::File;\ntrait Show { fn ‸new(&self); }\nimpl Show for X { fn new(&self) {} }\nstruct X;\nfn f(a: &std::process::Child, b: File, c: X) {\n    Path::new(1);\n    File::new(1);\n    tempfile::Builder::new(1);\n    a.new();\n    b.new();\n    c.new();\n    log!(File::new(1));\n}\n";
    check_occurrences(
        &[("Cargo.toml", manifest), ("src/main.rs", text)],
        &[
            "trait Show { fn [new](&self); }: Declaration",
            "impl Show for X { fn [new](&self) {} }: Declaration",
            "c.[new]();: Called",
        ],
    );
}

#[test]
fn outgoing_calls_have_their_members() {
    let text = "mod w;\nstruct S;\nimpl S { fn new() -> S { S } fn go(&self) {} }\nenum E { A(u8) }\ntrait T { fn t(&self) {} }\nimpl T for S { fn t(&self) {} }\nfn main(s: S, x: X) { S::new().go(); E::A(1); w::W::new().go(); w::f(); s.t(); T::t(&s); x.go(); vec![S::new()]; }\n";
    let other = "pub struct W;\nimpl W { pub fn new() -> W { W } pub fn go(&self) {} }\npub fn f() {}\n";
    set_files([("src/main.rs", text), ("src/w.rs", other)].map(|(path, text)| (path.to_owned(), text.to_owned())));
    let bench = testing::open::<Rust>("src/main.rs", text);
    let calls = Rust::calls(bench.document(), "main").expect("calls");
    let shown = calls.iter().map(|call| {
        let place = call.declared.as_ref().map(|place| {
            let text = if place.path == "src/main.rs" { text } else { other };
            format!("{}:{}", place.path, text[..place.offset as usize].matches('\n').count() + 1)
        });
        format!("{} {} {}", call.name, call.address.as_deref().unwrap_or("-"), place.as_deref().unwrap_or("-"))
    });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            "new S::new src/main.rs:3",
            "go S::go src/main.rs:3",
            "A E::A src/main.rs:4",
            "new - src/w.rs:2",
            "go - src/w.rs:2",
            "f - src/w.rs:3",
            "t impl T for S::t src/main.rs:6",
            "t T::t src/main.rs:5",
            "go - -",
            "vec - -",
            "new S::new src/main.rs:3",
        ]
    );
}

#[test]
fn methods_of_values_of_other_types_are_not_references() {
    let text = "struct Command;\nimpl Command { fn ‸go(&self) {} }\nfn f(a: &std::process::Command, b: &Command, c: Box<Command>, d: &other::Command) {\n    a.go();\n    b.go();\n    c.go();\n    d.go();\n}\n";
    check_occurrences(
        &[("src/main.rs", text)],
        &[
            "impl Command { fn [go](&self) {} }: Declaration",
            "b.[go]();: Called",
            "c.[go]();: Called",
            "d.[go]();: Called?",
        ],
    );
}

#[test]
fn type_and_const_parameters_are_renamed_in_their_item() {
    check_rename(
        "struct P<T>(T);\nimpl<‸T: Into<u8>> P<T> where T: Copy { fn f<U: From<T>>(&self, x: T) -> Vec<T> { g::<T>(x) } }",
        "V",
        "struct P<T>(T);\nimpl<V: Into<u8>> P<V> where V: Copy { fn f<U: From<V>>(&self, x: V) -> Vec<V> { g::<V>(x) } }",
    );
    check_rename(
        "fn f<const ‸N: usize>(x: [u8; N]) -> usize { g::<N>(x) + N }",
        "M",
        "fn f<const M: usize>(x: [u8; M]) -> usize { g::<M>(x) + M }",
    );
    check_refused("impl<T> P<T> { fn f<‸U>(x: U, y: T) {} }", "T", "another meaning");
    check_refused("impl<‸T> P<T> { fn f<U>(x: U, y: T) {} }", "U", "another meaning");
    check_refused("struct A;\nfn f<‸T>(x: T, y: A) {}", "A", "another meaning");
}
