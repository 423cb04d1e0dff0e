//! Modules that calls have read, kept for the next call: many files depend on the same few.
//!
//! A module is taken from the shelf only while its text is still what the workspace has. The shelf is emptied when it
//! holds too much.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::Parser;
use oxc_semantic::{Semantic, SemanticBuilder};
use self_cell::self_cell;

use crate::{depth, dialect};

/// A shelf that holds more text than this is emptied before the next call.
const FULL: usize = 2 << 20;
/// A call cannot put more text than this on the shelf: trees are some twenty times as large.
const MOST: usize = 4 << 20;

/// A parsed module.
pub(crate) struct Parsed<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) semantic: Semantic<'a>,
}

/// The modules by their paths; nothing for those that cannot be parsed.
#[derive(Default)]
pub(crate) struct Books<'a> {
    parsed: RefCell<HashMap<String, Rc<Parsed<'a>>>>,
    bytes: Cell<usize>,
}

self_cell!(
    struct Shelf {
        owner: Allocator,
        #[not_covariant]
        dependent: Books,
    }
);

thread_local! {
    static SHELF: Cell<Option<Shelf>> = const { Cell::new(None) };
}

/// Use the shelf of this instance.
pub(crate) fn with<R>(look: impl for<'a, 's> FnOnce(&'a Allocator, &'s Books<'a>) -> R) -> R {
    let kept = SHELF.take().filter(|shelf| shelf.with_dependent(|_, books| books.bytes.get() <= FULL));
    let shelf = kept.unwrap_or_else(|| Shelf::new(Allocator::default(), |_| Books::default()));
    let result = shelf.with_dependent(look);
    SHELF.set(Some(shelf));
    result
}

impl<'a> Books<'a> {
    /// The module with this text.
    pub(crate) fn get(&self, arena: &'a Allocator, path: &str, text: &str) -> Option<Rc<Parsed<'a>>> {
        if let Some(known) = self.parsed.borrow().get(path)
            && known.program.source_text == text
        {
            return Some(known.clone());
        }
        self.bytes.set(self.bytes.get() + text.len());
        let grammar = dialect::of_path(path);
        if self.bytes.get() > MOST || depth::too_deep(text, grammar.is_jsx()).is_some() {
            return None;
        }
        let text = arena.alloc_str(text);
        let parsed = Parser::new(arena, text, grammar).parse();
        if parsed.fatal_error {
            return None;
        }
        let program: &'a Program<'a> = arena.alloc(parsed.program);
        let semantic = SemanticBuilder::new().with_build_nodes(true).build(program).semantic;
        let parsed = Rc::new(Parsed { program, semantic });
        self.parsed.borrow_mut().insert(path.to_owned(), parsed.clone());
        Some(parsed)
    }
}
