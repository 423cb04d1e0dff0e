//! Builds the table from the parser's events: assigns keys to tables and detects duplicate keys.
//!
//! Errors are reported, but the values are kept. For example, a duplicate key becomes another member of the same name.

use std::borrow::Cow;

use marquetry_sdk::Span;
use toml_parser::{ErrorSink, Span as At, decoder::Encoding, parser::EventReceiver};

use crate::{
    name_table::{NameSlot, NameTable},
    scalar,
    table::{Entry, Id, Key, Kind, NO_OFFSET, Node, Section, Table},
};

/// An error that the grammar does not detect.
#[derive(Debug)]
pub(crate) struct SemanticError {
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Offset of the definition with which the erroneous one conflicts.
    pub(crate) conflict_offset: Option<usize>,
}

/// Maximum number of members for which names are compared one by one. Larger tables use a hash table.
const MAX_LINEAR_SCAN: u32 = 8;
/// Maximum number of reported errors.
const MAX_SEMANTIC_ERRORS: usize = 200;

/// An open bracket.
#[derive(Debug)]
struct OpenBracket {
    /// The value; `None` if it is not part of the tree.
    node: Option<Id>,
    is_array: bool,
    /// Number of values in the brackets that are complete.
    complete_values: u32,
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
    /// Start of the part of the text that is being parsed. The parser's offsets are relative to it.
    pub(crate) offset: usize,
    pub(crate) table: Table,
    pub(crate) semantic_errors: Vec<SemanticError>,
    /// True if all values that were added are in tree order.
    pub(crate) is_ordered: bool,
    /// The last member of each name, in each large table.
    names: NameTable,
    /// The table that receives keys outside of brackets.
    current: Id,
    /// Keys that were parsed, and that belong to the header or value that follows.
    pending_keys: Vec<Key>,
    header: Option<Header>,
    open_brackets: Vec<OpenBracket>,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(text: &'t str) -> Builder<'t> {
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut table = Table::default();
        table.nodes.reserve(text.len() / 16);
        let end = text.len() as u32;
        table.nodes.push(Node { start, end, entry_start: start, ..new_node(Kind::Root, (NO_OFFSET, NO_OFFSET), 0) });
        table.sections.push(Section { start, header_end: start, end, node: 0, first: 0 });
        let names = NameTable::default();
        let current = 0;
        let (pending_keys, open_brackets) = (Vec::new(), Vec::new());
        Builder {
            text,
            offset: 0,
            table,
            semantic_errors: Vec::new(),
            is_ordered: true,
            names,
            current,
            pending_keys,
            header: None,
            open_brackets,
        }
    }

    /// Ends a part of the text, and closes its open brackets and its last line.
    pub(crate) fn end_part(&mut self, end: usize) {
        while let Some(frame) = self.open_brackets.pop() {
            if let Some(id) = frame.node {
                self.table.nodes[id as usize].end = end as u32;
                self.end_value(id);
            }
        }
        self.end_line();
    }

    fn absolute_range(&self, span: At) -> (usize, usize) {
        (span.start() + self.offset, span.end() + self.offset)
    }

    fn key_name(&self, key: Key) -> Cow<'t, str> {
        scalar::key_name(&self.text[key.0 as usize..key.1 as usize])
    }

    fn report_error(&mut self, (start, end): Key, message: String, other: Option<usize>) {
        if self.semantic_errors.len() < MAX_SEMANTIC_ERRORS {
            self.semantic_errors.push(SemanticError { span: Span { start, end }, message, conflict_offset: other });
        }
    }

    /// Adds a value to a container.
    #[inline]
    fn push(&mut self, parent: Id, new: Node) -> Id {
        let id = self.table.len();
        self.is_ordered &= self.is_within(parent, id - 1);
        let container = &mut self.table.nodes[parent as usize];
        container.count += 1;
        // While the table is built, `subtree_end` is the last child of a container.
        let before = std::mem::replace(&mut container.subtree_end, id);
        self.table.nodes.push(Node { parent, previous: before, ..new });
        id
    }

    /// Returns whether the container is the value or contains it. The result is not meaningful once values are out of
    /// order.
    fn is_within(&self, container: Id, value: Id) -> bool {
        let mut at = value;
        while self.is_ordered && at > container {
            at = self.table.node(at).parent;
        }
        at == container
    }

