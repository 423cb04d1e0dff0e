//! Converts values, preludes and selectors to lists of pieces, which are separated by white space, and punctuation.

use marquetry_sdk::{
    Span,
    structure::{Builder, Item, Letters, Metavariable},
};

use super::kind;
use crate::scanner::{Scanner, TokenKind};

/// Maximum nesting of brackets. The content of brackets that are nested deeper is not parsed.
const MAX_DEPTH: usize = 64;

/// Adds values of a stylesheet to a tree.
pub(super) struct ValueWriter<'w, 't> {
    scan: &'w mut Scanner<'t>,
    builder: &'w mut Builder<'t>,
    /// True in selectors, where other characters are punctuation than in values: `>`, `+` and `~`, but not `:`.
    is_selector: bool,
    /// Number that is added to the kinds of nodes; see [`kind::SELECTOR_OFFSET`].
    shift: u8,
    depth: usize,
}

impl<'w, 't> ValueWriter<'w, 't> {
    pub(super) fn new(
        scan: &'w mut Scanner<'t>,
        builder: &'w mut Builder<'t>,
        is_selector: bool,
    ) -> ValueWriter<'w, 't> {
        let shift = if is_selector { kind::SELECTOR_OFFSET } else { 0 };
        ValueWriter { scan, builder, is_selector, shift, depth: 0 }
    }

    /// Adds the range as a list. If `outer`, and the list consists of a single metavariable, the metavariable matches a
    /// whole list.
    pub(super) fn list(&mut self, from: usize, to: usize, outer: bool) {
        let mut at = from;
        while at < to && self.scan.token_at(at).0 == TokenKind::Space {
            at = self.scan.token_at(at).1.min(to);
        }
        self.builder.open(kind::LIST + self.shift, at);
        let (mut end, mut is_open) = (at, false);
        while at < to {
            let (part, next) = self.scan.token_at(at);
            let mut next = next.min(to).max(at + 1);
            match part {
                TokenKind::End => break,
                TokenKind::Space => {}
                TokenKind::Comment => {
                    self.builder.extra(Span::new(at, next));
                    end = next;
                }
                TokenKind::Comma => {
                    if std::mem::take(&mut is_open) {
                        self.close_node(end);
                    }
                }
                _ => {
                    if !std::mem::replace(&mut is_open, true) {
                        self.builder.open(kind::SEQUENCE + self.shift, at);
                    }
                    next = self.piece(at, part, next, to);
                    end = next;
                }
            }
            at = next;
        }
        if is_open {
            self.close_node(end);
        }
        match self.builder.items() {
            [Item::Child(only)] if outer && let Some(metavariable) = self.builder.metavariable(*only) => {
                if metavariable.is_list { self.builder.close(end) } else { self.builder.close_as(metavariable, end) }
            }
            _ => self.builder.close(end),
        }
    }

    /// Closes the innermost node. If it contains only a metavariable, the metavariable replaces the node.
    fn close_node(&mut self, end: usize) {
        match self.builder.items() {
            [Item::Child(only)] if let Some(metavariable) = self.builder.metavariable(*only) => {
                self.builder.close_as(metavariable, end)
            }
            _ => self.builder.close(end),
        }
    }

    /// Adds one piece, or one punctuation character. Returns its end.
    fn piece(&mut self, at: usize, part: TokenKind, end: usize, to: usize) -> usize {
        if self.is_punctuation(part, at) {
            self.builder.sign(Span::new(at, end));
            return end;
        }
        self.builder.open(kind::PIECE + self.shift, at);
        if part == TokenKind::Text {
            let outer = Span::new(at, end);
            let inner = self.scan.between_quotes(at, end).map_or(outer, |inner| Span::new(inner.start, inner.end));
            self.builder.token(inner, outer, Letters::Text);
            self.builder.close(end);
            return end;
        }
        let (mut word, mut at) = (at, at);
        while at < to {
            let (part, end) = self.scan.token_at(at);
            let end = end.min(to);
            match part {
                TokenKind::Group => {
                    self.word(word, at);
                    self.group(at, end);
                    word = end;
                }
                TokenKind::Word | TokenKind::Interpolation | TokenKind::Other | TokenKind::Colon
                    if !self.is_punctuation(part, at) => {}
                _ => break,
            }
            at = end;
        }
        self.word(word, at);
        match self.builder.items() {
            [Item::Token(token)] if let Some(metavariable) = Metavariable::parse(token.text) => {
                self.builder.close_as(metavariable, at)
            }
            _ => self.builder.close(at),
        }
        at
    }

    fn word(&mut self, from: usize, to: usize) {
        if from < to {
            let span = Span::new(from, to);
            self.builder.token(span, span, Letters::Exact);
        }
    }

    /// Returns whether the token is punctuation, such as an operator or a combinator.
    fn is_punctuation(&self, part: TokenKind, at: usize) -> bool {
        match part {
            TokenKind::Colon => !self.is_selector,
            TokenKind::Semicolon | TokenKind::Open | TokenKind::Close | TokenKind::Stray => true,
            TokenKind::Other => {
                let signs: &[u8] = if self.is_selector { b">+~" } else { b"/*+=<>~|&?^`" };
                self.scan.byte(at).is_some_and(|byte| signs.contains(&byte))
            }
            _ => false,
        }
    }

    /// Adds `(…)` or `[…]`.
    fn group(&mut self, at: usize, end: usize) {
        let close = if self.scan.byte(at) == Some(b'(') { b')' } else { b']' };
        let inner = at + 1..end - usize::from(end > at + 1 && self.scan.byte(end - 1) == Some(close));
        self.builder.open(kind::GROUP + self.shift, at);
        self.builder.sign(Span::new(at, at + 1));
        self.depth += 1;
        if self.depth > MAX_DEPTH || self.scan.url_end(at).is_some() {
            self.write_url(Span::new(inner.start, inner.end).trimmed(self.scan.text));
        } else {
            // Even in a selector, square brackets contain names and values, not selectors.
            let was = self.is_selector;
            self.is_selector = was && close == b')';
            self.list(inner.start, inner.end, false);
            self.is_selector = was;
        }
        self.depth -= 1;
        self.builder.close(end);
    }

    /// Adds an unquoted URL as a list with a single string.
    fn write_url(&mut self, span: Span) {
        let (start, end) = (span.range().start, span.range().end);
        self.builder.open(kind::LIST + self.shift, start);
        if start < end {
            self.builder.open(kind::SEQUENCE + self.shift, start);
            self.builder.open(kind::PIECE + self.shift, start);
            match Metavariable::parse(span.slice(self.scan.text)) {
                Some(metavariable) => self.builder.close_as(metavariable, end),
                None => {
                    self.builder.token(span, span, Letters::Text);
                    self.builder.close(end);
                }
            }
            self.close_node(end);
        }
        self.builder.close(end);
    }
}
