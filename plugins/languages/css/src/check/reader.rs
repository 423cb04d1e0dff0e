//! Recursive-descent reader for a range of the text.

use std::borrow::Cow;

use crate::{
    chars::{Dialect, escape_end, ident_end, ident_start, is_escape, is_name, is_name_start, is_space},
    scanner::{Scanner, TokenKind},
};

/// Maximum nesting of grammar rules. Text that is nested deeper is not checked.
const MAX_DEPTH: usize = 64;

/// The reason why a check of a text against the grammar stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GrammarError {
    /// The text at this offset does not match the grammar. The message explains why.
    At(usize, Cow<'static, str>),
    /// The text is nested too deeply to be checked.
    TooDeep,
}

pub(crate) type Parsed<T = ()> = Result<T, GrammarError>;

/// A position in the text, and the end of the range to read.
#[derive(Debug)]
pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) dialect: Dialect,
    scan: Scanner<'t>,
    depth: usize,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str, dialect: Dialect, range: std::ops::Range<usize>) -> Reader<'t> {
        // The reader must not see the text after the range.
        let text = &text[..range.end];
        Reader {
            text,
            at: range.start,
            end: range.end,
            dialect,
            scan: Scanner::without_reports(text, dialect),
            depth: 0,
        }
    }

    // --- looking ---

    pub(crate) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(crate) fn peek_at(&self, count: usize) -> Option<u8> {
        let at = self.at + count;
        (at < self.end).then(|| self.text.as_bytes()[at])
    }

    pub(crate) fn at_byte(&self, byte: u8) -> bool {
        self.peek() == Some(byte)
    }

    pub(crate) fn starts_with(&self, text: &str) -> bool {
        self.text[self.at..self.end].starts_with(text)
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.end
    }

    /// Returns whether an identifier without interpolation starts at the current position.
    pub(crate) fn at_ident(&self) -> bool {
        ident_start(&self.text[..self.end], self.at).is_some()
    }

    /// Returns whether an identifier starts at the current position, with or without interpolation.
    pub(crate) fn at_interpolated(&self) -> bool {
        self.at_ident()
            || self.at_interpolation()
            || (self.at_byte(b'-') && self.peek_at(1) == Some(b'#') && self.peek_at(2) == Some(b'{'))
    }

    /// Returns whether an SCSS interpolation, `#{`, starts at the current position.
    pub(crate) fn at_interpolation(&self) -> bool {
        self.dialect == Dialect::Scss && self.at_byte(b'#') && self.peek_at(1) == Some(b'{')
    }

    // --- consuming ---

    /// Skips white space and comments; returns whether there were any.
    pub(crate) fn skip_space(&mut self) -> bool {
        let from = self.at;
        self.at = self.scan.skip_trivia(self.at).min(self.end);
        self.at > from
    }

    /// Skips digits; returns whether there were any.
    pub(crate) fn skip_digits(&mut self) -> bool {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > from
    }

    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let there = self.at_byte(byte);
        self.at += usize::from(there);
        there
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Parsed {
        if self.eat(byte) { Ok(()) } else { self.error(format!("expected `{}`", byte as char)) }
    }

    /// Consumes the identifier at the current position if it equals the word, ignoring case.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let end = self.at + word.len();
        let there = end <= self.end
            && self.text.is_char_boundary(end)
            && self.text[self.at..end].eq_ignore_ascii_case(word)
            && !self.text.as_bytes()[..self.end].get(end).is_some_and(|byte| is_name(*byte) || *byte == b'\\')
            && !self.text[end..self.end].starts_with("#{");
        if there {
            self.at = end;
        }
        there
    }

    pub(crate) fn expect_word(&mut self, word: &'static str) -> Parsed {
        if self.eat_word(word) { Ok(()) } else { self.error(format!("expected `{word}`")) }
    }

    pub(crate) fn expect_space(&mut self) -> Parsed {
        if self.skip_space() { Ok(()) } else { self.error("expected white space") }
    }

    /// Consumes an identifier without interpolation.
    pub(crate) fn expect_ident(&mut self) -> Parsed<&'t str> {
        match ident_end(&self.text[..self.end], self.at) {
            Some(end) => {
                let ident = &self.text[self.at..end];
                self.at = end;
                Ok(ident)
            }
            None => self.error("expected an identifier"),
        }
    }

    /// Skips name characters and escapes.
    pub(crate) fn skip_name(&mut self) {
        while let Some(byte) = self.peek() {
            if is_name(byte) {
                self.at += 1;
            } else if is_escape(self.text.as_bytes(), self.at) {
                self.at = escape_end(self.text, self.at);
            } else {
                break;
            }
        }
    }

    /// Skips name characters and escapes. Skips one token instead if neither is here, as at a backslash at the end of
    /// the text.
    pub(crate) fn skip_name_or_token(&mut self) {
        let from = self.at;
        self.skip_name();
        if self.at == from {
            self.skip_token();
        }
    }

    /// Skips one token and returns the kind of the token. Brackets with their content are one token.
    pub(crate) fn skip_token(&mut self) -> TokenKind {
        if self.at_end() {
            return TokenKind::End;
        }
        let (part, end) = self.scan.token_at(self.at);
        self.at = end;
        part
    }

    /// Returns a reader for the content of the brackets that start at the current position. This reader continues after
    /// them. `None` if the brackets are not closed, which the parser has already reported.
    pub(crate) fn enter_group(&mut self) -> Option<Reader<'t>> {
        let start = self.at;
        let (_, end) = self.scan.token_at(start);
        self.at = end;
        let open = self.text.as_bytes()[start];
        let close = if open == b'(' { b')' } else { b']' };
        let closed = end > start + 1 && self.text.as_bytes()[end - 1] == close;
        closed.then(|| {
            let text = &self.text[..end - 1];
            let scan = self.scan.prefix_scanner(text);
            Reader { text, at: start + 1, end: end - 1, dialect: self.dialect, scan, depth: self.depth }
        })
    }

    /// Returns the end of an unquoted URL if the bracket here is that of `url(…)`.
    pub(crate) fn url_end(&mut self) -> Option<usize> {
        self.scan.url_end(self.at)
    }

    /// Consumes a string without checking its content.
    pub(crate) fn expect_string(&mut self) -> Parsed {
        match self.peek() {
            Some(b'"' | b'\'') => {
                self.skip_token();
                Ok(())
            }
            _ => self.error("expected a string"),
        }
    }

    /// Fails if there is text before the end of the range, except for white space.
    pub(crate) fn expect_end(&mut self) -> Parsed {
        self.skip_space();
        if self.at_end() {
            return Ok(());
        }
        let shown: String = self.text[self.at..self.end].chars().take_while(|c| !c.is_whitespace()).take(20).collect();
        self.error(format!("unexpected `{shown}`"))
    }

    // --- errors ---

    pub(crate) fn error<T>(&self, message: impl Into<Cow<'static, str>>) -> Parsed<T> {
        self.error_at(self.at, message)
    }

    pub(crate) fn error_at<T>(&self, at: usize, message: impl Into<Cow<'static, str>>) -> Parsed<T> {
        Err(GrammarError::At(at.min(self.end), message.into()))
    }

    /// Parses a grammar rule one nesting level deeper.
    pub(crate) fn parse_nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(GrammarError::TooDeep);
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }
}

/// Returns whether the text is an identifier without escapes and without a dash at its start.
pub(crate) fn is_plain_ident(text: &str) -> bool {
    text.bytes().next().is_some_and(is_name_start) && text.bytes().all(is_name)
}

/// True for white space and for `None`.
pub(crate) fn is_blank(byte: Option<u8>) -> bool {
    byte.is_none_or(is_space)
}

/// Returns whether the byte can start an identifier. A backslash can, because it starts an escape.
pub(crate) fn starts_name(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| is_name_start(byte) || byte == b'\\')
}
