//! Structural search: patterns with metavariables for elements and attributes.
//!
//! Document and pattern are converted to the trees of the SDK. In such a tree, an element consists of its name, its
//! attributes in any order, and its content. The trees do not contain quotes or the white space between elements.
//! Patterns can omit namespace declarations.

mod elements;
mod pattern;
#[cfg(test)]
mod tests;

use marquetry_sdk::{Context, PatternInfo, Result, Search, StructureMatches, structure};

use crate::{Xml, document::XmlDocument};

/// Node kinds.
mod kind {
    /// Content of an element or of the file.
    pub(super) const CONTENT: u8 = 0;
    pub(super) const ELEMENT: u8 = 1;
    pub(super) const ATTRIBUTES: u8 = 2;
    pub(super) const ATTRIBUTE: u8 = 3;
    pub(super) const TEXT: u8 = 4;
}

impl Search for Xml {
    fn read_pattern(_context: &Context, pattern: &str) -> Result<PatternInfo> {
        read(pattern).map(|read| read.help())
    }

    fn matches(document: &XmlDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        read(pattern)?.matches(&elements::build_tree(&document.text, &document.tree, &[]), limit)
    }
}

fn read(pattern: &str) -> Result<std::rc::Rc<structure::Pattern>> {
    structure::parse_once(pattern, "xml", || pattern::parse_pattern(pattern))
}
