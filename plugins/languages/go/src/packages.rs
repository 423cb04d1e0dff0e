//! Modules and packages of the workspace: the folder of an import, the import path of a folder, and the names that the
//! files of a package declare.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use marquetry_code::{Arena, CodeDocument, NodeIndex};
use marquetry_sdk::{
    paths::{file_name, folder, folders_around, join, relative_to},
    workspace::{self, EntryKind},
};

use crate::{
    imports::{Import, conventional_name, imports},
    kinds::{F, K, child, children, has_kind},
    memo,
    names::{BindingKind, Names},
    table::{GO, embedded_name, receiver_type},
};

/// Maximum number of cached outlines.
const MAX_KNOWN: usize = 4000;
/// Maximum number of files that are read for a package.
const MAX_FILES: usize = 3000;

/// The names of a file.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The name in the package clause.
    pub(crate) package: String,
    /// Names at the top level, each with the offsets of its declarations.
    pub(crate) declared: BTreeMap<String, Vec<u32>>,
    /// The names in `declared` that are types.
    pub(crate) types: BTreeSet<String>,
    /// Fields and methods of types, and methods of interfaces.
    pub(crate) members: Vec<Member>,
    /// The types that types embed, as pairs of the embedded type's name and the name of the type around it.
    pub(crate) embedded: Vec<(String, String)>,
    pub(crate) imports: Vec<Import>,
    /// Names that the file uses and does not bind.
    pub(crate) free: HashSet<String>,
    /// Names after a dot, each as a pair with the name before the dot.
    pub(crate) selected: HashSet<(String, String)>,
}

/// A field, method or method of an interface.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// The type that the member belongs to; empty for a type without a name.
    pub(crate) of: String,
    pub(crate) offset: u32,
    pub(crate) kind: MemberKind,
}

/// The kind of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberKind {
    Field,
    /// An embedded field, which is named after its type.
    Embedded,
    Method,
    /// A method of an interface.
    Abstract,
}

thread_local! {
    static KNOWN: RefCell<HashMap<String, (u64, Rc<Outline>)>> = RefCell::default();
}

/// The names of a file of the workspace.
pub(crate) fn outline_of(path: &str) -> Rc<Outline> {
    memo::once(|memo| &mut memo.outlines, &path.to_owned(), || current_outline(path))
}

/// The version of a file's text.
pub(crate) fn version(path: &str) -> Option<u64> {
    memo::once(|memo| &mut memo.versions, &path.to_owned(), || workspace::version(path))
}

fn current_outline(path: &str) -> Rc<Outline> {
    let Some(version) = version(path) else { return Rc::default() };
    let known =
        KNOWN.with_borrow(|known| known.get(path).filter(|(own, _)| *own == version).map(|(_, own)| Rc::clone(own)));
    if let Some(known) = known {
        return known;
    }
    let text = workspace::read(path).unwrap_or_default();
    let found = Rc::new(outline(&CodeDocument::open(&GO, path, text)));
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(path.to_owned(), (version, Rc::clone(&found)));
    });
    found
}

/// The names of a document.
pub(crate) fn outline(document: &CodeDocument) -> Outline {
    let arena = document.arena();
    let names = Names::new(arena);
    let mut found = Outline {
        package: package_clause(arena).unwrap_or_default(),
        imports: imports(document),
        ..Outline::default()
    };
    for place in names.places.iter().filter(|place| place.usage == marquetry_sdk::Usage::Declaration) {
        let Some(binding) = place.binding.map(|index| &names.bindings[index]) else { continue };
        if binding.kind == BindingKind::Package {
            found.declared.entry(binding.name.clone()).or_default().push(place.span.start);
            if has_kind(arena, arena.node(place.node).parent, K::Type) {
                found.types.insert(binding.name.clone());
            }
        }
    }
    for (node, own) in arena.nodes() {
        if own.kind == K::Field.into() || own.kind == K::ElemEmbed.into() {
            let name = embedded_name(arena, node).map(|name| arena.slice(name).to_owned());
            found.embedded.extend(name.map(|name| (name, owner_name(arena, node))));
        }
        let kind = match () {
            () if own.kind == K::Method.into() => MemberKind::Method,
            () if own.kind == K::ElemMethod.into() => MemberKind::Abstract,
            () if own.kind == K::Field.into() => MemberKind::Field,
            () => continue,
        };
        let of = owner_name(arena, node);
        let embedded = (kind == MemberKind::Field).then(|| embedded_name(arena, node)).flatten();
        let kind = if embedded.is_some() { MemberKind::Embedded } else { kind };
        let own_names = children(arena, node, K::Name).chain(embedded);
        found.members.extend(own_names.map(|name| Member {
            name: arena.slice(name).to_owned(),
            of: of.clone(),
            offset: arena.node(name).span.start,
            kind,
        }));
    }
    let free = names.places.iter().filter(|place| place.binding.is_none());
    found.free = free.map(|place| arena.slice(place.node).to_owned()).collect();
    let after_dots = names.members.iter().filter(|member| !member.is_declaration);
    let pairs = after_dots.filter_map(|member| {
        let left =
            arena.children(arena.node(member.node).parent).next().filter(|left| has_kind(arena, *left, K::NameRef));
        Some((arena.slice(left?).to_owned(), arena.slice(member.node).to_owned()))
    });
    found.selected = pairs.collect();
    found
}

