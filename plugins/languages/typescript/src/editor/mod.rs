//! Building blocks of edits: lists and their items, inserted text, parentheses, and the final checks.

pub(crate) mod final_checks;
pub(crate) mod fragment;
pub(crate) mod indentation;
pub(crate) mod list;
pub(crate) mod parentheses;
pub(crate) mod semicolons;
