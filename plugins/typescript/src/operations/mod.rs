//! What the pack does for its callers, one room for each part of the contract.

pub(crate) mod edit;
mod facts;
mod insight;
mod links;
mod rename;
mod symbols;
