//! Parsed form of a file: a flat table of its values, with its headers and keys.
//!
//! Values are in tree order: a container precedes its contents, even if the parts of a table are scattered in the text.
//! So a value and its contents have the ids from its own up to `subtree_end`.

use std::ops::Range;

/// Kind and style of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    String,
    Integer,
    Float,
    Boolean,
    DateTime,
    /// An empty value, where the text has no value.
    Missing,
    /// `{ … }`
    InlineTable,
    /// `[ … ]`
    Array,
    /// The file.
    Root,
    /// A table with a header.
    HeaderTable,
    /// A table with a header in double brackets: an element of `ArrayOfTables`.
    ArrayElement,
    /// A table that is named only by headers of other tables.
    ImpliedTable,
    /// A table that is named by dotted keys.
    DottedTable,
    /// An array whose elements are `ArrayElement`s.
    ArrayOfTables,
}

impl Kind {
    pub(crate) fn is_table(self) -> bool {
        matches!(
            self,
            Kind::InlineTable
                | Kind::Root
                | Kind::HeaderTable
                | Kind::ArrayElement
                | Kind::ImpliedTable
                | Kind::DottedTable
        )
    }

    pub(crate) fn is_array(self) -> bool {
        matches!(self, Kind::Array | Kind::ArrayOfTables)
    }

    /// Returns whether a value of this kind consists of sections, which are headers with the keys below them.
    pub(crate) fn is_sectioned(self) -> bool {
        matches!(self, Kind::HeaderTable | Kind::ArrayElement | Kind::ImpliedTable | Kind::ArrayOfTables)
    }

    /// Returns the name of the kind for users.
    pub(crate) fn display_name(self) -> &'static str {
        match self {
            Kind::String => "string",
            Kind::Integer => "integer",
            Kind::Float => "float",
            Kind::Boolean => "boolean",
            Kind::DateTime => "date-time",
            Kind::Missing => "nothing",
            Kind::Array | Kind::ArrayOfTables => "array",
            _ => "table",
        }
    }
}

/// Index of a value in the table.
pub(crate) type Id = u32;

/// Offset that stands for "none".
pub(crate) const NO_OFFSET: u32 = u32::MAX;

/// The span of a key.
pub(crate) type Key = (u32, u32);

/// A value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Span of the key. For an element of an array, it starts at `NO_OFFSET`.
    pub(crate) key: Key,
    /// Start of the key, or of the first part of a dotted key. For an element of an array, start of the element.
    pub(crate) entry_start: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) parent: Id,
    /// The first id after the value and its contents.
    pub(crate) subtree_end: Id,
    /// While the table is built: the id of the previous value in the same container, or 0.
    pub(crate) previous: Id,
    /// Number of direct children.
    pub(crate) count: u32,
    /// While the table is built: the number of the last entry that is adjacent to the other parts of the table.
    pub(crate) last_adjacent: u32,
    /// True for a table that headers of other tables imply, and to which dotted keys add members.
    pub(crate) extended_by_dotted_keys: bool,
}

/// A key with its value, outside of all brackets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) node: Id,
}

/// A header with the lines below it. The first section has the lines above all headers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    pub(crate) start: u32,
    /// End of the brackets of the header.
    pub(crate) header_end: u32,
    /// End of the last entry or comment of the section.
    pub(crate) end: u32,
    /// The table that the header opens.
    pub(crate) node: Id,
    /// Index of the first entry of the section.
    pub(crate) first: u32,
}

/// The values of a file, its sections and its entries.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) nodes: Vec<Node>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) sections: Vec<Section>,
    /// Pairs of a table and a section that its header opens, sorted by table.
    pub(crate) table_sections: Vec<(Id, u32)>,
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

    /// Returns the range of a value.
    pub(crate) fn range(&self, id: Id) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    /// Returns the key of a member.
    pub(crate) fn key(&self, id: Id) -> Option<Key> {
        Some(self.node(id).key).filter(|key| key.0 != NO_OFFSET)
    }

    /// Returns the ids of the value and its contents.
    pub(crate) fn subtree(&self, id: Id) -> Range<Id> {
        id..self.node(id).subtree_end
    }

    /// Returns the direct children of a container.
    pub(crate) fn children(&self, id: Id) -> Children<'_> {
        Children { table: self, at: id + 1, end: self.node(id).subtree_end }
    }

    /// Returns the indices of a section's entries.
    pub(crate) fn entries_of(&self, section: usize) -> Range<usize> {
        let end = self.sections.get(section + 1).map_or(self.entries.len(), |next| next.first as usize);
        self.sections[section].first as usize..end
    }

    /// Returns the section of an entry.
    pub(crate) fn section_of(&self, entry: usize) -> usize {
        self.sections.partition_point(|section| section.first as usize <= entry) - 1
    }

    /// Returns the section whose header opens the table.
    pub(crate) fn own_section(&self, id: Id) -> Option<usize> {
        if self.kind(id) == Kind::Root {
            return Some(0);
        }
        let index = self.table_sections.binary_search_by_key(&id, |(table, _)| *table).ok()?;
        Some(self.table_sections[index].1 as usize)
    }

    /// Returns the sections of a value and its contents, in text order.
    pub(crate) fn sections_within(&self, id: Id) -> impl DoubleEndedIterator<Item = usize> {
        let within = self.subtree(id);
        (1..self.sections.len()).filter(move |index| within.contains(&self.sections[*index].node))
    }

    /// Returns the sections and entries of these values and their contents, in text order.
    pub(crate) fn sections_and_entries(&self, ids: &[Id]) -> (Vec<usize>, Vec<usize>) {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        let within = |node: Id| {
            let before = ids.partition_point(|id| *id <= node);
            before > 0 && self.subtree(ids[before - 1]).contains(&node)
        };
        let sections = (1..self.sections.len()).filter(|index| within(self.sections[*index].node)).collect();
        let entries = (0..self.entries.len()).filter(|index| within(self.entries[*index].node)).collect();
        (sections, entries)
    }

    /// Returns the end of the last entry or header before an offset. The offset must be outside of brackets.
    pub(crate) fn previous_end(&self, offset: usize) -> usize {
        let entries = self.entries.partition_point(|entry| (entry.start as usize) < offset);
        let sections = self.sections.partition_point(|section| (section.start as usize) < offset);
        let entry = entries.checked_sub(1).map_or(0, |index| self.entries[index].end);
        let head = sections.checked_sub(1).map_or(0, |index| self.sections[index].header_end);
        entry.max(head) as usize
    }

    /// Returns whether an entry or a header starts at the offset.
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
        self.at = self.table.node(id).subtree_end;
        Some(id)
    }
}
