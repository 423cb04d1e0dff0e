//! Start tags with their attributes, and end tags.

use std::collections::HashSet;

use marquetry_sdk::Span;

use super::{OpenElement, Parser, cursor::Cursor};
use crate::{
    chars,
    tree::{Kind, dtd, value},
};

/// Cost of a default attribute that is added to a tag. It counts towards the expansion limit.
const DEFAULT_COST: usize = 16;

/// An attribute of the current tag, as offsets of the cursor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute {
    written: u32,
    start: usize,
    /// Range of the value within its quotes.
    value: (usize, usize),
    end: usize,
    /// True if the value refers to an entity that is not predefined.
    has_entity_reference: bool,
}

impl Parser {
    /// Parses a start tag or an empty-element tag. The cursor is at its `<`.
    pub(super) fn parse_start_tag(&mut self, cursor: &mut Cursor<'_>) {
        self.flush_text(cursor);
        let start = cursor.at;
        cursor.at += 1;
        let name = cursor.read_name();
        if self.open.is_empty() && !self.fragment {
            if self.root_seen {
                self.report_error(cursor, start, cursor.at, format!("a second root element `{name}`"));
            }
            self.root_seen = true;
        }
        let written = self.tree.names.intern(name);
        let empty = self.parse_attributes(cursor, name);
        self.remove_duplicates(cursor);
        let id = self.push_node(Kind::Element, 0, cursor.span(start, cursor.at));
        if cursor.origin.is_some() {
            self.tree.set_explicit_value(id, "", true);
        }
        let declared = self.bind_declarations(cursor, id, name);
        let resolved = self.resolve(cursor, written, start + 1, true);
        self.tree.rename(id, resolved);
        self.tree.names.mark_element(resolved);
        self.tree.names.count_open(written, true);
        self.open.push(OpenElement { id, written, declared });
        self.add_attributes(cursor);
        self.add_defaults(cursor, name);
        if empty {
            let end = cursor.span(start, cursor.at).end;
            self.close_element(end);
        }
    }

    /// Parses attributes up to the end of the tag; returns whether the element is empty.
    fn parse_attributes(&mut self, cursor: &mut Cursor<'_>, element: &str) -> bool {
        self.attributes.clear();
        loop {
            let spaced = cursor.skip_space();
            match cursor.peek() {
                b'>' => {
                    cursor.at += 1;
                    return false;
                }
                b'/' if cursor.eat("/>") => return true,
                b'<' | 0 if cursor.at_end() || cursor.peek() == b'<' => {
                    self.report_error(cursor, cursor.at, cursor.at + 1, format!("the tag `<{element}` has no `>`"));
                    return false;
                }
                _ => self.parse_attribute(cursor, spaced),
            }
        }
    }

    fn parse_attribute(&mut self, cursor: &mut Cursor<'_>, spaced: bool) {
        let start = cursor.at;
        let name = cursor.read_name();
        if name.is_empty() {
            let message = format!("expected an attribute, `>` or `/>`, not {}", cursor.describe_next());
            cursor.skip_character();
            while !cursor.at_end() && !matches!(cursor.peek(), b'>' | b'<' | b'/') && !chars::is_space(cursor.peek()) {
                cursor.skip_character();
            }
            self.report_error(cursor, start, cursor.at, message);
            return;
        }
        if !spaced {
            self.report_error(cursor, start, cursor.at, "expected white space before the attribute");
        }
        let written = self.tree.names.intern(name);
        let name_end = cursor.at;
        cursor.skip_space();
        if !cursor.eat("=") {
            cursor.at = name_end;
            self.report_error(cursor, start, cursor.at, format!("the attribute `{name}` has no value"));
            return;
        }
        cursor.skip_space();
        let quote = cursor.peek();
        if !matches!(quote, b'"' | b'\'') {
            let value = cursor.at;
            while !cursor.at_end()
                && !matches!(cursor.peek(), b'>' | b'<')
                && !chars::is_space(cursor.peek())
                && !cursor.rest().starts_with("/>")
            {
                cursor.skip_character();
            }
            self.report_error(cursor, value, cursor.at, format!("the value of `{name}` is not in quotes"));
            self.attributes.push(Attribute {
                written,
                start,
                value: (value, cursor.at),
                end: cursor.at,
                has_entity_reference: false,
            });
            return;
        }
        cursor.at += 1;
        let value = cursor.at;
        let refers = self.parse_attribute_value(cursor, quote);
        let end = cursor.at;
        if !cursor.at_end() {
            cursor.at += 1;
        }
        self.attributes.push(Attribute {
            written,
            start,
            value: (value, end),
            end: cursor.at,
            has_entity_reference: refers,
        });
    }

