//! What edits of a program are made of: the list that something stands in, the text that is put into it, the names and
//! parentheses it needs, and the check at the end.

pub(crate) mod effects;
pub(crate) mod expression;
pub(crate) mod finish;
pub(crate) mod fragment;
pub(crate) mod indentation;
pub(crate) mod list;
pub(crate) mod places;
pub(crate) mod scopes;
pub(crate) mod selection;
pub(crate) mod semicolons;
