//! Finds references to other files in a stylesheet.

use marquetry_sdk::Span;

use crate::{
    chars::{Dialect, unescape},
    scan::{Part, Scan},
    tree::{Item, Kind, Tree},
};

/// A link, and what is deleted to remove it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) kind: &'static str,
    /// Item that contains the link.
    pub(crate) item: u32,
    pub(crate) span: Span,
    pub(crate) specifier: String,
    pub(crate) names: Vec<String>,
    pub(crate) removal: Removal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    /// The whole statement can be removed.
    Statement,
    /// Only this address of several can be removed, by its position.
    Part(usize),
    /// Nothing can be removed: something needs the value.
    Nothing,
}

/// All links of a stylesheet, in document order.
pub(crate) fn links(tree: &Tree) -> Vec<Found> {
    let mut finder = Finder { tree, scan: tree.scan(), found: Vec::new(), images_end: 0 };
    for index in 0..tree.items.len() as u32 {
        finder.item(index, tree.item(index));
    }
    finder.found.sort_by_key(|found| found.span.start);
    finder.found
}

/// Spans to remove so that an import loses some of its addresses.
pub(crate) fn without(tree: &Tree, item: &Item, removed: &[usize]) -> Vec<Span> {
    let mut finder = Finder { tree, scan: tree.scan(), found: Vec::new(), images_end: 0 };
    let arguments = finder.arguments(tree.prelude(item));
    let mut spans = Vec::new();
    let mut at = 0;
    while at < arguments.len() {
        let run = (at..arguments.len()).take_while(|position| removed.contains(position)).count();
        if run > 0 {
            let last = at + run - 1;
            spans.push(match at.checked_sub(1) {
                Some(before) => Span::new(arguments[before].end, arguments[last].end),
                None => Span::new(
                    arguments[0].start,
                    arguments.get(last + 1).map_or(arguments[last].end, |next| next.start),
                ),
            });
        }
        at += run + 1;
    }
    spans
}

#[derive(Debug)]
struct Finder<'t> {
    tree: &'t Tree,
    scan: Scan<'t>,
    found: Vec<Found>,
    /// End of the last `image-set()`.
    images_end: usize,
}

impl<'t> Finder<'t> {
    fn item(&mut self, index: u32, item: &Item) {
        let value = item.body_start as usize..item.body_end as usize;
        match item.kind {
            Kind::Import => self.import(index, item),
            Kind::Declaration if !item.block => {
                if self.tree.name(item).eq_ignore_ascii_case("composes") {
                    return self.clauses_with_from(index, value, "composes");
                }
                self.addresses(index, value);
            }
            Kind::Declaration => self.addresses(index, item.head_range()),
            Kind::Variable if !item.block => self.addresses(index, value),
            Kind::Include => self.include(index, item),
            Kind::AtRule => self.at_rule(index, item),
            Kind::Mixin | Kind::Call | Kind::Function => self.addresses(index, item.head_range()),
            Kind::Rule | Kind::Keyframe | Kind::Extend | Kind::Entry | Kind::Variable => {}
        }
    }

    fn push(&mut self, kind: &'static str, item: u32, span: Span, removal: Removal) {
        let written = span.of(&self.tree.text);
        let specifier = unescape(written).into_owned();
        // Empty, or a fragment of this document.
        if specifier.is_empty() || specifier.starts_with('#') && !specifier.starts_with("#{") {
            return;
        }
        let names = if kind == "url" { Vec::new() } else { vec!["*".to_owned()] };
        self.found.push(Found { kind, item, span, specifier, names, removal });
    }

    /// Content of a closed string.
    fn quoted(&self, start: usize, end: usize) -> Option<Span> {
        self.scan.between_quotes(start, end).map(Span::from)
    }

    // --- imports ---

    fn import(&mut self, index: u32, item: &Item) {
        let kind = match self.tree.name(item).to_ascii_lowercase().as_str() {
            "@use" => "use",
            "@forward" => "forward",
            "@plugin" => "plugin",
            _ => "import",
        };
        let prelude = self.tree.prelude(item);
        let several = self.tree.dialect == Dialect::Scss && kind == "import";
        let arguments = if several { self.arguments(prelude) } else { vec![prelude] };
        let count = arguments.len();
        for (position, argument) in arguments.iter().enumerate() {
            let removal = if count == 1 { Removal::Statement } else { Removal::Part(position) };
            self.import_argument(index, kind, argument.clone(), removal);
        }
    }

