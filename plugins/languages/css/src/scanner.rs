//! Lexer. Its tokens are white space, comments, words, strings, and brackets with their whole content.
//!
//! The lexer is not recursive: it keeps nested brackets, strings and interpolations on an explicit stack.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use marquetry_sdk::{Diagnostic, Severity, Span};

use crate::chars::{Dialect, escape_end, is_break, is_name, is_space, name_end};

/// Maximum number of diagnostics per document.
const MAX_DIAGNOSTICS: usize = 200;

/// Maximum length of an interpolation in an unquoted URL, in bytes.
const MAX_INTERPOLATION_LEN: usize = 1000;

/// If a closing bracket does not match the innermost bracket, at most this number of open brackets is searched for its
/// match.
const MAX_CLOSED_BRACKETS: usize = 32;

/// The ends of brackets that are nested at least this deep are cached.
const MIN_CACHED_DEPTH: usize = 4;

/// Kind of a token. Brackets and strings are one token, including their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Space,
    Comment,
    /// A sequence of name characters and escapes.
    Word,
    /// A string, or JavaScript between backticks.
    Text,
    /// `(…)` or `[…]`.
    Group,
    /// `#{…}`, `@{…}` or `${…}`.
    Interpolation,
    Colon,
    Semicolon,
    Comma,
    /// `{`
    Open,
    /// `}`
    Close,
    /// A `)` or `]` that closes no bracket.
    Stray,
    Other,
    End,
}

