//! Elements: replaces them and their content, wraps them, and inserts into them.

use marquetry_sdk::{Edit, Failure, Insertion, Position, Result, Span, Wrapper, indent, items, lines};

use super::{
    attribute::Tag,
    content::{self, Content},
    siblings::Siblings,
};
use crate::{
    chars,
    document::XmlDocument,
    outline::KEY_ATTRIBUTES,
    tree::{Id, Kind, Tree},
};

/// Number of siblings on each side that count as near.
const NEAR_SIBLINGS: usize = 16;

/// Position for the content of an element.
enum ContentPosition {
    /// Span between the tags of the element.
    Between(Span),
    /// Span of ` />` in `<a/>`.
    SelfClosing(Span),
}

impl XmlDocument {
    fn content_position(&self, id: Id) -> Result<ContentPosition> {
        if let Some(body) = self.tree.body(&self.text, id) {
            return Ok(ContentPosition::Between(body));
        }
        let span = self.tree.span(id).range();
        let source = &self.text[span.clone()];
        match source.strip_suffix("/>").filter(|_| self.tree.tag_end(&self.text, id) == span.end) {
            Some(tag) => {
                let start = span.start + tag.trim_end_matches([' ', '\t', '\n', '\r']).len();
                Ok(ContentPosition::SelfClosing(Span::new(start, span.end)))
            }
            None => Err(Failure::unsupported(format!("the element `{}` has no end tag", self.tree.written_name(id)))
                .hint("replace the whole element")),
        }
    }

    /// Returns whether the white space around and in the element must stay as it is.
    pub(super) fn preserves_space(&self, id: Id) -> bool {
        content::preserves_space(&self.tree, &self.text, id)
    }

    /// Returns whether a child is part of running text: it does not start its line, and there is text near it.
    pub(super) fn is_within_text(&self, id: Id) -> bool {
        let starts = lines::starts_line(&self.text, self.tree.span(id).range().start);
        let is_text =
            |near: Id| self.tree.kind(near) == Kind::Text && !chars::is_blank(self.tree.span(near).slice(&self.text));
        let before = std::iter::successors(self.tree.previous_sibling(id), |at| self.tree.previous_sibling(*at));
        let behind = std::iter::successors(self.tree.next_sibling(id), |at| self.tree.next_sibling(*at));
        !starts
            && self.tree.parent(id) != Some(0)
            && before.take(NEAR_SIBLINGS).chain(behind.take(NEAR_SIBLINGS)).any(is_text)
    }

    /// Replaces a node by markup.
    pub(super) fn replace_node(&self, id: Id, span: Span, content: &str) -> Edit {
        let verbatim =
            self.is_within_text(id) || self.tree.parent(id).is_some_and(|parent| self.preserves_space(parent));
        if verbatim || self.tree.kind(id) == Kind::Text {
            return Edit::new(span, content);
        }
        Edit::new(
            span,
            Content::for_document(&self.text, content).indented(lines::indent_at(&self.text, span.range().start)),
        )
    }

    /// Replaces the content between the tags of an element.
    pub(super) fn replace_content(&self, id: Id, content: &str) -> Result<Vec<Edit>> {
        let (place, old) = match self.content_position(id)? {
            ContentPosition::Between(body) => (body, body.slice(&self.text)),
            ContentPosition::SelfClosing(end) => (end, ""),
        };
        let is_closed = self.tree.body(&self.text, id).is_none();
        if old.lines().eq(content.lines()) && (old.is_empty() == content.is_empty()) {
            return Ok(Vec::new());
        }
        let read = Content::for_document(&self.text, content);
        let on_line = lines::starts_line(&self.text, self.tree.span(id).range().start);
        let inline = old.contains('<') && !old.contains(['\n', '\r']);
        let block = content::begins_with_break(old) || (read.first_element().is_some() && on_line && !inline);
        let new = if chars::is_blank(content) || self.preserves_space(id) || self.is_within_text(id) || !block {
            content.to_owned()
        } else {
            self.format_block(id, place, &read)
        };
        let name = self.tree.written_name(id);
        Ok(vec![if is_closed { Edit::new(place, format!(">{new}</{name}>")) } else { Edit::new(place, new) }])
    }

    /// Returns the content on separate lines, to be put between the tags of an element.
    fn format_block(&self, id: Id, body: Span, content: &Content<'_>) -> String {
        let unit = indent::unit(&self.text);
        let outer = lines::indent_at(&self.text, self.tree.span(id).range().start);
        let inner = if self.tree.body(&self.text, id).is_some() {
            Siblings::new(self, id, body, &unit).inner_indent()
        } else {
            format!("{outer}{unit}")
        };
        format!("\n{inner}{}\n{outer}", content.indented(&inner))
    }

