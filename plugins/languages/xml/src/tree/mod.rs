//! The document as XPath sees it, in one arena: nodes in document order, each with its exact span.
//!
//! Attributes follow their element, then come its children: the order of ids is the order of the document, and
//! a subtree is a range of ids. Values are read from the text when they are asked for.

pub(crate) mod dtd;
pub(crate) mod names;
pub(crate) mod value;

use std::rc::Rc;

use marquetry_sdk::{Problem, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::chars;
use dtd::Dtd;
use names::Names;

/// The number of a node: its place in document order. 0 is the document itself.
pub(crate) type Id = u32;

/// So many attributes are counted one by one.
const FEW: usize = 8;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The document itself, the root of XPath.
    Document,
    /// An element.
    Element,
    /// An attribute, but no declaration of a namespace.
    Attribute,
    /// Text: characters, references and CDATA sections that stand side by side.
    Text,
    /// A comment.
    Comment,
    /// A processing instruction.
    Instruction,
}

const KINDS: [Kind; 6] = [Kind::Document, Kind::Element, Kind::Attribute, Kind::Text, Kind::Comment, Kind::Instruction];

/// A node: its place in the text and in the tree.
#[derive(Debug, Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    parent: Id,
    /// The first node behind this one's subtree.
    after: Id,
    /// The kind in the lowest three bits, the name in the rest.
    tag: u32,
}

/// The declaration of a namespace on an element.
#[derive(Debug)]
pub(crate) struct Declaration {
    /// The element that bears it.
    pub element: Id,
    /// The prefix; empty for the default namespace.
    pub prefix: Box<str>,
    /// The number of the namespace.
    pub namespace: u32,
    /// `xmlns:prefix="…"` in the text; for a default of the DTD, the place where that is declared.
    pub span: Span,
}

/// The value of a node that cannot be read from its span alone.
#[derive(Debug)]
pub(crate) struct Given {
    /// The value.
    pub value: Rc<str>,
    /// Whether the node, or a part of it, stands in an entity: then its span is not its own.
    pub shared: bool,
}

/// The nodes of a document, and what its declarations say.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The names of elements, attributes and targets of processing instructions.
    pub names: Names,
    /// Declarations of namespaces, in document order.
    pub declarations: Vec<Declaration>,
    /// What the document type declaration says.
    pub dtd: Dtd,
    /// `<?xml …?>`.
    pub xml_declaration: Option<Span>,
    /// What is wrong with the document, in order.
    pub problems: Vec<Problem>,
    given: FxHashMap<Id, Given>,
    /// Elements without their end tag.
    unclosed: FxHashSet<Id>,
}

impl Tree {
    /// A tree of the document node alone.
    pub(crate) fn new(length: usize) -> Tree {
        let document = Node { start: 0, end: length as u32, parent: 0, after: 1, tag: Kind::Document as u32 };
        Tree {
            nodes: vec![document],
            names: Names::new(),
            declarations: Vec::new(),
            dtd: Dtd::default(),
            xml_declaration: None,
            problems: Vec::new(),
            given: FxHashMap::default(),
            unclosed: FxHashSet::default(),
        }
    }

