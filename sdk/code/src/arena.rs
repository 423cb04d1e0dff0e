//! The arena: the syntax tree of a document as a flat list of nodes, and its tokens. The parser of a pack fills it. The
//! rest of this crate reads only the arena.

use marquetry_sdk::{Diagnostic, Span};

/// Index of a node in its arena. The root is 0.
pub type NodeIndex = u32;

/// The root of every arena.
pub const ROOT: NodeIndex = 0;

/// The kind of a node, as an index into [`Language::kinds`](crate::Language::kinds).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(pub u8);

/// The role of a node in its parent, as an index into [`Language::fields`](crate::Language::fields). 0 means that the
/// node has no role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field(pub u8);

impl Field {
    /// The role of a child without a role.
    pub const NONE: Field = Field(0);
}

/// Properties of a node, in addition to the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u8);

impl Flags {
    /// The node is a name to which the code assigns a value.
    pub const WRITTEN: Flags = Flags(1);
    /// The node is a name that the code calls.
    pub const CALLED: Flags = Flags(2);
    /// The node is a name that the parser inserted because it is missing in the text.
    pub const MISSING: Flags = Flags(4);
    /// The node is a name that is looked up after all statements of its scope were executed.
    pub const LATE: Flags = Flags(8);

    /// Returns whether all of these flags are set.
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Returns the union of these flags and others.
    #[must_use]
    pub fn with(self, flags: Flags) -> Flags {
        Flags(self.0 | flags.0)
    }
}

/// A node.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// The kind of the node.
    pub kind: Kind,
    /// The role of the node in its parent.
    pub field: Field,
    /// Further properties.
    pub flags: Flags,
    /// The range of the node.
    pub span: Span,
    /// The node that contains this node. The parent of the root is the root itself.
    pub parent: NodeIndex,
    first_child: Option<std::num::NonZeroU32>,
    next: Option<std::num::NonZeroU32>,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number.
    Number,
    /// A string literal without embedded code, with its quotes.
    Text,
    /// The start, the end or a literal part of a string with embedded code (`f"{x}"`, template literals).
    TextPart,
    /// An operator, a bracket or another punctuation character.
    Sign,
    /// A comment.
    Comment,
    /// The line break that ends a statement.
    Break,
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The range of the token.
    pub span: Span,
}

/// The text of a document, its tree, its tokens and its syntax errors.
#[derive(Debug)]
pub struct Arena {
    /// The text.
    pub text: String,
    nodes: Vec<Node>,
    /// All tokens, in order.
    pub tokens: Vec<Token>,
    /// String literals with several lines. Indentation does not change these lines.
    pub literals: Vec<Span>,
    /// The syntax errors, in order.
    pub errors: Vec<Diagnostic>,
}

impl Arena {
    /// Returns a node by its index.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }

    /// Number of nodes.
    pub fn node_count(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// All nodes in document order, parents before children.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeIndex, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| (index as NodeIndex, node))
    }

    /// The text of a node.
    pub fn slice(&self, index: NodeIndex) -> &str {
        self.node(index).span.slice(&self.text)
    }

    /// The children of a node, in order.
    pub fn children(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let mut next = self.node(index).first_child;
        std::iter::from_fn(move || {
            let current = next?.get();
            next = self.node(current).next;
            Some(current)
        })
    }

    /// The first child with this role.
    pub fn child(&self, index: NodeIndex, field: Field) -> Option<NodeIndex> {
        self.children(index).find(|child| self.node(*child).field == field)
    }

    /// The first child of this kind.
    pub fn child_of_kind(&self, index: NodeIndex, kind: Kind) -> Option<NodeIndex> {
        self.children(index).find(|child| self.node(*child).kind == kind)
    }

    /// The node and its ancestors, up to the root.
    pub fn ancestors(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let mut next = Some(index);
        std::iter::from_fn(move || {
            let current = next?;
            next = (current != ROOT).then(|| self.node(current).parent);
            Some(current)
        })
    }

