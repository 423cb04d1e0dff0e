//! Positions of the parts of a collection: entries, colons, comments.

use marquetry_jsonpath::ValueTable;
use marquetry_sdk::{Span, directives, lines};

use crate::{
    source::Source,
    table::{Id, Kind},
};

/// One entry of a collection: an item, or a key with its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) key: Option<Id>,
    pub(crate) value: Id,
    /// Span from the dash, `?`, key or anchor of the entry to the end of its value.
    pub(crate) span: Span,
    /// The comment directly above the entry.
    pub(crate) doc: Option<Span>,
}

impl Entry {
    /// Returns the start of the entry, including the comment above it.
    pub(crate) fn start_with_comment(&self) -> usize {
        self.doc.unwrap_or(self.span).range().start
    }
}

impl Source<'_> {
    /// Returns the next offset that is not white space, a line break or a comment.
    pub(crate) fn content_after(self, mut at: usize) -> usize {
        loop {
            let rest = &self.text[at..];
            at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            if !self.text[at..].starts_with('#') {
                return at;
            }
            at = lines::line_end(self.text, at);
        }
    }

    /// Returns the end of a node. For an empty node, this is the end of its anchor or tag.
    pub(crate) fn end(self, id: Id) -> usize {
        self.table.range(id).end.max(self.table.properties(id).end())
    }

    /// Returns whether a node is a block scalar that keeps empty lines (`|+`), so that empty lines after it belong to it.
    pub(crate) fn keeps_empty_lines(self, id: Id) -> bool {
        let header = || self.raw(id).lines().next().unwrap_or_default();
        self.kind_of(id).is_block_scalar()
            && header().split([' ', '\t']).next().is_some_and(|header| header.contains('+'))
    }

    /// Returns the entries of a collection, in order.
    pub(crate) fn entries_of(self, container: Id) -> Vec<Entry> {
        let mut before = None;
        let entry = |(key, value): (Option<Id>, Id)| {
            let start = self.entry_start(container, before, key, value);
            let end = self.end(value).max(start);
            let doc = self.doc_of_entry(container, before, start);
            before = Some(value);
            Entry { key, value, span: Span::new(start, end), doc }
        };
        self.entries(container).map(entry).collect()
    }

    /// Returns the comment directly above an entry that starts at an offset. `before` is the value of the previous
    /// entry.
    pub(crate) fn doc_of_entry(self, container: Id, before: Option<Id>, start: usize) -> Option<Span> {
        let kind = self.kind_of(container);
        let floor = match before {
            Some(before) => self.end(before),
            None if kind.is_flow() => self.table.range(container).start + 1,
            None => 0,
        };
        (kind.is_block_collection() || kind.is_flow()).then(|| self.comment_above(start, floor)).flatten()
    }

    /// Returns the start of an entry, which is its dash, `?`, key or anchor. `before` is the value of the previous
    /// entry.
    pub(crate) fn entry_start(self, container: Id, before: Option<Id>, key: Option<Id>, value: Id) -> usize {
        let node = self.start(key.unwrap_or(value));
        let kind = self.kind_of(container);
        let indicator = match kind {
            Kind::BlockSequence => "-",
            Kind::BlockMapping | Kind::FlowMapping => "?",
            _ => return node,
        };
        let mut at = match before {
            Some(before) => self.content_after(self.end(before)),
            None if kind == Kind::FlowMapping => self.content_after(self.table.range(container).start + 1),
            None => return self.table.range(container).start,
        };
        // In a malformed file, there may be other lines before the entry.
        while at < node && !self.text[at..].starts_with(indicator) {
            let comma = self.text[at..].starts_with(',');
            at = self.content_after(if comma { at + 1 } else { lines::line_end(self.text, at) });
        }
        at.min(node)
    }

    /// Returns the comment lines directly above an offset that have the same indentation. Lines before `floor` are
    /// ignored.
    pub(crate) fn comment_above(self, start: usize, floor: usize) -> Option<Span> {
        let text = self.text;
        if !lines::starts_line(text, start) {
            return None;
        }
        let first = lines::line_start(text, start);
        let column = start - first;
        let mut top = first;
        while let Some(line) = lines::previous_line(text, top) {
            let content = &text[line..top];
            let depth = content.len() - content.trim_start_matches(' ').len();
            let is_apart = !content[depth..].starts_with('#') || directives::is_about_region(&content[depth..]);
            if line < floor || depth != column || is_apart {
                break;
            }
            top = line;
        }
        let end = text[..first].trim_end_matches(['\n', '\r']).len();
        (top < first).then(|| Span::new(top + column, end))
    }

    /// Returns the column of a block collection's entries.
    pub(crate) fn entry_column(self, collection: Id) -> usize {
        let start = self.table.range(collection).start;
        start - lines::line_start(self.text, start)
    }

    /// Returns the offset after the colon of a key, if there is one.
    pub(crate) fn colon_end(self, key: Id) -> Option<usize> {
        let at = self.content_after(self.end(key));
        self.text[at..].starts_with(':').then_some(at + 1)
    }

    /// Returns the range between the brackets of a flow collection.
    pub(crate) fn bracket_body(self, id: Id) -> Option<Span> {
        let range = self.table.range(id);
        let closing = match self.kind_of(id) {
            Kind::FlowSequence => ']',
            Kind::FlowMapping => '}',
            _ => return None,
        };
        let last = self.table.children(id).last().map_or(range.start + 1, |last| self.end(last));
        let closed = range.end > last && self.text[..range.end].ends_with(closing);
        Some(Span::new(range.start + 1, range.end - usize::from(closed)))
    }
}
