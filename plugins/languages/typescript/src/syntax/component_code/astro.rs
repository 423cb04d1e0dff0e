//! Code for the templates of Astro, whose expressions contain markup: `{list.map((item) => <li>{item}</li>)}`.

use std::ops::Range;

use super::astro_scan::{Piece, expression_end, pieces_of};
use super::markup::{Attribute, Tag, is_name, read_tag, tag_name};
use super::patterns::trim;
use super::writer::Writer;

/// Maximum depth of markup in expressions.
const DEEPEST: usize = 40;

/// Writes the code of a template, which consists of several parts around scripts and styles.
pub(super) fn write(writer: &mut Writer<'_>, parts: &[Range<usize>]) {
    for part in parts {
        AstroTemplate { writer, depth: 0 }.write(part.clone());
    }
}

struct AstroTemplate<'w, 't> {
    writer: &'w mut Writer<'t>,
    depth: usize,
}

impl AstroTemplate<'_, '_> {
    fn write(&mut self, part: Range<usize>) {
        let text = self.writer.source;
        let mut at = part.start;
        while let Some(next) = text[at..part.end].find(['<', '{']).map(|next| at + next) {
            let rest = &text[next..part.end];
            if rest.starts_with("<!--") {
                at = rest.find("-->").map_or(part.end, |end| next + end);
            } else if let Some(closing) = rest.strip_prefix("</") {
                let name = tag_name(text, part.end - closing.len(), part.end);
                if is_component(&text[name.clone()]) {
                    self.writer.raw("<");
                    self.writer.copy(name);
                    self.writer.raw("/>;");
                }
                at = next + 2;
            } else if rest.starts_with('{') {
                let Some(end) = expression_end(text, next..part.end) else { break };
                self.expression(next + 1..end - 1);
                self.writer.raw(";");
                at = end;
            } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                let Some(tag) = read_tag(text, next..part.end, true) else { break };
                self.write_tag(&tag);
                at = tag.end;
            } else {
                at = next + 1;
            }
        }
    }

    /// Writes an expression in parentheses. Markup in it becomes a function that is called.
    fn expression(&mut self, range: Range<usize>) {
        let text = self.writer.source;
        let pieces = pieces_of(text, range.clone());
        let mut plain = String::new();
        for piece in &pieces {
            match piece {
                Piece::Code(code) => plain.push_str(&text[code.clone()]),
                Piece::Markup(_) => plain.push('0'),
            }
        }
        if text[range.clone()].trim().is_empty() {
            return self.writer.raw("0");
        }
        if self.depth > DEEPEST || !self.writer.is_expression(&plain) {
            self.writer.reject(range);
            return self.writer.raw("0");
        }
        self.writer.raw("(");
        for piece in pieces {
            match piece {
                Piece::Code(code) => self.writer.copy(code),
                Piece::Markup(markup) => {
                    self.writer.raw("(() => {");
                    self.depth += 1;
                    self.write(markup);
                    self.depth -= 1;
                    self.writer.raw("})()");
                }
            }
        }
        self.writer.raw("\n)");
    }

    fn write_tag(&mut self, tag: &Tag) {
        let text = self.writer.source;
        if !is_component(&text[tag.name.clone()]) {
            return tag.attributes.iter().for_each(|attribute| self.write_attribute(attribute));
        }
        let mut rest = Vec::new();
        self.writer.raw("<");
        self.writer.copy(tag.name.clone());
        for attribute in &tag.attributes {
            let name = &text[attribute.name.clone()];
            match attribute.value.clone() {
                None if name.starts_with('{') => self.write_braces(attribute.name.clone()),
                _ if !is_name(name) || name == "slot" => rest.push(attribute),
                None => {
                    self.writer.raw(" ");
                    self.writer.copy(attribute.name.clone());
                }
                Some(value) => self.write_prop(attribute, value),
            }
        }
        self.writer.raw("/>;");
        rest.into_iter().for_each(|attribute| self.write_attribute(attribute));
    }

    fn write_prop(&mut self, attribute: &Attribute, value: Range<usize>) {
        let text = self.writer.source;
        self.writer.raw(" ");
        self.writer.copy(attribute.name.clone());
        if attribute.is_quoted {
            if !text[value.clone()].contains(['&', '\\', '\n']) {
                self.writer.raw("=");
                self.writer.copy(value.start - 1..value.end + 1);
            }
            return;
        }
        self.writer.raw("={");
        self.expression(code_of_value(text, value));
        self.writer.raw("}");
    }

    /// Writes `{name}` or `{...value}` as attribute of a component.
    fn write_braces(&mut self, place: Range<usize>) {
        let text = self.writer.source;
        let inner = trim(text, place.start + 1..place.end - 1);
        if let Some(value) = text[inner.clone()].strip_prefix("...") {
            self.writer.raw(" {...");
            self.expression(inner.end - value.len()..inner.end);
            self.writer.raw("}");
        } else if is_name(&text[inner.clone()]) {
            self.writer.raw(" ");
            self.writer.copy(inner.clone());
            self.writer.raw("={");
            self.writer.copy(inner);
            self.writer.raw("}");
        }
    }

    /// Writes the code of an attribute of an element of the platform.
    fn write_attribute(&mut self, attribute: &Attribute) {
        let text = self.writer.source;
        if text[attribute.name.clone()].starts_with('{') {
            self.writer.raw("<i");
            self.write_braces(attribute.name.clone());
            return self.writer.raw("/>;");
        }
        if let Some(value) = attribute.value.clone().filter(|_| !attribute.is_quoted)
            && text[value.clone()].starts_with(['{', '`'])
        {
            self.expression(code_of_value(text, value));
            self.writer.raw(";");
        }
    }
}

/// Returns the code of a value without its braces. A template literal is code itself.
fn code_of_value(text: &str, value: Range<usize>) -> Range<usize> {
    if text[value.clone()].starts_with('{') { value.start + 1..value.end - 1 } else { value }
}

fn is_component(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase()) || name.contains('.') && !name.contains(':')
}
