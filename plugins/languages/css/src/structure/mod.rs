//! Structural search: patterns with metavariables for rules, at-rules, declarations and values.
//!
//! The stylesheet and the pattern are converted to trees of the SDK, which are then compared. [`statements`] converts
//! statements, and [`values`] the values and selectors in them. White space, quotes, the last semicolon and list
//! separators are not part of the trees, so they need not be equal.

mod pattern;
mod statements;
#[cfg(test)]
mod tests;
mod values;

use marquetry_sdk::{Context, PatternInfo, Result, Search, StructureMatches, structure};

use crate::{Css, chars::Dialect, document::Stylesheet};

/// Node kinds.
mod kind {
    /// The statements of the file, or of a block.
    pub(super) const BODY: u8 = 0;
    pub(super) const RULE: u8 = 1;
    pub(super) const AT_RULE: u8 = 2;
    pub(super) const DECLARATION: u8 = 3;
    /// A statement without a block in LESS, such as a call of a mixin.
    pub(super) const CALL: u8 = 4;
    /// A list is separated by commas. It contains sequences, which are separated by white space. A sequence contains
    /// pieces: words, strings, calls or brackets.
    pub(super) const LIST: u8 = 5;
    pub(super) const SEQUENCE: u8 = 6;
    pub(super) const PIECE: u8 = 7;
    /// Brackets with their content.
    pub(super) const GROUP: u8 = 8;
    /// In selectors, this number is added to the kinds from `LIST` on.
    pub(super) const SELECTOR_OFFSET: u8 = 10;
}

impl Search for Css {
    fn read_pattern(context: &Context, pattern: &str) -> Result<PatternInfo> {
        let dialect = Dialect::of_path(&context.path);
        cached_pattern(pattern, dialect).map(|read| read.help())
    }

    fn matches(document: &Stylesheet, pattern: &str, limit: u32) -> Result<StructureMatches> {
        cached_pattern(pattern, document.tree.dialect)?.matches(&statements::statement_tree(&document.tree), limit)
    }
}

fn cached_pattern(pattern: &str, dialect: Dialect) -> Result<std::rc::Rc<structure::Pattern>> {
    let name = match dialect {
        Dialect::Css => "css",
        Dialect::Scss => "scss",
        Dialect::Less => "less",
    };
    structure::parse_once(pattern, name, || pattern::parse_pattern(pattern, dialect))
}
