//! Positions of the parts of an element, and of attached comments.

use marquetry_sdk::{Span, directives, lines};

use crate::syntax::tree::Attribute;
use crate::syntax::{Dialect, Id, Name, Namespace, Tree};

/// The item that a node id refers to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    Element(Id),
    Attribute(Attribute),
    Doctype(Span),
}

impl Item {
    /// Returns the range that the operation `replace` replaces.
    pub(crate) fn span(self, tree: &Tree) -> Span {
        match self {
            Item::Element(id) => tree.element(id).span(),
            Item::Attribute(attribute) => attribute_span(tree, attribute),
            Item::Doctype(span) => span,
        }
    }
}

/// Returns the span of an attribute, including its value and quotes.
pub(crate) fn attribute_span(tree: &Tree, attribute: Attribute) -> Span {
    let Some(value) = attribute.value else { return attribute.name };
    let end = value.end + u32::from(value_quote(tree, value).is_some());
    Span { start: attribute.name.start, end }
}

/// Returns the opening delimiter of a value: its quote, or the brace or backtick around code in a component. `None` if
/// the value has no delimiters.
pub(crate) fn value_quote(tree: &Tree, value: Span) -> Option<char> {
    let before = tree.text[..value.range().start].chars().next_back();
    let is_code = |c: char| c == '{' && tree.dialect.has_braces() || c == '`' && tree.dialect == Dialect::Astro;
    before.filter(|c| matches!(c, '"' | '\'') || is_code(*c))
}

/// Returns the span of the name in the start tag of an element.
pub(crate) fn tag_name(tree: &Tree, id: Id) -> Span {
    let open = tree.element(id).start_tag;
    let tag = &open.slice(&tree.text)[1..];
    let end = tag.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').unwrap_or(tag.len());
    Span { start: open.start + 1, end: open.start + 1 + end as u32 }
}

/// Returns whether an element can have content.
pub(crate) fn can_have_content(tree: &Tree, id: Id) -> bool {
    let element = tree.element(id);
    let void =
        !tree.dialect.is_xml() && element.namespace == Namespace::HTML && crate::syntax::VOID.contains(element.name);
    !void && !is_self_closed(tree, id)
}

/// Returns whether the element is a single tag, `<name/>`.
pub(crate) fn is_self_closed(tree: &Tree, id: Id) -> bool {
    let element = tree.element(id);
    let closes = tree.dialect.has_exact_names() || element.namespace != Namespace::HTML;
    closes
        && element.end_tag.is_empty()
        && element.inner().is_empty()
        && element.start_tag.slice(&tree.text).ends_with("/>")
}

/// Returns whether white space is significant in the element.
pub(crate) fn keeps_white_space(tree: &Tree, id: Id) -> bool {
    [Name::PRE, Name::TEXTAREA, Name::LISTING, Name::XMP, Name::PLAINTEXT]
        .iter()
        .any(|name| tree.is_html_element(id, *name))
}

/// Returns the span that the operation `replace_body` replaces: the content without surrounding white space. `None` if
/// the element cannot have content.
pub(crate) fn body(tree: &Tree, id: Id) -> Option<Span> {
    if !can_have_content(tree, id) {
        return None;
    }
    let inner = tree.element(id).inner();
    if keeps_white_space(tree, id) {
        return Some(inner);
    }
    let text = inner.slice(&tree.text);
    let start = inner.range().start + (text.len() - text.trim_ascii_start().len());
    let len = text.trim_ascii().len();
    Some(if len == 0 { Span::at(inner.range().start) } else { Span::new(start, start + len) })
}

/// Returns the span of the comments directly above an element, if each is on separate lines.
pub(crate) fn doc_comments(tree: &Tree, id: Id) -> Option<Span> {
    let text = tree.text.as_str();
    let start = tree.element(id).start_tag.range().start;
    if !lines::starts_line(text, start) {
        return None;
    }
    let mut found: Option<Span> = None;
    let mut below = start;
    let end = tree.comments.partition_point(|comment| comment.range().end <= start);
    for comment in tree.comments[..end].iter().rev() {
        let (from, to) = (comment.range().start, comment.range().end);
        let attached = to <= below
            && is_single_line_break(&text[to..below])
            && lines::starts_line(text, from)
            && is_plain_comment(comment.slice(text));
        if !attached {
            break;
        }
        found = Some(Span { start: comment.start, end: found.map_or(comment.end, |found| found.end) });
        below = from;
    }
    found
}

fn is_single_line_break(gap: &str) -> bool {
    gap.trim_ascii().is_empty()
        && (gap.matches('\n').count() == 1 || (!gap.contains('\n') && gap.matches('\r').count() == 1))
}

/// Returns whether a comment describes the element below it. Conditional comments contain markup, and comments such as
/// `#region` are about a part of the file.
fn is_plain_comment(comment: &str) -> bool {
    let Some(content) = comment.strip_prefix("<!--") else { return false };
    !content.starts_with("[if") && !content.starts_with("<![") && !directives::is_about_region(comment)
}

/// Returns whether the lines of the span contain nothing else, except for comments after it.
pub(crate) fn is_on_own_lines(text: &str, span: Span) -> bool {
    lines::starts_line(text, span.range().start) && lines::ends_line(text, comments_end(text, span.range().end))
}

/// Returns the end of the comments that follow the offset on the same line.
pub(crate) fn comments_end(text: &str, offset: usize) -> usize {
    let mut at = offset;
    loop {
        let rest = &text[at..];
        let after_space = rest.trim_start_matches([' ', '\t']);
        let Some(comment) = after_space.strip_prefix("<!--").filter(|comment| !comment.starts_with("[if")) else {
            return at;
        };
        let Some(end) = comment.find("-->").filter(|end| !comment[..*end].contains(['\n', '\r'])) else { return at };
        at += rest.len() - after_space.len() + 4 + end + 3;
    }
}

/// Returns whether the element is `<link rel="stylesheet">`.
pub(crate) fn is_stylesheet_link(tree: &Tree, id: Id) -> bool {
    tree.is_html_element(id, Name::LINK)
        && tree
            .attribute_value(id, "rel")
            .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("stylesheet")))
}
