//! The laws of lists: an operation changes its target, and all other items keep their order.

use marquetry_sdk::{
    TargetKind::Symbol,
    testing::{Count, List, check_list_laws, check_reach_laws, random_lines},
};

use crate::Go;

const ITEMS: List = List {
    path: "a.go",
    open: "package a\n\nconst x1 = 1\n\n",
    close: "\nconst x2 = 2\n",
    item: "const k§ = v§",
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

const FUNCTIONS: List = List {
    item: "func k§(a int) int {\n\treturn v§\n}",
    content: Some("func k§(a int) int {\n\treturn v§\n}"),
    trailing: false,
    ..ITEMS
};

const CONSTANTS: List = List {
    open: "package a\n\nconst x1 = 1\n\nconst (\n",
    close: ")\n\nconst x3 = 2\n",
    item: "k§ = v§",
    indent: "\t",
    ..ITEMS
};

const FIELDS: List = List {
    open: "package a\n\nconst x1 = 1\n\ntype a struct {\n",
    close: "}\n\nconst x3 = 2\n",
    item: "k§ v§",
    address: "a.k§",
    container: Some("a"),
    empty: Some("package a\n\nconst x1 = 1\n\ntype a struct {\n}\n\nconst x3 = 2\n"),
    ..CONSTANTS
};

const METHODS: List = List {
    open: "package a\n\nconst x1 = 1\n\ntype a interface {\n",
    item: "k§(v§ int) error",
    empty: Some("package a\n\nconst x1 = 1\n\ntype a interface {\n}\n\nconst x3 = 2\n"),
    ..FIELDS
};

const ENTRIES: List = List {
    open: "package a\n\nconst x1 = 1\n\nvar a = T{\n",
    // Every line ends with a comma.
    item: "k§: v§,",
    content: Some("k§: v§"),
    empty: Some("package a\n\nconst x1 = 1\n\nvar a = T{\n}\n\nconst x3 = 2\n"),
    ..FIELDS
};

#[test]
fn entries_of_literals_are_kept() {
    let Count { documents, edits, refused } = check_list_laws::<Go>(&ENTRIES);
    // `replace_body` of the variable takes a whole value, so it refuses an entry.
    assert!(documents > 100 && edits > 500 && refused < documents, "{edits} edits, {refused} of {documents} refused");
}

#[track_caller]
fn check(list: &List) {
    let Count { documents, edits, refused } = check_list_laws::<Go>(list);
    assert!(documents > 100 && edits > 500 && refused == 0, "{documents} documents, {edits} edits, {refused} refused");
}

#[test]
fn items_are_kept() {
    check(&ITEMS);
}

#[test]
fn functions_are_kept() {
    check(&FUNCTIONS);
}

#[test]
fn constants_of_groups_are_kept() {
    check(&CONSTANTS);
}

#[test]
fn fields_are_kept() {
    check(&FIELDS);
}

#[test]
fn methods_of_interfaces_are_kept() {
    check(&METHODS);
}

const PIECES: &[&str] = &[
    "const X = 1\n",
    "var Y, Z = 2, 3 // c\n",
    "\n",
    "\n\n",
    "// note\n",
    "// Doc.\n",
    "func f() {\n\tx()\n}\n",
    "func g() int { return 1 }\n",
    "type A struct {\n\ta int\n\t// note\n\tb int\n}\n",
    "func (a *A) m() {\n\tx()\n\t// end\n}\n",
    "import \"io\"\n",
    "const (\n\tB = iota\n\tC\n)\n",
    "type D interface{ e() }\n",
    "var s = `a\nb`\n",
];

#[test]
fn edits_stay_near_their_targets() {
    let contents = ["const X = 1", "func f() {\n\tx()\n}", "// note"];
    let texts = random_lines(PIECES, 12, 150).map(|text| format!("package a\n\n{text}"));
    let count = check_reach_laws::<Go>("a.go", texts, &contents);
    assert!(count.documents > 50 && count.edits > 1000, "{count:?}");
}
