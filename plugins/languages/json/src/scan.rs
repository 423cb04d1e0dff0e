//! Scans a document into its table in one pass, without recursion, and continues after errors.

use marquetry_sdk::{Problem, Severity, Span};

use crate::{
    rules::Rules,
    table::{Id, LONGEST, Table},
    token,
};

/// Maximum nesting of containers.
const DEEPEST: usize = 100_000;
/// Maximum number of reported errors.
const MOST_PROBLEMS: usize = 500;

/// Scans a document into its table and its syntax errors.
pub(crate) fn scan(text: &str, rules: Rules) -> (Table, Vec<Problem>) {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        // Generous, because unused capacity costs nothing, but moving a large table does.
        table: Table::with_capacity(text.len() / 4 + 4, rules.lines),
        open: Vec::new(),
        arrays: 0,
        value_at: 0,
        broken_to: 0,
        relaxed: rules.relaxed,
        problems: Vec::new(),
    };
    if text.len() > LONGEST {
        scanner.problem(0..0, "the document is too large to be addressed");
        scanner.table.push_scalar(0, 0);
    } else if rules.lines {
        scanner.lines();
    } else {
        scanner.whole();
    }
    scanner.table.finish();
    (scanner.table, scanner.problems)
}

/// A container that is not complete.
struct Open {
    id: Id,
    count: u32,
    object: bool,
}

struct Scanner<'t> {
    text: &'t str,
    /// The text being scanned: all of it, or up to the end of a line.
    bytes: &'t [u8],
    at: usize,
    table: Table,
    open: Vec<Open>,
    /// Number of open containers that are arrays.
    arrays: usize,
    /// Position for a missing value: after the last colon.
    value_at: usize,
    /// End of the last malformed part, including trailing white space.
    broken_to: usize,
    relaxed: bool,
    problems: Vec<Problem>,
}

/// Expected next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A value: of the document, or after a colon.
    Value,
    /// An element, or the end of the array.
    Element { after_comma: bool },
    /// A key, or the end of the object.
    Key { after_comma: bool },
    /// A comma, or the end of the container.
    Separator,
    /// Nothing: the value is complete.
    End,
}

