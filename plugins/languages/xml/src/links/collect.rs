//! Collects the links of a document.

use std::ops::Range;

use marquetry_sdk::{Link, Span, stylesheet};

use super::rules::{self, Format, Place, Removal, Rule};
use crate::{
    chars,
    document::XmlDocument,
    tree::{Id, Kind, Tree, value},
};

/// A link, and what is deleted to remove it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) link: Link,
    pub(super) removal: Removal,
    /// Attribute or text that contains it.
    pub(super) within: Span,
}

/// All links of a document, in document order.
pub(crate) fn links(document: &XmlDocument) -> Vec<Found> {
    let mut found = Vec::new();
    let tree = &document.tree;
    if let (Some(system), Some(doctype)) = (tree.dtd.system, tree.dtd.span) {
        add(document, &mut found, "dtd", Removal::Nothing, (doctype, system), system.range());
    }
    let format = rules::format(document);
    for id in 1..tree.len() {
        match tree.kind(id) {
            Kind::Instruction if tree.written(id) == "xml-stylesheet" && !tree.is_shared(id) => {
                if let Some(range) = pseudo_attribute(document, id, "href") {
                    add(
                        document,
                        &mut found,
                        "stylesheet",
                        Removal::Instruction(id),
                        (tree.span(id), tree.span(id)),
                        range,
                    );
                }
            }
            Kind::Element if !tree.is_shared(id) => {
                of_element(document, format, id, &mut found);
                if format == Format::Svg {
                    of_style(document, id, &mut found);
                }
            }
            _ => {}
        }
    }
    found.sort_by_key(|found| found.link.span.start);
    found
}

fn of_element(document: &XmlDocument, format: Format, id: Id, found: &mut Vec<Found>) {
    let (tree, text) = (&document.tree, document.text.as_str());
    for Rule { kind, place, removal } in rules::of_element(document, format, id) {
        let statement = match removal {
            Removal::Element(whole) => tree.span(whole),
            _ => tree.span(id),
        };
        match place {
            Place::Attribute(attribute) | Place::List(attribute) | Place::Pairs(attribute) => {
                if tree.is_default(attribute) || tree.is_shared(attribute) {
                    continue;
                }
                let span = tree.span(attribute);
                let value = Tree::quoted(text, span).range();
                let parts = match place {
                    Place::List(_) => parts(text, value),
                    Place::Pairs(_) => words(text, value).skip(1).step_by(2).collect(),
                    _ => vec![trimmed(text, value)],
                };
                let statement = if removal == Removal::Attribute { span } else { statement };
                for part in parts {
                    add(document, found, kind, removal, (statement, span), part);
                }
            }
            Place::Text | Place::TextToSemicolon => {
                let mut children = tree.children(id);
                let (Some(only), None) = (children.next(), children.next()) else { continue };
                if tree.kind(only) != Kind::Text || tree.given(only).is_some() || tree.span(only).of(text).contains('<')
                {
                    continue;
                }
                let span = tree.span(only);
                let mut range = trimmed(text, span.range());
                if place == Place::TextToSemicolon {
                    range = parts(text, range).into_iter().next().unwrap_or(span.range());
                }
                add(document, found, kind, removal, (statement, span), range);
            }
        }
    }
}

/// Adds the addresses in the CSS of an SVG element: in attributes and in the text of `style`.
fn of_style(document: &XmlDocument, id: Id, found: &mut Vec<Found>) {
    let (tree, text) = (&document.tree, document.text.as_str());
    let own = tree.attributes(id).filter(|attribute| !tree.is_default(*attribute) && !tree.is_shared(*attribute));
    let values = own.map(|attribute| (tree.span(attribute), Tree::quoted(text, tree.span(attribute)).range()));
    let is_style = tree.names.of(tree.name(id)).local() == "style";
    let texts =
        tree.children(id).filter(|child| is_style && tree.kind(*child) == Kind::Text && !tree.is_shared(*child));
    let texts = texts.map(|child| (tree.span(child), tree.span(child).range()));
    for (within, range) in values.chain(texts) {
        for (used, address) in stylesheet::addresses_in_markup(&text[range.clone()]) {
            let kind = if used == stylesheet::Use::Import { "css-import" } else { "url" };
            let place = range.start + address.start..range.start + address.end;
            add(document, found, kind, Removal::Nothing, (tree.span(id), within), place);
        }
    }
}

fn add(
    document: &XmlDocument,
    found: &mut Vec<Found>,
    kind: &str,
    removal: Removal,
    spans: (Span, Span),
    range: Range<usize>,
) {
    let specifier = value::of_attribute(&document.text[range.clone()]).into_owned();
    // A bare fragment refers to the document itself; braces are XAML bindings.
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
    found.push(Found { link, removal, within: spans.1 });
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let source = &text[range.clone()];
    let start = range.start + (source.len() - source.trim_start_matches([' ', '\t', '\n', '\r']).len());
    start..start + chars::trim(source).len()
}

/// Splits a list at `;`, without surrounding white space. The `;` of a reference does not separate.
pub(super) fn parts(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut start, mut at) = (Vec::new(), range.start, range.start);
    while at < range.end {
        match text.as_bytes()[at] {
            b'&' => at += value::reference(&text[at..range.end]).map_or(1, |(_, length)| length),
            b';' => {
                found.push(trimmed(text, start..at));
                at += 1;
                start = at;
            }
            _ => at += 1,
        }
    }
    found.push(trimmed(text, start..range.end));
    found.retain(|part| !part.is_empty());
    found
}

/// Ranges of the words in a range.
fn words(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let source = &text[range.clone()];
    let place = move |word: &str| range.start + (word.as_ptr() as usize - source.as_ptr() as usize);
    source
        .split([' ', '\t', '\n', '\r'])
        .filter(|word| !word.is_empty())
        .map(move |word| place(word)..place(word) + word.len())
}

/// Range of the value in `name="value"` in a processing instruction.
fn pseudo_attribute(document: &XmlDocument, id: Id, name: &str) -> Option<Range<usize>> {
    let body = document.body(id)?;
    let source = body.of(&document.text);
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
