//! Modules of installed packages: which packages a file may import from, and where their types are.

use std::collections::HashSet;

use marquetry_sdk::workspace::EntryKind;

use crate::imports::specifier::SpecifierFormatter;
use crate::program::resolution::json::Json;
use crate::program::resolution::workspace::Workspace;
use crate::program::resolution::{monorepo, package, paths};

/// Maximum number of packages searched.
const MAX_PACKAGES: usize = 300;
/// Maximum number of modules searched per package.
const MAX_MODULES: usize = 60;

/// A module of a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackageModule {
    pub(crate) specifier: String,
    pub(crate) path: String,
}

/// A package that a file may import from.
#[derive(Clone, Debug)]
pub(crate) struct InstalledPackage {
    /// The name in imports: `react` if its types are in `@types/react`.
    pub(crate) name: String,
    pub(crate) folder: String,
    /// True if the project lists the package as a dependency, or lists no dependencies at all.
    pub(crate) is_listed: bool,
    /// True if the package contains only the types of another package.
    pub(crate) has_types_only: bool,
}

/// Returns the packages that a file may import from: those that the `package.json` files around it list, those that it
/// already imports, and all with types in `@types`. If no `package.json` lists any packages, all installed packages are
/// returned.
pub(crate) fn importable_packages<'i>(
    workspace: &Workspace,
    folder: &str,
    imported: impl Iterator<Item = &'i str>,
) -> Vec<InstalledPackage> {
    let mut listed: HashSet<String> = HashSet::new();
    let mut says = false;
    for around in paths::ancestors(folder) {
        let Some(json) = workspace.json(&paths::join_path(around, "package.json")) else { continue };
        for key in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
            let Some(list) = json.get(key) else { continue };
            says = true;
            listed.extend(list.entries().iter().map(|(name, _)| name.clone()));
        }
    }
    let imported = imported.filter(|specifier| !paths::is_relative(specifier));
    let imported: HashSet<String> =
        imported.map(|specifier| monorepo::split_package_name(specifier).0.to_owned()).collect();
    let mut found: Vec<InstalledPackage> = Vec::new();
    for around in paths::ancestors(folder) {
        let modules = paths::join_path(around, "node_modules");
        if !workspace.is_folder(&modules) {
            continue;
        }
        for (name, folder) in packages_in_folder(workspace, &modules) {
            if found.len() >= MAX_PACKAGES {
                return found;
            }
            let types = name.strip_prefix("@types/").map(unmangle_types_name);
            let name = types.clone().unwrap_or(name);
            let is_listed = !says || listed.contains(&name) || imported.contains(&name);
            let types_listed = types.is_some();
            if (is_listed || types_listed) && !found.iter().any(|known| known.folder == folder) {
                let is_listed = is_listed || types_listed;
                found.push(InstalledPackage { name, folder, is_listed, has_types_only: types_listed });
            }
        }
    }
    found
}

/// Returns `@a/b` for the types in `@types/a__b`.
fn unmangle_types_name(name: &str) -> String {
    name.split_once("__").map_or_else(|| name.to_owned(), |(scope, name)| format!("@{scope}/{name}"))
}

/// Returns the packages in a folder `node_modules` with their names.
fn packages_in_folder(workspace: &Workspace, modules: &str) -> Vec<(String, String)> {
    let folders = |folder: &str| -> Vec<String> {
        let entries = workspace.entries(folder);
        let folders = entries.iter().filter(|entry| entry.kind == EntryKind::Directory && !entry.name.starts_with('.'));
        folders.map(|entry| entry.name.clone()).collect()
    };
    let mut found = Vec::new();
    for name in folders(modules) {
        let folder = paths::join_path(modules, &name);
        if name.starts_with('@') {
            let scoped = folders(&folder).into_iter();
            found.extend(scoped.map(|inner| (format!("{name}/{inner}"), paths::join_path(&folder, &inner))));
        } else {
            found.push((name, folder));
        }
    }
    found
}

