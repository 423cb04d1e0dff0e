//! A stylesheet as a flat list of items in document order, with the positions of their parts.

use std::ops::Range;

use marquetry_sdk::{Diagnostic, Span, directives};

use crate::{
    chars::Dialect,
    parse,
    scanner::{Scanner, TokenKind},
};

/// Kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Rule,
    /// A rule of `@keyframes`.
    Keyframe,
    /// Any other at-rule.
    AtRule,
    /// `@import`, `@use`, `@forward`, `@plugin`.
    Import,
    /// `@mixin name` in SCSS, or `.name() { }` in LESS.
    Mixin,
    Function,
    /// `@include`.
    Include,
    /// `@extend` in SCSS, or `&:extend(…)` in LESS.
    Extend,
    /// A mixin, detached ruleset or function that LESS calls as a statement.
    Call,
    Declaration,
    Variable,
    /// An entry of an SCSS map.
    Entry,
}

/// Index that means "no item".
pub(crate) const NONE: u32 = u32::MAX;

/// A statement or map entry. All offsets are relative to the start of the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// True if the body is a block in braces; otherwise it is the value of a declaration.
    pub(crate) block: bool,
    /// True if there is a body.
    pub(crate) has_body: bool,
    pub(crate) parent: u32,
    /// Index after the last descendant.
    pub(crate) next: u32,
    /// Start of the white space and comments before the item.
    pub(crate) trivia_start: u32,
    pub(crate) start: u32,
    /// End of the selector, the prelude or the name.
    pub(crate) head: u32,
    /// Start of the content of the braces, or of the value.
    pub(crate) body_start: u32,
    pub(crate) body_end: u32,
    /// End of the item without its semicolon.
    pub(crate) end: u32,
    /// End of the item with its semicolon.
    pub(crate) end_with_semicolon: u32,
}

impl Item {
    pub(crate) fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }

    pub(crate) fn body(&self) -> Option<Span> {
        self.has_body.then_some(Span { start: self.body_start, end: self.body_end })
    }

    pub(crate) fn head_range(&self) -> Range<usize> {
        self.start as usize..self.head as usize
    }

    /// Returns whether the item ends with a semicolon. The last statement of a block can omit it.
    pub(crate) fn is_statement(&self) -> bool {
        !self.block && self.kind != Kind::Entry
    }

    pub(crate) fn has_semicolon(&self) -> bool {
        self.end_with_semicolon > self.end
    }

    /// Returns whether the item can contain rules and declarations.
    pub(crate) fn is_container(&self) -> bool {
        self.block && self.has_body
    }
}

