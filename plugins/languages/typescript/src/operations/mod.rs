//! Implementation of the plugin interface, one module per interface.

mod document;
pub(crate) mod edit;
mod facts;
mod hover;
mod links;
mod refactor;
mod rename;
mod search;
mod style_names;
mod symbols;
