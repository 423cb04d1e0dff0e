//! Kinds of links that the host handles specially. All other kinds are defined by the packs.

/// A link that consists of a glob pattern. The target of the link is the folder at the start of the pattern.
pub(crate) const GLOB: &str = "glob";
/// Links for the reader of a text, such as `href`. They do not import names.
pub(crate) const READER_LINKS: [&str; 3] = ["definition", "image", "link"];
pub(crate) use marquetry_graph::{MEMBER_LINK, POSSIBLE_LINK};
