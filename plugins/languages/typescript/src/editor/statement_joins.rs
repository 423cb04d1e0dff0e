//! Keeps statements apart: next to a statement without a semicolon, a line that starts with `(` or `[` would be parsed
//! as its continuation, and a statement on the same line is a syntax error. Edits bring such statements together when
//! they remove, insert or replace statements.

use std::ops::Range;

use marquetry_sdk::span::apply_within;
use marquetry_sdk::{Edit, Span};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_span::GetSpan as _;

use crate::editor::fragment::{Fragment, ends_in_semicolon};
use crate::editor::list::ListKind;
use crate::editor::semicolons::continues_statement;
use crate::syntax::component_code::script_statements;
use crate::syntax::components::scripts_of;
use crate::syntax::spans::{skip_trivia, span_in};
use crate::syntax::tree::{Parsed, Tree};

/// A statement, directive or class member.
struct Item {
    span: Span,
    /// True if the next item may be parsed as a part of this one.
    is_open: bool,
}

/// A part of a list after the edits.
#[derive(Clone, Copy)]
enum Piece<'p> {
    /// An item, with its index in the list before the edits.
    Item(usize, &'p Item),
    /// New statements, with the index of their edit.
    New(usize),
}

/// Adds semicolons to sorted edits wherever they would join two statements or two members of a class.
pub(crate) fn separate_statements(parsed: &Parsed<'_>, tree: &Tree, edits: &mut Vec<Edit>) {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return };
    let (start, end) = (first.span.start, last.span.end);
    let mut found = Vec::new();
    for node in parsed.semantic().nodes().iter() {
        let span = node.kind().span();
        if (span.start <= end && start <= span.end)
            && let Some((kind, items)) = items_of(node.kind(), tree.text())
        {
            let list = JoinedList { items, edits, tree, kind };
            found.extend(list.joins(span_in(span, tree.text())));
        }
    }
    for (edit, at) in found {
        match edit {
            // The semicolon belongs into the new text of this edit, at offset `at` of that text.
            Some(edit) => edits[edit].text.insert(at, ';'),
            None => edits.push(Edit::insert(at, ";".to_owned())),
        }
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
}

/// A list with the edits that may change it.
struct JoinedList<'l> {
    items: Vec<Item>,
    edits: &'l [Edit],
    tree: &'l Tree,
    kind: ListKind,
}

