//! One open document: finding, listing and showing its values.

use std::cell::OnceCell;

use marquetry_jsonpath::{Kind, Query as Path, Tree, brief, json, near, shape};
use marquetry_sdk::{
    Document, Edit, EditOptions, Failure, FailureKind, Form, Found, Node, NodeId, Nodes, Operation, Problem,
    Query, Result, Severity, Span, TargetKind, View, fail,
};

use crate::{
    address::{Place, places, repeated_names},
    comments, edit,
    rules::Rules,
    scan,
    source::Source,
    table::{Id, Table},
};

/// Problems about repeated keys, at most.
const MOST_REPEATED: usize = 100;
/// Addresses in an outline are no longer than this.
const LONGEST_ADDRESS: usize = 2000;

/// An open document.
#[derive(Debug)]
pub struct JsonDocument {
    text: String,
    rules: Rules,
    parsed: OnceCell<(Table, Vec<Problem>)>,
}

impl JsonDocument {
    pub(crate) fn new(text: String, rules: Rules) -> JsonDocument {
        JsonDocument { text, rules, parsed: OnceCell::new() }
    }

    fn parsed(&self) -> &(Table, Vec<Problem>) {
        self.parsed.get_or_init(|| scan::scan(&self.text, self.rules))
    }

    pub(crate) fn source(&self) -> Source<'_> {
        Source { text: &self.text, table: &self.parsed().0 }
    }

    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    /// The values that a JSONPath names.
    pub(crate) fn select(&self, path: &str) -> Result<Vec<Id>> {
        let query = parse(path)?;
        let found = query.select(&self.source()).map_err(|_| {
            fail(FailureKind::LimitExceeded, format!("`{path}` looks at more values than one query may"))
                .hint("ask for a narrower path, with fewer `..` and `*`")
        })?;
        if found.is_empty() { Err(self.not_found(path, &query)) } else { Ok(found) }
    }

    fn not_found(&self, path: &str, query: &Path) -> Failure {
        let source = self.source();
        let offered = near(&source, query);
        let known: Vec<String> = places(source, &offered).into_iter().map(|place| place.address).collect();
        let mut failure = Failure::not_found("value at", path, known.iter().map(String::as_str));
        if failure.candidates.is_empty() {
            failure.candidates = known.into_iter().take(marquetry_sdk::failure::MOST_CANDIDATES).collect();
        }
        failure
    }

    fn node(&self, place: Place<'_>, value: Option<String>) -> Node {
        let source = self.source();
        let span = source.span(place.id);
        let start = place.key.map_or(span.range().start, |key| source.table.range(key).start);
        let name = if place.parent.is_none() { "$".to_owned() } else { place.name.into_owned() };
        Node {
            id: place.id,
            parent: None,
            kind: source.kind(place.id).name().to_owned(),
            name,
            address: place.address,
            span,
            selection: Span::at(span.range().start),
            body: source.body(place.id),
            doc: comments::attached(&self.text, place.gap..start.max(place.gap)),
            level: None,
            value,
        }
    }
}

fn parse(path: &str) -> Result<Path> {
    Path::parse(path).map_err(|invalid| {
        let failure = fail(FailureKind::InvalidTarget, format!("`{path}` is no JSONPath: {invalid}"));
        let guesses = [format!("${path}"), format!("$.{path}"), path.trim().to_owned()];
        failure
            .hint("write `$.key.other[0]`, `$['odd key']`, `$.list[?@.name == 'x']` or `$..key` (RFC 9535)")
            .candidates(guesses.into_iter().find(|guess| Path::parse(guess).is_ok()))
    })
}

impl Document for JsonDocument {
    fn text(&self) -> &str {
        &self.text
    }

