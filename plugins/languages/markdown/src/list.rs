//! List items: finds their markers, and formats new items.

use std::collections::HashSet;

use marquetry_sdk::{Edit, FailureKind, Position, Result, Span, fail, items};

use crate::blocks::{Detail, Kind, collapse_space};
use crate::document::MarkdownDocument;
use crate::insertion::{count_breaks, line_breaks, prefix_at, prefix_lines};

/// Returns the length of an item's marker, including the space after it.
pub(crate) fn marker_length(item: &str) -> usize {
    let digits = item.len() - item.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marker = (digits + 1).min(item.len());
    let rest = item.get(marker..).unwrap_or_default();
    let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let blank = rest[space..].is_empty() || rest[space..].starts_with(['\n', '\r']);
    match space {
        _ if blank => marker,
        1..=4 => marker + space,
        _ => marker + space.min(1),
    }
}

/// Returns the prefix followed by spaces as wide as the marker.
fn with_marker_indent(prefix: &str, marker: &str) -> String {
    let advance = |column: usize, c: char| if c == '\t' { column + 4 - column % 4 } else { column + 1 };
    let start = prefix.chars().fold(0, advance);
    let width = marker.chars().fold(start, advance) - start;
    format!("{prefix}{}", " ".repeat(width.max(2)))
}

/// Returns the prefix of the lines after the first in an item, quote or footnote.
pub(crate) fn inner_prefix(document: &MarkdownDocument, id: u32) -> String {
    let block = document.block(id);
    let outer = prefix_at(&document.text, block.span.range().start);
    match block.kind {
        Kind::Item => {
            let source = document.source(id);
            with_marker_indent(&outer, &source[..marker_length(source)])
        }
        Kind::Quote => format!("{outer}> "),
        _ => format!("{outer}    "),
    }
}

/// Format of the items of a list, for creating a similar list.
pub(crate) struct ListStyle {
    /// The marker of the first item, including the space after it.
    pub(crate) marker: String,
    /// True if each number is one more than the previous number.
    pub(crate) is_consecutive: bool,
    /// Number of line breaks between two items.
    pub(crate) breaks: usize,
}

/// Returns the format of the items of this list.
pub(crate) fn list_style(document: &MarkdownDocument, list: u32) -> ListStyle {
    let list = List::new(document, list);
    ListStyle { marker: list.new_marker(0), is_consecutive: list.is_consecutive(), breaks: list.breaks(0) }
}

/// A list and the format of its items.
struct List<'d> {
    document: &'d MarkdownDocument,
    items: Vec<u32>,
    ordered: bool,
    tasks: bool,
}

impl<'d> List<'d> {
    fn new(document: &'d MarkdownDocument, list: u32) -> List<'d> {
        let items = document.tree().children(list).filter(|child| document.block(*child).kind == Kind::Item);
        List {
            document,
            items: items.collect(),
            ordered: document.block(list).detail == Detail::Ordered,
            tasks: document.is_task_list(list),
        }
    }

    fn span(&self, index: usize) -> Span {
        self.document.block(self.items[index]).span
    }

    /// Returns the marker of an item, including the space after it.
    fn marker(&self, index: usize) -> &'d str {
        let source = self.document.source(self.items[index]);
        &source[..marker_length(source)]
    }

    fn item_number(&self, index: usize) -> Option<u64> {
        let marker = self.marker(index).trim_end();
        marker.get(..marker.len().saturating_sub(1))?.parse().ok()
    }

    /// Returns whether each number is one more than the previous number.
    fn is_consecutive(&self) -> bool {
        self.ordered && (self.items.len() < 2 || self.item_number(1) == self.item_number(0).map(|first| first + 1))
    }

    /// Returns the marker of a new item.
    fn new_marker(&self, index: usize) -> String {
        let like = self.marker(0);
        let space = if like.trim_end() == like { " " } else { &like[like.trim_end().len()..] };
        let like = like.trim_end();
        if !self.ordered {
            return format!("{like}{space}");
        }
        let first = self.item_number(0).unwrap_or(1);
        let number = if self.is_consecutive() { first + index as u64 } else { first };
        format!("{number}{}{space}", like.trim_start_matches(|c: char| c.is_ascii_digit()))
    }

    /// Returns an item with this content.
    fn format_item(&self, index: usize, body: &str, prefix: &str) -> String {
        let marker = self.new_marker(index);
        let task = if self.tasks && check_box(body).is_none() { "[ ] " } else { "" };
        let inner = with_marker_indent(prefix, &marker);
        format!("{marker}{task}{}", prefix_lines(body, &inner))
    }

