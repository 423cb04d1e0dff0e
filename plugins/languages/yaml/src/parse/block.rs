//! Parses documents and their block structure.

use std::ops::Range;

use super::{Block, DEEPEST, Gap, Parser, State};
use crate::table::{Id, Kind, Properties};

/// Which nodes may begin at a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inline {
    /// Any node, at the start of a line.
    Line,
    /// Any node, after `- `, `? ` or the `: ` of an explicit key.
    Compact,
    /// No block collection, after `key: ` or `---`.
    Same,
}

/// A scalar, an alias or a flow collection, without its properties.
pub(super) struct Atom {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
    pub(super) multiline: bool,
    /// For an alias, the node it refers to.
    pub(super) extra: u32,
    /// Set if a flow collection is already in the table.
    pub(super) id: Option<Id>,
}

const TABS: &str = "tabs cannot indent block structure";

impl Parser<'_> {
    /// Parses one document, after its `---` if it has one.
    pub(super) fn document(&mut self, marked: bool) {
        self.node(if marked { Inline::Same } else { Inline::Line });
        while self.next_entry() {}
        while !self.blocks.is_empty() {
            self.close_block();
        }
    }

    /// Returns the indentation of the enclosing collection.
    pub(super) fn parent(&self) -> Option<usize> {
        self.blocks.last().map(|block| block.column)
    }

    fn open_block(&mut self, kind: Kind, start: usize, outer: Properties, state: State) {
        let id = self.table.push(kind, start..start, 0, outer);
        self.name_anchor(id, outer);
        self.push_block(Block { id, column: start - self.line, count: 0, state });
    }

    fn push_block(&mut self, block: Block) {
        self.blocks.push(block);
        if self.blocks.len() > DEEPEST {
            self.too_deep();
        }
    }

    pub(super) fn too_deep(&mut self) {
        self.problem(self.at..self.at + 1, format!("collections are nested more than {DEEPEST} levels deep"));
        self.at = self.bytes.len();
    }

    fn close_block(&mut self) {
        let Some(mut block) = self.blocks.pop() else { return };
        if block.state == State::ExplicitKey {
            self.table.push(Kind::Empty, self.end..self.end, 0, Properties::NONE);
            block.count += 1;
        }
        self.table.close(block.id, self.end, block.count);
    }

    /// Counts a child of the innermost block collection.
    fn count(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.count += 1;
        }
    }

    fn enter(&mut self, state: State) {
        if let Some(block) = self.blocks.last_mut() {
            block.state = state;
        }
    }

    /// Adds a scalar or alias to the table.
    pub(super) fn leaf(&mut self, kind: Kind, range: Range<usize>, extra: u32, properties: Properties) {
        self.end = self.end.max(range.end);
        if kind == Kind::Alias && !properties.is_none() {
            self.problem(range.clone(), "an alias cannot have an anchor or a tag");
        }
        let id = self.table.push(kind, range, extra, properties);
        self.name_anchor(id, properties);
    }

    pub(super) fn name_anchor(&mut self, id: Id, properties: Properties) {
        if properties.has_anchor() {
            let (start, end) = properties.anchor;
            self.anchors.insert(&self.text[start as usize + 1..end as usize], id);
        }
    }

    /// Parses the expected node up to its first leaf; block collections that begin before it stay open.
    fn node(&mut self, mut inline: Inline) {
        loop {
            self.count();
            let (mut outer, mut properties) = (Properties::NONE, Properties::NONE);
            // Start of this node on its line.
            let mut first = None;
            let gap = loop {
                let before = (self.at, self.line);
                let gap = self.skip();
                if gap.newline || first.is_none() {
                    first = Some(gap);
                }
                if gap.newline {
                    outer = self.joined(outer, properties);
                    properties = Properties::NONE;
                    inline = Inline::Line;
                }
                if self.nothing_here(inline, gap) {
                    (self.at, self.line) = before;
                    let properties = self.joined(outer, properties);
                    return self.empty(properties);
                }
                match self.peek() {
                    Some(b'&' | b'!') => self.property(&mut properties, false),
                    _ => break first.unwrap_or(gap),
                }
            };
            let next = match self.peek() {
                Some(b'-') if self.indicator(b'-') => {
                    self.start_collection(Kind::BlockSequence, State::Entry, (inline, gap), (outer, properties))
                }
                Some(b'?') if self.indicator(b'?') => {
                    self.start_collection(Kind::BlockMapping, State::ExplicitKey, (inline, gap), (outer, properties))
                }
                Some(b'|') => self.block_scalar_node(Kind::Literal, outer, properties),
                Some(b'>') => self.block_scalar_node(Kind::Folded, outer, properties),
                _ => self.start_atom(inline, gap, outer, properties),
            };
            match next {
                Some(next) => inline = next,
                None => return,
            }
        }
    }

    fn empty(&mut self, properties: Properties) {
        let at = if properties.is_none() { self.end } else { properties.end() };
        self.leaf(Kind::Empty, at..at, 0, properties);
    }

    /// Returns whether the expected node is empty, because the next token belongs to an outer collection.
    fn nothing_here(&mut self, inline: Inline, gap: Gap) -> bool {
        if self.peek().is_none() || self.at_marker() {
            return true;
        }
        let Some(parent) = self.parent() else { return false };
        let spaces = self.spaces();
        if inline != Inline::Line || spaces > parent {
            return false;
        }
        if gap.tab {
            self.problem(self.line..self.at, TABS);
            return false;
        }
        let in_mapping = self.blocks.last().is_some_and(|block| block.state != State::Entry);
        !(in_mapping && spaces == parent && self.indicator(b'-'))
    }

    /// Starts a block collection that begins with `- ` or `? `.
    fn start_collection(
        &mut self,
        kind: Kind,
        state: State,
        (inline, gap): (Inline, Gap),
        (outer, properties): (Properties, Properties),
    ) -> Option<Inline> {
        if inline == Inline::Same {
            self.problem(self.at..self.at + 1, "a block collection must start on its own line");
        } else if gap.tab {
            self.problem(self.line..self.at, TABS);
        }
        if let Some(start) = properties.start() {
            self.problem(start..self.at, "the anchor or tag of a block collection must be on the line above");
        }
        let outer = self.joined(outer, properties);
        self.open_block(kind, self.at, outer, state);
        self.step(Inline::Compact)
    }

    /// Skips an indicator.
    fn step(&mut self, next: Inline) -> Option<Inline> {
        self.at = (self.at + 1).min(self.bytes.len());
        self.end = self.at;
        Some(next)
    }

    fn block_scalar_node(&mut self, kind: Kind, outer: Properties, properties: Properties) -> Option<Inline> {
        let properties = self.joined(outer, properties);
        let start = self.at;
        let (end, indent) = self.block_scalar(self.parent());
        self.leaf(kind, start..end, indent as u32, properties);
        None
    }

    /// Parses a scalar, alias or flow collection; if it is a key, starts the mapping that begins with it.
    fn start_atom(&mut self, inline: Inline, gap: Gap, outer: Properties, properties: Properties) -> Option<Inline> {
        let start = properties.start().unwrap_or(self.at);
        let line = self.line;
        let flow = matches!(self.peek(), Some(b'[' | b'{'));
        let hole =
            (flow && inline != Inline::Same).then(|| self.table.push(Kind::Hole, start..start, 0, Properties::NONE));
        let atom = self.atom(properties);
        if !self.at_colon() {
            self.value_atom(atom, outer, properties);
            return None;
        }
        if inline == Inline::Same {
            self.problem(self.at..self.at + 1, "a mapping must start on its own line");
            self.at = self.line_end();
            let range = atom.range.start..self.at;
            self.value_atom(Atom { range, ..atom }, outer, properties);
            return None;
        }
        if gap.tab {
            self.problem(line..start, TABS);
        }
        let id = hole.unwrap_or_else(|| self.table.push(Kind::BlockMapping, start..start, 0, outer));
        if hole.is_some() {
            self.table.fill(id, Kind::BlockMapping, outer);
        }
        self.name_anchor(id, outer);
        self.push_block(Block { id, column: start - line, count: 0, state: State::Value });
        self.key_atom(atom, properties);
        self.step(Inline::Same)
    }

    fn value_atom(&mut self, atom: Atom, outer: Properties, properties: Properties) {
        let joined = self.joined(outer, properties);
        match atom.id {
            None => self.leaf(atom.kind, atom.range, atom.extra, joined),
            Some(id) if !outer.is_none() => {
                self.table.fill(id, atom.kind, joined);
                self.name_anchor(id, joined);
            }
            Some(_) => {}
        }
    }

    fn key_atom(&mut self, atom: Atom, properties: Properties) {
        self.count();
        if atom.multiline {
            self.problem(atom.range.clone(), "a key without `?` must be on one line");
        }
        if atom.id.is_none() {
            self.leaf(atom.kind, atom.range, atom.extra, properties);
        }
    }

    /// Parses the scalar, alias or flow collection at the current position.
    fn atom(&mut self, properties: Properties) -> Atom {
        let (start, parent) = (self.at, self.parent());
        let plain =
            |kind: Kind, range: Range<usize>, multiline: bool| Atom { kind, range, multiline, extra: 0, id: None };
        match self.peek() {
            Some(b'[' | b'{') => self.flow(parent, properties),
            Some(b'*') => {
                let extra = self.alias();
                Atom { kind: Kind::Alias, range: start..self.at, multiline: false, extra, id: None }
            }
            Some(quote @ (b'"' | b'\'')) => {
                let found = self.quoted(parent);
                let kind = if quote == b'"' { Kind::DoubleQuoted } else { Kind::SingleQuoted };
                plain(kind, start..found.end, found.multiline)
            }
            Some(b':') if self.indicator(b':') => plain(Kind::Empty, start..start, false),
            _ => {
                let starts = self.starts_plain(false);
                self.at = self.plain_on_line(start, false);
                if !starts {
                    self.at = self.at.max(start + 1);
                    while !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                    self.problem(start..start + 1, "no scalar starts with this character; put it in quotes");
                }
                let end = self.at;
                if self.at_colon() {
                    return plain(Kind::Plain, start..end, false);
                }
                let found = self.plain_below(end, parent, false);
                plain(Kind::Plain, start..found.end, found.multiline)
            }
        }
    }

    /// Skips the alias at the current position and returns the node it refers to.
    pub(super) fn alias(&mut self) -> u32 {
        let start = self.at;
        let name = self.name("an alias");
        let known = self.anchors.get(name).copied();
        let Some(id) = known else {
            self.open_end(start..self.at, format!("no anchor `&{name}` before this alias"));
            return u32::MAX;
        };
        let open = self.table.kind(id).is_collection() && self.table.range(id).is_empty();
        if open {
            self.problem(start..self.at, "the alias refers to a value that contains it");
            return u32::MAX;
        }
        id
    }

    /// Moves to a colon on this line that makes the parsed node a key. Returns whether there is one.
    fn at_colon(&mut self) -> bool {
        let before = self.at;
        self.skip_blanks();
        let found = self.indicator(b':');
        if !found {
            self.at = before;
        }
        found
    }

    /// Parses the next entry of one of the open collections. Returns whether there may be more.
    fn next_entry(&mut self) -> bool {
        self.end_line("unexpected text: the value before it is complete");
        let gap = self.skip();
        if self.peek().is_none() || self.at_marker() {
            return false;
        }
        let column = self.spaces();
        while self.parent().is_some_and(|open| open > column) {
            self.close_block();
        }
        if self.closes_sequence(column) {
            self.close_block();
        }
        let Some((open, state)) = self.blocks.last().map(|block| (block.column, block.state)) else {
            self.bad_line("unexpected text: the value of the document is complete");
            return true;
        };
        if open < column {
            self.bad_line("this line is indented deeper than its collection");
            return true;
        }
        if gap.tab {
            self.problem(self.line..self.at, TABS);
        }
        match state {
            State::Entry if self.indicator(b'-') => {
                self.step(Inline::Compact);
                self.node(Inline::Compact);
            }
            State::Entry => self.bad_line("expected `- `, as above"),
            State::ExplicitKey if self.indicator(b':') => {
                self.enter(State::Value);
                self.step(Inline::Compact);
                self.node(Inline::Compact);
            }
            State::ExplicitKey | State::Value => self.next_pair(state),
        }
        true
    }

    /// Returns whether a sequence with the same indentation as its mapping ends, because the mapping continues.
    fn closes_sequence(&self, column: usize) -> bool {
        let [.., outer, inner] = self.blocks.as_slice() else { return false };
        let both = inner.column == column && outer.column == column;
        both && inner.state == State::Entry && outer.state != State::Entry && !self.indicator(b'-')
    }

    fn bad_line(&mut self, why: &str) {
        let end = self.line_end();
        self.problem(self.at..end, why);
        self.at = end;
    }

    /// Parses a pair of the open mapping, starting with its key.
    fn next_pair(&mut self, state: State) {
        if state == State::ExplicitKey {
            self.count();
            self.table.push(Kind::Empty, self.end..self.end, 0, Properties::NONE);
        }
        if self.indicator(b'?') {
            self.enter(State::ExplicitKey);
            self.step(Inline::Compact);
            return self.node(Inline::Compact);
        }
        self.enter(State::Value);
        if self.indicator(b'-') {
            return self.bad_line("expected a key: a sequence item is not allowed between the keys of a mapping");
        }
        let mut properties = Properties::NONE;
        while matches!(self.peek(), Some(b'&' | b'!')) {
            self.property(&mut properties, false);
            self.skip_blanks();
        }
        let atom = if self.blank_at(self.at) {
            Atom { kind: Kind::Empty, range: self.at..self.at, multiline: false, extra: 0, id: None }
        } else {
            self.atom_on_line(properties)
        };
        let found = self.at_colon();
        let range = atom.range.clone();
        self.key_atom(atom, properties);
        if found {
            self.step(Inline::Same);
            return self.node(Inline::Same);
        }
        self.problem(range.start..range.end, "expected `:` after the key");
        self.count();
        self.leaf(Kind::Empty, range.end..range.end, 0, Properties::NONE);
    }

    /// Parses a key: a plain scalar is limited to one line.
    fn atom_on_line(&mut self, properties: Properties) -> Atom {
        if !self.starts_plain(false) {
            return self.atom(properties);
        }
        let start = self.at;
        self.at = self.plain_on_line(start, false);
        Atom { kind: Kind::Plain, range: start..self.at, multiline: false, extra: 0, id: None }
    }
}
