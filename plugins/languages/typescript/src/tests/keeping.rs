//! Edits keep what is not their own, in generated documents.

use marquetry_sdk::{
    TargetKind,
    testing::{self, List},
};

use crate::TypeScript;

const MEMBERS: List = List {
    path: "a.ts",
    open: "// x1\n\n/** x2 */\nexport abstract class A { // x3\n",
    close: "} // x4\n// x5\nexport const x6 = 1;\n",
    item: "k§ = \"v§\";",
    content: None,
    value: None,
    separator: "",
    indent: "  ",
    comment: "// c§",
    trailing: true,
    leading: true,
    kind: TargetKind::Symbol,
    address: "A.k§",
    container: Some("A"),
    empty: Some("// x1\n\n/** x2 */\nexport abstract class A { // x3\n} // x4\n// x5\nexport const x6 = 1;\n"),
};

const PROPERTIES: List = List {
    open: "// x1\nconst A = { // x2\n",
    close: "} as const satisfies X; // x3\n// x4\nexport const x5 = 1;\n",
    item: "k§: \"v§\"",
    separator: ",",
    empty: Some("// x1\nconst A = { // x2\n} as const satisfies X; // x3\n// x4\nexport const x5 = 1;\n"),
    ..MEMBERS
};

#[track_caller]
fn keeps(list: &List) {
    let count = testing::laws_of_keeping::<TypeScript>(list);
    println!("{}: {count:?}", list.item);
    assert!(count.documents >= 100 && count.edits >= 1_000, "{count:?}");
    assert_eq!(count.refused, 0);
}

#[test]
fn members_of_classes_keep_their_neighbours() {
    keeps(&MEMBERS);
    keeps(&List { item: "@d() static async k§() { return \"v§\"; }", ..MEMBERS });
    keeps(&List { comment: "/** c§ */", ..MEMBERS });
}

#[test]
fn properties_of_objects_keep_their_neighbours() {
    keeps(&PROPERTIES);
    keeps(&List { comment: "/* c§ */", ..PROPERTIES });
}

#[test]
fn members_of_types_and_enums_keep_their_neighbours() {
    let interface = List {
        open: "// x1\nexport interface A { // x2\n",
        close: "} // x3\nconst x4 = 1;\n",
        item: "readonly k§?: \"v§\";",
        empty: None,
        ..MEMBERS
    };
    keeps(&interface);
    keeps(&List { open: "// x1\nexport type A = { // x2\n", close: "}; // x3\nconst x4 = 1;\n", ..interface });
    let members = List {
        open: "// x1\nexport const enum A { // x2\n",
        close: "} // x3\nconst x4 = 1;\n",
        item: "k§ = \"v§\"",
        empty: None,
        ..PROPERTIES
    };
    keeps(&members);
}

#[test]
fn statements_keep_their_neighbours() {
    let statements = List {
        open: "import x1 from \"x\"; // x2\n\n",
        close: "\n// x3\n",
        item: "export const k§ = \"v§\";",
        indent: "",
        address: "k§",
        container: None,
        empty: None,
        ..MEMBERS
    };
    keeps(&statements);
    keeps(&List { item: "export async function k§() {\n  return \"v§\";\n}", ..statements });
    keeps(&List {
        open: "// x1\nnamespace A { // x2\n",
        close: "} // x3\n",
        indent: "  ",
        address: "A.k§",
        ..statements
    });
}

/// Lines that are put together at random.
const LINES: &[&str] = &[
    "import { a, b } from \"x\";\n",
    "const c = 1, d = 2;\n",
    "class A {\n",
    "}\n",
    "m() {}\n",
    "p = 1;\n",
    "// c\n",
    "/** c */\n",
    "\n",
    "enum E { F, G }\n",
    "export { c };\n",
    "type T = { h: 1 };\n",
];

#[test]
fn edits_are_within_reach_of_their_targets() {
    let texts = testing::random_lines(LINES, 10, 400);
    let count =
        testing::laws_of_reach::<TypeScript>("a.ts", texts, &["x();", "k = 1;", "const n = 1;", "// note", "k: 1"]);
    println!("{count:?}");
    assert!(count.documents >= 20 && count.edits >= 1_000, "{count:?}");
}
