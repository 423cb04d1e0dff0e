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
    /// Tokens: white space around and between them does not count.
    Tokens,
}

/// An attribute that the DTD declares for an element.
#[derive(Debug)]
pub(crate) struct Attribute {
    /// The name as written.
    pub name: Box<str>,
    /// Its type.
    pub kind: Type,
    /// The source of the default value.
    pub default: Option<Box<str>>,
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
    pub attributes: FxHashMap<Box<str>, Vec<Attribute>>,
    /// Whether there is an external subset or a reference to a parameter entity: then an entity that is not declared
    /// is no error of form.
    pub open: bool,
    /// Whether a parameter entity was not read: then the declarations behind its reference do not count.
    pub unread: bool,
}

impl Dtd {
    /// The declared attributes of an element.
    pub(crate) fn attributes_of(&self, element: &str) -> &[Attribute] {
        if self.attributes.is_empty() {
            return &[];
        }
        self.attributes.get(element).map_or(&[], Vec::as_slice)
    }
}
