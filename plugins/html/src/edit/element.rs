//! Replacing, inserting beside, and wrapping.

use marquetry_sdk::{Edit, EditOptions, Operation, Result, Span, Wrapper, indent, lines};

use super::content::{self, Frozen};
use super::{container, no_inside};
use crate::place;
use crate::syntax::{Id, Tree};

pub(super) fn edit(tree: &Tree, id: Id, operation: &Operation, options: EditOptions) -> Result<Vec<Edit>> {
    let span = tree.get(id).span();
    let chosen = if options.include_doc { with_doc(tree, id) } else { span };
    Ok(match operation {
        Operation::Replace(content) => vec![replace(tree, chosen, content)],
        Operation::ReplaceBody(content) => container::replace_body(tree, id, content)?,
        Operation::InsertBefore(content) => vec![before(tree, id, content)],
        Operation::InsertAfter(content) => vec![insert_after(tree, span, next(tree, id), content)],
        Operation::InsertInto(insertion) => container::insert_into(tree, id, insertion)?,
        Operation::Wrap(wrapper) => wrap(tree, chosen, wrapper),
        // Deleting and replacing text are answered before.
        Operation::Delete | Operation::ReplaceText(_) => Vec::new(),
    })
}

/// The element with the comments attached to it.
fn with_doc(tree: &Tree, id: Id) -> Span {
    let span = tree.get(id).span();
    place::doc(tree, id).map_or(span, |doc| Span { start: doc.start, end: span.end })
}

/// Content goes before an element and its comments.
pub(super) fn before(tree: &Tree, id: Id, content: &str) -> Edit {
    insert_before(tree, with_doc(tree, id), previous(tree, id), content)
}

pub(super) fn edit_doctype(tree: &Tree, span: Span, operation: &Operation) -> Result<Vec<Edit>> {
    Ok(match operation {
        Operation::Replace(content) => vec![replace(tree, span, content)],
        Operation::InsertBefore(content) => vec![insert_before(tree, span, None, content)],
        Operation::InsertAfter(content) => vec![insert_after(tree, span, None, content)],
        Operation::Wrap(wrapper) => wrap(tree, span, wrapper),
        Operation::ReplaceBody(_) | Operation::InsertInto(_) => {
            return Err(no_inside("the doctype").hint("use `replace`, or insert beside it"));
        }
        Operation::Delete | Operation::ReplaceText(_) => Vec::new(),
    })
}

fn replace(tree: &Tree, span: Span, content: &str) -> Edit {
    let text = &tree.text;
    let start = span.range().start;
    if place::is_on_own_lines(text, span) {
        Edit::new(span, content::place(content, lines::indent_at(text, start), tree.xml))
    } else {
        Edit::new(span, content::inline(content, text, start, tree.xml))
    }
}

/// The siblings beside an element that are written, as spans.
fn beside(tree: &Tree, id: Id) -> Vec<Span> {
    let siblings = match tree.chain(id).skip(1).find(|above| !tree.get(*above).implied) {
        Some(parent) => tree.written_children(parent),
        None => (0..tree.len()).filter(|id| !tree.get(*id).implied).collect(),
    };
    siblings.into_iter().map(|id| tree.get(id).span()).collect()
}

fn previous(tree: &Tree, id: Id) -> Option<Span> {
    let start = tree.get(id).open.start;
    beside(tree, id).into_iter().filter(|span| span.end <= start).max_by_key(|span| span.end)
}

fn next(tree: &Tree, id: Id) -> Option<Span> {
    let end = tree.get(id).close.end;
    beside(tree, id).into_iter().filter(|span| span.start >= end).min_by_key(|span| span.start)
}

/// What stands between a sibling and the place beside it: line breaks, or the spaces on one line.
pub(super) fn gap(text: &str, between: std::ops::Range<usize>) -> Gap<'_> {
    let between = text.get(between).unwrap_or_default();
    let mut breaks = 0;
    for line in between.lines().skip(1) {
        // Comments between do not count as distance.
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

/// See [`gap`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap<'t> {
    pub(super) breaks: Option<usize>,
    pub(super) spaces: &'t str,
}

fn insert_before(tree: &Tree, span: Span, neighbour: Option<Span>, content: &str) -> Edit {
    let (text, start) = (tree.text.as_str(), span.range().start);
    let near = neighbour.map(|previous| gap(text, previous.range().end..start));
    if place::is_on_own_lines(text, span) {
        let indent = lines::indent_at(text, start);
        let breaks = near.and_then(|near| near.breaks).unwrap_or(1);
        let content = content::place(content, indent, tree.xml);
        return Edit::insert(start, format!("{content}{}{indent}", "\n".repeat(breaks)));
    }
    let spaces = near.map_or("", |near| near.spaces);
    Edit::insert(start, format!("{}{spaces}", content::inline(content, text, start, tree.xml)))
}

fn insert_after(tree: &Tree, span: Span, neighbour: Option<Span>, content: &str) -> Edit {
    let (text, end) = (tree.text.as_str(), span.range().end);
    let near = neighbour.map(|next| gap(text, end..next.range().start));
    if place::is_on_own_lines(text, span) {
        let indent = lines::indent_at(text, span.range().start);
        let breaks = near.and_then(|near| near.breaks).unwrap_or(1);
        let content = content::place(content, indent, tree.xml);
        return Edit::insert(place::end_of_comments(text, end), format!("{}{indent}{content}", "\n".repeat(breaks)));
    }
    let spaces = near.map_or("", |near| near.spaces);
    Edit::insert(end, format!("{spaces}{}", content::inline(content, text, end, tree.xml)))
}

/// On lines of its own, what is wrapped goes one step deeper; within a line only text is put around it.
fn wrap(tree: &Tree, span: Span, wrapper: &Wrapper) -> Vec<Edit> {
    let text = tree.text.as_str();
    let (start, end) = (span.range().start, span.range().end);
    if !place::is_on_own_lines(text, span) {
        return vec![Edit::insert(start, wrapper.before.clone()), Edit::insert(end, wrapper.after.clone())];
    }
    let outer = lines::indent_at(text, start);
    let unit = indent::unit(text);
    let before = content::place(&wrapper.before, outer, tree.xml);
    // Several lines of opening tags may go deeper themselves.
    let inner = format!("{}{unit}", before.lines().next_back().filter(|_| before.contains('\n')).map_or(outer, indent_of));
    let step = inner.strip_prefix(outer).unwrap_or(&unit);
    let mut edits = vec![Edit::insert(start, format!("{before}\n{inner}"))];
    let wrapped = span.of(text);
    let frozen = Frozen::of(wrapped, tree.xml);
    let mut at = start;
    for (number, line) in wrapped.split_inclusive('\n').enumerate() {
        if number > 0 && !line.trim().is_empty() && !frozen.has(number) {
            edits.push(Edit::insert(at, step));
        }
        at += line.len();
    }
    let after = content::place(&wrapper.after, outer, tree.xml);
    edits.push(Edit::insert(place::end_of_comments(text, end), format!("\n{outer}{after}")));
    edits
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
