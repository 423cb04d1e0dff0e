//! Structural search: patterns with metavariables for rules, at-rules, declarations and values.
//!
//! Stylesheet and pattern are converted to SDK trees: statements ([`statements`]) that contain values and selectors
//! ([`values`]). White space, quotes, the last semicolon and list separators are not part of the trees.

mod pattern;
mod statements;
#[cfg(test)]
mod tests;
mod values;

use marquetry_sdk::{PatternInfo, Result, Search, StructureMatches, structure};

use crate::{Css, chars::Dialect, document::Stylesheet};

/// Node kinds.
mod kind {
    /// Statements of the file, or between braces.
    pub(super) const BODY: u8 = 0;
    pub(super) const RULE: u8 = 1;
    pub(super) const AT_RULE: u8 = 2;
    pub(super) const DECLARATION: u8 = 3;
    /// A call of a mixin or similar in LESS.
    pub(super) const CALL: u8 = 4;
    /// Comma-separated list, white-space-separated sequence in it, and a piece: a word, string, call or bracket.
    pub(super) const LIST: u8 = 5;
    pub(super) const SEQUENCE: u8 = 6;
    pub(super) const PIECE: u8 = 7;
    /// Brackets with their content.
    pub(super) const GROUP: u8 = 8;
    /// Offset of the same kinds in selectors.
    pub(super) const SELECTOR_OFFSET: u8 = 10;
}

impl Search for Css {
    fn read_pattern(path: &str, pattern: &str) -> Result<PatternInfo> {
        let dialect = Dialect::of_path(path);
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
