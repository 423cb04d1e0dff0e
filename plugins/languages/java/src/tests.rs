//! Test texts and helper functions.

mod bridge;
mod edits;
mod keeping;
mod laws;
mod links;
mod moves;
mod outline;
mod problems;
mod real_files;
mod real_projects;
mod search;
mod symbols;
mod table;
mod templates;
mod views;

use marquetry_sdk::{Operation, TargetKind::Symbol, testing};

use crate::Java;

/// Asserts the text after an operation on a symbol.
#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    testing::check_edit::<Java>(("A.java", text), (Symbol, target), operation, expected);
}
