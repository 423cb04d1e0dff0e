//! The language table has only kinds and roles that the parser creates.

use marquetry_code::testing::check_language;
use marquetry_sdk::testing;

use crate::{Go, table::GO};

/// A text with every kind of node.
const EVERYTHING: &str = include_str!("everything.go");

#[test]
fn table_has_the_names_of_the_parser() {
    check_language(&GO, "a.go", &[EVERYTHING]);
}

#[test]
fn laws_hold_for_every_kind_of_node() {
    testing::check_laws::<Go>("a.go", EVERYTHING);
    testing::check_regions::<Go>("a.go", EVERYTHING, "import \"io\"");
}
