//! Inserts and deletes items of a container in the style of their neighbours.
//!
//! The same implementation works for members of objects, elements of arrays, members of classes and declarations of
//! rules. It handles separators, comments, blank lines and indentation, and is independent of any language.

use crate::{Edit, Span, lines};

mod comments;
mod sorted;

pub(crate) use sorted::sort_key;
pub use {
    comments::{BlockEnd, C_STYLE, Comments, HASH, NESTED_C_STYLE, NO_COMMENTS},
    sorted::{are_sorted, sorted_index},
};

/// The format of the first item of an empty container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyStyle {
    /// Each item on a separate line.
    Block,
    /// Between the brackets: `[item]`.
    Tight,
    /// With a space on both sides: `{ item }`.
    Padded,
}

/// An item to insert, and the comments at its end that last until the end of their line. The separator is written between
/// them.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::items::NewItem;
///
/// assert_eq!(NewItem::from("a"), NewItem { text: "a", comments: "" });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewItem<'a> {
    /// The item, without a separator.
    pub text: &'a str,
    /// The comments after it, with the white space before them: ` // why`. What follows them is put on the next line.
    pub comments: &'a str,
}

impl<'a> From<&'a str> for NewItem<'a> {
    fn from(text: &'a str) -> NewItem<'a> {
        NewItem { text, comments: "" }
    }
}

impl<'a> From<&'a String> for NewItem<'a> {
    fn from(text: &'a String) -> NewItem<'a> {
        NewItem { text, comments: "" }
    }
}

/// A container and its items.
///
/// # Examples
///
/// ```
/// use marquetry_sdk::{
///     Span,
///     items::{C_STYLE, EmptyStyle, Items},
///     span::apply,
/// };
///
/// let text = "[\n  one, // 1\n  two\n]";
/// let items = Items {
///     text,
///     inner: Span::new(1, text.len() - 1),
///     items: vec![Span::new(4, 7), Span::new(16, 19)],
///     separator: ",",
///     terminated: false,
///     comments: C_STYLE,
///     unit: "  ",
///     empty: EmptyStyle::Block,
///     breaks: 1,
/// };
/// assert_eq!(apply(text, &items.insert(2, "three")), "[\n  one, // 1\n  two,\n  three\n]");
/// assert_eq!(apply(text, &items.delete(&[0])), "[\n  two\n]");
/// ```
#[derive(Debug)]
pub struct Items<'a> {
    /// The text of the whole document.
    pub text: &'a str,
    /// The range between the brackets. For items without brackets, such as lines below a header: from the start of the
    /// first line that can hold an item to the end of the last line with an item, including its line break. Blank lines
    /// after that line are not part of the container.
    pub inner: Span,
    /// The items in order, each with its attached comments but without its separator.
    pub items: Vec<Span>,
    /// The separator between two items: `,`, `;` or empty.
    pub separator: &'static str,
    /// True if the last item also has a separator (`;` of declarations).
    pub terminated: bool,
    /// The comment syntax.
    pub comments: Comments,
    /// One step of indentation.
    pub unit: &'a str,
    /// The format of the first item of an empty container.
    pub empty: EmptyStyle,
    /// Number of line breaks between two items if no existing pair shows it: 1 puts each item on the next line.
    pub breaks: usize,
}

