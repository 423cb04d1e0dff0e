//! Inserting an item into a list, in the style of its neighbours.

use marquetry_sdk::items::{EmptyStyle, Items, sorted_index};
use marquetry_sdk::{Edit, Insertion, Position, Result, Span, indent, lines};
use oxc_ast::ast::{Program, Statement};
use oxc_span::SourceType;

use crate::editor::fragment::{self, Fragment};
use crate::editor::list::{self, List, ListKind};
use crate::imports::add::{self, AddedImports};
use crate::operations::edit::{Editor, Side};
use crate::outline::declarations;
use crate::syntax::spans::statement_span;

/// Shape of an item. The number of blank lines between two items depends on their shapes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Import,
    /// On one line.
    SingleLine,
    /// On several lines.
    MultiLine,
}

impl Editor<'_, '_> {
    /// Inserts content before or after the item with this index.
    pub(super) fn insert(&self, list: &List, index: usize, side: Side, content: &str) -> Vec<Edit> {
        let items = self.sdk_items(list);
        let is_whole_module = list.kind == ListKind::Module && list.items.is_empty();
        if !is_whole_module && fragment::is_comment(content, self.document.tree.grammar()) {
            return self.insert_comment(items, index, side, content);
        }
        if side == Side::Before && fragment::is_decorators(content, list.kind, self.document.tree.grammar()) {
            return self.insert_decorators(list, index, content);
        }
        let keep_semicolon = items.separator.is_empty() && list.kind != ListKind::TypeMembers;
        let content = self.strip_separators(content, list.kind, keep_semicolon);
        let known = Fragment::of_list_items(content, list.kind, self.document.tree.grammar());
        if list.kind == ListKind::Module && list.items.is_empty() {
            return self.fill_empty_module(list, &self.reindent(&known, content, ""));
        }
        let mut placed = self.reindent(&known, content, &items.indent());
        if known.lacks_semicolon && list.kind == ListKind::ClassMembers && self.fields_end_in_semicolons(list) {
            placed.push(';');
        }
        let at = if side == Side::Before { index } else { index + 1 };
        if list.items.is_empty() || !items.separator.is_empty() {
            return items.insert(at, &placed);
        }
        if !items.in_block() {
            return self.insert_inline(&items, at, &placed);
        }
        self.insert_lines(list, &items, index, side, &placed)
    }

    /// Inserts a comment directly above or below an item. No separator is added, because a comment is not an item.
    fn insert_comment(&self, items: Items<'_>, index: usize, side: Side, content: &str) -> Vec<Edit> {
        let Some(item) = items.items.get(index).copied() else {
            let placed = reindent_comment(content, &items.indent());
            let empty = if placed.starts_with("//") { EmptyStyle::Block } else { items.empty };
            return Items { separator: "", terminated: false, empty, ..items }.insert(0, &placed);
        };
        let indent = lines::indent_at(self.text, item.range().start);
        let placed = reindent_comment(content, indent);
        let is_line = placed.starts_with("//");
        vec![match side {
            Side::Before if is_line || lines::starts_line(self.text, item.range().start) => {
                Edit::insert(item.range().start, format!("{placed}\n{indent}"))
            }
            Side::Before => Edit::insert(item.range().start, format!("{placed} ")),
            Side::After => {
                let end = items.separator_after(item.range().end).map_or(item.range().end, |it| it.range().end);
                let at = end_of_line(self.text, end);
                if lines::ends_line(self.text, at) {
                    Edit::insert(at, format!("\n{indent}{placed}"))
                } else {
                    Edit::insert(at, if is_line { format!(" {placed}\n{indent}") } else { format!(" {placed}") })
                }
            }
        }]
    }

    /// Inserts decorators of an item, below its documentation and above its other decorators.
    fn insert_decorators(&self, list: &List, index: usize, content: &str) -> Vec<Edit> {
        let at = list.items.get(index).map_or(list.inner, |item| *item).range().start;
        let known = Fragment::of_list_items(content, list.kind, self.document.tree.grammar());
        let indent = lines::indent_at(self.text, at);
        let placed = self.reindent(&known, content.trim(), indent);
        let gap = if lines::starts_line(self.text, at) { format!("\n{indent}") } else { " ".to_owned() };
        vec![Edit::insert(at, format!("{placed}{gap}"))]
    }

    fn fill_empty_module(&self, list: &List, content: &str) -> Vec<Edit> {
        let inner = list.inner.slice(self.text);
        let end = list.inner.range().start + inner.trim_end().len();
        if end == 0 {
            return vec![Edit::new(list.inner, format!("{content}\n"))];
        }
        // Insert below leading comments or a hashbang line.
        let closing = if self.text[end..].contains('\n') { "" } else { "\n" };
        let gap = if inner.trim().is_empty() { "\n" } else { "\n\n" };
        vec![Edit::insert(end, format!("{gap}{content}{closing}"))]
    }

