//! The blocks of a document as a flat list in document order. A section contains the blocks below its heading.
//!
//! Both parsers (CommonMark and MDX) fill the list through the [`Builder`], so that other modules do not depend on a
//! parser.

use std::ops::Range;

use marquetry_sdk::{Diagnostic, Severity, Span, lines};

use crate::link_definitions;
use crate::markers::Pair;
use crate::section_ends;

/// Stands for "no block". It is the parent of top-level blocks.
pub(crate) const NONE: u32 = u32::MAX;
/// Maximum nesting of containers. The contents of more deeply nested ones are skipped.
const MAX_NESTING: usize = 32;

/// Kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    FrontMatter,
    /// A heading with its section.
    Heading,
    Paragraph,
    Code,
    Table,
    Header,
    Row,
    List,
    Item,
    Quote,
    Html,
    Break,
    Footnote,
    Definition,
    Import,
    Export,
    Component,
    Expression,
}

/// The kinds and their names in addresses.
pub(crate) const KIND_NAMES: [(Kind, &str); 18] = [
    (Kind::FrontMatter, "front-matter"),
    (Kind::Heading, "heading"),
    (Kind::Paragraph, "paragraph"),
    (Kind::Code, "code"),
    (Kind::Table, "table"),
    (Kind::Header, "header"),
    (Kind::Row, "row"),
    (Kind::List, "list"),
    (Kind::Item, "item"),
    (Kind::Quote, "quote"),
    (Kind::Html, "html"),
    (Kind::Break, "break"),
    (Kind::Footnote, "footnote"),
    (Kind::Definition, "definition"),
    (Kind::Import, "import"),
    (Kind::Export, "export"),
    (Kind::Component, "component"),
    (Kind::Expression, "expression"),
];

impl Kind {
    /// Returns the name of this kind in addresses.
    pub(crate) fn name(self) -> &'static str {
        KIND_NAMES[self as usize].1
    }
}

/// Additional data of some kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    Plain,
    /// Index into [`Tree::headings`].
    Heading(u32),
    IndentedCode,
    Ordered,
    /// A list item with a check box.
    Task,
}

/// One block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    pub(crate) detail: Detail,
    /// Span without leading indentation and trailing blank lines. For a heading, it contains the whole section.
    pub(crate) span: Span,
    /// The text of a heading, the destination of a definition, the children of a component, the name of an export, the
    /// specifier of an import, or the content of front matter.
    pub(crate) inner: Span,
    /// The enclosing section or container.
    pub(crate) parent: u32,
    /// The index after the last descendant of the block.
    pub(crate) end: u32,
}

/// Additional data of a heading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heading {
    pub(crate) block: u32,
    pub(crate) level: u8,
    /// End of the line of the heading; for an underlined heading, end of the underline.
    pub(crate) line_end: u32,
    name: Span,
    anchor_text: Span,
}

/// Kind of inline content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InlineKind {
    Link,
    Image,
    /// `[text][label]`, `[label][]`, `[label]`.
    Reference,
    ImageReference,
    Html,
}

/// A link, an image or a piece of HTML within a paragraph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inline {
    pub(crate) kind: InlineKind,
    pub(crate) span: Span,
    /// The text between the brackets.
    pub(crate) label: Span,
}

/// All blocks of a document.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) blocks: Vec<Block>,
    pub(crate) headings: Vec<Heading>,
    pub(crate) inlines: Vec<Inline>,
    pub(crate) problems: Vec<Diagnostic>,
    /// Matching tags and markers in HTML.
    pub(crate) tag_pairs: Vec<Pair>,
    names: String,
}

impl Tree {
    /// Returns the rendered text of a heading.
    pub(crate) fn name(&self, heading: &Heading) -> &str {
        heading.name.slice(&self.names)
    }

    /// Returns the text from which the anchor of a heading is made. It keeps all white space, but not images and line
    /// breaks.
    pub(crate) fn anchor_text(&self, heading: &Heading) -> &str {
        heading.anchor_text.slice(&self.names)
    }

