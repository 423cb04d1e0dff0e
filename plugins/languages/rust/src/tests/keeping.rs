//! The laws of lists: an operation changes its target, and all other items keep their order.

use marquetry_sdk::{
    TargetKind::Symbol,
    testing::{Count, List, check_list_laws, check_reach_laws, random_lines},
};

use crate::Rust;

const ITEMS: List = List {
    path: "a.rs",
    open: "const x1: u8 = 1;\n\n",
    close: "\nconst x2: u8 = 2;\n",
    item: "const k§: u8 = v§;",
    content: None,
    value: None,
    separator: "",
    indent: "",
    comment: "// c§",
    trailing: true,
    leading: true,
    kind: Symbol,
    address: "k§",
    container: None,
    empty: None,
};

const MODULE: List = List {
    open: "const x1: u8 = 1;\n\nmod a {\n",
    close: "}\n\nconst x3: u8 = 2;\n",
    indent: "    ",
    address: "a::k§",
    container: Some("a"),
    empty: Some("const x1: u8 = 1;\n\nmod a {\n}\n\nconst x3: u8 = 2;\n"),
    ..ITEMS
};

const METHODS: List = List {
    open: "const x1: u8 = 1;\n\nimpl a {\n",
    item: "#[d]\n    fn k§(&self) -> u8 {\n        v§\n    }",
    content: Some("#[d]\nfn k§(&self) -> u8 {\n    v§\n}"),
    comment: "// c§",
    trailing: false,
    container: Some("impl a"),
    empty: Some("const x1: u8 = 1;\n\nimpl a {\n}\n\nconst x3: u8 = 2;\n"),
    ..MODULE
};

const FIELDS: List = List {
    open: "const x1: u8 = 1;\n\nstruct a {\n",
    item: "k§: v§",
    separator: ",",
    address: "a.k§",
    empty: Some("const x1: u8 = 1;\n\nstruct a {\n}\n\nconst x3: u8 = 2;\n"),
    ..MODULE
};

const VARIANTS: List = List {
    open: "const x1: u8 = 1;\n\nenum a {\n",
    item: "k§(v§)",
    separator: ",",
    address: "a::k§",
    empty: Some("const x1: u8 = 1;\n\nenum a {\n}\n\nconst x3: u8 = 2;\n"),
    ..MODULE
};

#[track_caller]
fn check(list: &List) {
    let Count { documents, edits, refused } = check_list_laws::<Rust>(list);
    assert!(documents > 100 && edits > 500 && refused == 0, "{documents} documents, {edits} edits, {refused} refused");
}

#[test]
fn items_are_kept() {
    check(&ITEMS);
}

#[test]
fn items_of_modules_are_kept() {
    check(&MODULE);
}

#[test]
fn methods_are_kept() {
    check(&METHODS);
}

#[test]
fn fields_are_kept() {
    check(&FIELDS);
}

#[test]
fn variants_are_kept() {
    check(&VARIANTS);
}

const PIECES: &[&str] = &[
    "const X: u8 = 1;\n",
    "static Y: u8 = 2; // c\n",
    "\n",
    "\n\n",
    "// note\n",
    "/// Doc.\n",
    "fn f() {\n    x\n}\n",
    "fn g() -> u8 { 1 }\n",
    "struct A {\n    a: u8,\n    // note\n    b: u8,\n}\n",
    "impl A {\n    const C: u8 = 1;\n\n    fn m(&self) {\n        x\n        // end\n    }\n}\n",
    "enum B { C, D }\n",
    "use std::io;\n",
    "mod n;\n",
    "mod m {\n    fn z() {}\n}\n",
    "fn p() {} fn q() {}\n",
    "#[a]\nfn h() {\n    \"a\nb\"\n}\n",
];

#[test]
fn edits_stay_near_their_targets() {
    let contents = ["const X: u8 = 1;", "fn f() {\n    1\n}", "// note"];
    let count = check_reach_laws::<Rust>("a.rs", random_lines(PIECES, 12, 150), &contents);
    assert!(count.documents > 50 && count.edits > 1000, "{count:?}");
}
