//! Parsed form of a document: a flat table of spans. A scalar takes eight bytes, and a container takes sixteen.
//!
//! Values are in document order. A container has two entries. The first has its span. The second has the number of
//! children and the index of the next value after the container. A member is the marked entry of its key, followed by
//! its value. No text is copied. The first byte of a value determines its kind.

/// Marks an entry that does not start a value: a key, or the second entry of a container.
const NON_VALUE_FLAG: u32 = 1 << 31;
/// Maximum length of a document. Offsets of a longer one would not fit into an entry.
pub(crate) const MAX_LENGTH: usize = NON_VALUE_FLAG as usize - 1;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// In a container's second entry: the number of children.
    start: u32,
    /// In a container's second entry: the index after the container.
    end: u32,
}

/// The spans of all values of a document.
#[derive(Debug, Default)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    /// True if the root is the list of the lines of the text, rather than a value in the text.
    pub(crate) is_json_lines: bool,
}

/// Index of a value in the table.
pub(crate) type Id = u32;

impl Table {
    pub(crate) fn with_capacity(entries: usize, is_json_lines: bool) -> Table {
        Table { entries: Vec::with_capacity(entries), is_json_lines }
    }

    /// Releases unused capacity after the last value.
    pub(crate) fn finish(&mut self) {
        self.entries.shrink_to_fit();
    }

    /// Returns the index that the next entry gets.
    pub(crate) fn next_id(&self) -> Id {
        self.entries.len() as Id
    }

    pub(crate) fn push_scalar(&mut self, start: usize, end: usize) {
        self.entries.push(Entry { start: start as u32, end: end as u32 });
    }

    pub(crate) fn push_key(&mut self, start: usize, end: usize) {
        self.entries.push(Entry { start: start as u32 | NON_VALUE_FLAG, end: end as u32 });
    }

    /// Starts a container. It must be closed with `close`.
    pub(crate) fn open(&mut self, start: usize) -> Id {
        let id = self.next_id();
        self.push_scalar(start, start);
        self.entries.push(Entry { start: 0, end: 0 });
        id
    }

    pub(crate) fn close(&mut self, id: Id, end: usize, count: u32) {
        let next = self.next_id();
        self.entries[id as usize].end = end as u32;
        self.entries[id as usize + 1] = Entry { start: count | NON_VALUE_FLAG, end: next };
    }

    /// Returns whether the entry is the first one of a value.
    pub(crate) fn is_value(&self, id: Id) -> bool {
        self.entries.get(id as usize).is_some_and(|entry| entry.start & NON_VALUE_FLAG == 0)
    }

    /// Returns the key of a value, if the value is in an object.
    pub(crate) fn key_of(&self, text: &str, value: Id) -> Option<Id> {
        let key = value.checked_sub(1).filter(|key| !self.is_value(*key))?;
        // Before the first element of an array is the second entry of the array, which is not a key.
        let of_array = key.checked_sub(1).is_some_and(|id| self.is_value(id) && self.is_container(text, id));
        (!of_array).then_some(key)
    }

    /// Returns the range of an entry.
    pub(crate) fn range(&self, id: Id) -> std::ops::Range<usize> {
        let entry = self.entries[id as usize];
        (entry.start & !NON_VALUE_FLAG) as usize..entry.end as usize
    }

    /// Returns whether the value is a container, given the text.
    pub(crate) fn is_container(&self, text: &str, id: Id) -> bool {
        let range = self.range(id);
        (self.is_json_lines && id == 0) || (!range.is_empty() && matches!(text.as_bytes()[range.start], b'{' | b'['))
    }

    /// Returns the number of children of a container.
    pub(crate) fn count(&self, container: Id) -> usize {
        (self.entries[container as usize + 1].start & !NON_VALUE_FLAG) as usize
    }

    /// Returns the index after a container.
    pub(crate) fn subtree_end(&self, container: Id) -> Id {
        self.entries[container as usize + 1].end
    }
}
