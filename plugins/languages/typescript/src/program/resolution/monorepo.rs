//! Package of a file, and packages of a monorepo by name.

use std::collections::HashMap;
use std::rc::Rc;

use marquetry_sdk::workspace::EntryKind;

use crate::program::resolution::json::Json;
use crate::program::resolution::paths;
use crate::program::resolution::workspace::Workspace;

/// The packages of a monorepo.
#[derive(Debug)]
pub(crate) struct Monorepo {
    /// Folders with a `package.json`.
    folders: Vec<String>,
}

/// Splits `@scope/name/rest` into the package's name and the rest, which is empty for the package itself.
pub(crate) fn split_package_name(specifier: &str) -> (&str, &str) {
    let slash = |from: usize| specifier[from..].find('/').map(|at| at + from);
    let end = match slash(0) {
        Some(first) if specifier.starts_with('@') => slash(first + 1),
        other => other,
    };
    end.map_or((specifier, ""), |end| (&specifier[..end], &specifier[end + 1..]))
}

/// Returns the folder of the package that a file in `folder` belongs to, and its `package.json`.
pub(crate) fn enclosing_package(workspace: &Workspace, folder: &str) -> Option<(String, Rc<Json>)> {
    paths::ancestors(folder)
        .find_map(|folder| Some((folder.to_owned(), workspace.json(&paths::join_path(folder, "package.json"))?)))
}

/// Returns the folder of the package of this workspace that the specifier names, and the rest of the specifier.
pub(crate) fn workspace_package<'s>(
    workspace: &Workspace,
    folder: &str,
    specifier: &'s str,
) -> Option<(String, &'s str)> {
    let (name, rest) = split_package_name(specifier);
    let own = paths::ancestors(folder).find(|folder| has_package_name(workspace, folder, name));
    if let Some(own) = own {
        return Some((own.to_owned(), rest));
    }
    let found = paths::ancestors(folder).find_map(|root| package_names(workspace, root).0.get(name).cloned())?;
    Some((found, rest))
}

/// Returns the packages of the monorepo with this root.
fn monorepo_packages(workspace: &Workspace, root: &str) -> Option<Rc<Monorepo>> {
    let found = workspace.cached(root, || {
        let globs = workspace_globs(workspace, root)?;
        let mut folders = Vec::new();
        for glob in globs.iter().filter(|glob| !glob.starts_with('!')) {
            expand_glob(workspace, root, &glob.split('/').collect::<Vec<_>>(), &mut folders);
        }
        let left_out = |folder: &String| {
            let inside = paths::relative_to(root, folder).unwrap_or(folder);
            globs.iter().filter_map(|glob| glob.strip_prefix('!')).any(|glob| paths::glob_matches(glob, inside))
        };
        folders.retain(|folder| !left_out(folder));
        Some(Rc::new(Monorepo { folders }))
    });
    found.as_ref().clone()
}

fn workspace_globs(workspace: &Workspace, root: &str) -> Option<Vec<String>> {
    let pnpm = paths::join_path(root, "pnpm-workspace.yaml");
    if workspace.is_file(&pnpm) {
        return workspace.read(&pnpm).map(|text| pnpm_packages(&text));
    }
    let json = workspace.json(&paths::join_path(root, "package.json"))?;
    let listed = json.get("workspaces")?;
    match listed {
        Json::Object(_) => listed.texts_of("packages"),
        _ => json.texts_of("workspaces"),
    }
}

/// Returns the list `packages:` of `pnpm-workspace.yaml`, as a block or flow list of plain or quoted texts.
fn pnpm_packages(text: &str) -> Vec<String> {
    let unquoted = |item: &str| item.trim().trim_matches(['"', '\'']).to_owned();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("packages:"));
    let first = lines.next().unwrap_or_default();
    if let Some((_, list)) = first.split_once('[') {
        return list.split(']').next().unwrap_or_default().split(',').map(unquoted).collect();
    }
    let item =
        |line: &str| line.trim().strip_prefix("- ").map(|item| unquoted(item.split(" #").next().unwrap_or(item)));
    let in_list = |line: &&str| {
        let trimmed = line.trim();
        trimmed.is_empty() || trimmed.starts_with(['-', '#'])
    };
    lines.take_while(in_list).filter_map(item).collect()
}

