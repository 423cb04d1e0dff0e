//! Builds the table from the parser's events: assigns keys to tables and detects duplicate keys.
//!
//! Invalid values are reported and kept: a duplicate key becomes another member of the same name.

use std::borrow::Cow;

use marquetry_sdk::Span;
use toml_parser::{ErrorSink, Span as At, decoder::Encoding, parser::EventReceiver};

use crate::{
    names::{Names, Place},
    scalar,
    table::{Entry, Id, Key, Kind, NOWHERE, Node, Section, Table},
};

/// An error that the grammar does not detect.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Offset of the definition that it conflicts with.
    pub(crate) other: Option<usize>,
}

/// Up to this number, members are compared by name one by one.
const FEW: u32 = 8;
/// Maximum number of reported errors.
const MOST_FAULTS: usize = 200;

/// An open bracket.
#[derive(Debug)]
struct Frame {
    /// `None` if the value is not part of the tree.
    node: Option<Id>,
    is_array: bool,
    /// Number of complete values.
    complete: u32,
}

/// A header that is being parsed.
#[derive(Debug)]
struct Header {
    is_element: bool,
    start: usize,
}

#[derive(Debug)]
pub(crate) struct Builder<'t> {
    text: &'t str,
    /// Start of the part of the text that is being parsed; offsets are relative to it.
    pub(crate) offset: usize,
    pub(crate) table: Table,
    pub(crate) faults: Vec<Fault>,
    /// Whether values were added in tree order.
    pub(crate) is_ordered: bool,
    /// The last member of each name.
    names: Names,
    /// The table that receives keys outside of brackets.
    current: Id,
    /// Parsed keys that are not used yet.
    path: Vec<Key>,
    header: Option<Header>,
    frames: Vec<Frame>,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(text: &'t str) -> Builder<'t> {
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut table = Table::default();
        table.nodes.reserve(text.len() / 16);
        let end = text.len() as u32;
        table.nodes.push(Node { start, end, lead: start, ..node(Kind::Root, (NOWHERE, NOWHERE), 0) });
        table.sections.push(Section { start, head: start, end, node: 0, first: 0 });
        let names = Names::default();
        let current = 0;
        let (path, frames) = (Vec::new(), Vec::new());
        Builder {
            text,
            offset: 0,
            table,
            faults: Vec::new(),
            is_ordered: true,
            names,
            current,
            path,
            header: None,
            frames,
        }
    }

    /// Ends a part of the text and closes everything that is open.
    pub(crate) fn end_part(&mut self, end: usize) {
        while let Some(frame) = self.frames.pop() {
            if let Some(id) = frame.node {
                self.table.nodes[id as usize].end = end as u32;
                self.complete(id);
            }
        }
        self.end_line();
    }

    fn at(&self, span: At) -> (usize, usize) {
        (span.start() + self.offset, span.end() + self.offset)
    }

    fn name(&self, key: Key) -> Cow<'t, str> {
        scalar::key_name(&self.text[key.0 as usize..key.1 as usize])
    }

    fn fault(&mut self, (start, end): Key, message: String, other: Option<usize>) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Fault { span: Span { start, end }, message, other });
        }
    }

    /// Adds a value to a container.
    #[inline]
    fn push(&mut self, parent: Id, new: Node) -> Id {
        let id = self.table.len();
        self.is_ordered &= self.is_within(parent, id - 1);
        let container = &mut self.table.nodes[parent as usize];
        container.count += 1;
        // While parsing, `behind` is the last child.
        let before = std::mem::replace(&mut container.behind, id);
        self.table.nodes.push(Node { parent, before, ..new });
        id
    }

    /// Returns whether the container is the value or contains it. Stops early once values are out of order.
    fn is_within(&self, container: Id, value: Id) -> bool {
        let mut at = value;
        while self.is_ordered && at > container {
            at = self.table.node(at).parent;
        }
        at == container
    }

    /// Returns the last member of this name, and the slot of the name in a large table.
    fn member(&mut self, table: Id, name: &str) -> (Option<Place>, Option<Id>) {
        let (text, nodes) = (self.text, &self.table.nodes);
        let is = |id: Id| {
            let (start, end) = nodes[id as usize].key;
            scalar::key_name(&text[start as usize..end as usize]) == name
        };
        let container = self.table.node(table);
        if container.count > FEW {
            let (place, known) = self.names.find(table, name, |id| nodes[id as usize].parent == table && is(id));
            return (Some(place), known);
        }
        let mut at = container.behind;
        while at != 0 && !is(at) {
            at = nodes[at as usize].before;
        }
        (None, Some(at).filter(|at| *at != 0))
    }

    /// Adds a member to a table and makes it the current one of its name.
    #[inline]
    fn push_member(&mut self, parent: Id, place: Option<Place>, new: Node) -> Id {
        let id = self.push(parent, new);
        if let Some(place) = place {
            self.names.set(place, id);
        } else if self.table.node(parent).count > FEW {
            self.keep_names(id);
        }
        id
    }

    /// Indexes the names of a table that has become large.
    fn keep_names(&mut self, last: Id) {
        let mut members = vec![last];
        let mut before = self.table.node(last).before;
        while before != 0 {
            members.push(before);
            before = self.table.node(before).before;
        }
        for id in members.into_iter().rev() {
            let Node { parent, key, .. } = *self.table.node(id);
            if let (Some(place), _) = self.member(parent, &self.name(key)) {
                self.names.set(place, id);
            }
        }
    }

    /// Returns the table of a part of a dotted key, creating it if necessary.
    fn through(&mut self, table: Id, key: Key) -> Id {
        let name = self.name(key);
        let (place, known) = self.member(table, &name);
        let Some(known) = known else {
            return self.push_member(table, place, node(Kind::Dotted, key, key.0));
        };
        let found = *self.table.node(known);
        match found.kind {
            Kind::Dotted => return known,
            Kind::Implied => {
                self.table.nodes[known as usize].extended = true;
                return known;
            }
            _ => {}
        }
        let message = match found.kind {
            Kind::Headed => format!("the table `{name}` has its own header: a dotted key cannot extend it"),
            kind => cannot_hold(&name, kind),
        };
        self.fault(key, message, Some(found.key.0 as usize));
        self.push_member(table, place, node(Kind::Dotted, key, key.0))
    }

    /// Returns the table of a part of a header that is not the last, creating it if necessary.
    fn under(&mut self, table: Id, key: Key) -> Id {
        let name = self.name(key);
        let (place, known) = self.member(table, &name);
        let Some(known) = known else {
            return self.push_member(table, place, node(Kind::Implied, key, key.0));
        };
        let found = *self.table.node(known);
        match found.kind {
            Kind::Headed | Kind::Implied | Kind::Dotted => known,
            // The last element.
            Kind::Tables if found.count > 0 => found.behind,
            kind => {
                self.fault(key, cannot_hold(&name, kind), Some(found.key.0 as usize));
                self.push_member(table, place, node(Kind::Implied, key, key.0))
            }
        }
    }

    /// Completes a header: its table receives the following keys.
    fn open_section(&mut self, header: &Header, head: usize) {
        let mut path = std::mem::take(&mut self.path);
        let Some((last, above)) = path.split_last() else { return };
        let (last, parent) = (*last, above.iter().fold(0, |table, key| self.under(table, *key)));
        path.clear();
        self.path = path;
        let name = self.name(last);
        let (place, known) = self.member(parent, &name);
        let found = known.map(|id| (id, *self.table.node(id)));
        self.current = match (header.is_element, found) {
            (true, Some((array, Node { kind: Kind::Tables, .. }))) => self.push_element(array, header),
            (true, found) => {
                if let Some((_, found)) = found {
                    self.fault(last, taken(&name, found.kind), Some(found.key.0 as usize));
                }
                let array = self.push_member(parent, place, node(Kind::Tables, last, last.0));
                self.push_element(array, header)
            }
            (false, Some((table, Node { kind: Kind::Implied, extended: false, .. }))) => {
                self.table.nodes[table as usize].kind = Kind::Headed;
                table
            }
            (false, found) => {
                if let Some((_, found)) = found {
                    self.fault(last, taken(&name, found.kind), Some(found.key.0 as usize));
                }
                self.push_member(parent, place, node(Kind::Headed, last, last.0))
            }
        };
        let first = self.table.entries.len() as u32;
        let (start, head) = (header.start as u32, head as u32);
        self.table.sections.push(Section { start, head, end: head, node: self.current, first });
    }

    fn push_element(&mut self, array: Id, header: &Header) -> Id {
        self.push(array, node(Kind::Element, (NOWHERE, NOWHERE), header.start as u32))
    }

    /// Starts a value, for the parsed keys or as an element.
    fn add(&mut self, kind: Kind, start: usize, end: usize) -> Option<Id> {
        let (container, is_array) = match self.frames.last() {
            Some(frame) => (frame.node, frame.is_array),
            None => (Some(self.current), false),
        };
        let (start, end) = (start as u32, end as u32);
        if is_array || container.is_none() {
            self.path.clear();
            let new = Node { start, end, ..node(kind, (NOWHERE, NOWHERE), start) };
            return container.map(|container| self.push(container, new));
        }
        let (container, path) = (container?, std::mem::take(&mut self.path));
        let (last, above) = path.split_last()?;
        let parent = above.iter().fold(container, |table, key| self.through(table, *key));
        let name = self.name(*last);
        let (place, known) = self.member(parent, &name);
        if let Some(known) = known {
            let found = *self.table.node(known);
            self.fault(*last, taken(&name, found.kind), Some(found.key.0 as usize));
        }
        let id = self.push_member(parent, place, Node { start, end, ..node(kind, *last, path[0].0) });
        self.path = path;
        self.path.clear();
        Some(id)
    }

    /// Ends a value.
    fn complete(&mut self, id: Id) {
        let Node { lead, end, .. } = *self.table.node(id);
        let run = match self.frames.last_mut() {
            Some(frame) if frame.is_array => return,
            Some(frame) => {
                frame.complete += 1;
                frame.complete
            }
            None => {
                self.table.entries.push(Entry { start: lead, end, node: id });
                self.table.entries.len() as u32
            }
        };
        // Extends the tables named by its dotted key, if their parts are adjacent.
        let mut above = self.table.node(id).parent;
        while self.table.kind(above) == Kind::Dotted {
            let table = &mut self.table.nodes[above as usize];
            if table.start == NOWHERE {
                (table.lead, table.start, table.end, table.run) = (lead, lead, end, run);
            } else if table.run + 1 == run {
                (table.end, table.run) = (end, run);
            }
            above = table.parent;
        }
    }

    /// Adds a key, or a part of one, for the header or value that follows.
    pub(crate) fn key(&mut self, key: Key) {
        self.path.push(key);
    }

    pub(crate) fn scalar(&mut self, kind: Kind, start: usize, end: usize) {
        if let Some(id) = self.add(kind, start, end) {
            self.complete(id);
        }
    }

    pub(crate) fn open(&mut self, kind: Kind, start: usize, end: usize) {
        let node = self.add(kind, start, end);
        self.frames.push(Frame { node, is_array: kind == Kind::Array, complete: 0 });
    }

    pub(crate) fn close(&mut self, end: usize) {
        self.path.clear();
        let Some(Frame { node: Some(id), .. }) = self.frames.pop() else { return };
        let node = &mut self.table.nodes[id as usize];
        node.end = node.end.max(end as u32);
        self.complete(id);
    }

    /// Returns the number of open brackets.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Returns the byte that closes the innermost bracket.
    pub(crate) fn closing(&self) -> Option<u8> {
        self.frames.last().map(|frame| if frame.is_array { b']' } else { b'}' })
    }

    /// Ends a line and discards its incomplete parts. A header without its closing bracket still counts.
    fn end_line(&mut self) {
        if let (Some(header), Some(last)) = (self.header.take(), self.path.last()) {
            let head = last.1 as usize;
            self.open_section(&header, head);
        }
        if self.frames.is_empty() {
            self.path.clear();
        }
    }

    pub(crate) fn begin_header(&mut self, start: usize, is_element: bool) {
        self.end_line();
        self.path.clear();
        self.header = Some(Header { is_element, start });
    }

    pub(crate) fn end_header(&mut self, head: usize) {
        if let Some(header) = self.header.take() {
            self.open_section(&header, head);
        }
    }
}

