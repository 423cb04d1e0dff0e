//! Parses flow collections: `[…]` and `{…}`.

use super::{Gap, MAX_DEPTH, OpenFlow, Parser, block::Atom, is_blank, is_flow_indicator};
use crate::table::{Id, Kind, Properties};

/// Maximum length of a key in a sequence that has no `?`.
const MAX_KEY_LENGTH: usize = 1024;

/// Parser state in a flow collection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Before an entry: after the bracket or a comma.
    Entry,
    /// After `?`: a key is expected.
    Key,
    /// After a key. If `json` is set, its colon need not be followed by a space.
    Colon { json: bool },
    /// After a colon: a value is expected.
    Value,
    /// After a complete entry.
    Separator,
}

impl Parser<'_> {
    /// Parses the flow collection at the current position. `parent` is the indentation of the enclosing block
    /// collection.
    pub(super) fn parse_flow(&mut self, parent: Option<usize>, properties: Properties) -> Atom {
        let (start, line) = (self.at, self.line);
        let kind = if self.peek() == Some(b'[') { Kind::FlowSequence } else { Kind::FlowMapping };
        let id = self.open_flow(kind, properties);
        while !self.flows.is_empty() {
            let before = (self.at, self.line);
            let gap = self.skip_gap();
            if let Err(why) = self.check_flow_line(gap, parent) {
                (self.at, self.line) = before;
                self.report_error(start..start + 1, why);
                while !self.flows.is_empty() {
                    self.close_flow();
                }
                break;
            }
            self.parse_flow_token(gap);
        }
        Atom { kind, range: start..self.end, multiline: self.line != line, extra: 0, id: Some(id) }
    }

    /// Checks whether the collection can continue on this line.
    fn check_flow_line(&mut self, gap: Gap, parent: Option<usize>) -> Result<(), &'static str> {
        let Some(byte) = self.peek() else { return Err("the flow collection is never closed") };
        if self.at_marker() {
            return Err("the flow collection is not closed before the next document");
        }
        if !gap.newline || self.is_deeper_than(parent) {
            return Ok(());
        }
        if matches!(byte, b']' | b'}') && self.flows.len() == 1 && parent == Some(self.column()) {
            let severity = marquetry_sdk::Severity::Warning;
            self.report(
                severity,
                self.at..self.at + 1,
                "the bracket should be indented deeper than the enclosing collection",
            );
            return Ok(());
        }
        Err("the flow collection is not closed, or not indented deeper than the enclosing collection")
    }

    fn open_flow(&mut self, kind: Kind, properties: Properties) -> Id {
        let id = self.table.push(kind, self.at..self.at, 0, properties);
        self.register_anchor(id, properties);
        self.flows.push(OpenFlow { id, kind, count: 0, state: State::Entry });
        self.at += 1;
        self.end = self.at;
        if self.flows.len() > MAX_DEPTH {
            self.report_too_deep();
        }
        id
    }

    /// Closes the innermost flow collection. In the enclosing collection, it is then an entry, or the key of a pair.
    fn close_flow(&mut self) {
        self.complete_entry();
        let Some(flow) = self.flows.pop() else { return };
        self.table.close(flow.id, self.end, flow.count);
        if flow.kind != Kind::Pair && self.in_sequence_entry() && self.at_key_colon(true) {
            // The node that was reserved for the pair is directly before the collection.
            let hole = flow.id - 2;
            let range = self.table.range(hole).start..self.end;
            if range.len() > MAX_KEY_LENGTH || self.text[range.clone()].contains(['\n', '\r']) {
                self.report_error(range.clone(), "a key without `?` must be on one line");
            }
            self.open_pair(Some(hole), range.start);
        }
        self.record_node(true);
    }

    fn in_sequence_entry(&self) -> bool {
        self.flows.last().is_some_and(|flow| flow.kind == Kind::FlowSequence && flow.state != State::Separator)
    }

    /// Returns whether a colon on this line makes the parsed node a key. After a `json` key, no space is needed.
    fn at_key_colon(&self, json: bool) -> bool {
        let blanks = self.bytes[self.at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let at = self.at + blanks;
        let indicator = || self.byte_at(at + 1).is_none_or(|byte| is_blank(byte) || is_flow_indicator(byte));
        self.byte_at(at) == Some(b':') && (json || indicator())
    }

    /// Adds the nodes that are missing at the end of an entry, as empty nodes.
    fn complete_entry(&mut self) {
        let Some(flow) = self.flows.last_mut() else { return };
        let missing = match flow.state {
            State::Key => 2,
            State::Colon { .. } | State::Value => 1,
            State::Entry | State::Separator => 0,
        };
        flow.count += missing;
        flow.state = State::Separator;
        for _ in 0..missing {
            self.table.push(Kind::Empty, self.end..self.end, 0, Properties::NONE);
        }
    }

    fn set_flow_state(&mut self, state: State) {
        if let Some(flow) = self.flows.last_mut() {
            flow.state = state;
        }
    }

    /// Counts a complete node in the innermost collection, and updates the parser state.
    fn record_node(&mut self, json: bool) {
        let Some(flow) = self.flows.last_mut() else { return };
        flow.count += 1;
        flow.state = match flow.state {
            State::Key => State::Colon { json },
            State::Entry if flow.kind == Kind::FlowMapping => State::Colon { json },
            _ => State::Separator,
        };
    }

    fn parse_flow_token(&mut self, gap: Gap) {
        let Some((kind, state)) = self.flows.last().map(|flow| (flow.kind, flow.state)) else { return };
        match self.peek() {
            Some(b']' | b'}' | b',') if kind == Kind::Pair => self.close_flow(),
            Some(close @ (b']' | b'}')) => self.handle_close_bracket(kind, close),
            Some(b',') => self.handle_comma(state),
            Some(b'?') if matches!(state, State::Entry) && self.at_flow_indicator() => self.begin_explicit_key(kind),
            Some(b':') if self.at_value_colon(state) => self.handle_colon(kind, state),
            Some(b'#') if !gap.is_nonempty => {
                self.report_error(self.at..self.at + 1, "expected white space before the comment");
                self.at = self.line_end();
            }
            _ => self.parse_flow_node(kind, state),
        }
    }

    fn handle_close_bracket(&mut self, kind: Kind, close: u8) {
        let expected = if kind == Kind::FlowSequence { b']' } else { b'}' };
        if close != expected {
            self.report_error(self.at..self.at + 1, format!("expected `{}`", char::from(expected)));
        }
        self.complete_entry();
        self.at += 1;
        self.end = self.at;
        self.close_flow();
    }

    fn handle_comma(&mut self, state: State) {
        if let State::Entry = state {
            self.report_error(self.at..self.at + 1, "expected an entry before the comma");
        }
        self.complete_entry();
        self.at += 1;
        self.end = self.at;
        self.set_flow_state(State::Entry);
    }

    /// Returns whether the next byte is white space or a flow indicator, so that the current byte is an indicator.
    fn at_flow_indicator(&self) -> bool {
        self.byte_at(self.at + 1).is_none_or(|byte| is_blank(byte) || is_flow_indicator(byte))
    }

    fn at_value_colon(&self, state: State) -> bool {
        match state {
            State::Colon { json: true } => true,
            State::Entry | State::Key | State::Colon { json: false } | State::Separator => self.at_flow_indicator(),
            State::Value => false,
        }
    }

    fn begin_explicit_key(&mut self, kind: Kind) {
        if kind == Kind::FlowSequence {
            self.open_pair(None, self.at);
        }
        self.at += 1;
        self.end = self.at;
        self.set_flow_state(State::Key);
    }

    /// Starts a mapping of one pair inside a sequence. It uses the node that was reserved for it, or a new node.
    fn open_pair(&mut self, hole: Option<Id>, start: usize) {
        let id = hole.unwrap_or_else(|| self.table.push(Kind::Pair, start..start, 0, Properties::NONE));
        self.table.fill_reserved(id, Kind::Pair, Properties::NONE);
        self.flows.push(OpenFlow { id, kind: Kind::Pair, count: 0, state: State::Key });
    }

    fn handle_colon(&mut self, kind: Kind, state: State) {
        match state {
            State::Entry | State::Key => {
                if kind == Kind::FlowSequence {
                    self.open_pair(None, self.at);
                }
                self.table.push(Kind::Empty, self.at..self.at, 0, Properties::NONE);
                self.record_node(false);
            }
            State::Separator => {
                self.report_error(self.at..self.at + 1, "a key inside `[…]` must be on one line with its colon");
            }
            State::Colon { .. } | State::Value => {}
        }
        self.at += 1;
        self.end = self.at;
        if state != State::Separator {
            self.set_flow_state(State::Value);
        }
    }
    fn parse_flow_node(&mut self, kind: Kind, state: State) {
        if matches!(state, State::Separator | State::Colon { .. }) {
            self.report_error(self.at..self.at + 1, "expected `,`");
            if kind == Kind::Pair {
                return self.close_flow();
            }
            self.complete_entry();
            self.set_flow_state(State::Entry);
        }
        let mut properties = Properties::NONE;
        while matches!(self.peek(), Some(b'&' | b'!')) {
            self.parse_property(&mut properties, true);
            let before = (self.at, self.line);
            if self.skip_gap().newline && (self.at_marker() || !self.is_deeper_than(self.parent_indent())) {
                // Errors at the next token are reported when it is parsed.
                (self.at, self.line) = before;
                return self.push_flow_empty(properties.start().unwrap_or(self.at), properties);
            }
        }
        let start = properties.start().unwrap_or(self.at);
        match self.peek() {
            None | Some(b',' | b']' | b'}') => self.push_flow_empty(start, properties),
            Some(b':') if !properties.is_none() && self.at_flow_indicator() => self.push_flow_empty(start, properties),
            Some(open @ (b'[' | b'{')) => {
                if kind == Kind::FlowSequence {
                    self.table.push(Kind::Reserved, start..start, 0, Properties::NONE);
                }
                let kind = if open == b'[' { Kind::FlowSequence } else { Kind::FlowMapping };
                self.open_flow(kind, properties);
            }
            Some(_) => self.parse_flow_scalar(start, properties),
        }
    }

    fn push_flow_empty(&mut self, start: usize, properties: Properties) {
        let at = properties.end();
        self.push_flow_leaf(
            start,
            Atom { kind: Kind::Empty, range: at..at, multiline: false, extra: 0, id: None },
            properties,
        );
    }

    fn parse_flow_scalar(&mut self, start: usize, properties: Properties) {
        let (from, parent) = (self.at, self.parent_indent());
        let (kind, multiline, extra) = match self.peek() {
            Some(b'*') => (Kind::Alias, false, self.parse_alias()),
            Some(b'"') => (Kind::DoubleQuoted, self.skip_quoted(parent).multiline, 0),
            Some(b'\'') => (Kind::SingleQuoted, self.skip_quoted(parent).multiline, 0),
            _ if self.starts_plain(true) => {
                self.at = self.plain_end_on_line(from, true);
                let multiline = !self.at_key_colon(false) && self.continue_plain(self.at, parent, true).multiline;
                (Kind::Plain, multiline, 0)
            }
            _ => {
                let length = self.text[from..].chars().next().map_or(1, char::len_utf8);
                self.report_error(from..from + length, "no scalar starts with this character; put it in quotes");
                self.at += length;
                return;
            }
        };
        self.push_flow_leaf(start, Atom { kind, range: from..self.at, multiline, extra, id: None }, properties);
    }

    /// Adds a scalar or alias to the table. It is an entry, a key, a value, or the key that starts a pair.
    fn push_flow_leaf(&mut self, start: usize, atom: Atom, properties: Properties) {
        let json = matches!(atom.kind, Kind::DoubleQuoted | Kind::SingleQuoted);
        if self.in_sequence_entry() && self.at_key_colon(json) {
            if atom.multiline || self.text[start..atom.range.start].contains(['\n', '\r']) {
                self.report_error(atom.range.clone(), "a key without `?` must be on one line");
            }
            self.open_pair(None, start);
        }
        self.push_leaf(atom.kind, atom.range, atom.extra, properties);
        self.record_node(json);
    }
}
