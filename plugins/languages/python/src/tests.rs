//! Test texts and helper functions.

mod cycles;
mod edits;
mod extract_function;
mod keeping;
mod laws;
mod links;
mod literals;
mod meanings;
mod member_bases;
mod member_checks;
mod member_fields;
mod member_strings;
mod member_values;
mod members;
mod mentions;
mod missing_names;
mod moves;
mod origins;
mod outline;
mod problems;
mod real_files;
mod reexports;
mod refactors;
mod search;
mod signatures;
mod symbols;
mod table;
mod templates;
mod type_strings;
mod undeclared;
mod views;

use marquetry_sdk::{Operation, TargetKind::Symbol, testing};

use crate::Python;

/// Asserts the text after an operation on a symbol.
#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    testing::check_edit::<Python>(("a.py", text), (Symbol, target), operation, expected);
}