/// The name of the type that a member belongs to; empty for a type without a name.
fn owner_name(arena: &Arena, member: NodeIndex) -> String {
    if has_kind(arena, member, K::Method) {
        return receiver_type(arena, member).map(|name| arena.slice(name).to_owned()).unwrap_or_default();
    }
    let around = arena.node(arena.node(member).parent).parent;
    let name = arena.child(around, F::Name.into()).filter(|_| has_kind(arena, around, K::Type));
    name.map(|name| arena.slice(name).to_owned()).unwrap_or_default()
}

/// The name in the package clause.
pub(crate) fn package_clause(arena: &Arena) -> Option<String> {
    let node = package_name_node(arena)?;
    Some(arena.slice(node).to_owned())
}

/// The node of the name in the package clause.
pub(crate) fn package_name_node(arena: &Arena) -> Option<NodeIndex> {
    let file = child(arena, 0, K::File)?;
    arena.child(child(arena, file, K::Package)?, F::Name.into())
}

/// A module: its root folder and its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Module {
    pub(crate) root: String,
    pub(crate) path: String,
    /// Modules that `replace` directives map to folders, as pairs of path and folder.
    replaced: Vec<(String, String)>,
}

/// The module that contains a folder.
pub(crate) fn module_of(own: &str) -> Option<Module> {
    memo::once(|memo| &mut memo.modules, &own.to_owned(), || find_module(own))
}

fn find_module(own: &str) -> Option<Module> {
    let inside = format!("{own}/_");
    let around = folders_around(inside.trim_start_matches('/'));
    let mut manifests = around.map(|root| (root, workspace::read(&below(root, "go.mod"))));
    let (root, text) = manifests.find_map(|(root, text)| Some((root, text.ok()?)))?;
    read_module(root, &text)
}

/// A path below a folder.
pub(crate) fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The module path that a manifest (`go.mod`) declares.
pub(crate) fn module_path(text: &str) -> Option<String> {
    directives(text, "module").into_iter().next()?.into_iter().next()
}

fn read_module(root: &str, text: &str) -> Option<Module> {
    let path = module_path(text)?;
    Some(Module { root: root.to_owned(), path, replaced: replacements(root, text) })
}

/// The directives of a manifest with a keyword, on one line or in a block. Each is the list of the words after the
/// keyword.
fn directives(text: &str, keyword: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let own = match words[..] {
            [")"] => {
                in_block = false;
                continue;
            }
            [first, "("] => {
                in_block = first == keyword;
                continue;
            }
            [first, ref rest @ ..] if first == keyword => rest,
            [_, ..] if in_block => &words[..],
            _ => continue,
        };
        found.push(own.iter().map(|word| word.trim_matches(['"', '`']).to_owned()).collect());
    }
    found
}

/// The modules that the `replace` directives of a manifest map to folders.
fn replacements(root: &str, text: &str) -> Vec<(String, String)> {
    let read = |words: Vec<String>| {
        let arrow = words.iter().position(|word| word == "=>")?;
        let target = words.get(arrow + 1).filter(|target| target.starts_with("./") || target.starts_with("../"))?;
        Some((words.first()?.clone(), join(root, target)?))
    };
    directives(text, "replace").into_iter().filter_map(read).collect()
}

