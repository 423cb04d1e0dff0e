//! The language table has only kinds and roles that the lowering creates.

use marquetry_code::testing::check_language;
use marquetry_sdk::testing;

use crate::{Python, table::PYTHON};

/// A text with every kind of node.
const EVERYTHING: &str = include_str!("everything.py");

#[test]
fn table_has_the_names_of_the_parser() {
    check_language(&PYTHON, "a.py", &[EVERYTHING]);
}

#[test]
fn laws_hold_for_every_kind_of_node() {
    testing::check_laws::<Python>("a.py", EVERYTHING);
    testing::check_regions::<Python>("a.py", EVERYTHING, "import re");
}
