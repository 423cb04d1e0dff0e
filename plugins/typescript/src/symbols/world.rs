//! The open document and the modules that its types lead to, for the length of one call.
//!
//! Other modules are read through the workspace, and only when the type of something depends on them.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use marquetry_sdk::{Destination, Place};
use oxc_ast::AstKind;
use oxc_ast::ast::{Ident, Program, Statement};
use oxc_semantic::{NodeId, Scoping, Semantic, SymbolId};
use oxc_span::Span;

use super::expandos::Expandos;
use super::exports::Exports;
use super::shelf::Parsed;
use super::tokens::Token;
use super::ty::{Owner, Ty};
use crate::links::resolve::{Resolver, code_extension};
use crate::links::view::View;

/// More modules than this are not read in one call.
const MOST_MODULES: usize = 600;
/// Types that depend on each other deeper than this are unknown.
const DEEPEST: u32 = 48;
/// After so many steps of one call, everything else is unknown.
const MOST_STEPS: u32 = 1_000_000;

/// The open document.
pub(crate) const HERE: u32 = 0;

/// Where a name is declared: a module and the start of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Site {
    pub(crate) module: u32,
    pub(crate) offset: u32,
}

impl Site {
    /// The name that is asked for by its import path, wherever that leads.
    pub(crate) const WATCHED: Site = Site { module: u32::MAX, offset: 0 };
}

/// A module of the world, or a block `declare module "x"` within one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ModuleRef {
    pub(crate) module: u32,
    pub(crate) block: Option<NodeId>,
}

/// Where a specifier leads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lead {
    Module(ModuleRef),
    /// A package, or a file that is no code.
    External,
    Unknown,
    /// One of the specifiers that are watched.
    Watched,
}

/// What an import path is asked for: specifiers of the open document, and a name below them.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) specifiers: Vec<String>,
    pub(crate) path: Vec<String>,
}

enum Held<'w> {
    Borrowed(&'w Semantic<'w>),
    Shared(Rc<Parsed<'w>>),
}

/// Where other modules come from: a path and a text to a tree.
pub(crate) type Load<'w> = dyn Fn(&str, &str) -> Option<Rc<Parsed<'w>>> + 'w;

/// A parsed file.
pub(crate) struct Module<'w> {
    /// Its number in the world.
    pub(crate) number: u32,
    pub(crate) path: String,
    pub(crate) program: &'w Program<'w>,
    semantic: Held<'w>,
    pub(crate) exports: RefCell<HashMap<Option<NodeId>, Rc<Exports<'w>>>>,
    pub(crate) expandos: OnceCell<Expandos<'w>>,
    /// The outermost node that begins at an offset, and the function that a comment before an offset documents.
    pub(crate) starts: OnceCell<HashMap<u32, NodeId>>,
    pub(crate) documented: OnceCell<HashMap<u32, NodeId>>,
    /// The variables that some test is about.
    pub(crate) tested: OnceCell<HashSet<SymbolId>>,
    /// Where names are declared that are taken.
    alone: OnceCell<HashSet<u32>>,
    /// The names of one spelling, once they have been asked for.
    pub(crate) tokens: RefCell<HashMap<String, Rc<Vec<Token<'w>>>>>,
}

impl<'w> Module<'w> {
    pub(crate) fn semantic(&self) -> &Semantic<'w> {
        match &self.semantic {
            Held::Borrowed(semantic) => semantic,
            Held::Shared(parsed) => &parsed.semantic,
        }
    }

    pub(crate) fn scoping(&self) -> &Scoping {
        self.semantic().scoping()
    }

    pub(crate) fn kind(&self, node: NodeId) -> AstKind<'w> {
        self.semantic().nodes().kind(node)
    }

    pub(crate) fn parent(&self, node: NodeId) -> NodeId {
        self.semantic().nodes().parent_id(node)
    }

    pub(crate) fn parent_kind(&self, node: NodeId) -> AstKind<'w> {
        self.kind(self.parent(node))
    }

    /// The node and the nodes around it, from the inside out.
    pub(crate) fn chain(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::once(node).chain(self.semantic().nodes().ancestor_ids(node))
    }

    pub(crate) fn text(&self) -> &'w str {
        self.program.source_text
    }

    /// Whether the file is a module: only then are its names its own.
    pub(crate) fn is_module(&self) -> bool {
        self.program.source_type.is_module()
            || self.program.source_type.is_commonjs()
            || self.program.body.iter().any(makes_module)
            || self.is_javascript() && self.is_common()
    }

    /// Whether it speaks to other files the way of CommonJS.
    fn is_common(&self) -> bool {
        let free = self.scoping().root_unresolved_references();
        ["require", "module", "exports"].iter().any(|name| free.contains_key(&Ident::from(*name)))
    }

    pub(crate) fn is_javascript(&self) -> bool {
        self.program.source_type.is_javascript()
    }

    /// The names that declare a symbol.
    pub(crate) fn declaration_spans(&self, symbol: SymbolId) -> Vec<Span> {
        let again = self.scoping().symbol_redeclarations(symbol);
        let first = self.scoping().symbol_span(symbol);
        let mut spans: Vec<Span> = again.iter().map(|declaration| declaration.span).collect();
        if !spans.contains(&first) {
            spans.insert(0, first);
        }
        spans.retain(|span| !self.stands_alone(span.start));
        spans
    }

    /// The nodes that declare a symbol.
    pub(crate) fn declarations(&self, symbol: SymbolId) -> Vec<NodeId> {
        let again = self.scoping().symbol_redeclarations(symbol).iter();
        let merged = again.filter(|declaration| !self.stands_alone(declaration.span.start));
        let mut nodes: Vec<NodeId> = merged.map(|declaration| declaration.declaration).collect();
        let first = self.scoping().symbol_declaration(symbol);
        if !nodes.contains(&first) {
            nodes.insert(0, first);
        }
        nodes
    }

    /// Whether the declaration of a name at an offset is an error, because the name is taken: then it declares nothing
    /// that the name could mean elsewhere.
    pub(crate) fn stands_alone(&self, offset: u32) -> bool {
        self.alone.get_or_init(|| super::redeclared::alone(self)).contains(&offset)
    }
}

