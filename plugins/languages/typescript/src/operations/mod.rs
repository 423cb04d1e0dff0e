//! What the pack does for its callers, one room for each part of the contract.

mod document;
pub(crate) mod edit;
mod facts;
mod insight;
mod links;
mod refactor;
mod rename;
mod search;
mod style_names;
mod symbols;
