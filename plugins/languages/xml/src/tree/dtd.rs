//! What the document type declaration says: entities, and the attributes that elements have by default.

use std::rc::Rc;

use marquetry_sdk::Span;
use rustc_hash::FxHashMap;

/// What stands for an entity reference.
#[derive(Debug, Clone)]
pub(crate) enum Entity {
    /// Its replacement text.
    Internal(Rc<str>),
    /// A file of its own, which is never read.
    External,
    /// Something that is not XML.
    Unparsed,
}

/// The type of an attribute, as far as it matters to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    /// Any text.
    Cdata,
    /// A name that finds the element.
    Identifier,
    /// Names of elements that have them as identifiers.
    References,
    /// Tokens: white space around and between them does not count.
    Tokens,
}

/// What the DTD says of the attributes of an element.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// The type of each.
    pub types: FxHashMap<Box<str>, Type>,
    /// Those that have a value by default.
    pub defaults: Vec<DefaultAttribute>,
}

/// An attribute that an element has where its tag does not say otherwise.
#[derive(Debug, Clone)]
pub(crate) struct DefaultAttribute {
    /// The name as written.
    pub name: Box<str>,
    /// The value, normalised.
    pub value: Rc<str>,
    /// Where it is declared.
    pub span: Span,
}

/// The declarations of a document.
#[derive(Debug, Default)]
pub(crate) struct Dtd {
    /// `<!DOCTYPE …>`.
    pub span: Option<Span>,
    /// The system identifier, within its quotes.
    pub system: Option<Span>,
    /// General entities.
    pub entities: FxHashMap<Box<str>, Entity>,
    /// Parameter entities.
    pub parameters: FxHashMap<Box<str>, Entity>,
    /// The declared attributes of each element.
    pub attributes: FxHashMap<Box<str>, Attributes>,
    /// Whether there is an external subset or a reference to a parameter entity: then an entity that is not declared
    /// is no error of form.
    pub open: bool,
    /// Whether a parameter entity was not read: then the declarations behind its reference do not count.
    pub unread: bool,
}

impl Dtd {
    /// The declared attributes of an element.
    pub(crate) fn attributes_of(&self, element: &str) -> Option<&Attributes> {
        if self.attributes.is_empty() { None } else { self.attributes.get(element) }
    }

    /// The declared type of an attribute.
    pub(crate) fn type_of(&self, element: &str, attribute: &str) -> Option<Type> {
        self.attributes_of(element)?.types.get(attribute).copied()
    }
}
