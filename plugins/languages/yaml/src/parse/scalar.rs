//! Finds the ends of scalars. Their values are decoded only when they are needed.

use super::{Parser, is_blank, is_flow_indicator};

/// Extent of a scalar.
#[derive(Clone, Copy)]
pub(super) struct Scalar {
    pub(super) end: usize,
    /// True if the scalar has more than one line.
    pub(super) multiline: bool,
}

impl Parser<'_> {
    /// Returns whether a plain scalar can start at the current position.
    pub(super) fn starts_plain(&self, in_flow: bool) -> bool {
        match self.peek() {
            None => false,
            Some(b'-' | b'?' | b':') => {
                !self.is_blank_at(self.at + 1) && !(in_flow && self.byte_at(self.at + 1).is_some_and(is_flow_indicator))
            }
            Some(byte) => !is_blank(byte) && !is_flow_indicator(byte) && !b"#&*!|>'\"%@`".contains(&byte),
        }
    }

    /// Returns the end of a plain scalar on its first line, which contains `from`.
    pub(super) fn plain_end_on_line(&self, from: usize, in_flow: bool) -> usize {
        let mut at = from;
        // Offset after the last character that is not white space.
        let mut end = from;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\n' | b'\r' => break,
                b' ' | b'\t' => {
                    at += 1;
                    continue;
                }
                b'#' if at > end || at == from => break,
                b':' => {
                    let next = self.byte_at(at + 1);
                    if next.is_none_or(is_blank) || (in_flow && next.is_some_and(is_flow_indicator)) {
                        break;
                    }
                }
                b',' | b'[' | b']' | b'{' | b'}' if in_flow => break,
                _ => {}
            }
            at += 1;
            end = at;
        }
        end
    }

    /// Continues a plain scalar on the lines below. They must be indented more than `parent`. `end` is the end of the
    /// scalar on its first line.
    pub(super) fn continue_plain(&mut self, end: usize, parent: Option<usize>, in_flow: bool) -> Scalar {
        let mut found = Scalar { end, multiline: false };
        loop {
            self.at = found.end;
            let kept = self.line;
            self.skip_blanks();
            if !matches!(self.peek(), Some(b'\n' | b'\r')) {
                (self.at, self.line) = (found.end, kept);
                return found;
            }
            while matches!(self.peek(), Some(b'\n' | b'\r')) {
                self.skip_line_break();
                self.skip_blanks();
            }
            let goes_on = self.peek().is_some_and(|byte| byte != b'#')
                && self.is_deeper_than(parent)
                && !self.is_marker_at(self.line);
            let next = if goes_on { self.plain_end_on_line(self.at, in_flow) } else { self.at };
            if next == self.at {
                (self.at, self.line) = (found.end, kept);
                return found;
            }
            found = Scalar { end: next, multiline: true };
        }
    }

    /// Returns whether this line is indented more than the enclosing collection.
    pub(super) fn is_deeper_than(&self, parent: Option<usize>) -> bool {
        parent.is_none_or(|parent| self.indent_width() > parent)
    }

    /// Skips a quoted scalar.
    pub(super) fn skip_quoted(&mut self, parent: Option<usize>) -> Scalar {
        let start = self.at;
        let quote = self.bytes[start];
        let mut multiline = false;
        self.at += 1;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(length) = memchr::memchr3(quote, b'\\', b'\n', rest) else { return self.report_unclosed(start) };
            let length = memchr::memchr(b'\r', &rest[..length]).unwrap_or(length);
            self.at += length;
            match self.bytes[self.at] {
                b'\n' | b'\r' => {
                    multiline = true;
                    if !self.move_to_quoted_line(parent) {
                        return self.report_unclosed(start);
                    }
                }
                b'\\' if quote == b'"' => self.skip_escape(),
                b'\'' if self.byte_at(self.at + 1) == Some(b'\'') => self.at += 2,
                byte if byte == quote => {
                    self.at += 1;
                    return Scalar { end: self.at, multiline };
                }
                _ => self.at += 1, // a backslash in single quotes is an ordinary character
            }
        }
    }

    fn report_unclosed(&mut self, start: usize) -> Scalar {
        let first = self.bytes[start..]
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .map_or(self.bytes.len(), |n| start + n);
        self.report_error(start..first, "the quoted scalar is never closed");
        self.at = first;
        self.line = self.bytes[..start].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
        Scalar { end: first, multiline: false }
    }

    /// Moves to the content of the next line of a quoted scalar. Returns false if that line starts with a document
    /// marker.
    fn move_to_quoted_line(&mut self, parent: Option<usize>) -> bool {
        self.skip_line_break();
        if self.is_marker_at(self.at) {
            self.report_error(self.at..self.at + 3, "a document marker is not allowed in a quoted scalar");
            return false;
        }
        self.skip_blanks();
        if self.peek().is_some_and(|byte| !is_blank(byte)) && !self.is_deeper_than(parent) {
            self.report_error(
                self.line..self.at,
                "the lines of a quoted scalar must be indented deeper than the enclosing collection",
            );
        }
        true
    }

    fn skip_escape(&mut self) {
        let start = self.at;
        let digits = match self.byte_at(start + 1) {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            Some(b'\n' | b'\r') => {
                self.at += 1;
                return;
            }
            Some(byte) if b"0abt\tnvfre \"/\\N_LP".contains(&byte) => {
                self.at += 2;
                return;
            }
            other => {
                self.report_error(start..start + 2, "not a YAML escape");
                self.at += if other.is_some_and(|byte| byte.is_ascii()) { 2 } else { 1 };
                return;
            }
        };
        let found = self.bytes[start + 2..].iter().take(digits).take_while(|byte| byte.is_ascii_hexdigit()).count();
        self.at = start + 2 + found;
        if found < digits {
            self.report_error(start..self.at, format!("expected {digits} hexadecimal digits"));
        }
    }

    /// Skips a block scalar that starts with `|` or `>`. Returns its end and the indentation of its lines.
    pub(super) fn skip_block_scalar(&mut self, parent: Option<usize>) -> (usize, usize) {
        let start = self.at;
        self.at += 1;
        let (mut keep, mut chomped, mut given) = (false, false, None);
        while let Some(byte) = self.peek() {
            match byte {
                b'+' | b'-' if !chomped => (keep, chomped) = (byte == b'+', true),
                b'1'..=b'9' if given.is_none() => given = Some(usize::from(byte - b'0')),
                _ => break,
            }
            self.at += 1;
        }
        let header = self.at;
        self.end_line("expected the text of the block scalar on the next line");
        let indent = match given {
            Some(step) => parent.unwrap_or(0) + step,
            None => self.detect_indent(parent.map_or(0, |parent| parent + 1)),
        };
        let end = self.skip_block_lines(header.max(start + 1), indent, keep);
        (end, indent)
    }

    /// Returns the indentation of a block scalar. It is that of its first non-empty line, but at least `least`.
    fn detect_indent(&mut self, least: usize) -> usize {
        let mut at = self.at;
        let mut widest = 0;
        while let Some(line) = self.next_line_start(at) {
            let spaces = self.spaces_at(line);
            if !matches!(self.byte_at(line + spaces), Some(b'\n' | b'\r')) {
                if self.byte_at(line + spaces).is_none() || spaces < least {
                    widest = widest.max(if self.byte_at(line + spaces).is_none() { spaces } else { 0 });
                    break;
                }
                if widest > spaces {
                    self.report_error(
                        line..line + spaces,
                        "an empty line above is indented deeper than the text of the block scalar",
                    );
                }
                return spaces;
            }
            widest = widest.max(spaces);
            at = line + spaces;
        }
        widest.max(least)
    }

    /// Returns the start of the line after the line break at `at`.
    fn next_line_start(&self, at: usize) -> Option<usize> {
        let length = match &self.bytes[at..] {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => return None,
        };
        Some(at + length)
    }

    fn spaces_at(&self, line: usize) -> usize {
        self.bytes[line..].iter().take_while(|byte| **byte == b' ').count()
    }

    /// Skips the lines of a block scalar and returns its end. This is the end of its last non-empty line. If `keep` is
    /// set, it is the end of its last line.
    fn skip_block_lines(&mut self, header: usize, indent: usize, keep: bool) -> usize {
        let (mut end, mut last_line) = (header, self.line);
        let mut at = self.at;
        if keep && self.next_line_start(at).is_some() {
            end = at.max(header);
        }
        while let Some(line) = self.next_line_start(at) {
            let spaces = self.spaces_at(line).min(indent);
            let content = line + spaces;
            let line_end =
                memchr::memchr2(b'\n', b'\r', &self.bytes[content..]).map_or(self.bytes.len(), |n| content + n);
            let empty = content == line_end;
            if (!empty && spaces < indent) || (indent == 0 && self.is_marker_at(line)) {
                if self.byte_at(content) == Some(b'\t') {
                    self.report_error(content..content + 1, "tabs cannot indent the text of a block scalar");
                }
                break;
            }
            at = line_end;
            // Spaces at the very end of the text count as a line only if the scalar has no other lines.
            let counts = self.next_line_start(line_end).is_some() || (spaces > 0 && end <= self.at.max(header));
            if !empty || (keep && counts) {
                (end, last_line) = (line_end, line);
            }
        }
        (self.at, self.line) = (end, last_line);
        if end < self.line {
            self.line = self.bytes[..end].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
        }
        end
    }
}
