//! Implementation of the plugin interface, one module per interface.

mod document;
pub(crate) mod edit;
mod search;
mod style_names;
pub(crate) mod symbols;
