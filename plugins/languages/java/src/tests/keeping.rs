//! The laws of lists: an operation changes its target, and all other items keep their order.

use marquetry_sdk::{
    TargetKind::Symbol,
    testing::{Count, List, check_list_laws, check_reach_laws, random_lines},
};

use crate::Java;

const FIELDS: List = List {
    path: "A.java",
    open: "package a;\n\nclass a {\n",
    close: "}\n\nclass x3 {}\n",
    item: "int k§ = v§;",
    content: None,
    value: None,
    separator: "",
    indent: "    ",
    comment: "// c§",
    trailing: true,
    leading: true,
    kind: Symbol,
    address: "a.k§",
    container: Some("a"),
    empty: Some("package a;\n\nclass a {\n}\n\nclass x3 {}\n"),
};

const METHODS: List = List {
    item: "int k§(int a) {\n        return v§;\n    }",
    content: Some("int k§(int a) {\n    return v§;\n}"),
    trailing: false,
    ..FIELDS
};

const CONSTANTS: List = List {
    open: "package a;\n\nenum a {\n",
    item: "k§(v§)",
    separator: ",",
    empty: Some("package a;\n\nenum a {\n}\n\nclass x3 {}\n"),
    ..FIELDS
};

const IMPORTS: List = List {
    open: "package a;\n\n",
    close: "\nclass x3 {}\n",
    item: "import k§.v§;",
    indent: "",
    address: "import k§.v§",
    container: None,
    empty: None,
    ..FIELDS
};

#[track_caller]
fn check(list: &List) {
    let Count { documents, edits, refused } = check_list_laws::<Java>(list);
    assert!(documents > 100 && edits > 500 && refused == 0, "{documents} documents, {edits} edits, {refused} refused");
}

#[test]
fn fields_are_kept() {
    check(&FIELDS);
}

#[test]
fn methods_are_kept() {
    check(&METHODS);
}

#[test]
fn constants_of_enums_are_kept() {
    check(&CONSTANTS);
}

#[test]
fn imports_are_kept() {
    check(&IMPORTS);
}

const PIECES: &[&str] = &[
    "int x = 1;\n",
    "int y, z = 3; // c\n",
    "\n",
    "\n\n",
    "// note\n",
    "/** Doc. */\n",
    "void f() {\n    x();\n}\n",
    "int g() { return 1; }\n",
    "class A {\n    int a;\n    // note\n    int b;\n}\n",
    "@Old\nvoid m() {\n    x();\n    // end\n}\n",
    "enum B { C, D }\n",
    "enum E {\n    F, // f\n    G;\n\n    int h;\n}\n",
    "interface I { void j(); }\n",
    "String s = \"\"\"\na\n b\"\"\";\n",
];

#[test]
fn edits_stay_near_their_targets() {
    let contents = ["int x = 1;", "void f() {\n    x();\n}", "// note"];
    let texts = random_lines(PIECES, 12, 60).map(|text| format!("class X {{\n{text}}}\n"));
    let count = check_reach_laws::<Java>("A.java", texts, &contents);
    assert!(count.documents > 25 && count.edits > 400, "{count:?}");
}
