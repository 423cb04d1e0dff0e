//! Scans a document into its table in one pass, without recursion, and continues after errors.

use marquetry_sdk::{Diagnostic, Severity, Span};

use crate::{
    dialect::Dialect,
    table::{Id, MAX_LENGTH, Table},
    token,
};

/// Maximum nesting of containers.
const MAX_DEPTH: usize = 100_000;
/// Maximum number of reported errors.
const MAX_DIAGNOSTICS: usize = 500;

/// Scans a document into its table and its syntax errors.
pub(crate) fn scan_document(text: &str, rules: Dialect) -> (Table, Vec<Diagnostic>) {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        // The capacity is generous: unused capacity costs nothing, but moving a large table does.
        table: Table::with_capacity(text.len() / 4 + 4, rules.is_json_lines),
        open_containers: Vec::new(),
        open_arrays: 0,
        missing_value_at: 0,
        malformed_end: 0,
        relaxed: rules.allows_comments,
        problems: Vec::new(),
    };
    if text.len() > MAX_LENGTH {
        scanner.report_problem(0..0, "the document is too large to be addressed");
        scanner.table.push_scalar(0, 0);
    } else if rules.is_json_lines {
        scanner.scan_lines();
    } else {
        scanner.scan_whole();
    }
    scanner.table.finish();
    (scanner.table, scanner.problems)
}

/// A container that is not complete.
struct OpenContainer {
    id: Id,
    count: u32,
    is_object: bool,
}

struct Scanner<'t> {
    text: &'t str,
    /// The text that is scanned. In JSON Lines, it ends at the end of the current line.
    bytes: &'t [u8],
    at: usize,
    table: Table,
    open_containers: Vec<OpenContainer>,
    /// Number of open containers that are arrays.
    open_arrays: usize,
    /// Position of a value that is missing: after the last colon.
    missing_value_at: usize,
    /// End of the last malformed part of the text, including trailing white space.
    malformed_end: usize,
    relaxed: bool,
    problems: Vec<Diagnostic>,
}

/// The token that is expected next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// The value of the document, or a value after a colon.
    Value,
    /// An element, or the end of the array.
    Element { after_comma: bool },
    /// A key, or the end of the object.
    Key { after_comma: bool },
    /// A comma, or the end of the container.
    Separator,
    /// The end of the text, because the value is complete.
    End,
}

