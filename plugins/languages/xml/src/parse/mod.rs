//! XML 1.0 parser with namespaces: checks all well-formedness rules, records exact spans, and returns a tree for
//! any text.
//!
//! Errors become problems and the parser continues, so that a broken document can still be addressed. Entities
//! are expanded within limits; nothing outside the text is read.

mod content;
mod cursor;
mod dtd;
mod entity;
mod markup;
mod namespaces;
mod subset;
mod tag;

use marquetry_sdk::{Diagnostic, Severity, Span};

use crate::tree::{Id, Kind, Tree};
use cursor::Cursor;
use namespaces::Scope;

/// Maximum number of problems.
const MAX_DIAGNOSTICS: usize = 200;
/// Maximum nesting of entities.
const MAX_ENTITY_DEPTH: usize = 40;
/// Number of bytes that entities can add to any document, however small.
const FREE_EXPANSION: usize = 1 << 20;
/// Number of bytes that entities can add in addition, for each byte of the document.
const EXPANSION_PER_BYTE: usize = 4;

/// Parses a document.
pub(crate) fn parse_document(text: &str) -> Tree {
    parse_source(text, false)
}

/// Parses a piece of content: any number of elements with text between them. Only well-formedness errors are
/// reported.
pub(crate) fn parse_fragment(text: &str) -> Tree {
    parse_source(text, true)
}

fn parse_source(text: &str, fragment: bool) -> Tree {
    let mut parser = Parser::new(text, fragment);
    let mut cursor = Cursor::new(text, None);
    cursor.at = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
    if !fragment {
        parser.parse_xml_declaration(&mut cursor);
    }
    parser.parse_content(&mut cursor);
    parser.finish(&cursor);
    parser.tree
}

/// An element that is not closed yet.
#[derive(Debug)]
struct OpenElement {
    id: Id,
    /// Number of the element's name as written, in `Names`.
    written: u32,
    /// Number of namespace declarations on the element.
    declared: u32,
}

/// Text that is not a node yet, because more text may follow.
#[derive(Debug)]
struct PendingText {
    start: usize,
    end: usize,
    /// Value of the text that was read, if it differs from the source.
    value: Option<String>,
    shared: bool,
}

#[derive(Debug)]
struct Parser {
    tree: Tree,
    fragment: bool,
    open: Vec<OpenElement>,
    scope: Scope,
    pending: Option<PendingText>,
    /// Attributes of the current tag.
    attributes: Vec<tag::Attribute>,
    /// Names of the entities that are being expanded.
    expanding: Vec<Box<str>>,
    /// Number of bytes that entities can still add.
    allowance: usize,
    /// True if the XML declaration contains `standalone="yes"`.
    standalone: bool,
    /// True if the XML declaration contains `version="1.1"`.
    is_xml_1_1: bool,
    root_seen: bool,
    doctype_seen: bool,
    /// Number of start tags read.
    tag_count: u32,
}

impl Parser {
    fn new(text: &str, fragment: bool) -> Parser {
        let mut tree = Tree::new(text.len());
        tree.reserve(estimate_node_count(text));
        Parser {
            scope: Scope::new(&mut tree.names),
            tree,
            fragment,
            open: Vec::new(),
            pending: None,
            attributes: Vec::new(),
            expanding: Vec::new(),
            allowance: FREE_EXPANSION + text.len().saturating_mul(EXPANSION_PER_BYTE),
            standalone: false,
            is_xml_1_1: false,
            root_seen: false,
            doctype_seen: false,
            tag_count: 0,
        }
    }

    /// Closes all open elements at the end of the text.
    fn finish(&mut self, cursor: &Cursor<'_>) {
        self.flush_text(cursor);
        self.close_to(0, cursor);
        if !self.fragment && !self.root_seen {
            self.report_error(cursor, cursor.at, cursor.at, "the document has no element");
        }
        let end = cursor.text.len() as u32;
        self.tree.close(0, end);
        self.tree.problems.sort_by_key(|problem| problem.span.start);
    }

    /// Returns the node that new nodes are added to.
    fn parent(&self) -> Id {
        self.open.last().map_or(0, |open| open.id)
    }

    /// Reports a problem between two offsets of the cursor.
    fn report_error(&mut self, cursor: &Cursor<'_>, start: usize, end: usize, message: impl Into<String>) {
        if self.tree.problems.len() >= MAX_DIAGNOSTICS {
            return;
        }
        let mut message = message.into();
        if let Some(entity) = self.expanding.last() {
            message = format!("in the entity `{entity}`: {message}");
        }
        let span = cursor.span(start, cursor.next_boundary(end.max(start)));
        self.tree.problems.push(Diagnostic { severity: Severity::Error, span, message, code: None });
    }

    fn push_node(&mut self, kind: Kind, name: u32, span: Span) -> Id {
        let parent = self.parent();
        self.tree.push(kind, name, span, parent)
    }

    /// Adds the pending text to the tree as a node.
    fn flush_text(&mut self, cursor: &Cursor<'_>) {
        let Some(pending) = self.pending.take() else { return };
        let shared = pending.shared || cursor.origin.is_some();
        let outside = self.open.is_empty() && !self.fragment;
        if outside || pending.value.as_ref().is_some_and(String::is_empty) {
            return;
        }
        let id = self.push_node(Kind::Text, 0, Span::new(pending.start, pending.end));
        if let Some(value) = pending.value {
            self.tree.set_explicit_value(id, value, shared);
        }
    }

    /// Closes elements until only `count` are open, and reports the missing end tag of each.
    fn close_to(&mut self, count: usize, cursor: &Cursor<'_>) {
        while self.open.len() > count {
            let open = &self.open[self.open.len() - 1];
            let (id, name) = (open.id, self.tree.names.written(open.written).text());
            let message = format!("the element `{name}` has no end tag");
            let tag = self.tree.span(id).range();
            if cursor.origin.is_some() {
                self.report_error(cursor, tag.start, tag.start, message);
            } else {
                self.report_error(cursor, tag.start, tag.start + 1 + name.len(), message);
            }
            self.tree.mark_unclosed(id);
            self.close_element(cursor.span(cursor.at, cursor.at).start);
        }
    }

    /// Closes the innermost element.
    fn close_element(&mut self, end: u32) {
        if let Some(open) = self.open.pop() {
            self.tree.close(open.id, end);
            self.tree.names.count_open(open.written, false);
            self.scope.end_scope(open.declared);
        }
    }
}

/// Estimates the number of nodes of a document from its beginning.
fn estimate_node_count(text: &str) -> usize {
    let sample = &text.as_bytes()[..text.len().min(1 << 16)];
    let marks = sample.iter().filter(|byte| matches!(byte, b'<' | b'=')).count();
    (marks as f64 * 1.05 * (text.len() as f64 / sample.len().max(1) as f64)) as usize + 8
}
