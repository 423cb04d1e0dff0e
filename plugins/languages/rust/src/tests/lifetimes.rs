//! Lifetimes and labels: references and renames.

use marquetry_sdk::{RenameResult, Result, Subject, Symbols, Usage, span::apply, testing};

use crate::Rust;

/// The text without its mark, and the offset of the mark.
fn marked(text: &str) -> (String, u32) {
    let at = text.find('‸').expect("a mark");
    (text.replace('‸', ""), at as u32)
}

fn rename_at(text: &str, new: &str) -> (String, Result<RenameResult>) {
    let (text, at) = marked(text);
    let bench = testing::open::<Rust>("src/lib.rs", &text);
    let result = Rust::rename(bench.document(), Subject::At(at), new);
    (text, result)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let (text, result) = rename_at(text, "'new");
    let result = result.unwrap_or_else(|failure| panic!("{failure:?} in\n{text}"));
    assert_eq!(apply(&text, &result.edits), expected, "{text}");
    assert!(result.unresolved.is_empty(), "{text}");
}

#[track_caller]
fn check_refused(text: &str, new: &str, message: &str) {
    let (text, result) = rename_at(text, new);
    let failure = result.expect_err(&text);
    assert!(failure.message.contains(message), "{failure:?} in\n{text}");
    assert!(failure.hint.is_some());
}

#[test]
fn lifetimes_are_renamed_in_their_item() {
    check(
        "struct P<'a> { t: &'a str }\nimpl<‸'a> P<'a> { fn r(&self) -> &'a str { self.t } }\n",
        "struct P<'a> { t: &'a str }\nimpl<'new> P<'new> { fn r(&self) -> &'new str { self.t } }\n",
    );
    // A rename may begin at a use.
    check(
        "struct P<'a, 'b: 'a, T: 'a + ?Sized>(&‸'a T, &'b u8);",
        "struct P<'new, 'b: 'new, T: 'new + ?Sized>(&'new T, &'b u8);",
    );
    check(
        "fn f<'a‸>(x: &'a u8) -> Box<dyn Fn() + 'a> where u8: 'a { let y: &'a u8 = x; g::<'a>(y) }\nfn g<'a>(x: &'a u8) {}",
        "fn f<'new>(x: &'new u8) -> Box<dyn Fn() + 'new> where u8: 'new { let y: &'new u8 = x; g::<'new>(y) }\nfn g<'a>(x: &'a u8) {}",
    );
    check(
        "trait T<‸'a> { type O: 'a; fn f<'b>(&'b self) -> &'a u8; }",
        "trait T<'new> { type O: 'new; fn f<'b>(&'b self) -> &'new u8; }",
    );
    check("enum E<‸'a> { A(&'a u8), B { x: &'a u8 } }", "enum E<'new> { A(&'new u8), B { x: &'new u8 } }");
    check("type R<‸'a> = &'a str;", "type R<'new> = &'new str;");
    check("fn f<‸'a>(x: &'a u8) -> impl Sized + use<'a> {}", "fn f<'new>(x: &'new u8) -> impl Sized + use<'new> {}");
    check("impl A { fn f<‸'a>(&'a self, x: &'a mut u8) {} }", "impl A { fn f<'new>(&'new self, x: &'new mut u8) {} }");
}

#[test]
fn binders_are_separate_scopes() {
    check(
        "fn f<F>(g: F) where F: for<‸'a> Fn(&'a u8) -> &'a u8, for<'a> &'a F: Sized {}",
        "fn f<F>(g: F) where F: for<'new> Fn(&'new u8) -> &'new u8, for<'a> &'a F: Sized {}",
    );
    check(
        "fn f<F>(g: F) where for<‸'a> &'a F: Fn(&'a u8), F: for<'a> Fn(&'a u8) {}",
        "fn f<F>(g: F) where for<'new> &'new F: Fn(&'new u8), F: for<'a> Fn(&'a u8) {}",
    );
    check(
        "type F = for<‸'a> fn(&'a u8) -> &'a u8;\ntype G = Box<dyn for<'a> Fn(&'a u8)>;",
        "type F = for<'new> fn(&'new u8) -> &'new u8;\ntype G = Box<dyn for<'a> Fn(&'a u8)>;",
    );
    check(
        "type G<'b> = Box<dyn for<‸'a> Fn(&'a u8, &'b u8)>;",
        "type G<'b> = Box<dyn for<'new> Fn(&'new u8, &'b u8)>;",
    );
    // The lifetimes of a function are not visible in the items inside.
    check("fn f<‸'a>(x: &'a u8) { fn g<'a>(y: &'a u8) {} }", "fn f<'new>(x: &'new u8) { fn g<'a>(y: &'a u8) {} }");
    check(
        "fn f<'new>(x: &'new u8) { fn g<‸'a>(y: &'a u8) {} }",
        "fn f<'new>(x: &'new u8) { fn g<'new>(y: &'new u8) {} }",
    );
}