    /// Returns the heading of a block, if it is one.
    pub(crate) fn heading(&self, block: u32) -> Option<&Heading> {
        match self.blocks[block as usize].detail {
            Detail::Heading(index) => Some(&self.headings[index as usize]),
            _ => None,
        }
    }

    /// Returns the direct children of a block, or the top-level blocks.
    pub(crate) fn children(&self, parent: u32) -> impl Iterator<Item = u32> {
        let (first, end) = match parent {
            NONE => (0, self.blocks.len() as u32),
            block => (block + 1, self.blocks[block as usize].end),
        };
        let mut next = first;
        std::iter::from_fn(move || {
            let block = next;
            (block < end).then(|| {
                next = self.blocks[block as usize].end;
                block
            })
        })
    }

    /// Returns the block's ancestors, nearest first.
    pub(crate) fn ancestors(&self, block: u32) -> impl Iterator<Item = u32> {
        let above = |block: u32| Some(self.blocks[block as usize].parent).filter(|parent| *parent != NONE);
        std::iter::successors(above(block), move |block| above(*block))
    }
}

/// Texts of a heading.
#[derive(Debug, Default)]
pub(crate) struct HeadingTexts {
    /// The rendered text.
    pub(crate) name: String,
    /// The text from which the anchor of the heading is made.
    pub(crate) anchor: String,
}

/// An open container.
#[derive(Debug)]
struct OpenContainer {
    block: u32,
    /// Open sections, outermost first.
    headings: Vec<u32>,
    /// Offset up to which the text belongs to blocks that have been added.
    covered: usize,
}

