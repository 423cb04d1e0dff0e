//! Layout of the result: statements as lines, reindented text, and the comments that belong to it.

use std::collections::HashMap;

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Span, lines};

use crate::editor::Style;
use crate::editor::fragment::lines_inside_literals;
use crate::refactor::convert_to_async::writer::ChainWriter;
use crate::syntax::spans::{Place, clamp, span_in};

/// A line of a statement.
pub(super) struct OutputLine {
    pub(super) level: usize,
    pub(super) text: String,
    /// The offset of the code in the original text from which the line is made.
    pub(super) origin: Option<u32>,
}

/// Style of the result.
pub(super) struct Layout {
    pub(super) style: Style,
    pub(super) typed: bool,
}

impl<'w> ChainWriter<'_, '_, 'w> {
    /// Returns the complete text, including comments that were not moved.
    pub(super) fn into_text(mut self, whole: Span) -> String {
        self.add_remaining_comments(whole);
        let line_break = self.layout.style.line_break;
        let mut text = String::new();
        for (index, line) in self.lines.iter().enumerate() {
            if index > 0 {
                text += line_break;
            }
            if !line.text.is_empty() {
                text += &if index > 0 { self.indent_of(line.level) } else { String::new() };
                text += &line.text;
            }
        }
        text
    }

    pub(super) fn text(&self) -> &'w str {
        self.here.text()
    }

    pub(super) fn indent_of(&self, level: usize) -> String {
        format!("{}{}", self.indent, self.layout.style.unit.repeat(level))
    }

    /// Writes a statement with the terminator that the file uses.
    pub(super) fn write_statement(&mut self, level: usize, text: impl AsRef<str>, origin: Option<u32>) {
        self.write_line(level, &format!("{}{}", text.as_ref(), self.layout.style.semicolon), origin);
    }

    pub(super) fn write_line(&mut self, level: usize, text: &str, origin: Option<u32>) {
        let text = format!("{}{text}", std::mem::take(&mut self.pending_comments));
        self.lines.push(OutputLine { level, text, origin });
    }

    /// Writes comments and an empty line between the statements of a callback.
    pub(super) fn write_gap(&mut self, from: usize, to: usize, level: usize, first: usize) {
        let text = self.text();
        let comments = &self.here.program.comments;
        let start = comments.partition_point(|comment| (comment.span.start as usize) < from);
        let mut before = from;
        for comment in comments[start..].iter().take_while(|comment| comment.span.end as usize <= to) {
            let span = span_in(comment.span, text);
            let is_behind = !text[before..span.range().start].contains('\n') && self.lines.len() > first;
            let written = self.moved_text(comment.span, level);
            let is_ahead = comment.is_block() && !text[span.range().start..to].contains('\n');
            match self.lines.last_mut() {
                Some(last) if is_behind => {
                    last.text.push(' ');
                    last.text += &written;
                }
                _ if is_ahead && !text[to..].starts_with('}') => self.pending_comments += &format!("{written} "),
                _ => self.write_line(level, &written, Some(span.start)),
            }
            before = span.range().end;
        }
        let is_parted = text[before..to].matches('\n').count() > 1;
        if is_parted && self.lines.len() > first && !text[to..].starts_with('}') {
            self.lines.push(OutputLine { level, text: String::new(), origin: None });
        }
    }

    /// Adds comments outside of moved text, each before the code that followed it.
    fn add_remaining_comments(&mut self, whole: Span) {
        let text = self.text();
        let comments = &self.here.program.comments;
        let start = comments.partition_point(|comment| comment.span.start < whole.start);
        // Maps the index of a line to the offset in it at which the next comment is inserted, if several comments
        // precede its code.
        let mut ahead: HashMap<usize, usize> = HashMap::new();
        let inside = comments[start..].iter().take_while(|comment| comment.span.end <= whole.end);
        for comment in inside {
            let span = span_in(comment.span, text);
            if self.moved_spans.iter().any(|moved| moved.contains(span)) {
                continue;
            }
            // Keep a comment at the end of a line there.
            let previous = self.lines.iter().rposition(|line| line.origin.is_some_and(|origin| origin < span.start));
            let origin = previous.and_then(|at| self.lines[at].origin).map(|origin| origin as usize);
            if let (Some(at), Some(origin)) = (previous, origin)
                && comment.is_line()
                && !text[origin..span.range().start].contains('\n')
            {
                let own = self.moved_text(comment.span, 0);
                self.lines[at].text += &format!(" {own}");
                continue;
            }
            let next = self.lines.iter().position(|line| line.origin.is_some_and(|origin| origin > span.start));
            let at = next.unwrap_or(self.lines.len());
            let level = self.lines.get(at).map_or(0, |line| line.level);
            let own = self.moved_text(comment.span, level);
            let fits = comment.is_block() && !own.contains('\n');
            match self.lines.get_mut(at) {
                Some(line) if fits => {
                    let known = ahead.entry(at).or_default();
                    line.text.insert_str(*known, &format!("{own} "));
                    *known += own.len() + 1;
                }
                _ => {
                    self.lines.insert(at, OutputLine { level, text: own, origin: Some(span.start) });
                    ahead.clear();
                }
            }
        }
    }

    /// Returns a part of the text with new names, reindented.
    pub(super) fn moved_text(&mut self, place: impl Place, level: usize) -> String {
        let text = self.text();
        let span = clamp(place.place(), Span::new(0, text.len()));
        self.moved_spans.push(span);
        let edits = &self.names.edits;
        let from = edits.partition_point(|edit| edit.span.start < span.start);
        let to = edits.partition_point(|edit| edit.span.start <= span.end);
        let within: Vec<Edit> = edits[from..to].iter().filter(|edit| edit.span.end <= span.end).cloned().collect();
        let written = apply_within(text, span.range(), &within);
        let (old, new) = (lines::indent_at(text, span.range().start), self.indent_of(level));
        if old == new || !written.contains('\n') {
            return written;
        }
        let frozen = lines_inside_literals(span.slice(text), self.literals, span.range().start);
        let moved = written.split('\n').enumerate().map(|(index, line)| {
            if index == 0 || frozen.contains(&index) || line.trim().is_empty() {
                return line.to_owned();
            }
            let rest = line.strip_prefix(old).unwrap_or_else(|| line.trim_start_matches([' ', '\t']));
            format!("{new}{rest}")
        });
        moved.collect::<Vec<String>>().join("\n")
    }
}
