//! What a file is parsed into: its values as a flat table, and the headers and keys that they stand under.
//!
//! Values stand in the order of the tree, a container before what is in it, even where the text brings the parts of a table
//! one by one. So whatever is in a value has the numbers from its own up to `behind`.

use std::ops::Range;

/// What a value is, and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    String,
    Integer,
    Float,
    Boolean,
    DateTime,
    /// Nothing is written where a value should be.
    Missing,
    /// `{ … }`
    Inline,
    /// `[ … ]`
    Array,
    /// The file.
    Root,
    /// A table with a header of its own.
    Headed,
    /// A table with a header in double brackets: an element of `Tables`.
    Element,
    /// A table that only headers of others name.
    Implied,
    /// A table that dotted keys name.
    Dotted,
    /// An array whose elements are `Element`s.
    Tables,
}

impl Kind {
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Kind::Inline | Kind::Root | Kind::Headed | Kind::Element | Kind::Implied | Kind::Dotted)
    }

    pub(crate) fn is_array(self) -> bool {
        matches!(self, Kind::Array | Kind::Tables)
    }

    /// Whether it consists of sections: headers with the keys below them.
    pub(crate) fn is_sectioned(self) -> bool {
        matches!(self, Kind::Headed | Kind::Element | Kind::Implied | Kind::Tables)
    }

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::String => "string",
            Kind::Integer => "integer",
            Kind::Float => "float",
            Kind::Boolean => "boolean",
            Kind::DateTime => "date-time",
            Kind::Missing => "nothing",
            Kind::Array | Kind::Tables => "array",
            _ => "table",
        }
    }
}

/// A value's place in the table.
pub(crate) type Id = u32;

/// Where nothing is.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A key as it stands in the text.
pub(crate) type Key = (u32, u32);

/// A value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Its own key; it starts `NOWHERE` for an element of an array.
    pub(crate) key: Key,
    /// Where its key starts, the first part of a dotted one; for an element where it starts itself.
    pub(crate) lead: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) parent: Id,
    /// The number behind it and all that is in it.
    pub(crate) behind: Id,
    /// While the table is made: the value before it in the same container, or none.
    pub(crate) before: Id,
    /// How many values are directly in it.
    pub(crate) count: u32,
    /// While the table is made: which of the neighbouring parts was the last.
    pub(crate) run: u32,
    /// A table that headers imply, and that dotted keys add to.
    pub(crate) extended: bool,
}

/// A key with its value, outside of all brackets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) node: Id,
}

/// A header with what stands below it; the first one is what stands above all headers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    pub(crate) start: u32,
    /// Where the brackets end.
    pub(crate) head: u32,
    /// Where the last entry or comment below it ends.
    pub(crate) end: u32,
    /// The table that it opens.
    pub(crate) node: Id,
    /// Its first entry.
    pub(crate) first: u32,
}

/// The values of a file, its sections and its entries.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) nodes: Vec<Node>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) sections: Vec<Section>,
    /// Tables with the sections that their own headers open, by their numbers.
    pub(crate) owners: Vec<(Id, u32)>,
}

impl Table {
    pub(crate) fn len(&self) -> Id {
        self.nodes.len() as Id
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn kind(&self, id: Id) -> Kind {
        self.node(id).kind
    }

    /// The bytes of a value.
    pub(crate) fn range(&self, id: Id) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    /// The key of a member.
    pub(crate) fn key(&self, id: Id) -> Option<Key> {
        Some(self.node(id).key).filter(|key| key.0 != NOWHERE)
    }

    /// The value and all that is in it.
    pub(crate) fn within(&self, id: Id) -> Range<Id> {
        id..self.node(id).behind
    }

    /// The values directly in a container.
    pub(crate) fn children(&self, id: Id) -> Children<'_> {
        Children { table: self, at: id + 1, end: self.node(id).behind }
    }

    /// The entries of a section, as indices.
    pub(crate) fn entries_of(&self, section: usize) -> Range<usize> {
        let end = self.sections.get(section + 1).map_or(self.entries.len(), |next| next.first as usize);
        self.sections[section].first as usize..end
    }

    /// The section that holds an entry.
    pub(crate) fn section_of(&self, entry: usize) -> usize {
        self.sections.partition_point(|section| section.first as usize <= entry) - 1
    }

    /// The section whose header opens the table.
    pub(crate) fn own_section(&self, id: Id) -> Option<usize> {
        if self.kind(id) == Kind::Root {
            return Some(0);
        }
        let index = self.owners.binary_search_by_key(&id, |(table, _)| *table).ok()?;
        Some(self.owners[index].1 as usize)
    }

    /// The sections of a value and of what is in it, in the order of the text.
    pub(crate) fn sections_within(&self, id: Id) -> impl DoubleEndedIterator<Item = usize> {
        let within = self.within(id);
        (1..self.sections.len()).filter(move |index| within.contains(&self.sections[*index].node))
    }

    /// The sections and the entries that are of these values or of what is in them, in the order of the text.
    pub(crate) fn lines_within(&self, ids: &[Id]) -> (Vec<usize>, Vec<usize>) {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        let within = |node: Id| {
            let before = ids.partition_point(|id| *id <= node);
            before > 0 && self.within(ids[before - 1]).contains(&node)
        };
        let sections = (1..self.sections.len()).filter(|index| within(self.sections[*index].node)).collect();
        let entries = (0..self.entries.len()).filter(|index| within(self.entries[*index].node)).collect();
        (sections, entries)
    }

    /// Where what stands before an offset outside of brackets ends: an entry, or a header.
    pub(crate) fn end_before(&self, offset: usize) -> usize {
        let entries = self.entries.partition_point(|entry| (entry.start as usize) < offset);
        let sections = self.sections.partition_point(|section| (section.start as usize) < offset);
        let entry = entries.checked_sub(1).map_or(0, |index| self.entries[index].end);
        let head = sections.checked_sub(1).map_or(0, |index| self.sections[index].head);
        entry.max(head) as usize
    }

    /// Whether an entry or a header starts at the offset.
    pub(crate) fn starts_line_at(&self, offset: usize) -> bool {
        let offset = offset as u32;
        self.entries.binary_search_by_key(&offset, |entry| entry.start).is_ok()
            || self.sections[1..].binary_search_by_key(&offset, |section| section.start).is_ok()
    }
}

/// See [`Table::children`].
#[derive(Debug, Clone)]
pub(crate) struct Children<'d> {
    table: &'d Table,
    at: Id,
    end: Id,
}

impl Iterator for Children<'_> {
    type Item = Id;

    #[inline]
    fn next(&mut self) -> Option<Id> {
        if self.at >= self.end {
            return None;
        }
        let id = self.at;
        self.at = self.table.node(id).behind;
        Some(id)
    }
}
