//! Views: `full`, `signature`, `body`, `summary`.

use marquetry_sdk::{Form, TargetKind::Symbol, testing};

use crate::Rust;

const TEXT: &str = "/// Items.\n#[derive(\n    Debug,\n)]\npub struct Cart<T> {\n    /// All.\n    items: Vec<T>,\n}\n\nimpl<T> Cart<T>\nwhere\n    T: Copy, // cheap\n{\n    // Sums.\n    #[must_use]\n    pub fn total(\n        &self,\n        scale: u32,\n    ) -> u32 {\n        // Sum.\n        1 // one\n    }\n    const A: u8 = 1;\n}\nstruct B(u8);\nconst TABLE: [u8; 2] = [\n    1, 2,\n];\n";

#[track_caller]
fn check(target: &str, form: Form, expected: &str) {
    let bench = testing::open::<Rust>("a.rs", TEXT);
    let nodes = bench.nodes(Symbol, target).expect("found");
    assert_eq!(bench.show(&nodes[0], form).expect("shown"), expected, "{target} {form:?}");
}

#[test]
fn signatures_are_one_line() {
    check("Cart", Form::Signature, "pub struct Cart<T>");
    check("impl Cart<T>", Form::Signature, "impl<T> Cart<T> where T: Copy,");
    check("Cart::total", Form::Signature, "pub fn total(&self, scale: u32) -> u32");
    check("B", Form::Signature, "struct B(u8)");
    check("Cart::A", Form::Signature, "const A: u8 = 1");
    check("TABLE", Form::Signature, "const TABLE: [u8; 2] = …");
    check("Cart.items", Form::Signature, "items: Vec<T>");
}

#[test]
fn bodies_have_their_comments() {
    check("Cart::total", Form::Body, "// Sum.\n        1 // one");
    check("Cart", Form::Body, "/// All.\n    items: Vec<T>,");
    check("TABLE", Form::Body, "[\n    1, 2,\n]");
    check("B", Form::Full, "struct B(u8);");
    check("Cart", Form::Full, "#[derive(\n    Debug,\n)]\npub struct Cart<T> {\n    /// All.\n    items: Vec<T>,\n}");
}

#[test]
fn summaries_have_heads() {
    check("Cart", Form::Summary, "/// Items.\n#[derive(Debug)]\npub struct Cart<T> { … }\n    items: Vec<T>");
    check(
        "impl Cart<T>",
        Form::Summary,
        "impl<T> Cart<T> where T: Copy, { … }\n    #[must_use]\n    pub fn total(&self, scale: u32) -> u32 { … }\n    const A: u8 = 1",
    );
}
