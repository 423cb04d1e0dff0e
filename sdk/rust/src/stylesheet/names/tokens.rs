//! Tokenizer for stylesheets: white space, words, strings and signs. Brackets are signs, so tokens do not nest.

use std::ops::Range;

use crate::stylesheet::chars::{Dialect, escape_end, is_escape, is_name, is_space, name_end};

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// White space or a comment.
    Gap,
    Word,
    Text,
    Interpolation,
    Sign(u8),
}

/// Reads the tokens of a text.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'t> {
    /// The text up to the end of the range to read.
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) dialect: Dialect,
}

impl Tokens<'_> {
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn next(&mut self) -> Option<(Token, Range<usize>)> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let byte = self.byte(start)?;
        let follows = self.byte(start + 1);
        let (part, end) = match byte {
            _ if is_space(byte) => {
                let rest = &bytes[start..];
                (Token::Gap, start + rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len()))
            }
            _ if is_name(byte) || is_escape(bytes, start) => (Token::Word, name_end(self.text, start)),
            b'/' if follows == Some(b'*') => {
                let end = memchr::memmem::find(&bytes[start + 2..], b"*/");
                (Token::Gap, end.map_or(bytes.len(), |end| start + 2 + end + 2))
            }
            b'/' if follows == Some(b'/') && self.dialect.line_comments() => {
                let end = memchr::memchr2(b'\n', b'\r', &bytes[start..]);
                (Token::Gap, end.map_or(bytes.len(), |end| start + end))
            }
            b'"' | b'\'' => (Token::Text, self.string_end(start, byte)),
            b'#' if follows == Some(b'{') && self.dialect == Dialect::Scss => {
                (Token::Interpolation, self.braces_end(start + 1))
            }
            b'@' if follows == Some(b'{') && self.dialect == Dialect::Less => {
                (Token::Interpolation, self.braces_end(start + 1))
            }
            _ => (Token::Sign(byte), start + 1),
        };
        self.at = end.max(start + 1).min(bytes.len());
        Some((part, start..self.at))
    }

    /// The end of the string that starts at `start`, or the end of its line.
    pub(super) fn string_end(&self, start: usize, quote: u8) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at = escape_end(self.text, at),
                b'\n' | b'\r' => return at,
                _ if *byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        bytes.len()
    }

    fn braces_end(&self, open: usize) -> usize {
        let mut depth = 0;
        for (at, byte) in self.text.bytes().enumerate().skip(open) {
            depth += match byte {
                b'{' => 1,
                b'}' => -1,
                _ => 0,
            };
            if depth == 0 {
                return at + 1;
            }
        }
        self.text.len()
    }

    /// The next token that is not white space or a comment.
    pub(super) fn next_significant(&mut self) -> Option<(Token, Range<usize>)> {
        loop {
            match self.next()? {
                (Token::Gap, _) => {}
                solid => return Some(solid),
            }
        }
    }

    /// Returns whether this sign is at the current position.
    pub(super) fn is_at(&self, sign: u8) -> bool {
        self.byte(self.at) == Some(sign)
    }
}