impl Scanner<'_> {
    fn report_problem(&mut self, range: std::ops::Range<usize>, message: impl Into<String>) {
        if self.problems.len() < MAX_DIAGNOSTICS {
            let (severity, code) = (Severity::Error, None);
            self.problems.push(Diagnostic { severity, span: Span::from(range), message: message.into(), code });
        }
    }

    fn current_range(&self) -> std::ops::Range<usize> {
        let length = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.at..self.at + length
    }

    fn scan_whole(&mut self) {
        self.at = if self.text.starts_with('\u{feff}') { 3 } else { 0 };
        self.missing_value_at = self.at;
        self.scan_value();
        self.skip_blank();
        if self.at < self.bytes.len() {
            let rest = self.at..self.bytes.len();
            self.report_problem(rest, "only white space may follow the value");
        }
    }

    fn scan_lines(&mut self) {
        let root = self.table.open(0);
        let mut count = 0;
        let mut start = if self.text.starts_with('\u{feff}') { 3 } else { 0 };
        while start < self.text.len() {
            let end = memchr::memchr(b'\n', &self.text.as_bytes()[start..]).map_or(self.text.len(), |at| start + at);
            (self.bytes, self.at) = (&self.text.as_bytes()[..end], start);
            self.skip_blank();
            if self.at < end {
                self.missing_value_at = self.at;
                self.scan_value();
                count += 1;
                self.skip_blank();
                if self.at < end {
                    self.report_problem(self.at..end, "only one value per line is allowed");
                }
            }
            start = end + 1;
        }
        self.table.close(root, self.text.len(), count);
    }

    /// Skips white space and comments.
    #[inline]
    fn skip_blank(&mut self) {
        self.at = token::skip_space(self.bytes, self.at);
        if self.bytes.get(self.at) == Some(&b'/') {
            self.skip_comments();
        }
    }

    #[cold]
    fn skip_comments(&mut self) {
        while self.bytes.get(self.at) == Some(&b'/') && self.skip_comment() {
            self.at = token::skip_space(self.bytes, self.at);
        }
    }

    /// Skips a comment, if there is one.
    fn skip_comment(&mut self) -> bool {
        let start = self.at;
        let rest = &self.bytes[start..];
        let end = match rest.get(1) {
            Some(b'/') => start + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()),
            Some(b'*') => match memchr::memmem::find(&rest[2..], b"*/") {
                Some(at) => start + at + 4,
                None => {
                    self.report_problem(start..start + 2, "the comment is never closed");
                    self.bytes.len()
                }
            },
            _ => return false,
        };
        if !self.relaxed {
            self.report_problem(start..end, "JSON has no comments");
        }
        self.at = end;
        true
    }

    /// Scans one complete value.
    fn scan_value(&mut self) {
        let mut next = Expected::Value;
        loop {
            self.skip_blank();
            let Some(&byte) = self.bytes.get(self.at) else { return self.handle_end_of_text(next) };
            next = match next {
                Expected::Value => self.start_value(byte, next),
                Expected::Element { after_comma } => self.scan_element(byte, after_comma),
                Expected::Key { after_comma } => self.scan_key(byte, after_comma),
                Expected::Separator => self.scan_separator(byte),
                Expected::End => return,
            };
            if next == Expected::End {
                return;
            }
        }
    }

    fn handle_end_of_text(&mut self, next: Expected) {
        if next == Expected::Value {
            self.missing_value();
        }
        let Some(innermost) = self.open_containers.last() else { return };
        let (bracket, start) = (if innermost.is_object { '{' } else { '[' }, self.table.range(innermost.id).start);
        let line = self.text[..start].matches('\n').count() + 1;
        self.report_problem(self.at..self.at, format!("the `{bracket}` of line {line} is never closed"));
        while !self.open_containers.is_empty() {
            self.close_container(self.last_token_end());
        }
    }

    /// Returns the end of the last token before the current position.
    fn last_token_end(&self) -> usize {
        let before = &self.bytes[..self.at];
        let blank = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count();
        (before.len() - blank).max(self.malformed_end)
    }

    /// Adds an empty span at the position of a missing value, so that a value can be inserted there.
    fn missing_value(&mut self) {
        self.report_problem(self.at..self.at, "expected a value");
        self.malformed_end = self.missing_value_at;
        self.table.push_scalar(self.missing_value_at, self.missing_value_at);
        self.count_child();
    }

    fn count_child(&mut self) {
        if let Some(open) = self.open_containers.last_mut() {
            open.count += 1;
        }
    }

    /// Returns what may follow a complete value.
    fn next_expected(&self) -> Expected {
        if self.open_containers.is_empty() { Expected::End } else { Expected::Separator }
    }

    /// Starts a value. If no value can start with this byte, returns `again`.
    #[inline]
    fn start_value(&mut self, byte: u8, again: Expected) -> Expected {
        let start = self.at;
        match byte {
            b'"' => {
                self.skip_string(b'"');
                self.table.push_scalar(start, self.at);
            }
            b'-' | b'0'..=b'9' => {
                let (end, good) = token::number_end(self.bytes, start);
                self.at = end;
                self.table.push_scalar(start, end);
                if !good {
                    self.report_problem(start..end, format!("`{}` is not a number", &self.text[start..end]));
                }
            }
            b'{' | b'[' => return self.open_container(byte == b'{'),
            b',' | b'}' | b']' => {
                self.missing_value();
                return self.next_expected();
            }
            b':' | b'\0'..=b' ' => return self.report_unexpected(again),
            _ => self.scan_literal(),
        }
        self.count_child();
        self.next_expected()
    }

    fn open_container(&mut self, object: bool) -> Expected {
        if self.open_containers.len() >= MAX_DEPTH {
            self.report_problem(self.current_range(), format!("values are nested more than {MAX_DEPTH} levels deep"));
            // Every key needs a value, so add an empty one.
            self.table.push_scalar(self.at, self.at);
            self.count_child();
            self.at = self.bytes.len();
            return Expected::Separator;
        }
        self.count_child();
        let id = self.table.open(self.at);
        self.open_containers.push(OpenContainer { id, count: 0, is_object: object });
        self.open_arrays += usize::from(!object);
        self.at += 1;
        if object { Expected::Key { after_comma: false } } else { Expected::Element { after_comma: false } }
    }

    /// Closes the innermost container.
    fn close_container(&mut self, end: usize) -> Expected {
        if let Some(open) = self.open_containers.pop() {
            self.open_arrays -= usize::from(!open.is_object);
            self.table.close(open.id, end, open.count);
        }
        self.next_expected()
    }

    /// Handles a closing bracket that matches the innermost container.
    fn handle_closing_bracket(&mut self, after_comma: bool) -> Expected {
        if after_comma && !self.relaxed {
            let comma = self.last_comma_offset();
            self.report_problem(comma..comma + 1, "JSON has no trailing commas");
        }
        self.at += 1;
        self.close_container(self.at)
    }

    fn last_comma_offset(&self) -> usize {
        let mut at = self.last_token_end();
        while at > 0 && self.bytes[at - 1] != b',' {
            at -= 1; // there are comments between
        }
        at.saturating_sub(1)
    }

    /// Handles a closing bracket that does not match the innermost container.
    fn handle_wrong_bracket(&mut self) -> Expected {
        let object = self.open_containers.last().is_some_and(|open| open.is_object);
        let others = if object { self.open_arrays } else { self.open_containers.len() - self.open_arrays };
        let expected = if object { '}' } else { ']' };
        self.report_problem(self.current_range(), format!("expected `{expected}`"));
        if others > 0 {
            return self.close_container(self.last_token_end()); // it belongs to an outer container
        }
        self.at += 1;
        Expected::Separator
    }

    #[inline]
    fn scan_element(&mut self, byte: u8, after_comma: bool) -> Expected {
        match byte {
            b']' => self.handle_closing_bracket(after_comma),
            b'}' => self.handle_wrong_bracket(),
            b',' => {
                self.report_problem(self.current_range(), "expected a value before the `,`");
                self.at += 1;
                Expected::Element { after_comma: true }
            }
            b':' => {
                self.report_problem(self.current_range(), "an array has no keys");
                self.at += 1;
                Expected::Element { after_comma }
            }
            _ => self.start_value(byte, Expected::Element { after_comma }),
        }
    }

    #[inline]
    fn scan_key(&mut self, byte: u8, after_comma: bool) -> Expected {
        let start = self.at;
        match byte {
            b'"' => self.skip_string(b'"'),
            b'}' => return self.handle_closing_bracket(after_comma),
            b']' => return self.handle_wrong_bracket(),
            b',' => {
                self.report_problem(self.current_range(), "expected a member before the `,`");
                self.at += 1;
                return Expected::Key { after_comma: true };
            }
            b':' | b'{' | b'[' => self.report_problem(start..start, "expected a key"),
            b'\'' => {
                self.skip_string(b'\'');
                self.report_problem(start..self.at, "keys need double quotes");
            }
            _ => {
                self.at = token::word_end(self.bytes, start);
                if self.at == start {
                    return self.report_unexpected(Expected::Key { after_comma });
                }
                self.report_problem(start..self.at, "keys need double quotes");
            }
        }
        self.table.push_key(start, self.at);
        self.skip_blank();
        if self.bytes.get(self.at) == Some(&b':') {
            self.at += 1;
            self.missing_value_at = self.at + usize::from(self.bytes.get(self.at) == Some(&b' '));
        } else {
            self.report_problem(self.at..self.at, "expected `:`");
            self.missing_value_at = self.at;
        }
        Expected::Value
    }

    #[inline]
    fn scan_separator(&mut self, byte: u8) -> Expected {
        let object = self.open_containers.last().is_some_and(|open| open.is_object);
        match (byte, object) {
            (b',', _) => {
                self.at += 1;
                if object { Expected::Key { after_comma: true } } else { Expected::Element { after_comma: true } }
            }
            (b'}', true) | (b']', false) => self.handle_closing_bracket(false),
            (b'}', false) | (b']', true) => self.handle_wrong_bracket(),
            _ => {
                self.report_problem(self.last_token_end()..self.at, "expected `,`");
                if object { Expected::Key { after_comma: false } } else { Expected::Element { after_comma: false } }
            }
        }
    }

    /// Reports and skips a character that cannot begin a token.
    fn report_unexpected(&mut self, next: Expected) -> Expected {
        let range = self.current_range();
        self.report_problem(range.clone(), format!("unexpected {:?}", &self.text[range.clone()]));
        self.at = range.end;
        next
    }

    /// Scans `true`, `false`, `null`, or an invalid word.
    fn scan_literal(&mut self) {
        let start = self.at;
        if self.bytes[start] == b'\'' {
            self.skip_string(b'\'');
            self.report_problem(start..self.at, "strings need double quotes");
        } else {
            // Comments have been skipped, so a slash at this position does not begin a comment.
            self.at = token::word_end(self.bytes, start + 1);
            if !matches!(&self.bytes[start..self.at], b"true" | b"false" | b"null") {
                let word = &self.text[start..self.at];
                self.report_problem(
                    start..self.at,
                    format!("`{}` is not a value; strings need double quotes", shorten_for_message(word)),
                );
            }
        }
        self.table.push_scalar(start, self.at);
    }

    /// Skips a string. It ends at its closing quote, or at the end of the line if that is missing.
    #[inline]
    fn skip_string(&mut self, quote: u8) {
        let start = self.at;
        let mut at = start + 1;
        loop {
            at =
                if quote == b'"' { token::next_string_special(self.bytes, at) } else { self.single_quoted_special(at) };
            match self.bytes.get(at) {
                Some(&byte) if byte == quote => break,
                Some(b'\\') => at = self.skip_escape(at),
                Some(b'\n' | b'\r') | None => {
                    self.report_problem(start..at, "the string is never closed");
                    (self.at, self.malformed_end) = (at, at);
                    return;
                }
                Some(_) => {
                    self.report_problem(at..at + 1, "control characters in strings must be escaped");
                    at += 1;
                }
            }
        }
        self.at = at + 1;
    }

    fn single_quoted_special(&self, at: usize) -> usize {
        self.bytes[at..]
            .iter()
            .position(|byte| matches!(byte, b'\'' | b'\\' | b'\0'..b' '))
            .map_or(self.bytes.len(), |n| at + n)
    }

    fn skip_escape(&mut self, at: usize) -> usize {
        let (mut end, good) = token::escape_end(self.bytes, at);
        if !good {
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            self.report_problem(at..end, format!("`{}` is not a JSON escape", &self.text[at..end]));
        }
        end
    }
}

fn shorten_for_message(word: &str) -> &str {
    word.char_indices().nth(40).map_or(word, |(end, _)| &word[..end])
}
