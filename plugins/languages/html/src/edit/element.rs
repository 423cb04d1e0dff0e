//! Operations that replace an element, insert before or after it, or wrap it.

use marquetry_sdk::{Edit, EditOptions, Operation, Result, Span, Wrapper, lines};

use super::content::{self, FixedLines};
use super::{cannot_insert_error, container};
use crate::location;
use crate::syntax::{Id, Tree};

pub(super) fn edit_element(tree: &Tree, id: Id, operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
    let span = tree.element(id).span();
    let chosen = if options.include_doc { span_with_comments(tree, id) } else { span };
    Ok(match operation {
        Operation::Replace(content) => vec![replace(tree, chosen, content)],
        Operation::ReplaceBody(content) => container::replace_body(tree, id, content)?,
        Operation::InsertBefore(content) => vec![insert_before_comments(tree, id, content)],
        Operation::InsertAfter(content) => vec![insert_after(tree, span, gap_after(tree, span.range().end), content)],
        Operation::InsertInto(insertion) => container::insert_into(tree, id, insertion)?,
        Operation::Wrap(wrapper) => wrap(tree, chosen, wrapper),
        // The caller handles deletions.
        Operation::Delete => Vec::new(),
    })
}

/// Returns the span of an element, including the comments directly above it.
fn span_with_comments(tree: &Tree, id: Id) -> Span {
    let span = tree.element(id).span();
    location::doc_comments(tree, id).map_or(span, |doc| Span { start: doc.start, end: span.end })
}

/// Inserts content before an element and the comments directly above it.
pub(super) fn insert_before_comments(tree: &Tree, id: Id, content: &str) -> Edit {
    let span = span_with_comments(tree, id);
    insert_before(tree, span, gap_before(tree, id, span.range().start), content)
}

pub(super) fn edit_doctype(tree: &Tree, span: Span, operation: &Operation) -> Result<Vec<Edit>> {
    Ok(match operation {
        Operation::Replace(content) => vec![replace(tree, span, content)],
        Operation::InsertBefore(content) => vec![insert_before(tree, span, None, content)],
        Operation::InsertAfter(content) => vec![insert_after(tree, span, None, content)],
        Operation::Wrap(wrapper) => wrap(tree, span, wrapper),
        Operation::ReplaceBody(_) | Operation::InsertInto(_) => {
            return Err(cannot_insert_error("the doctype").hint("use `replace`, `insert_before` or `insert_after`"));
        }
        Operation::Delete => Vec::new(),
    })
}

fn replace(tree: &Tree, span: Span, content: &str) -> Edit {
    let text = &tree.text;
    let start = span.range().start;
    if location::is_on_own_lines(text, span) {
        Edit::new(span, content::indent_markup(content, lines::indent_at(text, start), tree))
    } else {
        Edit::new(span, content::trim_line_breaks(content, tree, start))
    }
}

/// Returns the gap between the previous sibling and an element. The comments above the element are part of the element.
/// `None` if the element is the first child.
fn gap_before(tree: &Tree, id: Id, start: usize) -> Option<Gap<'_>> {
    let end = tree.text[..start].trim_ascii_end().len();
    let parent = tree.self_and_ancestors(id).skip(1).find(|above| !tree.element(*above).implied);
    let first = parent.is_some_and(|parent| tree.element(parent).start_tag.range().end == end);
    (!first && tree.text[..end].ends_with('>')).then(|| gap(&tree.text, end..start))
}

/// Returns the gap between an element and the next sibling. `None` if the element is the last child.
fn gap_after(tree: &Tree, end: usize) -> Option<Gap<'_>> {
    let rest = &tree.text[end..];
    let next = rest.trim_ascii_start();
    let sibling = next.starts_with('<') && !next.starts_with("</");
    sibling.then(|| gap(&tree.text, end..tree.text.len() - next.len()))
}

/// Measures the gap between siblings: the number of line breaks, or the spaces if both are on one line.
pub(super) fn gap(text: &str, between: std::ops::Range<usize>) -> Gap<'_> {
    let between = text.get(between).unwrap_or_default();
    let mut breaks = 0;
    for line in between.lines().skip(1) {
        // Only the line breaks after the last line with a comment are counted.
        breaks = if line.trim().is_empty() { breaks + 1 } else { 0 };
    }
    if between.ends_with('\n') {
        breaks += 1;
    }
    if between.contains('\n') {
        return Gap { breaks: Some(breaks.clamp(1, 3)), spaces: "" };
    }
    Gap { breaks: None, spaces: if between.trim().is_empty() { between } else { "" } }
}

