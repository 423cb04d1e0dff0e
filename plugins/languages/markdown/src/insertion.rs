//! Positions for new blocks: finds the prefix of the new lines and the blank lines around them.

use std::ops::Range;

use marquetry_sdk::{Edit, NodeId, Span, lines};

use crate::blocks::{Detail, Kind, NONE};
use crate::document::MarkdownDocument;
use crate::list;

/// Returns the content without blank lines around it. The indentation of its first line is kept, because it is
/// significant in Markdown.
pub(crate) fn trim_blank_lines(content: &str) -> &str {
    let content = content.trim_end();
    let blank = content.len() - content.trim_start().len();
    &content[content[..blank].rfind(['\n', '\r']).map_or(0, |at| at + 1)..]
}

/// Adds the prefix to each line except the first.
pub(crate) fn prefix_lines(content: &str, prefix: &str) -> String {
    if prefix.is_empty() {
        return content.to_owned();
    }
    let mut out = String::with_capacity(content.len());
    for (index, line) in content.lines().enumerate() {
        if index > 0 {
            out.push('\n');
            out.push_str(if line.trim().is_empty() { prefix.trim_end() } else { prefix });
        }
        out.push_str(if line.trim().is_empty() { "" } else { line });
    }
    out
}

/// Returns this number of line breaks. The prefix follows the last one; the blank lines between them get the prefix
/// without trailing space.
pub(crate) fn line_breaks(breaks: usize, prefix: &str) -> String {
    let blank = format!("\n{}", prefix.trim_end());
    format!("{}\n{prefix}", blank.repeat(breaks.saturating_sub(1)))
}

/// Returns the prefix of the lines below the line of this offset. Quote marks are kept, and list markers become spaces.
pub(crate) fn prefix_at(text: &str, offset: usize) -> String {
    let before = &text[lines::line_start(text, offset)..offset];
    before.chars().map(|c| if matches!(c, '>' | ' ' | '\t') { c } else { ' ' }).collect()
}

/// Returns the number of line breaks in a range.
pub(crate) fn count_breaks(text: &str, range: Range<usize>) -> usize {
    let gap = &text[range];
    gap.matches('\n').count() + gap.matches('\r').count() - gap.matches("\r\n").count()
}

/// Blocks before and after a node in the same container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Neighbors {
    /// End of the preceding block.
    pub(crate) before: Option<usize>,
    /// True if a line directly below the preceding block could become a part of it.
    pub(crate) before_can_continue: bool,
    /// Start of the following block.
    pub(crate) after: Option<usize>,
}

impl MarkdownDocument {
    /// Returns the prefix that a node's lines have, except its first line.
    pub(crate) fn prefix(&self, id: NodeId) -> String {
        let Some(block) = self.tree().blocks.get(id as usize) else { return String::new() };
        let start = block.span.range().start;
        let container = self.container(id);
        if container == NONE {
            let keeps = block.detail == Detail::IndentedCode || block.kind == Kind::Item;
            return if keeps { prefix_at(&self.text, start) } else { String::new() };
        }
        let around = self.block(container);
        let opening = around.span.range().start;
        let same_line = lines::line_start(&self.text, start) <= opening;
        match around.kind {
            Kind::Item | Kind::Footnote if same_line => list::inner_prefix(self, container),
            Kind::Component if same_line => prefix_at(&self.text, opening),
            _ => prefix_at(&self.text, start),
        }
    }

    /// Returns the prefix that other blocks at this position would have. For indented code, it excludes the indentation
    /// of the code.
    pub(crate) fn outer_prefix(&self, id: NodeId) -> String {
        let mut prefix = self.prefix(id);
        let indent = self.block_start(id).map_or(0, |(start, outer)| start - outer);
        prefix.truncate(prefix.len() - indent.min(prefix.len()));
        prefix
    }

    /// Returns the start of a block, and its start with the indentation that makes it code.
    fn block_start(&self, id: NodeId) -> Option<(usize, usize)> {
        let block = self.tree().blocks.get(id as usize)?;
        let start = block.span.range().start;
        let before = &self.text[lines::line_start(&self.text, start)..start];
        let indent = match block.detail {
            Detail::IndentedCode if before.ends_with("    ") => 4,
            Detail::IndentedCode if before.ends_with('\t') => 1,
            _ => 0,
        };
        Some((start, start - indent))
    }

    /// Returns the offset from which a node is deleted. If a check box precedes the node, it is deleted too, because it
    /// cannot precede other blocks.
    pub(crate) fn deleted_start(&self, id: NodeId, span: Span) -> usize {
        let start = self.outer_start(id, span);
        let container = if self.region(id).is_some() { NONE } else { self.container(id) };
        match self.tree().blocks.get(container as usize) {
            Some(item) if item.detail == Detail::Task => {
                let content = item.span.range().start + list::marker_length(item.span.slice(&self.text));
                if lines::line_end(&self.text, content) >= start { content.min(start) } else { start }
            }
            _ => start,
        }
    }

