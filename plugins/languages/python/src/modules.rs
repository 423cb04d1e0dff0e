//! The files of modules, and the module names of files.

use marquetry_sdk::{
    paths::{file_name, folder, folders_around, join, relative_to},
    workspace::{self, EntryKind},
};

use crate::{
    memo,
    requirements::{is_installed, is_standard},
};

/// A module of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Module {
    /// The file of the module; the folder of a package without `__init__.py`.
    pub(crate) path: String,
    /// The folder from which absolute imports of the module are resolved.
    pub(crate) root: String,
}

/// The result of the search for a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// A module of the workspace.
    Inside(Module),
    /// A module that is missing in the workspace: the path that its file should have.
    Missing(String),
    /// A module of another project or of the standard library.
    External,
}

/// The file names of a package module.
const PACKAGES: [&str; 2] = ["__init__.py", "__init__.pyi"];
/// Files of a project that is installed as a package.
const PROJECT_FILES: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];
/// The file extensions of a module.
const ENDINGS: [&str; 2] = [".py", ".pyi"];

fn is_file(path: &str) -> bool {
    workspace::stat(path) == Some(EntryKind::File)
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns whether a folder has the file of a package.
pub(crate) fn is_package(folder: &str) -> bool {
    PACKAGES.iter().any(|name| is_file(&below(folder, name)))
}

/// Returns whether a folder contains module files. It need not be a package.
fn has_modules(folder: &str) -> bool {
    workspace::stat(folder) == Some(EntryKind::Directory)
        && workspace::entries(folder).iter().any(|entry| ENDINGS.iter().any(|ending| entry.name.ends_with(ending)))
}

/// Returns whether a folder has the files of a project.
fn is_project(folder: &str) -> bool {
    PROJECT_FILES.iter().any(|name| is_file(&below(folder, name)))
}

/// The folders from which absolute imports of a file may be resolved, the most likely first: the folders around it that
/// are not packages, each with its subfolder `src`.
pub(crate) fn roots(from: &str) -> Vec<String> {
    let mut roots: Vec<String> = Vec::new();
    let mut add = |root: String| {
        if !roots.contains(&root) {
            roots.push(root);
        }
    };
    for around in folders_around(from).filter(|around| !is_package(around)) {
        add(around.to_owned());
        add(below(around, "src"));
    }
    roots
}

/// The roots of a file that contain a module or folder with this name. A folder without the file of a package is not a
/// module if it is a project, or if the standard library has the module.
fn roots_with(from: &str, name: &str) -> Vec<String> {
    let contains = |root: &String| {
        let path = below(root, name);
        let is_folder = || workspace::stat(&path) == Some(EntryKind::Directory) && !is_standard(name);
        ENDINGS.iter().any(|ending| is_file(&format!("{path}{ending}")))
            || is_package(&path)
            || is_folder() && !is_project(&path)
    };
    let key = (folder(from).to_owned(), name.to_owned());
    memo::once(|memo| &mut memo.roots, &key, || roots(from).into_iter().filter(contains).collect())
}

/// The file or folder of the module with these name parts below a folder.
fn find_below(root: &str, parts: &[&str]) -> Option<String> {
    let path = below(root, &parts.join("/"));
    if parts.is_empty() {
        let package = PACKAGES.iter().map(|name| below(root, name)).find(|path| is_file(path));
        return package.or_else(|| has_modules(root).then(|| root.to_owned()));
    }
    let package = PACKAGES.iter().map(|name| below(&path, name)).find(|path| is_file(path));
    let module = || ENDINGS.iter().map(|ending| format!("{path}{ending}")).find(|path| is_file(path));
    package.or_else(module).or_else(|| has_modules(&path).then(|| path.clone()))
}

/// The number of leading dots, and the name parts after them.
fn split(module: &str) -> (usize, Vec<&str>) {
    let names = module.trim_start_matches('.');
    (module.len() - names.len(), names.split('.').filter(|name| !name.is_empty()).collect())
}

/// The folder from which a relative import with this number of dots is resolved.
fn base(from: &str, dots: usize) -> Option<String> {
    let mut at = folder(from).to_owned();
    for _ in 1..dots {
        if at.is_empty() {
            return None;
        }
        at = folder(&at).to_owned();
    }
    Some(at)
}

/// Finds a module by the name that a file imports.
pub(crate) fn resolve(from: &str, module: &str) -> Found {
    let (dots, parts) = split(module);
    if dots > 0 {
        let Some(base) = base(from, dots) else { return Found::External };
        return match find_below(&base, &parts) {
            Some(path) => Found::Inside(Module { root: root_of(&path), path }),
            None if parts.is_empty() => Found::External,
            None => Found::Missing(format!("{}.py", below(&base, &parts.join("/")))),
        };
    }
    if parts.is_empty() {
        return Found::External;
    }
    let roots = roots_with(from, parts[0]);
    let found = roots.iter().find_map(|root| Some((root, find_below(root, &parts)?)));
    if let Some((root, path)) = found {
        return Found::Inside(Module { path, root: root.clone() });
    }
    // Python prefers an installed package to a folder without the file of a package.
    let is_module = |root: &&String| match find_below(root, &parts[..1]) {
        Some(path) => is_file(&path) || !is_installed(from, parts[0]),
        None => false,
    };
    if let Some(root) = roots.iter().find(is_module).filter(|_| parts.len() > 1) {
        return Found::Missing(format!("{}.py", below(root, &parts.join("/"))));
    }
    let here = folder(from);
    // Python searches the folder of a package only if the file is run as a script. So a library with this name, which
    // the project installs, is found before a module of the package.
    let is_library = || is_standard(parts[0]) || is_installed(from, parts[0]);
    match find_below(here, &parts).filter(|_| is_package(here) && !is_library()) {
        Some(path) => Found::Inside(Module { path, root: here.to_owned() }),
        None => Found::External,
    }
}

/// The files whose names a file may import from a module, including stubs. Empty if the module may be in other files.
pub(crate) fn certain_files(from: &str, module: &str) -> Vec<String> {
    let (dots, parts) = split(module);
    let mut paths: Vec<String> = match (dots, parts.first()) {
        (0, Some(first)) if !is_standard(first) => {
            let roots = roots_with(from, first);
            let is_source = |root: &String| is_project(root) || (file_name(root) == "src" && is_project(folder(root)));
            let is_library = !roots.is_empty() && !roots.iter().any(is_source) && is_installed(from, first);
            roots.iter().filter(|_| !is_library).filter_map(|root| find_below(root, &parts)).collect()
        }
        (0, _) => Vec::new(),
        _ => match resolve(from, module) {
            Found::Inside(module) => vec![module.path],
            Found::Missing(_) | Found::External => Vec::new(),
        },
    };
    if !paths.iter().all(|path| is_file(path)) {
        return Vec::new();
    }
    let stubs: Vec<String> = paths.iter().map(|path| format!("{path}i")).filter(|stub| is_file(stub)).collect();
    paths.extend(stubs);
    paths
}

/// Returns whether a package has a file or folder with the name of a module, such as an extension that is not written
/// in Python.
pub(crate) fn has_entry(package: &str, name: &str) -> bool {
    let is_it = |entry: &str| entry.split('.').next() == Some(name);
    file_name(package).starts_with("__init__.")
        && workspace::entries(folder(package)).iter().any(|one| is_it(&one.name))
}

/// The folder that contains the outermost package of a file.
pub(crate) fn root_of(path: &str) -> String {
    folders_around(path).find(|around| !is_package(around)).unwrap_or_default().to_owned()
}

/// The name parts of a file as a module below a folder. `None` if the file is not below the folder, or a part is not an
/// identifier.
pub(crate) fn names_below<'p>(root: &str, path: &'p str) -> Option<Vec<&'p str>> {
    let rest = relative_to(root, path)?;
    let rest = ENDINGS.iter().find_map(|ending| rest.strip_suffix(ending)).unwrap_or(rest);
    let rest = if file_name(rest) == "__init__" { folder(rest) } else { rest };
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    parts.iter().all(|part| crate::table::check_name(part).is_ok()).then_some(parts)
}

