//! Converts a document or a pattern to a tree of elements.

use marquetry_sdk::{
    Span,
    structure::{self, Builder, Letters, Metavariable},
};

use super::kind;
use crate::tree::{Id, Kind, Tree};

/// Maximum nesting of elements.
const MAX_DEPTH: usize = 300;

/// Builds the tree of a whole document. For a pattern, `bare` contains the offsets of values without quotes.
pub(super) fn build_tree<'t>(text: &'t str, nodes: &Tree, bare: &[usize]) -> structure::Tree<&'t str> {
    let mut writer =
        TreeWriter { text, nodes, unquoted_values: bare, builder: Builder::new(text, kind::CONTENT), open: Vec::new() };
    let mut at = 1;
    while at < nodes.len() {
        while writer.open.last().is_some_and(|open| nodes.after(*open) <= at) {
            writer.close_element();
        }
        at = writer.add_node(at);
    }
    while !writer.open.is_empty() {
        writer.close_element();
    }
    writer.builder.finish()
}

struct TreeWriter<'w, 't> {
    text: &'t str,
    nodes: &'w Tree,
    unquoted_values: &'w [usize],
    builder: Builder<'t>,
    /// Open elements.
    open: Vec<Id>,
}

impl TreeWriter<'_, '_> {
    /// Adds a node; returns the id of the next one.
    fn add_node(&mut self, id: Id) -> Id {
        let span = self.nodes.span(id);
        // Nodes from entities have no source in the document.
        if self.nodes.is_from_entity(id) {
            return self.nodes.after(id);
        }
        match self.nodes.kind(id) {
            Kind::Element if self.open.len() >= MAX_DEPTH => return self.nodes.after(id),
            Kind::Element => return self.begin_element(id),
            Kind::Text => self.add_text(span.trimmed(self.text)),
            Kind::Comment | Kind::Instruction => self.builder.extra(span),
            Kind::Document | Kind::Attribute => {}
        }
        self.nodes.after(id)
    }

    /// Starts an element; its content follows.
    fn begin_element(&mut self, id: Id) -> Id {
        let span = self.nodes.span(id);
        let start = span.range().start;
        let name = name_span(self.text, start);
        let tag = start..tag_end(self.text, span);
        self.builder.open(kind::ELEMENT, start);
        self.builder.token(name, name, Letters::Exact);
        self.builder.open(kind::ATTRIBUTES, name.range().end);
        self.builder.any_order();
        for declaration in self.nodes.declarations.iter().filter(|declaration| declaration.element == id) {
            if tag.contains(&declaration.span.range().start) {
                self.builder.extra(declaration.span);
            }
        }
        let mut next = id + 1;
        while next < self.nodes.after(id) && self.nodes.kind(next) == Kind::Attribute {
            let span = self.nodes.span(next);
            // The span of a default attribute is in the document type declaration, so it is not in the tag.
            if tag.contains(&span.range().start) {
                self.add_attribute(span);
            }
            next = self.nodes.after(next);
        }
        self.builder.close(tag.end);
        self.builder.open(kind::CONTENT, tag.end);
        self.open.push(id);
        next
    }

    fn add_attribute(&mut self, span: Span) {
        let (start, own) = (span.range().start, span.slice(self.text));
        let named = own.find(|c: char| c == '=' || c.is_ascii_whitespace()).unwrap_or(own.len());
        let name = Span::new(start, start + named);
        let quote = own.find(['"', '\'']).map_or(own.len(), |quote| quote + 1);
        let value = Span::new(
            start + quote.min(own.len()),
            (start + own.len().saturating_sub(1)).max(start + quote.min(own.len())),
        );
        if let Some(metavariable) = Metavariable::parse(name.slice(self.text)).filter(|_| value.is_empty()) {
            self.builder.push_metavariable(kind::ATTRIBUTE, metavariable, span);
            return;
        }
        let outer = Span::new(value.range().start.saturating_sub(1), (value.range().end + 1).min(self.text.len()));
        let outer = if self.unquoted_values.contains(&value.range().start) { value } else { outer };
        self.builder.open(kind::ATTRIBUTE, start);
        self.builder.token(name, name, Letters::Exact);
        self.builder.token(value, outer, Letters::Text);
        self.builder.close(span.range().end);
    }

    /// Adds text. If the text of a pattern consists only of metavariables, they are added instead.
    fn add_text(&mut self, span: Span) {
        let text = span.slice(self.text);
        if text.is_empty() {
            return;
        }
        if text.split_whitespace().all(|word| Metavariable::parse(word).is_some()) {
            for word in text.split_whitespace() {
                let start = word.as_ptr() as usize - self.text.as_ptr() as usize;
                if let Some(metavariable) = Metavariable::parse(word) {
                    self.builder.push_metavariable(kind::TEXT, metavariable, Span::new(start, start + word.len()));
                }
            }
            return;
        }
        self.builder.open(kind::TEXT, span.range().start);
        self.builder.token(span, span, Letters::Prose);
        self.builder.close(span.range().end);
    }

    /// Closes the innermost element.
    fn close_element(&mut self) {
        let Some(id) = self.open.pop() else { return };
        let span = self.nodes.span(id);
        let tag = tag_end(self.text, span);
        let own = &self.text[tag..span.range().end];
        let content = if own.ends_with('>') { own.rfind("</").unwrap_or(own.len()) } else { own.len() };
        self.builder.close(tag + content);
        self.builder.close(span.range().end);
    }
}

/// Returns the span of the name in a tag that starts at this offset.
pub(super) fn name_span(text: &str, tag: usize) -> Span {
    let rest = &text[(tag + 1).min(text.len())..];
    let len = rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).unwrap_or(rest.len());
    Span::new(tag + 1, tag + 1 + len)
}

/// End of the start tag of an element.
fn tag_end(text: &str, element: Span) -> usize {
    let (start, own) = (element.range().start, element.slice(text));
    let mut quote = None;
    for (at, byte) in own.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'>') => return start + at + 1,
            _ => {}
        }
    }
    element.range().end
}
