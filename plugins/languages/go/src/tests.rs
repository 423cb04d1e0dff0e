//! Test texts and helper functions.

mod edits;
mod keeping;
mod laws;
mod links;
mod mentions;
mod names;
mod outline;
mod parser;
mod problems;
mod real_files;
mod real_projects;
mod refactors;
mod search;
mod table;
mod templates;
mod undeclared;
mod views;

use marquetry_sdk::{Operation, TargetKind::Symbol, testing};

use crate::Go;

/// Asserts the text after an operation on a symbol.
#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    testing::check_edit::<Go>(("a.go", text), (Symbol, target), operation, expected);
}
