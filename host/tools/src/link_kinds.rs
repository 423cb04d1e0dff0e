//! Kinds of links that the host handles specially. All other kinds are defined by the packs.

/// A glob pattern; its target is the folder that it starts with.
pub(crate) const GLOB: &str = "glob";
/// Links for the reader of a text, such as `href`. They do not import names.
pub(crate) const READER_LINKS: [&str; 3] = ["definition", "image", "link"];
pub(crate) use marquetry_graph::POSSIBLE_LINK;
