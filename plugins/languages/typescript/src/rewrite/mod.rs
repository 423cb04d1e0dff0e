//! Building blocks of edits: lists and their items, inserted text, names and parentheses, and the final checks.

pub(crate) mod effects;
pub(crate) mod expression;
pub(crate) mod final_checks;
pub(crate) mod fragment;
pub(crate) mod indentation;
pub(crate) mod list;
pub(crate) mod positions;
pub(crate) mod scopes;
pub(crate) mod selection;
pub(crate) mod semicolons;