    /// Checks a value up to its closing quote; returns whether it refers to declared entities.
    pub(super) fn parse_attribute_value(&mut self, cursor: &mut Cursor<'_>, quote: u8) -> bool {
        let stops = if quote == b'"' { &chars::DOUBLE_QUOTED_STOPS } else { &chars::SINGLE_QUOTED_STOPS };
        let (start, mut refers) = (cursor.at, false);
        loop {
            cursor.at = chars::find_byte(cursor.text.as_bytes(), cursor.at, stops);
            match cursor.peek() {
                0 if cursor.at_end() => {
                    self.report_error(cursor, start, start + 1, "the value of an attribute has no closing quote");
                    return refers;
                }
                byte if byte == quote => return refers,
                b'<' => {
                    self.report_error(
                        cursor,
                        cursor.at,
                        cursor.at + 1,
                        "`<` in the value of an attribute: write `&lt;`",
                    );
                    cursor.at += 1;
                }
                b'&' => refers |= self.parse_attribute_reference(cursor),
                _ => self.check_suspect_char(cursor),
            }
        }
    }

    /// Binds the namespaces that are declared by `xmlns` attributes of the tag and by DTD defaults. Returns their
    /// number.
    fn bind_declarations(&mut self, cursor: &Cursor<'_>, element: u32, name: &str) -> u32 {
        let before = self.tree.declarations.len();
        for index in 0..self.attributes.len() {
            let attribute = self.attributes[index];
            let source = &cursor.text[attribute.start..];
            if !source.starts_with("xmlns") {
                continue;
            }
            let Some(prefix) = declared_prefix(&source[..chars::name_end(source, 0)]) else { continue };
            let uri = self.normalized_value(cursor, &attribute, name);
            let span = cursor.span(attribute.start, attribute.end);
            self.declare(cursor, element, prefix, &uri, (span, attribute.start));
        }
        for index in 0..self.default_count(name) {
            let Some((default, _)) = self.missing_default(name, index) else { continue };
            if let Some(prefix) = declared_prefix(&default.name) {
                self.declare(cursor, element, prefix, &default.value, (default.span, cursor.at));
            }
        }
        (self.tree.declarations.len() - before) as u32
    }

    /// Returns the number of default attributes of an element, or 0 if the expansion limit is used up.
    fn default_count(&self, element: &str) -> usize {
        if self.allowance == 0 {
            return 0;
        }
        self.tree.dtd.attributes_of(element).map_or(0, |declared| declared.defaults.len())
    }

    /// Returns the default attribute with this index and the number of its name, unless the current tag has the
    /// attribute.
    fn missing_default(&mut self, element: &str, index: usize) -> Option<(dtd::DefaultAttribute, u32)> {
        let default = self.tree.dtd.attributes_of(element)?.defaults.get(index)?.clone();
        let written = self.tree.names.intern(&default.name);
        (!self.tree.names.is_seen(written, self.tag_count)).then_some((default, written))
    }

    /// Value of an attribute, normalised according to its type.
    fn normalized_value(&mut self, cursor: &Cursor<'_>, attribute: &Attribute, element: &str) -> String {
        let source = &cursor.text[attribute.value.0..attribute.value.1];
        let resolved = if attribute.has_entity_reference {
            self.expand_attribute(cursor, source)
        } else {
            value::decode_attribute(source).into_owned()
        };
        let name = self.tree.names.written(attribute.written).text();
        match self.tree.dtd.type_of(element, name) {
            Some(dtd::Type::Identifier | dtd::Type::References | dtd::Type::Tokens) => value::collapse_space(&resolved),
            _ => resolved,
        }
    }

    /// Adds a node for each attribute that is not a namespace declaration.
    fn add_attributes(&mut self, cursor: &Cursor<'_>) {
        let first = self.tree.len();
        let element = self.open.last().map_or(0, |open| open.written);
        let typed = !self.tree.dtd.attributes.is_empty();
        for index in 0..self.attributes.len() {
            let attribute = self.attributes[index];
            if declared_prefix(self.tree.names.written(attribute.written).text()).is_some() {
                continue;
            }
            let name = self.resolve(cursor, attribute.written, attribute.start, false);
            let id = self.push_node(Kind::Attribute, name, cursor.span(attribute.start, attribute.end));
            if attribute.has_entity_reference || typed || cursor.origin.is_some() {
                let element = self.tree.names.written(element).text().to_owned();
                let value = self.normalized_value(cursor, &attribute, &element);
                let source = &cursor.text[attribute.value.0..attribute.value.1];
                if cursor.origin.is_some() || *value != *value::decode_attribute(source) {
                    self.tree.set_explicit_value(id, value, cursor.origin.is_some());
                }
            }
        }
        self.check_expanded_names(cursor, first);
    }