    /// Returns whether class fields end in semicolons. If the class has no fields, returns true.
    fn fields_end_in_semicolons(&self, list: &List) -> bool {
        let mut fields =
            list.items.iter().map(|item| item.slice(self.text)).filter(|item| !item.ends_with('}')).peekable();
        fields.peek().is_none() || fields.any(|field| field.ends_with(';'))
    }

    /// Inserts a statement or member into a list that is written on one line.
    fn insert_inline(&self, items: &Items<'_>, at: usize, content: &str) -> Vec<Edit> {
        let separated = |text: &str| if text.ends_with([';', '}']) { " " } else { "; " };
        match items.items.get(at) {
            Some(next) => vec![Edit::insert(next.range().start, format!("{content}{}", separated(content)))],
            None => {
                let last = items.items.last().copied().unwrap_or(Span::at(items.inner.range().start));
                vec![Edit::insert(last.range().end, format!("{}{content}", separated(last.slice(self.text))))]
            }
        }
    }

    /// Inserts a statement or member on separate lines.
    fn insert_lines(&self, list: &List, items: &Items<'_>, index: usize, side: Side, content: &str) -> Vec<Edit> {
        let own = shape(content, list.kind);
        let gaps = ItemSpacing { editor: self, list, items };
        let declares = first_declared_name(content, list.kind, self.document.tree.grammar()).is_some();
        let indent = items.indent();
        let (before, after) = match side {
            Side::Before => (index.checked_sub(1), Some(index)),
            Side::After => (Some(index), Some(index + 1).filter(|next| *next < items.items.len())),
        };
        let wanted_before = before.map(|before| gaps.blank_lines_for(gaps.shape(before), own, index, declares));
        let wanted_after = after.map(|after| gaps.blank_lines_for(own, gaps.shape(after), index, declares));
        let there = before.filter(|_| after.is_some()).map_or(0, |before| gaps.between(before));
        match side {
            Side::After => {
                let at = end_of_line(self.text, items.items[index].range().end);
                let more = wanted_after.unwrap_or(0).saturating_sub(there.max(1)) * usize::from(after.is_some());
                let (above, below) = ("\n".repeat(wanted_before.unwrap_or(1)), "\n".repeat(more));
                vec![Edit::insert(at, format!("{above}{indent}{content}{below}"))]
            }
            Side::Before => {
                let at = lines::line_start(self.text, items.items[index].range().start);
                let more = wanted_before.unwrap_or(0).saturating_sub(there.max(1)) * usize::from(before.is_some());
                let (above, below) = ("\n".repeat(more), "\n".repeat(wanted_after.unwrap_or(1)));
                vec![Edit::insert(at, format!("{above}{indent}{content}{below}"))]
            }
        }
    }

    /// Inserts imports. Names are merged into existing import statements if possible; the others get new statements.
    pub(super) fn add_import(&self, insertion: &Insertion) -> Result<Vec<Edit>> {
        let Some(added) = self.merge_imports(&insertion.content) else {
            return self.insert_import(insertion);
        };
        let mut edits = added.edits;
        if !added.remaining.is_empty() {
            edits.extend(self.insert_import(&Insertion { content: added.remaining, position: insertion.position })?);
        }
        Ok(edits)
    }

    /// Merges import statements into the existing ones. `None` if the content is anything else.
    pub(super) fn merge_imports(&self, content: &str) -> Option<AddedImports> {
        add::merge_imports(self.parsed, self.text, &self.unit, content, self.document.tree.grammar())
    }

    fn insert_import(&self, insertion: &Insertion) -> Result<Vec<Edit>> {
        let imports = &self.document.regions().imports;
        let grammar = self.document.tree.grammar();
        let at = match insertion.position {
            Position::First => 0,
            Position::Last => imports.len(),
            Position::Sorted => {
                let name = first_declared_name(&insertion.content, ListKind::Module, grammar).unwrap_or_default();
                sorted_index(imports.iter().map(|(_, from)| from.as_str()), &name)
            }
        };
        let (neighbour, side) = match imports.get(at) {
            Some((span, _)) => (*span, Side::Before),
            None => (imports.last().map_or(Span::at(0), |(span, _)| *span), Side::After),
        };
        match list::list_of_item(self.parsed, self.text, neighbour) {
            Some((list, index)) => Ok(self.insert(&list, index, side, &insertion.content)),
            None => Ok(self.first_import(&insertion.content)),
        }
    }

