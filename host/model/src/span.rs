//! Spans: half-open ranges of UTF-8 byte offsets, the only position type below the wire.

/// A half-open range of byte offsets into a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// A span from two offsets.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// The text at this span.
    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether nothing is in it.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether the other span lies within.
    pub fn holds(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Moved towards the end by so many bytes.
    #[must_use]
    pub fn shifted(self, by: usize) -> Span {
        Span { start: self.start + by, end: self.end + by }
    }

    /// Whether it lies in the text and cuts no character.
    pub fn fits(self, text: &str) -> bool {
        self.start <= self.end
            && self.end <= text.len()
            && text.is_char_boundary(self.start)
            && text.is_char_boundary(self.end)
    }
}
