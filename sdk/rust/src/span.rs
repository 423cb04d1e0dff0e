//! Spans, which are half-open ranges of byte offsets, and constructors for edits and nodes.

use crate::{Edit, Node, NodeId, Span};

impl Span {
    /// A span from two offsets. They fit into 32 bits because the host refuses files of 4 GiB and more.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::Span;
    ///
    /// let span = Span::new(4, 7);
    /// assert_eq!((span.slice("one two"), span.len(), span.range()), ("two", 3, 4..7));
    /// assert_eq!(span, Span::from(4..7));
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::Span;
    ///
    /// assert_eq!(Span::new(1, 5).trimmed("( ab )"), Span::new(2, 4));
    /// ```
    pub fn trimmed(self, text: &str) -> Span {
        let own = self.slice(text);
        let start = self.range().start + own.len() - own.trim_start().len();
        Span::new(start, start + own.trim().len())
    }

    /// Returns whether the other span is inside of this one.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::Span;
    ///
    /// assert!(Span::new(0, 4).contains(Span::new(1, 4)) && !Span::new(0, 4).contains(Span::new(3, 5)));
    /// ```
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether the offset is inside of the span or at its end.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::Span;
    ///
    /// assert!(Span::new(1, 3).touches(3) && !Span::new(1, 3).touches(4));
    /// ```
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
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::{Edit, span::apply};
    ///
    /// assert_eq!(apply("one two", &[Edit::new(4..7, "2")]), "one 2");
    /// ```
    pub fn new(span: impl Into<Span>, text: impl Into<String>) -> Edit {
        Edit { span: span.into(), text: text.into() }
    }

    /// Inserts text at an offset.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::{Edit, span::apply};
    ///
    /// assert_eq!(apply("one two", &[Edit::insert(3, ",")]), "one, two");
    /// ```
    pub fn insert(offset: usize, text: impl Into<String>) -> Edit {
        Edit { span: Span::at(offset), text: text.into() }
    }

    /// Removes a span.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::{Edit, span::apply};
    ///
    /// assert_eq!(apply("one two", &[Edit::remove(3..7)]), "one");
    /// ```
    pub fn remove(span: impl Into<Span>) -> Edit {
        Edit { span: span.into(), text: String::new() }
    }
}

impl Node {
    /// A node with only a kind, an address and a span; its name is its address.
    ///
    /// # Examples
    ///
    /// ```
    /// use marquetry_sdk::{Node, Span};
    ///
    /// let node = Node::plain(0, "setting", "port", Span::new(0, 7));
    /// assert_eq!((node.name.as_str(), node.address.as_str()), ("port", "port"));
    /// ```
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
///
/// # Examples
///
/// ```
/// use marquetry_sdk::{Edit, span::apply};
///
/// let edits = [Edit::new(0..1, "A"), Edit::insert(3, "!")];
/// assert_eq!(apply("a b", &edits), "A b!");
/// ```
pub fn apply(text: &str, edits: &[Edit]) -> String {
    apply_within(text, 0..text.len(), edits)
}

/// The text of a range after edits that are all inside of the range.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::{Edit, span::apply_within};
///
/// assert_eq!(apply_within("(a b)", 1..4, &[Edit::new(3..4, "c")]), "a c");
/// ```
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
