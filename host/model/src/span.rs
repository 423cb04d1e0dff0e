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

    /// Returns whether `other` is within this span.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn span_contains_spans_within_its_ends() {
        for (start, end, expected) in
            [(2, 5, true), (3, 4, true), (2, 2, true), (5, 5, true), (1, 4, false), (3, 6, false), (0, 9, false)]
        {
            assert_eq!(Span::new(2, 5).contains(Span::new(start, end)), expected, "{start}..{end}");
        }
    }

    #[test]
    fn span_is_valid_between_characters_of_the_text() {
        // `é` is at 1..3.
        for (start, end, expected) in [
            (0, 0, true),
            (1, 3, true),
            (0, 4, true),
            (4, 4, true),
            (2, 3, false),
            (1, 2, false),
            (3, 1, false),
            (4, 5, false),
        ] {
            assert_eq!(Span { start, end }.is_valid_in("aéb"), expected, "{start}..{end}");
        }
    }

    #[test]
    fn span_has_a_length_and_can_be_shifted() {
        for (start, end, len) in [(0, 0, 0), (3, 3, 0), (3, 4, 1), (3, 9, 6)] {
            let span = Span::new(start, end);
            assert_eq!((span.len(), span.is_empty()), (len, len == 0), "{span:?}");
            assert_eq!((span.shifted(0), span.shifted(2)), (span, Span::new(start + 2, end + 2)));
        }
    }
}
