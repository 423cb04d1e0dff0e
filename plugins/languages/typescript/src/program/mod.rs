//! The program: the open document and the modules that it depends on, during one call.
//!
//! Other modules are read through the workspace, and only if a type depends on them. `infer` determines the types of
//! expressions and names.

pub(crate) mod cache;
pub(crate) mod comment_names;
pub(crate) mod common_exports;
pub(crate) mod commonjs;
mod cycles;
pub(crate) mod defined_exports;
pub(crate) mod expandos;
pub(crate) mod exports;
pub(crate) mod identifiers;
pub(crate) mod ids;
pub(crate) mod library;
pub(crate) mod module;
mod redeclarations;
pub(crate) mod resolution;
pub(crate) mod source_file;
pub(crate) mod unparsed;
pub(crate) mod whole_export;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use marquetry_sdk::{Destination, FileLocation};
use oxc_ast::ast;
use oxc_semantic::{NodeId, Semantic, SymbolId};
use oxc_span::Span;

use cache::ParsedModule;
use exports::Exports;
use ids::{ModuleRef, OPEN_DOCUMENT, Site};
use module::Module;
use resolution::workspace::Workspace;
use resolution::{Resolver, code_extension, paths};

use crate::program::identifiers::{Identifier, Role};
use crate::syntax::components::{self, is_component};

/// Maximum number of modules read in one call.
const MOST_MODULES: usize = 600;

/// Result of resolving a specifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ResolvedModule {
    Module(ModuleRef),
    /// A package, or a file that is not code.
    External,
    Unknown,
    /// One of the specifiers in [`Watch`].
    Watched,
}

/// Identifies a symbol by its import when the declaring file cannot be read: the specifiers by which the open document
/// imports that file, and the path of names in it, such as `["Namespace", "member"]`.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) specifiers: Vec<String>,
    pub(crate) path: Vec<String>,
    /// The default import of the module is the value that `require` returns.
    pub(crate) is_commonjs: bool,
}

/// Function that returns the parsed module at a path.
pub(crate) type Load<'w> = dyn Fn(&str) -> Option<Rc<ParsedModule<'w>>> + 'w;

/// The open document and the modules that it depends on.
pub(crate) struct Program<'w> {
    load: &'w Load<'w>,
    pub(crate) workspace: &'w Workspace,
    /// The text of the open document. The tree may be that of a repaired text, which differs from it around errors.
    document_text: &'w str,
    modules: RefCell<Vec<Rc<Module<'w>>>>,
    by_path: RefCell<HashMap<String, Option<u32>>>,
    resolved: RefCell<HashMap<(u32, &'w str), ResolvedModule>>,
    resolvers: RefCell<HashMap<u32, Rc<Resolver<'w>>>>,
    pub(crate) watch: Option<Watch>,
}

impl<'w> Program<'w> {
    /// Creates the program for the open document.
    pub(crate) fn new(
        load: &'w Load<'w>,
        workspace: &'w Workspace,
        document: (&str, &'w str),
        root: &'w ast::Program<'w>,
        semantic: &'w Semantic<'w>,
    ) -> Program<'w> {
        let (path, document_text) = document;
        Program {
            load,
            workspace,
            document_text,
            modules: RefCell::new(vec![Rc::new(Module::open(path, root, semantic))]),
            by_path: RefCell::new(HashMap::from([(path.to_owned(), Some(OPEN_DOCUMENT))])),
            resolved: RefCell::default(),
            resolvers: RefCell::default(),
            watch: None,
        }
    }

