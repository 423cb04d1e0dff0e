//! A place in a text that is being parsed: the document's own, or the replacement text of an entity.

use marquetry_sdk::Span;

use crate::chars;

/// A text and how far it has been read.
#[derive(Debug)]
pub(crate) struct Cursor<'i> {
    pub text: &'i str,
    pub at: usize,
    /// In an entity: the reference in the document that brought it in. All that is read here stands there.
    pub origin: Option<Span>,
}

impl<'i> Cursor<'i> {
    pub(crate) fn new(text: &'i str, origin: Option<Span>) -> Cursor<'i> {
        Cursor { text, at: 0, origin }
    }

    /// The part of the document that two offsets of this text stand for.
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

    /// Go past the literal, if it is next.
    pub(crate) fn eat(&mut self, literal: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(literal.as_bytes());
        if found {
            self.at += literal.len();
        }
        found
    }

    /// Go past white space; whether there was any.
    pub(crate) fn space(&mut self) -> bool {
        let start = self.at;
        self.at = chars::skip_space(self.text.as_bytes(), start);
        self.at > start
    }

    /// Go past a name; empty where there is none.
    pub(crate) fn name(&mut self) -> &'i str {
        let start = self.at;
        self.at = chars::name_end(self.text, start);
        &self.text[start..self.at]
    }

    /// Go past a name token; empty where there is none.
    pub(crate) fn token(&mut self) -> &'i str {
        let start = self.at;
        self.at = chars::token_end(self.text, start);
        &self.text[start..self.at]
    }

    /// The offset of the text at or behind the current place.
    pub(crate) fn find(&self, literal: &str) -> Option<usize> {
        memchr::memmem::find(self.rest().as_bytes(), literal.as_bytes()).map(|at| self.at + at)
    }

    /// The next offset between two characters, and within the text.
    pub(crate) fn boundary(&self, mut at: usize) -> usize {
        at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        at
    }

    /// The next character in words, for messages.
    pub(crate) fn found(&self) -> String {
        match self.rest().chars().next() {
            None => "the end of the text".to_owned(),
            Some(c) if c.is_control() => format!("U+{:04X}", c as u32),
            Some(c) => format!("`{c}`"),
        }
    }

    /// Go past the next character.
    pub(crate) fn skip_character(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }
}
