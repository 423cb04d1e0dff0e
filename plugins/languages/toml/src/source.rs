//! The values of a file as a tree.

use std::borrow::Cow;

use marquetry_jsonpath::{Kind as JsonKind, Tree, ValueTable};
use marquetry_sdk::Span;

use crate::{
    comments, scalar,
    table::{Id, Key, Kind, Table},
};

/// The text of a file and its table. Both together describe the values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'d> {
    pub(crate) text: &'d str,
    pub(crate) table: &'d Table,
}

impl<'d> Source<'d> {
    pub(crate) fn kind_of(self, id: Id) -> Kind {
        self.table.kind(id)
    }

    /// Returns the text of a value.
    pub(crate) fn raw(self, id: Id) -> &'d str {
        &self.text[self.table.range(id)]
    }

    /// Returns the span of a value.
    pub(crate) fn span(self, id: Id) -> Span {
        Span::from(self.table.range(id))
    }

    /// Returns the text of a key.
    pub(crate) fn raw_key(self, key: Key) -> &'d str {
        &self.text[key.0 as usize..key.1 as usize]
    }

    /// Returns the name of a key.
    pub(crate) fn key_name(self, key: Key) -> Cow<'d, str> {
        scalar::key_name(self.raw_key(key))
    }

    /// Returns the names on the path to a value, as in its header. Array indices are left out.
    pub(crate) fn header_path(self, id: Id) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = id;
        while at != 0 {
            names.extend(self.table.key(at).map(|key| self.key_name(key).into_owned()));
            at = self.table.node(at).parent;
        }
        names.reverse();
        names
    }

    /// Returns the container in which a value is written. For a table that dotted keys name, this is the table that
    /// contains these keys.
    pub(crate) fn written_container(self, id: Id) -> Id {
        let mut at = id;
        while self.kind_of(at) == Kind::DottedTable {
            at = self.table.node(at).parent;
        }
        at
    }

    /// Returns whether the value starts an entry or a section. Otherwise, it is a part of another value.
    pub(crate) fn is_entry_or_section(self, id: Id) -> bool {
        self.table.starts_line_at(self.table.node(id).entry_start as usize)
    }

    /// Returns the comments that belong to a value.
    pub(crate) fn doc(self, id: Id) -> Option<Span> {
        let node = self.table.node(id);
        if id == 0 {
            return None;
        }
        let lead = node.entry_start as usize;
        // Few values have a comment above them, so check for one first. The exact check, which needs the previous
        // value, is slower.
        comments::attached_comments(self.text, 0, lead)?;
        let bound = if self.is_entry_or_section(id) { self.table.previous_end(lead) } else { self.previous_end(id) };
        comments::attached_comments(self.text, bound, lead)
    }

    /// Returns the end of the previous value in the same brackets, or the offset after the opening bracket.
    fn previous_end(self, id: Id) -> usize {
        let home = self.written_container(self.table.node(id).parent);
        // The id before this one is that of the last part of the previous value.
        let mut at = id - 1;
        while at > home && self.written_container(self.table.node(at).parent) != home {
            at = self.table.node(at).parent;
        }
        let node = self.table.node(at);
        if at == home || node.kind == Kind::DottedTable {
            self.table.node(home).start as usize + 1
        } else {
            node.end as usize
        }
    }

    /// Returns the items written directly in a container, including the values of dotted keys.
    pub(crate) fn items(self, container: Id) -> impl Iterator<Item = Id> + use<'d> {
        let end = self.table.node(container).subtree_end;
        let mut at = container + 1;
        std::iter::from_fn(move || {
            while at < end && self.kind_of(at) == Kind::DottedTable {
                at += 1;
            }
            let id = (at < end).then_some(at)?;
            at = self.table.node(id).subtree_end;
            Some(id)
        })
    }

    /// Returns the range that `replace_body` replaces. It is the text inside the brackets, or the text below a header.
    pub(crate) fn body(self, id: Id) -> Option<Span> {
        let (node, range) = (self.table.node(id), self.table.range(id));
        match node.kind {
            Kind::InlineTable | Kind::Array => {
                let close = if node.kind == Kind::Array { ']' } else { '}' };
                let open = range.start + usize::from(!range.is_empty());
                let last = self.items(id).last().map_or(open, |item| self.table.node(item).end as usize);
                let closed = range.end > last && self.text[..range.end].ends_with(close);
                Some(Span::new(open, (range.end - usize::from(closed)).max(open)))
            }
            Kind::HeaderTable | Kind::ArrayElement => {
                let own = self.table.own_section(id).filter(|own| self.table.sections[*own].start == node.start);
                let Some(own) = own else { return Some(Span::from(range)) };
                let head = self.header_line_end(own);
                let rest = &self.text[head..range.end.max(head)];
                let start = head + rest.len() - rest.trim_start().len();
                Some(if rest.trim().is_empty() { Span::at(head) } else { Span::new(start, range.end) })
            }
            kind if kind.is_table() || kind == Kind::ArrayOfTables => Some(Span::from(range)),
            _ => None,
        }
    }

    /// Returns the end of the line of a header, including its comment.
    pub(crate) fn header_line_end(self, section: usize) -> usize {
        let section = &self.table.sections[section];
        let end = marquetry_sdk::lines::line_end(self.text, section.header_end as usize);
        let line = self.text[section.header_end as usize..end].trim_end();
        // In a malformed text, anything may follow the header.
        (section.header_end as usize + line.len()).min(section.end.max(section.header_end) as usize)
    }
}