/// Whether a statement makes the file around it a module.
fn makes_module(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::TSImportEqualsDeclaration(import) => {
            matches!(import.module_reference, oxc_ast::ast::TSModuleReference::ExternalModuleReference(_))
        }
        Statement::TSNamespaceExportDeclaration(_) => true,
        other => other.is_module_declaration(),
    }
}

/// Everything that one call looks at.
pub(crate) struct World<'w> {
    load: &'w Load<'w>,
    pub(crate) view: &'w View,
    /// The text of the open document: the tree may be that of a repaired one.
    original: &'w str,
    modules: RefCell<Vec<Rc<Module<'w>>>>,
    by_path: RefCell<HashMap<String, Option<u32>>>,
    leads: RefCell<HashMap<(u32, &'w str), Lead>>,
    resolvers: RefCell<HashMap<u32, Rc<Resolver<'w>>>>,
    depth: Cell<u32>,
    pub(crate) watch: Option<Watch>,
    /// Types of variables; nothing while one is being computed.
    pub(crate) values: RefCell<HashMap<(u32, SymbolId), Option<Ty<'w>>>>,
    /// What functions return; nothing while one is being computed.
    returned: RefCell<HashMap<(u32, NodeId), Option<Ty<'w>>>>,
    /// What the declaration at a site overrides or fulfils.
    pub(crate) overridden: RefCell<HashMap<Site, Rc<Vec<Site>>>>,
    /// Whether a class extends itself.
    pub(crate) circular: RefCell<HashMap<Owner, bool>>,
    steps: Cell<u32>,
}

impl<'w> World<'w> {
    /// The world around the open document.
    pub(crate) fn new(
        load: &'w Load<'w>,
        view: &'w View,
        document: (&str, &'w str),
        program: &'w Program<'w>,
        semantic: &'w Semantic<'w>,
    ) -> World<'w> {
        let (path, original) = document;
        let here = Module {
            number: HERE,
            path: path.to_owned(),
            program,
            semantic: Held::Borrowed(semantic),
            exports: RefCell::default(),
            expandos: OnceCell::new(),
            alone: OnceCell::new(),
            starts: OnceCell::new(),
            documented: OnceCell::new(),
            tested: OnceCell::new(),
            tokens: RefCell::default(),
        };
        World {
            load,
            view,
            original,
            modules: RefCell::new(vec![Rc::new(here)]),
            by_path: RefCell::new(HashMap::from([(path.to_owned(), Some(HERE))])),
            leads: RefCell::default(),
            resolvers: RefCell::default(),
            depth: Cell::new(0),
            watch: None,
            values: RefCell::default(),
            returned: RefCell::default(),
            overridden: RefCell::default(),
            circular: RefCell::default(),
            steps: Cell::new(0),
        }
    }

