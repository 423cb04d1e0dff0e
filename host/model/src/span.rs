//! Spans: half-open ranges of UTF-8 byte offsets. Below the wire layer this is the only position type.

/// A half-open range of byte offsets into a text.
///
/// # Examples
///
/// ```
/// use marquetry_model::Span;
///
/// let text = "let é = 1;";
/// let name = Span::new(4, 6);
/// assert_eq!((name.slice(text), name.len()), ("é", 2));
/// assert!(Span::new(0, 10).contains(name));
/// assert!(!Span::new(5, 6).is_valid_in(text), "it starts inside of a character");
/// assert_eq!(name.shifted(10), Span::new(14, 16));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just past the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span from two offsets.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// Returns the text covered by this span.
    pub fn slice(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns whether the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns whether `other` lies within this span.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the span moved towards the end of the text by `by` bytes.
    #[must_use]
    pub fn shifted(self, by: usize) -> Span {
        Span { start: self.start + by, end: self.end + by }
    }

    /// Returns whether the span is within the text and both ends are on character boundaries.
    pub fn is_valid_in(self, text: &str) -> bool {
        self.start <= self.end
            && self.end <= text.len()
            && text.is_char_boundary(self.start)
            && text.is_char_boundary(self.end)
    }
}