    /// Returns the last member of this name. For a large table, also returns the slot of the name.
    fn find_member(&mut self, table: Id, name: &str) -> (Option<NameSlot>, Option<Id>) {
        let (text, nodes) = (self.text, &self.table.nodes);
        let is = |id: Id| {
            let (start, end) = nodes[id as usize].key;
            scalar::key_name(&text[start as usize..end as usize]) == name
        };
        let container = self.table.node(table);
        if container.count > MAX_LINEAR_SCAN {
            let (place, known) = self.names.find(table, name, |id| nodes[id as usize].parent == table && is(id));
            return (Some(place), known);
        }
        let mut at = container.subtree_end;
        while at != 0 && !is(at) {
            at = nodes[at as usize].previous;
        }
        (None, Some(at).filter(|at| *at != 0))
    }

    /// Adds a member to a table. Later members of the same name are compared with it.
    #[inline]
    fn push_member(&mut self, parent: Id, place: Option<NameSlot>, new: Node) -> Id {
        let id = self.push(parent, new);
        if let Some(place) = place {
            self.names.set(place, id);
        } else if self.table.node(parent).count > MAX_LINEAR_SCAN {
            self.index_names(id);
        }
        id
    }

    /// Adds the names of a table to the hash table, when the table has become large.
    fn index_names(&mut self, last: Id) {
        let mut members = vec![last];
        let mut before = self.table.node(last).previous;
        while before != 0 {
            members.push(before);
            before = self.table.node(before).previous;
        }
        for id in members.into_iter().rev() {
            let Node { parent, key, .. } = *self.table.node(id);
            if let (Some(place), _) = self.find_member(parent, &self.key_name(key)) {
                self.names.set(place, id);
            }
        }
    }

    /// Returns the table that a part of a dotted key names. Creates the table if it does not exist.
    fn dotted_key_table(&mut self, table: Id, key: Key) -> Id {
        let name = self.key_name(key);
        let (place, known) = self.find_member(table, &name);
        let Some(known) = known else {
            return self.push_member(table, place, new_node(Kind::DottedTable, key, key.0));
        };
        let found = *self.table.node(known);
        match found.kind {
            Kind::DottedTable => return known,
            Kind::ImpliedTable => {
                self.table.nodes[known as usize].extended_by_dotted_keys = true;
                return known;
            }
            _ => {}
        }
        let message = match found.kind {
            Kind::HeaderTable => format!("the table `{name}` has its own header: a dotted key cannot extend it"),
            kind => not_extensible_message(&name, kind),
        };
        self.report_error(key, message, Some(found.key.0 as usize));
        self.push_member(table, place, new_node(Kind::DottedTable, key, key.0))
    }

    /// Returns the table that a part of a header names. Creates the table if it does not exist. The last part is
    /// handled by `open_section`.
    fn header_parent_table(&mut self, table: Id, key: Key) -> Id {
        let name = self.key_name(key);
        let (place, known) = self.find_member(table, &name);
        let Some(known) = known else {
            return self.push_member(table, place, new_node(Kind::ImpliedTable, key, key.0));
        };
        let found = *self.table.node(known);
        match found.kind {
            Kind::HeaderTable | Kind::ImpliedTable | Kind::DottedTable => known,
            // A header continues the last element of the array.
            Kind::ArrayOfTables if found.count > 0 => found.subtree_end,
            kind => {
                self.report_error(key, not_extensible_message(&name, kind), Some(found.key.0 as usize));
                self.push_member(table, place, new_node(Kind::ImpliedTable, key, key.0))
            }
        }
    }

