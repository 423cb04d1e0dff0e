//! The files of modules: the `mod` items in a file, the parent of a file, and module paths before and after moves.

use std::collections::BTreeSet;

use marquetry_code::{Arena, CodeDocument, NodeIndex, ROOT};
use marquetry_sdk::{
    paths::{file_name, folder, folders_around, join, relative_to},
    workspace,
};

pub(crate) use crate::memo::is_file;
use crate::{
    kinds::{F, K, child, has_kind},
    memo::{self, Place},
    outline::outline_of,
};

/// Maximum number of nested modules.
const MAX_DEPTH: usize = 64;
/// Folders in which every file is the root of a crate.
const ROOT_FOLDERS: [&str; 4] = ["tests", "examples", "benches", "bin"];

/// A `mod` item of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// The inline modules around the item, and its name.
    pub(crate) names: Vec<String>,
    /// The value of `#[path = "…"]`.
    pub(crate) path: Option<String>,
    /// True for `mod name { … }`.
    pub(crate) is_inline: bool,
    /// The conditions under which the item is compiled: `#[cfg(…)]`.
    pub(crate) conditions: Vec<String>,
    /// The node of the item.
    pub(crate) node: NodeIndex,
}

/// A move of a file or folder in one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The path before the move.
    pub from: String,
    /// The path after the move.
    pub to: String,
}

/// The name of a module without `r#`.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// The names of the inline modules around a node, the outermost first.
pub(crate) fn modules_around(arena: &Arena, node: NodeIndex) -> Vec<String> {
    let above = arena.ancestors(node).skip(1).filter(|above| has_kind(arena, *above, K::MODULE));
    let mut names: Vec<String> =
        above.filter_map(|module| Some(plain(module_name(arena, module)?).to_owned())).collect();
    names.reverse();
    names
}

fn module_name(arena: &Arena, module: NodeIndex) -> Option<&str> {
    arena.child(module, F::Name.into()).map(|name| arena.slice(name))
}

/// All `mod` items of a document.
pub(crate) fn declarations(arena: &Arena) -> Vec<Declaration> {
    let modules = arena.nodes().filter(|(_, node)| node.kind == K::MODULE.into());
    let declaration = |node: NodeIndex| {
        let mut names = modules_around(arena, node);
        names.push(plain(module_name(arena, node)?).to_owned());
        Some(Declaration {
            names,
            path: path_attribute(arena, node).map(|node| text_of(arena, node).to_owned()),
            is_inline: child(arena, node, K::ITEM_LIST).is_some(),
            conditions: conditions(arena, node),
            node,
        })
    };
    modules.filter_map(|(node, _)| declaration(node)).collect()
}

/// The `#[cfg(…)]` attributes of an item, as code.
fn conditions(arena: &Arena, item: NodeIndex) -> Vec<String> {
    let attributes = arena.children(item).filter(|node| has_kind(arena, *node, K::ATTR)).map(|node| arena.slice(node));
    attributes.filter(|text| text.starts_with("#[cfg(")).map(str::to_owned).collect()
}

/// The node of the string in `#[path = "…"]`.
pub(crate) fn path_attribute(arena: &Arena, module: NodeIndex) -> Option<NodeIndex> {
    let attributes = arena.children(module).filter(|node| has_kind(arena, *node, K::ATTR));
    let value = |attribute: NodeIndex| {
        let meta = child(arena, attribute, K::KEY_VALUE_META)?;
        let name = arena.children(meta).next()?;
        (arena.slice(name) == "path").then(|| child(arena, meta, K::LITERAL)).flatten()
    };
    attributes.into_iter().find_map(value)
}

fn text_of(arena: &Arena, literal: NodeIndex) -> &str {
    arena.slice(literal).trim_matches('"')
}

pub(crate) fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The name of a file without its extension.
pub(crate) fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.strip_suffix(".rs").unwrap_or(name)
}

/// Returns whether a file is the root of a crate, by the conventions of Cargo and the paths in the manifest.
pub(crate) fn is_root(file: &str) -> bool {
    memo::once(|memo| &mut memo.roots, &file.to_owned(), || is_root_by_name(file))
}

fn is_root_by_name(file: &str) -> bool {
    let around = folder(file);
    let package = |folder: &str| is_file(&below(folder, "Cargo.toml"));
    match file_name(file) {
        "lib.rs" | "main.rs" => true,
        "build.rs" => package(around),
        name => {
            let is_in_package = match file_name(around) {
                "bin" => file_name(folder(around)) == "src" && package(folder(folder(around))),
                own => ROOT_FOLDERS.contains(&own) && package(folder(around)),
            };
            is_in_package && name != "mod.rs" || is_in_manifest(file)
        }
    }
}

/// Returns whether other crates may use the crate of a file: its root is not that of a program, test, example or
/// benchmark. True if the crate is not known.
pub(crate) fn is_in_library(file: &str) -> bool {
    let is_program = |root: String| match file_name(&root) {
        "lib.rs" => false,
        "main.rs" | "build.rs" => true,
        _ => ROOT_FOLDERS.contains(&file_name(folder(&root))),
    };
    !root_of(file).is_some_and(is_program)
}