    /// Make room for so many nodes.
    pub(crate) fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve_exact(nodes);
    }

    /// Add a node behind all others, below the given parent.
    pub(crate) fn push(&mut self, kind: Kind, name: u32, span: Span, parent: Id) -> Id {
        let id = self.nodes.len() as Id;
        let (start, end) = (span.start, span.end);
        self.nodes.push(Node { start, end, parent, after: id + 1, tag: name << 3 | kind as u32 });
        id
    }

    /// The subtree of the node ends here.
    pub(crate) fn close(&mut self, id: Id, end: u32) {
        let after = self.nodes.len() as Id;
        let node = &mut self.nodes[id as usize];
        node.end = end;
        node.after = after;
    }

    /// The element has no end tag.
    pub(crate) fn leave_open(&mut self, id: Id) {
        self.unclosed.insert(id);
    }

    /// Name a node whose name became known only behind its tag.
    pub(crate) fn rename(&mut self, id: Id, name: u32) {
        let node = &mut self.nodes[id as usize];
        node.tag = name << 3 | node.tag & 7;
    }

    /// Give a node a value of its own.
    pub(crate) fn give(&mut self, id: Id, value: impl Into<Rc<str>>, shared: bool) {
        self.given.insert(id, Given { value: value.into(), shared });
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> Id {
        self.nodes.len() as Id
    }

    /// The kind of a node.
    pub(crate) fn kind(&self, id: Id) -> Kind {
        KINDS[(self.nodes[id as usize].tag & 7) as usize]
    }

    /// Kind and name in one number, for comparing many nodes.
    pub(crate) fn tag(&self, id: Id) -> u32 {
        self.nodes[id as usize].tag
    }

    /// The number of a node's name; 0 for nodes without one.
    pub(crate) fn name(&self, id: Id) -> u32 {
        self.nodes[id as usize].tag >> 3
    }

    /// The name of a node as written.
    pub(crate) fn written(&self, id: Id) -> &str {
        self.names.of(self.name(id)).text()
    }

    /// Where the node stands in the text.
    pub(crate) fn span(&self, id: Id) -> Span {
        let node = &self.nodes[id as usize];
        Span { start: node.start, end: node.end }
    }

    /// The node above; none for the document.
    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        (id != 0).then(|| self.nodes[id as usize].parent)
    }

    /// The first node behind the subtree.
    pub(crate) fn after(&self, id: Id) -> Id {
        self.nodes[id as usize].after
    }

    /// The value that does not stand at the node's span, if it has one.
    pub(crate) fn given(&self, id: Id) -> Option<&Given> {
        if self.given.is_empty() { None } else { self.given.get(&id) }
    }

    /// Whether the node stands in an entity, at least in part.
    pub(crate) fn is_shared(&self, id: Id) -> bool {
        self.given(id).is_some_and(|given| given.shared)
    }

    /// Whether the attribute comes from the DTD and does not stand in its element's tag.
    pub(crate) fn is_default(&self, id: Id) -> bool {
        self.kind(id) == Kind::Attribute
            && self.nodes[id as usize].start < self.span(self.nodes[id as usize].parent).start
    }

    /// The attributes of an element.
    pub(crate) fn attributes(&self, id: Id) -> std::ops::Range<Id> {
        let inside = &self.nodes[id as usize + 1..self.after(id) as usize];
        let is_own = |node: &Node| node.tag & 7 == Kind::Attribute as u32 && node.parent == id;
        let near = inside.iter().take(FEW).position(|node| !is_own(node));
        // They stand together, before all children.
        let count = near.unwrap_or_else(|| inside.partition_point(is_own));
        id + 1..id + 1 + count as Id
    }

    /// The attribute with this written name.
    pub(crate) fn attribute(&self, id: Id, written: &str) -> Option<Id> {
        self.attributes(id).find(|attribute| self.written(*attribute) == written)
    }

    /// The first child.
    pub(crate) fn first_child(&self, id: Id) -> Option<Id> {
        let first = self.attributes(id).end;
        (first < self.after(id)).then_some(first)
    }

    /// The children, in order.
    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        let end = self.after(id);
        let first = self.first_child(id);
        std::iter::successors(first, move |at| Some(self.after(*at)).filter(|next| *next < end))
    }

    /// The children that are elements.
    pub(crate) fn elements(&self, id: Id) -> impl Iterator<Item = Id> {
        self.children(id).filter(|child| self.kind(*child) == Kind::Element)
    }

    /// The sibling behind; attributes have none.
    pub(crate) fn next_sibling(&self, id: Id) -> Option<Id> {
        if self.kind(id) == Kind::Attribute {
            return None;
        }
        let parent = self.parent(id)?;
        Some(self.after(id)).filter(|next| *next < self.after(parent))
    }

    /// The sibling before; attributes have none.
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

    /// The namespaces that an element declares.
    pub(crate) fn declarations_of(&self, id: Id) -> &[Declaration] {
        let from = self.declarations.partition_point(|declaration| declaration.element < id);
        let to = self.declarations.partition_point(|declaration| declaration.element <= id);
        &self.declarations[from..to]
    }

    /// The root element.
    pub(crate) fn root(&self) -> Option<Id> {
        self.elements(0).next()
    }

    /// Where the start tag of an element ends.
    pub(crate) fn tag_end(&self, text: &str, id: Id) -> usize {
        let span = self.span(id).range();
        if self.is_shared(id) {
            return span.end;
        }
        // A tag without `>` ends where the next node begins.
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

    /// What stands between the tags of an element; nothing for `<a/>` and where the end tag is missing.
    pub(crate) fn body(&self, text: &str, id: Id) -> Option<Span> {
        if self.is_shared(id) || self.unclosed.contains(&id) {
            return None;
        }
        let (span, start) = (self.span(id).range(), self.tag_end(text, id));
        let end = start + memchr::memrchr(b'<', &text.as_bytes()[start..span.end])?;
        text[end..].starts_with("</").then(|| Span::new(start, end))
    }

    /// The value of an attribute or a declaration within its quotes: `value` of `name="value"`.
    pub(crate) fn quoted(text: &str, span: Span) -> Span {
        let source = span.of(text);
        let Some(equals) = source.find('=') else { return Span::at(span.range().end) };
        let open = chars::skip_space(source.as_bytes(), equals + 1);
        let start = span.range().start + open;
        match source.as_bytes().get(open) {
            Some(quote @ (b'"' | b'\'')) => {
                let closed = source.len() > open + 1 && source.ends_with(*quote as char);
                Span::new(start + 1, span.range().end - usize::from(closed))
            }
            _ => Span::new(start, span.range().end), // an error of the document
        }
    }

    /// The name at the start of a tag, an attribute or a processing instruction.
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
