//! Outline of a document: its declarations, their addresses, and views of them.

pub(crate) mod address;
pub(crate) mod declarations;
pub(crate) mod find;
pub(crate) mod regions;
pub(crate) mod views;
