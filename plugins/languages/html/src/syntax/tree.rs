//! Document tree: elements in tree order, with the positions of their tags.

use std::borrow::Cow;

use marquetry_sdk::Span;

use super::decode;
use super::diagnostic::ParseDiagnostic;
use super::dialect::Dialect;
use super::names::{Name, Names};
use super::tokenizer::Doctype;

/// Index of an element in tree order. A parent comes before its children, and siblings are in document order.
pub(crate) type Id = u32;

/// Index that means "no element".
pub(crate) const NONE: Id = u32::MAX;

/// The number of a namespace. The namespaces that HTML defines come first, then those that the document declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Namespace(pub(crate) u16);

impl Namespace {
    pub(crate) const NONE: Namespace = Namespace(0);
    pub(crate) const HTML: Namespace = Namespace(1);
    pub(crate) const SVG: Namespace = Namespace(2);
    pub(crate) const MATHML: Namespace = Namespace(3);
}

/// An attribute with its position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute {
    pub(crate) name: Span,
    /// Span of the value without its quotes. `None` if the attribute has no value.
    pub(crate) value: Option<Span>,
}

/// An element.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) name: Name,
    pub(crate) namespace: Namespace,
    /// True if the parser created the element, so that it has no tags in the text.
    pub(crate) implied: bool,
    /// True if the element directly contains text.
    pub(crate) has_text: bool,
    pub(crate) parent: Id,
    /// Index after the last descendant of the element.
    pub(crate) end: Id,
    /// The start tag.
    pub(crate) start_tag: Span,
    /// The end tag. If the element has none, an empty span after the content.
    pub(crate) end_tag: Span,
    /// Index of the first attribute in [`Tree::attributes`], and the number of attributes.
    pub(crate) attributes: (u32, u32),
}

impl Element {
    /// Span from the start tag to the end tag.
    pub(crate) fn span(&self) -> Span {
        Span { start: self.start_tag.start, end: self.end_tag.end }
    }

    /// Span between the tags.
    pub(crate) fn inner(&self) -> Span {
        Span { start: self.start_tag.end, end: self.end_tag.start }
    }

    /// Returns whether this is the HTML element with that name.
    pub(crate) fn is_html_element(&self, name: Name) -> bool {
        self.name == name && self.namespace == Namespace::HTML
    }
}

/// A parsed document.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) text: String,
    /// The elements, in tree order.
    pub(crate) elements: Vec<Element>,
    pub(crate) attributes: Vec<Attribute>,
    /// The spans of the comments, in document order.
    pub(crate) comments: Vec<Span>,
    pub(crate) doctype: Option<Doctype>,
    pub(crate) names: Names,
    /// Namespace prefixes that the document declares (XML).
    pub(crate) prefixes: Vec<(Box<str>, Namespace)>,
    /// True if classes and ids are case-insensitive.
    pub(crate) quirks: bool,
    pub(crate) dialect: Dialect,
    /// Pieces of code in the text of a component, with their braces.
    pub(crate) code: Vec<Span>,
    pub(crate) diagnostics: Vec<ParseDiagnostic>,
}

impl Tree {
    /// Returns the element with this index.
    pub(crate) fn element(&self, id: Id) -> &Element {
        &self.elements[id as usize]
    }

    /// Number of elements.
    pub(crate) fn element_count(&self) -> Id {
        self.elements.len() as Id
    }

