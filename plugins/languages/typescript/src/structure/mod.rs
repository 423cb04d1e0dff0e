//! Structural search: patterns with metavariables, and their matches in a program.
//!
//! Pattern and program are both represented as flat trees of spans with a kind ([`tree`]). The text between the
//! children of a node is its tokens ([`tokens`]). So one comparison works for the whole language, and new kinds of
//! nodes in the parser need no support here.

mod matcher;
mod pattern;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;

pub(crate) use matcher::{Match, find_matches};
pub(crate) use pattern::{Pattern, parse_pattern};
pub(crate) use tree::FlatTree;
