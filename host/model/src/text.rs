//! Lines and columns: conversion between byte offsets and the positions that people and protocols use.

use std::cell::OnceCell;

/// A position as tools report it: lines from 1, columns from 0 in UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 0, in UTF-16 code units.
    pub column: usize,
}

/// The position reached while reading a text piece by piece.
///
/// # Examples
///
/// ```
/// use marquetry_model::text::{Position, PositionTracker};
///
/// let mut tracker = PositionTracker::default();
/// for piece in ["one\r", "\ntwo"] {
///     tracker.advance(piece);
/// }
/// assert_eq!(tracker.position(), Position { line: 2, column: 3 });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PositionTracker {
    position: Position,
    /// True if the last piece ended with `\r`; a `\n` at the start of the next one belongs to the same line break.
    after_return: bool,
}

impl Default for PositionTracker {
    fn default() -> PositionTracker {
        PositionTracker { position: Position { line: 1, column: 0 }, after_return: false }
    }
}

impl PositionTracker {
    /// Advances over the next piece.
    pub fn advance(&mut self, piece: &str) {
        if piece.is_empty() {
            return;
        }
        let ends_with_return = piece.ends_with('\r');
        let joined = std::mem::replace(&mut self.after_return, ends_with_return) && piece.starts_with('\n');
        let piece = &piece[usize::from(joined)..];
        let bytes = piece.as_bytes();
        let is_break = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let mut tail = piece;
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes).filter(is_break) {
            self.position = Position { line: self.position.line + 1, column: 0 };
            tail = &piece[at + 1..];
        }
        self.position.column += utf16_len(tail);
    }

    /// The position at the end of the pieces that were read.
    pub fn position(&self) -> Position {
        self.position
    }
}

/// Index of the line starts of a text. A line ends with `\n`, `\r\n` or a lone `\r`.
///
/// # Examples
///
/// ```
/// use marquetry_model::text::{Lines, Position};
///
/// let text = "one\r\n😀 two\n";
/// let lines = Lines::new(text);
/// assert_eq!(lines.count(), 3);
/// assert_eq!(lines.line(2).map(|span| span.slice(text)), Some("😀 two"));
/// // The emoji has four bytes and two UTF-16 code units.
/// assert_eq!(lines.position(9), Position { line: 2, column: 2 });
/// assert_eq!(lines.offset(Position { line: 2, column: 2 }), Some(9));
/// assert_eq!(lines.offset(Position { line: 9, column: 0 }), None);
/// ```
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// Number of UTF-16 units before each block of the text. Computed on demand, for long lines.
    blocks: OnceCell<Vec<usize>>,
}

/// Columns of lines below this length are counted directly. For longer ones (minified files) the block index is used.
const LONG_LINE: usize = 512;
const BLOCK_BYTES: usize = 512;

impl<'a> Lines<'a> {
    /// Indexes a text.
    pub fn new(text: &'a str) -> Lines<'a> {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at + 1);
            }
        }
        Lines { text, starts, blocks: OnceCell::new() }
    }

    /// The number of lines. A text that ends with a line break has an empty last line.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Converts a byte offset to a position.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let column = if offset - start < LONG_LINE {
            utf16_len(&self.text[start..offset])
        } else {
            self.utf16_units_before(offset) - self.utf16_units_before(start)
        };
        Position { line, column }
    }

    /// Converts a position to a byte offset. A column past the end of the line gives the end of the line; a line past
    /// the end of the text gives `None`.
    pub fn offset(&self, position: Position) -> Option<usize> {
        let span = self.line(position.line)?;
        let (mut at, mut column) = (span.start, 0);
        if span.len() >= LONG_LINE {
            // Skip the blocks before the position.
            let wanted = self.utf16_units_before(span.start) + position.column;
            let block = self.blocks().partition_point(|before| *before <= wanted).saturating_sub(1);
            let start = ceil_boundary(self.text, block * BLOCK_BYTES);
            if start > span.start && start <= span.end {
                (at, column) = (start, self.utf16_units_before(start) - self.utf16_units_before(span.start));
            }
        }
        for (index, c) in self.text[at..span.end].char_indices() {
            if column >= position.column {
                return Some(at + index);
            }
            column += c.len_utf16();
        }
        Some(span.end)
    }

    /// The number of UTF-16 units before an offset.
    fn utf16_units_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK_BYTES;
        let start = ceil_boundary(self.text, block * BLOCK_BYTES).min(offset);
        self.blocks()[block] + utf16_len(&self.text[start..offset])
    }

    fn blocks(&self) -> &[usize] {
        self.blocks.get_or_init(|| {
            let mut blocks = Vec::with_capacity(self.text.len() / BLOCK_BYTES + 1);
            let (mut at, mut count) = (0, 0);
            for block in 0..=self.text.len() / BLOCK_BYTES {
                let start = ceil_boundary(self.text, block * BLOCK_BYTES);
                count += utf16_len(&self.text[at..start]);
                at = start;
                blocks.push(count);
            }
            blocks
        })
    }

    /// Keeps only the line starts, without the text.
    pub fn into_starts(self) -> LineStarts {
        LineStarts(self.starts)
    }

    /// Returns the span of a line (from 1) without its line break.
    pub fn line(&self, line: usize) -> Option<crate::Span> {
        let start = *self.starts.get(line.checked_sub(1)?)?;
        let end = self.starts.get(line).map_or(self.text.len(), |next| *next);
        Some(crate::Span::new(start, start + self.text[start..end].trim_end_matches(['\n', '\r']).len()))
    }
}

