//! From the events of the parser to the table: which table a key goes into, and which keys are there twice.
//!
//! Whatever is wrong is a problem and still a value: a key that is there already becomes a second member of its name.

use std::borrow::Cow;

use marquetry_sdk::Span;
use rustc_hash::FxHashMap;
use toml_parser::{ErrorSink, Span as At, decoder::Encoding, parser::EventReceiver};

use crate::{
    scalar,
    table::{Entry, Id, Key, Kind, NOWHERE, Node, Section, Table},
};

/// Something that the grammar allows and TOML does not.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Where what it collides with stands.
    pub(crate) other: Option<usize>,
}

/// Faults are told up to this number.
const MOST_FAULTS: usize = 200;

/// An open bracket.
#[derive(Debug)]
struct Frame {
    /// Nothing where the value has no place in the tree.
    node: Option<Id>,
    is_array: bool,
    /// Values that are complete.
    complete: u32,
}

/// A header that is being read.
#[derive(Debug)]
struct Header {
    is_element: bool,
    start: usize,
}

#[derive(Debug)]
pub(crate) struct Builder<'t> {
    text: &'t str,
    /// Where the part of the text begins that the parser reads: its places count from there.
    pub(crate) offset: usize,
    pub(crate) table: Table,
    pub(crate) faults: Vec<Fault>,
    /// The last member of each name.
    names: FxHashMap<(Id, Cow<'t, str>), Id>,
    /// The table that keys go into, outside of brackets.
    current: Id,
    /// The keys that were read and not used yet.
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
        let mut names = FxHashMap::default();
        names.reserve(text.len() / 48);
        let current = 0;
        let (path, frames) = (Vec::new(), Vec::new());
        Builder { text, offset: 0, table, faults: Vec::new(), names, current, path, header: None, frames }
    }

    /// The part of the text is read: what is open ends here.
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

    /// A new value in a container.
    fn push(&mut self, parent: Id, new: Node) -> Id {
        let id = self.table.len();
        self.table.nodes.push(Node { parent, ..new });
        let container = &mut self.table.nodes[parent as usize];
        container.count += 1;
        // Until all is there: its last child.
        container.behind = id;
        id
    }

    /// A new member of a table: from now on the one of its name.
    fn push_member(&mut self, parent: Id, name: Cow<'t, str>, new: Node) -> Id {
        let id = self.push(parent, new);
        self.names.insert((parent, name), id);
        id
    }

    /// The table that a part of a dotted key leads to.
    fn through(&mut self, table: Id, key: Key) -> Id {
        let name = self.name(key);
        let Some(&known) = self.names.get(&(table, Cow::Borrowed(&*name))) else {
            return self.push_member(table, name, node(Kind::Dotted, key, key.0));
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
            Kind::Headed => format!("the table `{name}` has a header of its own: a dotted key cannot add to it"),
            kind => cannot_hold(&name, kind),
        };
        self.fault(key, message, Some(found.key.0 as usize));
        self.push_member(table, name, node(Kind::Dotted, key, key.0))
    }

    /// The table that a part of a header, not its last, leads to.
    fn under(&mut self, table: Id, key: Key) -> Id {
        let name = self.name(key);
        let Some(&known) = self.names.get(&(table, Cow::Borrowed(&*name))) else {
            return self.push_member(table, name, node(Kind::Implied, key, key.0));
        };
        let found = *self.table.node(known);
        match found.kind {
            Kind::Headed | Kind::Implied | Kind::Dotted => known,
            // Its last element.
            Kind::Tables if found.count > 0 => found.behind,
            kind => {
                self.fault(key, cannot_hold(&name, kind), Some(found.key.0 as usize));
                self.push_member(table, name, node(Kind::Implied, key, key.0))
            }
        }
    }

    /// A header is complete: what follows goes into its table.
    fn open_section(&mut self, header: &Header, head: usize) {
        let path = std::mem::take(&mut self.path);
        let Some((last, above)) = path.split_last() else { return };
        let parent = above.iter().fold(0, |table, key| self.under(table, *key));
        let name = self.name(*last);
        let known = self.names.get(&(parent, Cow::Borrowed(&*name))).copied();
        let found = known.map(|id| (id, *self.table.node(id)));
        self.current = match (header.is_element, found) {
            (true, Some((array, Node { kind: Kind::Tables, .. }))) => self.push_element(array, header),
            (true, found) => {
                if let Some((_, found)) = found {
                    self.fault(*last, taken(&name, found.kind), Some(found.key.0 as usize));
                }
                let array = self.push_member(parent, name, node(Kind::Tables, *last, last.0));
                self.push_element(array, header)
            }
            (false, Some((table, Node { kind: Kind::Implied, extended: false, .. }))) => {
                self.table.nodes[table as usize].kind = Kind::Headed;
                table
            }
            (false, found) => {
                if let Some((_, found)) = found {
                    self.fault(*last, taken(&name, found.kind), Some(found.key.0 as usize));
                }
                self.push_member(parent, name, node(Kind::Headed, *last, last.0))
            }
        };
        let first = self.table.entries.len() as u32;
        let (start, head) = (header.start as u32, head as u32);
        self.table.sections.push(Section { start, head, end: head, node: self.current, first });
    }

    fn push_element(&mut self, array: Id, header: &Header) -> Id {
        self.push(array, node(Kind::Element, (NOWHERE, NOWHERE), header.start as u32))
    }

    /// A value begins: under the keys that were read, or as an element.
    fn add(&mut self, kind: Kind, start: usize, end: usize) -> Option<Id> {
        let path = std::mem::take(&mut self.path);
        let (container, is_array) = match self.frames.last() {
            Some(frame) => (frame.node?, frame.is_array),
            None => (self.current, false),
        };
        let (start, end) = (start as u32, end as u32);
        if is_array {
            return Some(self.push(container, Node { start, end, ..node(kind, (NOWHERE, NOWHERE), start) }));
        }
        let (last, above) = path.split_last()?;
        let parent = above.iter().fold(container, |table, key| self.through(table, *key));
        let name = self.name(*last);
        if let Some(&known) = self.names.get(&(parent, Cow::Borrowed(&*name))) {
            let found = *self.table.node(known);
            self.fault(*last, taken(&name, found.kind), Some(found.key.0 as usize));
        }
        let id = self.push_member(parent, name, Node { start, end, ..node(kind, *last, path[0].0) });
        self.path = path;
        self.path.clear();
        Some(id)
    }

    /// A value ends.
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
        // The tables that its dotted key names reach to here, if their parts are neighbours.
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

    fn open(&mut self, kind: Kind, span: At) {
        let (start, end) = self.at(span);
        let node = self.add(kind, start, end);
        self.frames.push(Frame { node, is_array: kind == Kind::Array, complete: 0 });
    }

    fn close(&mut self, span: At) {
        self.path.clear();
        let (_, end) = self.at(span);
        let Some(Frame { node: Some(id), .. }) = self.frames.pop() else { return };
        let node = &mut self.table.nodes[id as usize];
        node.end = node.end.max(end as u32);
        self.complete(id);
    }

    /// What a line left open is given up: a header without its bracket is one all the same.
    fn end_line(&mut self) {
        if let (Some(header), Some(last)) = (self.header.take(), self.path.last()) {
            let head = last.1 as usize;
            self.open_section(&header, head);
        }
        if self.frames.is_empty() {
            self.path.clear();
        }
    }

    fn begin_header(&mut self, span: At, is_element: bool) {
        self.end_line();
        let (start, _) = self.at(span);
        self.path.clear();
        self.header = Some(Header { is_element, start });
    }

    fn end_header(&mut self, span: At) {
        let (_, head) = self.at(span);
        if let Some(header) = self.header.take() {
            self.open_section(&header, head);
        }
    }
}

