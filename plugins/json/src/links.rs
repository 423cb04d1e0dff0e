//! What JSON files name: the references that all data files share, at their places in the text.

use marquetry_jsonpath::Tree;
use marquetry_references::{Reference, collect, cover, removable, resolve, spell};
use marquetry_sdk::{
    Destination, Document, Edit, EditOptions, Link, Linking, Operation, Relocation, Request, Respelling, Result, Span,
};

use crate::{Json, document::JsonDocument, table::Id};

impl Linking for Json {
    fn links(document: &JsonDocument) -> Vec<Link> {
        let source = document.source();
        let link = |reference: Reference<Id>| {
            let range = source.table.range(reference.node);
            let quoted = source.text[range.clone()].len() >= 2;
            let statement = source
                .table
                .key_of(source.text, reference.node)
                .map_or(range.start, |key| source.table.range(key).start);
            Link {
                kind: reference.kind,
                // Between the quotes.
                span: Span::new(range.start + usize::from(quoted), range.end - usize::from(quoted)),
                statement: Span::new(statement, range.end),
                specifier: reference.specifier,
                names: Vec::new(),
                type_only: false,
            }
        };
        references(document).into_iter().map(link).collect()
    }

    fn resolve(from: &str, requests: &[Request]) -> Vec<Destination> {
        resolve(from, requests)
    }

    fn spell(requests: &[Respelling]) -> Vec<Result<String>> {
        spell(requests).into_iter().map(|spelled| spelled.map(|text| escaped(&text))).collect()
    }

    fn cover(document: &JsonDocument, relocations: &[Relocation]) -> Result<Vec<Edit>> {
        let Some(company) = cover(&document.source(), document.path(), relocations) else { return Ok(Vec::new()) };
        let written: Vec<String> = company.patterns.iter().map(|pattern| format!("\"{}\"", escaped(pattern))).collect();
        let options = EditOptions { include_doc: false, force: false };
        document.edit(&[company.behind], &Operation::InsertAfter(written.join(", ")), options)
    }

    fn unlink(document: &JsonDocument, links: &[u32]) -> Result<Vec<Edit>> {
        let nodes = removable(&references(document), links)?;
        document.edit(&nodes, &Operation::Delete, EditOptions { include_doc: false, force: false })
    }
}

/// References that are whole strings in quotes: a word without them has no place to write another.
fn references(document: &JsonDocument) -> Vec<Reference<Id>> {
    let source = document.source();
    let mut found = collect(&source, document.path());
    found.retain(|reference| {
        source.raw(reference.node).starts_with('"')
            && source.raw(reference.node).ends_with('"')
            && source.kind(reference.node) == marquetry_jsonpath::Kind::String
    });
    found
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
