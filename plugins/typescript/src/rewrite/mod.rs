//! What edits of a program are made of: the list that something stands in, the text that is put into it.

pub(crate) mod fragment;
pub(crate) mod list;