    /// Returns the number of line breaks between the items near this index.
    fn breaks(&self, index: usize) -> usize {
        if self.items.len() < 2 {
            return 1;
        }
        let near = index.saturating_sub(1).min(self.items.len() - 2);
        let between = self.span(near).range().end..self.span(near + 1).range().start;
        count_breaks(&self.document.text, between).clamp(1, 3)
    }

    /// Inserts items before the item with this index, or after the last item if the index is larger.
    fn insert(&self, index: usize, bodies: &[String]) -> Vec<Edit> {
        let text = &self.document.text;
        let count = self.items.len();
        let near = self.span(index.min(count - 1)).range();
        let prefix = prefix_at(text, near.start);
        let gap = line_breaks(self.breaks(index), &prefix);
        let new: Vec<String> =
            bodies.iter().enumerate().map(|(at, body)| self.format_item(index + at, body, &prefix)).collect();
        if index >= count {
            let list = self.document.block(self.items[0]).parent;
            let span = self.document.block(list).span;
            let behind = self.document.blank_line_after_content(list, span, bodies.last().map_or("", String::as_str));
            return vec![Edit::insert(near.end, format!("{gap}{}{behind}", new.join(&gap)))];
        }
        let mut edits = vec![Edit::insert(near.start, format!("{}{gap}", new.join(&gap)))];
        let moved = (index..count).map(|at| (at, at + bodies.len()));
        edits.extend(self.renumber(moved.collect()));
        edits
    }

    /// Renumbers items whose position changed. Items are not renumbered if the indentation of their contents would
    /// change.
    fn renumber(&self, moved: Vec<(usize, usize)>) -> Vec<Edit> {
        let Some(first) = self.item_number(0).filter(|_| self.is_consecutive()) else { return Vec::new() };
        let mut edits = Vec::new();
        for (item, index) in moved {
            let (old, new) = (self.item_number(item), first + index as u64);
            let start = self.span(item).range().start;
            let digits =
                self.marker(item).len() - self.marker(item).trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let new = new.to_string();
            if new.len() != digits && self.document.source(self.items[item]).contains(['\n', '\r']) {
                return Vec::new();
            }
            if old != new.parse().ok() {
                edits.push(Edit::new(start..start + digits, new));
            }
        }
        edits
    }
}

/// Returns the length of the check box that a text begins with, including the white space after it.
pub(crate) fn check_box(text: &str) -> Option<usize> {
    let rest = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark))?;
    Some(text.len() - rest.trim_start_matches([' ', '\t']).len())
}

/// Splits content that is a list into its items. Any other content is one item.
fn split_items(content: &str) -> Vec<String> {
    let content = dedent(content);
    let parsed = MarkdownDocument::new("content.md", content);
    let tree = parsed.tree();
    let whole = parsed.text.trim_end().len();
    let is_list = tree.blocks.first().is_some_and(|list| list.kind == Kind::List && list.span.range() == (0..whole));
    if !is_list {
        return vec![parsed.text.clone()];
    }
    let items = tree.children(0).map(|item| {
        let source = parsed.source(item);
        let marker = marker_length(source);
        let inside = |line: &str| {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            line[indent.min(marker)..].to_owned()
        };
        let rest = source[marker..].lines().skip(1).map(inside);
        let first = source[marker..].lines().next().unwrap_or_default().to_owned();
        std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n")
    });
    items.collect()
}

/// Returns whether the content is a list of the same type (ordered or unordered) as the list with this detail.
pub(crate) fn is_list(content: &str, detail: Detail) -> bool {
    let parsed = MarkdownDocument::new("content.md", dedent(content));
    let blocks = &parsed.tree().blocks;
    blocks
        .first()
        .is_some_and(|list| list.kind == Kind::List && list.end as usize == blocks.len() && list.detail == detail)
}

