//! Packages: the package clause and the imports of a file, the source roots, and the files of types.

use std::collections::BTreeSet;

use marquetry_sdk::{
    paths::{file_name, folder, folders_around, join},
    workspace::{self, EntryKind},
};

use crate::notations::tokens;

/// The package clause and the imports of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Header {
    /// The package; empty if the file has no package clause.
    pub(crate) package: String,
    /// The types that are imported individually, as qualified names.
    pub(crate) imports: Vec<String>,
    /// The packages that are imported with `*`.
    pub(crate) stars: Vec<String>,
}

impl Header {
    /// The import of the type with this simple name.
    pub(crate) fn import_of(&self, name: &str) -> Option<&str> {
        let mut imports = self.imports.iter().map(String::as_str);
        imports.find(|path| path.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')))
    }
}

/// Reads the package clause and the imports of a text, up to its first type.
pub(crate) fn header(text: &str) -> Header {
    let tokens = tokens(text);
    let mut found = Header::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.text {
            word @ ("package" | "import") => {
                let end = at + tokens[at..].iter().position(|token| token.text == ";").unwrap_or(tokens.len() - at);
                let path: String = tokens[at + 1..end].iter().map(|token| token.text).collect();
                match path.strip_suffix(".*") {
                    _ if word == "package" => found.package = path,
                    _ if tokens.get(at + 1).is_some_and(|token| token.text == "static") => {}
                    Some(package) => found.stars.push(package.to_owned()),
                    None => found.imports.push(path),
                }
                at = end;
            }
            "class" | "interface" | "enum" | "record" | "{" => break,
            _ => {}
        }
        at += 1;
    }
    found
}

/// The package clause and the imports of a file in the workspace.
pub(crate) fn header_of(path: &str) -> Header {
    workspace::read(path).map(|text| header(&text)).unwrap_or_default()
}

/// The folder of a package below a source root.
fn package_folder(root: &str, package: &str) -> String {
    let path = package.replace('.', "/");
    match (root, path.as_str()) {
        (root, "") => root.to_owned(),
        ("", path) => path.to_owned(),
        (root, path) => format!("{root}/{path}"),
    }
}

/// The source root that contains the package of a file. `None` if the folders of the path do not end with the package.
pub(crate) fn root_of(path: &str, package: &str) -> Option<String> {
    let (own, package) = (folder(path), package.replace('.', "/"));
    let rest = own.strip_suffix(&package)?;
    (package.is_empty() || rest.is_empty() || rest.ends_with('/')).then(|| rest.trim_end_matches('/').to_owned())
}

/// The source roots that a file can use: its own, and those of other source sets and modules (`src/test/java`,
/// `other/src/main/java`). If the file's root does not follow this layout, they are the folders beside the root.
pub(crate) fn roots(path: &str, package: &str) -> Vec<String> {
    let mut found: Vec<String> = root_of(path, package).into_iter().collect();
    let start = found.first().cloned().unwrap_or_else(|| folder(path).to_owned());
    match module_of(&start) {
        Some(module) => {
            let mut modules = BTreeSet::from([module.to_owned()]);
            for around in folders_around(&below(module, "_")) {
                modules.insert(around.to_owned());
                modules.extend(folders_in(around));
            }
            found.extend(modules.iter().flat_map(|module| source_sets(module)));
        }
        None => {
            let around = folder(&start);
            found.extend(folders_in(around).filter(|_| !start.is_empty()));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|root| seen.insert(root.clone()));
    found
}

/// The folder of the module whose source root is `MODULE/src/SET/java`.
fn module_of(root: &str) -> Option<&str> {
    let sets = folder(root.strip_suffix("java").filter(|rest| rest.ends_with('/'))?.trim_end_matches('/'));
    if sets == "src" { Some("") } else { sets.strip_suffix("/src") }
}

fn source_sets(module: &str) -> Vec<String> {
    let sets = folders_in(&below(module, "src")).map(|set| below(&set, "java"));
    sets.filter(|root| workspace::stat(root) == Some(EntryKind::Directory)).collect()
}

fn folders_in(path: &str) -> impl Iterator<Item = String> + use<> {
    let own = path.to_owned();
    let is_folder = |entry: &workspace::Entry| entry.kind == EntryKind::Directory && !entry.name.starts_with('.');
    workspace::entries(path).into_iter().filter(is_folder).map(move |entry| below(&own, &entry.name))
}

pub(crate) fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The package of a path below one of the source roots, or below a folder that is named like a source root.
pub(crate) fn package_of(path: &str, roots: &[String]) -> Option<String> {
    let own = folder(path);
    let relative = |root: &String| marquetry_sdk::paths::relative_to(root, own).map(str::to_owned);
    let longest = roots.iter().filter(|root| relative(root).is_some()).max_by_key(|root| root.len());
    let by_name = || {
        let sets = folders_around(path).filter(|around| module_of(around).is_some());
        sets.last().and_then(|root| relative(&root.to_owned()))
    };
    let found = longest.and_then(relative).filter(|_| longest.is_some_and(|root| !root.is_empty()));
    let found = found.or_else(by_name).or_else(|| longest.and_then(relative))?;
    let package = found.replace('/', ".");
    package.split('.').all(|part| package.is_empty() || crate::table::check_name(part).is_ok()).then_some(package)
}

/// The name of the type that the file must declare.
pub(crate) fn stem(path: &str) -> &str {
    file_name(path).strip_suffix(".java").unwrap_or_default()
}

/// The file of the type in a qualified name, and the number of name parts up to the type: `a.b.C` in `a.b.C.D`.
pub(crate) fn file_of_type(name: &str, roots: &[String]) -> Option<(String, usize)> {
    let parts: Vec<&str> = name.split('.').collect();
    (1..=parts.len()).find_map(|count| {
        let (package, own) = (parts[..count - 1].join("."), parts[count - 1]);
        Some((file_in_package(&package, own, roots)?, count))
    })
}

/// The file of a type in a package.
pub(crate) fn file_in_package(package: &str, name: &str, roots: &[String]) -> Option<String> {
    let path = |root: &String| join(&package_folder(root, package), &format!("{name}.java"));
    roots.iter().filter_map(path).find(|path| workspace::stat(path) == Some(EntryKind::File))
}

/// The existing folders of a package.
pub(crate) fn folders_of(package: &str, roots: &[String]) -> Vec<String> {
    let folders = roots.iter().map(|root| package_folder(root, package));
    folders.filter(|own| workspace::stat(own) == Some(EntryKind::Directory)).collect()
}

/// The Java files in a folder.
pub(crate) fn files_of(own: &str) -> Vec<String> {
    let files = workspace::entries(own).into_iter().filter(|entry| entry.name.ends_with(".java"));
    files.map(|entry| below(own, &entry.name)).collect()
}
