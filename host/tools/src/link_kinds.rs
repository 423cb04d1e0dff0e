//! Kinds of links that the host handles specially. All other kinds are defined by the packs.

/// A glob pattern; its target is the folder that it starts with.
pub(crate) const GLOB: &str = "glob";
pub(crate) use marquetry_graph::POSSIBLE_LINK;
