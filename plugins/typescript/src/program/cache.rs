//! Modules that calls have read, kept for the next call: many files depend on the same few.
//!
//! A cached module is used only while its text is still what the workspace has. The cache is emptied when it holds too
//! much.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::Parser;
use oxc_semantic::{Semantic, SemanticBuilder};
use self_cell::self_cell;

use crate::syntax::{depth, dialect};

/// A cache that holds more text than this is emptied before the next call.
const FULL: usize = 2 << 20;
/// A call cannot add more text than this: trees are some twenty times as large.
const MOST: usize = 4 << 20;

/// A parsed module.
pub(crate) struct ParsedModule<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) semantic: Semantic<'a>,
}

/// The modules by their paths; nothing for those that cannot be parsed.
#[derive(Default)]
pub(crate) struct CachedModules<'a> {
    parsed: RefCell<HashMap<String, Rc<ParsedModule<'a>>>>,
    bytes: Cell<usize>,
}

self_cell!(
    struct ModuleCache {
        owner: Allocator,
        #[not_covariant]
        dependent: CachedModules,
    }
);

thread_local! {
    static CACHE: Cell<Option<ModuleCache>> = const { Cell::new(None) };
}

/// Use the modules that this instance has read.
pub(crate) fn with<R>(look: impl for<'a, 's> FnOnce(&'a Allocator, &'s CachedModules<'a>) -> R) -> R {
    let kept = CACHE.take().filter(|cache| cache.with_dependent(|_, modules| modules.bytes.get() <= FULL));
    let cache = kept.unwrap_or_else(|| ModuleCache::new(Allocator::default(), |_| CachedModules::default()));
    let result = cache.with_dependent(look);
    CACHE.set(Some(cache));
    result
}

impl<'a> CachedModules<'a> {
    /// The module with this text.
    pub(crate) fn get(&self, arena: &'a Allocator, path: &str, text: &str) -> Option<Rc<ParsedModule<'a>>> {
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
        let parsed = Rc::new(ParsedModule { program, semantic });
        self.parsed.borrow_mut().insert(path.to_owned(), parsed.clone());
        Some(parsed)
    }
}
