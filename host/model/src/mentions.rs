//! Names of files in texts of any format, and their occurrences.

use crate::Span;

/// A name under which texts of any format refer to a file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextName {
    /// The name.
    pub name: String,
    /// The file or folder.
    pub path: String,
    /// The term for what the name refers to: `module`, `package`.
    pub kind: String,
}

/// The text of a file of any format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchedText<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The text.
    pub text: &'a str,
    /// True if the text is code, in which a name outside of quotes may be an expression.
    pub is_code: bool,
}

/// An occurrence in a text that certainly refers to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// Index of the name in the request.
    pub name: usize,
    /// The name and what belongs to it.
    pub span: Span,
    /// The name of something in the file, within the span.
    pub member: Option<Span>,
}