impl Scanner<'_> {
    fn problem(&mut self, range: std::ops::Range<usize>, message: impl Into<String>) {
        if self.problems.len() < MOST_PROBLEMS {
            let (severity, code) = (Severity::Error, None);
            self.problems.push(Problem { severity, span: Span::from(range), message: message.into(), code });
        }
    }

    fn here(&self) -> std::ops::Range<usize> {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.at..self.at + length
    }

    fn whole(&mut self) {
        self.at = if self.text.starts_with('\u{feff}') { 3 } else { 0 };
        self.value_at = self.at;
        self.value();
        self.blank();
        if self.at < self.bytes.len() {
            let rest = self.at..self.bytes.len();
            self.problem(rest, "only white space may follow the value");
        }
    }

    fn lines(&mut self) {
        let root = self.table.open(0);
        let mut count = 0;
        let mut start = if self.text.starts_with('\u{feff}') { 3 } else { 0 };
        while start < self.text.len() {
            let end = memchr::memchr(b'\n', &self.text.as_bytes()[start..]).map_or(self.text.len(), |at| start + at);
            (self.bytes, self.at) = (&self.text.as_bytes()[..end], start);
            self.blank();
            if self.at < end {
                self.value_at = self.at;
                self.value();
                count += 1;
                self.blank();
                if self.at < end {
                    self.problem(self.at..end, "only one value per line is allowed");
                }
            }
            start = end + 1;
        }
        self.table.close(root, self.text.len(), count);
    }

    /// Skips white space and comments.
    #[inline]
    fn blank(&mut self) {
        self.at = token::skip_space(self.bytes, self.at);
        if self.bytes.get(self.at) == Some(&b'/') {
            self.comments();
        }
    }

    #[cold]
    fn comments(&mut self) {
        while self.bytes.get(self.at) == Some(&b'/') && self.comment() {
            self.at = token::skip_space(self.bytes, self.at);
        }
    }

    /// Skips a comment, if there is one.
    fn comment(&mut self) -> bool {
        let start = self.at;
        let rest = &self.bytes[start..];
        let end = match rest.get(1) {
            Some(b'/') => start + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()),
            Some(b'*') => match memchr::memmem::find(&rest[2..], b"*/") {
                Some(at) => start + at + 4,
                None => {
                    self.problem(start..start + 2, "the comment is never closed");
                    self.bytes.len()
                }
            },
            _ => return false,
        };
        if !self.relaxed {
            self.problem(start..end, "JSON has no comments");
        }
        self.at = end;
        true
    }

    /// Scans one complete value.
    fn value(&mut self) {
        let mut next = Next::Value;
        loop {
            self.blank();
            let Some(&byte) = self.bytes.get(self.at) else { return self.end_of_text(next) };
            next = match next {
                Next::Value => self.start_value(byte, next),
                Next::Element { after_comma } => self.element(byte, after_comma),
                Next::Key { after_comma } => self.key(byte, after_comma),
                Next::Separator => self.separator(byte),
                Next::End => return,
            };
            if next == Next::End {
                return;
            }
        }
    }

    fn end_of_text(&mut self, next: Next) {
        if next == Next::Value {
            self.missing_value();
        }
        let Some(innermost) = self.open.last() else { return };
        let (bracket, start) = (if innermost.object { '{' } else { '[' }, self.table.range(innermost.id).start);
        let line = self.text[..start].matches('\n').count() + 1;
        self.problem(self.at..self.at, format!("the `{bracket}` of line {line} is never closed"));
        while !self.open.is_empty() {
            self.close(self.end_of_last());
        }
    }

    /// Returns the end of the text before the current position, without white space.
    fn end_of_last(&self) -> usize {
        let before = &self.bytes[..self.at];
        let blank = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count();
        (before.len() - blank).max(self.broken_to)
    }

    /// Adds an empty span for a missing value, so that one can be inserted there.
    fn missing_value(&mut self) {
        self.problem(self.at..self.at, "expected a value");
        self.broken_to = self.value_at;
        self.table.push_scalar(self.value_at, self.value_at);
        self.count();
    }

    fn count(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.count += 1;
        }
    }

    /// Returns what may follow a complete value.
    fn after(&self) -> Next {
        if self.open.is_empty() { Next::End } else { Next::Separator }
    }

    /// Starts a value; returns `again` if there is none.
    #[inline]
    fn start_value(&mut self, byte: u8, again: Next) -> Next {
        let start = self.at;
        match byte {
            b'"' => {
                self.string(b'"');
                self.table.push_scalar(start, self.at);
            }
            b'-' | b'0'..=b'9' => {
                let (end, good) = token::number(self.bytes, start);
                self.at = end;
                self.table.push_scalar(start, end);
                if !good {
                    self.problem(start..end, format!("`{}` is not a number", &self.text[start..end]));
                }
            }
            b'{' | b'[' => return self.open(byte == b'{'),
            b',' | b'}' | b']' => {
                self.missing_value();
                return self.after();
            }
            b':' | b'\0'..=b' ' => return self.unexpected(again),
            _ => self.literal(),
        }
        self.count();
        self.after()
    }

    fn open(&mut self, object: bool) -> Next {
        if self.open.len() >= DEEPEST {
            self.problem(self.here(), format!("values are nested more than {DEEPEST} levels deep"));
            // An empty value, because every key needs one.
            self.table.push_scalar(self.at, self.at);
            self.count();
            self.at = self.bytes.len();
            return Next::Separator;
        }
        self.count();
        let id = self.table.open(self.at);
        self.open.push(Open { id, count: 0, object });
        self.arrays += usize::from(!object);
        self.at += 1;
        if object { Next::Key { after_comma: false } } else { Next::Element { after_comma: false } }
    }

    /// Closes the innermost container.
    fn close(&mut self, end: usize) -> Next {
        if let Some(open) = self.open.pop() {
            self.arrays -= usize::from(!open.object);
            self.table.close(open.id, end, open.count);
        }
        self.after()
    }

    /// Handles the closing bracket of the container.
    fn close_here(&mut self, after_comma: bool) -> Next {
        if after_comma && !self.relaxed {
            let comma = self.last_comma();
            self.problem(comma..comma + 1, "JSON has no trailing commas");
        }
        self.at += 1;
        self.close(self.at)
    }

    fn last_comma(&self) -> usize {
        let mut at = self.end_of_last();
        while at > 0 && self.bytes[at - 1] != b',' {
            at -= 1; // there are comments between
        }
        at.saturating_sub(1)
    }

    /// Handles a closing bracket of the other kind.
    fn close_other(&mut self) -> Next {
        let object = self.open.last().is_some_and(|open| open.object);
        let others = if object { self.arrays } else { self.open.len() - self.arrays };
        let expected = if object { '}' } else { ']' };
        self.problem(self.here(), format!("expected `{expected}`"));
        if others > 0 {
            return self.close(self.end_of_last()); // it belongs to an outer container
        }
        self.at += 1;
        Next::Separator
    }

    #[inline]
    fn element(&mut self, byte: u8, after_comma: bool) -> Next {
        match byte {
            b']' => self.close_here(after_comma),
            b'}' => self.close_other(),
            b',' => {
                self.problem(self.here(), "expected a value before the `,`");
                self.at += 1;
                Next::Element { after_comma: true }
            }
            b':' => {
                self.problem(self.here(), "an array has no keys");
                self.at += 1;
                Next::Element { after_comma }
            }
            _ => self.start_value(byte, Next::Element { after_comma }),
        }
    }

    #[inline]
    fn key(&mut self, byte: u8, after_comma: bool) -> Next {
        let start = self.at;
        match byte {
            b'"' => self.string(b'"'),
            b'}' => return self.close_here(after_comma),
            b']' => return self.close_other(),
            b',' => {
                self.problem(self.here(), "expected a member before the `,`");
                self.at += 1;
                return Next::Key { after_comma: true };
            }
            b':' | b'{' | b'[' => self.problem(start..start, "expected a key"),
            b'\'' => {
                self.string(b'\'');
                self.problem(start..self.at, "keys need double quotes");
            }
            _ => {
                self.at = token::word(self.bytes, start);
                if self.at == start {
                    return self.unexpected(Next::Key { after_comma });
                }
                self.problem(start..self.at, "keys need double quotes");
            }
        }
        self.table.push_key(start, self.at);
        self.blank();
        if self.bytes.get(self.at) == Some(&b':') {
            self.at += 1;
            self.value_at = self.at + usize::from(self.bytes.get(self.at) == Some(&b' '));
        } else {
            self.problem(self.at..self.at, "expected `:`");
            self.value_at = self.at;
        }
        Next::Value
    }

    #[inline]
    fn separator(&mut self, byte: u8) -> Next {
        let object = self.open.last().is_some_and(|open| open.object);
        match (byte, object) {
            (b',', _) => {
                self.at += 1;
                if object { Next::Key { after_comma: true } } else { Next::Element { after_comma: true } }
            }
            (b'}', true) | (b']', false) => self.close_here(false),
            (b'}', false) | (b']', true) => self.close_other(),
            _ => {
                self.problem(self.end_of_last()..self.at, "expected `,`");
                if object { Next::Key { after_comma: false } } else { Next::Element { after_comma: false } }
            }
        }
    }

    /// Handles a character that cannot begin anything.
    fn unexpected(&mut self, next: Next) -> Next {
        let range = self.here();
        self.problem(range.clone(), format!("unexpected {:?}", &self.text[range.clone()]));
        self.at = range.end;
        next
    }

    /// Scans `true`, `false`, `null`, or an invalid word.
    fn literal(&mut self) {
        let start = self.at;
        if self.bytes[start] == b'\'' {
            self.string(b'\'');
            self.problem(start..self.at, "strings need double quotes");
        } else {
            // Comments were skipped, so a slash here does not begin one.
            self.at = token::word(self.bytes, start + 1);
            if !matches!(&self.bytes[start..self.at], b"true" | b"false" | b"null") {
                let word = &self.text[start..self.at];
                self.problem(start..self.at, format!("`{}` is not a value; strings need double quotes", shorten(word)));
            }
        }
        self.table.push_scalar(start, self.at);
    }

    /// Skips a string, up to its closing quote or the end of the line.
    #[inline]
    fn string(&mut self, quote: u8) {
        let start = self.at;
        let mut at = start + 1;
        loop {
            at = if quote == b'"' { token::string_special(self.bytes, at) } else { self.single_special(at) };
            match self.bytes.get(at) {
                Some(&byte) if byte == quote => break,
                Some(b'\\') => at = self.escape(at),
                Some(b'\n' | b'\r') | None => {
                    self.problem(start..at, "the string is never closed");
                    (self.at, self.broken_to) = (at, at);
                    return;
                }
                Some(_) => {
                    self.problem(at..at + 1, "control characters in strings must be escaped");
                    at += 1;
                }
            }
        }
        self.at = at + 1;
    }

    fn single_special(&self, at: usize) -> usize {
        self.bytes[at..]
            .iter()
            .position(|byte| matches!(byte, b'\'' | b'\\' | b'\0'..b' '))
            .map_or(self.bytes.len(), |n| at + n)
    }

    fn escape(&mut self, at: usize) -> usize {
        let (mut end, good) = token::escape(self.bytes, at);
        if !good {
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            self.problem(at..end, format!("`{}` is not a JSON escape", &self.text[at..end]));
        }
        end
    }
}

fn shorten(word: &str) -> &str {
    word.char_indices().nth(40).map_or(word, |(end, _)| &word[..end])
}
