//! An open file. Finds, lists and shows its values.

use std::cell::OnceCell;

use marquetry_jsonpath::{
    Location, find_nodes, json_text_within, locations, outline_limit, outline_locations, shape, value_summary,
};
use marquetry_sdk::{
    Diagnostic, Document, Edit, EditOptions, FailureKind, FindResult, Form, Node, NodeId, Nodes, Operation, Query,
    Result, Span, Target, View, fail,
};

use crate::{
    edit, edit_ranges, parse,
    source::Source,
    table::{Id, Key, Table},
};

/// An open file.
#[derive(Debug)]
pub struct TomlDocument {
    path: String,
    text: String,
    parsed: OnceCell<(Table, Vec<Diagnostic>)>,
}

impl TomlDocument {
    pub(crate) fn new(path: &str, text: String) -> TomlDocument {
        TomlDocument { path: path.to_owned(), text, parsed: OnceCell::new() }
    }

    /// Returns the path of the file, as the host names it.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    fn parsed(&self) -> &(Table, Vec<Diagnostic>) {
        self.parsed.get_or_init(|| parse::parse(&self.text))
    }

    pub(crate) fn source(&self) -> Source<'_> {
        Source { text: &self.text, table: &self.parsed().0 }
    }

    /// Returns the first error.
    pub(crate) fn first_problem(&self) -> Option<&Diagnostic> {
        self.parsed().1.first()
    }

    fn node(&self, place: Location<'_, Key>, value: Option<String>) -> Node {
        let source = self.source();
        let span = source.span(place.id);
        Node {
            id: place.id,
            parent: None,
            kind: source.kind_of(place.id).display_name().to_owned(),
            name: place.name.into_owned(),
            address: place.address,
            span,
            selection: Span::at(span.range().start),
            body: source.body(place.id),
            doc: source.doc(place.id),
            level: None,
            value,
        }
    }

    fn check_id(&self, node: NodeId) -> Result<Id> {
        if node < self.source().table.len() {
            Ok(node)
        } else {
            Err(fail(FailureKind::InvalidArgument, format!("no node {node}")))
        }
    }
}

impl Document for TomlDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.parsed().1.clone()
    }

    fn outline(&self) -> Vec<Node> {
        let source = self.source();
        let places = outline_locations(&source, 0, outline_limit(self.text.len()));
        let parents: Vec<Option<u32>> = places.iter().map(|(_, parent)| *parent).collect();
        let nodes: Vec<Node> = places.into_iter().map(|(place, _)| self.node(place, None)).collect();
        sort_by_position(nodes, &parents)
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
            let value = if query.values { json_text_within(&source, *id, usize::MAX) } else { None };
            Some(self.node(places[place].clone(), value))
        });
        Ok(FindResult::Nodes(Nodes { nodes: nodes.collect(), total }))
    }

    fn view(&self, node: NodeId, form: Form) -> Result<View> {
        let (source, id) = (self.source(), self.check_id(node)?);
        let label = || {
            let own = source.table.own_section(id).filter(|own| *own > 0);
            let header = own.map(|own| &source.table.sections[own]);
            let key = source.table.key(id).map(|key| source.raw_key(key));
            match (header, key) {
                (Some(header), _) => format!("{} ", &source.text[header.start as usize..header.header_end as usize]),
                (None, Some(key)) => format!("{key} = "),
                (None, None) => String::new(),
            }
        };
        Ok(match form {
            Form::Full => View::Span(source.span(id)),
            Form::Body => View::Span(source.body(id).unwrap_or(source.span(id))),
            Form::Signature => View::Text(format!("{}{}", label(), value_summary(&source, id))),
            Form::Summary => View::Text(format!("{}{}", label(), shape(&source, id))),
        })
    }

    fn stays_well_formed(&self, edits: &[Edit]) -> bool {
        self.first_problem().is_none() && edit::stays_well_formed(self.source(), edits)
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        for node in nodes {
            self.check_id(*node)?;
        }
        edit::edit(self, nodes, operation, options)
    }

    fn edit_ranges(&self, nodes: &[NodeId], operation: &Operation) -> Vec<Span> {
        let nodes: Vec<Id> = nodes.iter().copied().filter(|node| self.check_id(*node).is_ok()).collect();
        edit_ranges::operation_ranges(self.source(), &nodes, operation)
    }

    fn insert_missing(&self, target: &Target, content: &str) -> Result<Vec<Edit>> {
        edit::insert_missing(self, target, content)
    }
}

/// Sorts nodes by position. If a part of a table is outside of the table's span, its parent is the nearest ancestor
/// whose span contains it.
fn sort_by_position(nodes: Vec<Node>, parents: &[Option<u32>]) -> Vec<Node> {
    let around = |index: usize| {
        let mut above = parents[index];
        while let Some(parent) = above.filter(|parent| !nodes[*parent as usize].span.contains(nodes[index].span)) {
            above = parents[parent as usize];
        }
        above
    };
    let parents: Vec<Option<u32>> = (0..nodes.len()).map(around).collect();
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|index| (nodes[*index].span.start, std::cmp::Reverse(nodes[*index].span.end)));
    let mut places = vec![0_u32; nodes.len()];
    order.iter().enumerate().for_each(|(place, index)| places[*index] = place as u32);
    let mut nodes: Vec<(usize, Node)> = nodes.into_iter().enumerate().collect();
    for (index, node) in &mut nodes {
        node.parent = parents[*index].map(|parent| places[parent as usize]);
    }
    nodes.sort_by_key(|(index, _)| places[*index]);
    nodes.into_iter().map(|(_, node)| node).collect()
}
