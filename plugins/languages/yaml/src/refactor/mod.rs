//! Changes of form that keep the meaning: one file for each, one line in the table for each.

mod digest;
mod extract_definition;
mod place;
mod sort_keys;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::{Yaml, document::YamlDocument};

/// All of them.
static TABLE: &[Refactoring<YamlDocument>] = &[sort_keys::SORT_KEYS, extract_definition::EXTRACT_DEFINITION];

impl Refactors for Yaml {
    fn table() -> &'static [Refactoring<YamlDocument>] {
        TABLE
    }
}