fn node(kind: Kind, key: Key, lead: u32) -> Node {
    Node { kind, key, lead, start: NOWHERE, end: NOWHERE, parent: 0, behind: 0, count: 0, run: 0, extended: false }
}

fn taken(name: &str, kind: Kind) -> String {
    format!("the key `{name}` is there already: {}", with_article(kind))
}

fn cannot_hold(name: &str, kind: Kind) -> String {
    match kind {
        Kind::Inline => format!("the table `{name}` is complete with its braces: nothing outside of them adds to it"),
        Kind::Array => format!("the array `{name}` is complete with its brackets: nothing outside of them adds to it"),
        Kind::Tables => format!("`{name}` is an array of tables: a dotted key cannot add to it"),
        kind => format!("`{name}` is {}, and has no keys", with_article(kind)),
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
        self.begin_header(span, false);
    }

    fn std_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.end_header(span);
    }

    fn array_table_open(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.begin_header(span, true);
    }

    fn array_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.end_header(span);
    }

    fn inline_table_open(&mut self, span: At, _error: &mut dyn ErrorSink) -> bool {
        self.open(Kind::Inline, span);
        true
    }

    fn inline_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.close(span);
    }

    fn array_open(&mut self, span: At, _error: &mut dyn ErrorSink) -> bool {
        self.open(Kind::Array, span);
        true
    }

    fn array_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.close(span);
    }

    fn simple_key(&mut self, span: At, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        let (start, end) = self.at(span);
        scalar::check_key(&self.text[start..end], encoding, span, error);
        self.path.push((start as u32, end as u32));
    }

    fn scalar(&mut self, span: At, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        let (start, end) = self.at(span);
        let kind = scalar::check(&self.text[start..end], encoding, span, error);
        if let Some(id) = self.add(kind, start, end) {
            self.complete(id);
        }
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
