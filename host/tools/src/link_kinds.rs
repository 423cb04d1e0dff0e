//! The kinds of links that the host treats in ways of their own; all others are words of the packs.

/// A pattern, which leads to the folder that it starts at.
pub(crate) const GLOB: &str = "glob";
pub(crate) use marquetry_graph::POSSIBLE;
