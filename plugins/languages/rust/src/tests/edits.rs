//! Every operation on typical targets, and refusals.

use marquetry_sdk::{
    Operation,
    TargetKind::Symbol,
    testing::{self, after, before, body, first, last, replace, sorted, wrap},
};

use super::check;
use crate::Rust;

const CART: &str = "//! Carts.\n\nuse std::fmt;\n\nconst LIMIT: u32 = 3;\n\n/// A cart.\n#[derive(Debug)]\npub struct Cart {\n    /// Items.\n    items: Vec<u32>,\n    size: u8,\n}\n\nimpl Cart {\n    /// Adds.\n    pub fn add(&mut self, x: u32) -> u32 {\n        self.items.push(x); // it\n        x\n    }\n\n    pub fn clear(&mut self) {}\n}\n\nenum Kind { Small, Large }\n";

#[track_caller]
fn check_cart(target: &str, operation: Operation, from: &str, to: &str) {
    assert!(CART.contains(from), "{from}");
    check(CART, target, operation, &CART.replacen(from, to, 1));
}

#[track_caller]
fn refused(text: &str, target: &str, operation: Operation) {
    testing::check_refusal::<Rust>(("a.rs", text), (Symbol, target), operation);
}

#[test]
fn replaces() {
    check_cart("LIMIT", replace("const LIMIT: u32 = 4;"), "const LIMIT: u32 = 3;", "const LIMIT: u32 = 4;");
    let add = "pub fn add(&mut self, x: u32) -> u32 {\n        self.items.push(x); // it\n        x\n    }";
    check_cart("Cart::add", replace("fn add(&self) {\n  1\n}"), add, "fn add(&self) {\n        1\n    }");
    let with_doc = format!("/// Adds.\n    {add}");
    check_cart("Cart::add", replace("/// New.\nfn add(&self) {}"), &with_doc, "/// New.\n    fn add(&self) {}");
    // The attributes are part of the item, so they are replaced, too.
    check_cart(
        "Cart",
        replace("pub struct Cart;"),
        "#[derive(Debug)]\npub struct Cart {\n    /// Items.\n    items: Vec<u32>,\n    size: u8,\n}",
        "pub struct Cart;",
    );
    check_cart("Cart.size", replace("size: u16,"), "size: u8", "size: u16");
    check_cart("Kind::Small", replace("Tiny // it"), "Small", "Tiny // it\n");
}

#[test]
fn replaces_bodies() {
    check_cart("Cart::add", body("0"), "self.items.push(x); // it\n        x", "0");
    check_cart("Cart::add", body("let a = 1;\n    a"), "self.items.push(x); // it\n        x", "let a = 1;\n        a");
    check_cart("Cart::clear", body("self.x();"), "{}", "{\n        self.x();\n    }");
    check_cart("Cart::add", body(""), "{\n        self.items.push(x); // it\n        x\n    }", "{}");
    check_cart("LIMIT", body("5"), "= 3", "= 5");
    check_cart("Kind", body("A,\nB,"), "{ Small, Large }", "{\n    A,\n    B,\n}");
    check_cart("Kind", body("A, B"), "{ Small, Large }", "{ A, B }");
    check("fn f() { a() }\n", "f", body("b();\nc()"), "fn f() {\n    b();\n    c()\n}\n");
    check("fn f() { // c\n    a()\n}\n", "f", body("b()"), "fn f() {\n    b()\n}\n");
    check(
        "mod m {\n\tfn f() { a() }\n}\n",
        "m::f",
        body("if x {\n  b\n}"),
        "mod m {\n\tfn f() {\n\t\tif x {\n\t\t\tb\n\t\t}\n\t}\n}\n",
    );
    refused(CART, "use std::fmt", body("x"));
}

#[test]
fn strings_keep_their_lines() {
    let content = "fn f() {\n    let s = \"a\n  b\n\";\n    r#\"\n{s}\n\"#\n}";
    let expected = "fn f() {\n        let s = \"a\n  b\n\";\n        r#\"\n{s}\n\"#\n    }";
    check("impl A {\n    fn f() {}\n}\n", "A::f", replace(content), &format!("impl A {{\n    {expected}\n}}\n"));
}

