//! Where new text goes: the prefix that each of its lines needs there, and the blank lines around it.

use std::ops::Range;

use marquetry_sdk::{Edit, NodeId, Span, lines};

use crate::blocks::{Detail, Kind, NONE};
use crate::document::MarkdownDocument;

/// The content without blank lines around it. The indentation of its first line stays: in Markdown it means something.
pub(crate) fn trimmed(content: &str) -> &str {
    let content = content.trim_end();
    let blank = content.len() - content.trim_start().len();
    &content[content[..blank].rfind(['\n', '\r']).map_or(0, |at| at + 1)..]
}

/// The content, each line but the first behind the prefix.
pub(crate) fn prefixed(content: &str, prefix: &str) -> String {
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

/// So many line breaks, with the prefix behind the last and what a blank line needs of it between them.
pub(crate) fn gap(breaks: usize, prefix: &str) -> String {
    let blank = format!("\n{}", prefix.trim_end());
    format!("{}\n{prefix}", blank.repeat(breaks.saturating_sub(1)))
}

/// The prefix of the lines below the one on which this offset stands: the marks of quotes stay, those of lists become
/// spaces.
pub(crate) fn prefix_at(text: &str, offset: usize) -> String {
    let before = &text[lines::line_start(text, offset)..offset];
    before.chars().map(|c| if matches!(c, '>' | ' ' | '\t') { c } else { ' ' }).collect()
}

/// How many line breaks there are.
pub(crate) fn breaks(text: &str, range: Range<usize>) -> usize {
    let gap = &text[range];
    gap.matches('\n').count() + gap.matches('\r').count() - gap.matches("\r\n").count()
}

/// What stands around a node in the same container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Around {
    /// Where what stands before it ends.
    pub(crate) before: Option<usize>,
    /// Where what follows it starts.
    pub(crate) after: Option<usize>,
}

impl MarkdownDocument {
    /// The prefix of a node's lines below its first.
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
        if around.kind == Kind::Footnote && lines::line_start(&self.text, start) <= opening {
            return format!("{}    ", prefix_at(&self.text, opening));
        }
        if around.kind == Kind::Component && !lines::starts_line(&self.text, start) && lines::line_start(&self.text, start) <= opening {
            return prefix_at(&self.text, opening);
        }
        prefix_at(&self.text, start)
    }

    /// What stands around a node in the same container.
    pub(crate) fn around(&self, id: NodeId) -> Around {
        if let Some(region) = self.region(id) {
            let blocks = &self.tree().blocks;
            let before = blocks.iter().take_while(|block| block.span.end <= region.span.start).last();
            let after = blocks.iter().find(|block| block.span.start >= region.span.end);
            return Around {
                before: before.map(|block| block.span.range().end),
                after: after.map(|block| block.span.range().start),
            };
        }
        let block = self.block(id);
        let container = self.container(id);
        let next = block.end;
        let follows = (next as usize) < self.tree().blocks.len() && self.container(next) == container;
        Around {
            before: self.end_before(id),
            after: follows.then(|| self.block(next).span.range().start),
        }
    }

    /// Where the block before this one ends, or the heading above it.
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

    /// How many line breaks stand between a block and its neighbours of the same kind.
    pub(crate) fn breaks_near(&self, id: NodeId, least: usize) -> usize {
        if self.region(id).is_some() {
            return least;
        }
        let block = self.block(id);
        let alike = |other: u32| self.block(other).kind == block.kind && self.block(other).parent == block.parent;
        let next = Some(block.end).filter(|next| (*next as usize) < self.tree().blocks.len() && alike(*next));
        let between = |from: Option<usize>, to: usize| from.map(|from| breaks(&self.text, from..to));
        let found = match next {
            Some(next) => between(Some(block.span.range().end), self.block(next).span.range().start),
            None => between(self.around(id).before.filter(|_| self.has_like_before(id)), block.span.range().start),
        };
        found.unwrap_or(least).clamp(least, 4)
    }

    fn has_like_before(&self, id: u32) -> bool {
        let parent = self.block(id).parent;
        let above = std::iter::successors(id.checked_sub(1), |block| Some(self.block(*block).parent).filter(|p| *p != NONE));
        let previous = above.into_iter().find(|block| self.block(*block).parent == parent);
        previous.is_some_and(|previous| self.block(previous).kind == self.block(id).kind)
    }

    /// Insert content before a node, as a block of its own.
    pub(crate) fn block_before(&self, id: NodeId, span: Span, content: &str, least: usize) -> Edit {
        let prefix = self.prefix(id);
        let content = prefixed(content, &prefix);
        let count = self.breaks_near(id, least);
        let start = span.range().start;
        match self.around(id).before {
            // Nothing blank above: the blank line must come along.
            Some(before) if least > 1 && breaks(&self.text, before..start) < 2 => {
                Edit::insert(before, format!("{}{content}\n{}", gap(2, &prefix), prefix.trim_end()))
            }
            _ => Edit::insert(start, format!("{content}{}", gap(count, &prefix))),
        }
    }

    /// Insert content after a node, as a block of its own.
    pub(crate) fn block_after(&self, id: NodeId, span: Span, content: &str, least: usize) -> Edit {
        let count = self.breaks_near(id, least);
        self.block_at(span.range().end, self.around(id).after, &self.prefix(id), content, (count, least))
    }

    /// Insert content below what ends here.
    pub(crate) fn block_at(
        &self,
        end: usize,
        next: Option<usize>,
        prefix: &str,
        content: &str,
        (count, least): (usize, usize),
    ) -> Edit {
        let mut text = format!("{}{}", gap(count, prefix), prefixed(content, prefix));
        if least > 1 && next.is_some_and(|next| breaks(&self.text, end..next) < 2) {
            text.push('\n');
            text.push_str(prefix.trim_end());
        }
        Edit::insert(end, text)
    }

    /// The content for the place of a node's text: as it was read, with prefixes, or without.
    pub(crate) fn fitted(&self, id: NodeId, content: &str) -> String {
        let prefix = self.prefix(id);
        if prefix.is_empty() || has_prefix(content, &prefix) {
            return content.to_owned();
        }
        prefixed(content, &prefix)
    }
}

/// Whether all lines but the first stand behind the prefix already: text that was read in its place and sent back.
fn has_prefix(content: &str, prefix: &str) -> bool {
    let mut rest = content.lines().skip(1).peekable();
    let mark = prefix.trim_end();
    let fits = |line: &str| line.starts_with(prefix) || line.trim_end() == mark || line.trim().is_empty() && mark.is_empty();
    rest.peek().is_some() && rest.all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_blank_lines_and_keeps_indentation() {
        assert_eq!(trimmed("\n \n    a\n b\n\n"), "    a\n b");
        assert_eq!(trimmed(" \n"), "");
    }

    #[test]
    fn prefixes_lines() {
        assert_eq!(prefixed("a\n\nb", "> "), "a\n>\n> b");
        assert_eq!(gap(2, "> "), "\n>\n> ");
        assert_eq!(gap(1, ""), "\n");
        assert_eq!(prefix_at("> 1. x", 5), ">    ");
        assert_eq!(breaks("\r\n\r\n\n\r", 0..6), 4);
    }
}
