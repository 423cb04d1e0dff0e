//! Changes of form that keep the meaning: one file for each kind, one line in the table for each.

mod level;
mod table;
mod toc;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::Markdown;
use crate::document::MarkdownDocument;

/// All of them.
static TABLE: &[Refactoring<MarkdownDocument>] = &[toc::UPDATE_TOC, level::PROMOTE, level::DEMOTE, table::ALIGN_TABLE];

impl Refactors for Markdown {
    fn table() -> &'static [Refactoring<MarkdownDocument>] {
        TABLE
    }
}