/// Gap between siblings; see [`gap`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap<'t> {
    pub(super) breaks: Option<usize>,
    pub(super) spaces: &'t str,
}

fn insert_before(tree: &Tree, span: Span, near: Option<Gap<'_>>, content: &str) -> Edit {
    let (text, start) = (tree.text.as_str(), span.range().start);
    if location::is_on_own_lines(text, span) {
        let indent = lines::indent_at(text, start);
        let breaks = near.and_then(|near| near.breaks).unwrap_or(1);
        let content = content::indent_markup(content, indent, tree);
        return Edit::insert(start, format!("{content}{}{indent}", "\n".repeat(breaks)));
    }
    let spaces = near.map_or("", |near| near.spaces);
    Edit::insert(start, format!("{}{spaces}", content::trim_line_breaks(content, tree, start)))
}

fn insert_after(tree: &Tree, span: Span, near: Option<Gap<'_>>, content: &str) -> Edit {
    let (text, end) = (tree.text.as_str(), span.range().end);
    if location::is_on_own_lines(text, span) {
        let indent = lines::indent_at(text, span.range().start);
        let breaks = near.and_then(|near| near.breaks).unwrap_or(1);
        let content = content::indent_markup(content, indent, tree);
        return Edit::insert(location::comments_end(text, end), format!("{}{indent}{content}", "\n".repeat(breaks)));
    }
    let spaces = near.map_or("", |near| near.spaces);
    Edit::insert(end, format!("{spaces}{}", content::trim_line_breaks(content, tree, end)))
}

/// Wraps a span. If the span is on separate lines, these are indented by one level. Otherwise the text is added around
/// the span without any indentation.
fn wrap(tree: &Tree, span: Span, wrapper: &Wrapper) -> Vec<Edit> {
    let text = tree.text.as_str();
    let (start, end) = (span.range().start, span.range().end);
    if !location::is_on_own_lines(text, span) {
        return vec![Edit::insert(start, wrapper.before.clone()), Edit::insert(end, wrapper.after.clone())];
    }
    let outer = lines::indent_at(text, start);
    let unit = content::indent_unit(tree);
    let around = WrapText::new(wrapper, outer, &unit, tree);
    let step = around.inner.strip_prefix(outer).unwrap_or(&unit);
    let mut edits = vec![Edit::insert(start, format!("{}\n{}", around.before, around.inner))];
    let wrapped = span.slice(text);
    let frozen = FixedLines::in_markup(wrapped, tree.dialect);
    let mut at = start;
    for (number, line) in wrapped.split_inclusive('\n').enumerate() {
        if number > 0 && !line.trim().is_empty() && !frozen.contains_line(number) {
            edits.push(Edit::insert(at, step));
        }
        at += line.len();
    }
    if !around.after.is_empty() {
        edits.push(Edit::insert(location::comments_end(text, end), format!("\n{}", around.after)));
    }
    edits
}

/// The text to put before and after wrapped lines, with its indentation.
struct WrapText {
    before: String,
    /// Indentation of the wrapped lines.
    inner: String,
    after: String,
}

impl WrapText {
    /// Indents both parts together: they are joined to one text, with a placeholder line for the wrapped lines.
    fn new(wrapper: &Wrapper, outer: &str, unit: &str, tree: &Tree) -> WrapText {
        let before = wrapper.before.trim_matches(['\n', '\r']).trim_end();
        let after = wrapper.after.trim_start_matches(['\n', '\r']).trim_end();
        let deepest = before.lines().next_back().map_or("", indent_of);
        let placed = content::indent_markup(&format!("{before}\n{deepest}{unit}x\n{after}"), outer, tree);
        let lines: Vec<&str> = placed.lines().collect();
        let middle = before.lines().count().min(lines.len());
        let inner = lines.get(middle).map_or("", |line| indent_of(line)).to_owned();
        let rest = lines.get(middle + 1..).unwrap_or_default();
        WrapText { before: lines[..middle].join("\n"), inner, after: rest.join("\n") }
    }
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
