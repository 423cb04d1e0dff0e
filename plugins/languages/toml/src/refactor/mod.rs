//! Refactors. Each has a module and a line in the table.

mod sort_keys;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::{Toml, document::TomlDocument};

/// All refactors.
static TABLE: &[Refactoring<TomlDocument>] = &[sort_keys::SORT_KEYS];

impl Refactors for Toml {
    fn table() -> &'static [Refactoring<TomlDocument>] {
        TABLE
    }
}