#[test]
fn continuation_lines_keep_their_distance() {
    check(
        "mod m {\n  fn f() {\n  }\n}\n",
        "m::f",
        body("let x = a\n    .b()\n    .c();\nfoo(\n    x,\n);"),
        "mod m {\n  fn f() {\n    let x = a\n      .b()\n      .c();\n    foo(\n      x,\n    );\n  }\n}\n",
    );
    // The new text is copied from a file, without the indentation of its first line.
    check(
        "mod m {\n    struct A;\n}\n",
        "m::A",
        replace("fn f() {\n            a()\n        }"),
        "mod m {\n    fn f() {\n        a()\n    }\n}\n",
    );
    check("fn f() {\n    a()\n}\n", "f", body("let x = a\n    .b();"), "fn f() {\n    let x = a\n        .b();\n}\n");
}

#[test]
fn inserts_beside() {
    check_cart("LIMIT", after("const MORE: u32 = 1;"), "= 3;\n", "= 3;\nconst MORE: u32 = 1;\n");
    check_cart("LIMIT", after("fn f() {\n  1\n}"), "= 3;\n", "= 3;\n\nfn f() {\n    1\n}\n");
    check_cart("Cart", before("struct B;"), "\n/// A cart.", "struct B;\n\n/// A cart.");
    check_cart("Cart::add", before("fn g(&self) {}"), "    /// Adds.", "    fn g(&self) {}\n\n    /// Adds.");
    check_cart("Cart::clear", after("fn g() {}"), "clear(&mut self) {}\n", "clear(&mut self) {}\n\n    fn g() {}\n");
    check_cart("Cart.items", after("more: u8,"), "Vec<u32>,\n", "Vec<u32>,\n    more: u8,\n");
    check_cart("Cart.size", after("more: u8"), "size: u8,\n", "size: u8,\n    more: u8,\n");
    check_cart("Kind::Large", after("Huge"), "Large", "Large, Huge");
    check_cart("Cart::add", before("// Note."), "    pub fn add", "    // Note.\n    pub fn add");
    check("mod a;\nmod b;\n", "a", after("mod c;"), "mod a;\nmod c;\nmod b;\n");
    check("fn a() {} fn b() {}\n", "a", after("fn c() {}"), "fn a() {}\nfn c() {}\nfn b() {}\n");
}

#[test]
fn inserts_into() {
    check_cart("impl Cart", first("const A: u8 = 1;"), "    /// Adds.", "    const A: u8 = 1;\n\n    /// Adds.");
    check_cart("impl Cart", last("fn z() {\n  1\n}"), "{}\n}", "{}\n\n    fn z() {\n        1\n    }\n}");
    check_cart("impl Cart", sorted("fn b() {}"), "    pub fn clear", "    fn b() {}\n\n    pub fn clear");
    check_cart("Cart", last("more: u8"), "size: u8,\n", "size: u8,\n    more: u8,\n");
    check_cart("Cart", first("more: u8,"), "    /// Items.", "    more: u8,\n    /// Items.");
    check_cart("Kind", first("Tiny,"), "{ Small", "{ Tiny, Small");
    // The last expression remains the value of the function.
    check_cart("Cart::add", last("let y = 1;"), "        x\n", "        let y = 1;\n        x\n");
    check_cart("Cart::clear", last("a();\nb();"), "{}\n", "{\n        a();\n        b();\n    }\n");
    check("fn f() { a(); }\n", "f", last("b();"), "fn f() {\n    a();\n    b();\n}\n");
    check("fn f() {\n    // c\n}\n", "f", last("b();"), "fn f() {\n    // c\n    b();\n}\n");
    check("enum A {}\n", "A", last("B"), "enum A {\n    B,\n}\n");
    check(
        "mod m {\n    #![allow(x)]\n    fn a() {}\n}\n",
        "m",
        first("fn b() {}"),
        "mod m {\n    #![allow(x)]\n\n    fn b() {}\n\n    fn a() {}\n}\n",
    );
    refused(CART, "LIMIT", last("x"));
    refused(CART, "impl Cart", sorted("// c"));
    refused(CART, "impl Cart", last(" \n"));
}

