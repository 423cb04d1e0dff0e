//! The XML 1.0 parser: every rule of well-formedness and of namespaces, exact spans, and a tree for any text.
//!
//! What is wrong becomes a problem and the parser goes on, so a broken document can still be addressed. Entities
//! are expanded within bounds; nothing outside the text is ever read.

mod content;
mod cursor;
mod dtd;
mod entity;
mod markup;
mod namespaces;
mod subset;
mod tag;

use marquetry_sdk::{Problem, Severity, Span};

use crate::tree::{Id, Kind, Tree};
use cursor::Cursor;
use namespaces::Scope;

/// So many problems are listed at most.
const MOST_PROBLEMS: usize = 200;
/// Entities within entities.
const MOST_NESTED: usize = 40;
/// Bytes that entities may add to a small document …
const FREE_EXPANSION: usize = 1 << 20;
/// … and to a large one, for each of its own.
const EXPANSION: usize = 4;

/// The tree of a document.
pub(crate) fn document(text: &str) -> Tree {
    run(text, false)
}

/// The tree of a piece of content: any number of elements, text between them. Only problems of form are told.
pub(crate) fn fragment(text: &str) -> Tree {
    run(text, true)
}

fn run(text: &str, fragment: bool) -> Tree {
    let mut parser = Parser::new(text, fragment);
    let mut cursor = Cursor::new(text, None);
    cursor.at = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    if !fragment {
        parser.xml_declaration(&mut cursor);
    }
    parser.content(&mut cursor);
    parser.finish(&cursor);
    parser.tree
}

/// An element that is not closed yet.
#[derive(Debug)]
struct Open {
    id: Id,
    /// The written name.
    written: u32,
    /// How many namespaces it declares.
    declared: u32,
}

/// Text that may go on.
#[derive(Debug)]
struct Pending {
    start: usize,
    end: usize,
    /// The value so far, where a part of it does not stand in the document's text.
    value: Option<String>,
    shared: bool,
}

#[derive(Debug)]
struct Parser {
    tree: Tree,
    fragment: bool,
    open: Vec<Open>,
    scope: Scope,
    pending: Option<Pending>,
    /// Attributes of the tag that is being read.
    attributes: Vec<tag::Attribute>,
    /// Entities that are being expanded.
    expanding: Vec<Box<str>>,
    /// Bytes that entities may still add.
    allowance: usize,
    /// `standalone="yes"`.
    standalone: bool,
    /// `version="1.1"`.
    newer: bool,
    root_seen: bool,
    doctype_seen: bool,
    /// How many start tags have been read.
    tags: u32,
}

impl Parser {
    fn new(text: &str, fragment: bool) -> Parser {
        let mut tree = Tree::new(text.len());
        tree.reserve(estimate(text));
        Parser {
            scope: Scope::new(&mut tree.names),
            tree,
            fragment,
            open: Vec::new(),
            pending: None,
            attributes: Vec::new(),
            expanding: Vec::new(),
            allowance: FREE_EXPANSION + text.len().saturating_mul(EXPANSION),
            standalone: false,
            newer: false,
            root_seen: false,
            doctype_seen: false,
            tags: 0,
        }
    }

    /// Close what is open at the end of the text.
    fn finish(&mut self, cursor: &Cursor<'_>) {
        self.flush(cursor);
        self.close_to(0, cursor);
        if !self.fragment && !self.root_seen {
            self.problem(cursor, cursor.at, cursor.at, "the document has no element");
        }
        let end = cursor.text.len() as u32;
        self.tree.close(0, end);
        self.tree.problems.sort_by_key(|problem| problem.span.start);
    }

    /// The node that new nodes are children of.
    fn parent(&self) -> Id {
        self.open.last().map_or(0, |open| open.id)
    }

    /// Note that something between two offsets of the cursor is wrong.
    fn problem(&mut self, cursor: &Cursor<'_>, start: usize, end: usize, message: impl Into<String>) {
        if self.tree.problems.len() >= MOST_PROBLEMS {
            return;
        }
        let mut message = message.into();
        if let Some(entity) = self.expanding.last() {
            message = format!("in the entity `{entity}`: {message}");
        }
        let span = cursor.span(start, cursor.boundary(end.max(start)));
        self.tree.problems.push(Problem { severity: Severity::Error, span, message, code: None });
    }

    fn add(&mut self, kind: Kind, name: u32, span: Span) -> Id {
        let parent = self.parent();
        self.tree.push(kind, name, span, parent)
    }

    /// The text so far becomes a node.
    fn flush(&mut self, cursor: &Cursor<'_>) {
        let Some(pending) = self.pending.take() else { return };
        let shared = pending.shared || cursor.origin.is_some();
        let outside = self.open.is_empty() && !self.fragment;
        if outside || pending.value.as_ref().is_some_and(String::is_empty) {
            return;
        }
        let id = self.add(Kind::Text, 0, Span::new(pending.start, pending.end));
        if let Some(value) = pending.value {
            self.tree.give(id, value, shared);
        }
    }

    /// Close elements until so many are open, each for want of an end tag.
    fn close_to(&mut self, count: usize, cursor: &Cursor<'_>) {
        while self.open.len() > count {
            let open = &self.open[self.open.len() - 1];
            let (id, name) = (open.id, self.tree.names.written(open.written).text());
            let message = format!("the element `{name}` has no end tag");
            let tag = self.tree.span(id).range();
            if cursor.origin.is_some() {
                self.problem(cursor, tag.start, tag.start, message);
            } else {
                self.problem(cursor, tag.start, tag.start + 1 + name.len(), message);
            }
            self.tree.leave_open(id);
            self.close_element(cursor.span(cursor.at, cursor.at).start);
        }
    }

    /// The innermost element ends here.
    fn close_element(&mut self, end: u32) {
        if let Some(open) = self.open.pop() {
            self.tree.close(open.id, end);
            self.tree.names.count_open(open.written, false);
            self.scope.leave(open.declared);
        }
    }
}

/// How many nodes a document of this kind will have, from its beginning.
fn estimate(text: &str) -> usize {
    let sample = &text.as_bytes()[..text.len().min(1 << 16)];
    let marks = sample.iter().filter(|byte| matches!(byte, b'<' | b'=')).count();
    (marks as f64 * 1.05 * (text.len() as f64 / sample.len().max(1) as f64)) as usize + 8
}