    /// The index after the last descendant of a node. Nodes are stored in document order.
    pub fn end_of(&self, index: NodeIndex) -> NodeIndex {
        let followed = self.ancestors(index).find_map(|above| self.node(above).next);
        followed.map_or(self.node_count(), std::num::NonZeroU32::get)
    }

    /// The descendants of a node, in document order.
    pub fn descendants(&self, index: NodeIndex) -> std::ops::Range<NodeIndex> {
        index + 1..self.end_of(index)
    }

    /// The innermost node that contains the span.
    pub fn innermost(&self, span: Span) -> NodeIndex {
        let mut at = ROOT;
        while let Some(inner) = self.children(at).find(|child| self.node(*child).span.contains(span)) {
            at = inner;
        }
        at
    }

    /// The index of the first token that starts at or after an offset.
    pub fn token_at(&self, offset: u32) -> usize {
        self.tokens.partition_point(|token| token.span.start < offset)
    }

    /// The tokens that start in the span.
    pub fn tokens_in(&self, span: Span) -> &[Token] {
        &self.tokens[self.token_at(span.start)..self.token_at(span.end)]
    }
}

/// Builds an arena. Nodes are added between the opening and the closing of their parent.
#[derive(Debug)]
pub struct Builder {
    arena: Arena,
    /// The open nodes, each with the last child added so far.
    open: Vec<(NodeIndex, Option<NodeIndex>)>,
}

impl Builder {
    /// Creates an arena whose root has this kind and spans the whole text.
    pub fn new(text: String, root: Kind) -> Builder {
        let span = Span::new(0, text.len());
        let root = Node {
            kind: root,
            field: Field::NONE,
            flags: Flags::default(),
            span,
            parent: ROOT,
            first_child: None,
            next: None,
        };
        let arena = Arena { text, nodes: vec![root], tokens: Vec::new(), literals: Vec::new(), errors: Vec::new() };
        Builder { arena, open: vec![(ROOT, None)] }
    }

    /// Opens a node. Its span is limited to the span of its parent.
    pub fn open(&mut self, kind: Kind, field: Field, span: Span, flags: Flags) -> NodeIndex {
        let index = self.arena.node_count();
        let (parent, before) = self.open.last().copied().unwrap_or((ROOT, None));
        let around = self.arena.node(parent).span;
        let start = span.start.clamp(around.start, around.end);
        let span = Span { start, end: span.end.clamp(start, around.end) };
        self.arena.nodes.push(Node { kind, field, flags, span, parent, first_child: None, next: None });
        let link = std::num::NonZeroU32::new(index);
        match before {
            Some(before) => self.arena.nodes[before as usize].next = link,
            None => self.arena.nodes[parent as usize].first_child = link,
        }
        if let Some(last) = self.open.last_mut() {
            last.1 = Some(index);
        }
        self.open.push((index, None));
        index
    }

    /// Closes the innermost open node. The root remains open.
    pub fn close(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    /// The innermost open node.
    pub fn innermost(&self) -> &Node {
        self.arena.node(self.open.last().map_or(ROOT, |(index, _)| *index))
    }

    /// Returns whether the innermost open node has no children yet.
    pub fn is_empty(&self) -> bool {
        self.open.last().is_none_or(|(_, last)| last.is_none())
    }

    /// The text of the document.
    pub fn text(&self) -> &str {
        &self.arena.text
    }

    /// Finishes the arena with its tokens and errors, which are in order. `literals` are the strings with embedded
    /// code. The lines of every string with several lines are excluded from changes of indentation.
    pub fn finish(mut self, tokens: Vec<Token>, literals: Vec<Span>, errors: Vec<Diagnostic>) -> Arena {
        let text = &self.arena.text;
        let is_long = |span: &Span| span.slice(text).contains(['\n', '\r']);
        let strings = tokens.iter().filter(|token| token.kind == TokenKind::Text).map(|token| token.span);
        let mut all: Vec<Span> = strings.chain(literals).filter(is_long).collect();
        all.sort_by_key(|span| (span.start, span.end));
        self.arena.literals = all;
        self.arena.tokens = tokens;
        self.arena.errors = errors;
        self.arena
    }
}
