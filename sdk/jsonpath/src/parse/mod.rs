//! Parser for RFC 9535: segments and selectors. Filters and literals are in submodules.

mod filter;
mod literal;

use crate::ast::{Query, Segment, Selector, Slice};

/// Maximum nesting of filters, whose parser and evaluation are recursive.
const DEEPEST: usize = 100;
/// The largest integer of I-JSON, 2^53 - 1.
const LARGEST_INTEGER: i64 = 9_007_199_254_740_991;

/// A syntax error in a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// A byte offset into the query.
    pub offset: usize,
    /// Starts in lower case, without a final period.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at offset {}", self.message, self.offset)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

pub(crate) fn parse_query(text: &str) -> Result<Query> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if !parser.eat("$") {
        return Err(parser.error("expected `$`"));
    }
    let segments = parser.segments()?;
    if parser.at < text.len() {
        return Err(parser.error("expected `.`, `..` or `[`"));
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
        if self.eat(expected) { Ok(()) } else { Err(self.error(format!("expected `{expected}`"))) }
    }

    fn skip_blank(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.at, message)
    }

    fn error_at(&self, at: usize, message: impl Into<String>) -> ParseError {
        ParseError { offset: at, message: message.into() }
    }

    fn segments(&mut self) -> Result<Vec<Segment>> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.skip_blank();
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
        let selector = if self.eat("*") { Selector::Wildcard } else { Selector::Name(self.member_shorthand()?) };
        Ok(Segment { descendant, selectors: vec![selector] })
    }

    fn member_shorthand(&mut self) -> Result<String> {
        let rest = self.rest();
        let first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        if !rest.starts_with(first) {
            return Err(self.error("expected a name, `*` or `[`; other names are written `['…']`"));
        }
        let end = rest.find(|c| !first(c) && !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += end;
        Ok(rest[..end].to_owned())
    }

    fn bracketed(&mut self) -> Result<Vec<Selector>> {
        self.expect("[")?;
        let mut selectors = Vec::new();
        loop {
            self.skip_blank();
            selectors.push(self.selector()?);
            self.skip_blank();
            if self.eat("]") {
                return Ok(selectors);
            }
            if !self.eat(",") {
                return Err(self.error("expected `,` or `]`"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector> {
        match self.peek() {
            Some(b'\'' | b'"') => self.name_selector(),
            Some(b'*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some(b'?') => {
                self.at += 1;
                self.skip_blank();
                Ok(Selector::Filter(self.expression()?))
            }
            Some(b':' | b'-' | b'0'..=b'9') => self.index_or_slice(),
            _ => Err(self.error("expected a selector: `'name'`, an index, `*`, `start:end` or `?filter`")),
        }
    }

    fn name_selector(&mut self) -> Result<Selector> {
        let name = self.string()?;
        if !self.eat("#") {
            return Ok(Selector::Name(name));
        }
        match u32::try_from(self.integer()?) {
            Ok(number @ 1..) => Ok(Selector::Occurrence(name, number)),
            _ => Err(self.error("occurrences of a name are counted from 1")),
        }
    }

    fn index_or_slice(&mut self) -> Result<Selector> {
        let start = if self.peek() == Some(b':') { None } else { Some(self.integer()?) };
        let after = self.at;
        self.skip_blank();
        if !self.eat(":") {
            self.at = after;
            return start.map(Selector::Index).ok_or_else(|| self.error("expected an index"));
        }
        let end = self.bound()?;
        let step = if self.eat(":") { self.bound()? } else { None };
        Ok(Selector::Slice(Slice { start, end, step: step.unwrap_or(1) }))
    }

    fn bound(&mut self) -> Result<Option<i64>> {
        self.skip_blank();
        let bound = match self.peek() {
            Some(b'-' | b'0'..=b'9') => Some(self.integer()?),
            _ => None,
        };
        self.skip_blank();
        Ok(bound)
    }

    fn integer(&mut self) -> Result<i64> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let count = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let text = &rest[..rest.len() - digits.len() + count];
        if count == 0 {
            return Err(self.error("expected digits"));
        }
        if text == "-0" || (count > 1 && digits.starts_with('0')) {
            return Err(self.error(format!("`{text}` is not a valid integer")));
        }
        match text.parse::<i64>() {
            Ok(value) if (-LARGEST_INTEGER..=LARGEST_INTEGER).contains(&value) => {
                self.at += text.len();
                Ok(value)
            }
            _ => Err(self.error("integers must be between -(2^53 - 1) and 2^53 - 1")),
        }
    }

    /// Parses a recursive part of the grammar with a depth limit.
    fn with_depth<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEEPEST {
            return Err(self.error(format!("filters are nested deeper than {DEEPEST} levels")));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
}