#[track_caller]
fn check_imports(text: &str, operation: Operation, expected: &str) {
    testing::check_edit::<Rust>(("a.rs", text), (marquetry_sdk::TargetKind::Region, "imports"), operation, expected);
}

#[test]
fn sorted_imports_go_to_the_group_of_their_class() {
    let groups =
        "use std::fmt;\nuse std::io;\n\nuse anyhow::Result;\nuse toml::Value;\n\nuse crate::a;\nuse super::b;\n";
    let check = |content: &str, before: &str, after: &str| {
        assert_eq!(groups.matches(before).count(), 1, "{before}");
        check_imports(groups, sorted(content), &groups.replacen(before, after, 1));
    };
    check("use std::fs;", "use std::io", "use std::fs;\nuse std::io");
    check("use core::mem;", "use std::fmt", "use core::mem;\nuse std::fmt");
    check("use serde::Serialize;", "use toml", "use serde::Serialize;\nuse toml");
    check("use crate::c;", "use super", "use crate::c;\nuse super");
    check("use self::c;", "use super", "use self::c;\nuse super");
    check("pub use serde::Serialize;", "use toml::Value;\n", "use toml::Value;\npub use serde::Serialize;\n");
    // Each of several imports goes to its own group.
    check_imports(
        groups,
        sorted("use crate::z;\nuse std::fs;\nuse serde::Serialize;\nuse std::env;"),
        "use std::env;\nuse std::fmt;\nuse std::fs;\nuse std::io;\n\nuse anyhow::Result;\nuse serde::Serialize;\nuse toml::Value;\n\nuse crate::a;\nuse crate::z;\nuse super::b;\n",
    );
    // No group has an import of the class.
    check_imports("use crate::a;\n", sorted("use std::io;"), "use std::io;\nuse crate::a;\n");
    check_imports("use std::io;\n", sorted("use crate::a;"), "use std::io;\nuse crate::a;\n");
    check_imports("use b::c;\nuse a::c;\n", sorted("use a::b;"), "use b::c;\nuse a::c;\nuse a::b;\n");
}

#[test]
fn imports_after_modules_belong_to_the_region() {
    let text = "use std::io;\n\nmod a;\n#[cfg(x)]\npub mod b;\n\nuse a::A;\nmod c;\n\nfn f() {}\n";
    check_imports(text, last("use b::B;"), &text.replacen("use a::A;\n", "use a::A;\nuse b::B;\n", 1));
    check_imports(text, sorted("use std::fs;"), &text.replacen("use std::io", "use std::fs;\nuse std::io", 1));
    check_imports(text, sorted("use a::B;"), &text.replacen("use a::A;\n", "use a::A;\nuse a::B;\n", 1));
    check_imports(text, Operation::Delete, "mod a;\n#[cfg(x)]\npub mod b;\n\nmod c;\n\nfn f() {}\n");
    // A module with a body ends the region.
    let inline = "use std::io;\nmod a {}\nuse a::A;\n";
    check_imports(inline, last("use b::B;"), &inline.replacen("io;\n", "io;\nuse b::B;\n", 1));
    let only = "mod a;\nuse b::B;\nmod c;\n";
    check_imports(only, first("use a::A;"), "mod a;\nuse a::A;\nuse b::B;\nmod c;\n");
}

#[test]
fn wraps() {
    check_cart("LIMIT", wrap("mod a {", "}"), "const LIMIT: u32 = 3;", "mod a {\n    const LIMIT: u32 = 3;\n}");
    check_cart("LIMIT", wrap("#[cfg(test)]", ""), "const LIMIT", "#[cfg(test)]\nconst LIMIT");
    check_cart(
        "Cart::clear",
        wrap("mod b {\n  mod c {", "}}"),
        "pub fn clear(&mut self) {}",
        "mod b {\n      mod c {\n          pub fn clear(&mut self) {}\n    }}",
    );
    check(
        "mod m {\n    // about a\n    fn a() {\n        b()\n    }\n}\n",
        "m::a",
        wrap("#[test]", ""),
        "mod m {\n    #[test]\n    // about a\n    fn a() {\n        b()\n    }\n}\n",
    );
    check_cart("Cart.size", wrap("#[serde(skip)]", ""), "size: u8,", "#[serde(skip)]\n    size: u8,");
}

