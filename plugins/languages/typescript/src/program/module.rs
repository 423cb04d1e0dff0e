//! A file of the program and the data derived from it once: its exports, its identifiers, and the members that
//! assignments create.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;

use oxc_ast::ast;
use oxc_semantic::{NodeId, Semantic};

use crate::program::cache::ParsedModule;
use crate::program::expandos::{self, Expandos};
use crate::program::exports::{self, Exports};
use crate::program::identifiers::{self, Identifier};
use crate::program::source_file::{Analysis, SourceFile};

/// A file of the program.
pub(crate) struct Module<'w> {
    file: SourceFile<'w>,
    exports: RefCell<HashMap<Option<NodeId>, Rc<Exports<'w>>>>,
    expandos: OnceCell<Rc<Expandos<'w>>>,
    /// The identifiers with one name, computed on first use.
    identifiers: RefCell<HashMap<String, Rc<Vec<Identifier<'w>>>>>,
}

/// A module gives access to all methods of its file.
impl<'w> Deref for Module<'w> {
    type Target = SourceFile<'w>;

    fn deref(&self) -> &SourceFile<'w> {
        &self.file
    }
}

impl<'w> Module<'w> {
    /// Creates the module of the open document.
    pub(crate) fn open(path: &str, program: &'w ast::Program<'w>, semantic: &'w Semantic<'w>) -> Module<'w> {
        Module {
            file: SourceFile::new(path, program, Analysis::Borrowed(semantic), Rc::default()),
            exports: RefCell::default(),
            expandos: OnceCell::new(),
            identifiers: RefCell::default(),
        }
    }

    /// Creates a module from the cache.
    pub(crate) fn cached(path: &str, parsed: &ParsedModule<'w>) -> Module<'w> {
        let (analysis, tables) = (Analysis::Shared(parsed.semantic.clone()), parsed.tables.clone());
        Module {
            file: SourceFile::new(path, parsed.program, analysis, tables),
            exports: RefCell::new(HashMap::from([(None, parsed.exports.clone())])),
            expandos: OnceCell::from(parsed.expandos.clone()),
            identifiers: RefCell::default(),
        }
    }

    /// Returns the members that assignments create.
    pub(crate) fn expandos(&self) -> &Expandos<'w> {
        self.expandos.get_or_init(|| Rc::new(expandos::collect(self)))
    }

    /// Returns the exports of the module, or of a block `declare module` within it.
    pub(crate) fn exports(&self, block: Option<NodeId>) -> Rc<Exports<'w>> {
        if let Some(known) = self.exports.borrow().get(&block) {
            return known.clone();
        }
        let exports = Rc::new(exports::collect(self, block, || self.expandos()));
        self.exports.borrow_mut().insert(block, exports.clone());
        exports
    }

    /// Returns the identifiers with this name, in document order.
    pub(crate) fn identifiers(&self, name: &str) -> Rc<Vec<Identifier<'w>>> {
        if let Some(known) = self.identifiers.borrow().get(name) {
            return known.clone();
        }
        let identifiers = Rc::new(identifiers::identifiers_named(self, name));
        self.identifiers.borrow_mut().insert(name.to_owned(), identifiers.clone());
        identifiers
    }
}