/// Removes the common indentation of all lines.
fn dedent(content: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let least = content.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    content.lines().map(|line| line.get(least..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Inserts items into a list.
pub(crate) fn insert(document: &MarkdownDocument, list: u32, content: &str, position: Position) -> Result<Vec<Edit>> {
    let list = List::new(document, list);
    let bodies = split_items(content);
    Ok(match position {
        Position::First => list.insert(0, &bodies),
        Position::Last => list.insert(list.items.len(), &bodies),
        Position::Sorted => {
            let keys: Vec<String> = list.items.iter().map(|item| sort_key(document, *item)).collect();
            let [body] = bodies.as_slice() else {
                return Err(fail(FailureKind::InvalidArgument, "`sorted` inserts only one item at a time")
                    .hint("insert the items one by one, or use the position `first` or `last`"));
            };
            let wanted = text_sort_key(body);
            list.insert(items::sorted_index(keys.iter().map(String::as_str), &wanted), &bodies)
        }
    })
}

/// Returns the text by which an item is sorted.
fn sort_key(document: &MarkdownDocument, item: u32) -> String {
    let source = document.source(item);
    text_sort_key(&source[marker_length(source)..])
}

fn text_sort_key(body: &str) -> String {
    let line = body.lines().next().unwrap_or_default();
    let line = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    collapse_space(&crate::commonmark::rendered_line(line))
}

/// Inserts items before or after an item.
pub(crate) fn insert_beside(document: &MarkdownDocument, item: u32, content: &str, after: bool) -> Result<Vec<Edit>> {
    let list = List::new(document, document.block(item).parent);
    let index = list.items.iter().position(|known| *known == item).unwrap_or_default();
    Ok(list.insert(index + usize::from(after), &split_items(content)))
}

/// Inserts blocks into an item. If the content is a list and the item ends with a list, adds the items to that list.
pub(crate) fn insert_into_list_item(
    document: &MarkdownDocument,
    item: u32,
    content: &str,
    position: Position,
) -> Result<Vec<Edit>> {
    let new = MarkdownDocument::new("content.md", dedent(content));
    let is_list = new.tree().blocks.first().is_some_and(|block| block.kind == Kind::List);
    let children: Vec<u32> = document.tree().children(item).collect();
    let nested = children.last().copied().filter(|last| is_list && document.block(*last).kind == Kind::List);
    if let Some(nested) = nested {
        return insert(document, nested, content, position);
    }
    match children.last() {
        // A list below the text of an item needs no blank line.
        Some(last) if is_list && position == Position::Last => {
            let end = document.block(*last).span.range().end;
            let prefix = inner_prefix(document, item);
            let behind = document.blank_line_after_content(item, document.block(item).span, &new.text);
            Ok(vec![Edit::insert(
                end,
                format!("{}{}{behind}", line_breaks(1, &prefix), prefix_lines(&new.text, &prefix)),
            )])
        }
        _ => Ok(vec![document.insert_into_container(item, &new.text, position)]),
    }
}

/// Returns the text that replaces an item.
pub(crate) fn replacement_text(document: &MarkdownDocument, item: u32, content: &str) -> String {
    let start = document.block(item).span.range().start;
    let prefix = prefix_at(&document.text, start);
    let list = List::new(document, document.block(item).parent);
    let index = list.items.iter().position(|known| *known == item).unwrap_or_default();
    let inner = with_marker_indent(&prefix, list.marker(index));
    let mut rest = content.lines().skip(1).filter(|line| !line.trim().is_empty()).peekable();
    let as_read = !prefix.is_empty() && rest.peek().is_some() && rest.all(|line| line.starts_with(&inner));
    if as_read && content.starts_with(list.marker(index).trim_end()) {
        return content.to_owned();
    }
    let bodies = split_items(content);
    let new: Vec<String> =
        bodies.iter().enumerate().map(|(at, body)| list.format_item(index + at, body, &prefix)).collect();
    new.join(&line_breaks(list.breaks(index), &prefix))
}

/// Deletes items of one list.
pub(crate) fn delete(document: &MarkdownDocument, items: &[u32]) -> Vec<Edit> {
    let parent = document.block(items[0]).parent;
    let list = List::new(document, parent);
    let gone: HashSet<u32> = items.iter().copied().collect();
    let is_kept = |index: &usize| !gone.contains(&list.items[*index]);
    let kept: Vec<usize> = (0..list.items.len()).filter(is_kept).collect();
    if kept.is_empty() {
        return vec![document.delete_block(parent)];
    }
    let mut edits = Vec::new();
    let mut index = 0;
    while index < list.items.len() {
        if is_kept(&index) {
            index += 1;
            continue;
        }
        let last = (index..list.items.len()).take_while(|at| !is_kept(at)).last().unwrap_or(index);
        let (start, end) = (list.span(index).range().start, list.span(last).range().end);
        edits.push(match (last + 1 < list.items.len(), index) {
            (true, _) => Edit::remove(start..list.span(last + 1).range().start),
            (false, 0) => Edit::remove(start..end),
            (false, _) => {
                let item = list.items[last];
                let is_open = document.can_continue(list.items[index] - 1);
                let blank =
                    if is_open { document.blank_line_below(item, document.block(item).span) } else { String::new() };
                Edit::new(list.span(index - 1).range().end..end, blank)
            }
        });
        index = last + 1;
    }
    let moved = kept.iter().enumerate().map(|(index, item)| (*item, index)).filter(|(item, index)| item != index);
    edits.extend(list.renumber(moved.collect()));
    edits.sort_by_key(|edit| edit.span.start);
    edits
}
