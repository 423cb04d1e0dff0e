//! The types of a file with their supertypes. Subtypes are found by reversing this relation.

use marquetry_model::{Result, Span, pack::Node, ports::Document};
use serde::{Deserialize, Serialize};

/// The types of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Types {
    /// Types that extend or implement other types, and types that can be extended.
    pub all: Vec<TypeFact>,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeFact {
    /// Name.
    pub name: String,
    /// Kind, such as `class`.
    pub kind: String,
    /// Address that finds exactly this type.
    pub address: String,
    /// Start and end of the whole declaration.
    pub span: (usize, usize),
    /// Offset of the name.
    pub selection: usize,
    /// Types that this type extends or implements.
    pub bases: Vec<Base>,
}

/// A supertype.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Name of the supertype as written in the declaration of the subtype.
    pub name: String,
    /// Address of the supertype, if it is declared in the same file.
    pub address: Option<String>,
    /// Path of the declaring file and offset of the name, if known.
    pub declared: Option<(String, usize)>,
}

impl TypeFact {
    /// Span of the whole declaration.
    pub fn span(&self) -> Span {
        Span::new(self.span.0, self.span.1)
    }
}

impl Types {
    /// Collects the types of a document. Declarations inside of a type are its members, so they are not searched for
    /// types.
    pub(crate) fn collect(document: &mut dyn Document) -> Result<Types> {
        let mut all = Vec::new();
        let mut until = 0;
        for node in document.outline()? {
            if node.span.end <= until {
                continue;
            }
            if let Some(above) = document.supertypes(&node.address)? {
                until = node.span.end;
                all.push(type_fact(node, above));
            }
        }
        Ok(Types { all })
    }
}

fn type_fact(node: Node, above: Vec<marquetry_model::hover::RelatedSymbol>) -> TypeFact {
    let base = |related: marquetry_model::hover::RelatedSymbol| Base {
        name: related.name,
        address: related.address,
        declared: related.declared,
    };
    TypeFact {
        name: node.name,
        kind: node.kind,
        address: node.address,
        span: (node.span.start, node.span.end),
        selection: node.selection.start,
        bases: above.into_iter().map(base).collect(),
    }
}
