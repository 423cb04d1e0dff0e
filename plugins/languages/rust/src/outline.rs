//! The names in the modules of a file: `mod` items, other items, and imports.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::workspace;

use crate::{
    crates::is_standard,
    kinds::{F, K, child, has_kind},
    memo,
    modules::{Declaration, modules_around, plain},
    paths::{Normal, Paths, Start},
    table::RUST,
};

/// Maximum number of cached outlines.
const MAX_KNOWN: usize = 2000;

/// The names of the file's top-level module, or of an inline module in the file.
#[derive(Debug, Default)]
pub(crate) struct ModuleNames {
    /// Items other than modules, each with the offset of its first declaration.
    pub(crate) items: HashMap<String, u32>,
    /// Names after `as` in imports, with their offsets.
    pub(crate) aliases: HashMap<String, u32>,
    /// Items that a pattern with their name refers to, such as constants.
    pub(crate) constants: HashSet<String>,
    /// The starts of the paths that import each name. There are several if `#[cfg]` selects one of several imports.
    pub(crate) imports: HashMap<String, Vec<Start>>,
    /// The starts of the paths of glob imports.
    pub(crate) globs: Vec<Start>,
    /// The visibilities of the glob imports.
    glob_reach: Vec<Reach>,
    /// The visibilities of items, modules and imports. There are several if `#[cfg]` selects one of several
    /// declarations.
    pub(crate) visible: HashMap<String, Vec<Reach>>,
    /// True if a macro call in the module may declare items.
    pub(crate) has_macros: bool,
}

/// The visibility of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Private: visible in the module and its descendants.
    Module,
    /// `pub(…)`: visible in a part of the crate.
    Crate,
    /// `pub`. Macros also have this value, because other rules determine where they are visible.
    Everywhere,
}

impl ModuleNames {
    /// Returns whether a name is visible to code outside of the module, in the same crate or in another crate.
    pub(crate) fn shows(&self, name: &str, is_same_crate: bool) -> bool {
        let is_seen = |reach: &Reach| *reach == Reach::Everywhere || *reach == Reach::Crate && is_same_crate;
        self.visible.get(name).unwrap_or(&self.glob_reach).iter().any(is_seen)
    }
}

/// The names of a file.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) declarations: Vec<Declaration>,
    /// The names by module path within the file.
    pub(crate) modules: HashMap<Vec<String>, ModuleNames>,
}

/// Cached outlines by file, each with the version of the text.
type Known = HashMap<String, (u64, Rc<Outline>)>;

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// The names of a file of the workspace.
pub(crate) fn outline_of(file: &str) -> Rc<Outline> {
    memo::once(|memo| &mut memo.outlines, &file.to_owned(), || current_outline(file))
}

fn current_outline(file: &str) -> Rc<Outline> {
    let Some(version) = workspace::version(file) else { return Rc::default() };
    let known =
        KNOWN.with_borrow(|known| known.get(file).filter(|(own, _)| *own == version).map(|(_, all)| Rc::clone(all)));
    if let Some(known) = known {
        return known;
    }
    let text = workspace::read(file).unwrap_or_default();
    let found = Rc::new(outline(CodeDocument::open(&RUST, file, text).arena()));
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(file.to_owned(), (version, Rc::clone(&found)));
    });
    found
}

fn outline(arena: &Arena) -> Outline {
    let paths = Paths::new(arena);
    let mut modules: HashMap<Vec<String>, ModuleNames> = HashMap::new();
    for path in paths.paths.iter().filter(|path| path.import.is_some()) {
        let names = modules.entry(path.inline.clone()).or_default();
        if path.is_glob {
            names.globs.push(paths.start(path));
            names.glob_reach.extend(path.import.map(|import| reach(arena, import)));
        } else if path.block.is_none()
            && let Some(local) = path.local()
        {
            let name = plain(&local.name).to_owned();
            names.visible.entry(name.clone()).or_default().extend(path.import.map(|import| reach(arena, import)));
            names.aliases.extend(path.alias.as_ref().map(|alias| (name.clone(), alias.span.start)));
            names.imports.entry(name).or_default().push(paths.start(path));
        }
    }
    for (node, _) in arena.nodes().filter(|(node, _)| is_in_module(arena, *node)) {
        let is = |kind: K| has_kind(arena, node, kind);
        if let Some((name, start)) = extern_crate(arena, node) {
            let names = modules.entry(modules_around(arena, node)).or_default();
            names.imports.entry(name).or_default().push(start);
        }
        let is_macro = is(K::MACRO_CALL) || is(K::MACRO_EXPR);
        if is_macro {
            let names = modules.entry(modules_around(arena, node)).or_default();
            match declared_by_macro(arena, node) {
                Some(declared) => {
                    declared.into_iter().for_each(|(name, reach)| names.visible.entry(name).or_default().push(reach))
                }
                None => names.has_macros = true,
            }
        } else if let Some(name) = arena.child(node, F::Name.into()) {
            let names = modules.entry(modules_around(arena, node)).or_default();
            let offset = arena.node(name).span.start;
            let name = plain(arena.slice(name)).to_owned();
            names.visible.entry(name.clone()).or_default().push(reach(arena, node));
            if is_constant(arena, node) {
                names.constants.insert(name.clone());
            }
            if !is(K::MODULE) {
                names.items.entry(name).or_insert(offset);
            }
        }
    }
    Outline { declarations: paths.declarations, modules }
}

