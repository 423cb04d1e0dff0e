//! The comment syntax of a language, and the ends of its block comments.

/// The comment syntax around the items.
#[derive(Debug, Clone, Copy)]
pub struct Comments {
    /// Starts of comments that end with the line.
    pub line: &'static [&'static str],
    /// Starts and ends of block comments.
    pub block: &'static [(&'static str, &'static str)],
    /// True if block comments may contain others: `/* a /* b */ c */`.
    pub nested: bool,
}

/// `//` and `/* */`.
pub const C_STYLE: Comments = Comments { line: &["//"], block: &[("/*", "*/")], nested: false };
/// `//` and `/* */`, which may contain others.
pub const NESTED_C_STYLE: Comments = Comments { nested: true, ..C_STYLE };
/// `#`.
pub const HASH: Comments = Comments { line: &["#"], block: &[], nested: false };
/// No comments at all.
pub const NO_COMMENTS: Comments = Comments { line: &[], block: &[], nested: false };

/// The end of a block comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEnd {
    /// The comment ends before this offset.
    At(usize),
    /// The text ends in the comment.
    Open,
}

impl Comments {
    /// The end of the block comment that a text starts with. `None` if it starts with something else.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::items::{BlockEnd, C_STYLE, NESTED_C_STYLE};
    ///
    /// assert_eq!(C_STYLE.block_end("/* a /* b */ c */ d"), Some(BlockEnd::At(12)));
    /// assert_eq!(NESTED_C_STYLE.block_end("/* a /* b */ c */ d"), Some(BlockEnd::At(17)));
    /// assert_eq!(NESTED_C_STYLE.block_end("/* a /* b */"), Some(BlockEnd::Open));
    /// assert_eq!(C_STYLE.block_end("a /* b */"), None);
    /// ```
    pub fn block_end(&self, text: &str) -> Option<BlockEnd> {
        let (open, close) = self.block.iter().find(|(open, _)| text.starts_with(open))?;
        let (mut at, mut depth) = (open.len(), 1);
        while depth > 0 {
            let Some(end) = text[at..].find(close) else { return Some(BlockEnd::Open) };
            let inner = text[at..at + end].find(open).filter(|_| self.nested);
            (at, depth) = match inner {
                Some(inner) => (at + inner + open.len(), depth + 1),
                None => (at + end + close.len(), depth - 1),
            };
        }
        Some(BlockEnd::At(at))
    }
}
