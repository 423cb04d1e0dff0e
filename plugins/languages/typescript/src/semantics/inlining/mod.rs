//! Declarations whose uses are replaced by their value: which uses there are, and whether each can be replaced.

pub(crate) mod arguments;
pub(crate) mod callee;
pub(crate) mod importers;
pub(crate) mod sites;
pub(crate) mod target;
pub(crate) mod timing;
pub(crate) mod use_context;
pub(crate) mod variable;
