//! What a file is parsed into: a flat table of nodes, eight bytes for most of them.
//!
//! Nodes stand in document order, a collection before what is in it, a key before its value. Node 0 is the stream, whose
//! children are the documents. What has more to say than its place takes two entries, the second of which is a hole to
//! whoever meets it. Anchors and tags are kept aside: few nodes have them.

use std::ops::Range;

/// What a node is, and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// All documents of the file.
    Stream,
    BlockSequence,
    BlockMapping,
    FlowSequence,
    FlowMapping,
    /// A mapping of one pair without braces, in a flow sequence.
    Pair,
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
    Alias,
    /// Nothing is written where a node should be: null.
    Empty,
    /// No node: a place kept free for a mapping that did not come.
    Hole,
}

const KINDS: [Kind; 14] = [
    Kind::Stream,
    Kind::BlockSequence,
    Kind::BlockMapping,
    Kind::FlowSequence,
    Kind::FlowMapping,
    Kind::Pair,
    Kind::Plain,
    Kind::SingleQuoted,
    Kind::DoubleQuoted,
    Kind::Literal,
    Kind::Folded,
    Kind::Alias,
    Kind::Empty,
    Kind::Hole,
];

impl Kind {
    pub(crate) fn is_mapping(self) -> bool {
        matches!(self, Kind::BlockMapping | Kind::FlowMapping | Kind::Pair)
    }

    pub(crate) fn is_sequence(self) -> bool {
        matches!(self, Kind::BlockSequence | Kind::FlowSequence | Kind::Stream)
    }

    pub(crate) fn is_collection(self) -> bool {
        self.is_mapping() || self.is_sequence()
    }

    /// Whether it stands in flow brackets, or is such.
    pub(crate) fn is_flow(self) -> bool {
        matches!(self, Kind::FlowSequence | Kind::FlowMapping | Kind::Pair)
    }

    pub(crate) fn is_block_collection(self) -> bool {
        matches!(self, Kind::BlockSequence | Kind::BlockMapping)
    }

    pub(crate) fn is_block_scalar(self) -> bool {
        matches!(self, Kind::Literal | Kind::Folded)
    }
}

/// A node's place in the table.
pub(crate) type Id = u32;

/// Texts beyond this size cannot be addressed: a byte makes two entries at most.
pub(crate) const LONGEST: usize = 1 << 27;
/// The part of a number that is a place.
const PLACE: u32 = (1 << 28) - 1;
/// In the upper part of an entry's end: the node has properties.
const PROPERTIES: u32 = 1 << 28;
const KIND_SHIFT: u32 = 28;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// From the top: the kind, and where the node starts. Of a second entry: the entry behind the node and all that is
    /// in it.
    head: u32,
    /// From the top: whether the node has properties, and where it ends. Of a second entry, for an alias: the node it
    /// means; for a block scalar: the indentation of its lines; for a collection: how many children it has, keys counted.
    tail: u32,
}

/// Whether nodes of this kind take two entries.
fn is_wide(kind: Kind) -> bool {
    kind.is_collection() || kind.is_block_scalar() || matches!(kind, Kind::Alias | Kind::Hole)
}

/// What a tag makes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// No tag, or one that says nothing about the value.
    None,
    /// `!!str`, `!`, or a tag of the application.
    Text,
    /// `!!int`, `!!float`, `!!bool`, `!!null`: as the plain scalar would be.
    Plain,
}

/// Anchor and tag of a node, as places in the text; empty where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Properties {
    pub(crate) anchor: (u32, u32),
    pub(crate) tag: (u32, u32),
    pub(crate) meaning: Tag,
}

impl Properties {
    pub(crate) const NONE: Properties = Properties { anchor: (0, 0), tag: (0, 0), meaning: Tag::None };

    pub(crate) fn has_anchor(self) -> bool {
        self.anchor.1 > 0
    }

    pub(crate) fn has_tag(self) -> bool {
        self.tag.1 > 0
    }

    pub(crate) fn is_none(self) -> bool {
        !self.has_anchor() && !self.has_tag()
    }

    /// Where the first of them starts.
    pub(crate) fn start(self) -> Option<usize> {
        let starts = [self.has_anchor().then_some(self.anchor.0), self.has_tag().then_some(self.tag.0)];
        starts.into_iter().flatten().min().map(|start| start as usize)
    }

    /// Where the last of them ends.
    pub(crate) fn end(self) -> usize {
        self.anchor.1.max(self.tag.1) as usize
    }
}

