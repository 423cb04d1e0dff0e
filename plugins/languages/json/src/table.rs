//! What a document is parsed into: a flat table of places, eight bytes for a scalar, sixteen for a container.
//!
//! Values stand in document order. A container is two entries: its span, then how many children it has and where the
//! next value after it stands. A member is the entry of its key, marked, and then its value. Nothing is copied from
//! the text; what a value is shows in its first byte.

/// The bit that marks an entry that is no value: a key, or the second of a container.
const MARK: u32 = 1 << 31;
/// Documents beyond this size cannot be addressed.
pub(crate) const LONGEST: usize = MARK as usize - 1;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Of a container's second entry: the number of children.
    start: u32,
    /// Of a container's second entry: the index behind the container.
    end: u32,
}

/// The places of all values of a document.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    /// The root is no value of the text but the list of its lines.
    pub(crate) lines: bool,
}

/// A value's place in the table.
pub(crate) type Id = u32;

impl Table {
    pub(crate) fn with_capacity(entries: usize, lines: bool) -> Table {
        Table { entries: Vec::with_capacity(entries), lines }
    }

    /// All values are there: give back what was kept free for more.
    pub(crate) fn finish(&mut self) {
        self.entries.shrink_to_fit();
    }

    /// The index that the next entry gets.
    pub(crate) fn next_id(&self) -> Id {
        self.entries.len() as Id
    }

    pub(crate) fn push_scalar(&mut self, start: usize, end: usize) {
        self.entries.push(Entry { start: start as u32, end: end as u32 });
    }

    pub(crate) fn push_key(&mut self, start: usize, end: usize) {
        self.entries.push(Entry { start: start as u32 | MARK, end: end as u32 });
    }

    /// Begin a container. It must be closed.
    pub(crate) fn open(&mut self, start: usize) -> Id {
        let id = self.next_id();
        self.push_scalar(start, start);
        self.entries.push(Entry { start: 0, end: 0 });
        id
    }

    pub(crate) fn close(&mut self, id: Id, end: usize, count: u32) {
        let next = self.next_id();
        self.entries[id as usize].end = end as u32;
        self.entries[id as usize + 1] = Entry { start: count | MARK, end: next };
    }

    /// Whether the entry is a value's first.
    pub(crate) fn is_value(&self, id: Id) -> bool {
        self.entries.get(id as usize).is_some_and(|entry| entry.start & MARK == 0)
    }

    /// The key before a value, in an object.
    pub(crate) fn key_of(&self, text: &str, value: Id) -> Option<Id> {
        let key = value.checked_sub(1).filter(|key| !self.is_value(*key))?;
        // The entry before an array's first element is the array's second.
        let of_array = key.checked_sub(1).is_some_and(|id| self.is_value(id) && self.is_container(text, id));
        (!of_array).then_some(key)
    }

    /// The bytes of an entry's place.
    pub(crate) fn range(&self, id: Id) -> std::ops::Range<usize> {
        let entry = self.entries[id as usize];
        (entry.start & !MARK) as usize..entry.end as usize
    }

    /// Whether the value is a container, by the text it is a part of.
    pub(crate) fn is_container(&self, text: &str, id: Id) -> bool {
        let range = self.range(id);
        (self.lines && id == 0) || (!range.is_empty() && matches!(text.as_bytes()[range.start], b'{' | b'['))
    }

    /// How many children a container has.
    pub(crate) fn count(&self, container: Id) -> usize {
        (self.entries[container as usize + 1].start & !MARK) as usize
    }

    /// The index behind a container.
    pub(crate) fn behind(&self, container: Id) -> Id {
        self.entries[container as usize + 1].end
    }
}
