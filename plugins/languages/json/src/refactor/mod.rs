//! Refactors. Each has a module and a line in the table.

mod extract_definition;
mod selection;
mod sort_keys;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::{Json, document::JsonDocument};

/// All refactors.
static TABLE: &[Refactoring<JsonDocument>] = &[sort_keys::SORT_KEYS, extract_definition::EXTRACT_DEFINITION];

impl Refactors for Json {
    fn table() -> &'static [Refactoring<JsonDocument>] {
        TABLE
    }
}
