//! Documents and patterns as trees of nodes.

use super::metavariables::Metavariable;
use crate::Span;

/// The rule by which the text of a token is compared with a token of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    /// Exactly. A metavariable matches all of the token, or a run of name characters.
    Exact,
    /// Ignoring ASCII case.
    AnyCase,
    /// Exactly; a metavariable matches any text.
    Text,
    /// Any text; all white space is equal.
    Prose,
}

/// A word, a sign, or a string.
#[derive(Debug, Clone, Copy)]
pub struct Token<T> {
    /// The text to compare: the content of a string without its quotes.
    pub text: T,
    /// The range of the text.
    pub span: Span,
    /// The range including quotes.
    pub outer: Span,
    /// The rule by which the text is compared.
    pub letters: Letters,
    /// True for brackets and operators, which have no meaning by themselves.
    pub is_sign: bool,
}

/// An item of a node.
#[derive(Debug, Clone, Copy)]
pub enum Item<T> {
    /// A word, a sign, or a string.
    Token(Token<T>),
    /// A child node, by index.
    Child(u32),
    /// Something that a pattern need not mention: a comment or a flag.
    Extra(Token<T>),
}

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// The kind; the number has a meaning only for the pack.
    pub kind: u8,
    /// The whole range.
    pub span: Span,
    /// The end without the terminator (`;`).
    pub bare_end: u32,
    /// Range of its items in the items of the tree.
    pub items: (u32, u32),
    /// True if the order of the items has no meaning.
    pub any_order: bool,
    /// In a pattern: the metavariable that was written instead of this node.
    pub metavariable: Option<Metavariable>,
}

/// The tree of a document or of a pattern.
#[derive(Debug, Clone)]
pub struct Tree<T> {
    pub(super) nodes: Vec<Node>,
    pub(super) items: Vec<Item<T>>,
}

impl<T> Tree<T> {
    /// A node by its index.
    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// The items of a node.
    pub fn items(&self, index: u32) -> &[Item<T>] {
        let (first, end) = self.node(index).items;
        &self.items[first as usize..end as usize]
    }

    /// The child nodes of a node.
    pub fn children(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        self.items(index).iter().filter_map(|item| if let Item::Child(child) = item { Some(*child) } else { None })
    }
}

impl Tree<&str> {
    pub(super) fn owned(&self) -> Tree<Box<str>> {
        let token = |token: &Token<&str>| Token {
            text: Box::from(token.text),
            span: token.span,
            outer: token.outer,
            letters: token.letters,
            is_sign: token.is_sign,
        };
        let item = |item: &Item<&str>| match item {
            Item::Token(own) => Item::Token(token(own)),
            Item::Child(child) => Item::Child(*child),
            Item::Extra(own) => Item::Extra(token(own)),
        };
        Tree { nodes: self.nodes.clone(), items: self.items.iter().map(item).collect() }
    }
}

/// Builds a tree: items are added between the opening and the closing of a node.
#[derive(Debug)]
pub struct Builder<'t> {
    text: &'t str,
    tree: Tree<&'t str>,
    /// The open nodes, with the items that were added to them.
    open: Vec<(u32, Vec<Item<&'t str>>)>,
}

impl<'t> Builder<'t> {
    /// Starts a tree for this text, with a node around all of it.
    pub fn new(text: &'t str, kind: u8) -> Builder<'t> {
        let mut builder = Builder { text, tree: Tree { nodes: Vec::new(), items: Vec::new() }, open: Vec::new() };
        builder.open(kind, 0);
        builder
    }

    /// Starts a node.
    pub fn open(&mut self, kind: u8, start: usize) -> u32 {
        let index = self.tree.nodes.len() as u32;
        let start = start as u32;
        let span = Span { start, end: start };
        self.tree.nodes.push(Node { kind, span, bare_end: start, items: (0, 0), any_order: false, metavariable: None });
        self.open.push((index, Vec::new()));
        index
    }

    /// Marks the innermost open node: the order of its items has no meaning.
    pub fn any_order(&mut self) {
        if let Some((index, _)) = self.open.last() {
            self.tree.nodes[*index as usize].any_order = true;
        }
    }

    /// Ends the innermost node.
    pub fn close(&mut self, end: usize) {
        self.close_with(end, end);
    }

    /// Ends the innermost node; its terminator starts at `bare_end`.
    pub fn close_with(&mut self, bare_end: usize, end: usize) {
        let Some((index, items)) = self.open.pop() else { return };
        let first = self.tree.items.len() as u32;
        self.tree.items.extend(items);
        let items = (first, self.tree.items.len() as u32);
        let node = &mut self.tree.nodes[index as usize];
        (node.span.end, node.bare_end, node.items) = (end as u32, bare_end as u32, items);
        self.push(Item::Child(index));
    }

    /// Ends the innermost node and replaces its content with a metavariable.
    pub fn close_as(&mut self, metavariable: Metavariable, end: usize) {
        if let Some((index, items)) = self.open.last_mut() {
            items.clear();
            self.tree.nodes[*index as usize].metavariable = Some(metavariable);
        }
        self.close(end);
    }

    /// The items that were added to the innermost node.
    pub fn items(&self) -> &[Item<&'t str>] {
        self.open.last().map_or(&[], |(_, items)| items)
    }

    /// The metavariable that was written instead of a node, if there is one.
    pub fn metavariable(&self, node: u32) -> Option<Metavariable> {
        self.tree.nodes[node as usize].metavariable
    }

    /// Adds a node that consists of a metavariable.
    pub fn push_metavariable(&mut self, kind: u8, metavariable: Metavariable, span: Span) {
        self.open(kind, span.range().start);
        self.close_as(metavariable, span.range().end);
    }

    /// Adds a word or a string.
    pub fn token(&mut self, span: Span, outer: Span, letters: Letters) {
        let token = Token { text: span.slice(self.text), span, outer, letters, is_sign: false };
        self.push(Item::Token(token));
    }

    /// Adds a sign.
    pub fn sign(&mut self, span: Span) {
        let token = Token { text: span.slice(self.text), span, outer: span, letters: Letters::Exact, is_sign: true };
        self.push(Item::Token(token));
    }

    /// Adds something that a pattern need not mention.
    pub fn extra(&mut self, span: Span) {
        let token = Token { text: span.slice(self.text), span, outer: span, letters: Letters::AnyCase, is_sign: false };
        self.push(Item::Extra(token));
    }

    fn push(&mut self, item: Item<&'t str>) {
        if let Some((_, items)) = self.open.last_mut() {
            items.push(item);
        }
    }

    /// The finished tree; nodes that are still open end with the text.
    pub fn finish(mut self) -> Tree<&'t str> {
        while !self.open.is_empty() {
            self.close(self.text.len());
        }
        self.tree
    }
}
