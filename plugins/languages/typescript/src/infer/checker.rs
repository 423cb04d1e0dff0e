//! The checker: infers the types of expressions and resolves names in the program.
//!
//! Its methods are in the files of this folder, one file per topic.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;

use oxc_semantic::{NodeId, SymbolId};

use crate::infer::components::ComponentTypes;
use crate::infer::ty::Ty;
use crate::program::Program;
use crate::program::ids::{Owner, Site};

/// Maximum recursion depth; deeper types are unknown.
const DEEPEST: u32 = 48;
/// Maximum number of steps per call; after that, types are unknown.
const MOST_STEPS: u32 = 1_000_000;

/// A program with the data inferred from it.
pub(crate) struct Checker<'w> {
    pub(crate) program: Program<'w>,
    /// Types of variables; `None` while one is being computed, which ends the recursion of a type that depends on
    /// itself.
    pub(crate) values: RefCell<HashMap<(u32, SymbolId), Option<Ty<'w>>>>,
    /// Narrowed types of references by location; `None` if no test narrows it.
    pub(crate) narrowed: RefCell<HashMap<(u32, NodeId), Option<Ty<'w>>>>,
    /// Return types of functions; `None` while one is being computed.
    return_types: RefCell<HashMap<(u32, NodeId), Option<Ty<'w>>>>,
    /// Declarations that the declaration at a site overrides or implements.
    pub(crate) overridden: RefCell<HashMap<Site, Rc<Vec<Site>>>>,
    /// Result of checking whether a class extends itself.
    pub(crate) circular: RefCell<HashMap<Owner, bool>>,
    /// Types of components; `None` while they are computed.
    pub(crate) components: RefCell<HashMap<u32, Option<Rc<ComponentTypes<'w>>>>>,
    /// Modules whose global declarations are known, besides those of the open document.
    pub(crate) global_modules: RefCell<Vec<u32>>,
    /// Global declarations by name, collected on first use.
    pub(crate) globals: OnceCell<HashMap<String, (u32, SymbolId)>>,
    depth: Cell<u32>,
    steps: Cell<u32>,
}

/// The checker gives access to all methods of the program.
impl<'w> Deref for Checker<'w> {
    type Target = Program<'w>;

    fn deref(&self) -> &Program<'w> {
        &self.program
    }
}

impl<'w> Checker<'w> {
    pub(crate) fn new(program: Program<'w>) -> Checker<'w> {
        Checker {
            program,
            values: RefCell::default(),
            narrowed: RefCell::default(),
            return_types: RefCell::default(),
            overridden: RefCell::default(),
            circular: RefCell::default(),
            components: RefCell::default(),
            global_modules: RefCell::default(),
            globals: OnceCell::new(),
            depth: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    /// Runs a step that may recurse. Returns `default` if a limit of depth or work is reached.
    pub(crate) fn with_depth<R>(&self, default: R, step: impl FnOnce() -> R) -> R {
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

    /// Returns the return type of a function, computed once. Recursive calls do not contribute to it.
    pub(crate) fn return_type_once(&self, function: (u32, NodeId), compute: impl FnOnce() -> Ty<'w>) -> Ty<'w> {
        if let Some(known) = self.return_types.borrow().get(&function) {
            return known.clone().unwrap_or(Ty::Primitive);
        }
        self.return_types.borrow_mut().insert(function, None);
        let ty = compute();
        self.return_types.borrow_mut().insert(function, Some(ty.clone()));
        ty
    }
}
