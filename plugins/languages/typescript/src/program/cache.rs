//! Cache of parsed modules, kept between calls: many files depend on the same few modules.
//!
//! A cached module is used only if the file still has the same text in the workspace. Each use asks the host for the
//! version of the text, because the host records such requests as the dependencies of a call. The cache is emptied when
//! it gets too large.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use marquetry_sdk::workspace;
use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::Parser;
use oxc_semantic::{Semantic, SemanticBuilder};
use self_cell::self_cell;

use crate::program::expandos::{self, Expandos};
use crate::program::exports::{self, Exports};
use crate::program::library::{self, LIBRARY};
use crate::program::source_file::{Analysis, LookupTables, SourceFile};
use crate::syntax::{components, depth, dialect};

/// If the cache holds more text than this, it is emptied before the next call.
const CLEAR_ABOVE: usize = 2 << 20;
/// Maximum amount of text in the cache. Trees are about twenty times as large.
const MOST_BYTES: usize = 4 << 20;

/// A parsed module and the data that every call derives from it.
pub(crate) struct ParsedModule<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) semantic: Rc<Semantic<'a>>,
    pub(crate) tables: Rc<LookupTables>,
    pub(crate) expandos: Rc<Expandos<'a>>,
    pub(crate) exports: Rc<Exports<'a>>,
}

/// Version number of a file's text, and the parsed module; `None` if the text cannot be parsed.
type Version<'a> = (u64, Option<Rc<ParsedModule<'a>>>);

/// Cached modules by path.
#[derive(Default)]
pub(crate) struct CachedModules<'a> {
    parsed: RefCell<HashMap<String, Version<'a>>>,
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

/// Calls `look` with the cache of this instance.
pub(crate) fn with_cache<R>(look: impl for<'a, 's> FnOnce(&'a Allocator, &'s CachedModules<'a>) -> R) -> R {
    let kept = CACHE.take().filter(|cache| cache.with_dependent(|_, modules| modules.bytes.get() <= CLEAR_ABOVE));
    let cache = kept.unwrap_or_else(|| ModuleCache::new(Allocator::default(), |_| CachedModules::default()));
    let result = cache.with_dependent(look);
    CACHE.set(Some(cache));
    result
}

impl<'a> CachedModules<'a> {
    /// Returns the parsed module at a path. Parses it again if its text has changed.
    pub(crate) fn get(&self, arena: &'a Allocator, path: &str) -> Option<Rc<ParsedModule<'a>>> {
        let version = if path == LIBRARY { 0 } else { workspace::version(path)? };
        if let Some((known, parsed)) = self.parsed.borrow().get(path)
            && *known == version
        {
            return parsed.clone();
        }
        let text = if path == LIBRARY { library::TEXT.to_owned() } else { workspace::read(path).ok()? };
        self.bytes.set(self.bytes.get() + text.len());
        if self.bytes.get() > MOST_BYTES {
            return None;
        }
        let parsed = parse(arena, path, &text).map(Rc::new);
        self.parsed.borrow_mut().insert(path.to_owned(), (version, parsed.clone()));
        parsed
    }
}

fn parse<'a>(arena: &'a Allocator, path: &str, text: &str) -> Option<ParsedModule<'a>> {
    let component = components::component_text(path, text);
    let (read, grammar) = match &component {
        Some(component) => (component.script.as_str(), component.grammar),
        None => (text, dialect::source_type(path)),
    };
    if depth::too_deep(read, grammar.is_jsx()).is_some() {
        return None;
    }
    let mut parsed = Parser::new(arena, arena.alloc_str(read), grammar).parse();
    if parsed.fatal_error {
        return None;
    }
    if let Some(component) = &component {
        component.add_template(arena, text, &mut parsed.program);
    }
    let program: &'a Program<'a> = arena.alloc(parsed.program);
    let semantic = Rc::new(SemanticBuilder::new().with_build_nodes(true).build(program).semantic);
    let tables: Rc<LookupTables> = Rc::default();
    let file = SourceFile::new(path, program, Analysis::Shared(semantic.clone()), tables.clone());
    let expandos = Rc::new(expandos::collect(&file));
    let exports = Rc::new(exports::collect(&file, None, || &expandos));
    Some(ParsedModule { program, semantic, tables, expandos, exports })
}
