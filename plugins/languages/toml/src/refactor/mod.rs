//! Refactors that keep the meaning, with one module and one line in the table each.

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