    /// Reports and removes repeated attributes.
    fn remove_duplicates(&mut self, cursor: &Cursor<'_>) {
        self.tag_count += 1;
        let mut attributes = std::mem::take(&mut self.attributes);
        attributes.retain(|attribute| {
            let is_new = self.tree.names.mark_seen(attribute.written, self.tag_count);
            if !is_new {
                let name = self.tree.names.written(attribute.written).text();
                let message = format!("duplicate attribute `{name}`");
                self.report_error(cursor, attribute.start, attribute.start + name.len(), message);
            }
            is_new
        });
        self.attributes = attributes;
    }

    /// Checks that no two attributes have the same local name and namespace.
    fn check_expanded_names(&mut self, cursor: &Cursor<'_>, first: u32) {
        let prefixed: Vec<u32> =
            (first..self.tree.len()).filter(|id| self.tree.names.namespace_of(self.tree.name(*id)) != 0).collect();
        let mut seen = HashSet::new();
        for id in prefixed {
            if !seen.insert(self.tree.names.expanded_of(self.tree.name(id))) {
                let message = format!("duplicate attribute `{}`, under two prefixes", self.tree.written_name(id));
                let span: Span = self.tree.span(id);
                let at = if cursor.origin.is_some() { cursor.at } else { span.range().start };
                self.report_error(cursor, at, at, message);
            }
        }
    }

    /// Adds those default attributes from the DTD that the tag does not have.
    fn add_defaults(&mut self, cursor: &Cursor<'_>, element: &str) {
        for index in 0..self.default_count(element) {
            let Some((default, written)) = self.missing_default(element, index) else { continue };
            if declared_prefix(&default.name).is_some() {
                continue;
            }
            if !self.spend_allowance(cursor, cursor.at, DEFAULT_COST) {
                return;
            }
            let name = self.resolve(cursor, written, cursor.at, false);
            let id = self.push_node(Kind::Attribute, name, default.span);
            self.tree.set_explicit_value(id, default.value, cursor.origin.is_some());
        }
    }

    /// Parses an end tag. The cursor is at its `<`. It cannot close the outermost `floor` elements.
    pub(super) fn parse_end_tag(&mut self, cursor: &mut Cursor<'_>, floor: usize) {
        let start = cursor.at;
        if let Some(open) = self.open.last().filter(|_| self.open.len() > floor) {
            let name = self.tree.names.written(open.written).text();
            let rest = &cursor.text.as_bytes()[start + 2..];
            if rest.starts_with(name.as_bytes()) && rest.get(name.len()) == Some(&b'>') {
                cursor.at = start + 2 + name.len() + 1;
                self.flush_text(cursor);
                self.close_element(cursor.span(start, cursor.at).end);
                return;
            }
        }
        self.parse_irregular_end_tag(cursor, floor);
    }

    /// Parses an end tag that contains white space or an error.
    fn parse_irregular_end_tag(&mut self, cursor: &mut Cursor<'_>, floor: usize) {
        let start = cursor.at;
        cursor.at += 2;
        let name = cursor.read_name();
        cursor.skip_space();
        if !cursor.eat(">") {
            let message = format!("expected `>` at the end of `</{name}`, not {}", cursor.describe_next());
            self.report_error(cursor, cursor.at, cursor.at + 1, message);
            // The rest of the line up to the `>` belongs to the tag.
            let line = memchr::memchr3(b'>', b'<', b'\n', cursor.rest().as_bytes())
                .map_or(cursor.text.len(), |at| cursor.at + at);
            cursor.at = if cursor.text[line..].starts_with('>') { line + 1 } else { cursor.at };
        }
        // Search the open elements only if one of them has this name.
        let is_open =
            self.tree.names.find_written(name).filter(|written| self.tree.names.written(*written).open_count > 0);
        let matching = is_open.and_then(|written| self.open[floor..].iter().rposition(|open| open.written == written));
        let Some(index) = matching else {
            let expected =
                self.open[floor..].last().map(|open| self.tree.names.written(open.written).text().to_owned());
            let message = match expected {
                Some(expected) => format!("expected the end tag `</{expected}>`, not `</{name}>`"),
                None => format!("the end tag `</{name}>` has no start tag"),
            };
            self.report_error(cursor, start, cursor.at, message);
            // Keep the source of the end tag as text, so that all source belongs to nodes.
            self.append_source(cursor, start, cursor.at);
            return;
        };
        let end = cursor.at;
        cursor.at = start;
        self.flush_text(cursor);
        self.close_to(floor + index + 1, cursor);
        cursor.at = end;
        self.close_element(cursor.span(start, end).end);
    }
}

/// Returns the prefix that an attribute with this name declares; it is empty for the default namespace.
fn declared_prefix(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("xmlns")?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix(':').filter(|prefix| chars::is_ncname(prefix)) }
}