    pub(crate) fn module(&self, module: u32) -> Rc<Module<'w>> {
        self.modules.borrow()[module as usize].clone()
    }

    /// The open document.
    pub(crate) fn here(&self) -> Rc<Module<'w>> {
        self.module(HERE)
    }

    /// Whether the open document has this text at the span, and not only the repaired one.
    pub(crate) fn is_written(&self, span: Span) -> bool {
        let range = span.start as usize..span.end as usize;
        let here = self.here();
        self.original.get(range.clone()).is_some_and(|text| here.text().get(range) == Some(text))
    }

    /// Where the open document has the word in places that the parser could make nothing of.
    pub(crate) fn unparsed(&self, word: &str) -> Vec<Span> {
        let here = self.here();
        if std::ptr::eq(here.text(), self.original) || here.text() == self.original || word.is_empty() {
            return Vec::new();
        }
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let alone =
            |at: usize| !self.original[..at].ends_with(part) && !self.original[at + word.len()..].starts_with(part);
        let found = self.original.match_indices(word).filter(|(at, _)| alone(*at));
        let spans = found.map(|(at, _)| Span::new(at as u32, (at + word.len()) as u32));
        spans.filter(|span| !self.is_written(*span)).collect()
    }

    /// Go one step deeper; too deep, and the answer is the default.
    pub(crate) fn deeper<R>(&self, default: R, step: impl FnOnce() -> R) -> R {
        let (depth, steps) = (self.depth.get(), self.steps.get());
        if depth >= DEEPEST || steps >= MOST_STEPS {
            return default;
        }
        self.steps.set(steps + 1);
        self.depth.set(depth + 1);
        let result = step();
        self.depth.set(depth);
        result
    }

    /// What a function returns, computed once; while that goes on, it adds nothing.
    pub(crate) fn once(&self, function: (u32, NodeId), compute: impl FnOnce() -> Ty<'w>) -> Ty<'w> {
        if let Some(known) = self.returned.borrow().get(&function) {
            return known.clone().unwrap_or(Ty::Plain);
        }
        self.returned.borrow_mut().insert(function, None);
        let ty = compute();
        self.returned.borrow_mut().insert(function, Some(ty.clone()));
        ty
    }

    /// The module at a path, read when first asked for.
    pub(crate) fn load(&self, path: &str) -> Option<u32> {
        if let Some(known) = self.by_path.borrow().get(path) {
            return *known;
        }
        let loaded = self.parse(path);
        self.by_path.borrow_mut().insert(path.to_owned(), loaded);
        loaded
    }

    fn parse(&self, path: &str) -> Option<u32> {
        code_extension(path)?;
        if self.modules.borrow().len() >= MOST_MODULES {
            return None;
        }
        let parsed = (self.load)(path, &self.view.read(path)?)?;
        let number = u32::try_from(self.modules.borrow().len()).ok()?;
        let module = Module {
            number,
            path: path.to_owned(),
            program: parsed.program,
            semantic: Held::Shared(parsed),
            exports: RefCell::default(),
            expandos: OnceCell::new(),
            alone: OnceCell::new(),
            starts: OnceCell::new(),
            documented: OnceCell::new(),
            tested: OnceCell::new(),
            tokens: RefCell::default(),
        };
        self.modules.borrow_mut().push(Rc::new(module));
        Some(number)
    }

    fn resolver(&self, module: u32) -> Rc<Resolver<'w>> {
        if let Some(known) = self.resolvers.borrow().get(&module) {
            return known.clone();
        }
        let resolver = Rc::new(Resolver::new(self.view, &self.module(module).path));
        self.resolvers.borrow_mut().insert(module, resolver.clone());
        resolver
    }

    /// Where a specifier of a module leads.
    pub(crate) fn lead(&self, module: u32, specifier: &'w str) -> Lead {
        if module == HERE && self.is_watched(specifier) {
            return Lead::Watched;
        }
        if let Some(known) = self.leads.borrow().get(&(module, specifier)) {
            return *known;
        }
        let lead = self.find_lead(module, specifier);
        self.leads.borrow_mut().insert((module, specifier), lead);
        lead
    }

    pub(crate) fn is_watched(&self, specifier: &str) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.specifiers.iter().any(|known| known == specifier))
    }

    fn find_lead(&self, module: u32, specifier: &'w str) -> Lead {
        if let Some(block) = self.ambient(module, specifier) {
            return Lead::Module(ModuleRef { module, block: Some(block) });
        }
        match self.destination(module, specifier) {
            Destination::Inside(found) if in_package(&found.path) => Lead::External,
            Destination::Inside(found) if code_extension(&found.path).is_none() => Lead::External,
            Destination::Inside(found) => {
                self.load(&found.path).map_or(Lead::Unknown, |module| Lead::Module(ModuleRef { module, block: None }))
            }
            Destination::External => Lead::External,
            Destination::Missing(_) | Destination::Unknown(_) => Lead::Unknown,
        }
    }

    pub(crate) fn destination(&self, module: u32, specifier: &str) -> Destination {
        self.resolver(module).destination("import", specifier)
    }

    /// The block `declare module "specifier"` of a module.
    fn ambient(&self, module: u32, specifier: &str) -> Option<NodeId> {
        if crate::links::paths::is_relative(specifier) {
            return None;
        }
        self.module(module).program.body.iter().find_map(|statement| match statement {
            Statement::TSExternalModuleDeclaration(declared) if declared.id.value.as_str() == Some(specifier) => {
                Some(declared.node_id.get())
            }
            _ => None,
        })
    }

    /// A declaration as other calls know it.
    pub(crate) fn place(&self, site: Site) -> Place {
        Place { path: self.module(site.module).path.clone(), offset: site.offset }
    }

    /// A declaration that another call knew. A module that cannot be read has no declarations.
    pub(crate) fn site(&self, place: &Place) -> Option<Site> {
        Some(Site { module: self.load(&place.path)?, offset: place.offset })
    }

    /// The declarations of a symbol.
    pub(crate) fn sites_of(&self, module: u32, symbol: SymbolId) -> Vec<Site> {
        let spans = self.module(module).declaration_spans(symbol);
        spans.into_iter().map(|span| Site { module, offset: span.start }).collect()
    }
}

/// Whether the path lies in an installed package.
pub(crate) fn in_package(path: &str) -> bool {
    path.split('/').any(|part| part == "node_modules")
}
