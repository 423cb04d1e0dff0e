//! Links in TOML files: the references that all data formats share, at their positions in the text.

use marquetry_references::{Part, Reference, collect_references, format_specifiers, removable_values, resolve};
use marquetry_sdk::{
    Context, Destination, Document, EditOptions, FailureKind, Link, Linking, Operation, Request, Result, Rewrite, Span,
    SpecifierRequest, fail,
};

use crate::{
    Toml,
    document::TomlDocument,
    removals,
    source::Source,
    table::{Id, Kind},
};

impl Linking for Toml {
    fn links(document: &TomlDocument) -> Vec<Link> {
        let source = document.source();
        let link = |reference: Reference<Id>| {
            let node = source.table.node(reference.node);
            let (start, end) = (node.start as usize, node.end as usize);
            let span = match &reference.part {
                Part::Within(part) => start + 1 + part.start..start + 1 + part.end,
                _ => start + 1..end - 1,
            };
            Link {
                kind: reference.kind,
                span: Span::from(span),
                statement: Span::new(node.entry_start as usize, end),
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
        format_specifiers(requests).into_iter().map(|formatted| formatted.and_then(check_unescaped)).collect()
    }

    fn unlink(document: &TomlDocument, links: &[u32]) -> Result<Rewrite> {
        let nodes = removable_values(&literal_references(document), links)?;
        let nodes = removals::with_tables(document.source(), document.path(), &nodes)?;
        document.edit(&nodes, &Operation::Delete, EditOptions { include_doc: false, force: false }).map(Rewrite::from)
    }
}

/// Returns, in text order, the references in single-line strings without escapes. The path of such a reference can be
/// replaced in the text.
fn literal_references(document: &TomlDocument) -> Vec<Reference<Id>> {
    let source = document.source();
    let mut found = collect_references(&source, document.path());
    found.retain(|reference| reference.part != Part::Key && is_literal_string(source, reference.node));
    found.sort_by_key(|reference| source.table.node(reference.node).start);
    found
}

fn is_literal_string(source: Source<'_>, id: Id) -> bool {
    let raw = source.raw(id);
    let quoted = |quote: char| {
        raw.len() >= 2 && raw.starts_with(quote) && raw.ends_with(quote) && !raw[1..raw.len() - 1].contains(quote)
    };
    source.kind_of(id) == Kind::String && (quoted('\'') || (quoted('"') && !raw.contains('\\')))
}

/// Returns the path if it is written in the same way in both kinds of quotes; otherwise fails.
fn check_unescaped(path: String) -> Result<String> {
    if path.contains(|c: char| c.is_control() || "'\"\\".contains(c)) {
        return Err(fail(FailureKind::Unsupported, format!("`{path}` cannot be written without escapes"))
            .hint("change the reference by hand"));
    }
    Ok(path)
}
