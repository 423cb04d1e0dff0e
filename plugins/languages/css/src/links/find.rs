//! Finds references to other files in a stylesheet.

use marquetry_sdk::Span;

use crate::{
    chars::{Dialect, unescape},
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// A link, and the text that is deleted when the link is removed.
#[derive(Debug)]
pub(crate) struct FoundLink {
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
    /// The statement has several URLs. Only the one at this position is removed.
    Part(usize),
    /// The link cannot be removed, because it is the value of a property or variable.
    Nothing,
}

/// Returns all links of a stylesheet, in document order.
pub(crate) fn find_links(tree: &Tree) -> Vec<FoundLink> {
    let mut finder = LinkFinder { tree, scan: tree.scan(), found: Vec::new(), images_end: 0 };
    for index in 0..tree.items.len() as u32 {
        finder.visit_item(index, tree.item(index));
    }
    finder.found.sort_by_key(|found| found.span.start);
    finder.found
}

/// Returns the spans to delete in order to remove some of the URLs of an import.
pub(crate) fn removal_spans(tree: &Tree, item: &Item, removed: &[usize]) -> Vec<Span> {
    let mut finder = LinkFinder { tree, scan: tree.scan(), found: Vec::new(), images_end: 0 };
    let arguments = finder.split_arguments(tree.prelude(item));
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
struct LinkFinder<'t> {
    tree: &'t Tree,
    scan: Scanner<'t>,
    found: Vec<FoundLink>,
    /// End of the last `image-set()` that was read.
    images_end: usize,
}

impl<'t> LinkFinder<'t> {
    fn visit_item(&mut self, index: u32, item: &Item) {
        let value = item.body_start as usize..item.body_end as usize;
        match item.kind {
            Kind::Import => self.visit_import(index, item),
            Kind::Declaration if !item.block => {
                if self.tree.name(item).eq_ignore_ascii_case("composes") {
                    return self.visit_from_clause(index, value, "composes");
                }
                self.find_urls(index, value);
            }
            Kind::Declaration => self.find_urls(index, item.head_range()),
            Kind::Variable if !item.block => self.find_urls(index, value),
            Kind::Include => self.visit_include(index, item),
            Kind::AtRule => self.visit_at_rule(index, item),
            Kind::Mixin | Kind::Call | Kind::Function => self.find_urls(index, item.head_range()),
            Kind::Rule | Kind::Keyframe | Kind::Extend | Kind::Entry | Kind::Variable => {}
        }
    }

    fn push(&mut self, kind: &'static str, item: u32, span: Span, removal: Removal) {
        let written = span.slice(&self.tree.text);
        let specifier = unescape(written).into_owned();
        // The specifier is empty, or refers to a fragment of this file.
        if specifier.is_empty() || specifier.starts_with('#') && !specifier.starts_with("#{") {
            return;
        }
        let names = if kind == "url" { Vec::new() } else { vec!["*".to_owned()] };
        self.found.push(FoundLink { kind, item, span, specifier, names, removal });
    }

    /// Returns the content of a string. `None` if the string is not closed.
    fn string_content(&self, start: usize, end: usize) -> Option<Span> {
        self.scan.between_quotes(start, end).map(Span::from)
    }

    // --- imports ---

    fn visit_import(&mut self, index: u32, item: &Item) {
        let kind = match self.tree.name(item).to_ascii_lowercase().as_str() {
            "@use" => "use",
            "@forward" => "forward",
            "@plugin" => "plugin",
            _ => "import",
        };
        let prelude = self.tree.prelude(item);
        let several = self.tree.dialect == Dialect::Scss && kind == "import";
        let arguments = if several { self.split_arguments(prelude) } else { vec![prelude] };
        let count = arguments.len();
        for (position, argument) in arguments.iter().enumerate() {
            let removal = if count == 1 { Removal::Statement } else { Removal::Part(position) };
            self.add_import_argument(index, kind, argument.clone(), removal);
        }
    }

    /// Splits the range at commas. The ranges do not include surrounding white space.
    fn split_arguments(&mut self, range: std::ops::Range<usize>) -> Vec<std::ops::Range<usize>> {
        let mut arguments: Vec<std::ops::Range<usize>> = Vec::new();
        let mut open: Option<std::ops::Range<usize>> = None;
        let mut at = range.start;
        while at < range.end {
            let (part, end) = self.scan.token_at(at);
            match part {
                // If no URL follows the comma, the comma is part of a list of media queries.
                TokenKind::Comma if self.starts_url(end) => arguments.extend(open.take()),
                TokenKind::Space | TokenKind::Comment => {}
                _ => open = Some(open.map_or(at, |open| open.start)..end),
            }
            at = end;
        }
        arguments.extend(open);
        arguments
    }

    fn starts_url(&mut self, at: usize) -> bool {
        let (part, start, end) = self.scan.next_token(at);
        part == TokenKind::Text || (part == TokenKind::Word && self.tree.text[start..end].eq_ignore_ascii_case("url"))
    }

    fn add_import_argument(&mut self, index: u32, kind: &'static str, range: std::ops::Range<usize>, removal: Removal) {
        let (mut part, mut at, mut end) = self.scan.next_token(range.start);
        if part == TokenKind::Group && self.tree.dialect == Dialect::Less {
            // Import options, such as `(reference)`.
            (part, at, end) = self.scan.next_token(end);
        }
        let text = &self.tree.text;
        match part {
            TokenKind::Text if end <= range.end => {
                let Some(span) = self.string_content(at, end) else { return };
                let alone = matches!(self.scan.next_token(end), (_, next, _) if next >= range.end);
                let plain = self.tree.dialect == Dialect::Scss
                    && kind == "import"
                    && (!alone || is_css_import(span.slice(text)));
                self.push(if plain { "import-css" } else { kind }, index, span, removal);
            }
            TokenKind::Word if text[at..end].eq_ignore_ascii_case("url") => {
                let kind = if self.tree.dialect == Dialect::Scss { "import-css" } else { kind };
                if let Some(span) = self.unquoted_url(end) {
                    self.push(kind, index, span, removal);
                }
            }
            _ => {}
        }
    }

    // --- other at-rules ---

    fn visit_at_rule(&mut self, index: u32, item: &Item) {
        let prelude = self.tree.prelude(item);
        match self.tree.name(item).to_ascii_lowercase().as_str() {
            "@value" => self.visit_from_clause(index, prelude, "value"),
            // At-rules of bundlers and frameworks.
            "@config" | "@reference" | "@plugin" => {
                if let (TokenKind::Text, at, end) = self.scan.next_token(prelude.start)
                    && let Some(span) = self.string_content(at, end)
                {
                    self.push("reference", index, span, Removal::Statement);
                }
            }
            // The URLs of these at-rules are not files.
            "@namespace" | "@document" | "@-moz-document" => {}
            _ => self.find_urls(index, prelude),
        }
    }

    /// Adds the link of `@include meta.load-css("x")`.
    fn visit_include(&mut self, index: u32, item: &Item) {
        let prelude = self.tree.prelude(item);
        let callee = crate::keys::callee(&self.tree.text[prelude.clone()]);
        if callee.rsplit('.').next() != Some("load-css") {
            return self.find_urls(index, prelude);
        }
        let open = self.tree.text[prelude.clone()].find('(').map(|at| prelude.start + at + 1);
        if let Some((TokenKind::Text, at, end)) = open.map(|open| self.scan.next_token(open))
            && let Some(span) = self.string_content(at, end)
        {
            self.push("use", index, span, Removal::Statement);
        }
    }

    /// Adds the link of a list of names such as `a, b as c from "x"`.
    fn visit_from_clause(&mut self, index: u32, range: std::ops::Range<usize>, kind: &'static str) {
        let text = &self.tree.text;
        let mut names: Vec<String> = Vec::new();
        let (mut at, mut from, mut renamed) = (range.start, false, false);
        while at < range.end {
            let (part, end) = self.scan.token_at(at);
            match part {
                TokenKind::Word if text[at..end].eq_ignore_ascii_case("from") => from = true,
                TokenKind::Word if text[at..end].eq_ignore_ascii_case("as") => renamed = true,
                TokenKind::Word if !std::mem::take(&mut renamed) => names.push(text[at..end].to_owned()),
                TokenKind::Text if from => {
                    let count = self.found.len();
                    if let Some(span) = self.string_content(at, end) {
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

    /// Finds `url(…)` and the strings of `image-set(…)`, including those within brackets.
    fn find_urls(&mut self, index: u32, range: std::ops::Range<usize>) {
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
            let (part, end) = self.scan.token_at(at);
            at = match part {
                TokenKind::Word if self.scan.byte(end) == Some(b'(') => self.visit_call(index, at..end),
                _ => end,
            };
        }
    }

    /// Adds the links in a function call. Returns the offset at which to continue.
    fn visit_call(&mut self, index: u32, name: std::ops::Range<usize>) -> usize {
        let open = name.end;
        let lower = self.tree.text[name].to_ascii_lowercase();
        match lower.as_str() {
            "url" | "src" => {
                if let Some(span) = self.unquoted_url(open) {
                    self.push("url", index, span, Removal::Nothing);
                }
                self.scan.token_at(open).1
            }
            "image-set" | "-webkit-image-set" => {
                // A nested `image-set()` is invalid. Skipping it avoids quadratic time.
                if open >= self.images_end {
                    self.images_end = self.add_strings(index, open, false);
                }
                open + 1
            }
            "data-uri" | "image-size" | "image-width" | "image-height" if self.tree.dialect == Dialect::Less => {
                self.add_strings(index, open, true);
                self.scan.token_at(open).1
            }
            _ => open + 1,
        }
    }

    /// Adds all strings directly within a bracket, or only the last one if `last`. Returns the end of the bracket.
    fn add_strings(&mut self, index: u32, open: usize, last: bool) -> usize {
        let close = self.scan.token_at(open).1;
        let mut spans = Vec::new();
        let mut at = open + 1;
        while at < close {
            let (part, end) = self.scan.token_at(at);
            if part == TokenKind::Text {
                spans.extend(self.string_content(at, end));
            }
            at = end;
        }
        let skipped = if last { spans.len().saturating_sub(1) } else { 0 };
        for span in spans.into_iter().skip(skipped) {
            self.push("url", index, span, Removal::Nothing);
        }
        close
    }

    /// Returns the span of the URL in the brackets at the offset. `None` if it is computed, for example by a variable.
    fn unquoted_url(&mut self, open: usize) -> Option<Span> {
        let close = self.scan.token_at(open).1;
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
        let (part, at, end) = self.scan.next_token(open + 1);
        let alone = matches!(self.scan.next_token(end), (TokenKind::Stray, next, _) if next == close - 1);
        self.string_content(at, end).filter(|_| part == TokenKind::Text && alone)
    }
}

/// Returns whether Sass copies an import of this URL to its output, instead of loading the file.
fn is_css_import(address: &str) -> bool {
    address.ends_with(".css") || marquetry_sdk::urls::is_remote(address)
}