/// Reads the tokens of a text.
#[derive(Debug)]
pub(crate) struct Scanner<'t> {
    pub(crate) text: &'t str,
    pub(crate) dialect: Dialect,
    /// True if `//` starts a comment.
    pub(crate) line_comments: bool,
    /// If true, no diagnostics are reported, because the text has been read before.
    pub(crate) quiet: bool,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Closing character and start offset of the open brackets and strings.
    open: Vec<(u8, usize)>,
    /// Ends of deeply nested brackets, by their start. They are cached because the content of a skipped bracket is
    /// usually read later, and would be searched again for each level. `None` until a bracket is nested that deep,
    /// because most scanners read only a single value.
    bracket_ends: Option<Rc<RefCell<HashMap<usize, usize>>>>,
    /// Positions of the single and the double quote that were found last. They are needed in LESS, whose strings can
    /// span lines.
    next_quote: [usize; 2],
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str, dialect: Dialect) -> Scanner<'t> {
        Scanner {
            text,
            dialect,
            line_comments: dialect.line_comments(),
            quiet: false,
            diagnostics: Vec::new(),
            open: Vec::new(),
            bracket_ends: None,
            next_quote: [0; 2],
        }
    }

    /// Creates a scanner that does not report diagnostics.
    pub(crate) fn without_reports(text: &'t str, dialect: Dialect) -> Scanner<'t> {
        Scanner { quiet: true, ..Scanner::new(text, dialect) }
    }

    /// Creates a scanner for a prefix of the same text, which ends at the end of a bracket. It reads the content of
    /// this bracket, and shares the cache of bracket ends.
    pub(crate) fn prefix_scanner(&self, text: &'t str) -> Scanner<'t> {
        Scanner { bracket_ends: self.bracket_ends.clone(), ..Scanner::without_reports(text, self.dialect) }
    }

    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(crate) fn report(&mut self, span: impl Into<Span>, message: impl Into<String>) {
        self.add_diagnostic(Severity::Error, span.into(), message.into());
    }

    pub(crate) fn warn(&mut self, span: impl Into<Span>, message: impl Into<String>) {
        self.add_diagnostic(Severity::Warning, span.into(), message.into());
    }

    fn add_diagnostic(&mut self, severity: Severity, span: Span, message: String) {
        if !self.quiet && self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic { severity, span, message, code: None });
        }
    }

    /// Returns the kind of the token at the offset, and its end.
    pub(crate) fn token_at(&mut self, at: usize) -> (TokenKind, usize) {
        let Some(byte) = self.byte(at) else { return (TokenKind::End, at) };
        match byte {
            _ if is_name(byte) => (TokenKind::Word, name_end(self.text, at)),
            _ if is_space(byte) => (TokenKind::Space, self.spaces_end(at)),
            b':' => (TokenKind::Colon, at + 1),
            b';' => (TokenKind::Semicolon, at + 1),
            b',' => (TokenKind::Comma, at + 1),
            b'{' => (TokenKind::Open, at + 1),
            b'}' => (TokenKind::Close, at + 1),
            b'(' | b'[' => (TokenKind::Group, self.balanced_end(at)),
            b')' | b']' => (TokenKind::Stray, at + 1),
            b'"' | b'\'' => (TokenKind::Text, self.balanced_end(at)),
            b'`' if self.dialect == Dialect::Less => (TokenKind::Text, self.backticks_end(at)),
            b'/' if self.is_comment(at) => (TokenKind::Comment, self.comment_end(at)),
            b'\\' => (TokenKind::Word, name_end(self.text, at).max(escape_end(self.text, at))),
            _ if self.is_interpolation(at) => (TokenKind::Interpolation, self.balanced_end(at + 1)),
            _ => (TokenKind::Other, at + 1),
        }
    }

    /// Returns the range between the quotes of a string. `None` if the string is not closed.
    pub(crate) fn between_quotes(&self, start: usize, end: usize) -> Option<std::ops::Range<usize>> {
        let bytes = self.text.as_bytes();
        (end >= start + 2 && bytes[end - 1] == bytes[start]).then(|| start + 1..end - 1)
    }

    /// Returns the kind, start and end of the next token that is neither white space nor a comment.
    pub(crate) fn next_token(&mut self, mut at: usize) -> (TokenKind, usize, usize) {
        loop {
            match self.token_at(at) {
                (TokenKind::Space | TokenKind::Comment, end) => at = end,
                (part, end) => return (part, at, end),
            }
        }
    }

    /// Returns the offset after white space and comments.
    pub(crate) fn skip_trivia(&mut self, mut at: usize) -> usize {
        while let Some(byte) = self.byte(at) {
            if is_space(byte) {
                at = self.spaces_end(at);
            } else if byte == b'/' && self.is_comment(at) {
                at = self.comment_end(at);
            } else {
                break;
            }
        }
        at
    }

    fn spaces_end(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        at + rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len())
    }

    fn is_comment(&self, at: usize) -> bool {
        match self.byte(at + 1) {
            Some(b'*') => true,
            Some(b'/') => self.line_comments,
            _ => false,
        }
    }

    fn comment_end(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        if bytes[at + 1] == b'/' {
            return memchr::memchr3(b'\n', b'\r', b'\x0c', &bytes[at..]).map_or(bytes.len(), |found| at + found);
        }
        match memchr::memmem::find(&bytes[at + 2..], b"*/") {
            Some(found) => at + 2 + found + 2,
            None => {
                self.report(at..at + 2, "this comment is not closed: missing `*/`");
                bytes.len()
            }
        }
    }

    fn is_interpolation(&self, at: usize) -> bool {
        let starts = match self.dialect {
            Dialect::Css => false,
            Dialect::Scss => self.byte(at) == Some(b'#'),
            Dialect::Less => matches!(self.byte(at), Some(b'@' | b'$')),
        };
        starts && self.byte(at + 1) == Some(b'{')
    }

    fn backticks_end(&mut self, at: usize) -> usize {
        match memchr::memchr(b'`', &self.text.as_bytes()[at + 1..]) {
            Some(found) => at + found + 2,
            None => {
                self.report(at..at + 1, "this JavaScript is not closed: missing backtick");
                marquetry_sdk::lines::line_end(self.text, at)
            }
        }
    }

    /// Returns the end of the bracket or string that starts at `start`. An unmatched `}` also ends it.
    pub(crate) fn balanced_end(&mut self, start: usize) -> usize {
        if let Some(end) = self.bracket_ends.as_ref().and_then(|ends| ends.borrow().get(&start).copied()) {
            return end.min(self.text.len());
        }
        self.open.clear();
        let mut at = self.enter_bracket(start);
        while let Some((closer, from)) = self.open.last().copied() {
            let Some(byte) = self.byte(at) else {
                self.report_unclosed(0);
                self.cache_ends(0, at);
                break;
            };
            at = match closer {
                b'"' | b'\'' => self.step_in_string(at, byte, closer, from),
                _ => self.step_in_group(at, byte, closer),
            };
        }
        at
    }

    /// Pushes the bracket or string at this offset to the stack. Returns the offset of its content. An unquoted URL is
    /// skipped as a whole instead.
    fn enter_bracket(&mut self, at: usize) -> usize {
        let closer = match self.text.as_bytes()[at] {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            quote => quote,
        };
        if closer == b')'
            && let Some(end) = self.url_end(at)
        {
            return end;
        }
        self.open.push((closer, at));
        at + 1
    }

    fn step_in_group(&mut self, at: usize, byte: u8, closer: u8) -> usize {
        match byte {
            _ if byte == closer => {
                if let Some((_, from)) = self.open.pop()
                    && self.open.len() >= MIN_CACHED_DEPTH
                {
                    self.bracket_ends.get_or_insert_default().borrow_mut().insert(from, at + 1);
                }
                at + 1
            }
            b'(' | b'[' | b'{' | b'"' | b'\'' => self.enter_bracket(at),
            b')' | b']' | b'}' => self.close_mismatched(at, byte),
            b'`' if self.dialect == Dialect::Less => self.backticks_end(at),
            b'/' if self.is_comment(at) => self.comment_end(at),
            b'\\' => escape_end(self.text, at),
            _ => at + 1,
        }
    }

    /// Handles a closing bracket that does not match the innermost bracket. It closes an outer bracket that it matches,
    /// if there is one. Otherwise, `}` ends all open brackets, and `)` or `]` is reported and ignored.
    fn close_mismatched(&mut self, at: usize, byte: u8) -> usize {
        let nearest = self.open.len().saturating_sub(MAX_CLOSED_BRACKETS);
        let is_quote = |(closer, _): &(u8, usize)| matches!(closer, b'"' | b'\'');
        let within = nearest + self.open[nearest..].iter().rposition(is_quote).map_or(0, |quote| quote + 1);
        match self.open[within..].iter().rposition(|(closer, _)| *closer == byte) {
            Some(found) => {
                self.report_unclosed(within + found + 1);
                self.cache_ends(within + found + 1, at);
                self.open.truncate(within + found);
                at + 1
            }
            None if byte == b'}' => {
                self.report_unclosed(0);
                self.cache_ends(0, at);
                self.open.clear();
                at
            }
            None => {
                self.report(at..at + 1, format!("unmatched `{}`", byte as char));
                at + 1
            }
        }
    }

    /// Caches the end of the open brackets and strings from this depth on, if they are nested deep enough.
    fn cache_ends(&mut self, depth: usize, at: usize) {
        if let Some(deep) = self.open.get(depth.max(MIN_CACHED_DEPTH)..).filter(|deep| !deep.is_empty()) {
            let ends = self.bracket_ends.get_or_insert_default();
            ends.borrow_mut().extend(deep.iter().map(|(_, from)| (*from, at)));
        }
    }

    /// Reports that the innermost bracket or string is not closed, if its depth is at least the given one.
    fn report_unclosed(&mut self, depth: usize) {
        if let Some((closer, from)) = self.open[depth..].last().copied() {
            let what = if matches!(closer, b'"' | b'\'') { "string" } else { "bracket" };
            self.report(from..from + 1, format!("this {what} is not closed: missing `{}`", closer as char));
        }
    }

    fn step_in_string(&mut self, at: usize, byte: u8, closer: u8, from: usize) -> usize {
        match byte {
            _ if byte == closer => {
                self.open.pop();
                at + 1
            }
            b'\\' => escape_end(self.text, at),
            b'#' if self.dialect == Dialect::Scss && self.byte(at + 1) == Some(b'{') => self.enter_bracket(at + 1),
            _ if is_break(byte) && !self.spans_lines(closer, at) => {
                self.report(from..from + 1, format!("this string is not closed: missing `{}`", closer as char));
                self.open.pop();
                at
            }
            _ => {
                let rest = &self.text.as_bytes()[at..];
                let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'\\' | b'#') || is_break(*byte));
                at + plain.unwrap_or(rest.len()).max(1)
            }
        }
    }

    /// Returns whether a string can continue on the next line. LESS allows this if the string is closed later.
    fn spans_lines(&mut self, quote: u8, at: usize) -> bool {
        if self.dialect != Dialect::Less {
            return false;
        }
        let known = &mut self.next_quote[usize::from(quote == b'"')];
        if *known < at {
            *known = memchr::memchr(quote, &self.text.as_bytes()[at..]).map_or(usize::MAX, |found| at + found);
        }
        *known != usize::MAX
    }

    /// Returns the end of `url(…)` if its content is not quoted. `open` is the offset of the bracket.
    pub(crate) fn url_end(&mut self, open: usize) -> Option<usize> {
        if !self.is_url(open) {
            return None;
        }
        let start = self.spaces_end(open + 1);
        let mut at = start;
        while let Some(byte) = self.byte(at) {
            at = match byte {
                b')' => return Some(at + 1),
                b'\\' => escape_end(self.text, at),
                b'{' if at > start && self.is_interpolation(at - 1) => self.plain_braces_end(at)?,
                b'"' | b'\'' | b'(' if at == start || self.dialect != Dialect::Css => return None,
                b'"' | b'\'' | b'(' => {
                    self.warn(at..at + 1, "an unquoted URL cannot contain quotes or brackets");
                    at + 1
                }
                b'$' if self.dialect == Dialect::Scss => return None,
                b'}' if self.dialect == Dialect::Css && self.byte(at + 1).is_none_or(is_break) => {
                    return Some(self.report_unclosed_url(open, at));
                }
                _ if is_space(byte) => match self.spaces_end(at) {
                    end if self.byte(end) == Some(b')') || self.dialect == Dialect::Less => end,
                    _ if self.dialect == Dialect::Scss => return None,
                    end if self.text.as_bytes()[at..end].iter().any(|byte| is_break(*byte)) => {
                        return Some(self.report_unclosed_url(open, at));
                    }
                    end => end,
                },
                _ => at + 1,
            };
        }
        (self.dialect == Dialect::Css).then(|| self.report_unclosed_url(open, self.text.len()))
    }

    fn report_unclosed_url(&mut self, open: usize, at: usize) -> usize {
        self.report(open..open + 1, "this bracket is not closed: missing `)`");
        at
    }

    /// Returns whether the bracket follows the name `url`. In SCSS and LESS, the name can have a vendor prefix, and
    /// similar functions count, too.
    fn is_url(&self, open: usize) -> bool {
        let before = &self.text.as_bytes()[..open];
        if !before.last().is_some_and(|last| matches!(last, b'l' | b'L' | b'x' | b'X' | b'n' | b'N')) {
            return false;
        }
        let start = before.iter().rposition(|byte| !is_name(*byte) && *byte != b'\\').map_or(0, |at| at + 1);
        let mut name = &self.text[start..open];
        if self.dialect == Dialect::Css {
            return name.eq_ignore_ascii_case("url");
        }
        if let Some((_, own)) = name.strip_prefix('-').and_then(|rest| rest.split_once('-')) {
            name = own;
        }
        ["url", "url-prefix", "domain"].iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    /// Returns the end of the interpolation whose brace is at the offset. `None` if it is longer than
    /// [`MAX_INTERPOLATION_LEN`].
    fn plain_braces_end(&self, at: usize) -> Option<usize> {
        let mut depth = 0;
        for (offset, byte) in self.text.as_bytes()[at..].iter().take(MAX_INTERPOLATION_LEN).enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(at + offset + 1);
            }
        }
        None
    }
}
