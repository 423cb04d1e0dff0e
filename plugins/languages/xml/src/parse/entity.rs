//! References to characters and entities. Entities are expanded within limits.

use std::rc::Rc;

use super::{MAX_ENTITY_DEPTH, Parser, cursor::Cursor};
use crate::{
    chars,
    tree::{dtd::Entity, value},
};

impl Parser {
    /// Parses a reference in content. The cursor is at its `&`.
    pub(super) fn parse_reference(&mut self, cursor: &mut Cursor<'_>) {
        let start = cursor.at;
        let name = self.parse_entity_reference(cursor);
        if self.open.is_empty() && !self.fragment {
            self.report_error(cursor, start, cursor.at, "a reference outside of the root element");
            return;
        }
        let Some(name) = name else {
            self.append_source(cursor, start, cursor.at);
            return;
        };
        match self.tree.dtd.entities.get(name).cloned() {
            Some(Entity::Internal(text)) if self.check_expansion(cursor, start, name, &text) => {
                self.expand_content(cursor, (start, cursor.at), name, &text);
            }
            Some(Entity::Unparsed) => {
                self.report_error(
                    cursor,
                    start,
                    cursor.at,
                    format!("the unparsed entity `{name}` is not allowed in text"),
                );
                self.append_source(cursor, start, cursor.at);
            }
            Some(_) => self.append_source(cursor, start, cursor.at),
            None => {
                self.report_undeclared(cursor, start, name);
                self.append_source(cursor, start, cursor.at);
            }
        }
    }

    /// Parses the replacement text of an entity as content. `place` has the offsets of the reference.
    fn expand_content(&mut self, cursor: &Cursor<'_>, place: (usize, usize), name: &str, text: &Rc<str>) {
        let span = cursor.span(place.0, place.1);
        let outer_is_document = cursor.origin.is_none();
        // From here on, the value of the text differs from its source.
        match &mut self.pending {
            Some(pending) if outer_is_document => {
                pending.end = span.range().end;
                if pending.value.is_none() {
                    pending.value = Some(String::new());
                    pending.shared = false;
                    self.fill_pending(cursor, place.0);
                }
            }
            Some(_) => {}
            None => {
                let (start, end) = (span.range().start, span.range().end);
                let shared = !outer_is_document;
                self.pending = Some(super::PendingText { start, end, value: Some(String::new()), shared });
            }
        }
        let nodes = self.tree.len();
        self.expanding.push(name.into());
        let mut inner = Cursor::new(text, Some(span));
        self.parse_content(&mut inner);
        self.expanding.pop();
        if self.tree.len() > nodes
            && let Some(pending) = &mut self.pending
        {
            pending.shared = true; // the text starts in the entity
        }
    }

    /// Decodes the source of the pending text up to `end`.
    fn fill_pending(&mut self, cursor: &Cursor<'_>, end: usize) {
        if let Some(pending) = &mut self.pending
            && let Some(value) = &mut pending.value
        {
            value::append_text(value, &cursor.text[pending.start..end]);
        }
    }

    /// Parses a reference in an attribute value; returns whether it refers to a declared entity.
    pub(super) fn parse_attribute_reference(&mut self, cursor: &mut Cursor<'_>) -> bool {
        let start = cursor.at;
        let Some(name) = self.parse_entity_reference(cursor) else { return false };
        match self.tree.dtd.entities.get(name).cloned() {
            Some(Entity::Internal(_)) => true,
            Some(_) => {
                let message = format!("the entity `{name}` is not in this file: it is not allowed in an attribute");
                self.report_error(cursor, start, cursor.at, message);
                false
            }
            None => {
                self.report_undeclared(cursor, start, name);
                false
            }
        }
    }

    fn report_undeclared(&mut self, cursor: &Cursor<'_>, start: usize, name: &str) {
        let may_be_elsewhere = self.tree.dtd.is_incomplete && !self.standalone;
        if !may_be_elsewhere && !self.fragment {
            self.report_error(cursor, start, cursor.at, format!("the entity `{name}` is not declared"));
        }
    }

