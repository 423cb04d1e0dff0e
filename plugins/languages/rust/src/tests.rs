//! Test texts and helper functions.

mod calls;
mod edits;
mod format_macros;
mod keeping;
mod laws;
mod lifetimes;
mod links;
mod outline;
mod problems;
mod projects;
mod real_files;
mod real_projects;
mod refactors;
mod search;
mod symbols;
mod table;
mod templates;
mod undeclared;
mod variables;
mod views;

use marquetry_sdk::{Operation, TargetKind::Symbol, testing};

use crate::Rust;

/// Asserts the text after an operation on a symbol.
#[track_caller]
fn check(text: &str, target: &str, operation: Operation, expected: &str) {
    testing::check_edit::<Rust>(("a.rs", text), (Symbol, target), operation, expected);
}
