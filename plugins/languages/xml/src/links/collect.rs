//! Collects the links of a document.

use std::ops::Range;

use marquetry_sdk::{Link, Span, stylesheet};

use super::rules::{self, Format, LinkRule, Removal, SpecifierLocation};
use crate::{
    chars,
    document::XmlDocument,
    tree::{Id, Kind, Tree, value},
};

/// A link, and the part of the document that must be deleted to remove it.
#[derive(Debug)]
pub(crate) struct FoundLink {
    pub(crate) link: Link,
    pub(super) removal: Removal,
    /// Attribute or text that contains the link.
    pub(super) container: Span,
}

/// All links of a document, in document order.
pub(crate) fn collect_links(document: &XmlDocument) -> Vec<FoundLink> {
    let mut found = Vec::new();
    let tree = &document.tree;
    if let (Some(system), Some(doctype)) = (tree.dtd.system, tree.dtd.span) {
        add_link(document, &mut found, "dtd", Removal::Nothing, (doctype, system), system.range());
    }
    let format = rules::document_format(document);
    for id in 1..tree.len() {
        match tree.kind(id) {
            Kind::Instruction if tree.written_name(id) == "xml-stylesheet" && !tree.is_from_entity(id) => {
                if let Some(range) = pseudo_attribute(document, id, "href") {
                    add_link(
                        document,
                        &mut found,
                        "stylesheet",
                        Removal::Instruction(id),
                        (tree.span(id), tree.span(id)),
                        range,
                    );
                }
            }
            Kind::Element if !tree.is_from_entity(id) => {
                collect_element_links(document, format, id, &mut found);
                if format == Format::Svg {
                    collect_style_links(document, id, &mut found);
                }
            }
            _ => {}
        }
    }
    found.sort_by_key(|found| found.link.span.start);
    found
}

fn collect_element_links(document: &XmlDocument, format: Format, id: Id, found: &mut Vec<FoundLink>) {
    let (tree, text) = (&document.tree, document.text.as_str());
    for LinkRule { kind, location: place, removal } in rules::element_rules(document, format, id) {
        let statement = match removal {
            Removal::Element(whole) => tree.span(whole),
            _ => tree.span(id),
        };
        match place {
            SpecifierLocation::Attribute(attribute)
            | SpecifierLocation::List(attribute)
            | SpecifierLocation::Pairs(attribute) => {
                if tree.is_default(attribute) || tree.is_from_entity(attribute) {
                    continue;
                }
                let span = tree.span(attribute);
                let value = Tree::value_span(text, span).range();
                let parts = match place {
                    SpecifierLocation::List(_) => split_list(text, value),
                    SpecifierLocation::Pairs(_) => word_ranges(text, value).skip(1).step_by(2).collect(),
                    _ => vec![trim_range(text, value)],
                };
                let statement = if removal == Removal::Attribute { span } else { statement };
                for part in parts {
                    add_link(document, found, kind, removal, (statement, span), part);
                }
            }
            SpecifierLocation::Text | SpecifierLocation::TextToSemicolon => {
                let mut children = tree.children(id);
                let (Some(only), None) = (children.next(), children.next()) else { continue };
                if tree.kind(only) != Kind::Text
                    || tree.explicit_value(only).is_some()
                    || tree.span(only).slice(text).contains('<')
                {
                    continue;
                }
                let span = tree.span(only);
                let mut range = trim_range(text, span.range());
                if place == SpecifierLocation::TextToSemicolon {
                    range = split_list(text, range).into_iter().next().unwrap_or(span.range());
                }
                add_link(document, found, kind, removal, (statement, span), range);
            }
        }
    }
}

/// Adds the links in the CSS of an SVG element, which is in attributes and in the text of `style`.
fn collect_style_links(document: &XmlDocument, id: Id, found: &mut Vec<FoundLink>) {
    let (tree, text) = (&document.tree, document.text.as_str());
    let own = tree.attributes(id).filter(|attribute| !tree.is_default(*attribute) && !tree.is_from_entity(*attribute));
    let values = own.map(|attribute| (tree.span(attribute), Tree::value_span(text, tree.span(attribute)).range()));
    let is_style = tree.names.written_form(tree.name(id)).local() == "style";
    let texts =
        tree.children(id).filter(|child| is_style && tree.kind(*child) == Kind::Text && !tree.is_from_entity(*child));
    let texts = texts.map(|child| (tree.span(child), tree.span(child).range()));
    for (within, range) in values.chain(texts) {
        for (used, address) in stylesheet::urls_in_markup(&text[range.clone()]) {
            let kind = if used == stylesheet::UrlKind::Import { "css-import" } else { "url" };
            let place = range.start + address.start..range.start + address.end;
            add_link(document, found, kind, Removal::Nothing, (tree.span(id), within), place);
        }
    }
}

fn add_link(
    document: &XmlDocument,
    found: &mut Vec<FoundLink>,
    kind: &str,
    removal: Removal,
    spans: (Span, Span),
    range: Range<usize>,
) {
    let specifier = value::decode_attribute(&document.text[range.clone()]).into_owned();
    // A specifier that is only a fragment refers to the document itself. A specifier in braces is a XAML binding.
    if specifier.is_empty() || specifier.starts_with(['#', '{']) {
        return;
    }
    let link = Link {
        kind: kind.to_owned(),
        span: range.into(),
        statement: spans.0,
        specifier,
        names: Vec::new(),
        type_only: false,
    };
    found.push(FoundLink { link, removal, container: spans.1 });
}

fn trim_range(text: &str, range: Range<usize>) -> Range<usize> {
    let source = &text[range.clone()];
    let start = range.start + (source.len() - source.trim_start_matches([' ', '\t', '\n', '\r']).len());
    start..start + chars::trim(source).len()
}

/// Splits a list at `;` and trims the parts. The `;` that ends a character or entity reference is not a separator.
pub(super) fn split_list(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut start, mut at) = (Vec::new(), range.start, range.start);
    while at < range.end {
        match text.as_bytes()[at] {
            b'&' => at += value::parse_reference(&text[at..range.end]).map_or(1, |(_, length)| length),
            b';' => {
                found.push(trim_range(text, start..at));
                at += 1;
                start = at;
            }
            _ => at += 1,
        }
    }
    found.push(trim_range(text, start..range.end));
    found.retain(|part| !part.is_empty());
    found
}

/// Returns the ranges of the words in a range.
fn word_ranges(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let source = &text[range.clone()];
    let place = move |word: &str| range.start + (word.as_ptr() as usize - source.as_ptr() as usize);
    source
        .split([' ', '\t', '\n', '\r'])
        .filter(|word| !word.is_empty())
        .map(move |word| place(word)..place(word) + word.len())
}

/// Returns the range of the value of `name="value"` in a processing instruction.
fn pseudo_attribute(document: &XmlDocument, id: Id, name: &str) -> Option<Range<usize>> {
    let body = document.body(id)?;
    let source = body.slice(&document.text);
    let mut at = 0;
    while let Some(found) = source[at..].find(name) {
        let start = at + found;
        at = start + name.len();
        let alone = source[..start].is_empty() || source[..start].ends_with([' ', '\t', '\n', '\r']);
        let rest = source[at..].trim_start_matches([' ', '\t', '\n', '\r']);
        let Some(rest) = rest.strip_prefix('=').filter(|_| alone) else { continue };
        let rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let value = &rest[1..];
        let end = value.find(quote)?;
        let start = body.range().end - value.len();
        return Some(start..start + end);
    }
    None
}
