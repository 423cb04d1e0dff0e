//! Refactors. Each kind has a module and a line in the table.

mod align_table;
mod heading_level;
mod update_toc;

use marquetry_sdk::refactor::{Refactoring, Refactors};

use crate::Markdown;
use crate::document::MarkdownDocument;

/// All refactors.
static TABLE: &[Refactoring<MarkdownDocument>] =
    &[update_toc::UPDATE_TOC, heading_level::PROMOTE, heading_level::DEMOTE, align_table::ALIGN_TABLE];

impl Refactors for Markdown {
    fn table() -> &'static [Refactoring<MarkdownDocument>] {
        TABLE
    }
}
