//! Converts a stylesheet to a tree of statements.

use marquetry_sdk::{
    Span,
    structure::{self, Builder, Letters, Metavariable},
};

use super::{kind, values::ValueWriter};
use crate::{
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, NONE, Tree},
};

/// Converts a whole stylesheet.
pub(super) fn statement_tree(sheet: &Tree) -> structure::Tree<&str> {
    let mut writer = TreeWriter { sheet, scan: sheet.scan(), builder: Builder::new(&sheet.text, kind::BODY) };
    writer.statements(NONE, sheet.text.len());
    writer.builder.finish()
}

struct TreeWriter<'t> {
    sheet: &'t Tree,
    scan: Scanner<'t>,
    builder: Builder<'t>,
}

impl TreeWriter<'_> {
    /// Adds the statements in an item, whose content ends at `end`. The recursion is bounded, because the parser limits
    /// nesting.
    fn statements(&mut self, parent: u32, end: usize) {
        let start = self.sheet.items.get(parent as usize).map_or(0, |item| item.body_start as usize);
        let mut behind = start;
        for index in self.sheet.children(parent) {
            let item = *self.sheet.item(index);
            self.comments(behind, item.start as usize);
            self.statement(index, &item);
            behind = (item.end_with_semicolon as usize).max(behind);
        }
        self.comments(behind, end);
    }

    fn comments(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let (part, end) = self.scan.token_at(at);
            if part == TokenKind::Comment {
                self.builder.extra(Span::new(at, end.min(to)));
            }
            at = end.max(at + 1);
        }
    }

    fn statement(&mut self, index: u32, item: &Item) {
        let (start, end) = (item.start as usize, item.end as usize);
        let name = self.sheet.name(item).len();
        match item.kind {
            Kind::Entry => {}
            Kind::AtRule
                if !item.has_body
                    && let Some(metavariable) = Metavariable::parse(&self.sheet.head(item)[1..]) =>
            {
                self.builder.push_metavariable(
                    kind::BODY,
                    metavariable,
                    Span::new(start, item.end_with_semicolon as usize),
                );
            }
            Kind::Declaration | Kind::Variable => self.declaration(index, item),
            Kind::Rule | Kind::Keyframe => self.headed(kind::RULE, index, item, 0, true),
            Kind::Mixin | Kind::Extend if !self.sheet.head(item).starts_with('@') => {
                let kind = if item.block { kind::RULE } else { kind::CALL };
                self.headed(kind, index, item, 0, item.block);
            }
            Kind::Call => self.headed(kind::CALL, index, item, 0, false),
            Kind::AtRule | Kind::Import | Kind::Mixin | Kind::Function | Kind::Include | Kind::Extend => {
                self.headed(kind::AT_RULE, index, item, name, false);
            }
        }
        debug_assert!(start <= end);
    }

    /// Adds an item that consists of an optional name, a head and an optional block. `name` is the length of the name,
    /// or 0.
    fn headed(&mut self, kind: u8, index: u32, item: &Item, name: usize, is_selector: bool) {
        let start = item.start as usize;
        self.builder.open(kind, start);
        if name > 0 {
            let span = Span::new(start, start + name);
            self.builder.token(span, span, Letters::Exact);
        }
        let mut values = ValueWriter::new(&mut self.scan, &mut self.builder, is_selector);
        values.list(start + name, item.head as usize, true);
        if item.is_container() {
            self.comments(item.head as usize, (item.body_start as usize).saturating_sub(1));
            self.body(index, item);
        }
        self.builder.close_with(item.end as usize, item.end_with_semicolon as usize);
    }

    fn body(&mut self, index: u32, item: &Item) {
        self.builder.open(kind::BODY, item.body_start as usize);
        self.statements(index, item.body_end as usize);
        self.builder.close(item.body_end as usize);
    }

    /// Adds a declaration, which consists of a name and a value. In SCSS and LESS, it can also have a block.
    fn declaration(&mut self, index: u32, item: &Item) {
        let start = item.start as usize;
        let name = Span::new(start, start + self.sheet.name(item).len());
        self.builder.open(kind::DECLARATION, start);
        self.builder.token(name, name, Letters::Exact);
        let (from, to) = match item.block {
            true => (self.sheet.first_colon(item).map_or(item.head as usize, |colon| colon + 1), item.head as usize),
            false => (item.body_start as usize, item.body_end as usize),
        };
        self.comments(name.range().end, from.max(name.range().end));
        // In the value of a custom property, `//` does not start a comment.
        let line_comments = self.scan.line_comments;
        self.scan.line_comments &= !name.slice(&self.sheet.text).starts_with("--");
        let flags = self.flags_start(from, to);
        ValueWriter::new(&mut self.scan, &mut self.builder, false).list(from, flags.unwrap_or(to), true);
        self.scan.line_comments = line_comments;
        if let Some(flags) = flags {
            self.builder.extra(Span::new(flags, to));
        }
        if item.is_container() {
            self.body(index, item);
        }
        self.builder.close_with(item.end as usize, item.end_with_semicolon as usize);
    }

    /// Returns the start of flags such as `!important`.
    fn flags_start(&mut self, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while at < to {
            let (part, end) = self.scan.token_at(at);
            if part == TokenKind::Other && self.scan.byte(at) == Some(b'!') {
                return Some(at);
            }
            at = end;
        }
        None
    }
}
