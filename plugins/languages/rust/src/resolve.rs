//! Resolves the modules in paths: through `mod` items, imports, re-exports, glob imports and crates.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use crate::{
    crates::{self, Extern},
    memo,
    modules::{Module, file_of, module_path, parent},
    outline::{ModuleNames, Outline, outline_of},
    paths::{Normal, Start},
};

/// Maximum number of imports through which a name is followed.
const MAX_HOPS: usize = 8;

/// A file, the number of modules up from it, and the names of a path.
pub(crate) type PathKey = (String, Option<usize>, Vec<String>);

/// The reason why no more modules were found on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// All names of the path are modules.
    Module,
    /// The next name is an item of the last module.
    Item,
    /// The next name is from a crate that is not part of the workspace.
    Outside,
    /// The next name cannot be resolved.
    Unknown,
}

/// The modules that the prefixes of a path refer to.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    /// Each module, with the number of names in the prefix that refers to it.
    pub(crate) found: Vec<(usize, Module)>,
    /// The last import on the path. The names after it are names of `mod` items.
    pub(crate) anchor: Option<Anchor>,
    /// True if `#[cfg]` selects one of several declarations of a module on the path, with different files or contents.
    pub(crate) has_twins: bool,
    pub(crate) end: End,
}

/// A module that a path reaches by an import.
#[derive(Debug, Clone)]
pub(crate) struct Anchor {
    /// The number of names in the prefix of the module.
    pub(crate) count: usize,
    pub(crate) module: Module,
    /// True if the module is the target of a glob import.
    pub(crate) is_glob: bool,
}

/// The meaning of a name in a module.
#[derive(Debug, Clone)]
enum Step {
    Module(Module),
    /// A module that an import of this name refers to.
    Imported(Module),
    /// A module that a glob import of the module `of` provides.
    Glob {
        of: Module,
        module: Module,
    },
    Item,
    Outside,
    /// The module does not have the name.
    Absent,
    Unknown,
}

/// The names that were looked up for one path. `None` during the lookup, because modules may import each other.
type Seen = HashMap<(Module, String), Option<Step>>;

/// The module from which a normalized path starts.
pub(crate) fn base(file: &str, up: Option<usize>) -> Option<Module> {
    let Some(up) = up else { return module_path(file).map(|(root, _)| Module::of_file(&root)) };
    let mut at = Module::of_file(file);
    for _ in 0..up {
        if at.inline.pop().is_none() {
            let (outer, mut names) = parent(&at.file)?;
            names.pop();
            at = Module { file: outer, inline: names };
        }
    }
    Some(at)
}

/// Follows a path up to its first name that is not a module.
pub(crate) fn walk(file: &str, normal: &Normal) -> Rc<Walk> {
    let key = (file.to_owned(), normal.up, normal.names.clone());
    memo::once(|memo| &mut memo.walks, &key, || Rc::new(walk_within(file, normal, MAX_HOPS, &mut Seen::new())))
}

fn walk_within(file: &str, normal: &Normal, hops: usize, seen: &mut Seen) -> Walk {
    let Some(start) = base(file, normal.up) else {
        return Walk { found: Vec::new(), anchor: None, has_twins: false, end: End::Unknown };
    };
    let mut walk = Walk { found: vec![(0, start.clone())], anchor: None, has_twins: false, end: End::Module };
    let mut at = start;
    for (index, name) in normal.names.iter().enumerate() {
        let mut next = step(&at, name, hops, seen);
        // The names of crates are visible in every module, also if a glob import of another crate may provide them.
        let is_first = normal.up == Some(0) && at.file == file;
        let is_unclear = matches!(next, Step::Absent | Step::Unknown);
        if is_first && (is_unclear || matches!(next, Step::Outside) && !names_own(&at, name)) {
            next = match outside(file, name, (hops, seen)) {
                Step::Unknown if !is_unclear => next,
                found => found,
            };
        }
        let module = match next {
            Step::Module(module) => module,
            Step::Imported(module) => {
                walk.anchor = Some(Anchor { count: index + 1, module: module.clone(), is_glob: false });
                module
            }
            Step::Glob { of, module } => {
                walk.anchor = Some(Anchor { count: index, module: of, is_glob: true });
                module
            }
            Step::Item => {
                walk.end = End::Item;
                break;
            }
            Step::Outside => {
                walk.end = End::Outside;
                break;
            }
            Step::Absent | Step::Unknown => {
                walk.end = End::Unknown;
                break;
            }
        };
        walk.has_twins |= is_twin(&at, name);
        walk.found.push((index + 1, module.clone()));
        at = module;
    }
    walk
}