    /// Splits the range at commas; the ranges do not include surrounding white space.
    fn arguments(&mut self, range: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
        let mut arguments: Vec<std::ops::Range<usize>> = Vec::new();
        let mut open: Option<std::ops::Range<usize>> = None;
        let mut at = range.start;
        while at < range.end {
            let (part, end) = self.scan.part(at);
            match part {
                // A comma that no string follows belongs to media queries.
                Part::Comma if self.starts_address(end) => arguments.extend(open.take()),
                Part::Space | Part::Comment => {}
                _ => open = Some(open.map_or(at, |open| open.start)..end),
            }
            at = end;
        }
        arguments.extend(open);
        arguments
    }

    fn starts_address(&mut self, at: usize) -> bool {
        let (part, start, end) = self.scan.next(at);
        part == Part::Text || (part == Part::Word && self.tree.text[start..end].eq_ignore_ascii_case("url"))
    }

    fn import_argument(&mut self, index: u32, kind: &'static str, range: std::ops::Range<usize>, removal: Removal) {
        let (mut part, mut at, mut end) = self.scan.next(range.start);
        if part == Part::Group && self.tree.dialect == Dialect::Less {
            // Import options, such as `(reference)`.
            (part, at, end) = self.scan.next(end);
        }
        let text = &self.tree.text;
        match part {
            Part::Text if end <= range.end => {
                let Some(span) = self.quoted(at, end) else { return };
                let alone = matches!(self.scan.next(end), (_, next, _) if next >= range.end);
                let plain =
                    self.tree.dialect == Dialect::Scss && kind == "import" && (!alone || is_plain(span.of(text)));
                self.push(if plain { "import-css" } else { kind }, index, span, removal);
            }
            Part::Word if text[at..end].eq_ignore_ascii_case("url") => {
                let kind = if self.tree.dialect == Dialect::Scss { "import-css" } else { kind };
                if let Some(span) = self.address(end) {
                    self.push(kind, index, span, removal);
                }
            }
            _ => {}
        }
    }

    // --- other at-rules ---

    fn at_rule(&mut self, index: u32, item: &Item) {
        let prelude = self.tree.prelude(item);
        match self.tree.name(item).to_ascii_lowercase().as_str() {
            "@value" => self.clauses_with_from(index, prelude, "value"),
            // Extensions of bundlers and frameworks.
            "@config" | "@reference" | "@plugin" => {
                if let (Part::Text, at, end) = self.scan.next(prelude.start)
                    && let Some(span) = self.quoted(at, end)
                {
                    self.push("reference", index, span, Removal::Statement);
                }
            }
            // Their addresses do not name files.
            "@namespace" | "@document" | "@-moz-document" => {}
            _ => self.addresses(index, prelude),
        }
    }

    /// `@include meta.load-css("x")`
    fn include(&mut self, index: u32, item: &Item) {
        let prelude = self.tree.prelude(item);
        let callee = crate::keys::callee(&self.tree.text[prelude.clone()]);
        if callee.rsplit('.').next() != Some("load-css") {
            return self.addresses(index, prelude);
        }
        let open = self.tree.text[prelude.clone()].find('(').map(|at| prelude.start + at + 1);
        if let Some((Part::Text, at, end)) = open.map(|open| self.scan.next(open))
            && let Some(span) = self.quoted(at, end)
        {
            self.push("use", index, span, Removal::Statement);
        }
    }

