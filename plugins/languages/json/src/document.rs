//! An open file. Finds, lists and shows its values.

use std::cell::OnceCell;

use marquetry_jsonpath::{
    Kind, Location, Tree, find_nodes, json_text_within, locations, outline_limit, outline_locations, overridden_keys,
    shape, value_summary,
};
use marquetry_sdk::{
    Diagnostic, Document, Edit, EditOptions, FailureKind, FindResult, Form, Node, NodeId, Nodes, Operation, Query,
    Result, Severity, Span, Target, View, fail,
};

use crate::{
    dialect::Dialect,
    edit, partial_check, scan,
    source::Source,
    table::{Id, Table},
};

/// Maximum number of errors about repeated keys.
const MAX_DUPLICATE_KEYS: usize = 100;

/// An open document.
#[derive(Debug)]
pub struct JsonDocument {
    path: String,
    text: String,
    dialect: Dialect,
    parsed: OnceCell<(Table, Vec<Diagnostic>)>,
}

impl JsonDocument {
    pub(crate) fn new(path: &str, text: String) -> JsonDocument {
        JsonDocument { path: path.to_owned(), text, dialect: Dialect::for_path(path), parsed: OnceCell::new() }
    }

    /// Returns the path of the file, as the host names it.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn parsed(&self) -> &(Table, Vec<Diagnostic>) {
        self.parsed.get_or_init(|| scan::scan_document(&self.text, self.dialect))
    }

    pub(crate) fn source(&self) -> Source<'_> {
        Source { text: &self.text, table: &self.parsed().0 }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn node(&self, place: Location<'_, Id>, value: Option<String>) -> Node {
        let source = self.source();
        let span = source.span(place.id);
        let doc = source.doc(&place);
        Node {
            id: place.id,
            parent: None,
            kind: source.kind(place.id).name().to_owned(),
            name: place.name.into_owned(),
            address: place.address,
            span,
            selection: Span::at(span.range().start),
            body: source.body(place.id),
            doc,
            level: None,
            value,
        }
    }
}

impl Document for JsonDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let source = self.source();
        let mut problems = self.parsed().1.clone();
        let objects = (0..source.table.next_id()).filter(|id| source.is_object(*id));
        let overridden = objects.flat_map(|object| overridden_keys(&source, object));
        problems.extend(overridden.take(MAX_DUPLICATE_KEYS).map(|key| Diagnostic {
            severity: Severity::Warning,
            span: Span::from(source.table.range(key)),
            message: format!("duplicate key `{}` in this object: only the last one counts", source.name(key)),
            code: None,
        }));
        problems.sort_by_key(|problem| problem.span.start);
        problems
    }

    fn parse_errors(&self) -> Vec<Diagnostic> {
        self.parsed().1.iter().filter(|problem| problem.severity == Severity::Error).cloned().collect()
    }

    fn outline(&self) -> Vec<Node> {
        let source = self.source();
        let places = outline_locations(&source, 0, outline_limit(self.text.len()));
        places.into_iter().map(|(place, parent)| Node { parent, ..self.node(place, None) }).collect()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        let source = self.source();
        let addresses = |ids: &[Id]| locations(&source, 0, ids).into_iter().map(|place| place.address).collect();
        let found = find_nodes(&source, query, addresses)?;
        let total = found.len() as u32;
        let ids = &found[..found.len().min(query.limit as usize)];
        let places = locations(&source, 0, ids);
        let nodes = ids.iter().filter_map(|id| {
            let place = places.binary_search_by_key(id, |place| place.id).ok()?;
            Some(self.node(
                places[place].clone(),
                if query.values { json_text_within(&source, *id, usize::MAX) } else { None },
            ))
        });
        Ok(FindResult::Nodes(Nodes { nodes: nodes.collect(), total }))
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        let source = self.source();
        if !source.table.is_value(node) {
            return Err(fail(FailureKind::InvalidArgument, format!("no node {node}")));
        }
        let key = source.table.key_of(&self.text, node).map_or("", |key| source.raw(key));
        let glue = if key.is_empty() { "" } else { ": " };
        Ok(match form {
            Form::Full => View::Span(source.span(node)),
            Form::Body => View::Span(source.body(node).unwrap_or(source.span(node))),
            Form::Signature => View::Text(format!("{key}{glue}{}", value_summary(&source, node))),
            Form::Summary => View::Text(format!("{key}{glue}{}", shape(&source, node))),
        })
    }

    fn stays_well_formed(&self, edits: &[Edit]) -> bool {
        self.parsed().1.is_empty() && partial_check::stays_well_formed(self.source(), self.dialect, edits)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        edit::edit(self, nodes, operation, options)
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        edit::insert_missing(self, target, content)
    }
}

impl Source<'_> {
    /// Returns the span of a value.
    pub(crate) fn span(self, id: Id) -> Span {
        Span::from(self.table.range(id))
    }

    pub(crate) fn is_object(self, id: Id) -> bool {
        self.table.is_value(id) && self.kind(id) == Kind::Object
    }

    /// Returns the span between the brackets of a container.
    pub(crate) fn body(self, id: Id) -> Option<Span> {
        let range = self.table.range(id);
        if self.is_json_lines(id) {
            return Some(Span::from(range));
        }
        let closing = match self.kind(id) {
            Kind::Object => '}',
            Kind::Array => ']',
            _ => return None,
        };
        let last = self.children_of(id).last().map_or(range.start + 1, |child| self.table.range(child.value).end);
        let closed = range.end > last && self.text[..range.end].ends_with(closing);
        Some(Span::new(range.start + 1, range.end - usize::from(closed)))
    }
}
