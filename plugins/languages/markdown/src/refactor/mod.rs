//! Changes of form that keep the meaning: one file for each kind, one line in the table for each.

mod level;
mod toc;

use marquetry_sdk::refactor::{Refactoring, Refactors};
use marquetry_sdk::{Failure, FailureKind, fail};

use crate::Markdown;
use crate::document::MarkdownDocument;

/// All of them.
static TABLE: &[Refactoring<MarkdownDocument>] = &[toc::UPDATE_TOC, level::PROMOTE, level::DEMOTE];

impl Refactors for Markdown {
    fn table() -> &'static [Refactoring<MarkdownDocument>] {
        TABLE
    }
}

/// It cannot be done here, for this reason.
fn refused(message: impl Into<String>) -> Failure {
    fail(FailureKind::RefactorFailed, message)
}