/// Returns whether a module declares or imports a name without a glob import.
fn names_own(at: &Module, name: &str) -> bool {
    let outline = outline_of(&at.file);
    outline.modules.get(&at.inline).is_some_and(|own| own.items.contains_key(name) || own.imports.contains_key(name))
}

/// The meaning of a name that no surrounding module declares: a crate, or, in the edition 2015, a name in the root of
/// the crate.
fn outside(file: &str, name: &str, (hops, seen): (usize, &mut Seen)) -> Step {
    match crates::find(file, name) {
        Extern::Root(root) => Step::Imported(Module::of_file(&root)),
        Extern::Elsewhere => Step::Outside,
        Extern::Unknown if crates::starts_at_root(file) => at_root(file, name, (hops, seen)),
        Extern::Unknown => Step::Unknown,
    }
}

/// The meaning of a name in the root module of a file's crate.
fn at_root(file: &str, name: &str, (hops, seen): (usize, &mut Seen)) -> Step {
    let Some(root) = base(file, None).filter(|root| root.file != file) else { return Step::Unknown };
    match step(&root, name, hops, seen) {
        Step::Module(module) => Step::Glob { of: root, module },
        Step::Absent => Step::Unknown,
        other => other,
    }
}

/// The meaning of a name in a module.
fn step(at: &Module, name: &str, hops: usize, seen: &mut Seen) -> Step {
    let key = (at.clone(), name.to_owned());
    if let Some(known) = seen.get(&key) {
        return known.clone().unwrap_or(Step::Absent);
    }
    seen.insert(key.clone(), None);
    let found = look_up(at, name, hops, seen);
    seen.insert(key, Some(found.clone()));
    found
}

fn look_up(at: &Module, name: &str, hops: usize, seen: &mut Seen) -> Step {
    let outline = outline_of(&at.file);
    if let Some(declared) = declared(at, name, &outline) {
        return declared;
    }
    let Some(own) = outline.modules.get(&at.inline) else { return Step::Absent };
    let imported = match hops {
        0 => None,
        _ => imported(at, name, own.imports.get(name).map_or(&[][..], Vec::as_slice), (hops, seen)),
    };
    match imported {
        Some(found @ (Step::Imported(_) | Step::Glob { .. })) => found,
        // The module may declare a function with this name and import a module with the same name.
        _ if own.items.contains_key(name) => Step::Item,
        Some(other) => other,
        None if hops == 0 => Step::Unknown,
        None => through_globs(at, own, name, (hops, seen)),
    }
}

/// The module that a `mod` item declares. `Step::Unknown` if its file does not exist.
fn declared(at: &Module, name: &str, outline: &Outline) -> Option<Step> {
    let names = [&at.inline[..], &[name.to_owned()]].concat();
    let mut declared = outline.declarations.iter().filter(|declaration| declaration.names == names).peekable();
    declared.peek()?;
    let found = declared.find_map(|declaration| match declaration.is_inline {
        true => Some(Module { file: at.file.clone(), inline: names.clone() }),
        false => file_of(&at.file, declaration).map(|file| Module::of_file(&file)),
    });
    Some(found.map_or(Step::Unknown, Step::Module))
}

/// Returns whether a module declares several modules of the same name, from which `#[cfg]` selects one.
pub(crate) fn is_twin(at: &Module, name: &str) -> bool {
    let outline = outline_of(&at.file);
    let is_it = |names: &[String]| names.split_last().is_some_and(|(last, outer)| last == name && *outer == at.inline);
    outline.declarations.iter().filter(|declaration| is_it(&declaration.names)).count() > 1
}

/// Returns whether a path to a module may also be one to an item with its name, which the module declares and the module
/// around it imports.
pub(crate) fn imports_twin(found: &[(usize, Module)], normal: &Normal) -> bool {
    let ([.., (_, around), (_, module)], Some(name)) = (found, normal.names.last()) else { return false };
    let declares = |module: &Module| {
        outline_of(&module.file).modules.get(&module.inline).is_some_and(|own| own.items.contains_key(name))
    };
    let outline = outline_of(&around.file);
    let imports = outline.modules.get(&around.inline);
    declares(module) && imports.is_some_and(|own| own.imports.contains_key(name) || !own.globs.is_empty())
}