/// The name that `extern crate` binds, and the start of its path.
fn extern_crate(arena: &Arena, node: NodeIndex) -> Option<(String, Start)> {
    let own = has_kind(arena, node, K::EXTERN_CRATE).then(|| child(arena, node, K::NAME_REF))??;
    let own = plain(arena.slice(own)).to_owned();
    let alias = child(arena, node, K::RENAME).and_then(|rename| child(arena, rename, K::NAME));
    let local = alias.map_or_else(|| own.clone(), |alias| plain(arena.slice(alias)).to_owned());
    if is_standard(&own) {
        return Some((local, Start::Outside));
    }
    let (up, names) = if own == "self" { (None, Vec::new()) } else { (Some(0), vec![own]) };
    Some((local, Start::Inside(Normal { up, names, implied: 0, consumed: 0 })))
}

/// Returns whether a pattern that consists of an item's name refers to the item instead of binding a variable. This is
/// so for constants, statics, and structs without named fields.
pub(crate) fn is_constant(arena: &Arena, item: NodeIndex) -> bool {
    let is = |kind: K| has_kind(arena, item, kind);
    is(K::CONST) || is(K::STATIC) || is(K::STRUCT) && child(arena, item, K::RECORD_FIELD_LIST).is_none()
}

/// The visibility of an item.
pub(crate) fn reach(arena: &Arena, item: NodeIndex) -> Reach {
    match child(arena, item, K::VISIBILITY) {
        _ if has_kind(arena, item, K::MACRO_RULES) => Reach::Everywhere,
        None => Reach::Module,
        Some(visibility) if arena.slice(visibility).contains('(') => Reach::Crate,
        Some(_) => Reach::Everywhere,
    }
}

/// Returns whether a node is an item directly in a module, instead of in a block, trait or implementation.
fn is_in_module(arena: &Arena, node: NodeIndex) -> bool {
    let parent = arena.node(node).parent;
    let is = |kind: K| has_kind(arena, parent, kind);
    is(K::SOURCE_FILE) || is(K::EXTERN_ITEM_LIST) || is(K::ITEM_LIST)
}

/// The items that a call of a macro of the standard library declares, with their visibilities. `None` for other macros,
/// which may declare any items.
fn declared_by_macro(arena: &Arena, node: NodeIndex) -> Option<Vec<(String, Reach)>> {
    // A call at the end of a file without `;` is an expression for the parser.
    let call = if has_kind(arena, node, K::MACRO_EXPR) { child(arena, node, K::MACRO_CALL)? } else { node };
    let path = child(arena, call, K::PATH).map_or("", |path| arena.slice(path));
    let name = path.strip_prefix("::").unwrap_or(path);
    match name.strip_prefix("std::").or_else(|| name.strip_prefix("core::")).unwrap_or(name) {
        "compile_error" => Some(Vec::new()),
        "thread_local" => Some(statics_in(arena, child(arena, call, K::TOKEN_TREE)?)),
        _ => None,
    }
}

/// The names of the `static` items that are directly in the arguments of a macro.
fn statics_in(arena: &Arena, tree: NodeIndex) -> Vec<(String, Reach)> {
    let tokens: Vec<NodeIndex> = arena.children(tree).filter(|node| has_kind(arena, *node, K::MACRO_TOKEN)).collect();
    let is_static = |pair: &&[NodeIndex]| arena.slice(pair[0]) == "static";
    let declared = tokens.windows(2).filter(is_static).map(|pair| {
        let before = arena.text[..arena.node(pair[0]).span.range().start].trim_end();
        let reach = match () {
            () if before.ends_with("pub") => Reach::Everywhere,
            () if before.ends_with(')') => Reach::Crate,
            () => Reach::Module,
        };
        (plain(arena.slice(pair[1])).to_owned(), reach)
    });
    declared.collect()
}