    pub(crate) fn module(&self, module: u32) -> Rc<Module<'w>> {
        self.modules.borrow()[module as usize].clone()
    }

    /// Returns the open document.
    pub(crate) fn open_module(&self) -> Rc<Module<'w>> {
        self.module(OPEN_DOCUMENT)
    }

    /// Returns whether the text at a span of the tree is also in the document, and not only in the repaired text.
    pub(crate) fn is_in_document(&self, span: Span) -> bool {
        let range = span.start as usize..span.end as usize;
        let here = self.open_module();
        self.document_text.get(range.clone()).is_some_and(|text| here.text().get(range) == Some(text))
    }

    /// Returns the occurrences of a word in parts of the open document that were blanked out by the repair.
    pub(crate) fn unparsed_occurrences(&self, word: &str) -> Vec<Span> {
        let here = self.open_module();
        if std::ptr::eq(here.text(), self.document_text) || here.text() == self.document_text || word.is_empty() {
            return Vec::new();
        }
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let alone = |at: usize| {
            !self.document_text[..at].ends_with(part) && !self.document_text[at + word.len()..].starts_with(part)
        };
        let found = self.document_text.match_indices(word).filter(|(at, _)| alone(*at));
        let spans = found.map(|(at, _)| Span::new(at as u32, (at + word.len()) as u32));
        let mut found: Vec<Span> = spans.filter(|span| !self.is_in_document(*span)).collect();
        found.extend(self.template_occurrences(word));
        found.sort_by_key(|span| span.start);
        found
    }

    /// Returns the occurrences of a name in the template of a component that are not references to names of its script:
    /// they may refer to members of the component, or have another form.
    fn template_occurrences(&self, name: &str) -> Vec<Span> {
        let here = self.open_module();
        let is_free = |identifier: &&Identifier<'_>| matches!(here.role(identifier), Role::Free);
        let Some(scripts) = components::scripts_of(&here.path, self.document_text) else { return Vec::new() };
        let in_template = |at: usize| !scripts.iter().any(|script| script.contains(&at));
        let free = here.identifiers(name);
        let free = free.iter().filter(is_free).map(|identifier| identifier.span);
        let mut found: Vec<Span> = free.filter(|span| in_template(span.start as usize)).collect();
        for form in components::other_forms(&here.path, name) {
            // `$count` in a shorthand property.
            let stores = here.identifiers(&form);
            found.extend(stores.iter().filter(is_free).map(|identifier| identifier.span));
            let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
            let places = self.document_text.match_indices(&form).filter(|(at, _)| {
                !self.document_text[..*at].ends_with(part) && !self.document_text[at + form.len()..].starts_with(part)
            });
            let spans = places.map(|(at, _)| Span::new(at as u32, (at + form.len()) as u32));
            found.extend(spans.filter(|span| !self.is_in_document(*span)));
        }
        found
    }

    /// Returns the places of these specifiers in parts of the open document that cannot be parsed.
    pub(crate) fn unparsed_imports(&self, specifiers: &[String]) -> Vec<Span> {
        let here = self.open_module();
        let found = unparsed::unparsed_specifiers(self.document_text, here.text()).into_iter();
        found.filter(|one| specifiers.iter().any(|known| known == one.specifier)).map(|one| one.span).collect()
    }

    /// Returns the module at a path, which is read on first use.
    pub(crate) fn load(&self, path: &str) -> Option<u32> {
        if let Some(known) = self.by_path.borrow().get(path) {
            return *known;
        }
        let loaded = self.parse(path);
        self.by_path.borrow_mut().insert(path.to_owned(), loaded);
        loaded
    }

    fn parse(&self, path: &str) -> Option<u32> {
        is_module(path).then_some(())?;
        if self.modules.borrow().len() >= MOST_MODULES {
            return None;
        }
        let parsed = (self.load)(path)?;
        let number = u32::try_from(self.modules.borrow().len()).ok()?;
        self.modules.borrow_mut().push(Rc::new(Module::cached(path, &parsed)));
        Some(number)
    }

    fn resolver(&self, module: u32) -> Rc<Resolver<'w>> {
        if let Some(known) = self.resolvers.borrow().get(&module) {
            return known.clone();
        }
        let resolver = Rc::new(Resolver::new(self.workspace, &self.module(module).path));
        self.resolvers.borrow_mut().insert(module, resolver.clone());
        resolver
    }

    /// Resolves a specifier of a module.
    pub(crate) fn resolve_module(&self, module: u32, specifier: &'w str) -> ResolvedModule {
        if module == OPEN_DOCUMENT && self.is_watched(specifier) {
            return ResolvedModule::Watched;
        }
        if let Some(known) = self.resolved.borrow().get(&(module, specifier)) {
            return *known;
        }
        let found = self.find_module(module, specifier);
        self.resolved.borrow_mut().insert((module, specifier), found);
        found
    }

    pub(crate) fn is_watched(&self, specifier: &str) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.specifiers.iter().any(|known| known == specifier))
    }

    fn find_module(&self, module: u32, specifier: &'w str) -> ResolvedModule {
        if let Some(block) = self.ambient_module(module, specifier) {
            return ResolvedModule::Module(ModuleRef { module, block: Some(block) });
        }
        match self.destination(module, specifier) {
            Destination::Inside(found) if is_in_package(&found.path) => ResolvedModule::External,
            Destination::Inside(found) if !is_module(&found.path) => ResolvedModule::External,
            Destination::Inside(found) => self
                .load(&found.path)
                .map_or(ResolvedModule::Unknown, |module| ResolvedModule::Module(ModuleRef { module, block: None })),
            Destination::External => ResolvedModule::External,
            Destination::Missing(_) | Destination::Unknown(_) => ResolvedModule::Unknown,
        }
    }

    pub(crate) fn destination(&self, module: u32, specifier: &str) -> Destination {
        let from = &self.module(module).path;
        self.workspace.destination(from, specifier, || self.resolver(module).destination("import", specifier))
    }

    /// Returns the block `declare module "specifier"` of a module.
    fn ambient_module(&self, module: u32, specifier: &str) -> Option<NodeId> {
        if paths::is_relative(specifier) {
            return None;
        }
        library::ambient_block(&self.module(module), specifier)
    }

    /// Returns whether a specifier of the open document resolves to the file at a path.
    pub(crate) fn resolves_to(&self, specifier: &str, path: &str) -> bool {
        matches!(self.destination(ids::OPEN_DOCUMENT, specifier), Destination::Inside(found) if found.path == path)
    }

    /// Returns the location of a declaration in a form that outlives the call.
    pub(crate) fn location_of(&self, site: Site) -> FileLocation {
        FileLocation { path: self.module(site.module).path.clone(), offset: site.offset }
    }

    /// Returns the declaration at a location from an earlier call. `None` if its module cannot be read.
    pub(crate) fn site_at(&self, place: &FileLocation) -> Option<Site> {
        Some(Site { module: self.load(&place.path)?, offset: place.offset })
    }

    /// Returns the exports of a module.
    pub(crate) fn exports(&self, of: ModuleRef) -> Rc<Exports<'w>> {
        self.module(of.module).exports(of.block)
    }

    /// Returns the declarations of a symbol.
    pub(crate) fn sites_of(&self, module: u32, symbol: SymbolId) -> Vec<Site> {
        let spans = self.module(module).declaration_spans(symbol);
        spans.into_iter().map(|span| Site { module, offset: span.start }).collect()
    }
}

/// Returns whether the file at a path is a module that the pack reads.
fn is_module(path: &str) -> bool {
    code_extension(path).is_some() || is_component(path)
}

/// Returns whether the path is in an installed package.
pub(crate) fn is_in_package(path: &str) -> bool {
    path.split('/').any(|part| part == "node_modules")
}
