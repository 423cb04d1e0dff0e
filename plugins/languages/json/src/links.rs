//! Links in JSON files: the references that all data formats share, at their positions in the text.

use marquetry_references::{
    Part, Reference, collect_references, extend_globs, format_specifiers, removable_values, resolve,
    with_empty_containers,
};
use marquetry_sdk::{
    Context, Destination, Document, EditOptions, FileMoves, Link, Linking, Operation, Request, Result, Rewrite, Span,
    SpecifierRequest,
};

use crate::{Json, document::JsonDocument, projects, removals, table::Id};

impl Linking for Json {
    fn links(document: &JsonDocument) -> Vec<Link> {
        let source = document.source();
        let link = |reference: Reference<Id>| {
            let range = source.table.range(reference.node);
            let key = source.table.key_of(source.text, reference.node).map(|key| source.table.range(key));
            let span = match (&reference.part, &key) {
                // Leave out the quotes.
                (Part::Key, Some(key)) => key.start + 1..key.end - 1,
                (Part::Within(part), _) => range.start + 1 + part.start..range.start + 1 + part.end,
                _ => range.start + 1..range.end - 1,
            };
            Link {
                kind: reference.kind,
                span: Span::from(span),
                statement: Span::new(key.map_or(range.start, |key| key.start), range.end),
                specifier: reference.specifier,
                names: Vec::new(),
                type_only: false,
            }
        };
        literal_references(document).into_iter().map(link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        resolve(&context.path, requests)
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        format_specifiers(requests).into_iter().map(|formatted| formatted.map(|text| escape_text(&text))).collect()
    }

    /// Adds patterns to compiler configurations.
    fn relink(document: &JsonDocument, moves: &FileMoves) -> Result<Rewrite> {
        let (source, path) = (document.source(), document.path());
        let relocations = projects::without_included_elsewhere(source, path, &moves.relocations)?;
        let Some(company) = extend_globs(&source, path, &relocations)? else {
            return Ok(Rewrite::default());
        };
        let written: Vec<String> =
            company.patterns.iter().map(|pattern| format!("\"{}\"", escape_text(pattern))).collect();
        let options = EditOptions { include_doc: false, force: false };
        document.edit(&[company.last_pattern], &Operation::InsertAfter(written.join(", ")), options).map(Rewrite::from)
    }

    fn unlink(document: &JsonDocument, links: &[u32]) -> Result<Rewrite> {
        let nodes = removable_values(&literal_references(document), links)?;
        let nodes = removals::with_elements(document.source(), &nodes);
        let nodes = with_empty_containers(&document.source(), document.path(), &nodes)?;
        document.edit(&nodes, &Operation::Delete, EditOptions { include_doc: false, force: false }).map(Rewrite::from)
    }
}

/// Returns the references in complete double-quoted strings, because an unquoted word cannot be replaced by another
/// path. A reference that is only a part of a string or key must be written without escapes.
fn literal_references(document: &JsonDocument) -> Vec<Reference<Id>> {
    let source = document.source();
    let mut found = collect_references(&source, document.path());
    let quoted = |raw: &str| raw.len() >= 2 && raw.starts_with('"') && raw.ends_with('"');
    found.retain(|reference| match reference.part {
        Part::Key => source.table.key_of(source.text, reference.node).is_some_and(|key| {
            let raw = source.raw(key);
            quoted(raw) && !raw.contains('\\')
        }),
        Part::Within(_) => quoted(source.raw(reference.node)) && !source.raw(reference.node).contains('\\'),
        Part::Value => quoted(source.raw(reference.node)),
    });
    found
}

fn escape_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