    /// Parses a reference; returns the name if it is a valid reference to an entity that is not predefined.
    pub(super) fn parse_entity_reference<'i>(&mut self, cursor: &mut Cursor<'i>) -> Option<&'i str> {
        let start = cursor.at;
        cursor.at += 1;
        if cursor.peek() == b'#' {
            self.parse_character_reference(cursor, start);
            return None;
        }
        let name = cursor.read_name();
        if name.is_empty() {
            self.report_error(cursor, start, start + 1, "`&` does not start a reference: write `&amp;`");
            return None;
        }
        if !cursor.eat(";") {
            self.report_error(
                cursor,
                start,
                cursor.at,
                format!("the reference `&{name}` has no `;`: write `&amp;` for the character"),
            );
            return None;
        }
        // A predefined entity cannot get another meaning by a declaration.
        value::referenced_char(name).is_none().then_some(name)
    }

    fn parse_character_reference(&mut self, cursor: &mut Cursor<'_>, start: usize) {
        cursor.at += 1;
        if cursor.peek() == b'x' {
            cursor.at += 1;
        }
        while cursor.peek().is_ascii_hexdigit() {
            cursor.at += 1;
        }
        let name = &cursor.text[start + 1..cursor.at];
        if !cursor.eat(";") {
            self.report_error(cursor, start, cursor.at, format!("the reference `&{name}` has no `;`"));
            return;
        }
        let allowed = |c: char| chars::is_char(c) || (self.is_xml_1_1 && c != '\0' && c < ' ');
        if !value::referenced_char(name).is_some_and(allowed) {
            self.report_error(
                cursor,
                start,
                cursor.at,
                format!("the reference `&{name};` is not an allowed character"),
            );
        }
    }

    /// Returns whether the entity can be expanded in the current context; if not, reports the reason.
    fn check_expansion(&mut self, cursor: &Cursor<'_>, start: usize, name: &str, text: &str) -> bool {
        if self.expanding.iter().any(|open| **open == *name) {
            self.report_error(cursor, start, cursor.at, format!("the entity `{name}` refers to itself"));
            return false;
        }
        if self.expanding.len() >= MAX_ENTITY_DEPTH {
            self.report_error(
                cursor,
                start,
                cursor.at,
                format!("entities are nested more than {MAX_ENTITY_DEPTH} levels deep"),
            );
            return false;
        }
        // Every reference has a cost, even if the entity is empty.
        self.spend_allowance(cursor, start, text.len() + 16)
    }

    /// Subtracts a cost from the expansion limit; returns whether the remaining limit was sufficient. The first failure
    /// is reported, later ones are not.
    pub(super) fn spend_allowance(&mut self, cursor: &Cursor<'_>, start: usize, cost: usize) -> bool {
        if self.allowance >= cost {
            self.allowance -= cost;
            return true;
        }
        if self.allowance > 0 {
            self.allowance = 0;
            self.report_error(cursor, start, cursor.at, "entities and default attributes expand to too much text");
        }
        false
    }

    /// Returns the value of an attribute, with entities expanded.
    pub(super) fn expand_attribute(&mut self, cursor: &Cursor<'_>, source: &str) -> String {
        let mut result = String::with_capacity(source.len());
        value::append_attribute(&mut result, source, |result, name| {
            if let Some(Entity::Internal(text)) = self.tree.dtd.entities.get(name).cloned()
                && self.check_expansion(cursor, cursor.at, name, &text)
            {
                self.expanding.push(name.into());
                self.check_in_attribute(cursor, &text);
                result.push_str(&self.expand_attribute(cursor, &text));
                self.expanding.pop();
            }
        });
        result
    }

    /// Checks the replacement text of an entity that is used in an attribute: `<` and references that are not allowed
    /// in attributes are errors.
    fn check_in_attribute(&mut self, cursor: &Cursor<'_>, text: &Rc<str>) {
        let mut inner = Cursor::new(text, Some(cursor.span(cursor.at, cursor.at)));
        while let Some(at) = memchr::memchr2(b'<', b'&', inner.rest().as_bytes()) {
            inner.at += at;
            if inner.peek() == b'<' {
                self.report_error(&inner, inner.at, inner.at + 1, "`<` in an entity that is used in an attribute");
                inner.at += 1;
            } else {
                self.parse_attribute_reference(&mut inner);
            }
        }
    }
}
