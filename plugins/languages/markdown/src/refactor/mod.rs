//! Refactors that keep the meaning, with one module per kind and one line in the table each.

mod level;
mod table;
mod toc;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::Markdown;
use crate::document::MarkdownDocument;

/// All refactors.
static TABLE: &[Refactoring<MarkdownDocument>] = &[toc::UPDATE_TOC, level::PROMOTE, level::DEMOTE, table::ALIGN_TABLE];

impl Refactors for Markdown {
    fn table() -> &'static [Refactoring<MarkdownDocument>] {
        TABLE
    }
}
