//! Documents and patterns as trees: nodes with a kind, and what is in them.

use super::holes::Hole;
use crate::Span;

/// How the letters of a word are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    /// As they are written. A hole stands for all of it, or for a run of letters of names.
    Exact,
    /// In either case.
    AnyCase,
    /// As they are written; a hole stands for any text.
    Text,
    /// Any text in which all white space is the same.
    Prose,
}

/// A word, a sign, or a text.
#[derive(Debug, Clone, Copy)]
pub struct Token<T> {
    /// What is compared: of a string what is between its quotes.
    pub text: T,
    /// Where that is.
    pub span: Span,
    /// With its quotes.
    pub outer: Span,
    /// How it is compared.
    pub letters: Letters,
    /// Says nothing by itself: brackets, operators.
    pub is_sign: bool,
}

/// What is in a node.
#[derive(Debug, Clone, Copy)]
pub enum Item<T> {
    /// A word, a sign, or a text.
    Token(Token<T>),
    /// Another node.
    Child(u32),
    /// What a pattern need not name: comments, flags.
    Extra(Token<T>),
}

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is: a number that means something to the pack alone.
    pub kind: u8,
    /// All of it.
    pub span: Span,
    /// Where it ends without what only ends it (`;`).
    pub bare_end: u32,
    /// First and last of what is in it, among the items of the tree.
    pub items: (u32, u32),
    /// The order of what is in it means nothing.
    pub any_order: bool,
    /// In a pattern: it may be anything.
    pub hole: Option<Hole>,
}

/// A document or a pattern.
#[derive(Debug, Clone)]
pub struct Tree<T> {
    pub(super) nodes: Vec<Node>,
    pub(super) items: Vec<Item<T>>,
}

impl<T> Tree<T> {
    /// A node by its number.
    pub fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// What is in a node.
    pub fn items(&self, index: u32) -> &[Item<T>] {
        let (first, end) = self.node(index).items;
        &self.items[first as usize..end as usize]
    }

    /// The nodes directly in a node.
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

/// Makes a tree: nodes are opened and closed around what is in them.
#[derive(Debug)]
pub struct Builder<'t> {
    text: &'t str,
    tree: Tree<&'t str>,
    /// The nodes that are open, with what is in them so far.
    open: Vec<(u32, Vec<Item<&'t str>>)>,
}

impl<'t> Builder<'t> {
    /// For this text, with a node around all of it.
    pub fn new(text: &'t str, kind: u8) -> Builder<'t> {
        let mut builder = Builder { text, tree: Tree { nodes: Vec::new(), items: Vec::new() }, open: Vec::new() };
        builder.open(kind, 0);
        builder
    }

    /// A node starts here.
    pub fn open(&mut self, kind: u8, start: usize) -> u32 {
        let index = self.tree.nodes.len() as u32;
        let start = start as u32;
        let span = Span { start, end: start };
        self.tree.nodes.push(Node { kind, span, bare_end: start, items: (0, 0), any_order: false, hole: None });
        self.open.push((index, Vec::new()));
        index
    }

    /// In the node that is open, the order means nothing.
    pub fn any_order(&mut self) {
        if let Some((index, _)) = self.open.last() {
            self.tree.nodes[*index as usize].any_order = true;
        }
    }

    /// The innermost node ends here.
    pub fn close(&mut self, end: usize) {
        self.close_with(end, end);
    }

    /// The innermost node ends here; what only ends it starts at `bare_end`.
    pub fn close_with(&mut self, bare_end: usize, end: usize) {
        let Some((index, items)) = self.open.pop() else { return };
        let first = self.tree.items.len() as u32;
        self.tree.items.extend(items);
        let items = (first, self.tree.items.len() as u32);
        let node = &mut self.tree.nodes[index as usize];
        (node.span.end, node.bare_end, node.items) = (end as u32, bare_end as u32, items);
        self.push(Item::Child(index));
    }

    /// The innermost node and all in it is a hole of a pattern.
    pub fn close_as(&mut self, hole: Hole, end: usize) {
        if let Some((index, items)) = self.open.last_mut() {
            items.clear();
            self.tree.nodes[*index as usize].hole = Some(hole);
        }
        self.close(end);
    }

    /// What is in the innermost node so far.
    pub fn items(&self) -> &[Item<&'t str>] {
        self.open.last().map_or(&[], |(_, items)| items)
    }

    /// The hole that a node is.
    pub fn hole(&self, node: u32) -> Option<Hole> {
        self.tree.nodes[node as usize].hole
    }

    /// A hole of a pattern.
    pub fn push_hole(&mut self, kind: u8, hole: Hole, span: Span) {
        self.open(kind, span.range().start);
        self.close_as(hole, span.range().end);
    }

    /// A word or a text.
    pub fn token(&mut self, span: Span, outer: Span, letters: Letters) {
        let token = Token { text: span.of(self.text), span, outer, letters, is_sign: false };
        self.push(Item::Token(token));
    }

    /// A sign.
    pub fn sign(&mut self, span: Span) {
        let token = Token { text: span.of(self.text), span, outer: span, letters: Letters::Exact, is_sign: true };
        self.push(Item::Token(token));
    }

    /// What a pattern need not name.
    pub fn extra(&mut self, span: Span) {
        let token = Token { text: span.of(self.text), span, outer: span, letters: Letters::AnyCase, is_sign: false };
        self.push(Item::Extra(token));
    }

    fn push(&mut self, item: Item<&'t str>) {
        if let Some((_, items)) = self.open.last_mut() {
            items.push(item);
        }
    }

    /// The tree; what is still open ends with the text.
    pub fn finish(mut self) -> Tree<&'t str> {
        while !self.open.is_empty() {
            self.close(self.text.len());
        }
        self.tree
    }
}
