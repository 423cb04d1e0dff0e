//! Code with holes: what a pattern says, and the places of a program that look like it.
//!
//! Pattern and program are both seen as flat trees of spans with a kind ([`tree`]); what stands between the children of a node
//! are its tokens ([`tokens`]). So one comparison serves all of the syntax, and a kind of node that the parser comes to have
//! needs no word here.

mod matcher;
mod pattern;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;

pub(crate) use matcher::{Match, find};
pub(crate) use pattern::{Pattern, read};
pub(crate) use tree::Flat;
