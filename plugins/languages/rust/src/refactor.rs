//! The refactors of the pack, and the answers to questions of other documents.

mod organize_imports;

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Result, Rewrite,
    refactor::{Refactoring, Refactors},
};

use crate::{Rust, declare};

static TABLE: [Refactoring<CodeDocument>; 1] = [organize_imports::ORGANIZE_IMPORTS];

impl Refactors for Rust {
    fn table() -> &'static [Refactoring<CodeDocument>] {
        &TABLE
    }

    /// Other documents ask these questions when they no longer declare a moved module.
    fn answer(document: &CodeDocument, _from: &str, payload: &str) -> Result<Rewrite> {
        declare::answer(document, payload)
    }
}
