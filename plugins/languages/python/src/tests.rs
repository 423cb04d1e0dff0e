//! Test texts and helper functions.

mod edits;
mod keeping;
mod laws;
mod links;
mod mentions;
mod origins;
mod outline;
mod problems;
mod real_files;
mod refactors;
mod search;
mod symbols;
mod table;
mod templates;
mod undeclared;
mod views;

use marquetry_sdk::{Operation, TargetKind::Symbol, testing};

use crate::Python;

/// Asserts the text after an operation on a symbol.
#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    testing::check_edit::<Python>(("a.py", text), (Symbol, target), operation, expected);
}
