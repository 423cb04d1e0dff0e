//! Converts a page to a tree of the SDK for structural search.

use marquetry_sdk::{
    Span,
    structure::{self, Builder, Letters},
};

use super::{kind, quoted_span};
use crate::{
    location,
    syntax::{Id, Tree},
};

/// Converts a whole page.
pub(super) fn page_tree(page: &Tree) -> structure::Tree<&str> {
    let letters = if page.dialect.has_exact_names() { Letters::Exact } else { Letters::AnyCase };
    let mut writer = TreeWriter { page, builder: Builder::new(&page.text, kind::CONTENT), letters };
    let mut at = 0;
    while at < page.element_count() {
        if page.element(at).implied {
            at += 1;
        } else {
            writer.write_element(at);
            at = page.element(at).end;
        }
    }
    writer.builder.finish()
}

/// A part of the content of an element.
enum Part {
    Element(Id),
    Text,
    Comment,
}

struct TreeWriter<'t> {
    page: &'t Tree,
    builder: Builder<'t>,
    /// Determines whether names are compared case-sensitively.
    letters: Letters,
}

impl TreeWriter<'_> {
    /// Adds an element. Recursion is bounded because the parser limits nesting.
    fn write_element(&mut self, id: Id) {
        let page = self.page;
        let element = page.element(id);
        self.builder.open(kind::ELEMENT, element.start_tag.range().start);
        let name = location::tag_name(page, id);
        self.builder.token(name, name, self.letters);
        self.builder.open(kind::ATTRIBUTES, name.range().end);
        self.builder.any_order();
        for attribute in page.attributes(id) {
            let whole = location::attribute_span(page, *attribute);
            self.builder.open(kind::ATTRIBUTE, whole.range().start);
            self.builder.token(attribute.name, attribute.name, self.letters);
            let value = attribute.value.unwrap_or(Span::at(whole.range().end));
            self.builder.token(value, quoted_span(&page.text, value), Letters::Text);
            self.builder.close(whole.range().end);
        }
        self.builder.close(element.start_tag.range().end);
        self.builder.open(kind::CONTENT, element.inner().range().start);
        for (span, part) in self.content_parts(id) {
            match part {
                Part::Element(child) => self.write_element(child),
                Part::Comment => self.builder.extra(span),
                Part::Text => {
                    self.builder.open(kind::TEXT, span.range().start);
                    self.builder.token(span, span, Letters::Prose);
                    self.builder.close(span.range().end);
                }
            }
        }
        self.builder.close(element.inner().range().end);
        self.builder.close(element.end_tag.range().end);
    }

    fn content_parts(&self, id: Id) -> Vec<(Span, Part)> {
        let (page, inner) = (self.page, self.page.element(id).inner());
        let elements = page.children_with_tags(id).into_iter();
        let mut parts: Vec<(Span, Part)> =
            elements.map(|child| (page.element(child).span(), Part::Element(child))).collect();
        let first = page.comments.partition_point(|comment| comment.start < inner.start);
        for comment in page.comments[first..].iter().take_while(|comment| comment.end <= inner.end) {
            let is_own = parts.iter().all(|(span, part)| !matches!(part, Part::Element(_)) || !span.contains(*comment));
            parts.extend(is_own.then_some((*comment, Part::Comment)));
        }
        let texts =
            page.text_spans(id).into_iter().map(|text| text.trimmed(&page.text)).filter(|text| !text.is_empty());
        parts.extend(texts.map(|text| (text, Part::Text)));
        parts.sort_by_key(|(span, _)| span.start);
        parts
    }
}