/// Builds a [`Tree`] from blocks in document order.
#[derive(Debug)]
pub(crate) struct Builder<'t> {
    pub(crate) text: &'t str,
    pub(crate) is_mdx: bool,
    pub(crate) tree: Tree,
    open_containers: Vec<OpenContainer>,
    /// Number of open containers beyond the maximum nesting.
    skipped_containers: usize,
    quotes: usize,
    footnotes: usize,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(text: &'t str, from: usize, is_mdx: bool) -> Builder<'t> {
        let root = OpenContainer { block: NONE, headings: Vec::new(), covered: from };
        // The capacity is generous: unused capacity costs nothing, but moving a large list does.
        let tree = Tree { blocks: Vec::with_capacity(text.len() / 8), ..Tree::default() };
        Builder { text, is_mdx, tree, open_containers: vec![root], skipped_containers: 0, quotes: 0, footnotes: 0 }
    }

    /// Adds a block without children.
    pub(crate) fn push_leaf(&mut self, kind: Kind, detail: Detail, start: usize, end: usize, inner: Span) {
        let end_of_text = self.end_without_blanks(start, end);
        if self.skipped_containers > 0 {
            return self.extend_container(end_of_text);
        }
        self.handle_gap(start, end);
        self.push(kind, detail, Span::new(start, end_of_text), inner);
    }

    /// Adds a heading. The blocks of the container that follow belong to its section.
    pub(crate) fn push_heading(&mut self, level: u8, start: usize, end: usize, inner: Span, texts: &HeadingTexts) {
        let line_end = self.end_without_blanks(start, end);
        let inner = Span::new(inner.range().start.min(line_end), inner.range().end.min(line_end));
        // A footnote is not part of the document's sections.
        if self.skipped_containers > 0 || self.footnotes > 0 {
            return self.push_leaf(Kind::Paragraph, Detail::Plain, start, end, inner);
        }
        self.handle_gap(start, end);
        self.close_sections(level);
        let index = self.tree.headings.len() as u32;
        let from = self.tree.names.len();
        push_collapsed(&mut self.tree.names, &texts.name);
        let name = Span::new(from, self.tree.names.len());
        let anchor_text = match name.slice(&self.tree.names) == texts.anchor {
            true => name,
            false => {
                let from = self.tree.names.len();
                self.tree.names.push_str(&texts.anchor);
                Span::new(from, self.tree.names.len())
            }
        };
        let block = self.push(Kind::Heading, Detail::Heading(index), Span::new(start, line_end), inner);
        self.tree.headings.push(Heading { block, level, line_end: line_end as u32, name, anchor_text });
        self.innermost_container().headings.push(block);
    }

    /// Opens a container. Its blocks begin at `content` or later.
    pub(crate) fn open_container(&mut self, kind: Kind, detail: Detail, start: usize, content: usize, inner: Span) {
        if self.skipped_containers > 0 || self.open_containers.len() > MAX_NESTING {
            self.skipped_containers += 1;
            return;
        }
        self.handle_gap(start, content);
        let marker = self.end_without_blanks(start, content);
        let block = self.push(kind, detail, Span::new(start, marker), inner);
        self.quotes += usize::from(kind == Kind::Quote);
        self.footnotes += usize::from(kind == Kind::Footnote);
        self.open_containers.push(OpenContainer { block, headings: Vec::new(), covered: content });
    }

    /// Closes the innermost container.
    pub(crate) fn close_container(&mut self, end: usize) {
        if self.skipped_containers > 0 {
            self.skipped_containers -= 1;
            if self.skipped_containers == 0 {
                self.report_too_deep(end);
                self.mark_covered(end);
            }
            return;
        }
        if !self.is_in_list() {
            self.handle_gap(end, end);
        }
        self.close_sections(0);
        let Some(frame) = self.open_containers.pop() else { return };
        let kind = self.tree.blocks[frame.block as usize].kind;
        // The parsers count definitions after the last item as part of the list, but this tree does not.
        let end = if kind == Kind::List { frame.covered.min(end) } else { end };
        self.quotes -= usize::from(kind == Kind::Quote);
        self.footnotes -= usize::from(kind == Kind::Footnote);
        let last = self.tree.blocks.len() as u32;
        self.tree.blocks[frame.block as usize].end = last;
        self.innermost_container().covered = end;
    }

    /// Closes the innermost JSX element. `start` and `end` are the offsets of its closing tag.
    pub(crate) fn close_element(&mut self, start: usize, end: usize) {
        let block = self.innermost_container().block;
        if self.skipped_containers == 0
            && let Some(block) = self.tree.blocks.get_mut(block as usize)
        {
            block.span.end = block.span.end.max(end as u32);
            block.inner.end = block.inner.end.max(start as u32);
        }
        self.close_container(end);
    }

    /// Turns the last block into a component if it is a paragraph that starts and ends with these two tags.
    pub(crate) fn paragraph_to_component(&mut self, opening: Range<usize>, closing: Range<usize>) {
        if let Some(block) = self.tree.blocks.last_mut()
            && block.kind == Kind::Paragraph
            && block.span == Span::new(opening.start, closing.end)
        {
            block.kind = Kind::Component;
            block.inner = Span::new(opening.end, closing.start);
        }
    }

    /// Extends the innermost container at least to this offset.
    pub(crate) fn extend_container(&mut self, end: usize) {
        let block = self.innermost_container().block;
        if let Some(block) = self.tree.blocks.get_mut(block as usize) {
            block.span.end = block.span.end.max(end as u32);
        }
    }

    /// Extends the innermost container, a table, to the end of its delimiter row. The parsers do not report this row, and
    /// it is the last one of a table without other rows.
    pub(crate) fn extend_to_delimiter_row(&mut self) {
        let Some(header) = self.tree.blocks.last().filter(|block| block.kind == Kind::Header) else { return };
        let row = lines::next_line(self.text, header.span.range().end);
        let end = lines::line_end(self.text, row);
        self.extend_container(row + self.text[row..end].trim_end().len());
    }

    /// Records that the text before this offset belongs to blocks that have been added.
    pub(crate) fn mark_covered(&mut self, end: usize) {
        let frame = self.innermost_container();
        frame.covered = frame.covered.max(end);
    }

    /// Marks the innermost container as a list item with a check box.
    pub(crate) fn mark_task(&mut self) {
        let block = self.innermost_container().block;
        if let Some(block) = self.tree.blocks.get_mut(block as usize)
            && block.kind == Kind::Item
        {
            block.detail = Detail::Task;
        }
    }

    /// Completes the tree.
    pub(crate) fn finish(mut self, end: usize) -> Tree {
        self.handle_gap(end, end);
        self.close_sections(0);
        self.tree.inlines.sort_by_key(|inline| inline.span.start);
        section_ends::end_sections(&mut self.tree, self.text);
        let blocks = &mut self.tree.blocks;
        for index in (0..blocks.len()).rev() {
            let Block { parent, span, .. } = blocks[index];
            if let Some(parent) = blocks.get_mut(parent as usize) {
                parent.span.end = parent.span.end.max(span.end);
            }
        }
        self.tree.blocks.shrink_to_fit();
        self.tree
    }

    fn push(&mut self, kind: Kind, detail: Detail, span: Span, inner: Span) -> u32 {
        let index = self.tree.blocks.len() as u32;
        let frame = self.innermost_container();
        let parent = frame.headings.last().copied().unwrap_or(frame.block);
        self.tree.blocks.push(Block { kind, detail, span, inner, parent, end: index + 1 });
        index
    }

    fn innermost_container(&mut self) -> &mut OpenContainer {
        let last = self.open_containers.len() - 1;
        &mut self.open_containers[last]
    }

    /// Closes the open sections of the innermost container that end at a heading of this level.
    fn close_sections(&mut self, level: u8) {
        let end = self.tree.blocks.len() as u32;
        while let Some(block) = self.innermost_container().headings.last().copied() {
            if self.tree.heading(block).is_some_and(|heading| heading.level < level) {
                break;
            }
            self.tree.blocks[block as usize].end = end;
            self.innermost_container().headings.pop();
        }
    }

    /// Adds the link reference definitions in the text between two blocks. The rest of this text is blank.
    fn handle_gap(&mut self, start: usize, end: usize) {
        let quoted = self.quotes > 0;
        let frame = self.innermost_container();
        let from = frame.covered;
        frame.covered = end.max(from);
        if from >= start || memchr::memchr(b'[', &self.text.as_bytes()[from..start]).is_none() {
            return;
        }
        if self.is_in_list() {
            return;
        }
        for (span, destination) in link_definitions::find_definitions(self.text, from..start, quoted) {
            self.push(Kind::Definition, Detail::Plain, span, destination);
        }
    }

    /// Returns whether the innermost container is a list. Definitions cannot be in it, only in its items.
    fn is_in_list(&mut self) -> bool {
        let container = self.innermost_container().block;
        self.tree.blocks.get(container as usize).is_some_and(|block| block.kind == Kind::List)
    }

    fn report_too_deep(&mut self, end: usize) {
        let start = self.tree.blocks.last().map_or(0, |block| block.span.range().start);
        self.tree.problems.push(Diagnostic {
            severity: Severity::Warning,
            span: Span::new(start, end.max(start)),
            message: format!("nested more than {MAX_NESTING} levels deep: nothing deeper can be addressed"),
            code: Some("too-deep".to_owned()),
        });
    }

    /// Returns the end of the text without blank lines. In a quote, lines that contain only `>` count as blank.
    fn end_without_blanks(&self, start: usize, end: usize) -> usize {
        let mut text = &self.text[start..end];
        loop {
            text = text.trim_end_matches([' ', '\t', '\n', '\r']);
            let line = text.rfind(['\n', '\r']).map_or(0, |at| at + 1);
            if self.quotes == 0 || line == 0 || !text[line..].bytes().all(|b| matches!(b, b' ' | b'\t' | b'>')) {
                return start + text.len();
            }
            text = &text[..line];
        }
    }
}

/// Appends the text with runs of white space collapsed to one space, and trimmed.
fn push_collapsed(out: &mut String, text: &str) {
    let start = out.len();
    for word in text.split_whitespace() {
        if out.len() > start {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Returns the text with runs of white space collapsed to one space, and trimmed.
pub(crate) fn collapse_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_collapsed(&mut out, text);
    out
}