    /// Returns the start of a node, including the indentation that makes it code.
    pub(crate) fn outer_start(&self, id: NodeId, span: Span) -> usize {
        self.block_start(id).map_or(span.range().start, |(_, outer)| outer)
    }

    /// Returns the blocks before and after a node in the same container.
    pub(crate) fn neighbors(&self, id: NodeId) -> Neighbors {
        let blocks = &self.tree().blocks;
        let open = |first: usize| first.checked_sub(1).is_some_and(|last| self.can_continue(last as u32));
        if let Some(region) = self.region(id) {
            let first = blocks.partition_point(|block| block.span.start < region.span.start);
            let before =
                blocks[..first].iter().filter(|block| block.span.end <= region.span.start).map(|block| block.span.end);
            let after = (0..blocks.len() as u32).find(|block| self.block(*block).span.start >= region.span.end);
            return Neighbors {
                before: before.max().map(|end| end as usize),
                before_can_continue: open(first),
                after: after.map(|after| self.outer_start(after, self.block(after).span)),
            };
        }
        let next = self.block(id).end;
        let follows = (next as usize) < blocks.len() && self.container(next) == self.container(id);
        Neighbors {
            before: self.end_before(id),
            before_can_continue: open(id as usize),
            after: follows.then(|| self.outer_start(next, self.block(next).span)),
        }
    }

    /// Returns whether text on the line below this block would become a part of the block.
    pub(crate) fn can_continue(&self, id: u32) -> bool {
        use Kind::{Export, Header, Html, Import, Paragraph, Row, Table};
        matches!(self.block(id).kind, Paragraph | Row | Header | Table | Html | Import | Export)
    }

    /// Returns whether text on the line below this content would become a part of its last block.
    fn ends_continuable(content: &str) -> bool {
        let parsed = MarkdownDocument::new("content.md", content.to_owned());
        let last = parsed.tree().blocks.len() as u32;
        last > 0 && parsed.can_continue(last - 1)
    }

    /// Returns whether the line at this offset could become part of a paragraph above it, or turn that paragraph into a
    /// heading.
    pub(crate) fn could_join_paragraph(&self, start: usize) -> bool {
        let line = self.text[start..lines::line_end(&self.text, start)].trim_start();
        let is_item =
            line.starts_with(['-', '*', '+']) && line[1..].starts_with([' ', '\t']) && !line[1..].trim().is_empty();
        !(is_item || line.starts_with(['#', '>']) || line.starts_with("```") || line.starts_with("~~~"))
    }

    /// Returns the end of the preceding block; for the first block of a section, the end of its heading.
    fn end_before(&self, id: u32) -> Option<usize> {
        let parent = self.block(id).parent;
        let mut previous = id.checked_sub(1)?;
        if previous == parent {
            return self.tree().heading(parent).map(|heading| heading.line_end as usize);
        }
        while self.block(previous).parent != parent {
            previous = self.block(previous).parent;
        }
        Some(self.block(previous).span.range().end)
    }

    /// Returns the number of line breaks between a block and a neighbor of the same kind; at least `least`.
    pub(crate) fn breaks_near(&self, id: NodeId, least: usize) -> usize {
        if self.region(id).is_some() {
            return least;
        }
        let block = self.block(id);
        let alike = |other: u32| self.block(other).kind == block.kind && self.block(other).parent == block.parent;
        let next = Some(block.end).filter(|next| (*next as usize) < self.tree().blocks.len() && alike(*next));
        let between = |from: Option<usize>, to: usize| from.map(|from| count_breaks(&self.text, from..to));
        let found = match next {
            Some(next) => between(Some(block.span.range().end), self.block(next).span.range().start),
            None => {
                between(self.neighbors(id).before.filter(|_| self.has_same_kind_before(id)), block.span.range().start)
            }
        };
        found.unwrap_or(least).clamp(least, 4)
    }

    fn has_same_kind_before(&self, id: u32) -> bool {
        let parent = self.block(id).parent;
        let above =
            std::iter::successors(id.checked_sub(1), |block| Some(self.block(*block).parent).filter(|p| *p != NONE));
        let previous = above.into_iter().find(|block| self.block(*block).parent == parent);
        previous.is_some_and(|previous| self.block(previous).kind == self.block(id).kind)
    }

    /// Inserts content before a node, as a separate block.
    pub(crate) fn insert_block_before(&self, id: NodeId, span: Span, content: &str, least: usize) -> Edit {
        let prefix = self.outer_prefix(id);
        let content = prefix_lines(content, &prefix);
        let count = self.breaks_near(id, least);
        let start = self.outer_start(id, span);
        match self.neighbors(id).before {
            // The blank line above the node is missing, so insert one.
            Some(before) if least > 1 && count_breaks(&self.text, before..start) < 2 => {
                Edit::insert(before, format!("{}{content}\n{}", line_breaks(2, &prefix), prefix.trim_end()))
            }
            _ => Edit::insert(start, format!("{content}{}", line_breaks(count, &prefix))),
        }
    }

