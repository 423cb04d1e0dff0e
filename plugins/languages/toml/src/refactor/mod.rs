//! Changes of form that keep the meaning: one file for each, one line in the table for each.

mod sort_keys;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::{Toml, document::TomlDocument};

/// All of them.
static TABLE: &[Refactoring<TomlDocument>] = &[sort_keys::SORT_KEYS];

impl Refactors for Toml {
    fn table() -> &'static [Refactoring<TomlDocument>] {
        TABLE
    }
}