/// The nodes of a file.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    properties: Vec<(Id, Properties)>,
}

impl Table {
    pub(crate) fn with_capacity(entries: usize) -> Table {
        Table { entries: Vec::with_capacity(entries), properties: Vec::new() }
    }

    /// All nodes are there: give back what was kept free for more.
    pub(crate) fn finish(&mut self) {
        self.entries.shrink_to_fit();
    }

    /// Numbers of nodes are lower than this.
    pub(crate) fn len(&self) -> Id {
        self.entries.len() as Id
    }

    pub(crate) fn push(&mut self, kind: Kind, range: Range<usize>, extra: u32, properties: Properties) -> Id {
        let id = self.len();
        let mark = if properties.is_none() { 0 } else { PROPERTIES };
        let head = (kind as u32) << KIND_SHIFT | range.start as u32;
        self.entries.push(Entry { head, tail: mark | range.end as u32 });
        if is_wide(kind) {
            self.entries.push(Entry { head: (Kind::Hole as u32) << KIND_SHIFT | ((id + 2) & PLACE), tail: extra });
        }
        if mark != 0 {
            self.properties.push((id, properties));
        }
        id
    }

    /// A collection is complete: where it ends, and how many nodes are directly in it.
    pub(crate) fn close(&mut self, id: Id, end: usize, count: u32) {
        let next = self.len();
        let first = &mut self.entries[id as usize];
        first.tail = first.tail & !PLACE | end as u32;
        self.entries[id as usize + 1] = Entry { head: (Kind::Hole as u32) << KIND_SHIFT | next & PLACE, tail: count };
    }

    /// Make a hole the mapping that it was kept for, or give a collection its properties afterwards.
    pub(crate) fn fill(&mut self, id: Id, kind: Kind, properties: Properties) {
        let entry = &mut self.entries[id as usize];
        entry.head = (kind as u32) << KIND_SHIFT | entry.head & PLACE;
        if properties.is_none() {
            return;
        }
        entry.tail |= PROPERTIES;
        match self.properties.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(index) => self.properties[index].1 = properties,
            Err(index) => self.properties.insert(index, (id, properties)),
        }
    }

    pub(crate) fn kind(&self, id: Id) -> Kind {
        KINDS[(self.entries[id as usize].head >> KIND_SHIFT) as usize]
    }

    /// The node without its properties.
    pub(crate) fn range(&self, id: Id) -> Range<usize> {
        let entry = self.entries[id as usize];
        (entry.head & PLACE) as usize..(entry.tail & PLACE) as usize
    }

    /// The number behind this node and all that is in it.
    pub(crate) fn behind(&self, id: Id) -> Id {
        if is_wide(self.kind(id)) { self.entries[id as usize + 1].head & PLACE } else { id + 1 }
    }

    /// What only some kinds have: the node an alias means, the indentation of a block scalar, the number of children.
    pub(crate) fn extra(&self, id: Id) -> u32 {
        if is_wide(self.kind(id)) { self.entries[id as usize + 1].tail } else { 0 }
    }

    pub(crate) fn properties(&self, id: Id) -> Properties {
        if self.entries[id as usize].tail & PROPERTIES == 0 {
            return Properties::NONE;
        }
        let found = self.properties.binary_search_by_key(&id, |(id, _)| *id);
        found.map_or(Properties::NONE, |index| self.properties[index].1)
    }

    /// The last node before a number.
    pub(crate) fn before(&self, number: Id) -> Id {
        (0..number).rev().find(|id| self.kind(*id) != Kind::Hole).unwrap_or(0)
    }

    /// The nodes directly in a collection, keys and values alternating in a mapping.
    pub(crate) fn inside(&self, id: Id) -> Inside<'_> {
        let filled = self.kind(id).is_collection();
        Inside { table: self, at: id + 2, end: if filled { self.behind(id) } else { 0 } }
    }
}

/// See [`Table::inside`].
#[derive(Debug, Clone)]
pub(crate) struct Inside<'d> {
    table: &'d Table,
    at: Id,
    end: Id,
}

impl Iterator for Inside<'_> {
    type Item = Id;

    fn next(&mut self) -> Option<Id> {
        while self.at < self.end {
            let id = self.at;
            self.at = self.table.behind(id);
            if self.table.kind(id) != Kind::Hole {
                return Some(id);
            }
        }
        None
    }
}