impl InstalledPackage {
    /// Returns the modules of the package, the main one first.
    pub(crate) fn offered_modules(&self, speller: &SpecifierFormatter<'_, '_>) -> Vec<PackageModule> {
        let workspace = speller.resolver.workspace;
        let json = workspace.json(&paths::join_path(&self.folder, "package.json"));
        let mut found: Vec<PackageModule> = Vec::new();
        let mut add = |path: String, json: &Json| {
            let specifier = speller.package_specifier(&self.name, &self.folder, json, &path, false);
            if let Some(specifier) = specifier {
                let offered = PackageModule { specifier, path };
                if found.len() < MAX_MODULES && !found.iter().any(|known| known.path == offered.path) {
                    found.push(offered);
                }
            }
        };
        let none = Json::Other;
        let manifest = json.as_deref().unwrap_or(&none);
        if let Some(entries) = package::export_entries(manifest) {
            let targets = entries.iter().filter(|entry| !entry.subpath.contains('*')).flat_map(|entry| &entry.targets);
            for target in targets {
                if let Some(path) = paths::join(&self.folder, target).and_then(|path| types_file(workspace, &path)) {
                    add(path, manifest);
                }
            }
            return found;
        }
        let types = ["types", "typings", "main", "module"].into_iter().filter_map(|key| manifest.text_of(key));
        for entry in types.chain(["index"]) {
            if let Some(path) = paths::join(&self.folder, entry).and_then(|path| types_file(workspace, &path)) {
                add(path, manifest);
            }
        }
        for entry in workspace.entries(&self.folder).iter().take(MAX_MODULES * 4) {
            let path = paths::join_path(&self.folder, &entry.name);
            match entry.kind {
                EntryKind::Directory if entry.name != "node_modules" => {
                    // A folder with its own `package.json` is imported by its name.
                    let Some(inner) = workspace.json(&paths::join_path(&path, "package.json")) else { continue };
                    let main = ["types", "typings", "main"].into_iter().filter_map(|key| inner.text_of(key));
                    let main = main.chain(["index"]).filter_map(|main| paths::join(&path, main));
                    if let Some(main) = main.filter_map(|main| types_file(workspace, &main)).next() {
                        let specifier = format!("{}/{}", self.name, entry.name);
                        found.push(PackageModule { specifier, path: main });
                    }
                }
                _ => {}
            }
        }
        let files = workspace.entries(&self.folder);
        let declares = |name: &str| name.ends_with(".d.ts") || name.ends_with(".ts") || name.ends_with(".d.mts");
        for entry in files.iter().filter(|entry| entry.kind == EntryKind::File && declares(&entry.name)) {
            let path = paths::join_path(&self.folder, &entry.name);
            let specifier = speller.package_specifier(&self.name, &self.folder, manifest, &path, false);
            if let Some(specifier) = specifier.filter(|_| found.len() < MAX_MODULES)
                && !found.iter().any(|known| known.path == path)
            {
                found.push(PackageModule { specifier, path });
            }
        }
        found
    }
}

/// Returns the file with the types for an entry point of a package.
fn types_file(workspace: &Workspace, path: &str) -> Option<String> {
    const TYPES_EXTENSIONS: [(&str, &[&str]); 4] = [
        (".mjs", &[".d.mts", ".mts"]),
        (".cjs", &[".d.cts", ".cts"]),
        (".js", &[".d.ts", ".ts", ".tsx"]),
        (".jsx", &[".d.ts", ".tsx"]),
    ];
    let is_declared = [".ts", ".tsx", ".mts", ".cts"].iter().any(|extension| path.ends_with(extension));
    if is_declared && workspace.is_file(path) {
        return Some(path.to_owned());
    }
    let swapped = TYPES_EXTENSIONS.iter().filter_map(|(from, to)| Some((path.strip_suffix(from)?, *to)));
    let swapped = swapped.flat_map(|(stem, to)| to.iter().map(move |extension| format!("{stem}{extension}")));
    let longer = [".d.ts", ".ts", ".tsx", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs"];
    let appended =
        longer.iter().flat_map(|extension| [format!("{path}{extension}"), format!("{path}/index{extension}")]);
    swapped.chain([path.to_owned()]).chain(appended).find(|path| workspace.is_file(path))
}
