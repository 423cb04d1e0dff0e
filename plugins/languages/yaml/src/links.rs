//! Links in YAML files: the references that all data formats share, at their positions in the text.

use std::{borrow::Cow, ops::Range};

use marquetry_jsonpath::{Kind as JsonKind, Tree, ValueTable};
use marquetry_references::{
    Part, Reference, collect_references, extend_globs, format_specifiers, removable_values, resolve,
};
use marquetry_sdk::{
    Context, Destination, Document, EditOptions, FailureKind, FileMoves, Link, Linking, Operation, Request, Result,
    Rewrite, Span, SpecifierRequest, fail, lines,
};

use crate::{
    Yaml,
    document::YamlDocument,
    removals,
    source::{NodeRef, Source},
    table::{Id, Kind},
};

impl Linking for Yaml {
    fn links(document: &YamlDocument) -> Vec<Link> {
        let source = document.source();
        let references = literal_references(document);
        let ids: Vec<Id> = references.iter().map(|reference| reference.node).collect();
        let places = marquetry_jsonpath::locations(&source, source.root_id(), &ids);
        let link = |reference: Reference<Id>| {
            let range = source.table.range(reference.node);
            let place = places.binary_search_by_key(&reference.node, |place| place.id).ok();
            let key = place.and_then(|index| places[index].key);
            let span = literal_range(source, &reference, key).unwrap_or(range.clone());
            Link {
                kind: reference.kind,
                span: Span::from(span),
                statement: Span::new(key.map_or(range.start, |key| source.start(key)), range.end),
                specifier: reference.specifier,
                names: Vec::new(),
                type_only: false,
            }
        };
        references.into_iter().map(link).collect()
    }

    fn resolve(context: &Context, requests: &[Request]) -> Vec<Destination> {
        resolve(&context.path, requests)
    }

    fn format_specifiers(_context: &Context, requests: &[SpecifierRequest]) -> Vec<Result<String>> {
        format_specifiers(requests).into_iter().map(|formatted| formatted.and_then(check_plain_path)).collect()
    }

    /// Checks whether a package leaves its workspace, but adds no patterns to the file.
    fn relink(document: &YamlDocument, moves: &FileMoves) -> Result<Rewrite> {
        extend_globs(&LiteralNodes(document.source()), document.path(), &moves.relocations).map(|_| Rewrite::default())
    }

    fn unlink(document: &YamlDocument, links: &[u32]) -> Result<Rewrite> {
        let nodes = removable_values(&literal_references(document), links)?;
        let nodes = removals::with_items(&LiteralNodes(document.source()), &nodes)?;
        document.edit(&nodes, &Operation::Delete, EditOptions { include_doc: false, force: false }).map(Rewrite::from)
    }
}

/// Returns the references that are written literally in the text, so that their path can be replaced.
fn literal_references(document: &YamlDocument) -> Vec<Reference<Id>> {
    let source = document.source();
    let mut found = collect_references(&LiteralNodes(source), document.path());
    // In YAML files, keys are never references.
    found.retain(|reference| literal_range(source, reference, None).is_some());
    found
}

/// Returns the range of a reference's text, if it is written literally.
fn literal_range(source: Source<'_>, reference: &Reference<Id>, key: Option<Id>) -> Option<Range<usize>> {
    let node = if reference.part == Part::Key { key? } else { reference.node };
    let range = source.table.range(node);
    let part = match &reference.part {
        Part::Within(part) => part.clone(),
        Part::Key | Part::Value => 0..reference.specifier.len(),
    };
    let start = match source.kind_of(node) {
        Kind::Plain => range.start + part.start,
        Kind::SingleQuoted | Kind::DoubleQuoted => range.start + 1 + part.start,
        Kind::Literal => block_scalar_offset(source, node, part.start)?,
        _ => return None,
    };
    let end = start + part.len();
    let whole = reference.part != Part::Value || end + usize::from(start > range.start) == range.end;
    (whole && source.text.get(start..end) == Some(reference.specifier.as_str())).then_some(start..end)
}

/// Maps an offset in the value of a block scalar to an offset in the file, where its lines are indented.
fn block_scalar_offset(source: Source<'_>, node: Id, offset: usize) -> Option<usize> {
    let text = source.text;
    let read = Tree::text(&source, NodeRef { id: node, via_alias: 0 });
    let line = read[..offset].matches('\n').count();
    let column = offset - read[..offset].rfind('\n').map_or(0, |at| at + 1);
    let mut at = lines::next_line(text, source.table.range(node).start);
    for _ in 0..line {
        at = lines::next_line(text, at);
    }
    let start = at + source.table.extra(node) as usize + column;
    (start <= lines::line_end(text, at)).then_some(start)
}

/// Returns the path if it is written in the same way in every style of scalar; otherwise fails.
fn check_plain_path(path: String) -> Result<String> {
    let special = |c: char| c.is_control() || "'\"\\".contains(c);
    if path.contains(special) || path.contains(": ") || path.contains(" #") || path.ends_with(':') {
        return Err(fail(
            FailureKind::Unsupported,
            format!("`{path}` cannot be written without quotes at this position"),
        )
        .hint("change the reference by hand"));
    }
    Ok(path)
}

/// The nodes as they are written in the text. An alias is a leaf without a target.
struct LiteralNodes<'d>(Source<'d>);

impl Tree for LiteralNodes<'_> {
    type Node = Id;

    fn root(&self) -> Id {
        self.0.root_id()
    }

    fn kind(&self, node: Id) -> JsonKind {
        match self.0.kind_of(node) {
            Kind::Alias => JsonKind::Null,
            _ => self.0.kind(NodeRef { id: node, via_alias: 0 }),
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
            _ => self.0.text(NodeRef { id: node, via_alias: 0 }),
        }
    }
}
