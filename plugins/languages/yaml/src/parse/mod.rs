//! Parser for YAML 1.2. It builds a table in one pass, without recursion, and continues after errors.
//!
//! This module contains the parser itself and parses the stream with its documents. There are separate modules for
//! block structure, flow collections, the ends of scalars, and properties.

mod block;
mod flow;
mod property;
mod scalar;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range};

use marquetry_sdk::{Diagnostic, Severity, Span};

use crate::table::{Id, Kind, MAX_LENGTH, Properties, Table};

/// Maximum nesting of collections.
const MAX_DEPTH: usize = 50_000;
/// Maximum number of reported errors.
const MAX_DIAGNOSTICS: usize = 500;
/// Number of bytes that are checked together for control characters.
const CHECK_BLOCK_SIZE: usize = 1 << 12;

/// Code of errors about anchors and tag handles that the text does not declare.
pub(crate) const UNDECLARED_CODE: &str = "undeclared";

/// Parses a text into its table and its syntax errors.
pub(crate) fn parse(text: &str) -> (Table, Vec<Diagnostic>) {
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: 0,
        end: 0,
        // The capacity is generous: unused capacity costs nothing, but moving a large table does.
        table: Table::with_capacity(text.len() / 4 + 8),
        blocks: Vec::new(),
        flows: Vec::new(),
        anchors: BTreeMap::new(),
        handles: Vec::new(),
        problems: Vec::new(),
    };
    if text.len() > MAX_LENGTH {
        parser.table.push(Kind::Stream, 0..0, 0, Properties::NONE);
        parser.report_error(0..0, "the file is too large to be addressed");
    } else {
        parser.parse_stream();
        parser.report_control_characters();
    }
    let Parser { mut table, mut problems, .. } = parser;
    table.finish();
    problems.sort_by_key(|problem| problem.span.start);
    (table, problems)
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// Start of the current line.
    line: usize,
    /// End of the last node or indicator.
    end: usize,
    table: Table,
    /// Block collections that are open.
    blocks: Vec<OpenBlock>,
    /// Flow collections that are open.
    flows: Vec<OpenFlow>,
    /// The node of each anchor that was found in this document so far.
    anchors: BTreeMap<&'t str, Id>,
    /// The tag handles of this document and their prefixes.
    handles: Vec<(&'t str, &'t str)>,
    problems: Vec<Diagnostic>,
}

/// A block collection that is not complete.
struct OpenBlock {
    id: Id,
    column: usize,
    count: u32,
    state: State,
}

/// Parser state in a block collection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// In an entry of a sequence.
    Entry,
    /// In an explicit key of a mapping, after its `?`.
    ExplicitKey,
    /// In a value of a mapping.
    Value,
}

/// A flow collection that is not complete.
struct OpenFlow {
    id: Id,
    kind: Kind,
    count: u32,
    state: flow::State,
}

/// White space and comments skipped between two tokens.
#[derive(Default, Clone, Copy)]
struct Gap {
    newline: bool,
    /// True if a tab precedes the next token on its line.
    tab: bool,
    is_nonempty: bool,
}

impl<'t> Parser<'t> {
    fn report_error(&mut self, range: Range<usize>, message: impl Into<String>) {
        self.report(Severity::Error, range, message);
    }

    /// Reports an error that may disappear if the text is part of a larger file.
    fn report_undeclared(&mut self, range: Range<usize>, message: impl Into<String>) {
        let before = self.problems.len();
        self.report_error(range, message);
        if let Some(problem) = self.problems.get_mut(before) {
            problem.code = Some(UNDECLARED_CODE.to_owned());
        }
    }

    fn report(&mut self, severity: Severity, range: Range<usize>, message: impl Into<String>) {
        if self.problems.len() < MAX_DIAGNOSTICS {
            let mut end = range.end.clamp(range.start, self.text.len());
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            let span = Span::new(range.start, end);
            self.problems.push(Diagnostic { severity, span, message: message.into(), code: None });
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn byte_at(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns whether there is white space or a line break at an offset, or the end of the text.
    fn is_blank_at(&self, at: usize) -> bool {
        self.byte_at(at).is_none_or(is_blank)
    }

    /// Returns whether the current byte is this indicator, followed by white space.
    fn at_indicator(&self, byte: u8) -> bool {
        self.peek() == Some(byte) && self.is_blank_at(self.at + 1)
    }

    fn column(&self) -> usize {
        self.at - self.line
    }

    /// Returns the number of spaces at the start of this line. Tabs do not count as indentation.
    fn indent_width(&self) -> usize {
        self.bytes[self.line..self.at].iter().take_while(|byte| **byte == b' ').count()
    }

    /// Returns the end of this line.
    fn line_end(&self) -> usize {
        memchr::memchr2(b'\n', b'\r', &self.bytes[self.at..]).map_or(self.bytes.len(), |length| self.at + length)
    }

    /// Skips white space, line breaks and comments.
    fn skip_gap(&mut self) -> Gap {
        let mut gap = Gap::default();
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' => self.at += 1,
                b'\t' => {
                    self.at += 1;
                    gap.tab = true;
                }
                b'\n' | b'\r' => {
                    self.skip_line_break();
                    gap.newline = true;
                    gap.tab = false;
                }
                b'#' if self.at == self.line || is_blank(self.bytes[self.at - 1]) => self.at = self.line_end(),
                _ => break,
            }
        }
        gap.is_nonempty = self.at > start;
        gap
    }

    /// Skips the line break at the current position.
    fn skip_line_break(&mut self) {
        self.at += if self.bytes[self.at..].starts_with(b"\r\n") { 2 } else { 1 };
        self.line = self.at;
    }

    /// Skips spaces and tabs of this line.
    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Returns whether a document begins or ends at the current position: `---` or `...` at the start of a line.
    fn at_marker(&self) -> bool {
        self.at == self.line && self.is_marker_at(self.at)
    }

    fn is_marker_at(&self, at: usize) -> bool {
        let rest = &self.bytes[at..];
        (rest.starts_with(b"---") || rest.starts_with(b"...")) && self.is_blank_at(at + 3)
    }

    /// Skips the rest of the line. Anything other than a comment there is an error.
    fn end_line(&mut self, expected: &str) {
        let from = self.at;
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n' | b'\r') => {}
            Some(b'#') if self.at > from || self.at == self.line => self.at = self.line_end(),
            Some(b'#') => {
                self.report_error(self.at..self.at + 1, "expected white space before the comment");
                self.at = self.line_end();
            }
            Some(_) => {
                let end = self.line_end();
                self.report_error(self.at..end, expected);
                self.at = end;
            }
        }
    }

