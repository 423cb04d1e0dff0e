//! Structural search: patterns with metavariables for elements and attributes.
//!
//! The page and the pattern are converted to trees of the SDK, which are then compared. In a tree, an element consists
//! of its name, its attributes in any order, and its content. White space between elements, quotes, the case of names
//! and optional end tags are not part of the trees, so they need not be equal.

mod page;
mod pattern;
#[cfg(test)]
mod tests;

use marquetry_sdk::{Context, PatternInfo, Result, Search, Span, StructureMatches, structure};

use crate::{Html, HtmlDocument, syntax::Dialect};

/// Node kinds.
mod kind {
    /// Content of an element or of the file.
    pub(super) const CONTENT: u8 = 0;
    pub(super) const ELEMENT: u8 = 1;
    pub(super) const ATTRIBUTES: u8 = 2;
    pub(super) const ATTRIBUTE: u8 = 3;
    pub(super) const TEXT: u8 = 4;
}

impl Search for Html {
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo> {
        cached_pattern(pattern, Dialect::of_path(&context.path)).map(|read| read.help())
    }

    fn matches(document: &HtmlDocument, pattern: &str, limit: u32) -> Result<StructureMatches> {
        cached_pattern(pattern, document.tree.dialect)?.matches(&page::page_tree(&document.tree), limit)
    }
}

fn cached_pattern(pattern: &str, dialect: Dialect) -> Result<std::rc::Rc<structure::Pattern>> {
    let key = if dialect.is_xml() { "xhtml" } else { "html" };
    structure::parse_once(pattern, key, || pattern::parse_pattern(pattern, dialect))
}

/// Returns the span of a value, including its quotes.
fn quoted_span(text: &str, value: Span) -> Span {
    let (start, end) = (value.range().start, value.range().end);
    let quote = text.as_bytes().get(end).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at).copied());
    if quote.is_some() && before == quote { Span::new(start - 1, end + 1) } else { value }
}
