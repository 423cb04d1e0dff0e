//! Parser for RFC 9535: segments and selectors. Filters and literals are in submodules.

mod filter;
mod literal;

use crate::ast::{Query, Segment, Selector, Slice};

/// Maximum nesting of filters, whose parser and evaluation are recursive.
const DEEPEST: usize = 100;
/// The largest integer of I-JSON, 2^53 - 1.
const LARGEST: i64 = 9_007_199_254_740_991;

/// A syntax error in a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// A byte offset into the query.
    pub at: usize,
    /// Starts in lower case, without a final period.
    pub message: String,
}

impl std::fmt::Display for Invalid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at offset {}", self.message, self.at)
    }
}

impl std::error::Error for Invalid {}

type Result<T> = std::result::Result<T, Invalid>;

pub(crate) fn query(text: &str) -> Result<Query> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if !parser.eat("$") {
        return Err(parser.wrong("expected `$`"));
    }
    let segments = parser.segments()?;
    if parser.at < text.len() {
        return Err(parser.wrong("expected `.`, `..` or `[`"));
    }
    Ok(Query { segments })
}

struct Parser<'q> {
    text: &'q str,
    at: usize,
    depth: usize,
}

impl<'q> Parser<'q> {
    fn rest(&self) -> &'q str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    fn expect(&mut self, expected: &str) -> Result<()> {
        if self.eat(expected) { Ok(()) } else { Err(self.wrong(format!("expected `{expected}`"))) }
    }

    fn blank(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn wrong(&self, message: impl Into<String>) -> Invalid {
        self.wrong_at(self.at, message)
    }

    fn wrong_at(&self, at: usize, message: impl Into<String>) -> Invalid {
        Invalid { at, message: message.into() }
    }

    fn segments(&mut self) -> Result<Vec<Segment>> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.blank();
            match self.peek() {
                Some(b'.' | b'[') => segments.push(self.segment()?),
                _ => {
                    // Blanks belong to a query only if another segment follows.
                    self.at = before;
                    return Ok(segments);
                }
            }
        }
    }

    fn segment(&mut self) -> Result<Segment> {
        if self.peek() == Some(b'[') {
            return Ok(Segment { descendant: false, selectors: self.bracketed()? });
        }
        let descendant = self.eat("..");
        if descendant && self.peek() == Some(b'[') {
            return Ok(Segment { descendant, selectors: self.bracketed()? });
        }
        if !descendant {
            self.expect(".")?;
        }
        let selector = if self.eat("*") { Selector::Wildcard } else { Selector::Name(self.shorthand()?) };
        Ok(Segment { descendant, selectors: vec![selector] })
    }

    fn shorthand(&mut self) -> Result<String> {
        let rest = self.rest();
        let first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        if !rest.starts_with(first) {
            return Err(self.wrong("expected a name, `*` or `[`; other names are written `['…']`"));
        }
        let end = rest.find(|c| !first(c) && !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += end;
        Ok(rest[..end].to_owned())
    }

    fn bracketed(&mut self) -> Result<Vec<Selector>> {
        self.expect("[")?;
        let mut selectors = Vec::new();
        loop {
            self.blank();
            selectors.push(self.selector()?);
            self.blank();
            if self.eat("]") {
                return Ok(selectors);
            }
            if !self.eat(",") {
                return Err(self.wrong("expected `,` or `]`"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector> {
        match self.peek() {
            Some(b'\'' | b'"') => self.name(),
            Some(b'*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some(b'?') => {
                self.at += 1;
                self.blank();
                Ok(Selector::Filter(self.expression()?))
            }
            Some(b':' | b'-' | b'0'..=b'9') => self.index_or_slice(),
            _ => Err(self.wrong("expected a selector: `'name'`, an index, `*`, `start:end` or `?filter`")),
        }
    }

    fn name(&mut self) -> Result<Selector> {
        let name = self.string()?;
        if !self.eat("#") {
            return Ok(Selector::Name(name));
        }
        match u32::try_from(self.integer()?) {
            Ok(number @ 1..) => Ok(Selector::Occurrence(name, number)),
            _ => Err(self.wrong("occurrences of a name are counted from 1")),
        }
    }

    fn index_or_slice(&mut self) -> Result<Selector> {
        let start = if self.peek() == Some(b':') { None } else { Some(self.integer()?) };
        let after = self.at;
        self.blank();
        if !self.eat(":") {
            self.at = after;
            return start.map(Selector::Index).ok_or_else(|| self.wrong("expected an index"));
        }
        let end = self.bound()?;
        let step = if self.eat(":") { self.bound()? } else { None };
        Ok(Selector::Slice(Slice { start, end, step: step.unwrap_or(1) }))
    }

    fn bound(&mut self) -> Result<Option<i64>> {
        self.blank();
        let bound = match self.peek() {
            Some(b'-' | b'0'..=b'9') => Some(self.integer()?),
            _ => None,
        };
        self.blank();
        Ok(bound)
    }

    fn integer(&mut self) -> Result<i64> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let count = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let text = &rest[..rest.len() - digits.len() + count];
        if count == 0 {
            return Err(self.wrong("expected digits"));
        }
        if text == "-0" || (count > 1 && digits.starts_with('0')) {
            return Err(self.wrong(format!("`{text}` is not a valid integer")));
        }
        match text.parse::<i64>() {
            Ok(value) if (-LARGEST..=LARGEST).contains(&value) => {
                self.at += text.len();
                Ok(value)
            }
            _ => Err(self.wrong("integers must be between -(2^53 - 1) and 2^53 - 1")),
        }
    }

    /// Parses a recursive part of the grammar with a depth limit.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEEPEST {
            return Err(self.wrong(format!("filters are nested deeper than {DEEPEST} levels")));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
}
