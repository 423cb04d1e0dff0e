//! Parses documents and their block structure.

use std::ops::Range;

use super::{Gap, MAX_DEPTH, OpenBlock, Parser, State};
use crate::table::{Id, Kind, Properties};

/// Kinds of nodes that are allowed at a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AllowedNodes {
    /// Any node, at the start of a line.
    Line,
    /// Any node, after `- `, `? ` or the `: ` of an explicit key.
    Compact,
    /// Any node but a block collection, after `key: ` or `---`.
    NoBlockCollection,
}

/// A scalar, an alias or a flow collection, without its anchor and tag.
pub(super) struct Atom {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
    pub(super) multiline: bool,
    /// For an alias, the id of the node that it refers to.
    pub(super) extra: u32,
    /// Id of a flow collection, which is already in the table.
    pub(super) id: Option<Id>,
}

const TAB_INDENT_MESSAGE: &str = "tabs cannot indent block structure";

impl Parser<'_> {
    /// Parses one document. The position is after its `---`, if it has one.
    pub(super) fn parse_document(&mut self, marked: bool) {
        self.parse_node(if marked { AllowedNodes::NoBlockCollection } else { AllowedNodes::Line });
        while self.parse_next_entry() {}
        while !self.blocks.is_empty() {
            self.close_block();
        }
    }

    /// Returns the column of the enclosing block collection.
    pub(super) fn parent_indent(&self) -> Option<usize> {
        self.blocks.last().map(|block| block.column)
    }

    fn open_block(&mut self, kind: Kind, start: usize, outer: Properties, state: State) {
        let id = self.table.push(kind, start..start, 0, outer);
        self.register_anchor(id, outer);
        self.push_block(OpenBlock { id, column: start - self.line, count: 0, state });
    }

    fn push_block(&mut self, block: OpenBlock) {
        self.blocks.push(block);
        if self.blocks.len() > MAX_DEPTH {
            self.report_too_deep();
        }
    }

    pub(super) fn report_too_deep(&mut self) {
        self.report_error(self.at..self.at + 1, format!("collections are nested more than {MAX_DEPTH} levels deep"));
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
    fn count_child(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.count += 1;
        }
    }

    fn set_state(&mut self, state: State) {
        if let Some(block) = self.blocks.last_mut() {
            block.state = state;
        }
    }

    /// Adds a scalar or alias to the table.
    pub(super) fn push_leaf(&mut self, kind: Kind, range: Range<usize>, extra: u32, properties: Properties) {
        self.end = self.end.max(range.end);
        if kind == Kind::Alias && !properties.is_none() {
            self.report_error(range.clone(), "an alias cannot have an anchor or a tag");
        }
        let id = self.table.push(kind, range, extra, properties);
        self.register_anchor(id, properties);
    }

    pub(super) fn register_anchor(&mut self, id: Id, properties: Properties) {
        if properties.has_anchor() {
            let (start, end) = properties.anchor;
            self.anchors.insert(&self.text[start as usize + 1..end as usize], id);
        }
    }

    /// Parses a node up to its first leaf. Block collections that begin before the leaf remain open.
    fn parse_node(&mut self, mut inline: AllowedNodes) {
        loop {
            self.count_child();
            let (mut outer, mut properties) = (Properties::NONE, Properties::NONE);
            // Start of this node on its line.
            let mut first = None;
            let gap = loop {
                let before = (self.at, self.line);
                let gap = self.skip_gap();
                if gap.newline || first.is_none() {
                    first = Some(gap);
                }
                if gap.newline {
                    outer = self.merge_properties(outer, properties);
                    properties = Properties::NONE;
                    inline = AllowedNodes::Line;
                }
                if self.is_node_empty(inline, gap) {
                    (self.at, self.line) = before;
                    let properties = self.merge_properties(outer, properties);
                    return self.push_empty(properties);
                }
                match self.peek() {
                    Some(b'&' | b'!') => self.parse_property(&mut properties, false),
                    _ => break first.unwrap_or(gap),
                }
            };
            let next = match self.peek() {
                Some(b'-') if self.at_indicator(b'-') => {
                    self.start_collection(Kind::BlockSequence, State::Entry, (inline, gap), (outer, properties))
                }
                Some(b'?') if self.at_indicator(b'?') => {
                    self.start_collection(Kind::BlockMapping, State::ExplicitKey, (inline, gap), (outer, properties))
                }
                Some(b'|') => self.parse_block_scalar(Kind::Literal, outer, properties),
                Some(b'>') => self.parse_block_scalar(Kind::Folded, outer, properties),
                _ => self.begin_atom(inline, gap, outer, properties),
            };
            match next {
                Some(next) => inline = next,
                None => return,
            }
        }
    }

    fn push_empty(&mut self, properties: Properties) {
        let at = if properties.is_none() { self.end } else { properties.end() };
        self.push_leaf(Kind::Empty, at..at, 0, properties);
    }

    /// Returns whether the node at this position is empty, because the next token belongs to an outer collection.
    fn is_node_empty(&mut self, inline: AllowedNodes, gap: Gap) -> bool {
        if self.peek().is_none() || self.at_marker() {
            return true;
        }
        let Some(parent) = self.parent_indent() else { return false };
        let spaces = self.indent_width();
        if inline != AllowedNodes::Line || spaces > parent {
            return false;
        }
        if gap.tab {
            self.report_error(self.line..self.at, TAB_INDENT_MESSAGE);
            return false;
        }
        let in_mapping = self.blocks.last().is_some_and(|block| block.state != State::Entry);
        !(in_mapping && spaces == parent && self.at_indicator(b'-'))
    }

    /// Starts a block collection that begins with `- ` or `? `.
    fn start_collection(
        &mut self,
        kind: Kind,
        state: State,
        (inline, gap): (AllowedNodes, Gap),
        (outer, properties): (Properties, Properties),
    ) -> Option<AllowedNodes> {
        if inline == AllowedNodes::NoBlockCollection {
            self.report_error(self.at..self.at + 1, "a block collection must start on its own line");
        } else if gap.tab {
            self.report_error(self.line..self.at, TAB_INDENT_MESSAGE);
        }
        if let Some(start) = properties.start() {
            self.report_error(start..self.at, "the anchor or tag of a block collection must be on the line above");
        }
        let outer = self.merge_properties(outer, properties);
        self.open_block(kind, self.at, outer, state);
        self.skip_indicator(AllowedNodes::Compact)
    }

    /// Skips a `-`, `?` or `:`, and returns which nodes are allowed after it.
    fn skip_indicator(&mut self, next: AllowedNodes) -> Option<AllowedNodes> {
        self.at = (self.at + 1).min(self.bytes.len());
        self.end = self.at;
        Some(next)
    }

    fn parse_block_scalar(&mut self, kind: Kind, outer: Properties, properties: Properties) -> Option<AllowedNodes> {
        let properties = self.merge_properties(outer, properties);
        let start = self.at;
        let (end, indent) = self.skip_block_scalar(self.parent_indent());
        self.push_leaf(kind, start..end, indent as u32, properties);
        None
    }

    /// Parses a scalar, alias or flow collection. If it is the first key of a mapping, starts the mapping.
    fn begin_atom(
        &mut self,
        inline: AllowedNodes,
        gap: Gap,
        outer: Properties,
        properties: Properties,
    ) -> Option<AllowedNodes> {
        let start = properties.start().unwrap_or(self.at);
        let line = self.line;
        let flow = matches!(self.peek(), Some(b'[' | b'{'));
        let hole = (flow && inline != AllowedNodes::NoBlockCollection)
            .then(|| self.table.push(Kind::Reserved, start..start, 0, Properties::NONE));
        let atom = self.parse_atom(properties);
        if !self.move_to_key_colon() {
            self.push_value_atom(atom, outer, properties);
            return None;
        }
        if inline == AllowedNodes::NoBlockCollection {
            self.report_error(self.at..self.at + 1, "a mapping must start on its own line");
            self.at = self.line_end();
            let range = atom.range.start..self.at;
            self.push_value_atom(Atom { range, ..atom }, outer, properties);
            return None;
        }
        if gap.tab {
            self.report_error(line..start, TAB_INDENT_MESSAGE);
        }
        let id = hole.unwrap_or_else(|| self.table.push(Kind::BlockMapping, start..start, 0, outer));
        if hole.is_some() {
            self.table.fill_reserved(id, Kind::BlockMapping, outer);
        }
        self.register_anchor(id, outer);
        self.push_block(OpenBlock { id, column: start - line, count: 0, state: State::Value });
        self.push_key_atom(atom, properties);
        self.skip_indicator(AllowedNodes::NoBlockCollection)
    }

    fn push_value_atom(&mut self, atom: Atom, outer: Properties, properties: Properties) {
        let joined = self.merge_properties(outer, properties);
        match atom.id {
            None => self.push_leaf(atom.kind, atom.range, atom.extra, joined),
            Some(id) if !outer.is_none() => {
                self.table.fill_reserved(id, atom.kind, joined);
                self.register_anchor(id, joined);
            }
            Some(_) => {}
        }
    }

    fn push_key_atom(&mut self, atom: Atom, properties: Properties) {
        self.count_child();
        if atom.multiline {
            self.report_error(atom.range.clone(), "a key without `?` must be on one line");
        }
        if atom.id.is_none() {
            self.push_leaf(atom.kind, atom.range, atom.extra, properties);
        }
    }

    /// Parses the scalar, alias or flow collection at the current position.
    fn parse_atom(&mut self, properties: Properties) -> Atom {
        let (start, parent) = (self.at, self.parent_indent());
        let plain =
            |kind: Kind, range: Range<usize>, multiline: bool| Atom { kind, range, multiline, extra: 0, id: None };
        match self.peek() {
            Some(b'[' | b'{') => self.parse_flow(parent, properties),
            Some(b'*') => {
                let extra = self.parse_alias();
                Atom { kind: Kind::Alias, range: start..self.at, multiline: false, extra, id: None }
            }
            Some(quote @ (b'"' | b'\'')) => {
                let found = self.skip_quoted(parent);
                let kind = if quote == b'"' { Kind::DoubleQuoted } else { Kind::SingleQuoted };
                plain(kind, start..found.end, found.multiline)
            }
            Some(b':') if self.at_indicator(b':') => plain(Kind::Empty, start..start, false),
            _ => {
                let starts = self.starts_plain(false);
                self.at = self.plain_end_on_line(start, false);
                if !starts {
                    self.at = self.at.max(start + 1);
                    while !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                    self.report_error(start..start + 1, "no scalar starts with this character; put it in quotes");
                }
                let end = self.at;
                if self.move_to_key_colon() {
                    return plain(Kind::Plain, start..end, false);
                }
                let found = self.continue_plain(end, parent, false);
                plain(Kind::Plain, start..found.end, found.multiline)
            }
        }
    }

    /// Skips the alias at the current position and returns the node that it refers to.
    pub(super) fn parse_alias(&mut self) -> u32 {
        let start = self.at;
        let name = self.skip_name("an alias");
        let known = self.anchors.get(name).copied();
        let Some(id) = known else {
            self.report_undeclared(start..self.at, format!("no anchor `&{name}` before this alias"));
            return u32::MAX;
        };
        let open = self.table.kind(id).is_collection() && self.table.range(id).is_empty();
        if open {
            self.report_error(start..self.at, "the alias refers to a value that contains it");
            return u32::MAX;
        }
        id
    }

    /// Moves to the colon after the parsed node if the node is a key. Returns whether it is one.
    fn move_to_key_colon(&mut self) -> bool {
        let before = self.at;
        self.skip_blanks();
        let found = self.at_indicator(b':');
        if !found {
            self.at = before;
        }
        found
    }

    /// Parses the next entry of one of the open collections. Returns whether more entries may follow.
    fn parse_next_entry(&mut self) -> bool {
        self.end_line("unexpected text: the value before it is complete");
        let gap = self.skip_gap();
        if self.peek().is_none() || self.at_marker() {
            return false;
        }
        let column = self.indent_width();
        while self.parent_indent().is_some_and(|open| open > column) {
            self.close_block();
        }
        if self.ends_sequence_at(column) {
            self.close_block();
        }
        let Some((open, state)) = self.blocks.last().map(|block| (block.column, block.state)) else {
            self.report_line("unexpected text: the value of the document is complete");
            return true;
        };
        if open < column {
            self.report_line("this line is indented deeper than its collection");
            return true;
        }
        if gap.tab {
            self.report_error(self.line..self.at, TAB_INDENT_MESSAGE);
        }
        match state {
            State::Entry if self.at_indicator(b'-') => {
                self.skip_indicator(AllowedNodes::Compact);
                self.parse_node(AllowedNodes::Compact);
            }
            State::Entry => self.report_line("expected `- `, as above"),
            State::ExplicitKey if self.at_indicator(b':') => {
                self.set_state(State::Value);
                self.skip_indicator(AllowedNodes::Compact);
                self.parse_node(AllowedNodes::Compact);
            }
            State::ExplicitKey | State::Value => self.parse_next_pair(state),
        }
        true
    }

    /// Returns whether a sequence that has the same indentation as its mapping ends, because the next entry belongs to
    /// the mapping.
    fn ends_sequence_at(&self, column: usize) -> bool {
        let [.., outer, inner] = self.blocks.as_slice() else { return false };
        let both = inner.column == column && outer.column == column;
        both && inner.state == State::Entry && outer.state != State::Entry && !self.at_indicator(b'-')
    }

    fn report_line(&mut self, why: &str) {
        let end = self.line_end();
        self.report_error(self.at..end, why);
        self.at = end;
    }

    /// Parses a pair of the open mapping, starting with its key.
    fn parse_next_pair(&mut self, state: State) {
        if state == State::ExplicitKey {
            self.count_child();
            self.table.push(Kind::Empty, self.end..self.end, 0, Properties::NONE);
        }
        if self.at_indicator(b'?') {
            self.set_state(State::ExplicitKey);
            self.skip_indicator(AllowedNodes::Compact);
            return self.parse_node(AllowedNodes::Compact);
        }
        self.set_state(State::Value);
        if self.at_indicator(b'-') {
            return self.report_line("expected a key: a sequence item is not allowed between the keys of a mapping");
        }
        let mut properties = Properties::NONE;
        while matches!(self.peek(), Some(b'&' | b'!')) {
            self.parse_property(&mut properties, false);
            self.skip_blanks();
        }
        let atom = if self.is_blank_at(self.at) {
            Atom { kind: Kind::Empty, range: self.at..self.at, multiline: false, extra: 0, id: None }
        } else {
            self.parse_key_atom(properties)
        };
        let found = self.move_to_key_colon();
        let range = atom.range.clone();
        self.push_key_atom(atom, properties);
        if found {
            self.skip_indicator(AllowedNodes::NoBlockCollection);
            return self.parse_node(AllowedNodes::NoBlockCollection);
        }
        self.report_error(range.start..range.end, "expected `:` after the key");
        self.count_child();
        self.push_leaf(Kind::Empty, range.end..range.end, 0, Properties::NONE);
    }

    /// Parses a key. A key that is a plain scalar ends on its line.
    fn parse_key_atom(&mut self, properties: Properties) -> Atom {
        if !self.starts_plain(false) {
            return self.parse_atom(properties);
        }
        let start = self.at;
        self.at = self.plain_end_on_line(start, false);
        Atom { kind: Kind::Plain, range: start..self.at, multiline: false, extra: 0, id: None }
    }
}
