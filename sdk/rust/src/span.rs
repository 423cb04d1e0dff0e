//! Spans, which are half-open ranges of byte offsets, and constructors for edits and nodes.

use crate::{Edit, Node, NodeId, Span};

impl Span {
    /// A span from two offsets. They fit into 32 bits because the host refuses files of 4 GiB and more.
    pub fn new(start: usize, end: usize) -> Span {
        debug_assert!(start <= end, "a span that ends before it starts: {start}..{end}");
        Span { start: start as u32, end: end as u32 }
    }

    /// An empty span.
    pub fn at(offset: usize) -> Span {
        Span::new(offset, offset)
    }

    /// The span as a range of `usize`.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text at this span.
    pub fn slice(self, text: &str) -> &str {
        &text[self.range()]
    }

    /// The span without white space at its ends.
    pub fn trimmed(self, text: &str) -> Span {
        let own = self.slice(text);
        let start = self.range().start + own.len() - own.trim_start().len();
        Span::new(start, start + own.trim().len())
    }

    /// Returns whether the other span is inside of this one.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether the offset is inside of the span or at its end.
    pub fn touches(self, offset: usize) -> bool {
        self.range().start <= offset && offset <= self.range().end
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Returns whether the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        Span::new(range.start, range.end)
    }
}

impl Edit {
    /// Replaces a span with text.
    pub fn new(span: impl Into<Span>, text: impl Into<String>) -> Edit {
        Edit { span: span.into(), text: text.into() }
    }

    /// Inserts text at an offset.
    pub fn insert(offset: usize, text: impl Into<String>) -> Edit {
        Edit { span: Span::at(offset), text: text.into() }
    }

    /// Removes a span.
    pub fn remove(span: impl Into<Span>) -> Edit {
        Edit { span: span.into(), text: String::new() }
    }
}

impl Node {
    /// A node with only a kind, an address and a span; its name is its address.
    pub fn plain(id: NodeId, kind: &str, address: impl Into<String>, span: Span) -> Node {
        let address = address.into();
        Node {
            id,
            parent: None,
            kind: kind.to_owned(),
            name: address.clone(),
            address,
            span,
            selection: Span::at(span.range().start),
            body: None,
            doc: None,
            level: None,
            value: None,
        }
    }
}

/// Applies edits, which must be sorted and must not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    apply_within(text, 0..text.len(), edits)
}

/// The text of a range after edits that are all inside of the range.
pub fn apply_within(text: &str, range: std::ops::Range<usize>, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(range.len());
    let mut at = range.start;
    for edit in edits {
        result.push_str(&text[at..edit.span.range().start]);
        result.push_str(&edit.text);
        at = edit.span.range().end;
    }
    result.push_str(&text[at..range.end]);
    result
}
