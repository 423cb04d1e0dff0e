//! Attributes: replaces values, and inserts and deletes attributes in a tag.

use marquetry_sdk::{Edit, FailureKind, Position, Result, Span, fail, items, lines};

use super::content::Attribute;
use crate::{
    chars,
    document::XmlDocument,
    tree::{Id, Tree},
};

/// Replaces an attribute if the content is `name="value"`, otherwise its value.
pub(crate) fn replace(text: &str, span: Span, content: &str) -> Edit {
    let trimmed = chars::trim(content);
    if super::content::parse_attributes(trimmed).is_some() {
        return Edit::new(span, trimmed);
    }
    let quoted = trimmed.len() > 1
        && (trimmed.starts_with('"') || trimmed.starts_with('\''))
        && trimmed.ends_with(&trimmed[..1]);
    let inside = if quoted { &trimmed[1..trimmed.len() - 1] } else { content };
    replace_value(text, span, inside)
}

/// Replaces the value of an attribute, keeping its name and quotes.
pub(crate) fn replace_value(text: &str, span: Span, content: &str) -> Edit {
    let value = Tree::value_span(text, span);
    let quote = text[span.range().start..value.range().start].chars().next_back();
    match quote {
        Some('"') => Edit::new(value, content.replace('"', "&quot;")),
        Some('\'') => Edit::new(value, content.replace('\'', "&apos;")),
        _ => Edit::new(value, content),
    }
}

/// Tag of an element, with its attributes and declarations in source order.
#[derive(Debug)]
pub(crate) struct Tag<'d> {
    text: &'d str,
    name_end: usize,
    /// Names and spans of attributes and declarations.
    pub(crate) attributes: Vec<(String, Span)>,
}

impl<'d> Tag<'d> {
    pub(crate) fn new(document: &'d XmlDocument, element: Id) -> Tag<'d> {
        let tree = &document.tree;
        let own = tree.attributes(element).filter(|id| !tree.is_default(*id));
        let mut attributes: Vec<(String, Span)> =
            own.map(|id| (tree.written_name(id).to_owned(), tree.span(id))).collect();
        for declaration in tree.declarations_of(element) {
            if declaration.span.start >= tree.span(element).start {
                let colon = if declaration.prefix.is_empty() { "" } else { ":" };
                attributes.push((format!("xmlns{colon}{}", declaration.prefix), declaration.span));
            }
        }
        attributes.sort_by_key(|(_, span)| span.start);
        Tag { text: &document.text, name_end: tree.name_span(&document.text, element).range().end, attributes }
    }

    /// Inserts attributes at a position among the existing ones.
    pub(crate) fn insert_attributes(&self, content: &[Attribute<'_>], position: Position) -> Result<Vec<Edit>> {
        for attribute in content {
            if self.attributes.iter().any(|(name, _)| name == attribute.name) {
                let name = attribute.name;
                return Err(fail(
                    FailureKind::InvalidArgument,
                    format!("the element already has an attribute `{name}`"),
                )
                .hint(format!("use `replace` on its address, which ends with `/@{name}`")));
            }
        }
        let index = match position {
            Position::First => 0,
            Position::Last => self.attributes.len(),
            Position::Sorted => {
                let names = self.attributes.iter().map(|(name, _)| name.as_str());
                items::sorted_index(names, content.first().map_or("", |first| first.name))
            }
        };
        Ok(vec![self.insert_at(index, content)])
    }

    /// Inserts attributes before the attribute with this index, or after the last one.
    pub(crate) fn insert_at(&self, index: usize, content: &[Attribute<'_>]) -> Edit {
        let at = index
            .checked_sub(1)
            .and_then(|last| self.attributes.get(last))
            .map_or(self.name_end, |(_, span)| span.range().end);
        let gap = self.separator();
        let text: String = content.iter().map(|attribute| format!("{gap}{}", attribute.source)).collect();
        Edit::insert(at, text)
    }

    /// Separator between two attributes: a space, or a new line if the attributes are on separate
    /// lines.
    fn separator(&self) -> String {
        let on_line = |span: &Span| lines::starts_line(self.text, span.range().start);
        match self.attributes.as_slice() {
            [_, .., (_, last)] if on_line(last) => format!("\n{}", lines::indent_at(self.text, last.range().start)),
            [(_, only)] if on_line(only) => format!("\n{}", lines::indent_at(self.text, only.range().start)),
            _ => " ".to_owned(),
        }
    }
}

/// Deletes an attribute and the white space before it.
pub(crate) fn delete(text: &str, span: Span) -> Edit {
    let start = text[..span.range().start].trim_end_matches([' ', '\t', '\n', '\r']).len();
    Edit::remove(start..span.range().end)
}