    fn problems(&self) -> Vec<Problem> {
        let source = self.source();
        let mut problems = self.parsed().1.clone();
        let objects = (0..source.table.next_id()).filter(|id| source.is_object(*id));
        let repeated = objects.flat_map(|object| {
            let names = repeated_names(source, object);
            let last = |index: usize| names.get(index + 1).is_none_or(|next| next.0 != names[index].0);
            let early: Vec<usize> =
                (0..names.len()).filter(|index| !last(*index)).map(|index| names[index].1).collect();
            early.into_iter().filter_map(move |index| source.children_of(object).nth(index)?.key)
        });
        problems.extend(repeated.take(MOST_REPEATED).map(|key| Problem {
            severity: Severity::Warning,
            span: Span::from(source.table.range(key)),
            message: format!(
                "the key `{}` comes again in the same object, and only the last counts",
                source.name(key)
            ),
            code: None,
        }));
        problems.sort_by_key(|problem| problem.span.start);
        problems
    }

    fn outline(&self) -> Vec<Node> {
        let source = self.source();
        let ids = source.top_levels(1000 + self.text.len() / 64);
        let places = places(source, &ids).into_iter().filter(|place| place.address.len() <= LONGEST_ADDRESS);
        let mut known: Vec<Id> = Vec::with_capacity(ids.len());
        let mut nodes = Vec::with_capacity(ids.len());
        for place in places {
            let parent = place.parent.map(|(parent, _)| known.binary_search(&parent));
            let Some(parent) = parent.map_or(Some(None), |found| found.ok().map(Some)) else { continue };
            known.push(place.id);
            nodes.push(Node { parent: parent.map(|index| index as u32), ..self.node(place, None) });
        }
        nodes
    }

    fn find(&self, query: &Query) -> Result<Found> {
        if query.target.kind != TargetKind::Path {
            return Err(fail(FailureKind::Unsupported, "JSON is addressed by `path`, a JSONPath")
                .hint("write `$.key.other[0]`, or give `lines`"));
        }
        let found = self.select(&query.target.value)?;
        let total = found.len() as u32;
        let ids = &found[..found.len().min(query.limit as usize)];
        let source = self.source();
        let places = places(source, ids);
        let nodes = ids.iter().filter_map(|id| {
            let place = places.binary_search_by_key(id, |place| place.id).ok()?;
            Some(self.node(places[place].clone(), query.values.then(|| json(&source, *id))))
        });
        Ok(Found::Nodes(Nodes { nodes: nodes.collect(), total }))
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
            Form::Signature => View::Text(format!("{key}{glue}{}", brief(&source, node))),
            Form::Summary => View::Text(format!("{key}{glue}{}", shape(&source, node))),
        })
    }

    fn edit(&self, nodes: &[NodeId], operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
        edit::edit(self, nodes, operation, options)
    }
}

impl Source<'_> {
    /// The place of a value.
    pub(crate) fn span(self, id: Id) -> Span {
        Span::from(self.table.range(id))
    }

    pub(crate) fn is_object(self, id: Id) -> bool {
        self.table.is_value(id) && self.kind(id) == Kind::Object
    }

    /// What is between the brackets of a container.
    pub(crate) fn body(self, id: Id) -> Option<Span> {
        let range = self.table.range(id);
        if self.is_lines(id) {
            return Some(Span::from(range));
        }
        let closing = match self.kind(id) {
            Kind::Object => '}',
            Kind::Array => ']',
            _ => return None,
        };
        let last =
            self.children_of(id).last().map_or(range.start + 1, |child| self.table.range(child.value).end);
        let closed = range.end > last && self.text[..range.end].ends_with(closing);
        Some(Span::new(range.start + 1, range.end - usize::from(closed)))
    }

    /// The values of as many of the upper levels as make no more than `most`, in the order of the document.
    pub(crate) fn top_levels(self, most: usize) -> Vec<Id> {
        let mut level: Vec<Id> = vec![0];
        let mut all = level.clone();
        while !level.is_empty() {
            let next: Vec<Id> = level.iter().flat_map(|id| self.children(*id)).take(most + 1).collect();
            if all.len() + next.len() > most {
                // What is directly below the root is listed in part rather than not at all.
                all.extend_from_slice(if level == [0] { &next[..most.min(next.len())] } else { &[] });
                break;
            }
            all.extend_from_slice(&next);
            level = next;
        }
        all.sort_unstable();
        all
    }
}
