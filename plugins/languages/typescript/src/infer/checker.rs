//! The checker: it tells the types of expressions and what names refer to, as far as the program shows them.
//!
//! Its methods lie in the files of this room, one file for each kind of question.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;

use oxc_semantic::{NodeId, SymbolId};

use crate::infer::ty::Ty;
use crate::program::Program;
use crate::program::ids::{Owner, Site};

/// Types that depend on each other deeper than this are unknown.
const DEEPEST: u32 = 48;
/// After so many steps of one call, everything else is unknown.
const MOST_STEPS: u32 = 1_000_000;

/// A program, and what has been worked out of it.
pub(crate) struct Checker<'w> {
    pub(crate) program: Program<'w>,
    /// Types of variables; `None` while one is being computed, so that a variable whose type depends on itself ends there.
    pub(crate) values: RefCell<HashMap<(u32, SymbolId), Option<Ty<'w>>>>,
    /// Types of references where they are read, as far as tests tell; `None` if no test does.
    pub(crate) narrowed: RefCell<HashMap<(u32, NodeId), Option<Ty<'w>>>>,
    /// What functions return; `None` while it is being computed.
    returned: RefCell<HashMap<(u32, NodeId), Option<Ty<'w>>>>,
    /// What the declaration at a site overrides or fulfils.
    pub(crate) overridden: RefCell<HashMap<Site, Rc<Vec<Site>>>>,
    /// Whether a class extends itself.
    pub(crate) circular: RefCell<HashMap<Owner, bool>>,
    depth: Cell<u32>,
    steps: Cell<u32>,
}

/// Whatever the program answers, the checker answers.
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
            returned: RefCell::default(),
            overridden: RefCell::default(),
            circular: RefCell::default(),
            depth: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    /// Take a step that may recurse. Beyond the limits of depth and of work, the answer is the default.
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

    /// What a function returns, computed once. A function that calls itself adds nothing to its own type.
    pub(crate) fn once(&self, function: (u32, NodeId), compute: impl FnOnce() -> Ty<'w>) -> Ty<'w> {
        if let Some(known) = self.returned.borrow().get(&function) {
            return known.clone().unwrap_or(Ty::Plain);
        }
        self.returned.borrow_mut().insert(function, None);
        let ty = compute();
        self.returned.borrow_mut().insert(function, Some(ty.clone()));
        ty
    }
}
