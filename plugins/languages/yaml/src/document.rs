//! An open file. Finds, lists and shows its values.

use std::cell::{OnceCell, RefCell};

use marquetry_jsonpath::{
    Location, Tree, find_nodes, json_text_within, locations, outline_limit, outline_locations, overridden_keys, shape,
    value_summary,
};
use marquetry_sdk::{
    Diagnostic, Document, Edit, EditOptions, FailureKind, FindResult, Form, Node, NodeId, Nodes, Operation, Query,
    Result, Severity, Span, Target, View, fail,
};

use crate::{
    edit, parse,
    source::{NodeRef, Source},
    table::{Id, Kind, Table},
};

/// First id of nodes that were reached through an alias.
const FIRST_ALIASED_ID: NodeId = 0x4000_0000;
/// Maximum number of nodes that were reached through an alias.
const MAX_ALIASED_NODES: usize = 100_000;
/// Maximum number of warnings about repeated keys.
const MAX_DUPLICATE_KEYS: usize = 100;
/// Maximum length of a value in JSON, as a multiple of the file's length. A value with aliases can be much longer than
/// the file.
const MAX_VALUE_RATIO: usize = 8;

/// An open file.
#[derive(Debug)]
pub struct YamlDocument {
    path: String,
    text: String,
    parsed: OnceCell<(Table, Vec<Diagnostic>)>,
    aliased_nodes: RefCell<Vec<NodeRef>>,
    /// The keys of the values found last, sorted by id.
    keys: RefCell<Vec<(Id, Option<Id>)>>,
}

impl YamlDocument {
    pub(crate) fn new(path: &str, text: String) -> YamlDocument {
        let path = path.to_owned();
        YamlDocument {
            path,
            text,
            parsed: OnceCell::new(),
            aliased_nodes: RefCell::default(),
            keys: RefCell::default(),
        }
    }

    fn parsed(&self) -> &(Table, Vec<Diagnostic>) {
        self.parsed.get_or_init(|| parse::parse(&self.text))
    }

    /// Returns whether the document has no syntax errors.
    pub(crate) fn has_no_errors(&self) -> bool {
        self.parsed().1.is_empty()
    }

    /// Returns the path of the file, relative to the workspace root.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) fn source(&self) -> Source<'_> {
        Source { text: &self.text, table: &self.parsed().0 }
    }

    /// Returns the id under which the host refers to a node.
    fn node_id(&self, node: NodeRef) -> NodeId {
        if node.via_alias == 0 {
            return node.id;
        }
        let mut reached = self.aliased_nodes.borrow_mut();
        if reached.len() >= MAX_ALIASED_NODES {
            reached.clear();
        }
        reached.push(node);
        FIRST_ALIASED_ID + reached.len() as NodeId - 1
    }

    /// Returns the node that the host refers to by an id.
    pub(crate) fn resolve_node_id(&self, number: NodeId) -> Result<NodeRef> {
        let found = match number.checked_sub(FIRST_ALIASED_ID) {
            None => Some(NodeRef { id: number, via_alias: 0 }),
            Some(index) => self.aliased_nodes.borrow().get(index as usize).copied(),
        };
        let known = found.filter(|node| self.source().is_node(node.id));
        known.ok_or_else(|| fail(FailureKind::InvalidArgument, format!("no node {number}")))
    }

    fn node(&self, node: NodeRef, place: &Location<'_, Id>, value: Option<String>) -> Node {
        let source = self.source();
        let span = source.shown_span(node.id);
        Node {
            id: self.node_id(node),
            parent: None,
            kind: source.kind(node).name().to_owned(),
            name: place.name.clone().into_owned(),
            address: place.address.clone(),
            span,
            selection: Span::at(span.range().start),
            body: source.body(node.id),
            doc: source.doc(place),
            level: None,
            value,
        }
    }

    /// Returns the key of a value.
    fn key(&self, id: Id) -> Option<Id> {
        let keys = self.keys.borrow();
        if let Ok(index) = keys.binary_search_by_key(&id, |(id, _)| *id) {
            return keys[index].1;
        }
        let source = self.source();
        locations(&source, source.root_id(), &[id]).pop()?.key
    }

    fn value(&self, node: NodeRef) -> Result<String> {
        json_text_within(&self.source(), node, MAX_VALUE_RATIO * self.text.len() + 10_000).ok_or_else(|| {
            fail(FailureKind::LimitExceeded, "with its aliases resolved, the value is too large or too deep")
                .hint("ask for a smaller part, or without `values`")
        })
    }
}

