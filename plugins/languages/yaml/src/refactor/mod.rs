//! Refactors. Each has a module and a line in the table.

mod digest;
mod extract_definition;
mod selection;
mod sort_keys;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::{Yaml, document::YamlDocument};

/// All refactors.
static TABLE: &[Refactoring<YamlDocument>] = &[sort_keys::SORT_KEYS, extract_definition::EXTRACT_DEFINITION];

impl Refactors for Yaml {
    fn table() -> &'static [Refactoring<YamlDocument>] {
        TABLE
    }
}
