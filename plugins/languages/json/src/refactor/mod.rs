//! Changes of form that keep the meaning: one file for each, one line in the table for each.

mod extract_definition;
mod place;
mod sort_keys;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::{Json, document::JsonDocument};

/// All of them.
static TABLE: &[Refactoring<JsonDocument>] = &[sort_keys::SORT_KEYS, extract_definition::EXTRACT_DEFINITION];

impl Refactors for Json {
    fn table() -> &'static [Refactoring<JsonDocument>] {
        TABLE
    }
}
