//! A file of the program with what is worked out of it once: its exports, its identifiers, the members that assignments
//! create.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::rc::Rc;

use oxc_ast::ast;
use oxc_semantic::{NodeId, Semantic, SymbolId};

use crate::program::cache::ParsedModule;
use crate::program::expandos::{self, Expandos};
use crate::program::exports::{self, Exports};
use crate::program::identifiers::{self, Identifier};
use crate::program::ids::HERE;
use crate::program::source_file::{Analysis, SourceFile};

/// A file of the program.
pub(crate) struct Module<'w> {
    file: SourceFile<'w>,
    exports: RefCell<HashMap<Option<NodeId>, Rc<Exports<'w>>>>,
    expandos: OnceCell<Expandos<'w>>,
    /// The outermost node that begins at an offset, and the function that a comment ending before an offset documents.
    pub(crate) starts: OnceCell<HashMap<u32, NodeId>>,
    pub(crate) documented: OnceCell<HashMap<u32, NodeId>>,
    /// The variables that conditions may narrow.
    pub(crate) tested: OnceCell<HashSet<SymbolId>>,
    /// The identifiers of one spelling, once they have been asked for.
    identifiers: RefCell<HashMap<String, Rc<Vec<Identifier<'w>>>>>,
}

/// Whatever a file answers, its module answers.
impl<'w> Deref for Module<'w> {
    type Target = SourceFile<'w>;

    fn deref(&self) -> &SourceFile<'w> {
        &self.file
    }
}

impl<'w> Module<'w> {
    /// The open document.
    pub(crate) fn open(path: &str, program: &'w ast::Program<'w>, semantic: &'w Semantic<'w>) -> Module<'w> {
        Module::new(SourceFile::new(HERE, path, program, Analysis::Borrowed(semantic)))
    }

    /// A module from the cache.
    pub(crate) fn cached(number: u32, path: &str, parsed: Rc<ParsedModule<'w>>) -> Module<'w> {
        Module::new(SourceFile::new(number, path, parsed.program, Analysis::Shared(parsed)))
    }

    fn new(file: SourceFile<'w>) -> Module<'w> {
        Module {
            file,
            exports: RefCell::default(),
            expandos: OnceCell::new(),
            starts: OnceCell::new(),
            documented: OnceCell::new(),
            tested: OnceCell::new(),
            identifiers: RefCell::default(),
        }
    }

    /// The members that assignments create.
    pub(crate) fn expandos(&self) -> &Expandos<'w> {
        self.expandos.get_or_init(|| expandos::collect(self))
    }

    /// What the module exports, or a block `declare module` within it.
    pub(crate) fn exports(&self, block: Option<NodeId>) -> Rc<Exports<'w>> {
        if let Some(known) = self.exports.borrow().get(&block) {
            return known.clone();
        }
        let exports = Rc::new(exports::collect(self, block, || self.expandos()));
        self.exports.borrow_mut().insert(block, exports.clone());
        exports
    }

    /// The identifiers with this spelling, in document order.
    pub(crate) fn identifiers(&self, name: &str) -> Rc<Vec<Identifier<'w>>> {
        if let Some(known) = self.identifiers.borrow().get(name) {
            return known.clone();
        }
        let identifiers = Rc::new(identifiers::spelled(self, name));
        self.identifiers.borrow_mut().insert(name.to_owned(), identifiers.clone());
        identifiers
    }
}