/// A stylesheet.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) text: String,
    pub(crate) dialect: Dialect,
    /// True if PostCSS plugins may define the syntax of the file, so that it can contain syntax that is not CSS.
    pub(crate) extended: bool,
    /// True if the file name marks it as a partial.
    pub(crate) partial: bool,
    pub(crate) items: Vec<Item>,
    /// Diagnostics about the structure.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Tree {
    pub(crate) fn new(text: String, dialect: Dialect) -> Tree {
        let (mut items, diagnostics) = parse::parse(&text, dialect);
        items.shrink_to_fit();
        Tree { text, dialect, extended: false, partial: false, items, diagnostics }
    }

    pub(crate) fn item(&self, index: u32) -> &Item {
        &self.items[index as usize]
    }

    pub(crate) fn scan(&self) -> Scanner<'_> {
        Scanner::without_reports(&self.text, self.dialect)
    }

    pub(crate) fn head(&self, item: &Item) -> &str {
        &self.text[item.head_range()]
    }

    /// Returns the span of the items from first to last, including the semicolon.
    pub(crate) fn run_span(&self, first: u32, last: u32) -> Span {
        Span { start: self.item(first).start, end: self.item(last).end_with_semicolon }
    }

    /// Returns the children of an item, or the top-level items for [`NONE`].
    pub(crate) fn children(&self, parent: u32) -> impl Iterator<Item = u32> + '_ {
        let (mut at, end) = match self.items.get(parent as usize) {
            Some(item) => (parent + 1, item.next),
            None => (0, self.items.len() as u32),
        };
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let index = at;
                at = self.item(index).next;
                index
            })
        })
    }

    /// Returns the name of an item: of an at-rule with its `@`, of a declaration, a variable or an entry. For other
    /// items, returns the head.
    pub(crate) fn name(&self, item: &Item) -> &str {
        let head = self.head(item);
        match item.kind {
            Kind::Declaration | Kind::Variable if item.block => {
                let colon = self.first_colon(item).unwrap_or(item.head as usize);
                self.text[item.start as usize..colon].trim_ascii_end()
            }
            Kind::Rule | Kind::Keyframe | Kind::Call => head,
            Kind::Extend | Kind::Mixin if !head.starts_with('@') => head,
            Kind::AtRule | Kind::Import | Kind::Mixin | Kind::Function | Kind::Include | Kind::Extend => {
                &head[..at_name_len(head, self.dialect)]
            }
            Kind::Declaration | Kind::Variable | Kind::Entry => head,
        }
    }

    /// Returns the range between the name of an at-rule and its block or end.
    pub(crate) fn prelude(&self, item: &Item) -> Range<usize> {
        let head = self.head(item);
        let start = item.start as usize + at_name_len(head, self.dialect);
        start..item.head as usize
    }

    /// Returns the offset of the first colon in a head that is outside of brackets and strings.
    pub(crate) fn first_colon(&self, item: &Item) -> Option<usize> {
        let mut scan = self.scan();
        let mut at = item.start as usize;
        loop {
            match scan.token_at(at) {
                (TokenKind::Colon, _) => return Some(at),
                (TokenKind::End, _) => return None,
                (_, end) if end > item.head as usize => return None,
                (_, end) => at = end,
            }
        }
    }

    /// Returns the span of the comments directly above an item, on separate lines.
    pub(crate) fn doc(&self, item: &Item) -> Option<Span> {
        if item.kind == Kind::Entry && item.trivia_start == item.start {
            return None;
        }
        let mut scan = self.scan();
        let (mut at, start) = (item.trivia_start as usize, item.start as usize);
        let mut doc: Option<usize> = None;
        let mut end = at;
        let mut fresh = at == 0; // true if only white space is before `at` on its line
        while at < start {
            let (part, next) = scan.token_at(at);
            match part {
                TokenKind::Space => {
                    let breaks = line_breaks(&self.text[at..next]);
                    fresh |= breaks > 0;
                    if breaks > 1 {
                        doc = None;
                    }
                }
                TokenKind::Comment => {
                    let comment = &self.text[at..next];
                    let is_apart = directives::is_about_region(comment) || is_banner(comment);
                    if fresh && !is_apart {
                        doc = doc.or(Some(at));
                    } else {
                        doc = None;
                    }
                    fresh = false;
                    end = next;
                }
                _ => doc = None,
            }
            at = next;
        }
        let below = line_breaks(self.text.get(end..start)?) > 0;
        doc.filter(|_| below).map(|from| Span::new(from, end))
    }
}

/// Returns whether a comment is the title of a section, such as `/* --- Buttons --- */`.
fn is_banner(comment: &str) -> bool {
    let inner = comment.strip_prefix("/*").and_then(|inner| inner.strip_suffix("*/"));
    let title = inner.or_else(|| comment.strip_prefix("//")).unwrap_or(comment).trim();
    let rules = ["---", "===", "***", "~~~", "___", "###", "///"];
    title.len() > 2 && rules.iter().any(|rule| title.starts_with(rule) || title.ends_with(rule))
}

/// Returns the number of line breaks in a text. `\r\n` counts as one.
pub(crate) fn line_breaks(space: &str) -> usize {
    let bytes = space.as_bytes();
    (0..bytes.len())
        .filter(|at| bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')))
        .count()
}

/// Returns the length of `@name` at the start of a head, including interpolations in the name.
pub(crate) fn at_name_len(head: &str, dialect: Dialect) -> usize {
    let mut scan = Scanner::without_reports(head, dialect);
    let mut at = usize::from(head.starts_with('@'));
    loop {
        match scan.token_at(at) {
            (TokenKind::Word | TokenKind::Interpolation, end) => at = end,
            _ => return at,
        }
    }
}
