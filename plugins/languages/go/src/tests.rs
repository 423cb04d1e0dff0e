//! Test texts and helper functions.

mod cycles;
mod edits;
mod extract_function;
mod implementations;
mod keeping;
mod laws;
mod links;
mod literals;
mod mentions;
mod names;
mod outline;
mod parser;
mod problems;
mod real_files;
mod real_projects;
mod refactors;
mod search;
mod signatures;
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