#[test]
fn deletes() {
    let add = "    /// Adds.\n    pub fn add(&mut self, x: u32) -> u32 {\n        self.items.push(x); // it\n        x\n    }\n\n";
    check_cart("Cart::add", Operation::Delete, add, "");
    check_cart("LIMIT", Operation::Delete, "const LIMIT: u32 = 3;\n\n", "");
    check_cart("Cart", Operation::Delete, &CART[CART.find("/// A cart").unwrap()..CART.find("impl Cart").unwrap()], "");
    check_cart("Cart.items", Operation::Delete, "    /// Items.\n    items: Vec<u32>,\n", "");
    check_cart("Kind::Small", Operation::Delete, "Small, ", "");
    check_cart("Kind::Large", Operation::Delete, ", Large", "");
    check_cart("Kind", Operation::Delete, "\nenum Kind { Small, Large }\n", "");
    check("impl A {\n    fn f() {}\n}\n", "A::f", Operation::Delete, "impl A {}\n");
    check("impl A {\n    // x\n\n    fn f() {}\n}\n", "A::f", Operation::Delete, "impl A {\n    // x\n}\n");
    check("/** Doc.\n * More. */\n#[a]\nfn f() {}\nfn g() {}\n", "f", Operation::Delete, "fn g() {}\n");
    check("mod a;\n#[cfg(x)]\nmod b;\nmod c;\n", "b", Operation::Delete, "mod a;\nmod c;\n");
}

#[test]
fn inner_comments_stay_before_what_is_inserted() {
    let module = "mod m {\n    #![allow(x)]\n    //! Doc.\n    //! More.\n\n    fn a() {}\n}\n";
    check(module, "m", first("fn b() {}"), &module.replacen("    fn a", "    fn b() {}\n\n    fn a", 1));
    check(module, "m::a", before("use x::y;"), &module.replacen("    fn a", "    use x::y;\n\n    fn a", 1));
    let empty = "mod m {\n    #![allow(x)]\n    /*! Doc. */\n}\n";
    check(empty, "m", first("fn b() {}"), &empty.replacen("*/\n", "*/\n\n    fn b() {}\n", 1));
    check(empty, "m", last("fn b() {}"), &empty.replacen("*/\n", "*/\n\n    fn b() {}\n", 1));
    let file = "#![allow(x)]\n//! Doc.\n\nmod c;\n";
    check(file, "c", before("mod b;"), "#![allow(x)]\n//! Doc.\n\nmod b;\nmod c;\n");
    // A comment after inner attributes belongs to the item below.
    let plain = "#![allow(x)]\n// Text.\n\nmod c;\n";
    check(plain, "c", before("mod b;"), "#![allow(x)]\nmod b;\n// Text.\n\nmod c;\n");
    check("#![a]\n//! Doc.\nfn f() {}\n", "f", before("fn g() {}"), "#![a]\n//! Doc.\nfn g() {}\n\nfn f() {}\n");
}

#[test]
fn comments_may_contain_comments() {
    check("mod a; /* x /* y */ z */\nmod b;\n", "a", Operation::Delete, "mod b;\n");
    check("mod a; /* x /* y */ z */\nmod c;\n", "a", after("mod b;"), "mod a; /* x /* y */ z */\nmod b;\nmod c;\n");
    check(
        "enum K {\n    A, /* x /* y */ z */\n    B,\n}\n",
        "K::A",
        after("C"),
        "enum K {\n    A, /* x /* y */ z */\n    C,\n    B,\n}\n",
    );
    check("enum K { A /* , /* , */ , */, B }\n", "K::A", Operation::Delete, "enum K { B }\n");
}
