//! Collects the occurrences of names that are visible to other files.

use std::ops::Range;

use marquetry_sdk::{
    ImportedName, Span, Usage,
    shared::{CSS_CLASS, Mention, Mentions, Notation},
    stylesheet::{
        modules,
        names::{Names, SelectorEnd},
    },
};

use crate::{
    chars::unescape,
    document::Stylesheet,
    scanner::{Scanner, TokenKind},
    tree::{Item, Kind, Tree},
};

/// Namespace of the exports of a CSS module. Classes, ids and animations are all in this namespace.
pub(super) const MODULE_NAMESPACE: &str = "class";

/// A name imported from another file.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) specifier: String,
    pub(super) name: String,
    pub(super) span: Span,
}

/// Names of a stylesheet.
#[derive(Debug)]
pub(super) struct StylesheetNames {
    pub(super) mentions: Mentions,
    /// Names in `composes … from "file"`.
    pub(super) imports: Vec<Import>,
}

impl StylesheetNames {
    pub(super) fn collect(document: &Stylesheet) -> StylesheetNames {
        let tree = &document.tree;
        let mut names = Names::new(&tree.text, tree.dialect);
        names.private_namespace = modules::is_module(&document.path).then_some(MODULE_NAMESPACE);
        let mut collector = Collector { tree, names, open: Vec::new(), imports: Vec::new() };
        for index in 0..tree.items.len() as u32 {
            collector.visit_item(index);
        }
        StylesheetNames { mentions: Mentions::new(collector.names.found), imports: collector.imports }
    }

    pub(super) fn imported_names(&self) -> Vec<ImportedName> {
        let imported = |import: &Import| ImportedName {
            specifier: import.specifier.clone(),
            name: import.name.clone(),
            local: None,
            exported: None,
            type_only: false,
        };
        self.imports.iter().map(imported).collect()
    }
}

struct Collector<'t> {
    tree: &'t Tree,
    names: Names<'t>,
    /// For each open item: the index after its last descendant, and the ends of the selectors that `&` refers to in it.
    open: Vec<(u32, Vec<SelectorEnd>)>,
    imports: Vec<Import>,
}