/// The meaning of a name that a module imports. `starts` are the starts of the import paths.
fn imported(at: &Module, name: &str, starts: &[Start], (hops, seen): (usize, &mut Seen)) -> Option<Step> {
    // `use serde;` refers to the crate, not to itself.
    let is_own = |normal: &Normal| {
        let names = normal.names.split_last();
        normal.up == Some(0) && names.is_some_and(|(last, outer)| last == name && *outer == at.inline)
    };
    let mut first = None;
    for start in starts {
        let meaning = match start {
            Start::Inside(normal) if is_own(normal) => match outside(&at.file, name, (hops - 1, seen)) {
                found @ (Step::Imported(_) | Step::Glob { .. }) => return Some(found),
                other => other,
            },
            Start::Inside(normal) => {
                let walk = walk_within(&at.file, normal, hops - 1, seen);
                match (walk.end, walk.found.last()) {
                    (End::Module, Some((_, module))) => return Some(Step::Imported(module.clone())),
                    (End::Item, _) => Step::Item,
                    (End::Outside, _) => Step::Outside,
                    _ => Step::Unknown,
                }
            }
            Start::Outside => Step::Outside,
            Start::Unknown => Step::Unknown,
        };
        // `#[cfg]` may select another import than the first one.
        first = Some(match first {
            None => meaning,
            Some(Step::Outside) if !matches!(meaning, Step::Outside) => Step::Unknown,
            Some(known) => known,
        });
    }
    first
}

/// The meaning of a name that glob imports of a module provide.
fn through_globs(at: &Module, own: &ModuleNames, name: &str, (hops, seen): (usize, &mut Seen)) -> Step {
    let (mut is_outside, mut is_unknown) = (false, own.has_macros);
    for start in &own.globs {
        let (end, of) = match start {
            Start::Inside(normal) => {
                let walk = walk_within(&at.file, normal, hops - 1, seen);
                (walk.end, walk.found.last().map(|(_, module)| module.clone()))
            }
            Start::Outside => (End::Outside, None),
            Start::Unknown => (End::Unknown, None),
        };
        match (end, of) {
            (End::Module, Some(of)) if !shows(&of, name, at) => {}
            (End::Module, Some(of)) => match step(&of, name, hops - 1, seen) {
                Step::Module(module) => return Step::Glob { of, module },
                // The import determines the name, so the glob import is not relevant.
                Step::Imported(module) => return Step::Imported(module),
                Step::Glob { of, module } => return Step::Glob { of, module },
                Step::Item => return Step::Item,
                Step::Outside => is_outside = true,
                Step::Unknown => is_unknown = true,
                Step::Absent => {}
            },
            // The variants of an enum are not modules.
            (End::Module | End::Item, _) => {}
            (End::Outside, _) => is_outside = true,
            (End::Unknown, _) => is_unknown = true,
        }
    }
    match (is_unknown, is_outside) {
        (true, _) => Step::Unknown,
        (false, true) => Step::Outside,
        (false, false) => Step::Absent,
    }
}

/// Returns whether a module has a name. `None` if that cannot be determined: the module has a glob import of a crate
/// outside of the workspace, or macro calls that may declare items.
pub(crate) fn has_within(at: &Module, name: &str, seen: &mut HashSet<Module>) -> Option<bool> {
    if !seen.insert(at.clone()) {
        return Some(false);
    }
    let outline = outline_of(&at.file);
    let Some(own) = outline.modules.get(&at.inline) else { return Some(false) };
    let is_declared = own.visible.contains_key(name) || own.imports.contains_key(name);
    if is_declared {
        return Some(true);
    }
    let mut found = if own.has_macros { None } else { Some(false) };
    for start in &own.globs {
        match glob_has(at, start, name, seen) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => found = None,
        }
    }
    found
}

/// Returns whether the module `to` can use a name of the module `of`.
pub(crate) fn shows(of: &Module, name: &str, to: &Module) -> bool {
    let outline = outline_of(&of.file);
    let Some(names) = outline.modules.get(&of.inline) else { return true };
    if names.shows(name, true) || of.file == to.file && to.inline.starts_with(&of.inline) {
        return true;
    }
    let (Some((root, outer)), Some((other, inner))) = (module_path(&of.file), module_path(&to.file)) else {
        return true;
    };
    root == other && [&inner[..], &to.inline].concat().starts_with(&[&outer[..], &of.inline].concat())
}

/// Returns whether a glob import provides a name. `None` if that cannot be determined.
pub(crate) fn glob_has(at: &Module, start: &Start, name: &str, seen: &mut HashSet<Module>) -> Option<bool> {
    let Start::Inside(normal) = start else { return None };
    let walk = walk(&at.file, normal);
    match (walk.end, walk.found.last()) {
        (End::Module, Some((_, module))) if !shows(module, name, at) => Some(false),
        (End::Module, Some((_, module))) => has_within(module, name, seen),
        // By convention, the variants of an enum start with a capital letter.
        (End::Item, _) if !name.starts_with(char::is_uppercase) => Some(false),
        _ => None,
    }
}
