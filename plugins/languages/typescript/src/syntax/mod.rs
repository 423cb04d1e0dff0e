//! Syntax of a document: its tree, its diagnostics, and recovery from errors.

pub(crate) mod comments;
pub(crate) mod component_code;
pub(crate) mod component_options;
pub(crate) mod components;
pub(crate) mod depth;
pub(crate) mod diagnostics;
pub(crate) mod dialect;
pub(crate) mod local_check;
pub(crate) mod module_calls;
pub(crate) mod placement;
mod repair;
mod severity;
pub(crate) mod spans;
pub(crate) mod tree;
