//! Converts parser events to a tree of blocks.

use std::ops::Range;

use marquetry_sdk::{Diagnostic, Severity, Span};

use crate::blocks::{Builder, Detail, HeadingTexts, Inline, InlineKind, Kind, Tree};
use crate::piece::{Part, Piece};
use crate::{js, link_definitions, list, tag};

/// Maximum number of reported errors.
const MAX_DIAGNOSTICS: usize = 1000;

/// A heading that is being read.
#[derive(Debug)]
struct OpenHeading {
    start: usize,
    level: u8,
    inner: Option<Span>,
    texts: HeadingTexts,
}

/// An element that has started but not ended.
#[derive(Debug)]
enum OpenPart {
    Part(Part),
    /// A link or an image: its kind, its range, and the current end of its content.
    Link(Option<InlineKind>, Range<usize>, usize),
    /// A JSX element: the range of its opening tag, and whether it is a block.
    Element(Range<usize>, bool),
}

/// Reads the events of a document in order.
pub(crate) struct Reader<'t> {
    builder: Builder<'t>,
    open: Vec<OpenPart>,
    /// Range of inline content that is not in a paragraph, as in a tight list.
    inline_run: Option<Range<usize>>,
    /// True within a block whose content adds no other blocks.
    inside_known_block: bool,
    heading: Option<OpenHeading>,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(builder: Builder<'t>) -> Reader<'t> {
        Reader { builder, open: Vec::new(), inline_run: None, inside_known_block: false, heading: None }
    }

    /// Returns the blocks of the whole document.
    pub(crate) fn finish(mut self) -> Tree {
        self.flush_paragraph();
        let end = self.builder.text.len();
        self.close_elements("the document", end);
        self.builder.finish(end)
    }

    pub(crate) fn read_event(&mut self, piece: Piece<'_>, range: Range<usize>) {
        match piece {
            Piece::Start(part) => self.read_start(part, range),
            Piece::End(part) => self.read_end(part, range),
            Piece::Rule => self.push_leaf(Kind::Break, Detail::Plain, range),
            Piece::CheckBox => {
                self.builder.mark_covered(range.end);
                self.builder.mark_task();
            }
            Piece::Tag(source, is_block) => self.read_tag(source, is_block, range),
            Piece::Expression(source, is_block) => self.read_expression(source, is_block, range),
            Piece::Esm => self.read_modules(range),
            Piece::Html => {
                self.push_inline(InlineKind::Html, range.clone(), range.end);
                self.add_inline_content(range);
            }
            Piece::Text(text) => {
                self.check_braces_in_text(text, range.clone());
                self.add_rendered_text(text, range);
            }
            Piece::Code(text) => self.add_rendered_text(text, range),
            Piece::LineBreak => self.add_line_break(range),
            Piece::Other => self.add_inline_content(range),
            Piece::Nothing => {}
        }
    }

    fn read_start(&mut self, part: Part, range: Range<usize>) {
        match part {
            Part::Link(kind) => return self.open.push(OpenPart::Link(kind, range.clone(), range.start)),
            _ if part.is_inline() => return self.open.push(OpenPart::Link(None, range.clone(), range.start)),
            _ => self.flush_paragraph(),
        }
        self.open.push(OpenPart::Part(part));
        // The range of some blocks starts with the indentation. Exclude it, except for indented code.
        let text = &self.builder.text[range.clone()];
        let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
        let range = if part == Part::IndentedCode { range } else { range.start + indent..range.end };
        let start = range.start;
        match part {
            Part::Heading(level) => {
                self.heading = Some(OpenHeading { start, level, inner: None, texts: HeadingTexts::default() });
            }
            Part::Paragraph => self.push_leaf(Kind::Paragraph, Detail::Plain, range),
            Part::FencedCode => self.push_leaf(Kind::Code, Detail::Plain, range),
            Part::IndentedCode => self.push_leaf(Kind::Code, Detail::IndentedCode, range),
            Part::Html => self.push_leaf(Kind::Html, Detail::Plain, range),
            Part::TableHead => self.push_leaf(Kind::Header, Detail::Plain, range),
            Part::TableRow => self.push_leaf(Kind::Row, Detail::Plain, range),
            Part::Table => self.open_container(Kind::Table, Detail::Plain, start, start),
            Part::List(true) => self.open_container(Kind::List, Detail::Ordered, start, start),
            Part::List(false) => self.open_container(Kind::List, Detail::Plain, start, start),
            Part::Quote => self.open_container(Kind::Quote, Detail::Plain, start, start + 1),
            Part::Item => {
                let marker = list::marker_length(&self.builder.text[range]);
                self.open_container(Kind::Item, Detail::Plain, start, start + marker);
            }
            Part::Footnote => {
                let label = link_definitions::label_end(self.builder.text, start, range.end).unwrap_or(start);
                self.open_container(Kind::Footnote, Detail::Plain, start, (label + 1).min(range.end));
            }
            Part::TableCell | Part::Emphasis | Part::Link(_) => {}
        }
        self.inside_known_block |= part.holds_content();
    }

    fn read_end(&mut self, part: Part, range: Range<usize>) {
        let what = if part.is_inline() { "the text around it" } else { "the block around it" };
        self.close_elements(what, range.end);
        match self.open.pop() {
            Some(OpenPart::Link(kind, range, content)) => {
                if let Some(kind) = kind {
                    self.push_inline(kind, range.clone(), content);
                }
                return self.add_inline_content(range);
            }
            _ if part.holds_content() => self.inside_known_block = false,
            _ => {}
        }
        match part {
            Part::Heading(_) => {
                if let Some(OpenHeading { start, level, inner, texts }) = self.heading.take() {
                    self.builder.push_heading(level, start, range.end, inner.unwrap_or(Span::at(start)), &texts);
                }
            }
            Part::Quote | Part::List(_) | Part::Item | Part::Footnote | Part::Table => {
                self.flush_paragraph();
                if part == Part::Table {
                    self.builder.extend_to_delimiter_row();
                }
                self.builder.close_container(range.end);
            }
            _ => {}
        }
    }

    fn push_leaf(&mut self, kind: Kind, detail: Detail, range: Range<usize>) {
        self.flush_paragraph();
        self.builder.push_leaf(kind, detail, range.start, range.end, Span::at(range.start));
    }

    fn open_container(&mut self, kind: Kind, detail: Detail, start: usize, content: usize) {
        self.builder.open_container(kind, detail, start, content, Span::at(start));
    }

    /// Handles rendered text.
    fn add_rendered_text(&mut self, text: &str, range: Range<usize>) {
        if let Some(heading) = &mut self.heading {
            heading.texts.name.push_str(text);
            let is_image = |open: &OpenPart| {
                matches!(open, OpenPart::Link(Some(InlineKind::Image | InlineKind::ImageReference), ..))
            };
            if !self.open.iter().any(is_image) {
                heading.texts.anchor.push_str(text);
            }
        }
        self.add_inline_content(range);
    }

    fn add_line_break(&mut self, range: Range<usize>) {
        if let Some(heading) = &mut self.heading {
            heading.texts.name.push(' ');
        }
        self.add_inline_content(range);
    }

    /// Handles inline content at this range.
    fn add_inline_content(&mut self, range: Range<usize>) {
        let around = self.open.iter_mut().rev().find(|open| !matches!(open, OpenPart::Element(_, false)));
        if let Some(OpenPart::Link(_, _, end)) = around {
            *end = range.end.max(*end);
        } else if let Some(heading) = &mut self.heading {
            let start = heading.inner.map_or(range.start, |inner| inner.range().start);
            heading.inner = Some(Span::new(start, range.end.max(start)));
        } else if !self.inside_known_block {
            let run = self.inline_run.get_or_insert(range.clone());
            run.end = range.end.max(run.end);
        }
    }

    fn push_inline(&mut self, kind: InlineKind, range: Range<usize>, content: usize) {
        let open = match kind {
            InlineKind::Link | InlineKind::Reference => 1,
            InlineKind::Image | InlineKind::ImageReference => 2,
            InlineKind::Html => 0,
        };
        let start = (range.start + open).min(range.end);
        let label = Span::new(start, content.clamp(start, range.end));
        self.builder.tree.inlines.push(Inline { kind, span: range.into(), label });
    }

    /// Ends a paragraph for which the parser has no events.
    fn flush_paragraph(&mut self) {
        if let Some(run) = self.inline_run.take() {
            self.builder.push_leaf(Kind::Paragraph, Detail::Plain, run.start, run.end, Span::at(run.start));
        }
    }
}

