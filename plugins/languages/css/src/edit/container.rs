//! Inserts and deletes statements of a block, in the style of the block.

use marquetry_sdk::{
    Edit, Position, Span,
    items::{self, Comments, EmptyStyle, Items},
    lines,
};

use super::{
    content::{Content, StatementShape, Style, sort_key},
    line_comment::ends_open,
};
use crate::{
    chars::Dialect,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, NONE, Tree, line_breaks},
};

/// Maximum number of line breaks that are inserted between two statements. If the file has more, they separate
/// sections.
const MAX_BREAKS: usize = 2;

/// To find the usual number of line breaks between two statements, at most this number of neighbouring pairs is
/// inspected.
const MAX_PAIRS: usize = 64;
/// Of the inspected pairs, at most this number of similar ones counts.
const MAX_SIMILAR_PAIRS: usize = 8;

/// A block, or the whole file if the parent is [`NONE`], and its statements.
#[derive(Debug)]
pub(crate) struct Container<'t> {
    tree: &'t Tree,
    parent: u32,
    children: Vec<u32>,
    inner: Span,
    style: &'t Style,
}

/// Returns the comment syntax of the dialect, in the form that [`Items`] of the SDK needs.
pub(crate) fn comment_syntax(dialect: Dialect) -> Comments {
    if dialect.line_comments() { items::C_STYLE } else { Comments { line: &[], ..items::C_STYLE } }
}

/// Returns the start of an item, including the comment directly above it.
pub(crate) fn start_with_doc(tree: &Tree, item: &Item) -> usize {
    tree.doc(item).map_or(item.start as usize, |doc| doc.range().start)
}

