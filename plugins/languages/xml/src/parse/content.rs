//! Content of elements and of the document: text, and anything that starts with `<`.

use super::{Parser, PendingText, cursor::Cursor};
use crate::{chars, tree::value};

/// Cost of a node that an entity adds, without the cost of the text of the node. The cost counts towards the expansion
/// limit.
const ENTITY_NODE_COST: usize = 32;

impl Parser {
    /// Parses content up to the end of the cursor's text. Elements that are opened in this text must be closed in it.
    pub(super) fn parse_content(&mut self, cursor: &mut Cursor<'_>) {
        let floor = self.open.len();
        while !cursor.at_end() {
            if cursor.peek() != b'<' {
                self.parse_text(cursor);
                continue;
            }
            if cursor.origin.is_some() && !self.spend_allowance(cursor, cursor.at, ENTITY_NODE_COST) {
                cursor.at = cursor.text.len();
                break;
            }
            match cursor.text.as_bytes().get(cursor.at + 1) {
                Some(b'/') => self.parse_end_tag(cursor, floor),
                Some(b'!') => self.parse_declaration(cursor),
                Some(b'?') => self.parse_instruction(cursor),
                _ if chars::name_end(cursor.text, cursor.at + 1) > cursor.at + 1 => self.parse_start_tag(cursor),
                _ => {
                    let start = cursor.at;
                    cursor.at += 1;
                    let message = format!(
                        "expected a name after `<`, not {}; write `&lt;` for the character",
                        cursor.describe_next()
                    );
                    self.report_error(cursor, start, start + 1, message);
                    self.append_source(cursor, start, start + 1);
                }
            }
        }
        if self.open.len() > floor && cursor.origin.is_some() {
            self.flush_text(cursor);
            self.close_to(floor, cursor);
        }
    }

    /// Returns whether text is allowed at the current position.
    fn allows_text(&self) -> bool {
        self.fragment || !self.open.is_empty()
    }

    fn parse_text(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let mut from = start;
        loop {
            cursor.at = chars::find_byte(cursor.text.as_bytes(), cursor.at, &chars::TEXT_STOPS);
            match cursor.peek() {
                0 if cursor.at_end() => break,
                b'<' => break,
                b']' => {
                    if cursor.rest().starts_with("]]>") {
                        self.report_error(cursor, cursor.at, cursor.at + 3, "`]]>` in text: write `]]&gt;`");
                    }
                    cursor.at += 1;
                }
                b'&' => {
                    self.append_run(cursor, from);
                    self.parse_reference(cursor);
                    from = cursor.at;
                }
                _ => self.check_suspect_char(cursor),
            }
        }
        self.append_run(cursor, from);
    }

    /// Appends the characters from an offset up to the cursor to the pending text.
    fn append_run(&mut self, cursor: &Cursor<'_>, from: usize) {
        if from == cursor.at {
            return;
        }
        if !self.allows_text() && !chars::is_blank(&cursor.text[from..cursor.at]) {
            let start = chars::skip_space(cursor.text.as_bytes(), from);
            self.report_error(cursor, start, cursor.at, "text outside of the root element");
        }
        self.append_source(cursor, from, cursor.at);
    }

    /// Appends the source between two offsets to the pending text, without checking it.
    pub(super) fn append_source(&mut self, cursor: &Cursor<'_>, start: usize, end: usize) {
        let source = &cursor.text[start..end];
        if cursor.origin.is_none()
            && let Some(pending) = &mut self.pending
        {
            pending.end = end;
            if let Some(value) = &mut pending.value {
                value::append_text(value, source);
            }
            return;
        }
        let span = cursor.span(start, end).range();
        let in_entity = cursor.origin.is_some();
        if self.pending.is_none() {
            let value = in_entity.then(String::new);
            self.pending = Some(PendingText { start: span.start, end: span.end, value, shared: in_entity });
        }
        if let Some(pending) = &mut self.pending {
            pending.end = span.end;
            if in_entity && let Some(value) = &mut pending.value {
                value::append_text(value, source);
            }
        }
    }

    /// Skips a character that starts with one of `chars::SUSPECT_BYTES`, and reports it if it is forbidden.
    pub(super) fn check_suspect_char(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let character = cursor.rest().chars().next();
        cursor.skip_character();
        if let Some(c) = character.filter(|c| !chars::is_char(*c)) {
            self.report_error(cursor, start, cursor.at, format!("the character U+{:04X} is not allowed", c as u32));
        }
    }

    /// Checks the characters between two offsets.
    pub(super) fn check_characters(&mut self, cursor: &mut Cursor<'_>, start: usize, end: usize) {
        let after = cursor.at;
        cursor.at = chars::find_byte(&cursor.text.as_bytes()[..end], start, &chars::SUSPECT_BYTES);
        while cursor.at < end {
            self.check_suspect_char(cursor);
            cursor.at = chars::find_byte(&cursor.text.as_bytes()[..end], cursor.at, &chars::SUSPECT_BYTES);
        }
        cursor.at = after;
    }
}
