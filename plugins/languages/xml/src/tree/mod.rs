//! The document in the XPath data model, in one arena: nodes in document order, with exact spans.
//!
//! Attributes follow their element, and children follow the attributes. Therefore the order of ids is document
//! order, and a subtree is a range of ids. Values are decoded from the text on request.

pub(crate) mod dtd;
pub(crate) mod names;
pub(crate) mod value;

use std::rc::Rc;

use marquetry_sdk::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::chars;
use dtd::Dtd;
use names::Names;

/// Index of a node in document order. 0 is the document itself.
pub(crate) type Id = u32;

/// Number of nodes that are checked one by one for the end of the attributes, before a binary search is used.
const MAX_LINEAR_COUNT: usize = 8;

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The document itself, the root of XPath.
    Document,
    /// An element.
    Element,
    /// An attribute, except namespace declarations.
    Attribute,
    /// Text: adjacent characters, references and CDATA sections.
    Text,
    /// A comment.
    Comment,
    /// A processing instruction.
    Instruction,
}

const KINDS: [Kind; 6] = [Kind::Document, Kind::Element, Kind::Attribute, Kind::Text, Kind::Comment, Kind::Instruction];

/// A node: its position in the text and in the tree.
#[derive(Debug, Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    parent: Id,
    /// The first node after this one's subtree.
    after: Id,
    /// The kind in the lowest three bits, the name in the others.
    tag: u32,
}

/// A namespace declaration of an element.
#[derive(Debug)]
pub(crate) struct Declaration {
    /// The element that has the declaration.
    pub element: Id,
    /// The prefix; empty for the default namespace.
    pub prefix: Box<str>,
    /// The number of the namespace.
    pub namespace: u32,
    /// Span of `xmlns:prefix="…"`; for a DTD default, the position of its declaration.
    pub span: Span,
}

/// Value of a node whose source alone does not determine the value.
#[derive(Debug)]
pub(crate) struct ExplicitValue {
    /// The value.
    pub value: Rc<str>,
    /// True if at least a part of the node comes from an entity. Its span is then that of the reference.
    pub from_entity: bool,
}

/// Nodes of a document, and its declarations.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Names of elements, attributes and targets of processing instructions.
    pub names: Names,
    /// Namespace declarations, in document order.
    pub declarations: Vec<Declaration>,
    /// Document type definition.
    pub dtd: Dtd,
    /// `<?xml …?>`.
    pub xml_declaration: Option<Span>,
    /// Problems, in document order.
    pub problems: Vec<Diagnostic>,
    explicit_values: FxHashMap<Id, ExplicitValue>,
    /// Elements without an end tag.
    unclosed: FxHashSet<Id>,
}

impl Tree {
    /// Creates a tree that contains only the document node.
    pub(crate) fn new(length: usize) -> Tree {
        let document = Node { start: 0, end: length as u32, parent: 0, after: 1, tag: Kind::Document as u32 };
        Tree {
            nodes: vec![document],
            names: Names::new(),
            declarations: Vec::new(),
            dtd: Dtd::default(),
            xml_declaration: None,
            problems: Vec::new(),
            explicit_values: FxHashMap::default(),
            unclosed: FxHashSet::default(),
        }
    }