impl<'t> Container<'t> {
    pub(crate) fn new(tree: &'t Tree, parent: u32, style: &'t Style) -> Container<'t> {
        let inner = match tree.items.get(parent as usize) {
            Some(item) => Span { start: item.body_start, end: item.body_end },
            None => Span::new(0, tree.text.len()),
        };
        Container { tree, parent, children: tree.children(parent).collect(), inner, style }
    }

    fn child(&self, position: usize) -> &'t Item {
        self.tree.item(self.children[position])
    }

    /// Returns the position of an item among the children of the block.
    pub(crate) fn position(&self, index: u32) -> usize {
        self.children.binary_search(&index).unwrap_or(0)
    }

    /// Returns the statements as [`Items`] of the SDK. The span of each includes its comment and its semicolon.
    pub(crate) fn items(&self) -> Items<'_> {
        let span = |index: &u32| {
            let item = self.tree.item(*index);
            Span::new(start_with_doc(self.tree, item), item.end_with_semicolon as usize)
        };
        Items {
            text: &self.tree.text,
            inner: self.inner,
            items: self.children.iter().map(span).collect(),
            separator: "",
            terminated: false,
            comments: comment_syntax(self.tree.dialect),
            unit: self.style.indent_unit(),
            empty: EmptyStyle::Block,
            breaks: 1,
        }
    }

    // --- positions ---

    /// Returns the position of the child before which to insert the content.
    pub(crate) fn insert_position(&self, content: &Content, position: Position) -> usize {
        match position {
            Position::First => self.first_position(content),
            Position::Last => self.last_position(content),
            Position::Sorted => self.sorted_position(content),
        }
    }

    /// Returns the position before all children, except for those that must be first in a file, such as `@charset`.
    fn first_position(&self, content: &Content) -> usize {
        if self.parent != NONE {
            return 0;
        }
        let is_import = content.first_kind_and_shape().0 == Some(Kind::Import);
        let leading = |index: &u32| {
            let item = self.tree.item(*index);
            self.tree.name(item).eq_ignore_ascii_case("@charset") || (item.kind == Kind::Import && !is_import)
        };
        self.children.iter().take_while(|index| leading(index)).count()
    }

    /// Returns the position after the last statement of the same kind. Imports are inserted after other imports, and
    /// statements in a rule before nested rules. Blocks are inserted at the end.
    fn last_position(&self, content: &Content) -> usize {
        let (kind, class) = content.first_kind_and_shape();
        let behind = |wanted: &dyn Fn(&Item) -> bool| {
            self.children.iter().rposition(|index| wanted(self.tree.item(*index))).map(|last| last + 1)
        };
        match (kind, class) {
            (Some(Kind::Import), _) => {
                behind(&|item| item.kind == Kind::Import).unwrap_or_else(|| self.first_position(content))
            }
            (Some(Kind::Variable | Kind::Declaration), StatementShape::Statement(_)) if self.parent == NONE => {
                behind(&|item| Some(item.kind) == kind).unwrap_or_else(|| self.first_position(content))
            }
            (_, StatementShape::Statement(_)) if self.parent != NONE => behind(&|item| !item.block).unwrap_or(0),
            _ => self.children.len(),
        }
    }

    /// Returns the alphabetical position among the statements of the same kind. Without such statements, returns the
    /// last position.
    fn sorted_position(&self, content: &Content) -> usize {
        let (Some(kind), class) = content.first_kind_and_shape() else { return self.last_position(content) };
        let alike = |position: &usize| {
            self.child(*position).kind == kind && self.child(*position).block != class.is_statement()
        };
        let alike: Vec<usize> = (0..self.children.len()).filter(alike).collect();
        let names: Vec<String> = alike.iter().map(|position| sort_key(self.tree, self.child(*position))).collect();
        let found = items::sorted_index(names.iter().map(String::as_str), &content.sort_key());
        match (alike.get(found), alike.last()) {
            (Some(position), _) => *position,
            (None, Some(last)) => last + 1,
            (None, None) => self.last_position(content),
        }
    }

    // --- insertion and deletion ---

    /// Returns the indentation of the statements in this block.
    pub(crate) fn indentation(&self) -> String {
        let text = &self.tree.text;
        let on_line = self.children.iter().map(|index| self.tree.item(*index).start as usize);
        if let Some(start) = on_line.clone().find(|start| lines::starts_line(text, *start)) {
            return lines::indent_at(text, start).to_owned();
        }
        match self.tree.items.get(self.parent as usize) {
            Some(parent) => format!("{}{}", lines::indent_at(text, parent.start as usize), self.style.indent_unit()),
            None => String::new(),
        }
    }

    /// Inserts before the child at this position, or after the last child.
    pub(crate) fn insert(&self, position: usize, content: &Content) -> Vec<Edit> {
        if self.children.is_empty() {
            return vec![self.insert_into_empty(content)];
        }
        if !self.has_separate_lines() {
            return self.insert_inline(position, content);
        }
        // If only the next child has the same shape as the content, insert directly before it. Then a blank line
        // between the two neighbours stays before the content.
        let (first, last) = (content.first_kind_and_shape().1, content.last_shape());
        match (position.checked_sub(1), self.children.get(position)) {
            (Some(before), Some(next))
                if self.shape(self.child(before)) != first
                    && self.shape(self.tree.item(*next)) == last
                    && self.starts_line(self.tree.item(*next)) =>
            {
                self.insert_before(position, content)
            }
            (Some(before), _) => self.insert_after(before, content),
            (None, _) => self.insert_before(0, content),
        }
    }

    /// Puts a comment directly before the child that it describes.
    pub(crate) fn insert_comment(&self, position: usize, comment: &Content) -> Vec<Edit> {
        let child = self.child(position);
        let depth = self.indentation();
        let written = comment.terminated(&depth);
        let own_line = self.starts_line(child) || ends_open(&written, self.tree.dialect);
        let gap = if own_line { format!("\n{depth}") } else { " ".to_owned() };
        vec![Edit::insert(start_with_doc(self.tree, child), format!("{written}{gap}"))]
    }

    fn insert_before(&self, position: usize, content: &Content) -> Vec<Edit> {
        let next = self.child(position);
        let at = start_with_doc(self.tree, next);
        let gap = "\n".repeat(self.line_breaks_between(content.last_shape(), self.shape(next), position));
        let depth = self.indentation();
        vec![Edit::insert(at, format!("{}{gap}{depth}", content.terminated(&depth)))]
    }

    fn insert_after(&self, before: usize, content: &Content) -> Vec<Edit> {
        let item = self.child(before);
        let depth = self.indentation();
        let gap = "\n".repeat(self.line_breaks_between(self.shape(item), content.first_kind_and_shape().1, before));
        let mut text = format!("{gap}{depth}{}", content.terminated(&depth));
        let at = self.end_of_line_comments(item.end_with_semicolon as usize);
        if let Some(next) = self.children.get(before + 1).map(|index| self.tree.item(*index)) {
            let wanted = self.line_breaks_between(content.last_shape(), self.shape(next), before);
            let there = line_breaks(&self.tree.text[at..start_with_doc(self.tree, next)]);
            text.push_str(&"\n".repeat(wanted.saturating_sub(there)));
            if there == 0 {
                text.push_str(&depth);
            }
        } else if self.parent != NONE && line_breaks(&self.tree.text[at..self.inner.range().end]) == 0 {
            let outer = lines::indent_at(&self.tree.text, self.tree.item(self.parent).start as usize);
            text.push_str(&format!("\n{outer}"));
        }
        insert_with_semicolon(item, at, text)
    }

    fn insert_inline(&self, position: usize, content: &Content) -> Vec<Edit> {
        let text = &self.tree.text;
        let depth = self.indentation();
        let written = content.terminated(&depth);
        let space = if self.has_no_gaps() { "" } else { " " };
        // A line comment at the end of the content would take in what follows.
        let is_open = ends_open(&written, self.tree.dialect);
        let Some(before) = position.checked_sub(1).map(|before| self.child(before)) else {
            let gap = if is_open { format!("\n{depth}") } else { space.to_owned() };
            return vec![Edit::insert(start_with_doc(self.tree, self.child(0)), format!("{written}{gap}"))];
        };
        let at = before.end_with_semicolon as usize;
        let is_last = position >= self.children.len();
        if (is_open || written.contains('\n')) && self.parent != NONE {
            let outer = lines::indent_at(text, self.tree.item(self.parent).start as usize);
            let tail = if is_last { format!("\n{outer}") } else { format!("\n{depth}") };
            let mut edits = insert_with_semicolon(before, at, format!("\n{depth}{written}{tail}"));
            let blank = text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len();
            if let Some(edit) = edits.last_mut() {
                edit.span.end += blank as u32;
            }
            return edits;
        }
        let bare = is_last && before.is_statement() && !before.has_semicolon();
        let written = if bare { content.unterminated(&depth) } else { written };
        let glue = if self.parent == NONE && space == " " { "\n" } else { space };
        let end = if is_open && !is_last { "\n" } else { "" };
        insert_with_semicolon(before, at, format!("{glue}{written}{end}"))
    }

    /// Deletes the children at these positions, which are sorted, and the blank lines that would be superfluous without
    /// them.
    pub(crate) fn delete(&self, positions: &[usize]) -> Vec<Edit> {
        let inner = self.inner.slice(&self.tree.text);
        if positions.len() == self.children.len() && !inner.contains(['\n', '\r', '/']) && self.parent != NONE {
            return vec![Edit::remove(self.inner)];
        }
        let mut edits = self.items().delete(positions);
        if let Some(end) = self.removable_semicolon(positions) {
            edits.pop();
            edits.push(Edit::remove(end));
        }
        edits.iter_mut().for_each(|edit| self.extend_over_space(edit));
        edits
    }

    /// Returns the range to remove if the last statements are deleted, all are on one line, and the last one has no
    /// semicolon. The range then includes the semicolon of the statement that becomes the last one.
    fn removable_semicolon(&self, positions: &[usize]) -> Option<std::ops::Range<usize>> {
        let run = positions.iter().rev().zip((0..self.children.len()).rev()).take_while(|(at, end)| **at == *end);
        let first = run.last().map(|(at, _)| *at).filter(|first| *first > 0)?;
        let (before, last) = (self.child(first - 1), self.child(self.children.len() - 1));
        let gap = &self.tree.text[before.end_with_semicolon as usize..self.child(first).start as usize];
        let bare = last.is_statement() && !last.has_semicolon() && before.is_statement();
        let inline = gap.trim_ascii().is_empty() && !gap.contains(['\n', '\r']);
        (bare && inline).then_some(before.end as usize..last.end as usize)
    }

    /// Extends the edit so that no trailing white space remains on the line.
    fn extend_over_space(&self, edit: &mut Edit) {
        let (text, range) = (&self.tree.text, edit.span.range());
        let kept = text[..range.start].trim_end_matches([' ', '\t']).len();
        let ends = range.end == text.len() || text[range.end..].starts_with(['\n', '\r']);
        if ends && !range.is_empty() && !lines::starts_line(text, range.start) {
            edit.span.start = kept as u32;
        }
    }

    /// Inserts the content into a block that has no statements.
    fn insert_into_empty(&self, content: &Content) -> Edit {
        let text = &self.tree.text;
        let inner = self.inner.slice(text);
        let depth = self.indentation();
        let Some(parent) = self.tree.items.get(self.parent as usize) else {
            let written = content.terminated("");
            let kept = inner.trim_ascii_end();
            let gap = if kept.is_empty() { "" } else { "\n\n" };
            return Edit::new(kept.len()..text.len(), format!("{gap}{written}\n"));
        };
        let outer = lines::indent_at(text, parent.start as usize);
        let kept = self.inner.range().start + inner.trim_ascii_end().len();
        if !text.contains(['\n', '\r'])
            && !ends_open(&content.unterminated(""), self.tree.dialect)
            && text[..self.inner.range().start].trim_end_matches('{').ends_with(|c: char| !c.is_whitespace())
        {
            return Edit::new(kept..self.inner.range().end, content.unterminated(""));
        }
        Edit::new(kept..self.inner.range().end, format!("\n{depth}{}\n{outer}", content.terminated(&depth)))
    }

    /// Returns whether the statements start on separate lines. An `@else` is ignored, because it can follow the `}` of
    /// the previous block on the same line.
    fn has_separate_lines(&self) -> bool {
        let text = &self.tree.text;
        let is_else = |item: &Item| self.tree.head(item).starts_with("@else");
        let mut ends = self.children.iter().map(|index| self.tree.item(*index)).filter(|item| !is_else(item));
        let first = ends.next();
        let starts = |item: &Item| self.starts_line(item);
        let several = self.parent != NONE || text.contains(['\n', '\r']) || self.children.len() == 1;
        several && first.is_some_and(starts) && ends.next_back().is_none_or(starts)
    }

    fn starts_line(&self, item: &Item) -> bool {
        lines::starts_line(&self.tree.text, start_with_doc(self.tree, item))
    }

    /// Returns whether the statements follow each other without white space.
    fn has_no_gaps(&self) -> bool {
        let text = &self.tree.text;
        let tight = |from: u32, to: usize| from as usize == to;
        match self.children.len() {
            1 => tight(self.inner.start, self.child(0).start as usize),
            _ => self.children.windows(2).all(|pair| {
                let (before, next) = (self.tree.item(pair[0]), self.tree.item(pair[1]));
                text[before.end_with_semicolon as usize..next.start as usize].is_empty()
            }),
        }
    }

    fn shape(&self, item: &Item) -> StatementShape {
        StatementShape::from_item(self.tree, item)
    }

    /// Returns the number of line breaks to put between two statements of these shapes. It is that of similar pairs of
    /// statements nearby, or a default number.
    fn line_breaks_between(&self, before: StatementShape, behind: StatementShape, near: usize) -> usize {
        let here = self.breaks_in_similar_pairs(before, behind, near);
        let usual = || {
            let keyframes = self
                .tree
                .items
                .get(self.parent as usize)
                .is_some_and(|parent| self.tree.name(parent).to_ascii_lowercase().ends_with("keyframes"));
            match (before.is_statement(), behind.is_statement()) {
                (true, true) => 1,
                _ if keyframes => 1,
                (false, false) if self.parent != NONE => {
                    let top = Container::new(self.tree, NONE, self.style);
                    top.breaks_in_similar_pairs(before, behind, usize::MAX).unwrap_or(2)
                }
                _ => 2,
            }
        };
        here.unwrap_or_else(usual).clamp(1, MAX_BREAKS)
    }

    /// Returns the most common number of line breaks in the nearest pairs of statements with these shapes. If there are
    /// none, uses pairs that are only similar, such as any two blocks.
    fn breaks_in_similar_pairs(&self, before: StatementShape, behind: StatementShape, near: usize) -> Option<usize> {
        let last = self.children.len().checked_sub(2)?;
        let near = near.min(last);
        let nearest = (0..=last).flat_map(|away| [near.checked_sub(away), (away > 0).then(|| near + away)]).flatten();
        let pairs: Vec<usize> = nearest.filter(|pair| *pair <= last).take(MAX_PAIRS).collect();
        let breaks = |pair: usize| {
            let (first, second) = (self.child(pair), self.child(pair + 1));
            let gap = &self.tree.text[first.end_with_semicolon as usize..start_with_doc(self.tree, second)];
            Some(line_breaks(gap.rsplit("*/").next().unwrap_or(gap))).filter(|breaks| *breaks > 0)
        };
        let classes = |pair: &usize| (self.shape(self.child(*pair)), self.shape(self.child(pair + 1)));
        let statements = |(a, b): (StatementShape, StatementShape)| (a.is_statement(), b.is_statement());
        let same = pairs.iter().filter(|pair| classes(pair) == (before, behind));
        let alike = pairs.iter().filter(|pair| statements(classes(pair)) == statements((before, behind)));
        let common = |pairs: &mut dyn Iterator<Item = &usize>| {
            let mut counts = [0; MAX_BREAKS + 1];
            for breaks in pairs.filter_map(|pair| breaks(*pair)).take(MAX_SIMILAR_PAIRS) {
                counts[breaks.min(MAX_BREAKS)] += 1;
            }
            let most = counts.iter().max().filter(|most| **most > 0)?;
            counts.iter().position(|count| count == most)
        };
        common(&mut { same }).or_else(|| common(&mut { alike }))
    }

    /// Returns the end of the comments that follow the offset on the same line.
    fn end_of_line_comments(&self, from: usize) -> usize {
        let text = &self.tree.text;
        let mut scan = Scanner::without_reports(text, self.tree.dialect);
        let (mut at, mut end) = (from, from);
        loop {
            let (part, next) = scan.token_at(at);
            match part {
                TokenKind::Space if !text[at..next].contains(['\n', '\r']) => {}
                TokenKind::Comment if !text[at..next].contains(['\n', '\r']) => end = next,
                _ => return end,
            }
            at = next;
        }
    }
}

/// Inserts the text at the offset. `item` is the statement before it; if it has no semicolon, one is added.
fn insert_with_semicolon(item: &Item, at: usize, text: String) -> Vec<Edit> {
    if !item.is_statement() || item.has_semicolon() {
        return vec![Edit::insert(at, text)];
    }
    let end = item.end as usize;
    if end == at {
        return vec![Edit::insert(at, format!(";{text}"))];
    }
    vec![Edit::insert(end, ";"), Edit::insert(at, text)]
}
