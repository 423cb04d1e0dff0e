//! The types of a file, and what each extends or implements: what is below a type is found by what says that it is above.

use marquetry_model::{Result, Span, pack::Node, ports::Document};
use serde::{Deserialize, Serialize};

/// The types of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Types {
    /// Those that extend or implement something, and all others that something could extend.
    pub all: Vec<TypeFact>,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeFact {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Finds exactly it.
    pub address: String,
    /// Start and end of the whole of it.
    pub span: (usize, usize),
    /// Where its name starts.
    pub selection: usize,
    /// What it extends and implements.
    pub bases: Vec<Base>,
}

/// What a type extends or implements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// As it is named there.
    pub name: String,
    /// Its address, where the same file declares it.
    pub address: Option<String>,
    /// The file that declares it and the offset of its name, where that is known.
    pub declared: Option<(String, usize)>,
}

impl TypeFact {
    /// The whole of it.
    pub fn span(&self) -> Span {
        Span::new(self.span.0, self.span.1)
    }
}

impl Types {
    /// As a document tells them. Nothing is looked for inside of a type: what is declared there is a member of it.
    pub(crate) fn of(document: &mut dyn Document) -> Result<Types> {
        let mut all = Vec::new();
        let mut until = 0;
        for node in document.outline()? {
            if node.span.end <= until {
                continue;
            }
            if let Some(above) = document.supertypes(&node.address)? {
                until = node.span.end;
                all.push(fact(node, above));
            }
        }
        Ok(Types { all })
    }
}

fn fact(node: Node, above: Vec<marquetry_model::insight::Related>) -> TypeFact {
    let base = |related: marquetry_model::insight::Related| Base {
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