fn expand_glob(workspace: &Workspace, folder: &str, glob: &[&str], found: &mut Vec<String>) {
    let Some((first, rest)) = glob.split_first() else {
        if workspace.is_file(&paths::join_path(folder, "package.json")) && !found.iter().any(|known| known == folder) {
            found.push(folder.to_owned());
        }
        return;
    };
    match *first {
        "" | "." => expand_glob(workspace, folder, rest, found),
        // Repeated `**` match the same folders as one.
        "**" if rest.first() == Some(&"**") => expand_glob(workspace, folder, rest, found),
        "**" => {
            expand_glob(workspace, folder, rest, found);
            for name in subfolders(workspace, folder) {
                expand_glob(workspace, &paths::join_path(folder, &name), glob, found);
            }
        }
        part if part.contains(['*', '?']) => {
            for name in subfolders(workspace, folder).iter().filter(|name| paths::glob_matches(part, name)) {
                expand_glob(workspace, &paths::join_path(folder, name), rest, found);
            }
        }
        part => expand_glob(workspace, &paths::join_path(folder, part), rest, found),
    }
}

fn subfolders(workspace: &Workspace, folder: &str) -> Vec<String> {
    let entries = workspace.entries(folder);
    let folders = entries.iter().filter(|entry| entry.kind == EntryKind::Directory).map(|entry| entry.name.clone());
    folders.filter(|name| !name.starts_with('.') && name != "node_modules").collect()
}

/// Folders of the packages of a monorepo, by name.
#[derive(Debug, Default)]
struct PackageNames(HashMap<String, String>);

fn package_names(workspace: &Workspace, root: &str) -> Rc<PackageNames> {
    workspace.cached(root, || {
        let mut names = PackageNames::default();
        let packages = monorepo_packages(workspace, root);
        for folder in packages.iter().flat_map(|packages| &packages.folders) {
            let Some(json) = workspace.json(&paths::join_path(folder, "package.json")) else { continue };
            let Some(name) = json.text_of("name") else { continue };
            // If several packages have this name, prefer the one whose folder has the same name, then the first.
            let is_likely = |folder: &String| paths::file_name(folder) == paths::file_name(name);
            if names.0.get(name).is_none_or(|known| is_likely(folder) && !is_likely(known)) {
                names.0.insert(name.to_owned(), folder.clone());
            }
        }
        names
    })
}

/// Returns whether the package in a folder has this name.
fn has_package_name(workspace: &Workspace, folder: &str, name: &str) -> bool {
    let json = workspace.json(&paths::join_path(folder, "package.json"));
    json.is_some_and(|json| json.text_of("name") == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_specifiers_are_split() {
        assert_eq!(split_package_name("a"), ("a", ""));
        assert_eq!(split_package_name("a/b/c"), ("a", "b/c"));
        assert_eq!(split_package_name("@a/b"), ("@a/b", ""));
        assert_eq!(split_package_name("@a/b/c/d"), ("@a/b", "c/d"));
        assert_eq!(split_package_name("@a"), ("@a", ""));
    }

    #[test]
    fn pnpm_workspace_packages_are_read() {
        assert_eq!(pnpm_packages("packages:\n  - 'a/*' # c\n\n  # c\n  - b\ncatalog:\n  - c"), ["a/*", "b"]);
        assert_eq!(pnpm_packages("packages: [\"a\", 'b/*']"), ["a", "b/*"]);
        assert_eq!(pnpm_packages("other: 1"), Vec::<String>::new());
    }
}
