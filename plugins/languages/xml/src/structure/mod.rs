//! Patterns: elements and attributes with holes, and the places of a document that look like them.
//!
//! Document and pattern become trees of the SDK: an element is its name, its attributes in any order, and its content. White
//! space between elements and quotes do not get into them; declarations of namespaces need not be named.

mod elements;
mod pattern;
#[cfg(test)]
mod tests;

use marquetry_sdk::{PatternHelp, Result, Search, StructureMatches, structure};

use crate::{Xml, document::XmlDocument};

/// What nodes are.
mod kind {
    /// What is between the tags of an element, or the file.
    pub(super) const CONTENT: u8 = 0;
    pub(super) const ELEMENT: u8 = 1;
    pub(super) const ATTRIBUTES: u8 = 2;
    pub(super) const ATTRIBUTE: u8 = 3;
    pub(super) const TEXT: u8 = 4;
}

impl Search for Xml {
    fn read_pattern(_path: &str, pattern: &str) -> Result<PatternHelp> {
        read(pattern).map(|read| read.help())
    }

    fn matches(document: &XmlDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        read(pattern)?.matches(&elements::tree(&document.text, &document.tree, &[]), limit)
    }
}

fn read(pattern: &str) -> Result<std::rc::Rc<structure::Pattern>> {
    structure::once(pattern, "xml", || pattern::read(pattern))
}