    /// Inserts content after a node, as a separate block.
    pub(crate) fn insert_block_after(&self, id: NodeId, span: Span, content: &str, least: usize) -> Edit {
        let count = self.breaks_near(id, least);
        let next = self.neighbors(id).after;
        let mut edit = self.insert_block_at(span.range().end, next, &self.outer_prefix(id), content, (count, least));
        if next.is_none() {
            edit.text += &self.blank_line_after_content(id, span, content);
        }
        edit
    }

    /// Replaces a node by content, with a blank line if the content would otherwise merge with a neighbor.
    pub(crate) fn replace_block(&self, id: NodeId, span: Span, content: &str) -> Edit {
        let Neighbors { before, before_can_continue: open_before, .. } = self.neighbors(id);
        let std::ops::Range { start, end } = span.range();
        let text = format!("{}{}", self.fit_prefixes(id, content), self.blank_line_after_content(id, span, content));
        match before.filter(|before| open_before && count_breaks(&self.text, *before..start) < 2) {
            Some(before) if Self::starts_continuable(content) && self.starts_other_kind(id, content) => {
                Edit::new(before..end, format!("{}{text}", line_breaks(2, &self.outer_prefix(id))))
            }
            _ => Edit::new(span, text),
        }
    }

    /// Returns whether the content starts with a line that would become part of a paragraph above it.
    fn starts_continuable(content: &str) -> bool {
        let parsed = MarkdownDocument::new("content.md", content.to_owned());
        parsed.could_join_paragraph(0)
    }

    /// Returns whether the content starts with another kind of block than the node it replaces.
    fn starts_other_kind(&self, id: NodeId, content: &str) -> bool {
        let parsed = MarkdownDocument::new("content.md", content.to_owned());
        let kind = parsed.tree().blocks.first().map(|block| block.kind);
        kind != self.tree().blocks.get(id as usize).map(|block| block.kind)
    }

    /// Inserts content below a block that ends at `end`. `next` is the start of the next block in the same container.
    pub(crate) fn insert_block_at(
        &self,
        end: usize,
        next: Option<usize>,
        prefix: &str,
        content: &str,
        (count, least): (usize, usize),
    ) -> Edit {
        let mut text = format!("{}{}", line_breaks(count, prefix), prefix_lines(content, prefix));
        if least > 1 && next.is_some_and(|next| count_breaks(&self.text, end..next) < 2) {
            text.push('\n');
            text.push_str(prefix.trim_end());
        }
        Edit::insert(end, text)
    }

    /// Returns a blank line to add after new content, or an empty text. The blank line is needed if the line below the
    /// node would become a part of the content.
    pub(crate) fn blank_line_after_content(&self, id: NodeId, span: Span, content: &str) -> String {
        let blank = self.blank_line_below(id, span);
        if !blank.is_empty() && Self::ends_continuable(content) { blank } else { String::new() }
    }

    /// Returns a blank line if the line below the node would continue a paragraph; that line may be outside of the
    /// container.
    pub(crate) fn blank_line_below(&self, id: NodeId, span: Span) -> String {
        let containers = std::iter::successors(Some(id), |id| {
            let is_block = self.region(*id).is_none();
            is_block.then(|| self.container(*id)).filter(|container| *container != NONE)
        });
        let mut following = containers.filter_map(|id| Some((id, self.neighbors(id).after?)));
        match following.next() {
            // The next item of a list starts with its marker, whatever its number is.
            Some((outer, _)) if self.block_kind(outer) == Some(Kind::Item) => String::new(),
            Some((outer, next))
                if count_breaks(&self.text, span.range().end..next) < 2 && self.could_join_paragraph(next) =>
            {
                format!("\n{}", self.outer_prefix(outer).trim_end())
            }
            _ => String::new(),
        }
    }

    /// Returns the content with the prefixes of the node's lines. If it already has them, it is unchanged.
    pub(crate) fn fit_prefixes(&self, id: NodeId, content: &str) -> String {
        let prefix = self.prefix(id);
        if prefix.is_empty() || has_prefix(content, &prefix) {
            return content.to_owned();
        }
        prefix_lines(content, &prefix)
    }
}

/// Returns whether all lines except the first already have the prefix, as in text that was read from the file.
fn has_prefix(content: &str, prefix: &str) -> bool {
    let mut rest = content.lines().skip(1).peekable();
    let mark = prefix.trim_end();
    let fits =
        |line: &str| line.starts_with(prefix) || line.trim_end() == mark || line.trim().is_empty() && mark.is_empty();
    rest.peek().is_some() && rest.all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_blank_lines_and_keeps_indentation() {
        assert_eq!(trim_blank_lines("\n \n    a\n b\n\n"), "    a\n b");
        assert_eq!(trim_blank_lines(" \n"), "");
    }

    #[test]
    fn prefixes_lines() {
        assert_eq!(prefix_lines("a\n\nb", "> "), "a\n>\n> b");
        assert_eq!(line_breaks(2, "> "), "\n>\n> ");
        assert_eq!(line_breaks(1, ""), "\n");
        assert_eq!(prefix_at("> 1. x", 5), ">    ");
        assert_eq!(count_breaks("\r\n\r\n\n\r", 0..6), 4);
    }
}
