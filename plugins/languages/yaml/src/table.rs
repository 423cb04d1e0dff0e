//! Parsed form of a file: a flat table of nodes, most of which take eight bytes.
//!
//! Nodes are in document order: a collection precedes its contents, and a key precedes its value. Node 0 is the stream,
//! whose children are the documents. A node that needs more than a span takes two entries. The second entry is stored
//! like a reserved node. Anchors and tags are stored separately, because few nodes have them.

use std::ops::Range;

/// Kind and style of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// All documents of the file.
    Stream,
    BlockSequence,
    BlockMapping,
    FlowSequence,
    FlowMapping,
    /// A mapping of one pair without braces, in a flow sequence, such as `[a: 1]`.
    Pair,
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
    Alias,
    /// An omitted node, which is null.
    Empty,
    /// Not a node. It was reserved for a mapping that was not needed.
    Reserved,
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
    Kind::Reserved,
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

    /// Returns whether this is the kind of a flow collection.
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

/// Index of a node in the table.
pub(crate) type Id = u32;

/// Maximum length of a text that can be parsed. Each byte makes at most two entries, so this limits the ids.
pub(crate) const MAX_LENGTH: usize = 1 << 27;
/// Mask for the bits of a number that contain an offset.
const OFFSET_MASK: u32 = (1 << 28) - 1;
/// Bit of an entry's end that marks a node with properties.
const PROPERTIES_FLAG: u32 = 1 << 28;
const KIND_SHIFT: u32 = 28;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// First entry: kind (high bits) and start of the node. Second entry: the index after the node and its contents.
    head: u32,
    /// First entry: the end of the node, and whether the node has properties (high bit). Second entry: the target of an
    /// alias, the indentation of a block scalar, or the number of a collection's children including keys.
    tail: u32,
}

/// Returns whether nodes of this kind take two entries.
fn is_wide(kind: Kind) -> bool {
    kind.is_collection() || kind.is_block_scalar() || matches!(kind, Kind::Alias | Kind::Reserved)
}

/// Effect of a tag on a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// The node has no tag, or one that does not affect the value.
    None,
    /// `!!str`, `!`, or an application tag: the value is the text.
    Text,
    /// `!!int`, `!!float`, `!!bool`, `!!null`: the value is the same as that of a plain scalar.
    Plain,
}

/// Spans of the anchor and the tag of a node. The span is empty if the node has no anchor or tag.
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

    /// Returns the start of the anchor or the tag, whichever comes first.
    pub(crate) fn start(self) -> Option<usize> {
        let starts = [self.has_anchor().then_some(self.anchor.0), self.has_tag().then_some(self.tag.0)];
        starts.into_iter().flatten().min().map(|start| start as usize)
    }

    /// Returns the end of the anchor or the tag, whichever comes last.
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

    /// Releases unused capacity after the last node.
    pub(crate) fn finish(&mut self) {
        self.entries.shrink_to_fit();
    }

    /// Returns the number of entries. All ids are smaller.
    pub(crate) fn len(&self) -> Id {
        self.entries.len() as Id
    }

    pub(crate) fn push(&mut self, kind: Kind, range: Range<usize>, extra: u32, properties: Properties) -> Id {
        let id = self.len();
        let mark = if properties.is_none() { 0 } else { PROPERTIES_FLAG };
        let head = (kind as u32) << KIND_SHIFT | range.start as u32;
        self.entries.push(Entry { head, tail: mark | range.end as u32 });
        if is_wide(kind) {
            self.entries
                .push(Entry { head: (Kind::Reserved as u32) << KIND_SHIFT | ((id + 2) & OFFSET_MASK), tail: extra });
        }
        if mark != 0 {
            self.properties.push((id, properties));
        }
        id
    }

    /// Completes a collection: sets its end and number of children.
    pub(crate) fn close(&mut self, id: Id, end: usize, count: u32) {
        let next = self.len();
        let first = &mut self.entries[id as usize];
        first.tail = first.tail & !OFFSET_MASK | end as u32;
        self.entries[id as usize + 1] =
            Entry { head: (Kind::Reserved as u32) << KIND_SHIFT | next & OFFSET_MASK, tail: count };
    }

    /// Turns a reserved node into the mapping for which it was reserved. Also sets properties of a collection that are
    /// found after its start.
    pub(crate) fn fill_reserved(&mut self, id: Id, kind: Kind, properties: Properties) {
        let entry = &mut self.entries[id as usize];
        entry.head = (kind as u32) << KIND_SHIFT | entry.head & OFFSET_MASK;
        if properties.is_none() {
            return;
        }
        entry.tail |= PROPERTIES_FLAG;
        match self.properties.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(index) => self.properties[index].1 = properties,
            Err(index) => self.properties.insert(index, (id, properties)),
        }
    }

    pub(crate) fn kind(&self, id: Id) -> Kind {
        KINDS[(self.entries[id as usize].head >> KIND_SHIFT) as usize]
    }

    /// Returns the span of a node without its properties.
    pub(crate) fn range(&self, id: Id) -> Range<usize> {
        let entry = self.entries[id as usize];
        (entry.head & OFFSET_MASK) as usize..(entry.tail & OFFSET_MASK) as usize
    }

    /// Returns the id after this node and its contents.
    pub(crate) fn subtree_end(&self, id: Id) -> Id {
        if is_wide(self.kind(id)) { self.entries[id as usize + 1].head & OFFSET_MASK } else { id + 1 }
    }

    /// Returns additional data: the target of an alias, the indentation of a block scalar, or the number of children of
    /// a collection.
    pub(crate) fn extra(&self, id: Id) -> u32 {
        if is_wide(self.kind(id)) { self.entries[id as usize + 1].tail } else { 0 }
    }

    pub(crate) fn properties(&self, id: Id) -> Properties {
        if self.entries[id as usize].tail & PROPERTIES_FLAG == 0 {
            return Properties::NONE;
        }
        let found = self.properties.binary_search_by_key(&id, |(id, _)| *id);
        found.map_or(Properties::NONE, |index| self.properties[index].1)
    }

    /// Returns the last node before an id.
    pub(crate) fn previous(&self, number: Id) -> Id {
        (0..number).rev().find(|id| self.kind(*id) != Kind::Reserved).unwrap_or(0)
    }

    /// Returns the direct children of a collection. In a mapping, keys and values alternate.
    pub(crate) fn children(&self, id: Id) -> Children<'_> {
        let filled = self.kind(id).is_collection();
        Children { table: self, at: id + 2, end: if filled { self.subtree_end(id) } else { 0 } }
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

    fn next(&mut self) -> Option<Id> {
        while self.at < self.end {
            let id = self.at;
            self.at = self.table.subtree_end(id);
            if self.table.kind(id) != Kind::Reserved {
                return Some(id);
            }
        }
        None
    }
}