    /// Completes a header. The keys that follow are added to its table.
    fn open_section(&mut self, header: &Header, head: usize) {
        let mut path = std::mem::take(&mut self.pending_keys);
        let Some((last, above)) = path.split_last() else { return };
        let (last, parent) = (*last, above.iter().fold(0, |table, key| self.header_parent_table(table, *key)));
        path.clear();
        self.pending_keys = path;
        let name = self.key_name(last);
        let (place, known) = self.find_member(parent, &name);
        let found = known.map(|id| (id, *self.table.node(id)));
        self.current = match (header.is_element, found) {
            (true, Some((array, Node { kind: Kind::ArrayOfTables, .. }))) => self.push_element(array, header),
            (true, found) => {
                if let Some((_, found)) = found {
                    self.report_error(last, duplicate_key_message(&name, found.kind), Some(found.key.0 as usize));
                }
                let array = self.push_member(parent, place, new_node(Kind::ArrayOfTables, last, last.0));
                self.push_element(array, header)
            }
            (false, Some((table, Node { kind: Kind::ImpliedTable, extended_by_dotted_keys: false, .. }))) => {
                self.table.nodes[table as usize].kind = Kind::HeaderTable;
                table
            }
            (false, found) => {
                if let Some((_, found)) = found {
                    self.report_error(last, duplicate_key_message(&name, found.kind), Some(found.key.0 as usize));
                }
                self.push_member(parent, place, new_node(Kind::HeaderTable, last, last.0))
            }
        };
        let first = self.table.entries.len() as u32;
        let (start, head) = (header.start as u32, head as u32);
        self.table.sections.push(Section { start, header_end: head, end: head, node: self.current, first });
    }

    fn push_element(&mut self, array: Id, header: &Header) -> Id {
        self.push(array, new_node(Kind::ArrayElement, (NO_OFFSET, NO_OFFSET), header.start as u32))
    }

    /// Starts a value. It belongs to the parsed keys, or is an element of an array.
    fn begin_value(&mut self, kind: Kind, start: usize, end: usize) -> Option<Id> {
        let (container, is_array) = match self.open_brackets.last() {
            Some(frame) => (frame.node, frame.is_array),
            None => (Some(self.current), false),
        };
        let (start, end) = (start as u32, end as u32);
        if is_array || container.is_none() {
            self.pending_keys.clear();
            let new = Node { start, end, ..new_node(kind, (NO_OFFSET, NO_OFFSET), start) };
            return container.map(|container| self.push(container, new));
        }
        let (container, path) = (container?, std::mem::take(&mut self.pending_keys));
        let (last, above) = path.split_last()?;
        let parent = above.iter().fold(container, |table, key| self.dotted_key_table(table, *key));
        let name = self.key_name(*last);
        let (place, known) = self.find_member(parent, &name);
        if let Some(known) = known {
            let found = *self.table.node(known);
            self.report_error(*last, duplicate_key_message(&name, found.kind), Some(found.key.0 as usize));
        }
        let id = self.push_member(parent, place, Node { start, end, ..new_node(kind, *last, path[0].0) });
        self.pending_keys = path;
        self.pending_keys.clear();
        Some(id)
    }

    /// Ends a value.
    fn end_value(&mut self, id: Id) {
        let Node { entry_start: lead, end, .. } = *self.table.node(id);
        let run = match self.open_brackets.last_mut() {
            Some(frame) if frame.is_array => return,
            Some(frame) => {
                frame.complete_values += 1;
                frame.complete_values
            }
            None => {
                self.table.entries.push(Entry { start: lead, end, node: id });
                self.table.entries.len() as u32
            }
        };
        // Extend the tables that the dotted key of the value names, if their parts are adjacent.
        let mut above = self.table.node(id).parent;
        while self.table.kind(above) == Kind::DottedTable {
            let table = &mut self.table.nodes[above as usize];
            if table.start == NO_OFFSET {
                (table.entry_start, table.start, table.end, table.last_adjacent) = (lead, lead, end, run);
            } else if table.last_adjacent + 1 == run {
                (table.end, table.last_adjacent) = (end, run);
            }
            above = table.parent;
        }
    }

    /// Adds a key, or a part of a dotted key. It belongs to the header or value that follows.
    pub(crate) fn add_key(&mut self, key: Key) {
        self.pending_keys.push(key);
    }

    pub(crate) fn add_scalar(&mut self, kind: Kind, start: usize, end: usize) {
        if let Some(id) = self.begin_value(kind, start, end) {
            self.end_value(id);
        }
    }

    pub(crate) fn open_bracket(&mut self, kind: Kind, start: usize, end: usize) {
        let node = self.begin_value(kind, start, end);
        self.open_brackets.push(OpenBracket { node, is_array: kind == Kind::Array, complete_values: 0 });
    }

    pub(crate) fn close_bracket(&mut self, end: usize) {
        self.pending_keys.clear();
        let Some(OpenBracket { node: Some(id), .. }) = self.open_brackets.pop() else { return };
        let node = &mut self.table.nodes[id as usize];
        node.end = node.end.max(end as u32);
        self.end_value(id);
    }

