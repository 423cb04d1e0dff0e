//! Children of a node as items on lines: inserts and deletes them in the style of their neighbours.

use marquetry_sdk::{
    Edit, Span,
    items::{Comments, EmptyStyle, Items},
    lines,
};

use super::content::{Content, preserves_space};
use crate::{
    chars,
    document::XmlDocument,
    tree::{Id, Kind},
};

const COMMENTS: Comments = Comments { line: &[], block: &[("<!--", "-->")], nested: false };

/// Children of a node except text, each with the comments that belong to it.
#[derive(Debug)]
pub(crate) struct Siblings<'d> {
    document: &'d XmlDocument,
    ids: Vec<Id>,
    items: Items<'d>,
    /// True if white space must stay as it is.
    preserves_space: bool,
    /// True if there is text among the children.
    pub(crate) has_text: bool,
}

impl<'d> Siblings<'d> {
    /// Collects the children of a node. `inner` is the span of its content.
    pub(crate) fn new(document: &'d XmlDocument, parent: Id, inner: Span, unit: &'d str) -> Siblings<'d> {
        let (tree, text) = (&document.tree, document.text.as_str());
        let (mut ids, mut spans): (Vec<Id>, Vec<Span>) = (Vec::new(), Vec::new());
        let mut has_text = false;
        for child in tree.children(parent) {
            if tree.is_from_entity(child) || tree.kind(child) == Kind::Text {
                has_text |= !chars::is_blank(tree.span(child).slice(text));
                continue;
            }
            let mut span = tree.span(child);
            if let Some(doc) = document.doc(child) {
                span.start = doc.start;
                while spans.last().is_some_and(|last| last.start >= doc.start) {
                    spans.pop();
                    ids.pop();
                }
            }
            let trails = tree.kind(child) == Kind::Comment && is_trailing(text, span, spans.last().copied());
            if !trails {
                ids.push(child);
                spans.push(span);
            }
        }
        let preserves_space = preserves_space(tree, text, parent);
        let items = Items {
            text,
            inner,
            items: spans,
            separator: "",
            terminated: false,
            comments: COMMENTS,
            unit,
            empty: EmptyStyle::Block,
            breaks: 1,
        };
        Siblings { document, ids, items, preserves_space, has_text }
    }

    pub(crate) fn ids(&self) -> &[Id] {
        &self.ids
    }

    fn index(&self, id: Id) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Returns the span of the item of a child; if the child is not an item, the span of the node.
    fn span(&self, id: Id) -> Span {
        self.index(id).map_or_else(|| self.document.tree.span(id), |index| self.items.items[index])
    }

    /// Returns whether the child is alone on its lines, except for a comment after it.
    fn has_lines(&self, span: Span) -> bool {
        let text = self.items.text;
        !self.preserves_space
            && lines::starts_line(text, span.range().start)
            && lines::ends_line(text, self.after_comments(span.range().end))
    }

    /// Returns the end of the comments that follow on the line of this offset.
    fn after_comments(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.items.text[at..self.items.inner.range().end.max(at)];
            let trimmed = rest.trim_start_matches([' ', '\t']);
            let end = trimmed.strip_prefix("<!--").and_then(|inner| inner.find("-->")).map(|end| end + 7);
            match end {
                Some(end) if !trimmed[..end].contains(['\n', '\r']) => at += rest.len() - trimmed.len() + end,
                _ => return at,
            }
        }
    }

    /// Inserts content before or after a child.
    pub(crate) fn insert_beside(&self, id: Id, content: &Content<'_>, before: bool) -> Vec<Edit> {
        let span = self.span(id);
        let text = self.items.text;
        let index = self.index(id).filter(|_| !self.has_text && !self.preserves_space && self.items.in_block());
        if let Some(index) = index {
            let content = content.indented(&self.items.indent());
            return self.items.insert(if before { index } else { index + 1 }, &content);
        }
        if self.has_lines(span) {
            let indent = lines::indent_at(text, span.range().start);
            let content = content.indented(indent);
            return vec![if before {
                Edit::insert(span.range().start, format!("{content}\n{indent}"))
            } else {
                Edit::insert(self.after_comments(span.range().end), format!("\n{indent}{content}"))
            }];
        }
        let gap = self.inline_separator();
        let own = self.document.tree.span(id).range();
        vec![if before {
            Edit::insert(own.start, format!("{}{gap}", content.text))
        } else {
            Edit::insert(own.end, format!("{gap}{}", content.text))
        }]
    }

    /// White space between items on one line.
    fn inline_separator(&self) -> &'d str {
        if self.has_text || self.preserves_space {
            return "";
        }
        let gap =
            self.items.items.windows(2).map(|pair| &self.items.text[pair[0].range().end..pair[1].range().start]).next();
        gap.filter(|gap| chars::is_blank(gap) && !gap.contains(['\n', '\r'])).unwrap_or_default()
    }

    /// Inserts content before the item with this index, or after the last item.
    pub(crate) fn insert_at(&self, index: usize, content: &Content<'_>) -> Vec<Edit> {
        let first_or_last = match self.ids.get(index) {
            Some(id) => Some((*id, true)),
            None => self.ids.last().map(|id| (*id, false)),
        };
        match first_or_last {
            Some((id, before)) if !self.has_text => self.insert_beside(id, content, before),
            _ => vec![self.insert_into_text(content, index == 0)],
        }
    }

    /// Inserts at the start or end of content that is text or empty.
    fn insert_into_text(&self, content: &Content<'_>, first: bool) -> Edit {
        let (text, inner) = (self.items.text, self.items.inner.range());
        let source = &text[inner.clone()];
        if self.preserves_space || !super::content::begins_with_break(source) {
            return Edit::insert(if first { inner.start } else { inner.end }, content.text);
        }
        let indent = self.inner_indent();
        let content = content.indented(&indent);
        if first {
            Edit::insert(inner.start, format!("\n{indent}{content}"))
        } else {
            let end = inner.start + source.trim_end_matches([' ', '\t', '\n', '\r']).len();
            Edit::insert(end, format!("\n{indent}{content}"))
        }
    }

    /// Indentation of content on separate lines.
    pub(crate) fn inner_indent(&self) -> String {
        let (text, inner) = (self.items.text, self.items.inner.range());
        let starts = self.items.items.iter().any(|item| lines::starts_line(text, item.range().start));
        let source = &text[inner.clone()];
        if !starts && super::content::begins_with_break(source) && !chars::is_blank(source) {
            let first = inner.start + (source.len() - source.trim_start_matches([' ', '\t', '\n', '\r']).len());
            return lines::indent_at(text, first).to_owned();
        }
        self.items.indent()
    }

    /// Deletes children, given in document order.
    pub(crate) fn delete(&self, ids: &[Id]) -> Vec<Edit> {
        let (mut on_lines, mut edits) = (Vec::new(), Vec::new());
        for id in ids {
            let span = self.span(*id);
            match self.index(*id).filter(|_| self.has_lines(span)) {
                Some(index) if self.has_text => edits.append(&mut self.items.delete(&[index])),
                Some(index) => on_lines.push(index),
                None => edits.push(self.delete_inline(*id)),
            }
        }
        edits.append(&mut self.items.delete(&on_lines));
        edits
    }

    fn delete_inline(&self, id: Id) -> Edit {
        let (text, span) = (self.items.text, self.document.tree.span(id).range());
        if self.has_text || self.preserves_space {
            return Edit::remove(span);
        }
        // Also delete the gap after the items, or the gap before them if they are the last.
        let inner = self.items.inner.range();
        let line = |gap: &str| gap.len() - gap.trim_start_matches([' ', '\t']).len();
        let behind = span.end + line(&text[span.end..inner.end.max(span.end)]);
        if !text[behind..].starts_with("</") && !lines::ends_line(text, behind) {
            return Edit::remove(span.start..behind);
        }
        let before = &text[inner.start.min(span.start)..span.start];
        let kept = before.trim_end_matches([' ', '\t']);
        let start = if kept.is_empty() || kept.ends_with(['\n', '\r']) {
            span.start
        } else {
            span.start - (before.len() - kept.len())
        };
        Edit::remove(start..span.end)
    }
}

/// Returns whether the comment follows an item on the same line.
fn is_trailing(text: &str, comment: Span, last: Option<Span>) -> bool {
    last.is_some_and(|last| {
        let gap = &text[last.range().end..comment.range().start];
        gap.bytes().all(|byte| matches!(byte, b' ' | b'\t')) && !comment.slice(text).contains(['\n', '\r'])
    }) && lines::ends_line(text, comment.range().end)
}