impl Collector<'_> {
    fn visit_item(&mut self, index: u32) {
        let tree = self.tree;
        let item = tree.item(index);
        while self.open.last().is_some_and(|(next, _)| *next <= index) {
            self.open.pop();
        }
        match item.kind {
            Kind::Rule => {
                let ends = self.with_enclosing_ends(|names, around| names.selectors(item.head_range(), around));
                self.open.push((item.next, ends));
            }
            Kind::AtRule => {
                let (name, prelude) = (tree.name(item), tree.prelude(item));
                if let Some(ends) = self.with_enclosing_ends(|names, around| names.prelude(name, prelude, around)) {
                    self.open.push((item.next, ends));
                }
            }
            Kind::Mixin | Kind::Function => {
                let head = item.head_range();
                // In LESS, a mixin is a class or an id that can be called.
                let is_class = tree.head(item).starts_with(['.', '#']);
                let name = tree.head(item).find('(').filter(|_| is_class).unwrap_or(0);
                self.names.selectors(head.start..head.start + name, &[]);
                self.names.value("", head.start + name..head.end);
                // The meaning of `&` depends on where the mixin is included.
                self.open.push((item.next, Vec::new()));
            }
            Kind::Include => self.names.value("", tree.prelude(item)),
            Kind::Extend if tree.head(item).starts_with('@') => self.visit_references(tree.prelude(item)),
            Kind::Extend => self.visit_references(item.head_range()),
            Kind::Call => self.visit_call(item),
            Kind::Declaration => self.visit_declaration(item),
            Kind::Variable if !item.block => self.names.value("", body_range(item)),
            Kind::Variable => self.open.push((item.next, Vec::new())),
            Kind::Import | Kind::Keyframe | Kind::Entry => {}
        }
    }

    /// Calls `read` with the ends of the selectors that `&` refers to in the innermost open item.
    fn with_enclosing_ends<R>(&mut self, read: impl FnOnce(&mut Names<'_>, &[SelectorEnd]) -> R) -> R {
        let around = self.open.last().map_or(&[][..], |(_, ends)| ends);
        read(&mut self.names, around)
    }

    /// Reads selectors whose names are only uses, because other rules define them.
    fn visit_references(&mut self, range: Range<usize>) {
        let from = self.names.found.len();
        self.names.selectors(range, &[]);
        for mention in &mut self.names.found[from..] {
            (mention.usage, mention.declares) = (Usage::Read, false);
        }
    }

    /// Reads a call in LESS. `.name(…)` copies the rule of the class, so it is a use of the class.
    fn visit_call(&mut self, item: &Item) {
        let head = self.tree.head(item);
        let names = head.find(['(', '!']).unwrap_or(head.len());
        let start = item.start as usize;
        if head.starts_with(['.', '#']) {
            self.visit_references(start..start + names);
        }
        self.names.value("", start + names..item.head as usize);
    }

    fn visit_declaration(&mut self, item: &Item) {
        let tree = self.tree;
        let name = tree.name(item);
        let start = item.start as usize;
        self.names.property(start..start + name.len());
        if item.block {
            let colon = tree.first_colon(item).map_or(item.head as usize, |colon| colon + 1);
            self.names.value(name, colon.min(item.head as usize)..item.head as usize);
        } else if name.eq_ignore_ascii_case("composes") {
            self.visit_composes(body_range(item));
        } else {
            self.names.value(name, body_range(item));
        }
    }

    /// Reads the value of `composes`: `a b from "./c.css", d from global, e`.
    fn visit_composes(&mut self, range: Range<usize>) {
        let tree = self.tree;
        let text = &tree.text[..range.end];
        let mut scan = Scanner::without_reports(text, tree.dialect);
        let mut words: Vec<Range<usize>> = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let (part, end) = scan.token_at(at);
            match part {
                TokenKind::Word if text[at..end].eq_ignore_ascii_case("from") && !words.is_empty() => {
                    let (source, from, to) = scan.next_token(end);
                    self.add_imported_composed(source, from..to, &std::mem::take(&mut words));
                    at = to.max(end);
                    continue;
                }
                TokenKind::Word => words.push(at..end),
                TokenKind::Comma => self.add_local_composed(&std::mem::take(&mut words)),
                _ => {}
            }
            at = end;
        }
        self.add_local_composed(&words);
    }

    fn add_local_composed(&mut self, words: &[Range<usize>]) {
        let space = self.names.private_namespace.unwrap_or(CSS_CLASS);
        self.add_composed(space, words);
    }

    fn add_composed(&mut self, space: &'static str, words: &[Range<usize>]) {
        for word in words {
            let name = unescape(&self.tree.text[word.clone()]);
            let span = Span::from(word.clone());
            self.names.found.push(Mention::certain(space, &name, span, Usage::Read, Notation::Identifier));
        }
    }

    fn add_imported_composed(&mut self, source: TokenKind, range: Range<usize>, words: &[Range<usize>]) {
        let text = &self.tree.text;
        if source == TokenKind::Word && text[range.clone()].eq_ignore_ascii_case("global") {
            return self.add_composed(CSS_CLASS, words);
        }
        let scan = Scanner::without_reports(text, self.tree.dialect);
        let Some(inner) = scan.between_quotes(range.start, range.end).filter(|_| source == TokenKind::Text) else {
            return;
        };
        let specifier = unescape(&text[inner]);
        // A stylesheet that is not a CSS module has global classes.
        if !modules::is_module(&specifier) {
            return self.add_composed(CSS_CLASS, words);
        }
        self.imports.extend(words.iter().map(|word| Import {
            specifier: specifier.clone().into_owned(),
            name: unescape(&text[word.clone()]).into_owned(),
            span: word.clone().into(),
        }));
    }
}

fn body_range(item: &Item) -> Range<usize> {
    item.body_start as usize..item.body_end as usize
}
