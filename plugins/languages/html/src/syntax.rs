//! Parser: converts a text to a tree with source positions.

mod builder;
pub(crate) mod decode;
pub(crate) mod diagnostic;
pub(crate) mod names;
pub(crate) mod tokenizer;
pub(crate) mod tree;
mod xml;

pub(crate) use builder::{BLOCK, VOID};
pub(crate) use names::Name;
pub(crate) use tree::{Id, Namespace, Tree};

/// Parses a document as XML if its path has an XHTML extension, otherwise as HTML.
pub(crate) fn parse(path: &str, text: String) -> Tree {
    if is_xml(path) { xml::parse(text) } else { builder::parse(text) }
}

/// Returns whether a document with this path is XML.
pub(crate) fn is_xml(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or_default();
    extension.eq_ignore_ascii_case("xhtml") || extension.eq_ignore_ascii_case("xht")
}