impl Document for YamlDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let source = self.source();
        let mut problems = self.parsed().1.clone();
        let mappings = (0..source.table.len()).filter(|id| source.kind_of(*id).is_mapping());
        let repeated = mappings.flat_map(|mapping| overridden_keys(&source, mapping));
        problems.extend(repeated.take(MAX_DUPLICATE_KEYS).map(|key| Diagnostic {
            severity: Severity::Warning,
            span: source.span(key),
            message: format!("duplicate key `{}` in this mapping: only the last one counts", source.key_name(key)),
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
        let places = outline_locations(&source, source.root_id(), outline_limit(self.text.len()));
        let node = |(place, parent): (Location<'_, Id>, Option<u32>)| Node {
            parent,
            ..self.node(NodeRef { id: place.id, via_alias: 0 }, &place, None)
        };
        places.into_iter().map(node).collect()
    }

    fn find(&self, query: &Query) -> Result<FindResult> {
        let source = self.source();
        let numbers = |nodes: &[NodeRef]| nodes.iter().map(|node| node.id).collect::<Vec<Id>>();
        let places = |nodes: &[NodeRef]| locations(&source, source.root_id(), &numbers(nodes));
        let addresses = |nodes: &[NodeRef]| places(nodes).into_iter().map(|place| place.address).collect();
        let found = find_nodes(&source, query, addresses)?;
        let total = found.len() as u32;
        let wanted = &found[..found.len().min(query.limit as usize)];
        let places = places(wanted);
        *self.keys.borrow_mut() = places.iter().map(|place| (place.id, place.key)).collect();
        let mut nodes = Vec::with_capacity(wanted.len());
        for node in wanted {
            let value = if query.values { Some(self.value(*node)?) } else { None };
            let place = places.binary_search_by_key(&node.id, |place| place.id);
            nodes.extend(place.ok().map(|index| self.node(*node, &places[index], value)));
        }
        Ok(FindResult::Nodes(Nodes { nodes, total }))
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        let source = self.source();
        let node = self.resolve_node_id(node)?;
        let label = || {
            let key = self.key(node.id).map_or("", |key| source.raw(key));
            let alias = if source.kind_of(node.id) == Kind::Alias { source.raw(node.id) } else { "" };
            let part = |text: &str, glue: &str| if text.is_empty() { String::new() } else { format!("{text}{glue}") };
            format!("{}{}", part(key, ": "), part(alias, " "))
        };
        Ok(match form {
            Form::Full => View::Span(source.shown_span(node.id)),
            Form::Body => View::Span(source.body(node.id).unwrap_or(source.shown_span(node.id))),
            Form::Signature => View::Text(format!("{}{}", label(), value_summary(&source, node))),
            Form::Summary => View::Text(format!("{}{}", label(), shape(&source, node))),
        })
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        edit::edit(self, nodes, operation, options)
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        edit::insert_missing(self, target, content)
    }
}

impl Source<'_> {
    /// Returns the range that `replace_body` replaces. It is the text inside the brackets, or all entries of a block
    /// collection.
    pub(crate) fn body(self, id: Id) -> Option<Span> {
        match self.kind_of(id) {
            Kind::BlockMapping | Kind::BlockSequence | Kind::Pair => {
                Some(self.with_kept_lines(Span::from(self.table.range(id)), id))
            }
            _ => self.bracket_body(id),
        }
    }

    /// Returns the comment that belongs to a value, which is above its key or dash.
    pub(crate) fn doc(self, place: &Location<'_, Id>) -> Option<Span> {
        let (parent, _) = place.parent?;
        let start = self.entry_start(parent, place.previous, place.key, place.id);
        self.doc_of_entry(parent, place.previous, start)
    }
}
