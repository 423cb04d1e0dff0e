//! Edits the entries of SCSS maps, which are separated by commas instead of semicolons.

use marquetry_sdk::{
    Edit, Insertion, Position, Span,
    items::{self, EmptyStyle, Items, NewItem},
};

use super::{
    container::{comment_syntax, start_with_doc},
    content::Style,
    line_comment::split_comments,
};
use crate::{
    chars::Dialect,
    tree::{Kind, Tree},
};

/// Returns whether the value of the item is a map, or empty brackets, which are an empty map.
pub(crate) fn is_map(tree: &Tree, index: u32) -> bool {
    let item = tree.item(index);
    let holds = tree.dialect == Dialect::Scss && matches!(item.kind, Kind::Variable | Kind::Entry);
    let empty = || {
        bracket_content(tree, index)
            .is_some_and(|inner| tree.scan().skip_trivia(inner.range().start) >= inner.range().end)
    };
    holds && (item.next > index + 1 || empty())
}

/// Returns the span of the content of the brackets that are the value of an item.
pub(super) fn bracket_content(tree: &Tree, index: u32) -> Option<Span> {
    let item = tree.item(index);
    let value = item.body_start as usize;
    if !tree.text[value..item.body_end as usize].starts_with('(') {
        return None;
    }
    let end = tree.scan().balanced_end(value);
    (end > value + 1).then(|| Span::new(value + 1, end - 1))
}

/// Calls `work` with the entries of the map. `None` if the value is not in brackets.
fn with_items<T>(tree: &Tree, style: &Style, parent: u32, work: impl FnOnce(&Items<'_>) -> T) -> Option<T> {
    let span = |index: u32| {
        let item = tree.item(index);
        Span::new(start_with_doc(tree, item), item.end as usize)
    };
    let inner = bracket_content(tree, parent)?;
    let items = Items {
        text: &tree.text,
        inner,
        items: tree.children(parent).map(span).collect(),
        separator: ",",
        terminated: false,
        comments: comment_syntax(tree.dialect),
        unit: style.indent_unit(),
        empty: EmptyStyle::Block,
        breaks: 1,
    };
    Some(work(&items))
}

/// Inserts an entry. Line comments at its end are written after the comma.
fn insert_entry(style: &Style, content: &str, items: &Items<'_>, position: usize) -> Vec<Edit> {
    let (entry, comments) = split_comments(content.trim_ascii(), style.dialect);
    let text = style.reindent(entry.trim_end_matches([',', ';']), &items.indent());
    items.insert(position, NewItem { text: &text, comments })
}

pub(crate) fn insert_beside(tree: &Tree, style: &Style, index: u32, content: &str, offset: usize) -> Vec<Edit> {
    let parent = tree.item(index).parent;
    let position = tree.children(parent).position(|child| child == index).unwrap_or(0) + offset;
    with_items(tree, style, parent, |items| insert_entry(style, content, items, position)).unwrap_or_default()
}

pub(crate) fn insert_into(tree: &Tree, style: &Style, index: u32, insertion: &Insertion) -> Vec<Edit> {
    let names: Vec<&str> = tree.children(index).map(|child| tree.name(tree.item(child))).collect();
    let position = match insertion.position {
        Position::First => 0,
        Position::Last => names.len(),
        Position::Sorted => {
            let key = insertion.content.split(':').next().unwrap_or_default().trim_ascii();
            items::sorted_index(names.iter().copied(), key)
        }
    };
    with_items(tree, style, index, |items| insert_entry(style, &insertion.content, items, position)).unwrap_or_default()
}

pub(crate) fn delete(tree: &Tree, style: &Style, parent: u32, entries: &[u32], edits: &mut Vec<Edit>) {
    let is_deleted = |(_, child): &(usize, u32)| entries.binary_search(child).is_ok();
    let positions: Vec<usize> = tree.children(parent).enumerate().filter(is_deleted).map(|(at, _)| at).collect();
    edits.extend(with_items(tree, style, parent, |items| items.delete(&positions)).unwrap_or_default());
}