    /// Parent of an element.
    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        let parent = self.element(id).parent;
        (parent != NONE).then_some(parent)
    }

    /// Returns an element and its ancestors, from the inside out.
    pub(crate) fn self_and_ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// Children in order.
    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        self.siblings(id + 1, self.element(id).end)
    }

    /// Elements without a parent.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Id> {
        self.siblings(0, self.element_count())
    }

    fn siblings(&self, first: Id, end: Id) -> impl Iterator<Item = Id> {
        let next = move |id: Id| (id < end).then_some(id);
        std::iter::successors(next(first), move |id| next(self.element(*id).end))
    }

    /// Indices of all descendants, in order.
    pub(crate) fn descendants(&self, id: Id) -> std::ops::Range<Id> {
        id + 1..self.element(id).end
    }

    /// Attributes of an element, in order.
    pub(crate) fn attributes(&self, id: Id) -> &[Attribute] {
        let (first, count) = self.element(id).attributes;
        &self.attributes[first as usize..(first + count) as usize]
    }

    /// Returns the attribute with this name, and its index in [`Tree::attributes`].
    pub(crate) fn attribute(&self, id: Id, name: &str) -> Option<(u32, Attribute)> {
        let first = self.element(id).attributes.0;
        let found = self.attributes(id).iter().position(|attribute| {
            let own = attribute.name.slice(&self.text);
            match self.dialect.has_exact_names() {
                true => own == name || self.shorthand_name(*attribute) == Some(name),
                false => own.eq_ignore_ascii_case(name),
            }
        })?;
        Some((first + found as u32, self.attributes[first as usize + found]))
    }

    /// Name of an attribute. That of the shorthand `{name}` in a component is without its braces.
    pub(crate) fn attribute_name(&self, attribute: Attribute) -> &str {
        let written = attribute.name.slice(&self.text);
        self.shorthand_name(attribute).unwrap_or(written)
    }

    /// Name of an attribute that is written as `{name}`, which stands for `name={name}`. `None` for others.
    pub(crate) fn shorthand_name(&self, attribute: Attribute) -> Option<&str> {
        let written = attribute.name.slice(&self.text).strip_prefix('{')?;
        let name = written.strip_suffix('}')?.trim();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        (self.dialect.has_braces() && !name.is_empty() && name.chars().all(is_name)).then_some(name)
    }

    /// Returns the first error if the markup is that of a component that is not balanced. It has no elements then.
    pub(crate) fn unreadable(&self) -> Option<&ParseDiagnostic> {
        self.diagnostics.iter().find(|found| self.dialect.is_component() && found.code.prevents_reading())
    }

    /// Returns the decoded value of the attribute with this name. It is empty if the attribute has no value.
    pub(crate) fn attribute_value(&self, id: Id, name: &str) -> Option<Cow<'_, str>> {
        let (_, attribute) = self.attribute(id, name)?;
        Some(self.decoded_value(attribute))
    }

    /// Decoded value of an attribute.
    pub(crate) fn decoded_value(&self, attribute: Attribute) -> Cow<'_, str> {
        attribute.value.map_or(Cow::Borrowed(""), |value| decode::attribute(value.slice(&self.text)))
    }

    /// Returns whether the element has the attribute.
    pub(crate) fn has_attribute(&self, id: Id, name: &str) -> bool {
        self.attribute(id, name).is_some()
    }

    /// Name of an element, without its prefix.
    pub(crate) fn name(&self, id: Id) -> &str {
        self.names.text(self.element(id).name)
    }

    /// Returns whether this is the HTML element with that name.
    pub(crate) fn is_html_element(&self, id: Id, name: Name) -> bool {
        self.element(id).is_html_element(name)
    }

    /// Returns the children that have tags. A child without tags is replaced by its own children.
    pub(crate) fn children_with_tags(&self, id: Id) -> Vec<Id> {
        let mut found = Vec::new();
        let mut at = id + 1;
        while at < self.element(id).end {
            if self.element(at).implied {
                at += 1;
            } else {
                found.push(at);
                at = self.element(at).end;
            }
        }
        found
    }

    /// Returns the spans of the text that is directly in an element: between its tags, children and comments.
    pub(crate) fn text_spans(&self, id: Id) -> Vec<Span> {
        let inner = self.element(id).inner();
        if self.element(id).implied {
            return Vec::new();
        }
        let first = self.comments.partition_point(|comment| comment.start < inner.start);
        let comments = self.comments[first..].iter().take_while(|comment| comment.end <= inner.end).copied();
        let children = self.children_with_tags(id).into_iter().map(|child| self.element(child).span());
        let mut gaps: Vec<Span> = children.chain(comments).collect();
        gaps.sort_by_key(|gap| gap.start);
        let mut texts = Vec::with_capacity(gaps.len() + 1);
        let mut at = inner.start;
        for gap in gaps.into_iter().chain([Span { start: inner.end, end: inner.end }]) {
            if gap.start > at && gap.start <= inner.end {
                texts.push(Span { start: at, end: gap.start });
            }
            at = at.max(gap.end);
        }
        texts
    }
}