impl JoinedList<'_> {
    /// Returns where semicolons are needed: the index of an edit and an offset in its text, or an offset in the
    /// document.
    fn joins(&self, within: Span) -> Vec<(Option<usize>, usize)> {
        let Some(pieces) = self.pieces(within) else { return Vec::new() };
        let mut found = Vec::new();
        // Markup separates the expressions of a component's template.
        let scripts = scripts_of(self.tree.path(), self.tree.text());
        for pair in pieces.windows(2) {
            let (before, after) = (pair[0], pair[1]);
            let (start, end) = (self.span_of(before).range().start, self.span_of(after).range().end);
            let is_script = |script: &Range<usize>| script.start <= start && end <= script.end;
            if scripts.as_ref().is_some_and(|scripts| !scripts.iter().any(is_script)) {
                continue;
            }
            let is_untouched = match (before, after) {
                (Piece::Item(index, _), Piece::Item(next, item)) => {
                    index + 1 == next && self.edit_at_start(item).is_none() && !self.is_end_changed(before)
                }
                _ => false,
            };
            if is_untouched {
                continue;
            }
            let (next, place) = self.start_of(after);
            let continues = continues_statement(next);
            let joins = continues || !next.starts_with(';') && self.shares_line(before, after);
            if !joins || !self.is_open(before) {
                continue;
            }
            found.push(match before {
                // On the same line, the semicolon is written directly after the new statement.
                Piece::New(edit) if !continues => (Some(edit), self.edits[edit].text.trim_end().len()),
                _ => place,
            });
        }
        found
    }

    /// Returns the text at which a piece starts after the edits, and the place of this text: the index of an edit and an
    /// offset in its text, or an offset in the document.
    fn start_of(&self, piece: Piece<'_>) -> (&str, (Option<usize>, usize)) {
        let edit = match piece {
            Piece::New(edit) => Some(edit),
            // An edit may replace the first words of a statement.
            Piece::Item(_, item) => self.edit_at_start(item),
        };
        match (edit, piece) {
            (Some(edit), _) => {
                let text = self.edits[edit].text.as_str();
                let rest = &self.tree.text()[self.edits[edit].span.range().end..];
                let start = skip_trivia(text, 0);
                let next = if text[start..].is_empty() { rest.trim_start() } else { &text[start..] };
                (next, (Some(edit), start.min(text.len())))
            }
            (None, Piece::Item(_, item)) => (item.span.slice(self.tree.text()), (None, item.span.range().start)),
            (None, Piece::New(_)) => ("", (None, 0)),
        }
    }

    fn span_of(&self, piece: Piece<'_>) -> Span {
        match piece {
            Piece::Item(_, item) => item.span,
            Piece::New(edit) => self.edits[edit].span,
        }
    }

    /// Returns whether no line break is between new statements and the next piece after the edits.
    fn shares_line(&self, before: Piece<'_>, after: Piece<'_>) -> bool {
        let Piece::New(new) = before else { return false };
        let tail = self.edits[new].text.as_str();
        let head = match after {
            Piece::Item(..) => "",
            Piece::New(edit) => self.edits[edit].text.as_str(),
        };
        let (tail, head) = (&tail[tail.trim_end().len()..], &head[..skip_trivia(head, 0).min(head.len())]);
        let between = self.span_of(before).range().end..self.span_of(after).range().start;
        if between.start > between.end || tail.contains('\n') || head.contains('\n') {
            return false;
        }
        let is_between = |edit: &&Edit| {
            let is_piece = |piece| matches!(piece, Piece::New(known) if std::ptr::eq(&self.edits[known], *edit));
            let range = edit.span.range();
            between.start <= range.start && range.end <= between.end && !is_piece(before) && !is_piece(after)
        };
        let edits: Vec<Edit> = self.edits.iter().filter(is_between).cloned().collect();
        !apply_within(self.tree.text(), between, &edits).contains('\n')
    }

    /// Returns the edits inside of an item.
    fn edits_inside(&self, item: &Item) -> &[Edit] {
        let from = self.edits.partition_point(|edit| edit.span.start < item.span.start);
        let to = self.edits.partition_point(|edit| edit.span.end <= item.span.end);
        self.edits.get(from..to).unwrap_or_default()
    }

    /// Returns whether edits inside of an item may change whether it needs a semicolon: `function f() {}` becomes
    /// `const f = () => {}`.
    fn is_end_changed(&self, piece: Piece<'_>) -> bool {
        matches!(piece, Piece::Item(_, item) if !self.edits_inside(item).is_empty())
    }

    /// Returns whether the text after a piece may be parsed as a part of it.
    fn is_open(&self, piece: Piece<'_>) -> bool {
        let lacks_semicolon =
            |text: &str| Fragment::of_list_items(text, self.kind, self.tree.grammar()).lacks_semicolon;
        match piece {
            Piece::Item(_, item) => match self.edits_inside(item) {
                [] => item.is_open,
                edits => lacks_semicolon(&apply_within(self.tree.text(), item.span.range(), edits)),
            },
            Piece::New(edit) => lacks_semicolon(&self.edits[edit].text),
        }
    }

    /// Returns the edit that changes the start of an item and keeps the rest of the item.
    fn edit_at_start(&self, item: &Item) -> Option<usize> {
        let is_it = |edit: &Edit| {
            let changes_words = !edit.span.is_empty() || is_prefix(&edit.text);
            edit.span.start == item.span.start && edit.span.end < item.span.end && changes_words
        };
        let from = self.edits.partition_point(|edit| edit.span.start < item.span.start);
        let same = self.edits[from..].iter().take_while(|edit| edit.span.start == item.span.start);
        same.enumerate().find(|(_, edit)| is_it(edit)).map(|(index, _)| from + index)
    }

    /// Returns the list after the edits. `None` if one edit changes only a part of several items.
    fn pieces(&self, within: Span) -> Option<Vec<Piece<'_>>> {
        let mut removed = vec![false; self.items.len()];
        let mut new = Vec::new();
        for (index, edit) in self.edits.iter().enumerate().filter(|(_, edit)| within.contains(edit.span)) {
            let span = edit.span;
            let from = self.items.partition_point(|item| item.span.end <= span.start);
            let to = self.items.partition_point(|item| item.span.start < span.end);
            let touched = self.items.get(from..to).unwrap_or_default();
            let starts_item = self.items.get(to).is_some_and(|item| item.span.start == span.start);
            match touched {
                [] if span.is_empty() && starts_item && is_prefix(&edit.text) => continue,
                [only] if only.span != span && only.span.contains(span) => continue,
                _ if touched.iter().all(|item| span.contains(item.span)) => {}
                _ => return None,
            }
            removed.get_mut(from..to).unwrap_or_default().fill(true);
            // Comments do not separate statements.
            if skip_trivia(&edit.text, 0) < edit.text.len() {
                new.push((span.start, Piece::New(index)));
            }
        }
        let kept = self.items.iter().enumerate().filter(|(index, _)| !removed[*index]);
        let mut pieces: Vec<(u32, Piece<'_>)> =
            kept.map(|(index, item)| (item.span.start, Piece::Item(index, item))).collect();
        // New text at the start of an item is before it.
        pieces.splice(0..0, new);
        pieces.sort_by_key(|(start, _)| *start);
        Some(pieces.into_iter().map(|(_, piece)| piece).collect())
    }
}