/// The module name that the file `from` can import: a relative or an absolute name.
pub(crate) fn module_name(from: &str, to: &Module, is_relative: bool) -> Option<String> {
    if is_relative && let Some(relative) = relative_name(from, &to.path) {
        return Some(relative);
    }
    let names = names_below(&to.root, &to.path)?;
    (!names.is_empty()).then(|| names.join("."))
}

fn relative_name(from: &str, to: &str) -> Option<String> {
    let here = folder(from);
    // A module at the root of the workspace is in no package.
    if here.is_empty() && !is_package(here) {
        return None;
    }
    for (up, around) in std::iter::once(here).chain(folders_around(here)).enumerate() {
        // A relative import cannot leave the outermost package.
        if up > 0 && (around.is_empty() || (is_package(here) && !is_package(around))) {
            return None;
        }
        if let Some(names) = names_below(around, to) {
            return Some(format!("{}{}", ".".repeat(up + 1), names.join(".")));
        }
    }
    None
}

/// A move of a file or folder in one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The path before.
    pub from: String,
    /// The path after.
    pub to: String,
}

/// The folders that must become packages for a moved module. If the module was in a package, these are the folders
/// around its new path that the move creates.
pub(crate) fn new_packages(from: &str, to: &str, moves: &[Move]) -> Vec<String> {
    if from == to || !is_package(folder(from)) {
        return Vec::new();
    }
    // If a whole folder moves, its package file moves with it.
    let is_moved = |folder: &str| moves.iter().any(|one| relative_to(&one.to, folder).is_some());
    let is_new = |around: &&str| !around.is_empty() && workspace::stat(around).is_none() && !is_moved(around);
    // If a moved module becomes the package file of a new folder, that folder is a package already.
    let gets_package = |around: &str| moves.iter().any(|one| PACKAGES.iter().any(|name| one.to == below(around, name)));
    let new = folders_around(to).take_while(is_new).filter(|around| !gets_package(around));
    new.map(str::to_owned).collect()
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

/// A module after the moves. Its name keeps the parts before the package, unless the module moves into a source folder
/// or out of its root.
pub(crate) fn moved_module(module: &Module, moves: &[Move]) -> Module {
    let path = moved_path(&module.path, moves);
    let root = moved_path(&module.root, moves);
    let outer = folders_around(&path).find(|around| !is_package_after(around, moves)).unwrap_or_default();
    let root = match relative_to(&root, &path) {
        Some(_) => source_folder(module, (&root, outer), moves).unwrap_or(root),
        None => outer.to_owned(),
    };
    Module { path, root }
}

/// The source folder between the root and the outermost package of a moved module, if the module was not in it before:
/// a folder with the files of a project, or the folder `src` of a project.
fn source_folder(module: &Module, (root, outer): (&str, &str), moves: &[Move]) -> Option<String> {
    let is_project = |folder: &str| PROJECT_FILES.iter().any(|name| is_file_after(&below(folder, name), moves));
    let is_source = |at: &&str| is_project(at) || (file_name(at) == "src" && is_project(folder(at)));
    // The root of a script may be inside of its package.
    relative_to(root, outer)?;
    let candidates = std::iter::once(outer).chain(folders_around(outer)).take_while(|at| *at != root);
    let new = candidates.filter(|at| !at.is_empty() && relative_to(at, &module.path).is_none());
    new.into_iter().find(is_source).map(str::to_owned)
}

fn is_package_after(folder: &str, moves: &[Move]) -> bool {
    PACKAGES.iter().any(|name| is_file_after(&below(folder, name), moves))
}

/// The package and the module of which Python would import only the package after the moves, because both have the same
/// name.
pub(crate) fn hidden_module(moves: &[Move]) -> Option<(String, String)> {
    let folder_of = |one: &Move| {
        let package = PACKAGES.iter().find_map(|name| one.to.strip_suffix(name)?.strip_suffix('/'));
        let module = ENDINGS.iter().find_map(|suffix| one.to.strip_suffix(suffix));
        package.or(module).unwrap_or(&one.to).to_owned()
    };
    let hidden = |package: &str| {
        let pairs =
            PACKAGES.iter().zip(ENDINGS).map(|(name, ending)| (below(package, name), format!("{package}{ending}")));
        let mut found = pairs.filter(|(file, module)| is_file_after(file, moves) && is_file_after(module, moves));
        found.next().map(|(_, module)| (package.to_owned(), module))
    };
    // A pair that exists before the moves is not new.
    let is_new = |(package, module): &(String, String)| !is_package(package) || !is_file(module);
    moves.iter().filter_map(|one| hidden(&folder_of(one))).find(is_new)
}

/// Returns whether there is a file at a path after the moves.
fn is_file_after(path: &str, moves: &[Move]) -> bool {
    let before = |one: &Move| match relative_to(&one.to, path)? {
        "" => Some(one.from.clone()),
        rest => Some(below(&one.from, rest)),
    };
    let stays = || is_file(path) && moved_path(path, moves) == path;
    moves.iter().filter_map(before).any(|old| is_file(&old) && moved_path(&old, moves) == path) || stays()
}
