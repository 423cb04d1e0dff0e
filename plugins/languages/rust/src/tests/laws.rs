//! Checks the laws of `marquetry_sdk::testing`: the properties that every pack must have.

use marquetry_code::testing::check_document_laws;
use marquetry_sdk::testing;

use crate::Rust;

const PIECES: &[&str] = &[
    "fn f() {",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "::",
    "\n",
    "\r\n",
    "    ",
    "\t",
    " ",
    "struct A",
    "enum B {",
    "C, ",
    "D { e: u8 },",
    "impl A {",
    "impl T for A {",
    "trait T {",
    "mod m {",
    "mod n;\n",
    "use a::b;\n",
    "use a::{b, c as d};\n",
    "use a::*;",
    "pub ",
    "pub(crate) ",
    "const X: u8 = 1;\n",
    "static ",
    "type Y = u8;",
    "macro_rules! z { () => {} }\n",
    "m!(a, b);",
    "#[a]\n",
    "#![b]\n",
    "/// doc\n",
    "//! inner\n",
    "// c\n",
    "/* c */",
    "/** d\n */",
    "/*",
    "*/",
    "\"",
    "r#\"",
    "\"#",
    "'a'",
    "'a ",
    "let x = 1;\n",
    "let ",
    "=",
    "x",
    "1",
    "1.0",
    "if x { 1 } else { 2 }",
    "match x { _ => 1, }",
    "|a| ",
    "&mut ",
    "-> u8",
    "where T: U",
    "extern \"C\" {",
    "async ",
    "unsafe ",
    "é",
    "_",
    "return ",
    "x.y().z?",
    "..",
    "=>",
    "self",
    "union U { a: u8 }",
    "'",
    "\\",
];

const DOCUMENTS: &[&str] = &[
    "//! Doc.\n#![allow(x)]\n\nuse std::fmt;\nuse a::{b, c as d};\n\n/// A cart.\n#[derive(Debug)]\npub struct Cart {\n    /// Items.\n    items: Vec<u32>, // it\n    size: u8,\n}\n\nimpl Cart {\n    const A: u8 = 1;\n\n    /// Adds.\n    pub fn add(&mut self, x: u32) -> u32 {\n        let s = \"a\n  b\";\n        self.items.push(x); // it\n        x\n    }\n\n    fn clear(&self) {}\n}\n\nimpl fmt::Display for Cart {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, \"{}\", self.size) }\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(1, 1);\n    }\n}\n",
    "enum A { B, C(u8), D { e: u8 } }\nstruct B(u8);\nstruct C;\nconst _: () = ();\nmacro_rules! m { ($a:expr) => { $a }; }\nfn f() { fn g() { 1 } g() }\nextern \"C\" { fn h(); static I: u8; }\nm!(a);\ntrait T: A where B: C { type X; fn k(&self) { } }\n",
    "mod a;\r\nimpl A {\r\n    fn f() {\r\n        a\r\n    }\r\n}\r\nimpl A {\r\n    fn f() {}\r\n}\r\n",
];

#[test]
fn laws_hold_for_random_texts() {
    testing::check_laws_on_random::<Rust>("a.rs", PIECES, DOCUMENTS);
}

#[test]
fn laws_hold_for_documents() {
    check_document_laws::<Rust>(&["a.rs"], DOCUMENTS, "use std::io;");
}