/// Returns whether a text that is inserted before a statement becomes a part of it: `async `.
fn is_prefix(text: &str) -> bool {
    let last = text.trim_end().chars().next_back();
    !text.ends_with('\n') && last.is_some_and(|last| !matches!(last, ';' | '}'))
}

/// Returns the items of a node that is a list of statements or of class members.
fn items_of(kind: AstKind<'_>, text: &str) -> Option<(ListKind, Vec<Item>)> {
    let item = |span: oxc_span::Span, takes_semicolon: bool| {
        let span = span_in(span, text);
        Item { span, is_open: takes_semicolon && !span.slice(text).ends_with(';') }
    };
    let statements = |directives: &[Directive<'_>], body: &[Statement<'_>]| {
        let directives = directives.iter().map(|directive| item(directive.span, true));
        directives.chain(body.iter().map(|it| item(it.span(), ends_in_semicolon(it)))).collect()
    };
    Some(match kind {
        AstKind::Program(program) => (ListKind::Module, statements(&program.directives, script_statements(program))),
        AstKind::FunctionBody(body) => (ListKind::Block, statements(&body.directives, &body.statements)),
        AstKind::BlockStatement(block) => (ListKind::Block, statements(&[], &block.body)),
        AstKind::StaticBlock(block) => (ListKind::Block, statements(&[], &block.body)),
        AstKind::TSModuleBlock(block) => (ListKind::Block, statements(&block.directives, &block.body)),
        AstKind::SwitchCase(case) => (ListKind::Block, statements(&[], &case.consequent)),
        AstKind::ClassBody(class) => {
            let is_field = |element: &ClassElement<'_>| {
                matches!(element, ClassElement::PropertyDefinition(_) | ClassElement::AccessorProperty(_))
            };
            let items = class.body.iter().map(|element| item(element.span(), is_field(element)));
            (ListKind::ClassMembers, items.collect())
        }
        _ => return None,
    })
}