/// The folder of the package that contains a file.
pub(crate) fn package(file: &str) -> Option<&str> {
    folders_around(file).find(|folder| is_file(&below(folder, "Cargo.toml")))
}

/// The manifest of the package that contains a file.
pub(crate) fn manifest_of(file: &str) -> Option<String> {
    package(file).map(|package| below(package, "Cargo.toml"))
}

/// The folder that contains all files of a file's crate.
pub(crate) fn crate_folder(file: &str) -> String {
    match module_path(file) {
        Some((root, _)) => folder(&root).to_owned(),
        None => package(file).unwrap_or_default().to_owned(),
    }
}

fn is_in_manifest(file: &str) -> bool {
    let Some(package) = package(file) else { return false };
    let text = workspace::read(&below(package, "Cargo.toml")).unwrap_or_default();
    let value = |line: &str| {
        line.trim()
            .strip_prefix("path")?
            .trim()
            .strip_prefix('=')
            .map(|value| value.trim().trim_matches('"').to_owned())
    };
    text.lines().filter_map(value).any(|path| join(package, &path).as_deref() == Some(file))
}

/// The folder that contains the files of the modules that a file declares.
pub(crate) fn folder_of_children(file: &str, is_root: bool) -> String {
    if is_root || file_name(file) == "mod.rs" { folder(file).to_owned() } else { below(folder(file), stem(file)) }
}

/// The possible paths of the file of a `mod` item, the most common one first.
pub(crate) fn candidates(file: &str, is_root: bool, declaration: &Declaration) -> Vec<String> {
    let outer = declaration.names.split_last().map_or(&[][..], |(_, outer)| outer);
    let children = folder_of_children(file, is_root);
    if let Some(path) = &declaration.path {
        let start = if outer.is_empty() { folder(file).to_owned() } else { below(&children, &outer.join("/")) };
        return join(&start, path).into_iter().collect();
    }
    let path = below(&children, &declaration.names.join("/"));
    vec![format!("{path}.rs"), format!("{path}/mod.rs")]
}

/// The file of a `mod` item. `None` if the file does not exist or the module is inline.
pub(crate) fn file_of(file: &str, declaration: &Declaration) -> Option<String> {
    if declaration.is_inline {
        return None;
    }
    candidates(file, is_root(file), declaration).into_iter().find(|path| is_file(path))
}

/// A position in the module tree: a file, and the path of an inline module in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Module {
    pub(crate) file: String,
    pub(crate) inline: Vec<String>,
}

impl Module {
    pub(crate) fn of_file(file: &str) -> Module {
        Module { file: file.to_owned(), inline: Vec::new() }
    }
}

/// The file that declares the module of a file, and the names in the declaration.
pub(crate) fn parent(file: &str) -> Option<Place> {
    memo::once(|memo| &mut memo.parents, &file.to_owned(), || find_parent(file))
}

fn find_parent(file: &str) -> Option<Place> {
    if is_root(file) {
        return None;
    }
    let own = if file_name(file) == "mod.rs" { folder(file) } else { file };
    for around in std::iter::once(folder(own)).chain(folders_around(folder(own))) {
        for candidate in parent_candidates(around) {
            let outline = outline_of(&candidate);
            let declares = |declaration: &&Declaration| file_of(&candidate, declaration).as_deref() == Some(file);
            if candidate != file
                && let Some(declaration) = outline.declarations.iter().find(declares)
            {
                return Some((candidate, declaration.names.clone()));
            }
        }
        if is_file(&below(around, "Cargo.toml")) {
            return None;
        }
    }
    None
}

/// The existing files that may declare modules whose files are in a folder.
fn parent_candidates(around: &str) -> Vec<String> {
    let mut found = vec![below(around, "mod.rs")];
    if !around.is_empty() {
        found.push(format!("{around}.rs"));
    }
    found.extend(["lib.rs", "main.rs"].map(|name| below(around, name)));
    if ROOT_FOLDERS.contains(&file_name(around)) {
        let entries = workspace::entries(around).into_iter().filter(|entry| entry.name.ends_with(".rs"));
        found.extend(entries.map(|entry| below(around, &entry.name)));
    }
    found.retain(|path| is_file(path));
    found
}

/// The root of a file's crate, and the names from there to the file's module.
pub(crate) fn module_path(file: &str) -> Option<Place> {
    memo::once(|memo| &mut memo.places, &file.to_owned(), || find_module_path(file))
}

fn find_module_path(file: &str) -> Option<Place> {
    let (mut at, mut names) = (file.to_owned(), Vec::new());
    for _ in 0..MAX_DEPTH {
        let Some((outer, own)) = parent(&at) else {
            return is_root(&at).then_some((at, names));
        };
        names.splice(0..0, own);
        at = outer;
    }
    None
}