/// Events that occur only in MDX.
impl Reader<'_> {
    fn read_tag(&mut self, source: &str, is_block: bool, range: Range<usize>) {
        self.check_lazy(range.clone());
        if is_block {
            self.flush_paragraph();
        }
        if tag::is_closing(source) {
            return self.read_closing_tag(source, is_block, range);
        }
        if let Some(message) = js::check_tag(source) {
            self.report_error(range.clone(), message);
        }
        self.push_inline(InlineKind::Html, range.clone(), range.end);
        if is_block {
            self.builder.open_container(Kind::Component, Detail::Plain, range.start, range.end, Span::at(range.end));
        } else {
            self.add_inline_content(range.clone());
        }
        if !tag::is_self_closing(source) {
            self.open.push(OpenPart::Element(range, is_block));
        } else if is_block {
            self.builder.close_element(range.start, range.end);
        }
    }

    fn read_closing_tag(&mut self, source: &str, is_block: bool, range: Range<usize>) {
        let name = tag::tag_name(source);
        match self.open.last() {
            Some(OpenPart::Element(opening, was_block))
                if tag::tag_name(&self.builder.text[opening.clone()]) == name =>
            {
                let (was_block, opening) = (*was_block, opening.clone());
                self.open.pop();
                if was_block {
                    self.flush_paragraph();
                    self.builder.close_element(range.start, range.end);
                } else if !is_block {
                    self.convert_single_element(opening, range.clone());
                }
            }
            Some(OpenPart::Element(opening, _)) => {
                let expected = tag::tag_name(&self.builder.text[opening.clone()]);
                self.report_error(
                    range.clone(),
                    format!("unexpected closing tag `</{name}>`, expected `</{expected}>`"),
                );
            }
            _ => self.report_error(range.clone(), format!("unexpected closing tag `</{name}>`: no tag opens it")),
        }
        if !is_block {
            self.add_inline_content(range);
        }
    }

    /// Turns the current paragraph into a component if it consists of one element.
    fn convert_single_element(&mut self, opening: Range<usize>, closing: Range<usize>) {
        if matches!(self.open.last(), Some(OpenPart::Part(Part::Paragraph))) {
            self.builder.paragraph_to_component(opening, closing);
        }
    }

    /// Closes the elements that are still open at the end of `what`, and reports an error for each.
    fn close_elements(&mut self, what: &str, end: usize) {
        while let Some(OpenPart::Element(opening, is_block)) = self.open.last() {
            let (opening, is_block) = (opening.clone(), *is_block);
            self.open.pop();
            let name = tag::tag_name(&self.builder.text[opening.clone()]);
            self.report_error(opening, format!("expected `</{name}>` before the end of {what}"));
            if is_block {
                self.flush_paragraph();
                self.builder.close_element(end, end);
            }
        }
    }

    fn read_expression(&mut self, source: &str, is_block: bool, range: Range<usize>) {
        self.check_lazy(range.clone());
        if let Err((at, message)) = js::check_expression(source) {
            let at = (range.start + 1 + at).min(range.end);
            self.report_error(at..range.end, message);
        }
        if is_block {
            self.push_leaf(Kind::Expression, Detail::Plain, range);
        } else {
            self.add_inline_content(range);
        }
    }

    fn read_modules(&mut self, range: Range<usize>) {
        let source = &self.builder.text[range.clone()];
        let modules = match js::modules(source) {
            Ok(modules) => modules,
            Err((at, message)) => {
                let at = (range.start + at).min(range.end);
                self.report_error(at..range.end, message);
                return self.push_leaf(Kind::Expression, Detail::Plain, range);
            }
        };
        self.flush_paragraph();
        for module in modules {
            let (kind, inner) = match module.is_import {
                true => (Kind::Import, module.specifier),
                false => (Kind::Export, module.name),
            };
            let (start, end) = (range.start + module.range.start, range.start + module.range.end);
            let inner = inner.map_or(Span::at(start), |i| Span::new(range.start + i.start, range.start + i.end));
            self.builder.push_leaf(kind, Detail::Plain, start, end, inner);
        }
    }

    /// In MDX, a brace always opens an expression. If the parser returns a brace as text, the expression is not closed.
    fn check_braces_in_text(&mut self, text: &str, range: Range<usize>) {
        if !self.builder.is_mdx || !text.contains('{') || self.in_code() {
            return;
        }
        let source = &self.builder.text[range.clone()];
        let escaped = self.builder.text[..range.start].ends_with('\\');
        let Some(at) = source.bytes().enumerate().position(|(at, b)| b == b'{' && !(at == 0 && escaped)) else {
            return;
        };
        if source == text {
            self.report_error(range.start + at..range.end, "expected `}` for this `{`".to_owned());
        }
    }

    fn in_code(&self) -> bool {
        matches!(self.open.last(), Some(OpenPart::Part(Part::FencedCode | Part::IndentedCode)))
    }

    /// Reports a tag or an expression that begins a line and continues outside of its container on a later line.
    fn check_lazy(&mut self, range: Range<usize>) {
        let text = self.builder.text;
        let line = &text[marquetry_sdk::lines::line_start(text, range.start)..range.start];
        let prefix = |c: char| matches!(c, ' ' | '\t' | '>' | '-' | '*' | '+' | '.' | ')') || c.is_ascii_digit();
        let quotes = self.open.iter().filter(|open| matches!(open, OpenPart::Part(Part::Quote))).count();
        let items = self.open.iter().any(|open| matches!(open, OpenPart::Part(Part::Item)));
        if (quotes == 0 && !items) || !line.chars().all(prefix) {
            return;
        }
        let lazy = |line: &str| {
            let marks = line.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'>')).filter(|b| *b == b'>').count();
            marks < quotes || (quotes == 0 && !line.trim().is_empty() && !line.starts_with([' ', '\t']))
        };
        if text[range.clone()].lines().skip(1).any(lazy) {
            self.report_error(range, "unexpected lazy line: each line must be within the quote or list".to_owned());
        }
    }

    fn report_error(&mut self, range: Range<usize>, message: String) {
        if self.builder.tree.problems.len() >= MAX_DIAGNOSTICS {
            return;
        }
        let floor = |at: usize| self.builder.text.floor_char_boundary(at);
        let span = Span::new(floor(range.start), floor(range.end).max(floor(range.start)));
        let code = Some("mdx".to_owned());
        self.builder.tree.problems.push(Diagnostic { severity: Severity::Error, span, message, code });
    }
}