#[inline]
fn node(kind: Kind, key: Key, lead: u32) -> Node {
    Node {
        kind,
        key,
        lead,
        start: NOWHERE,
        end: NOWHERE,
        parent: 0,
        behind: 0,
        before: 0,
        count: 0,
        run: 0,
        extended: false,
    }
}

fn taken(name: &str, kind: Kind) -> String {
    format!("the key `{name}` is already defined as {}", with_article(kind))
}

fn cannot_hold(name: &str, kind: Kind) -> String {
    match kind {
        Kind::Inline => format!("the inline table `{name}` cannot be extended outside its braces"),
        Kind::Array => format!("the array `{name}` cannot be extended outside its brackets"),
        Kind::Tables => format!("`{name}` is an array of tables: a dotted key cannot extend it"),
        kind => format!("`{name}` is {}, which has no keys", with_article(kind)),
    }
}

fn with_article(kind: Kind) -> String {
    let word = kind.word();
    match word {
        "nothing" => "a key without a value".to_owned(),
        "array" | "integer" => format!("an {word}"),
        _ => format!("a {word}"),
    }
}

impl EventReceiver for Builder<'_> {
    fn std_table_open(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.begin_header(self.at(span).0, false);
    }

    fn std_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.end_header(self.at(span).1);
    }

    fn array_table_open(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.begin_header(self.at(span).0, true);
    }

    fn array_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.end_header(self.at(span).1);
    }

    fn inline_table_open(&mut self, span: At, _error: &mut dyn ErrorSink) -> bool {
        let (start, end) = self.at(span);
        self.open(Kind::Inline, start, end);
        true
    }

    fn inline_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.close(self.at(span).1);
    }

    fn array_open(&mut self, span: At, _error: &mut dyn ErrorSink) -> bool {
        let (start, end) = self.at(span);
        self.open(Kind::Array, start, end);
        true
    }

    fn array_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.close(self.at(span).1);
    }

    fn simple_key(&mut self, span: At, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        let (start, end) = self.at(span);
        scalar::check_key(&self.text[start..end], encoding, span, error);
        self.key((start as u32, end as u32));
    }

    fn scalar(&mut self, span: At, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        let (start, end) = self.at(span);
        let kind = scalar::check(&self.text[start..end], encoding, span, error);
        Builder::scalar(self, kind, start, end);
    }

    fn value_sep(&mut self, _span: At, _error: &mut dyn ErrorSink) {
        self.path.clear();
    }

    fn newline(&mut self, _span: At, _error: &mut dyn ErrorSink) {
        if self.frames.is_empty() {
            self.end_line();
        }
    }
}