    /// Reserves space for this number of nodes.
    pub(crate) fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve_exact(nodes);
    }

    /// Appends a node below the given parent.
    pub(crate) fn push(&mut self, kind: Kind, name: u32, span: Span, parent: Id) -> Id {
        let id = self.nodes.len() as Id;
        let (start, end) = (span.start, span.end);
        self.nodes.push(Node { start, end, parent, after: id + 1, tag: name << 3 | kind as u32 });
        id
    }

    /// Ends a node: nodes that are added later are not in its subtree.
    pub(crate) fn close(&mut self, id: Id, end: u32) {
        let after = self.nodes.len() as Id;
        let node = &mut self.nodes[id as usize];
        node.end = end;
        node.after = after;
    }

    /// Marks an element as having no end tag.
    pub(crate) fn mark_unclosed(&mut self, id: Id) {
        self.unclosed.insert(id);
    }

    /// Sets the name of a node. It is called when the namespace of the name is known, at the end of the tag.
    pub(crate) fn rename(&mut self, id: Id, name: u32) {
        let node = &mut self.nodes[id as usize];
        node.tag = name << 3 | node.tag & 7;
    }

    /// Sets an explicit value for a node.
    pub(crate) fn set_explicit_value(&mut self, id: Id, value: impl Into<Rc<str>>, shared: bool) {
        self.explicit_values.insert(id, ExplicitValue { value: value.into(), from_entity: shared });
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> Id {
        self.nodes.len() as Id
    }

    /// Kind of a node.
    pub(crate) fn kind(&self, id: Id) -> Kind {
        KINDS[(self.nodes[id as usize].tag & 7) as usize]
    }

    /// Kind and name in one number, for fast comparison.
    pub(crate) fn tag(&self, id: Id) -> u32 {
        self.nodes[id as usize].tag
    }

    /// Number of a node's name; 0 for nodes without a name.
    pub(crate) fn name(&self, id: Id) -> u32 {
        self.nodes[id as usize].tag >> 3
    }

    /// Name of a node as written.
    pub(crate) fn written_name(&self, id: Id) -> &str {
        self.names.written_form(self.name(id)).text()
    }

    /// Span of a node in the text.
    pub(crate) fn span(&self, id: Id) -> Span {
        let node = &self.nodes[id as usize];
        Span { start: node.start, end: node.end }
    }

    /// Parent of a node; `None` for the document.
    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        (id != 0).then(|| self.nodes[id as usize].parent)
    }

    /// The first node after the subtree.
    pub(crate) fn after(&self, id: Id) -> Id {
        self.nodes[id as usize].after
    }

    /// Explicit value of a node, if it has one.
    pub(crate) fn explicit_value(&self, id: Id) -> Option<&ExplicitValue> {
        if self.explicit_values.is_empty() { None } else { self.explicit_values.get(&id) }
    }

    /// Returns whether the node comes at least partly from an entity.
    pub(crate) fn is_from_entity(&self, id: Id) -> bool {
        self.explicit_value(id).is_some_and(|given| given.from_entity)
    }

    /// Returns whether the attribute is a default value from the DTD and is not written in the tag.
    pub(crate) fn is_default(&self, id: Id) -> bool {
        self.kind(id) == Kind::Attribute
            && self.nodes[id as usize].start < self.span(self.nodes[id as usize].parent).start
    }

    /// Attributes of an element.
    pub(crate) fn attributes(&self, id: Id) -> std::ops::Range<Id> {
        let inside = &self.nodes[id as usize + 1..self.after(id) as usize];
        let is_own = |node: &Node| node.tag & 7 == Kind::Attribute as u32 && node.parent == id;
        let near = inside.iter().take(MAX_LINEAR_COUNT).position(|node| !is_own(node));
        // The attributes of an element are contiguous and precede all children.
        let count = near.unwrap_or_else(|| inside.partition_point(is_own));
        id + 1..id + 1 + count as Id
    }

    /// Attribute with this written name.
    pub(crate) fn attribute(&self, id: Id, written: &str) -> Option<Id> {
        self.attributes(id).find(|attribute| self.written_name(*attribute) == written)
    }

    /// First child.
    pub(crate) fn first_child(&self, id: Id) -> Option<Id> {
        let first = self.attributes(id).end;
        (first < self.after(id)).then_some(first)
    }

    /// Children, in order.
    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        let end = self.after(id);
        let first = self.first_child(id);
        std::iter::successors(first, move |at| Some(self.after(*at)).filter(|next| *next < end))
    }

    /// Children that are elements.
    pub(crate) fn elements(&self, id: Id) -> impl Iterator<Item = Id> {
        self.children(id).filter(|child| self.kind(*child) == Kind::Element)
    }

    /// Next sibling; `None` for attributes.
    pub(crate) fn next_sibling(&self, id: Id) -> Option<Id> {
        if self.kind(id) == Kind::Attribute {
            return None;
        }
        let parent = self.parent(id)?;
        Some(self.after(id)).filter(|next| *next < self.after(parent))
    }

    /// Previous sibling; `None` for attributes.
    pub(crate) fn previous_sibling(&self, id: Id) -> Option<Id> {
        let parent = self.parent(id)?;
        let mut at = id - 1;
        if self.kind(id) == Kind::Attribute || at == parent {
            return None;
        }
        while self.nodes[at as usize].parent != parent {
            at = self.nodes[at as usize].parent;
        }
        (self.kind(at) != Kind::Attribute).then_some(at)
    }

    /// Namespaces that an element declares.
    pub(crate) fn declarations_of(&self, id: Id) -> &[Declaration] {
        let from = self.declarations.partition_point(|declaration| declaration.element < id);
        let to = self.declarations.partition_point(|declaration| declaration.element <= id);
        &self.declarations[from..to]
    }

    /// Root element.
    pub(crate) fn root(&self) -> Option<Id> {
        self.elements(0).next()
    }

    /// End of the start tag of an element.
    pub(crate) fn tag_end(&self, text: &str, id: Id) -> usize {
        let span = self.span(id).range();
        if self.is_from_entity(id) {
            return span.end;
        }
        // A tag without `>` ends at the next node.
        let end = self.first_child(id).map_or(span.end, |child| self.span(child).range().start);
        let bytes = &text.as_bytes()[..end];
        let mut at = span.start + 1;
        while let Some(found) = memchr::memchr3(b'>', b'"', b'\'', &bytes[at..]) {
            at += found + 1;
            if bytes[at - 1] == b'>' {
                return at;
            }
            at = memchr::memchr(bytes[at - 1], &bytes[at..]).map_or(bytes.len(), |quote| at + quote + 1);
        }
        bytes.len()
    }

    /// Span between the tags of an element; `None` for `<a/>` and if the end tag is missing.
    pub(crate) fn body(&self, text: &str, id: Id) -> Option<Span> {
        if self.is_from_entity(id) || self.unclosed.contains(&id) {
            return None;
        }
        let (span, start) = (self.span(id).range(), self.tag_end(text, id));
        let end = start + memchr::memrchr(b'<', &text.as_bytes()[start..span.end])?;
        text[end..].starts_with("</").then(|| Span::new(start, end))
    }

    /// Value of an attribute or declaration within its quotes: `value` of `name="value"`.
    pub(crate) fn value_span(text: &str, span: Span) -> Span {
        let source = span.slice(text);
        let Some(equals) = source.find('=') else { return Span::at(span.range().end) };
        let open = chars::skip_space(source.as_bytes(), equals + 1);
        let start = span.range().start + open;
        match source.as_bytes().get(open) {
            Some(quote @ (b'"' | b'\'')) => {
                let closed = source.len() > open + 1 && source.ends_with(*quote as char);
                Span::new(start + 1, span.range().end - usize::from(closed))
            }
            _ => Span::new(start, span.range().end), // the attribute is malformed
        }
    }

    /// Name at the start of a tag, an attribute or a processing instruction.
    pub(crate) fn name_span(&self, text: &str, id: Id) -> Span {
        let span = self.span(id);
        let start = span.range().start
            + match self.kind(id) {
                Kind::Element => 1,
                Kind::Instruction => 2,
                _ => 0,
            };
        let start = start.min(span.range().end);
        match self.kind(id) {
            Kind::Element | Kind::Attribute | Kind::Instruction if text.is_char_boundary(start) => {
                Span::new(start, chars::name_end(text, start).min(span.range().end))
            }
            _ => Span::at(span.range().start),
        }
    }
}
