//! Tests of the pack. When there are many, use one file per topic below `tests/`.

use marquetry_code::testing::check_table;
use marquetry_grammar::testing::{check_lowering, print_tree};
use marquetry_sdk::{
    TargetKind::Symbol,
    testing::{self, check_edit, last, replace},
};

use crate::{
    PASCAL,
    table::{GRAMMAR, LANGUAGE},
};

/// A text with every declaration of the table.
const EXAMPLE: &str = include_str!("example.NAME");

/// Prints the kinds and roles of the nodes: `cargo test tree -- --nocapture`.
#[test]
fn tree_of_the_example() {
    print_tree(&LANGUAGE, EXAMPLE);
}

#[test]
fn table_has_the_names_of_the_grammar() {
    check_lowering(&GRAMMAR);
    check_table(&LANGUAGE, "a.NAME", &[EXAMPLE]);
}

#[test]
fn outline_has_the_declarations() {
    let outline = testing::open::<PASCAL>("a.NAME", EXAMPLE).outline();
    assert!(outline.starts_with("contract Bank @Bank\n"), "{outline}");
    assert!(outline.contains("  function deposit @Bank.deposit\n"), "{outline}");
}

#[test]
fn edits_keep_the_indentation() {
    let text = "contract A {\n    uint b;\n}\n";
    let with = |line: &str| format!("contract A {{\n    uint b;\n{line}}}\n");
    check_edit::<PASCAL>(("a.NAME", text), (Symbol, "A"), last("uint c;"), &with("    uint c;\n"));
    check_edit::<PASCAL>(("a.NAME", text), (Symbol, "A.b"), replace("int d;"), &text.replace("uint b;", "int d;"));
}

#[test]
fn satisfies_the_laws() {
    const PIECES: &[&str] = &["a", " ", "\n", "\r\n", "{", "}", "(", ")", ";", "=", "\"", "// c\n", "/*", "*/", "é"];
    testing::check_laws_on_random::<PASCAL>("a.NAME", PIECES, &[EXAMPLE]);
    testing::check_laws::<PASCAL>("a.NAME", EXAMPLE);
}