impl ValueTable for Source<'_> {
    type Key = Key;

    fn entries(&self, container: Id) -> impl Iterator<Item = (Option<Key>, Id)> + Clone {
        let table = self.table;
        table.children(container).map(|child| (table.key(child), child))
    }

    fn subtree_end(&self, value: Id) -> Id {
        self.table.node(value).subtree_end
    }

    fn name(&self, key: Key) -> Cow<'_, str> {
        self.key_name(key)
    }
}

impl Tree for Source<'_> {
    type Node = Id;

    fn root(&self) -> Id {
        0
    }

    fn kind(&self, node: Id) -> JsonKind {
        match self.kind_of(node) {
            Kind::String | Kind::DateTime => JsonKind::String,
            Kind::Integer | Kind::Float => JsonKind::Number,
            Kind::Boolean => JsonKind::Boolean,
            Kind::Missing => JsonKind::Null,
            Kind::Array | Kind::ArrayOfTables => JsonKind::Array,
            _ => JsonKind::Object,
        }
    }

    fn children(&self, node: Id) -> impl Iterator<Item = Id> {
        self.table.children(node)
    }

    fn members(&self, node: Id) -> impl Iterator<Item = (Cow<'_, str>, Id)> {
        self.table.children(node).filter_map(|child| Some((self.key_name(self.table.key(child)?), child)))
    }

    fn member(&self, node: Id, name: &str) -> Option<Id> {
        self.members(node).filter(|(key, _)| key == name).last().map(|(_, value)| value)
    }

    fn element(&self, node: Id, index: usize) -> Option<Id> {
        self.table.children(node).nth(index)
    }

    fn count(&self, node: Id) -> usize {
        self.table.node(node).count as usize
    }

    fn text(&self, node: Id) -> Cow<'_, str> {
        match self.kind_of(node) {
            Kind::String => scalar::decode_string(self.raw(node)),
            Kind::Integer | Kind::Float => scalar::json_number(self.raw(node)),
            _ => Cow::Borrowed(self.raw(node)),
        }
    }

    fn boolean(&self, node: Id) -> bool {
        self.raw(node) == "true"
    }

    fn descend(&self, node: Id, visit: &mut dyn FnMut(Id) -> bool) -> bool {
        // The contents of a value have the ids after its own.
        (node..self.table.node(node).subtree_end).all(visit)
    }
}