    /// `a, b as c from "x"`
    fn clauses_with_from(&mut self, index: u32, range: std::ops::Range<usize>, kind: &'static str) {
        let text = &self.tree.text;
        let mut names: Vec<String> = Vec::new();
        let (mut at, mut from, mut renamed) = (range.start, false, false);
        while at < range.end {
            let (part, end) = self.scan.part(at);
            match part {
                Part::Word if text[at..end].eq_ignore_ascii_case("from") => from = true,
                Part::Word if text[at..end].eq_ignore_ascii_case("as") => renamed = true,
                Part::Word if !std::mem::take(&mut renamed) => names.push(text[at..end].to_owned()),
                Part::Text if from => {
                    let count = self.found.len();
                    if let Some(span) = self.quoted(at, end) {
                        self.push(kind, index, span, Removal::Statement);
                    }
                    if let Some(found) = self.found.get_mut(count) {
                        found.names = std::mem::take(&mut names);
                    }
                    from = false;
                }
                _ => {}
            }
            at = end;
        }
    }

    // --- addresses in values ---

    /// Finds `url(…)` and the strings of `image-set(…)`, also within brackets.
    fn addresses(&mut self, index: u32, range: std::ops::Range<usize>) {
        if memchr::memchr(b'(', &self.tree.text.as_bytes()[range.clone()]).is_none() {
            return;
        }
        let mut at = range.start;
        while at < range.end {
            // Enter each bracket without searching for its end, because brackets can be nested to any
            // depth.
            if matches!(self.scan.byte(at), Some(b'(' | b'[')) {
                at += 1;
                continue;
            }
            let (part, end) = self.scan.part(at);
            at = match part {
                Part::Word if self.scan.byte(end) == Some(b'(') => self.call(index, at..end),
                _ => end,
            };
        }
    }

    /// Handles a function call; returns the offset at which to continue.
    fn call(&mut self, index: u32, name: std::ops::Range<usize>) -> usize {
        let open = name.end;
        let lower = self.tree.text[name].to_ascii_lowercase();
        match lower.as_str() {
            "url" | "src" => {
                if let Some(span) = self.address(open) {
                    self.push("url", index, span, Removal::Nothing);
                }
                self.scan.part(open).1
            }
            "image-set" | "-webkit-image-set" => {
                // A nested `image-set()` is invalid. Skipping it avoids quadratic time.
                if open >= self.images_end {
                    self.images_end = self.strings(index, open, false);
                }
                open + 1
            }
            "data-uri" | "image-size" | "image-width" | "image-height" if self.tree.dialect == Dialect::Less => {
                self.strings(index, open, true);
                self.scan.part(open).1
            }
            _ => open + 1,
        }
    }

    /// Adds all strings directly within a bracket, or only the last. Returns the end of the bracket.
    fn strings(&mut self, index: u32, open: usize, last: bool) -> usize {
        let close = self.scan.part(open).1;
        let mut spans = Vec::new();
        let mut at = open + 1;
        while at < close {
            let (part, end) = self.scan.part(at);
            if part == Part::Text {
                spans.extend(self.quoted(at, end));
            }
            at = end;
        }
        let skipped = if last { spans.len().saturating_sub(1) } else { 0 };
        for span in spans.into_iter().skip(skipped) {
            self.push("url", index, span, Removal::Nothing);
        }
        close
    }

    /// Span of the fixed address in `(…)` at the offset.
    fn address(&mut self, open: usize) -> Option<Span> {
        let close = self.scan.part(open).1;
        let text = &self.tree.text;
        if close < open + 2 || text.as_bytes()[close - 1] != b')' {
            return None;
        }
        if self.scan.url_end(open) == Some(close) {
            let inner = &text[open + 1..close - 1];
            let start = open + 1 + inner.len() - inner.trim_ascii_start().len();
            let variable = inner.trim_ascii_start().starts_with('@') && !inner.trim_ascii_start().starts_with("@{");
            let is_variable = variable && self.tree.dialect == Dialect::Less;
            return (!is_variable).then(|| Span::new(start, start + inner.trim_ascii().len()));
        }
        let (part, at, end) = self.scan.next(open + 1);
        let alone = matches!(self.scan.next(end), (Part::Stray, next, _) if next == close - 1);
        self.quoted(at, end).filter(|_| part == Part::Text && alone)
    }
}

/// Returns whether Sass leaves the import to CSS.
fn is_plain(address: &str) -> bool {
    address.ends_with(".css") || marquetry_sdk::urls::is_remote(address)
}
