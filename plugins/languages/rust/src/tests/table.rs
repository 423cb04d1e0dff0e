//! The language table has only kinds and roles that the lowering creates.

use marquetry_code::testing::check_language;
use marquetry_sdk::testing;

use crate::{Rust, table::RUST};

/// A text with every kind of node.
const EVERYTHING: &str = include_str!("everything.rs");

#[test]
fn table_has_the_names_of_the_parser() {
    check_language(&RUST, "a.rs", &[EVERYTHING]);
}

#[test]
fn laws_hold_for_every_kind_of_node() {
    testing::check_laws::<Rust>("a.rs", EVERYTHING);
    testing::check_regions::<Rust>("a.rs", EVERYTHING, "use std::io;");
}