impl Items<'_> {
    /// The indentation of an item that is inserted here, for [`crate::indent::reindent`].
    pub fn indent(&self) -> String {
        match self.items.iter().find(|item| lines::starts_line(self.text, item.range().start)) {
            Some(item) => lines::indent_at(self.text, item.range().start).to_owned(),
            None if self.items.is_empty() => {
                format!("{}{}", lines::indent_at(self.text, self.inner.range().start), self.unit)
            }
            None => lines::indent_at(self.text, self.inner.range().start).to_owned(),
        }
    }

    /// Inserts before the item at this index; an index beyond the last item appends.
    pub fn insert<'n>(&self, index: usize, new: impl Into<NewItem<'n>>) -> Vec<Edit> {
        let new = new.into();
        if self.items.is_empty() {
            return vec![self.fill_empty(new)];
        }
        if let Some(edit) = self.insert_with_leading_separator(index, new) {
            return vec![edit];
        }
        match self.items.get(index) {
            Some(next) => vec![self.insert_before(index, next.range().start, new)],
            None => self.append(new),
        }
    }

    /// Inserts comments after an item that ends at an offset: after its separator, and at the end of the line. What
    /// follows on the line is moved to the next one.
    pub fn insert_comments_after(&self, end: usize, comments: &str) -> Edit {
        let separator = self.separator_after(end).map(|separator| separator.range().end);
        let from = separator.filter(|to| !self.text[end..*to].contains(['\n', '\r'])).unwrap_or(end);
        let at = self.end_of_comments(from);
        let rest = &self.text[at..];
        let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        match self.line_break_after(at) {
            Some(line_break) => Edit::new(at..at + space, format!("{comments}{line_break}")),
            None => Edit::insert(at, comments),
        }
    }

    /// The line break that must follow a line comment at an offset: `None` if the line ends there.
    fn line_break_after(&self, at: usize) -> Option<String> {
        if lines::ends_line(self.text, self.end_of_comments(at)) {
            return None;
        }
        let inside = self.text[at..self.inner.range().end.max(at)].trim_start();
        let outer = lines::indent_at(self.text, self.inner.range().start);
        Some(if inside.is_empty() { format!("\n{outer}") } else { format!("\n{}", self.item_indent()) })
    }

    /// The indentation of an item that a line comment moves to its own line.
    fn item_indent(&self) -> String {
        match self.in_block() {
            true => self.indent(),
            false => format!("{}{}", lines::indent_at(self.text, self.inner.range().start), self.unit),
        }
    }

    /// Inserts only comments before the item at this index, or after the last item. `None` if a line comment would
    /// comment out code that follows on the line.
    pub fn insert_comment(&self, index: usize, comment: &str) -> Option<Vec<Edit>> {
        let last_line = comment.lines().next_back().unwrap_or_default().trim_start();
        let is_line = self.comments.line.iter().any(|start| last_line.starts_with(start));
        let outer = lines::indent_at(self.text, self.inner.range().start);
        let indent = self.indent();
        let Some(last) = self.items.last() else { return Some(vec![self.fill_with_comment(comment, is_line)]) };
        if !self.in_block() && (is_line || comment.contains(['\n', '\r'])) {
            return None;
        }
        let Some(next) = self.items.get(index) else {
            let end =
                self.separator_after(last.range().end).map_or(last.range().end, |separator| separator.range().end);
            let at = self.end_of_comments(end);
            let glue = if self.in_block() { format!("\n{indent}") } else { " ".to_owned() };
            let tail =
                if self.in_block() && !lines::ends_line(self.text, at) { format!("\n{outer}") } else { String::new() };
            return Some(vec![Edit::insert(at, format!("{glue}{comment}{tail}"))]);
        };
        let glue = if self.in_block() { format!("\n{indent}") } else { " ".to_owned() };
        Some(vec![Edit::insert(next.range().start, format!("{comment}{glue}"))])
    }

    fn fill_with_comment(&self, comment: &str, is_line: bool) -> Edit {
        let (inner, outer) = (self.inner.slice(self.text), lines::indent_at(self.text, self.inner.range().start));
        let kept = self.inner.range().start + inner.trim_end().len();
        let rest = kept..self.inner.range().end;
        if is_line || comment.contains('\n') || inner.contains('\n') {
            return Edit::new(rest, format!("\n{}{comment}\n{outer}", self.indent()));
        }
        Edit::new(rest, format!(" {comment} "))
    }

    /// The separator before the item at this index, if it is at the start of the item's line.
    fn leading_separator(&self, index: usize) -> Option<Span> {
        let (before, item) = (self.items.get(index.checked_sub(1)?)?, self.items.get(index)?);
        let separator = self.separator_after(before.range().end)?;
        let gap = self.text.get(separator.range().end..item.range().start)?;
        (lines::starts_line(self.text, separator.range().start) && !gap.contains(['\n', '\r'])).then_some(separator)
    }

    /// Inserts an item if separators are before their items on the same line (leading commas).
    fn insert_with_leading_separator(&self, index: usize, new: NewItem<'_>) -> Option<Edit> {
        let content = format!("{}{}", new.text, new.comments);
        let last = self.items.len() - 1;
        let shown = self.leading_separator(last)?;
        let space = &self.text[shown.range().end..self.items[last].range().start];
        let lead = format!("{}{space}", self.separator);
        let indent = lines::indent_at(self.text, shown.range().start);
        let end = self.items[last].range().end;
        if index > last {
            let at = self.end_of_comments(end);
            return self.separator_after(end).is_none().then(|| Edit::insert(at, format!("\n{indent}{lead}{content}")));
        }
        if index == 0 {
            return Some(Edit::insert(self.items[0].range().start, format!("{content}\n{indent}{lead}")));
        }
        let before = self.leading_separator(index)?;
        Some(Edit::insert(before.range().start, format!("{lead}{content}\n{indent}")))
    }

    fn insert_before(&self, index: usize, at: usize, new: NewItem<'_>) -> Edit {
        let NewItem { text, comments } = new;
        let separator = self.separator;
        if !self.in_block() && comments.is_empty() {
            let space = if separator.is_empty() || self.has_blank_lines() { " " } else { "" };
            return Edit::insert(at, format!("{text}{separator}{space}"));
        }
        let gap = "\n".repeat(if self.in_block() { self.breaks_near(index) } else { 1 });
        Edit::insert(at, format!("{text}{separator}{comments}{gap}{}", self.item_indent()))
    }

    fn append(&self, new: NewItem<'_>) -> Vec<Edit> {
        let last = self.items[self.items.len() - 1].range().end;
        let trailing = self.separator_after(last);
        let (glue, end) = if self.in_block() {
            (format!("{}{}", "\n".repeat(self.breaks_near(self.items.len())), self.indent()), true)
        } else {
            ((if self.separator.is_empty() || self.has_blank_lines() { " " } else { "" }).to_owned(), false)
        };
        let from = trailing.map_or(last, |separator| separator.range().end);
        let at = if end || !new.comments.is_empty() { self.end_of_comments(from) } else { from };
        let closing = if trailing.is_some() || self.terminated { self.separator } else { "" };
        let line_break = if new.comments.is_empty() { None } else { self.line_break_after(at) };
        let text = format!("{glue}{}{closing}{}{}", new.text, new.comments, line_break.unwrap_or_default());
        match trailing {
            Some(_) => vec![Edit::insert(at, text)],
            None if at == last => vec![Edit::insert(last, format!("{}{text}", self.separator))],
            None if self.separator.is_empty() => vec![Edit::insert(at, text)],
            None => vec![Edit::insert(last, self.separator), Edit::insert(at, text)],
        }
    }

    fn fill_empty(&self, new: NewItem<'_>) -> Edit {
        let closing = if self.terminated { self.separator } else { "" };
        let (is_on_line, content) = (
            new.comments.is_empty() && !new.text.contains(['\n', '\r']),
            format!("{}{closing}{}", new.text, new.comments),
        );
        let inner = self.inner.slice(self.text);
        let outer = lines::indent_at(self.text, self.inner.range().start);
        if !inner.trim().is_empty() {
            // The container has only comments. Insert the item below the last comment, or after it if everything is on
            // one line.
            let end = self.inner.range().start + inner.trim_end().len();
            if !inner.contains(['\n', '\r']) && is_on_line {
                return Edit::insert(end, format!(" {content}"));
            }
            let line = format!("\n{}{content}", self.indent());
            let rest = end..self.inner.range().end;
            return if self.text[rest.clone()].contains(['\n', '\r']) {
                Edit::insert(end, line)
            } else {
                Edit::new(rest, format!("{line}\n{outer}"))
            };
        }
        let block = self.empty == EmptyStyle::Block || inner.contains('\n') || !is_on_line;
        let text = match self.empty {
            _ if block => format!("\n{outer}{}{content}\n{outer}", self.unit),
            EmptyStyle::Padded => format!(" {content} "),
            _ => content,
        };
        Edit::new(self.inner, text)
    }

    /// Deletes the items at these sorted indices, with their separators and the blank lines that remain.
    pub fn delete(&self, indices: &[usize]) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut at = 0;
        while at < indices.len() {
            let mut end = at;
            while end + 1 < indices.len() && indices[end + 1] == indices[end] + 1 {
                end += 1;
            }
            self.delete_run(indices[at], indices[end], &mut edits);
            at = end + 1;
        }
        edits
    }

    fn delete_run(&self, first: usize, last: usize, edits: &mut Vec<Edit>) {
        let start = self.start_with_comments(first);
        let end = self.items[last].range().end;
        let after = self.separator_after(end).map_or(end, |separator| separator.range().end);
        let is_last = last + 1 == self.items.len();
        let own_lines = lines::starts_line(self.text, start) && self.ends_line(after);
        // Comments after the item on its line belong to it, unless another item follows on that line.
        let behind = if self.separator.is_empty() { after } else { self.end_of_comments(after) };
        if is_last && after == end && first > 0 && !self.terminated {
            // The item before becomes the last one and loses its separator.
            if let Some(separator) = self.separator_after(self.items[first - 1].range().end) {
                let from = separator.range().start;
                if !own_lines && lines::starts_line(self.text, from) && lines::ends_line(self.text, behind) {
                    edits.push(Edit::remove(self.whole_lines(from, behind)));
                    return;
                }
                if !own_lines && self.text[separator.range().end..start].trim().is_empty() {
                    edits.push(Edit::remove(from..behind));
                    return;
                }
                if !own_lines {
                    // Keep the comments between the separator and the deleted item: they belong to the item before.
                    edits.extend([Edit::remove(separator), Edit::remove(start..behind)]);
                    return;
                }
                edits.push(Edit::remove(separator));
            }
        }
        if own_lines {
            edits.push(Edit::remove(self.whole_lines(start, after)));
        } else if is_last
            && first == 0
            && self.inner.slice(self.text)[..start - self.inner.range().start].trim().is_empty()
        {
            edits.push(Edit::remove(start..behind));
        } else if is_last {
            let from = self.items[..first].last().map_or(start, |item| {
                self.separator_after(item.range().end).map_or(item.range().end, |s| s.range().end)
            });
            edits.push(Edit::remove(from..behind));
        } else if !self.separator.is_empty() && lines::ends_line(self.text, behind) {
            let from = self.text[..start].trim_end_matches([' ', '\t']).len();
            edits.push(Edit::remove(from..behind));
        } else {
            let rest = &self.text[after..];
            let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            edits.push(Edit::remove(start..after + space));
        }
    }

    /// The start of an item, or of the comments before it on its line, after the previous separator.
    fn start_with_comments(&self, index: usize) -> usize {
        let start = self.items[index].range().start;
        if self.separator.is_empty() {
            return start;
        }
        let mut at = index.checked_sub(1).map_or(self.inner.range().start, |before| {
            let end = self.items[before].range().end;
            self.separator_after(end).map_or(end, |separator| separator.range().end)
        });
        let mut from = None;
        while at < start {
            let rest = &self.text[at..start];
            let blank = rest.len() - rest.trim_start().len();
            if rest[..blank].contains(['\n', '\r']) {
                from = None;
            }
            at += blank;
            let Some(end) = self.comment_at(at, start) else { break };
            from = from.or(Some(at));
            at = end;
        }
        if at == start { from.unwrap_or(start) } else { start }
    }

    /// The lines from `start` to `end`; if blank lines surround them, one of those too.
    fn whole_lines(&self, start: usize, end: usize) -> Span {
        let from = lines::line_start(self.text, start);
        let to = lines::next_line(self.text, self.end_of_comments(end));
        let (inner, text) = (self.inner.range(), self.text);
        let blank_after = to < inner.end
            && lines::line_end(text, to) < inner.end
            && text[to..lines::line_end(text, to)].trim().is_empty();
        let above = lines::previous_line(text, from);
        let blank_before = above.is_some_and(|above| above >= inner.start && text[above..from].trim().is_empty());
        let at_top = text[inner.start.min(from)..from].trim().is_empty();
        let at_bottom = text[to.min(inner.end)..inner.end].trim().is_empty();
        let (mut from, mut to) = (from.max(inner.start), to.min(inner.end.max(end)));
        if blank_after && (blank_before || at_top) {
            to = lines::next_line(text, to);
        } else if blank_before && at_bottom {
            from = above.unwrap_or(from);
        }
        Span::new(from, to.max(end))
    }

    /// Returns whether each item is on a separate line.
    pub fn in_block(&self) -> bool {
        self.items.last().is_some_and(|last| lines::starts_line(self.text, last.range().start))
            && self.items.first().is_some_and(|first| lines::starts_line(self.text, first.range().start))
    }

    fn has_blank_lines(&self) -> bool {
        self.items.windows(2).all(|pair| {
            self.separator_after(pair[0].range().end)
                .is_none_or(|separator| self.text[separator.range().end..].starts_with([' ', '\t', '\n', '\r']))
        })
    }

    /// Number of line breaks between the neighbours of an index, or between other items, or the default.
    fn breaks_near(&self, index: usize) -> usize {
        let between = |pair: &[Span]| {
            let gap = &self.text[pair[0].range().end..pair[1].range().start];
            // Comments between items do not count as distance.
            let trailing = gap.trim_end_matches([' ', '\t']);
            let blank = trailing.len() - trailing.trim_end_matches(['\n', '\r']).len();
            trailing[trailing.len() - blank..].matches('\n').count().max(1)
        };
        let pairs = self.items.len().saturating_sub(1);
        let near = index.saturating_sub(1).min(pairs.saturating_sub(1));
        if pairs == 0 { self.breaks } else { between(&self.items[near..near + 2]) }
    }

    /// The separator after an item, past white space and comments.
    pub fn separator_after(&self, offset: usize) -> Option<Span> {
        if self.separator.is_empty() {
            return None;
        }
        let end = self.inner.range().end;
        let at = self.skip_blank(offset, end);
        self.text[at..end].starts_with(self.separator).then(|| Span::new(at, at + self.separator.len()))
    }

    fn skip_blank(&self, mut at: usize, end: usize) -> usize {
        loop {
            let rest = &self.text[at..end];
            let blank = rest.len() - rest.trim_start().len();
            at += blank;
            match self.comment_at(at, end) {
                Some(after) => at = after,
                None => return at,
            }
        }
    }

    fn comment_at(&self, at: usize, end: usize) -> Option<usize> {
        let rest = &self.text[at..end];
        if self.comments.line.iter().any(|start| rest.starts_with(start)) {
            return Some(lines::line_end(self.text, at).min(end));
        }
        Some(match self.comments.block_end(rest)? {
            BlockEnd::At(length) => at + length,
            BlockEnd::Open => end,
        })
    }

    /// The end of the comments that follow on the same line; the offset itself if no comment follows.
    pub(crate) fn end_of_comments(&self, offset: usize) -> usize {
        let end = self.inner.range().end.max(offset);
        let mut at = offset;
        loop {
            let rest = &self.text[at..end];
            let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            match self.comment_at(at + space, end) {
                Some(after) if !self.text[at + space..after].contains('\n') => at = after,
                _ => return at,
            }
        }
    }

    fn ends_line(&self, offset: usize) -> bool {
        lines::ends_line(self.text, self.end_of_comments(offset))
    }
}

#[cfg(test)]
#[path = "items_tests.rs"]
mod tests;
