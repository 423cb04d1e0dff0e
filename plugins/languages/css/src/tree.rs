//! A stylesheet as a flat list of items in document order, each knowing where its parts lie.

use std::ops::Range;

use marquetry_sdk::{Problem, Span};

use crate::{
    chars::Dialect,
    parse,
    scan::{Part, Scan},
};

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Rule,
    /// A rule of `@keyframes`.
    Keyframe,
    /// Any at-rule that has no kind of its own.
    AtRule,
    /// `@import`, `@use`, `@forward`, `@plugin`.
    Import,
    /// `@mixin name` of SCSS, `.name() { }` of LESS.
    Mixin,
    Function,
    /// `@include`.
    Include,
    /// `@extend` of SCSS, `&:extend(…)` of LESS.
    Extend,
    /// A mixin, a detached ruleset or a function that LESS calls as a statement.
    Call,
    Declaration,
    Variable,
    /// An entry of an SCSS map.
    Entry,
}

/// No item.
pub(crate) const NONE: u32 = u32::MAX;

/// One statement, or an entry of a map. All offsets are into the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// Whether the body is a block in braces (else it is the value of a declaration).
    pub(crate) block: bool,
    /// Whether there is a body at all.
    pub(crate) has_body: bool,
    pub(crate) parent: u32,
    /// The index behind all that is in this item.
    pub(crate) next: u32,
    /// Where white space and comments before it start: behind what comes before.
    pub(crate) lead: u32,
    pub(crate) start: u32,
    /// End of the selector, the prelude or the name.
    pub(crate) head: u32,
    /// What is inside the braces, or the value.
    pub(crate) body_start: u32,
    pub(crate) body_end: u32,
    /// End without the semicolon.
    pub(crate) end: u32,
    /// End with the semicolon.
    pub(crate) after: u32,
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

    /// Whether a semicolon ends it (or would, if something followed).
    pub(crate) fn is_statement(&self) -> bool {
        !self.block && self.kind != Kind::Entry
    }

    pub(crate) fn has_semicolon(&self) -> bool {
        self.after > self.end
    }

    /// Whether rules and declarations stand in it.
    pub(crate) fn is_container(&self) -> bool {
        self.block && self.has_body
    }
}

/// A stylesheet.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) text: String,
    pub(crate) dialect: Dialect,
    /// Whether plugins of PostCSS may give meaning to what CSS does not know.
    pub(crate) extended: bool,
    /// Whether the name of the file says that it is a part of others.
    pub(crate) partial: bool,
    pub(crate) items: Vec<Item>,
    /// What is wrong with the structure.
    pub(crate) problems: Vec<Problem>,
}

impl Tree {
    pub(crate) fn new(text: String, dialect: Dialect) -> Tree {
        let (mut items, problems) = parse::parse(&text, dialect);
        items.shrink_to_fit();
        Tree { text, dialect, extended: false, partial: false, items, problems }
    }

    pub(crate) fn item(&self, index: u32) -> &Item {
        &self.items[index as usize]
    }

    pub(crate) fn scan(&self) -> Scan<'_> {
        Scan::quiet(&self.text, self.dialect)
    }

    pub(crate) fn head(&self, item: &Item) -> &str {
        &self.text[item.head_range()]
    }

    /// The span of the items from one to another, semicolon included.
    pub(crate) fn run_span(&self, first: u32, last: u32) -> Span {
        Span { start: self.item(first).start, end: self.item(last).after }
    }

    /// The items directly in this one, or at the top with [`NONE`].
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

    /// The name of an at-rule with its `@`; of a declaration, variable or entry its name; else the head.
    pub(crate) fn name(&self, item: &Item) -> &str {
        let head = self.head(item);
        match item.kind {
            Kind::Declaration | Kind::Variable if item.block => {
                let colon = self.colon(item).unwrap_or(item.head as usize);
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

    /// What follows the name of an at-rule.
    pub(crate) fn prelude(&self, item: &Item) -> Range<usize> {
        let head = self.head(item);
        let start = item.start as usize + at_name_len(head, self.dialect);
        start..item.head as usize
    }

    /// The first colon of a head, outside brackets and strings.
    pub(crate) fn colon(&self, item: &Item) -> Option<usize> {
        let mut scan = self.scan();
        let mut at = item.start as usize;
        loop {
            match scan.part(at) {
                (Part::Colon, _) => return Some(at),
                (Part::End, _) => return None,
                (_, end) if end > item.head as usize => return None,
                (_, end) => at = end,
            }
        }
    }

    /// The comments that stand directly above an item, on lines of their own.
    pub(crate) fn doc(&self, item: &Item) -> Option<Span> {
        if item.kind == Kind::Entry && item.lead == item.start {
            return None;
        }
        let mut scan = self.scan();
        let (mut at, start) = (item.lead as usize, item.start as usize);
        let mut doc: Option<usize> = None;
        let mut end = at;
        let mut fresh = at == 0; // whether a line starts here
        while at < start {
            let (part, next) = scan.part(at);
            match part {
                Part::Space => {
                    let breaks = line_breaks(&self.text[at..next]);
                    fresh |= breaks > 0;
                    if breaks > 1 {
                        doc = None;
                    }
                }
                Part::Comment => {
                    let license = self.text[at..].starts_with("/*!");
                    if fresh && !license {
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

/// Line breaks in a text; `\r\n` is one.
pub(crate) fn line_breaks(space: &str) -> usize {
    let bytes = space.as_bytes();
    (0..bytes.len())
        .filter(|at| bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')))
        .count()
}

/// The length of `@name`, an interpolated name included.
pub(crate) fn at_name_len(head: &str, dialect: Dialect) -> usize {
    let mut scan = Scan::quiet(head, dialect);
    let mut at = usize::from(head.starts_with('@'));
    loop {
        match scan.part(at) {
            (Part::Word | Part::Interpolation, end) => at = end,
            _ => return at,
        }
    }
}
