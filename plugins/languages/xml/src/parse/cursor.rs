//! Position in a text that is being parsed: the document, or the replacement text of an entity.

use marquetry_sdk::Span;

use crate::chars;

/// A text and the current position.
#[derive(Debug)]
pub(crate) struct Cursor<'i> {
    pub text: &'i str,
    pub at: usize,
    /// In the text of an entity: the span of the reference in the document. It is the span of every node that is parsed
    /// from the entity.
    pub origin: Option<Span>,
}

impl<'i> Cursor<'i> {
    pub(crate) fn new(text: &'i str, origin: Option<Span>) -> Cursor<'i> {
        Cursor { text, at: 0, origin }
    }

    /// Returns the span in the document for two offsets in this text.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        self.origin.unwrap_or_else(|| Span::new(start, end))
    }

    /// The next byte; 0 at the end.
    pub(crate) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(crate) fn rest(&self) -> &'i str {
        &self.text[self.at..]
    }

    /// Consumes the literal if it is next.
    pub(crate) fn eat(&mut self, literal: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(literal.as_bytes());
        if found {
            self.at += literal.len();
        }
        found
    }

    /// Skips white space; returns whether there was any.
    pub(crate) fn skip_space(&mut self) -> bool {
        let start = self.at;
        self.at = chars::skip_space(self.text.as_bytes(), start);
        self.at > start
    }

    /// Reads a name; empty if there is none.
    pub(crate) fn read_name(&mut self) -> &'i str {
        let start = self.at;
        self.at = chars::name_end(self.text, start);
        &self.text[start..self.at]
    }

    /// Reads a name token; empty if there is none.
    pub(crate) fn read_token(&mut self) -> &'i str {
        let start = self.at;
        self.at = chars::token_end(self.text, start);
        &self.text[start..self.at]
    }

    /// Offset of the literal at or after the current position.
    pub(crate) fn find(&self, literal: &str) -> Option<usize> {
        memchr::memmem::find(self.rest().as_bytes(), literal.as_bytes()).map(|at| self.at + at)
    }

    /// The next character boundary at or after the offset, within the text.
    pub(crate) fn next_boundary(&self, mut at: usize) -> usize {
        at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        at
    }

    /// The next character, for messages.
    pub(crate) fn describe_next(&self) -> String {
        match self.rest().chars().next() {
            None => "the end of the text".to_owned(),
            Some(c) if c.is_control() => format!("U+{:04X}", c as u32),
            Some(c) => format!("`{c}`"),
        }
    }

    /// Skips the next character.
    pub(crate) fn skip_character(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }
}