#[test]
fn labels_are_renamed_in_their_loop() {
    check(
        "fn f<'a>(x: &'a u8) { ‸'a: loop { while g() { continue 'a; } break 'a 1; } }",
        "fn f<'a>(x: &'a u8) { 'new: loop { while g() { continue 'new; } break 'new 1; } }",
    );
    check(
        "fn f() { 'a: for x in y { 'b: { break ‸'b; } if x { break 'a; } } 'b: loop { break 'b; } }",
        "fn f() { 'a: for x in y { 'new: { break 'new; } if x { break 'a; } } 'b: loop { break 'b; } }",
    );
    check(
        "fn f() { 'a: loop { 'a: loop { break 'a; } break ‸'a; } }",
        "fn f() { 'new: loop { 'a: loop { break 'a; } break 'new; } }",
    );
    check(
        "fn f() { ‸'a: loop { g(|| { 'a: loop { break 'a; } }); break 'a; } }",
        "fn f() { 'new: loop { g(|| { 'a: loop { break 'a; } }); break 'new; } }",
    );
    // A label and a lifetime do not conflict.
    check("fn f<'new>() { ‸'a: loop { break 'a; } }", "fn f<'new>() { 'new: loop { break 'new; } }");
}

#[test]
fn conflicts_are_refused() {
    let taken = "already has another meaning";
    check_refused("fn f<‸'a, 'b>(x: &'a u8, y: &'b u8) {}", "'b", taken);
    check_refused("impl<‸'a> A<'a> { fn f<'b>(&'b self) {} }", "'b", taken);
    check_refused("impl<'a> A<'a> { fn f<‸'b>(&'b self) {} }", "'a", taken);
    check_refused("fn f<‸'a>(x: for<'b> fn(&'b u8, &'a u8)) {}", "'b", taken);
    check_refused("fn f() { ‸'a: loop { 'b: loop { break 'a; } } }", "'b", taken);
    check_refused("fn f() { 'a: loop { ‸'b: loop { break 'a; } } }", "'a", taken);
    check_refused("fn f<‸'a>(x: &'a u8, y: &'c u8) {}", "'c", taken);
    check_refused("fn f<‸'a>(x: &'a u8) {}", "'static", "lifetime of the language");
    check_refused("fn f<‸'a>(x: &'a u8) {}", "_", "lifetime of the language");
    check_refused("fn f<‸'a>(x: &'a u8) {}", "'fn", "not a valid name");
    check_refused("fn f<‸'a>(x: &'a u8) {}", "'a b", "not a valid name");
    check_refused("fn f(x: &‸'static u8) {}", "'a", "lifetime of the language");
    check_refused("fn f(x: &‸'b u8) {}", "'a", "not declared");
    check_refused("fn f() { 'a: loop { g(|| { break ‸'a; }); } }", "'b", "not declared");
    check_refused("fn f(‸x: &u8) {}", "'b", "not a valid name");
}

#[test]
fn names_in_macros_are_listed() {
    let (text, result) = rename_at("fn f<‸'a>(x: &'a u8) { m!('a); }\nfn g<'a>() { m!('a); }", "new");
    let result = result.expect("a rename");
    assert_eq!(apply(&text, &result.edits), "fn f<'new>(x: &'new u8) { m!('a); }\nfn g<'a>() { m!('a); }");
    let listed: Vec<usize> = result.unresolved.iter().map(|span| span.range().start).collect();
    assert_eq!(listed, [25], "only the macro in the same function");
}

#[test]
fn references_are_found() {
    let (text, at) = marked("impl<'a> A<'a> { fn f(&‸'a self) { m!('a) } }");
    let bench = testing::open::<Rust>("src/lib.rs", &text);
    let found = Rust::resolve_symbol(bench.document(), Subject::At(at)).expect("a lifetime");
    assert_eq!((found.name.as_str(), found.kind.as_str()), ("'a", "lifetime"));
    let occurrences: Vec<(u32, bool)> =
        found.occurrences.iter().map(|own| (own.span.start, own.usage == Usage::Declaration)).collect();
    assert_eq!(occurrences, [(5, true), (11, false), (23, false), (37, false)]);
    assert!(!found.occurrences[3].certain, "the argument of a macro");
}