/// The `#[cfg(…)]` conditions of the `mod` item of a file, and of all modules around it.
pub(crate) fn conditions_of(file: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut at = file.to_owned();
    for _ in 0..MAX_DEPTH {
        let Some((outer, names)) = parent(&at) else { break };
        let outline = outline_of(&outer);
        let on_path = outline.declarations.iter().filter(|declaration| names.starts_with(&declaration.names));
        found.extend(on_path.flat_map(|declaration| declaration.conditions.iter().cloned()));
        at = outer;
    }
    found
}

/// The path of a file or folder after the moves.
pub(crate) fn moved_path(path: &str, moves: &[Move]) -> String {
    let nearest = moves.iter().filter_map(|one| Some((one, relative_to(&one.from, path)?)));
    match nearest.max_by_key(|(one, _)| one.from.len()) {
        Some((one, "")) => one.to.clone(),
        Some((one, rest)) => join(&one.to, rest).unwrap_or_else(|| path.to_owned()),
        None => path.to_owned(),
    }
}

/// The path before the moves of a file that is at `path` after them. `None` if no file is at that path after the moves.
fn path_before(path: &str, moves: &[Move]) -> Option<String> {
    let is_it = |before: &String| is_file(before) && moved_path(before, moves) == path;
    let mut back: Vec<&Move> = moves.iter().filter(|one| relative_to(&one.to, path).is_some()).collect();
    back.sort_by_key(|one| std::cmp::Reverse(one.to.len()));
    // A file may be in the destination of a folder without having moved with the folder, so each candidate is verified.
    let origins = back.into_iter().map(|one| match relative_to(&one.to, path) {
        Some(rest) if !rest.is_empty() => below(&one.from, rest),
        _ => one.from.clone(),
    });
    origins.chain([path.to_owned()]).find(is_it)
}

/// Returns whether a file exists after the moves.
fn exists_after(path: &str, moves: &[Move]) -> bool {
    path_before(path, moves).is_some()
}

/// Returns whether the `mod` item of a module still resolves to the module's file after the moves.
pub(crate) fn stays_declared(file: &str, declaration: &Declaration, target: &str, moves: &[Move]) -> bool {
    let moved = moved_path(file, moves);
    let is_root = is_root(file);
    let there = candidates(&moved, is_root, declaration);
    there.into_iter().find(|path| exists_after(path, moves)) == Some(moved_path(target, moves))
}

/// The file that by convention declares the module of a moved file. Returns its path before the moves, or `None` if no
/// file can declare the module. If a folder has both a library and a program, the result is the crate with this root.
pub(crate) fn new_parent(moved: &str, root: Option<&str>, moves: &[Move]) -> Option<String> {
    let own = if file_name(moved) == "mod.rs" { folder(moved) } else { moved };
    let around = folder(own);
    let mut candidates = vec![below(around, "mod.rs")];
    if !around.is_empty() {
        candidates.push(format!("{around}.rs"));
    }
    candidates.extend(["lib.rs", "main.rs"].map(|name| below(around, name)));
    let mut found = candidates.iter().filter(|path| *path != moved).filter_map(|path| path_before(path, moves));
    let first = found.next()?;
    let is_of_root = |path: &String| root == Some(path.as_str());
    if is_root(&first) { Some(found.find(is_of_root).unwrap_or(first)) } else { Some(first) }
}

/// The root of the crate of a file.
pub(crate) fn root_of(file: &str) -> Option<String> {
    module_path(file).map(|(root, _)| root)
}

/// The module name that the path of a file implies.
pub(crate) fn conventional_name(path: &str) -> &str {
    if file_name(path) == "mod.rs" { file_name(folder(path)) } else { stem(path) }
}

/// The root and the names of a file's module after the moves. `file` is its path before them. The result is cached,
/// because all requests in a call have the same moves.
pub(crate) fn module_path_after(file: &str, moves: &[Move]) -> Option<Place> {
    memo::once(|memo| &mut memo.places_after, &file.to_owned(), || find_module_path_after(file, moves))
}

fn find_module_path_after(file: &str, moves: &[Move]) -> Option<Place> {
    let (mut at, mut names) = (file.to_owned(), Vec::new());
    for _ in 0..MAX_DEPTH {
        let moved = moved_path(&at, moves);
        let Some((outer, own)) = parent(&at) else {
            return is_root(&at).then_some((at, names));
        };
        let outline = outline_of(&outer);
        let declaration = outline.declarations.iter().find(|declaration| declaration.names == own)?;
        if stays_declared(&outer, declaration, &at, moves) {
            names.splice(0..0, own);
            at = outer;
        } else if declaration.path.is_some() {
            // A `#[path]` attribute is updated to the new path of the file, so the module stays where it is declared.
            names.splice(0..0, own);
            at = outer;
        } else {
            names.insert(0, conventional_name(&moved).to_owned());
            at = new_parent(&moved, root_of(&outer).as_deref(), moves)?;
        }
    }
    None
}

/// The block with the top-level items of the file. `None` if the document has no items.
pub(crate) fn top_block(document: &CodeDocument) -> Option<NodeIndex> {
    let (arena, language) = (document.arena(), document.language());
    arena.children(ROOT).find(|node| language.is_block(arena, *node))
}
