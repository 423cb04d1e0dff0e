//! Reading a part of the text by a grammar: what comes next, and what is wrong where it does not.

use std::borrow::Cow;

use crate::{
    chars::{Dialect, escape_end, ident_end, ident_start, is_escape, is_name, is_name_start, is_space},
    scan::{Part, Scan},
};

/// Grammar rules in each other at most: deeper text is taken for right.
const DEEPEST: usize = 64;

/// Why a text does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// At this offset.
    At(usize, Cow<'static, str>),
    /// It is nested too deeply to say.
    TooDeep,
}

pub(crate) type Check<T = ()> = Result<T, Wrong>;

/// A place in the text, and where reading must end.
#[derive(Debug)]
pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    pub(crate) end: usize,
    pub(crate) dialect: Dialect,
    scan: Scan<'t>,
    depth: usize,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str, dialect: Dialect, range: std::ops::Range<usize>) -> Reader<'t> {
        // What lies behind the range is not there for the reader.
        let text = &text[..range.end];
        Reader { text, at: range.start, end: range.end, dialect, scan: Scan::quiet(text, dialect), depth: 0 }
    }

    // --- looking ---

    pub(crate) fn peek(&self) -> Option<u8> {
        self.ahead(0)
    }

    pub(crate) fn ahead(&self, count: usize) -> Option<u8> {
        let at = self.at + count;
        (at < self.end).then(|| self.text.as_bytes()[at])
    }

    pub(crate) fn is(&self, byte: u8) -> bool {
        self.peek() == Some(byte)
    }

    pub(crate) fn starts(&self, text: &str) -> bool {
        self.text[self.at..self.end].starts_with(text)
    }

    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.end
    }

    /// Whether an identifier without interpolation starts here.
    pub(crate) fn at_ident(&self) -> bool {
        ident_start(&self.text[..self.end], self.at).is_some()
    }

    /// Whether an identifier starts here, interpolated or not.
    pub(crate) fn at_interpolated(&self) -> bool {
        self.at_ident()
            || self.at_interpolation()
            || (self.is(b'-') && self.ahead(1) == Some(b'#') && self.ahead(2) == Some(b'{'))
    }

    /// Whether `#{` is here.
    pub(crate) fn at_interpolation(&self) -> bool {
        self.dialect == Dialect::Scss && self.is(b'#') && self.ahead(1) == Some(b'{')
    }

    // --- taking ---

    /// Pass white space and comments; answers whether there were any.
    pub(crate) fn space(&mut self) -> bool {
        let from = self.at;
        self.at = self.scan.skip_trivia(self.at).min(self.end);
        self.at > from
    }

    /// Digits, if there are any.
    pub(crate) fn digits(&mut self) -> bool {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > from
    }

    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let there = self.is(byte);
        self.at += usize::from(there);
        there
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Check {
        if self.eat(byte) { Ok(()) } else { self.wrong(format!("expected `{}`", byte as char)) }
    }

    /// Take the word, in any case, if it is the whole identifier here.
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

    pub(crate) fn expect_word(&mut self, word: &'static str) -> Check {
        if self.eat_word(word) { Ok(()) } else { self.wrong(format!("expected `{word}`")) }
    }

    pub(crate) fn expect_space(&mut self) -> Check {
        if self.space() { Ok(()) } else { self.wrong("expected white space") }
    }

    /// A plain identifier.
    pub(crate) fn ident(&mut self) -> Check<&'t str> {
        match ident_end(&self.text[..self.end], self.at) {
            Some(end) => {
                let ident = &self.text[self.at..end];
                self.at = end;
                Ok(ident)
            }
            None => self.wrong("expected an identifier"),
        }
    }

    /// Pass name characters and escapes.
    pub(crate) fn name_rest(&mut self) {
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

    /// Pass name characters, or one byte where there are none (a backslash at the end).
    pub(crate) fn name_rest_or_one(&mut self) {
        let from = self.at;
        self.name_rest();
        if self.at == from {
            self.part();
        }
    }

    /// Pass one part, whole groups at once; answers what it was.
    pub(crate) fn part(&mut self) -> Part {
        if self.at_end() {
            return Part::End;
        }
        let (part, end) = self.scan.part(self.at);
        self.at = end;
        part
    }

    /// What is inside the brackets that start here; reading goes on behind them.
    /// Nothing where they are not closed, which the structure has reported.
    pub(crate) fn group(&mut self) -> Option<Reader<'t>> {
        let start = self.at;
        let (_, end) = self.scan.part(start);
        self.at = end;
        let open = self.text.as_bytes()[start];
        let close = if open == b'(' { b')' } else { b']' };
        let closed = end > start + 1 && self.text.as_bytes()[end - 1] == close;
        closed.then(|| {
            let text = &self.text[..end - 1];
            let scan = self.scan.within(text);
            Reader { text, at: start + 1, end: end - 1, dialect: self.dialect, scan, depth: self.depth }
        })
    }

    /// Whether the bracket here opens an address without quotes.
    pub(crate) fn url_end(&mut self) -> Option<usize> {
        self.scan.url_end(self.at)
    }

    /// A string without a look at what is in it.
    pub(crate) fn plain_string(&mut self) -> Check {
        match self.peek() {
            Some(b'"' | b'\'') => {
                self.part();
                Ok(())
            }
            _ => self.wrong("expected a string"),
        }
    }

    /// All must have been read.
    pub(crate) fn finish(&mut self) -> Check {
        self.space();
        if self.at_end() {
            return Ok(());
        }
        let shown: String = self.text[self.at..self.end].chars().take_while(|c| !c.is_whitespace()).take(20).collect();
        self.wrong(format!("did not expect `{shown}` here"))
    }

    // --- refusing ---

    pub(crate) fn wrong<T>(&self, message: impl Into<Cow<'static, str>>) -> Check<T> {
        self.wrong_at(self.at, message)
    }

    pub(crate) fn wrong_at<T>(&self, at: usize, message: impl Into<Cow<'static, str>>) -> Check<T> {
        Err(Wrong::At(at.min(self.end), message.into()))
    }

    /// One rule deeper.
    pub(crate) fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> Check<T>) -> Check<T> {
        if self.depth == DEEPEST {
            return Err(Wrong::TooDeep);
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }
}

/// Whether the text is an identifier, as far as that shows at a glance: without escapes and dashes at its start.
pub(crate) fn is_plain_ident(text: &str) -> bool {
    text.bytes().next().is_some_and(is_name_start) && text.bytes().all(is_name)
}

/// Whether the byte is white space or there is none.
pub(crate) fn blank(byte: Option<u8>) -> bool {
    byte.is_none_or(is_space)
}

/// Whether an identifier can start with the byte, an escape included.
pub(crate) fn starts_name(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| is_name_start(byte) || byte == b'\\')
}