    /// Inserts content or attributes into an element.
    pub(super) fn insert_content(&self, id: Id, insertion: &Insertion) -> Result<Vec<Edit>> {
        if let Some(attributes) = content::parse_attributes(&insertion.content) {
            return Tag::new(self, id).insert_attributes(&attributes, insertion.position);
        }
        let content = Content::for_document(&self.text, &insertion.content);
        let body = match self.content_position(id)? {
            ContentPosition::Between(body) if self.will_be_block(id, body, &content) => {
                return Ok(vec![Edit::new(body, self.format_block(id, body, &content))]);
            }
            ContentPosition::Between(body) => body,
            ContentPosition::SelfClosing(_) => return self.replace_content(id, &insertion.content),
        };
        let unit = indent::unit(&self.text);
        let siblings = Siblings::new(self, id, body, &unit);
        let index = match insertion.position {
            Position::First => 0,
            Position::Last => siblings.ids().len().max(1),
            Position::Sorted => self.sorted_index(siblings.ids(), &content),
        };
        Ok(siblings.insert_at(index, &content))
    }

    /// Returns whether an empty element will be filled with lines.
    fn will_be_block(&self, id: Id, body: Span, content: &Content<'_>) -> bool {
        let on_line = lines::starts_line(&self.text, self.tree.span(id).range().start);
        let source = body.slice(&self.text);
        chars::is_blank(source)
            && !self.preserves_space(id)
            && (content::begins_with_break(source) || (on_line && content.first_element().is_some()))
    }

    /// Returns the index at which the content is inserted. The content is sorted among the siblings with the same name.
    /// Without such siblings, it is sorted by name among all elements.
    fn sorted_index(&self, siblings: &[Id], content: &Content<'_>) -> usize {
        let Some(element) = content.first_element() else { return siblings.len() };
        let name = content.tree.written_name(element);
        let is_element = |id: Id| self.tree.kind(id) == Kind::Element;
        let same: Vec<usize> = (0..siblings.len())
            .filter(|index| is_element(siblings[*index]) && self.tree.written_name(siblings[*index]) == name)
            .collect();
        if same.is_empty() {
            let named: Vec<usize> = (0..siblings.len()).filter(|index| is_element(siblings[*index])).collect();
            let place = items::sorted_index(named.iter().map(|index| self.tree.written_name(siblings[*index])), name);
            return named.get(place).copied().unwrap_or(siblings.len());
        }
        let attribute = KEY_ATTRIBUTES.iter().find(|key| content.tree.attribute(element, key).is_some());
        let wanted = sort_key(&content.tree, content.text, element, attribute.copied());
        let keys: Vec<String> =
            same.iter().map(|index| sort_key(&self.tree, &self.text, siblings[*index], attribute.copied())).collect();
        let place = items::sorted_index(keys.iter().map(String::as_str), &wanted);
        same.get(place).copied().unwrap_or(same[same.len() - 1] + 1)
    }

    /// Puts text before and after a node. If the node is on separate lines and both texts are tags, the tags get
    /// separate lines.
    pub(super) fn wrap_node(&self, id: Id, wrapper: &Wrapper) -> Vec<Edit> {
        let span = self.tree.span(id);
        let (before, after) = (chars::trim(&wrapper.before), chars::trim(&wrapper.after));
        let (start, end) = (span.range().start, span.range().end);
        let has_lines = lines::starts_line(&self.text, start) && lines::ends_line(&self.text, end);
        let are_tags =
            before.starts_with('<') && !before.starts_with("<!") && before.ends_with('>') && after.starts_with("</");
        let is_free = self.tree.kind(id) != Kind::Text
            && self.tree.parent(id).is_some_and(|parent| !self.preserves_space(parent));
        if !(has_lines && are_tags && is_free) {
            return vec![Edit::insert(start, &*wrapper.before), Edit::insert(end, &*wrapper.after)];
        }
        let outer = lines::indent_at(&self.text, start);
        let inner = format!("{outer}{}", indent::unit(&self.text));
        let (before, after) = (Content::new(before).indented(outer), Content::new(after).indented(outer));
        let source = Content::new(span.slice(&self.text)).indented(&inner);
        vec![Edit::new(span, format!("{before}\n{inner}{source}\n{outer}{after}"))]
    }
}

/// Sort key of an element: an attribute, or its text.
fn sort_key(tree: &Tree, text: &str, element: Id, attribute: Option<&str>) -> String {
    match attribute {
        Some(name) => tree.attribute(element, name).map(|id| tree.value(text, id).into_owned()).unwrap_or_default(),
        None => chars::trim(&tree.string_value(text, element)).to_owned(),
    }
}