    fn parse_stream(&mut self) {
        let stream = self.table.push(Kind::Stream, 0..0, 0, Properties::NONE);
        let mut count = 0;
        let mut directives_may_come = true;
        loop {
            if self.bytes[self.at..].starts_with("\u{feff}".as_bytes()) && self.at == self.line {
                self.at += 3;
                self.line = self.at;
            }
            self.skip_gap();
            let directives = directives_may_come && self.parse_directives();
            let Some(_) = self.peek() else {
                if directives {
                    self.report_error(self.at..self.at, "a document must follow its directives");
                }
                break;
            };
            let start = self.at_marker() && self.peek() == Some(b'-');
            if directives && !start {
                self.report_error(self.at..self.at, "expected `---` after the directives");
            }
            if self.at_marker() && !start {
                self.at += 3;
                self.end_line("only a comment may follow `...`");
                directives_may_come = true;
                continue;
            }
            if start {
                self.at += 3;
                self.end = self.at;
            }
            self.parse_document(start);
            self.anchors.clear();
            self.handles.clear();
            count += 1;
            directives_may_come = false;
        }
        if count == 0 {
            let at = self.bytes.len();
            self.table.push(Kind::Empty, at..at, 0, Properties::NONE);
            count = 1;
        }
        self.table.close(stream, self.bytes.len(), count);
    }

    /// Parses directives. Returns whether there are any.
    fn parse_directives(&mut self) -> bool {
        let mut any = false;
        let mut version = false;
        while self.at == self.line && self.peek() == Some(b'%') {
            any = true;
            let (start, end) = (self.at, self.line_end());
            let line = &self.text[start..end];
            let line = line.find(" #").map_or(line, |comment| &line[..comment]);
            let words: Vec<&'t str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
            match words.as_slice() {
                ["%YAML", number] if !version => {
                    version = true;
                    self.check_version(start..end, number);
                }
                ["%YAML", _] => self.report_error(start..end, "duplicate `%YAML` directive"),
                ["%YAML", ..] => self.report_error(start..end, "expected `%YAML 1.2`"),
                ["%", ..] => self.report_error(start..end, "expected the name of a directive"),
                ["%TAG", handle, prefix] if is_handle(handle) && property::is_uri(prefix) => {
                    self.handles.push((handle, prefix))
                }
                ["%TAG", ..] => self.report_error(start..end, "expected `%TAG !handle! prefix`"),
                [_, ..] => self.report(Severity::Warning, start..end, "an unknown directive is ignored"),
                [] => {}
            }
            self.at = end;
            self.skip_gap();
        }
        any
    }

    fn check_version(&mut self, place: Range<usize>, number: &str) {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match number.split_once('.') {
            Some(("1", minor)) if digits(minor) => {}
            Some((major, minor)) if digits(major) && digits(minor) => {
                self.report_error(place, format!("YAML {number} cannot be read"));
            }
            _ => self.report_error(place, "expected `%YAML 1.2`"),
        }
    }

    /// Reports control characters other than line breaks and tabs, which YAML does not allow.
    fn report_control_characters(&mut self) {
        let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t');
        // The inner loop has no early exit, so that the compiler can vectorize it.
        let any = |block: &[u8]| block.iter().fold(false, |any, byte| any | is_control(*byte));
        let Some(block) = self.bytes.chunks(CHECK_BLOCK_SIZE).position(any) else { return };
        let from = block * CHECK_BLOCK_SIZE;
        if let Some(at) = self.bytes[from..].iter().position(|byte| is_control(*byte)) {
            self.report_error(
                from + at..from + at + 1,
                "control characters can only be written as escapes in double quotes",
            );
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_flow_indicator(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}

/// Returns whether the text is a tag handle: `!`, `!!` or `!name!`.
fn is_handle(handle: &str) -> bool {
    let name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    handle == "!" || handle.strip_prefix('!').and_then(|rest| rest.strip_suffix('!')).is_some_and(name)
}
