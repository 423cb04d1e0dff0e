//! Document type definition: entities and default attributes.

use std::rc::Rc;

use marquetry_sdk::Span;
use rustc_hash::FxHashMap;

/// Meaning of an entity.
#[derive(Debug, Clone)]
pub(crate) enum Entity {
    /// An entity with replacement text.
    Internal(Rc<str>),
    /// An external file, which is never read.
    External,
    /// External data that is not XML.
    Unparsed,
}

/// Type of an attribute. Types that do not affect the value are not distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    /// Any text.
    Cdata,
    /// An id.
    Identifier,
    /// References to ids.
    References,
    /// Tokens, such as names. White space around them is insignificant.
    Tokens,
}

/// Attribute declarations of an element.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    /// Type of each attribute.
    pub types: FxHashMap<Box<str>, Type>,
    /// Attributes with default values.
    pub defaults: Vec<DefaultAttribute>,
}

/// An attribute with a default value.
#[derive(Debug, Clone)]
pub(crate) struct DefaultAttribute {
    /// Name as written.
    pub name: Box<str>,
    /// Normalised value.
    pub value: Rc<str>,
    /// Position of the declaration of the attribute.
    pub span: Span,
}

/// Declarations of a document.
#[derive(Debug, Default)]
pub(crate) struct Dtd {
    /// Span of `<!DOCTYPE …>`.
    pub span: Option<Span>,
    /// Span of the system identifier within its quotes.
    pub system: Option<Span>,
    /// General entities.
    pub entities: FxHashMap<Box<str>, Entity>,
    /// Parameter entities.
    pub parameters: FxHashMap<Box<str>, Entity>,
    /// The declared attributes of each element.
    pub attributes: FxHashMap<Box<str>, Attributes>,
    /// True if there is an external subset or a reference to a parameter entity. In that case, an undeclared entity
    /// is not a well-formedness error.
    pub is_incomplete: bool,
    /// True if a parameter entity was not read, because it is external. Declarations after its reference are ignored.
    pub has_unread_entities: bool,
}

impl Dtd {
    /// Declared attributes of an element.
    pub(crate) fn attributes_of(&self, element: &str) -> Option<&Attributes> {
        if self.attributes.is_empty() { None } else { self.attributes.get(element) }
    }

    /// Declared type of an attribute.
    pub(crate) fn type_of(&self, element: &str, attribute: &str) -> Option<Type> {
        self.attributes_of(element)?.types.get(attribute).copied()
    }
}