    /// Returns the number of open brackets.
    pub(crate) fn depth(&self) -> usize {
        self.open_brackets.len()
    }

    /// Returns the byte that closes the innermost bracket.
    pub(crate) fn closing_bracket(&self) -> Option<u8> {
        self.open_brackets.last().map(|frame| if frame.is_array { b']' } else { b'}' })
    }

    /// Ends a line and discards its incomplete parts. A header without its closing bracket is not discarded.
    fn end_line(&mut self) {
        if let (Some(header), Some(last)) = (self.header.take(), self.pending_keys.last()) {
            let head = last.1 as usize;
            self.open_section(&header, head);
        }
        if self.open_brackets.is_empty() {
            self.pending_keys.clear();
        }
    }

    pub(crate) fn begin_header(&mut self, start: usize, is_element: bool) {
        self.end_line();
        self.pending_keys.clear();
        self.header = Some(Header { is_element, start });
    }

    pub(crate) fn end_header(&mut self, head: usize) {
        if let Some(header) = self.header.take() {
            self.open_section(&header, head);
        }
    }
}

#[inline]
fn new_node(kind: Kind, key: Key, lead: u32) -> Node {
    Node {
        kind,
        key,
        entry_start: lead,
        start: NO_OFFSET,
        end: NO_OFFSET,
        parent: 0,
        subtree_end: 0,
        previous: 0,
        count: 0,
        last_adjacent: 0,
        extended_by_dotted_keys: false,
    }
}

fn duplicate_key_message(name: &str, kind: Kind) -> String {
    format!("the key `{name}` is already defined as {}", with_article(kind))
}

fn not_extensible_message(name: &str, kind: Kind) -> String {
    match kind {
        Kind::InlineTable => format!("the inline table `{name}` cannot be extended outside its braces"),
        Kind::Array => format!("the array `{name}` cannot be extended outside its brackets"),
        Kind::ArrayOfTables => format!("`{name}` is an array of tables: a dotted key cannot extend it"),
        kind => format!("`{name}` is {}, which has no keys", with_article(kind)),
    }
}

fn with_article(kind: Kind) -> String {
    let word = kind.display_name();
    match word {
        "nothing" => "a key without a value".to_owned(),
        "array" | "integer" => format!("an {word}"),
        _ => format!("a {word}"),
    }
}

impl EventReceiver for Builder<'_> {
    fn std_table_open(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.begin_header(self.absolute_range(span).0, false);
    }

    fn std_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.end_header(self.absolute_range(span).1);
    }

    fn array_table_open(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.begin_header(self.absolute_range(span).0, true);
    }

    fn array_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.end_header(self.absolute_range(span).1);
    }

    fn inline_table_open(&mut self, span: At, _error: &mut dyn ErrorSink) -> bool {
        let (start, end) = self.absolute_range(span);
        self.open_bracket(Kind::InlineTable, start, end);
        true
    }

    fn inline_table_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.close_bracket(self.absolute_range(span).1);
    }

    fn array_open(&mut self, span: At, _error: &mut dyn ErrorSink) -> bool {
        let (start, end) = self.absolute_range(span);
        self.open_bracket(Kind::Array, start, end);
        true
    }

    fn array_close(&mut self, span: At, _error: &mut dyn ErrorSink) {
        self.close_bracket(self.absolute_range(span).1);
    }

    fn simple_key(&mut self, span: At, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        let (start, end) = self.absolute_range(span);
        scalar::check_key(&self.text[start..end], encoding, span, error);
        self.add_key((start as u32, end as u32));
    }

    fn scalar(&mut self, span: At, encoding: Option<Encoding>, error: &mut dyn ErrorSink) {
        let (start, end) = self.absolute_range(span);
        let kind = scalar::check_scalar(&self.text[start..end], encoding, span, error);
        Builder::add_scalar(self, kind, start, end);
    }

    fn value_sep(&mut self, _span: At, _error: &mut dyn ErrorSink) {
        self.pending_keys.clear();
    }

    fn newline(&mut self, _span: At, _error: &mut dyn ErrorSink) {
        if self.open_brackets.is_empty() {
            self.end_line();
        }
    }
}