/// The line starts of a text, without the text itself.
#[derive(Debug, Clone)]
pub struct LineStarts(Vec<usize>);

impl LineStarts {
    /// Returns the line of a byte offset, from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}

/// The number of UTF-16 units in a text.
fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Rounds an offset up to the next character boundary.
fn ceil_boundary(text: &str, offset: usize) -> usize {
    (offset..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// The line ending of a file.
///
/// # Examples
///
/// ```
/// use marquetry_model::text::LineBreak;
///
/// let file = "a\r\nb\r\nc\n";
/// assert_eq!(LineBreak::most_frequent(file), LineBreak::CrLf);
/// assert_eq!(LineBreak::CrLf.convert("x\ny\n"), "x\r\ny\r\n");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineBreak {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
    /// `\r`
    Cr,
}

impl LineBreak {
    /// Returns the most frequent line ending of the text; `\n` if it has a single line.
    pub fn most_frequent(text: &str) -> LineBreak {
        let bytes = text.as_bytes();
        if memchr::memchr(b'\r', bytes).is_none() {
            return LineBreak::Lf;
        }
        let (mut lf, mut crlf, mut cr) = (0_usize, 0_usize, 0_usize);
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            match bytes[at] {
                b'\n' if at > 0 && bytes[at - 1] == b'\r' => crlf += 1,
                b'\n' => lf += 1,
                _ if bytes.get(at + 1) == Some(&b'\n') => {}
                _ => cr += 1,
            }
        }
        if crlf >= lf && crlf >= cr {
            LineBreak::CrLf
        } else if lf >= cr {
            LineBreak::Lf
        } else {
            LineBreak::Cr
        }
    }

    /// The characters of the line ending.
    pub fn as_str(self) -> &'static str {
        match self {
            LineBreak::Lf => "\n",
            LineBreak::CrLf => "\r\n",
            LineBreak::Cr => "\r",
        }
    }

    /// Converts all line endings of the text to this one.
    pub fn convert(self, text: &str) -> String {
        let plain = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() };
        if self == LineBreak::Lf { plain } else { plain.replace('\n', self.as_str()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16_units() {
        let lines = Lines::new("a\r\n😀b\rc\n");
        assert_eq!(lines.count(), 4);
        assert_eq!(lines.position(7), Position { line: 2, column: 2 });
        assert_eq!(lines.offset(Position { line: 2, column: 2 }), Some(7));
        assert_eq!(lines.position(9), Position { line: 3, column: 0 });
        assert_eq!(lines.offset(Position { line: 1, column: 99 }), Some(1));
        assert_eq!(lines.offset(Position { line: 9, column: 0 }), None);
    }

    #[test]
    fn reading_in_pieces_ends_at_the_same_position() {
        let text = "a\r\n😀b\rc\n\n\r\n\r\nd";
        for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let mut reading = PositionTracker::default();
            for piece in [&text[..at], "", &text[at..]] {
                reading.advance(piece);
            }
            assert_eq!(reading.position(), Lines::new(text).position(text.len()), "cut at {at}");
        }
    }

    #[test]
    fn columns_of_long_lines_use_the_block_index() {
        for piece in ["a", "é", "😀", "ab😀c"] {
            let text = format!("x\n{}\ny", piece.repeat(1500));
            let lines = Lines::new(&text);
            for (offset, _) in text.char_indices() {
                let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
                let position = lines.position(offset);
                assert_eq!(position.column, text[start..offset].chars().map(char::len_utf16).sum::<usize>());
                assert_eq!(lines.offset(position), Some(offset));
            }
        }
    }

    #[test]
    fn the_most_frequent_line_break_wins() {
        assert_eq!(LineBreak::most_frequent("a\r\nb\nc\r\n"), LineBreak::CrLf);
        assert_eq!(LineBreak::most_frequent("a\nb\r\nc\n"), LineBreak::Lf);
        assert_eq!(LineBreak::CrLf.convert("a\nb\r\n"), "a\r\nb\r\n");
    }

    #[test]
    fn offsets_in_long_lines_are_after_the_character() {
        let text = format!("{}\n{}\n", "é".repeat(600), "😀".repeat(600));
        let lines = Lines::new(&text);
        for (line, column, expected) in [
            (1, 0, 0),
            (1, 512, 1024),
            (1, 599, 1198),
            (1, 600, 1200),
            (1, 999, 1200),
            (2, 0, 1201),
            (2, 511, 1201 + 256 * 4),
            (2, 512, 1201 + 256 * 4),
            (2, 1199, 1201 + 600 * 4),
            (2, 9999, 1201 + 600 * 4),
        ] {
            assert_eq!(lines.offset(Position { line, column }), Some(expected), "{line}:{column}");
        }
    }

    #[test]
    fn line_starts_give_the_line_without_the_text() {
        let starts = Lines::new("a\r\nb\rc\n").into_starts();
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|offset| starts.line(offset)), [1, 1, 1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn equally_frequent_line_breaks_have_a_fixed_order() {
        for (text, expected) in [
            ("", LineBreak::Lf),
            ("a\nb", LineBreak::Lf),
            ("\n\r", LineBreak::Lf),
            ("\r\r\n", LineBreak::CrLf),
            ("\r\n\n", LineBreak::CrLf),
            ("\r\r\n\r", LineBreak::Cr),
            ("\n\r\n\n", LineBreak::Lf),
            ("\r\n\r", LineBreak::CrLf),
        ] {
            assert_eq!(LineBreak::most_frequent(text), expected, "{text:?}");
        }
    }
}
