//! The language table and the lowering table have only kinds and roles that the grammar has.

use marquetry_code::testing::check_table;
use marquetry_grammar::testing::check_lowering;
use marquetry_sdk::testing;

use crate::{Java, grammar::GRAMMAR, table::JAVA};

/// A text with every kind of node in the language table.
const EVERYTHING: &str = include_str!("everything.java");
const MODULE: &str = include_str!("module.java");

#[test]
fn lowering_has_the_names_of_the_grammar() {
    check_lowering(&GRAMMAR);
}

#[test]
fn table_has_the_names_of_the_grammar() {
    check_table(&JAVA, "A.java", &[EVERYTHING, MODULE]);
}

#[test]
fn laws_hold_for_every_kind_of_node() {
    for text in [EVERYTHING, MODULE] {
        testing::check_laws::<Java>("A.java", text);
        testing::check_regions::<Java>("A.java", text, "import java.util.Map;");
    }
}