/// The modules of the Go workspace (`go.work`) around a folder, and the modules that `go.work` replaces.
fn workspace_modules(own: &str) -> Vec<(String, String)> {
    let around = folders_around(own).chain([own]);
    let Some((root, text)) =
        around.into_iter().find_map(|root| Some((root, workspace::read(&below(root, "go.work")).ok()?)))
    else {
        return Vec::new();
    };
    let used = directives(&text, "use").into_iter().filter_map(|words| join(root, words.first()?));
    let modules = used.filter_map(|root| {
        let text = workspace::read(&below(&root, "go.mod")).ok()?;
        Some((read_module(&root, &text)?.path, root))
    });
    modules.chain(replacements(root, &text)).collect()
}

/// The destination of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// The folder of a package of the workspace.
    Folder(String),
    /// A folder that may contain the package: the import path ends with the path of this folder, but no manifest names
    /// the module.
    Possible(String),
    /// The folder in which the package should be. It does not exist or has no Go files.
    Missing(String),
    Elsewhere,
}

/// Finds the folder of an import of a file.
pub(crate) fn resolve(file: &str, path: &str) -> Found {
    let own = folder(file);
    if path.starts_with("./") || path.starts_with("../") {
        return join(own, path).map_or(Found::Elsewhere, to_found);
    }
    let Some(module) = module_of(own) else { return possible_folder(path).map_or(Found::Elsewhere, Found::Possible) };
    let mut roots: Vec<(String, String)> = vec![(module.path.clone(), module.root.clone())];
    roots.extend(module.replaced.iter().cloned());
    roots.extend(workspace_modules(&module.root));
    // Several modules may contain the import; the module with the longest path wins.
    let rest = |known: &str| path.strip_prefix(known).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let best = roots.iter().filter_map(|(known, root)| Some((known.len(), root, rest(known)?))).max_by_key(|one| one.0);
    if let Some((_, root, rest)) = best {
        return to_found(below(root, rest.trim_start_matches('/')).trim_end_matches('/').to_owned());
    }
    let vendored = below(&below(&module.root, "vendor"), path);
    if workspace::stat(&vendored) == Some(EntryKind::Directory) { Found::Folder(vendored) } else { Found::Elsewhere }
}

/// The folder with Go files whose path is the longest suffix of an import path.
fn possible_folder(path: &str) -> Option<String> {
    let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    let mut folders = std::iter::once(path).chain(ends).filter(|end| !end.is_empty());
    folders.find(|end| !files_of(end).is_empty()).map(str::to_owned)
}

fn to_found(folder: String) -> Found {
    match workspace::stat(&folder) {
        Some(EntryKind::Directory) if !files_of(&folder).is_empty() => Found::Folder(folder),
        _ if folder.is_empty() => Found::Folder(folder),
        _ => Found::Missing(folder),
    }
}

/// The import path of a folder.
pub(crate) fn import_path(own: &str) -> Option<String> {
    let module = module_of(own)?;
    let rest = relative_to(&module.root, own)?;
    Some(if rest.is_empty() { module.path } else { format!("{}/{rest}", module.path) })
}

/// The Go files of a folder.
pub(crate) fn files_of(own: &str) -> Vec<String> {
    memo::once(|memo| &mut memo.files, &own.to_owned(), || list_files(own))
}

fn list_files(own: &str) -> Vec<String> {
    let entries = workspace::entries(own).into_iter().filter(|entry| entry.kind == EntryKind::File);
    let names = entries.map(|entry| entry.name).filter(|name| name.ends_with(".go"));
    names.take(MAX_FILES).map(|name| below(own, &name)).collect()
}

/// The files of a folder whose package clause has this name.
pub(crate) fn package_files(own: &str, package: &str) -> Vec<String> {
    let find = || files_of(own).into_iter().filter(|file| outline_of(file).package == package).collect();
    memo::once(|memo| &mut memo.packages, &(own.to_owned(), package.to_owned()), find)
}

/// The name of the package that files import from a folder, without the package of its external tests.
pub(crate) fn package_name(own: &str) -> Option<String> {
    memo::once(|memo| &mut memo.names, &own.to_owned(), || find_package_name(own))
}

