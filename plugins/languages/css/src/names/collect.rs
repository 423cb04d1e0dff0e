//! Collects the occurrences of names that are visible to other files.

use std::ops::Range;

use marquetry_sdk::{
    ImportedName, Span, Usage,
    shared::{CSS_CLASS, Mention, Mentions, Spelling},
    stylesheet::{
        modules,
        names::{Names, SelectorEnd},
    },
};

use crate::{
    chars::unescape,
    document::Stylesheet,
    scan::{Part, Scan},
    tree::{Item, Kind, Tree},
};

/// Namespace of the exports of a CSS module: classes, ids and animations share it.
pub(super) const MODULE: &str = "class";

/// A name imported from another file.
#[derive(Debug)]
pub(super) struct Import {
    pub(super) specifier: String,
    pub(super) name: String,
    pub(super) span: Span,
}

/// Names of a stylesheet.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) mentions: Mentions,
    /// Names in `composes … from "file"`.
    pub(super) imports: Vec<Import>,
}

impl Known {
    pub(super) fn of(document: &Stylesheet) -> Known {
        let tree = &document.tree;
        let mut names = Names::new(&tree.text, tree.dialect);
        names.own = modules::is_module(&document.path).then_some(MODULE);
        let mut collector = Collector { tree, names, open: Vec::new(), imports: Vec::new() };
        for index in 0..tree.items.len() as u32 {
            collector.item(index);
        }
        Known { mentions: Mentions::new(collector.names.found), imports: collector.imports }
    }

    pub(super) fn imported(&self) -> Vec<ImportedName> {
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
    /// Index after an open item, and the ends of what `&` refers to in it.
    open: Vec<(u32, Vec<SelectorEnd>)>,
    imports: Vec<Import>,
}

impl Collector<'_> {
    fn item(&mut self, index: u32) {
        let tree = self.tree;
        let item = tree.item(index);
        while self.open.last().is_some_and(|(next, _)| *next <= index) {
            self.open.pop();
        }
        match item.kind {
            Kind::Rule => {
                let ends = self.with_outer(|names, around| names.selectors(item.head_range(), around));
                self.open.push((item.next, ends));
            }
            Kind::AtRule => {
                let (name, prelude) = (tree.name(item), tree.prelude(item));
                if let Some(ends) = self.with_outer(|names, around| names.prelude(name, prelude, around)) {
                    self.open.push((item.next, ends));
                }
            }
            Kind::Mixin | Kind::Function => {
                let head = item.head_range();
                // A LESS mixin is a class or an id that can be called.
                let is_class = tree.head(item).starts_with(['.', '#']);
                let name = tree.head(item).find('(').filter(|_| is_class).unwrap_or(0);
                self.names.selectors(head.start..head.start + name, &[]);
                self.names.value("", head.start + name..head.end);
                // `&` depends on where the mixin is included.
                self.open.push((item.next, Vec::new()));
            }
            Kind::Include => self.names.value("", tree.prelude(item)),
            Kind::Extend if tree.head(item).starts_with('@') => self.used(tree.prelude(item)),
            Kind::Extend => self.used(item.head_range()),
            Kind::Call => self.call(item),
            Kind::Declaration => self.declaration(item),
            Kind::Variable if !item.block => self.names.value("", body(item)),
            Kind::Variable => self.open.push((item.next, Vec::new())),
            Kind::Import | Kind::Keyframe | Kind::Entry => {}
        }
    }

    /// Reads with the ends of the enclosing `&`.
    fn with_outer<R>(&mut self, read: impl FnOnce(&mut Names<'_>, &[SelectorEnd]) -> R) -> R {
        let around = self.open.last().map_or(&[][..], |(_, ends)| ends);
        read(&mut self.names, around)
    }

    /// Selectors that refer to names that other rules define.
    fn used(&mut self, range: Range<usize>) {
        let from = self.names.found.len();
        self.names.selectors(range, &[]);
        for mention in &mut self.names.found[from..] {
            (mention.usage, mention.declares) = (Usage::Read, false);
        }
    }

    /// `.name(…)` of LESS copies the rule of that class.
    fn call(&mut self, item: &Item) {
        let head = self.tree.head(item);
        let names = head.find(['(', '!']).unwrap_or(head.len());
        let start = item.start as usize;
        if head.starts_with(['.', '#']) {
            self.used(start..start + names);
        }
        self.names.value("", start + names..item.head as usize);
    }

    fn declaration(&mut self, item: &Item) {
        let tree = self.tree;
        let name = tree.name(item);
        let start = item.start as usize;
        self.names.property(start..start + name.len());
        if item.block {
            let colon = tree.colon(item).map_or(item.head as usize, |colon| colon + 1);
            self.names.value(name, colon.min(item.head as usize)..item.head as usize);
        } else if name.eq_ignore_ascii_case("composes") {
            self.composed(body(item));
        } else {
            self.names.value(name, body(item));
        }
    }

    /// `a b from "./c.css", d from global, e`
    fn composed(&mut self, range: Range<usize>) {
        let tree = self.tree;
        let text = &tree.text[..range.end];
        let mut scan = Scan::quiet(text, tree.dialect);
        let mut words: Vec<Range<usize>> = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let (part, end) = scan.part(at);
            match part {
                Part::Word if text[at..end].eq_ignore_ascii_case("from") && !words.is_empty() => {
                    let (source, from, to) = scan.next(end);
                    self.composed_from(source, from..to, &std::mem::take(&mut words));
                    at = to.max(end);
                    continue;
                }
                Part::Word => words.push(at..end),
                Part::Comma => self.composed_here(&std::mem::take(&mut words)),
                _ => {}
            }
            at = end;
        }
        self.composed_here(&words);
    }

    fn composed_here(&mut self, words: &[Range<usize>]) {
        let space = self.names.own.unwrap_or(CSS_CLASS);
        self.add_composed(space, words);
    }

    fn add_composed(&mut self, space: &'static str, words: &[Range<usize>]) {
        for word in words {
            let name = unescape(&self.tree.text[word.clone()]);
            let span = Span::from(word.clone());
            self.names.found.push(Mention::certain(space, &name, span, Usage::Read, Spelling::Identifier));
        }
    }

    fn composed_from(&mut self, source: Part, range: Range<usize>, words: &[Range<usize>]) {
        let text = &self.tree.text;
        if source == Part::Word && text[range.clone()].eq_ignore_ascii_case("global") {
            return self.add_composed(CSS_CLASS, words);
        }
        let scan = Scan::quiet(text, self.tree.dialect);
        let Some(inner) = scan.between_quotes(range.start, range.end).filter(|_| source == Part::Text) else { return };
        let specifier = unescape(&text[inner]);
        // Classes from plain stylesheets are global.
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

fn body(item: &Item) -> Range<usize> {
    item.body_start as usize..item.body_end as usize
}
