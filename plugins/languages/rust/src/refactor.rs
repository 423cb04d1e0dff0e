//! The refactors of the pack, and the answers to questions of other documents.

use marquetry_code::CodeDocument;
use marquetry_sdk::{
    Result, Rewrite,
    refactor::{Refactoring, Refactors},
};

use crate::{Rust, relink};

impl Refactors for Rust {
    fn table() -> &'static [Refactoring<CodeDocument>] {
        &[]
    }

    /// The only question is that of a document whose module has another parent now: the `mod` item to declare.
    fn answer(document: &CodeDocument, _from: &str, payload: &str) -> Result<Rewrite> {
        relink::declare(document, payload)
    }
}