    /// Inserts the first import of a document.
    pub(super) fn first_import(&self, content: &str) -> Vec<Edit> {
        let body = &self.parsed.program.body;
        let first = body.first().map(|first| statement_span(first, self.text));
        let Some((list, index)) = first.and_then(|first| list::list_of_item(self.parsed, self.text, first)) else {
            let inner = Span::new(0, self.text.len());
            let list = List { kind: ListKind::Module, inner, items: Vec::new(), fixed_count: 0, outer: inner };
            return self.insert(&list, 0, Side::Before, content);
        };
        self.insert(&list, index, Side::Before, content)
    }
}

/// Distances between the items of a list.
struct ItemSpacing<'g, 'e, 'a> {
    editor: &'g Editor<'e, 'a>,
    list: &'g List,
    items: &'g Items<'g>,
}

impl ItemSpacing<'_, '_, '_> {
    fn shape(&self, index: usize) -> Shape {
        shape(self.items.items[index].slice(self.editor.text), self.list.kind)
    }

    /// Returns the number of line breaks between an item and the next.
    fn between(&self, index: usize) -> usize {
        let (end, next) = (self.items.items[index].range().end, self.items.items[index + 1].range().start);
        let gap = &self.editor.text[end..next.max(end)];
        // Count only the line breaks after the last comment between the two items.
        let blank = gap.len() - gap.trim_end().len();
        gap[gap.len() - blank..].matches('\n').count().max(1)
    }

    /// Returns the number of line breaks between two items with these shapes: as many as between the nearest two items
    /// with the same shapes.
    fn blank_lines_for(&self, above: Shape, below: Shape, near: usize, declares: bool) -> usize {
        let count = self.items.items.len();
        for distance in 0..count.min(64) {
            for index in [near.checked_sub(distance + 1), near.checked_add(distance)].into_iter().flatten() {
                if index + 1 < count && same_shapes((self.shape(index), self.shape(index + 1)), (above, below)) {
                    return self.between(index);
                }
            }
        }
        match (above, below) {
            (Shape::Import, Shape::Import) | (Shape::SingleLine, Shape::SingleLine) => 1,
            (Shape::Import, _) | (_, Shape::Import) => 2,
            // In a function, no blank line separates statements, and one blank line separates declarations.
            _ if self.list.kind == ListKind::Block && !declares => 1,
            _ => 2,
        }
    }
}

/// Reindents a comment.
fn reindent_comment(content: &str, indent: &str) -> String {
    // In a block comment, the asterisks of the later lines are indented by one column. The unindented line appended
    // here keeps `reindent` from removing that column.
    let placed = indent::reindent(&format!("{}\n_", content.trim()), indent, |_| false);
    placed.strip_suffix('_').unwrap_or(&placed).trim_end().to_owned()
}

/// Returns the offset after any comment that follows on the same line.
fn end_of_line(text: &str, end: usize) -> usize {
    let line_end = lines::line_end(text, end);
    let rest = text[end..line_end].trim();
    let is_comment = rest.is_empty()
        || rest.starts_with("//")
        || (rest.starts_with("/*") && rest.find("*/") == Some(rest.len() - 2));
    if is_comment { end + text[end..line_end].trim_end().len() } else { end }
}

/// Returns the name of the first declaration in `content`, or the specifier if the first statement is an import. `kind`
/// is the kind of list into which the content is inserted.
pub(super) fn first_declared_name(content: &str, kind: ListKind, grammar: SourceType) -> Option<String> {
    let name = |program: &Program<'_>, _| match program.body.first() {
        Some(Statement::ImportDeclaration(import)) => Some(import.source.value.display().to_string()),
        _ => declarations::first_name(program),
    };
    fragment::with_parsed_list(content, kind, grammar, name)?
}

fn shape(text: &str, kind: ListKind) -> Shape {
    let imports = text.starts_with("import") && !text.starts_with("import(");
    let requires = text.starts_with(['c', 'l', 'v']) && !text.contains('\n') && text.contains("= require(");
    if kind == ListKind::Module && (imports || requires) {
        Shape::Import
    } else if text.contains('\n') {
        Shape::MultiLine
    } else {
        Shape::SingleLine
    }
}

/// Returns whether two pairs have the same shapes. A pair with at least one multi-line item counts as multi-line.
fn same_shapes(one: (Shape, Shape), other: (Shape, Shape)) -> bool {
    let kind = |pair: (Shape, Shape)| match pair {
        (Shape::Import, Shape::Import) => 0,
        (Shape::Import, _) | (_, Shape::Import) => 1,
        (Shape::SingleLine, Shape::SingleLine) => 2,
        _ => 3,
    };
    kind(one) == kind(other)
}
