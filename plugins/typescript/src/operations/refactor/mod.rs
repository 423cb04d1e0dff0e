//! Changes of form that keep the meaning: one file for each, one line in the table for each.

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::{TypeScript, TypeScriptDocument};

/// All of them.
static TABLE: &[Refactoring<TypeScriptDocument>] = &[];

impl Refactors for TypeScript {
    fn table() -> &'static [Refactoring<TypeScriptDocument>] {
        TABLE
    }
}

#[cfg(test)]
mod testing;
