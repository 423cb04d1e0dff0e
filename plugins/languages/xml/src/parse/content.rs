//! Content of elements and of the document: text, and anything that starts with `<`.

use super::{Parser, Pending, cursor::Cursor};
use crate::{chars, tree::value};

/// Cost of a node from an entity, besides its text, counted against the expansion limit.
const NODE_COST: usize = 32;

impl Parser {
    /// Parses up to the end of the cursor's text. Elements opened here must be closed here.
    pub(super) fn content(&mut self, cursor: &mut Cursor<'_>) {
        let floor = self.open.len();
        while !cursor.at_end() {
            if cursor.peek() != b'<' {
                self.text(cursor);
                continue;
            }
            if cursor.origin.is_some() && !self.allow(cursor, cursor.at, NODE_COST) {
                cursor.at = cursor.text.len();
                break;
            }
            match cursor.text.as_bytes().get(cursor.at + 1) {
                Some(b'/') => self.end_tag(cursor, floor),
                Some(b'!') => self.declaration(cursor),
                Some(b'?') => self.instruction(cursor),
                _ if chars::name_end(cursor.text, cursor.at + 1) > cursor.at + 1 => self.start_tag(cursor),
                _ => {
                    let start = cursor.at;
                    cursor.at += 1;
                    let message =
                        format!("expected a name after `<`, not {}; write `&lt;` for the character", cursor.found());
                    self.problem(cursor, start, start + 1, message);
                    self.extend_text(cursor, start, start + 1);
                }
            }
        }
        if self.open.len() > floor && cursor.origin.is_some() {
            self.flush(cursor);
            self.close_to(floor, cursor);
        }
    }

    /// Returns whether text is allowed here.
    fn takes_text(&self) -> bool {
        self.fragment || !self.open.is_empty()
    }

    fn text(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let mut from = start;
        loop {
            cursor.at = chars::find(cursor.text.as_bytes(), cursor.at, &chars::TEXT_STOPS);
            match cursor.peek() {
                0 if cursor.at_end() => break,
                b'<' => break,
                b']' => {
                    if cursor.rest().starts_with("]]>") {
                        self.problem(cursor, cursor.at, cursor.at + 3, "`]]>` in text: write `]]&gt;`");
                    }
                    cursor.at += 1;
                }
                b'&' => {
                    self.run(cursor, from);
                    self.reference(cursor);
                    from = cursor.at;
                }
                _ => self.doubtful(cursor),
            }
        }
        self.run(cursor, from);
    }

    /// Adds the characters from an offset to the cursor to the text.
    fn run(&mut self, cursor: &Cursor<'_>, from: usize) {
        if from == cursor.at {
            return;
        }
        if !self.takes_text() && !chars::is_blank(&cursor.text[from..cursor.at]) {
            let start = chars::skip_space(cursor.text.as_bytes(), from);
            self.problem(cursor, start, cursor.at, "text outside of the root element");
        }
        self.extend_text(cursor, from, cursor.at);
    }

    /// Adds the source between two offsets to the text, whatever it contains.
    pub(super) fn extend_text(&mut self, cursor: &Cursor<'_>, start: usize, end: usize) {
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
            self.pending = Some(Pending { start: span.start, end: span.end, value, shared: in_entity });
        }
        if let Some(pending) = &mut self.pending {
            pending.end = span.end;
            if in_entity && let Some(value) = &mut pending.value {
                value::append_text(value, source);
            }
        }
    }

    /// Skips a character that starts with a doubtful byte and reports it if it is forbidden.
    pub(super) fn doubtful(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let character = cursor.rest().chars().next();
        cursor.skip_character();
        if let Some(c) = character.filter(|c| !chars::is_char(*c)) {
            self.problem(cursor, start, cursor.at, format!("the character U+{:04X} is not allowed", c as u32));
        }
    }

    /// Checks the characters between two offsets.
    pub(super) fn check_characters(&mut self, cursor: &mut Cursor<'_>, start: usize, end: usize) {
        let after = cursor.at;
        cursor.at = chars::find(&cursor.text.as_bytes()[..end], start, &chars::DOUBTFUL);
        while cursor.at < end {
            self.doubtful(cursor);
            cursor.at = chars::find(&cursor.text.as_bytes()[..end], cursor.at, &chars::DOUBTFUL);
        }
        cursor.at = after;
    }
}
