//! What YAML files name: the references that all data files share, at their places in the text.

use std::borrow::Cow;

use marquetry_jsonpath::{Kind as JsonKind, Layout, Tree};
use marquetry_references::{Reference, collect, removable, resolve, spell};
use marquetry_sdk::{
    Destination, Document, Edit, EditOptions, FailureKind, Link, Linking, Operation, Request, Respelling, Result, Span,
    fail,
};

use crate::{
    Yaml,
    document::YamlDocument,
    source::{Ref, Source},
    table::{Id, Kind},
};

impl Linking for Yaml {
    fn links(document: &YamlDocument) -> Vec<Link> {
        let source = document.source();
        let references = references(document);
        let ids: Vec<Id> = references.iter().map(|reference| reference.node).collect();
        let places = marquetry_jsonpath::places(&source, source.root_id(), &ids);
        let link = |reference: Reference<Id>| {
            let range = source.table.range(reference.node);
            let quote = usize::from(source.kind_of(reference.node) != Kind::Plain);
            let place = places.binary_search_by_key(&reference.node, |place| place.id).ok();
            let key = place.and_then(|index| places[index].key);
            Link {
                kind: reference.kind,
                // Between the quotes.
                span: Span::new(range.start + quote, range.end - quote),
                statement: Span::new(key.map_or(range.start, |key| source.start(key)), range.end),
                specifier: reference.specifier,
                names: Vec::new(),
                type_only: false,
            }
        };
        references.into_iter().map(link).collect()
    }

    fn resolve(from: &str, requests: &[Request]) -> Vec<Destination> {
        resolve(from, requests)
    }

    fn spell(requests: &[Respelling]) -> Vec<Result<String>> {
        spell(requests).into_iter().map(|spelled| spelled.and_then(plain)).collect()
    }

    fn unlink(document: &YamlDocument, links: &[u32]) -> Result<Vec<Edit>> {
        let nodes = removable(&references(document), links)?;
        document.edit(&nodes, &Operation::Delete, EditOptions { include_doc: false, force: false })
    }
}

/// The references that are written on one line and as they are read, so that another path can take their place.
fn references(document: &YamlDocument) -> Vec<Reference<Id>> {
    let source = document.source();
    let mut found = collect(&Written(source), document.path());
    found.retain(|reference| {
        let raw = source.raw(reference.node);
        match source.kind_of(reference.node) {
            Kind::Plain => raw == reference.specifier,
            Kind::SingleQuoted | Kind::DoubleQuoted => {
                raw.len() >= 2 && raw.get(1..raw.len() - 1) == Some(reference.specifier.as_str())
            }
            _ => false,
        }
    });
    found
}

/// A path that reads the same in every style of scalar.
fn plain(path: String) -> Result<String> {
    let special = |c: char| c.is_control() || "'\"\\".contains(c);
    if path.contains(special) || path.contains(": ") || path.contains(" #") || path.ends_with(':') {
        return Err(fail(FailureKind::Unsupported, format!("`{path}` cannot be written without quotes of its own"))
            .hint("change the reference by hand"));
    }
    Ok(path)
}

/// The values as they are written: an alias is a leaf that names nothing.
struct Written<'d>(Source<'d>);

impl Tree for Written<'_> {
    type Node = Id;

    fn root(&self) -> Id {
        self.0.root_id()
    }

    fn kind(&self, node: Id) -> JsonKind {
        match self.0.kind_of(node) {
            Kind::Alias => JsonKind::Null,
            _ => self.0.kind(Ref { id: node, via: 0 }),
        }
    }

    fn children(&self, node: Id) -> impl Iterator<Item = Id> {
        self.0.entries(node).map(|(_, value)| value)
    }

    fn members(&self, node: Id) -> impl Iterator<Item = (Cow<'_, str>, Id)> {
        self.0.entries(node).filter_map(|(key, value)| Some((self.0.key_name(key?), value)))
    }

    fn member(&self, node: Id, name: &str) -> Option<Id> {
        self.members(node).filter(|(key, _)| key == name).last().map(|(_, value)| value)
    }

    fn element(&self, node: Id, index: usize) -> Option<Id> {
        self.children(node).nth(index)
    }

    fn count(&self, node: Id) -> usize {
        self.children(node).count()
    }

    fn text(&self, node: Id) -> Cow<'_, str> {
        match self.0.kind_of(node) {
            Kind::Alias => Cow::Borrowed(""),
            _ => self.0.text(Ref { id: node, via: 0 }),
        }
    }
}
