//! Syntax of a document: its tree, its diagnostics, and recovery from errors.

pub(crate) mod comments;
pub(crate) mod depth;
pub(crate) mod dialect;
pub(crate) mod local_check;
pub(crate) mod module_calls;
pub(crate) mod placement;
pub(crate) mod problems;
mod repair;
mod severity;
pub(crate) mod spans;
pub(crate) mod tree;