fn find_package_name(own: &str) -> Option<String> {
    let files = files_of(own);
    let (tests, code): (Vec<&String>, Vec<&String>) = files.iter().partition(|file| file.ends_with("_test.go"));
    let name = |file: &&String| Some(outline_of(file).package.clone()).filter(|name| !name.is_empty());
    // Files that the build ignores may have the package `main` or `documentation`; another package wins over these.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    code.iter().filter_map(name).for_each(|name| *counts.entry(name).or_default() += 1);
    let most = counts.into_iter().max_by_key(|(name, count)| (name != "main" && name != "documentation", *count));
    let of_tests = || tests.iter().find_map(name).map(|name| name.trim_end_matches("_test").to_owned());
    most.map(|(name, _)| name).or_else(of_tests)
}

/// The name by which a file refers to an import.
pub(crate) fn local_name(file: &str, import: &Import) -> String {
    if let Some((alias, _)) = &import.alias {
        return alias.clone();
    }
    let own = match resolve(file, &import.path) {
        Found::Folder(folder) => package_name(&folder),
        Found::Possible(_) | Found::Missing(_) | Found::Elsewhere => None,
    };
    own.unwrap_or_else(|| conventional_name(&import.path).to_owned())
}

/// Returns whether a path is a Go file.
pub(crate) fn is_go(path: &str) -> bool {
    path.ends_with(".go")
}

/// The name of a package that is named after its folder. `None` if the folder's name cannot be converted to an
/// identifier.
pub(crate) fn name_of_folder(own: &str) -> Option<String> {
    let name: String = conventional_name(file_name(own)).chars().filter(|c| *c != '-' && *c != '.').collect();
    crate::table::check_name(&name).is_ok().then_some(name)
}

#[cfg(test)]
mod tests {
    use marquetry_sdk::workspace::set_files;

    use super::{Found, import_path, local_name, package_name, resolve};
    use crate::imports::Import;

    #[test]
    fn imports_are_folders_of_modules() {
        let files = [
            ("go.work", "go 1.24\nuse (\n\t./shop // main\n\t./base\n)\n"),
            (
                "shop/go.mod",
                "module \"example.com/shop\" // c\n\ngo 1.24\n\nrequire x.org/y v1.0.0\nreplace (\n\told.org/z v1.2.3 => ../forks/z\n)\nreplace x.org/y => x.org/w v1\n",
            ),
            ("shop/shop.go", "package shop\n"),
            ("shop/internal/cart/a.go", "package cart\n"),
            ("shop/internal/cart/a_test.go", "package cart_test\n"),
            ("shop/internal/cart/gen.go", "package main\n"),
            ("shop/vendor/v.org/a/a.go", "package a\n"),
            ("base/go.mod", "module example.com/base/v2\n"),
            ("base/text/go-text.go", "package words\n"),
            ("forks/z/go.mod", "module old.org/z\n"),
            ("forks/z/b/b.go", "package b\n"),
        ];
        set_files(files.map(|(path, text)| (path.to_owned(), text.to_owned())));
        let check = |path: &str, expected: Found| assert_eq!(resolve("shop/cmd/main.go", path), expected, "{path}");
        let folder = |path: &str| Found::Folder(path.to_owned());
        check("example.com/shop", folder("shop"));
        check("example.com/shop/internal/cart", folder("shop/internal/cart"));
        check("example.com/shop/none", Found::Missing("shop/none".to_owned()));
        check("example.com/base/v2/text", folder("base/text"));
        check("old.org/z/b", folder("forks/z/b"));
        check("v.org/a", folder("shop/vendor/v.org/a"));
        for path in ["fmt", "x.org/y", "example.com/shopping"] {
            check(path, Found::Elsewhere);
        }
        assert_eq!(import_path("shop/internal/cart").as_deref(), Some("example.com/shop/internal/cart"));
        assert_eq!(import_path("shop").as_deref(), Some("example.com/shop"));
        assert_eq!(import_path("none"), None);
        assert_eq!(
            resolve("forks/none.go", "a.org/shop/internal/cart"),
            Found::Possible("shop/internal/cart".to_owned())
        );
        assert_eq!(resolve("forks/none.go", "fmt"), Found::Elsewhere);
        assert_eq!(package_name("shop/internal/cart").as_deref(), Some("cart"));
        let import =
            |path: &str| Import { node: 0, path: path.to_owned(), span: marquetry_sdk::Span::at(0), alias: None };
        assert_eq!(local_name("shop/a.go", &import("example.com/base/v2/text")), "words");
        assert_eq!(local_name("shop/a.go", &import("gopkg.in/yaml.v3")), "yaml");
        assert_eq!(local_name("shop/a.go", &import("github.com/x/go-y/v2")), "y");
    }
}
