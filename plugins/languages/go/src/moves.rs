//! The files that move in one change, and the packages and modules after the change.

use std::collections::BTreeSet;

use marquetry_sdk::{
    Relocation,
    paths::{folder, folders_around, relative_to},
    workspace,
};

use crate::packages::{below, files_of, import_path, is_go, name_of_folder, outline_of};

/// Moves of files and folders.
#[derive(Debug, Clone)]
pub(crate) struct Moves {
    all: Vec<(String, String)>,
}

impl Moves {
    /// The moves of a change.
    pub(crate) fn new(relocations: &[Relocation]) -> Moves {
        let mut all: Vec<(String, String)> = relocations.iter().map(|one| (one.from.clone(), one.to.clone())).collect();
        // The innermost moved folder around a path determines the new path.
        all.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Moves { all }
    }

    /// The path of a file after the change.
    pub(crate) fn after(&self, path: &str) -> String {
        let moved = self.all.iter().find_map(|(from, to)| {
            let rest = relative_to(from, path).filter(|_| !from.is_empty())?;
            Some(if rest.is_empty() { to.clone() } else { below(to, rest) })
        });
        moved.unwrap_or_else(|| path.to_owned())
    }

    /// The path of a file before the change. Returns the same path if no file moves to it.
    fn before(&self, path: &str) -> String {
        let moved = self.all.iter().find_map(|(from, to)| {
            let rest = relative_to(to, path)?;
            Some(if rest.is_empty() { from.clone() } else { below(from, rest) })
        });
        // The destination folder may already contain files. Those do not move, so no file exists at their computed old
        // path.
        moved.filter(|from| workspace::stat(from).is_some()).unwrap_or_else(|| path.to_owned())
    }

    /// The folder that contains all Go files of a folder after the change. Returns `None` if the files are in several
    /// folders.
    pub(crate) fn folder_after(&self, own: &str) -> Option<String> {
        let mut folders: Vec<String> = files_of(own).iter().map(|file| folder(&self.after(file)).to_owned()).collect();
        folders.dedup();
        match folders.len() {
            0 => Some(own.to_owned()),
            1 => folders.pop(),
            _ => None,
        }
    }

    /// The paths, before the change, of the Go files that are in a folder after it.
    pub(crate) fn files_in(&self, own: &str) -> Vec<String> {
        let moved = self.all.iter().filter(|(from, to)| is_go(from) && folder(to) == own).map(|(from, _)| from.clone());
        let sources = std::iter::once(own.to_owned()).chain(Some(self.before(own)).filter(|before| before != own));
        let there = sources.flat_map(|source| files_of(&source)).filter(|file| folder(&self.after(file)) == own);
        moved.chain(there).collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// Returns whether the change moves a path out of a folder, into it or inside it. A move of the folder itself does
    /// not count.
    pub(crate) fn changes_below(&self, own: &str) -> bool {
        let is_inside = |path: &str| relative_to(own, path).is_some_and(|rest| !rest.is_empty());
        self.all.iter().any(|(from, to)| is_inside(from) || is_inside(to))
    }

    /// The import path of a folder after the change.
    pub(crate) fn import_path(&self, own: &str) -> Option<String> {
        let inside = below(own, "_");
        let mut manifests = folders_around(&inside).filter_map(|root| {
            let (path, before) = (below(root, "go.mod"), self.before(&below(root, "go.mod")));
            // A manifest that moves to another folder does not count.
            let is_there = before != path || self.after(&path) == path;
            let text = workspace::read(&before).ok().filter(|_| is_there)?;
            Some((root.to_owned(), crate::packages::module_path(&text)?))
        });
        let (root, path) = manifests.next()?;
        let rest = relative_to(&root, own)?.to_owned();
        Some(if rest.is_empty() { path } else { format!("{path}/{rest}") })
    }

    /// The name of the package of a file after the change.
    pub(crate) fn package_after(&self, path: &str, package: &str) -> String {
        let after = self.after(path);
        let (old, new) = (folder(path), folder(&after));
        if old == new {
            return package.to_owned();
        }
        let is_external = path.ends_with("_test.go") && package.ends_with("_test");
        let base = if is_external { package.trim_end_matches("_test") } else { package };
        let name = self.base_after(old, new, base);
        if is_external { format!("{name}_test") } else { name }
    }

    fn base_after(&self, old: &str, new: &str, base: &str) -> String {
        if let Some(existing) = self.staying_package(new).filter(|_| base != "main") {
            return existing;
        }
        let is_whole = self.folder_after(old).is_some();
        // The package in the root folder of a module is named after the module path.
        let path_of = |path: Option<String>, own: &str| path.unwrap_or_else(|| own.to_owned());
        let (was, now) = (path_of(import_path(old), old), path_of(self.import_path(new), new));
        let is_conventional = name_of_folder(&was).as_deref() == Some(base);
        if base == "main" || is_whole && (!is_conventional || was == now) {
            return base.to_owned();
        }
        name_of_folder(&now).unwrap_or_else(|| base.to_owned())
    }

    /// The package of the files that are in a folder before and after the change.
    pub(crate) fn staying_package(&self, own: &str) -> Option<String> {
        let stays = |file: &String| is_go(file) && self.after(file) == *file && self.before(file) == *file;
        let files: Vec<String> = files_of(own).into_iter().filter(stays).collect();
        let (tests, code): (Vec<&String>, Vec<&String>) = files.iter().partition(|file| file.ends_with("_test.go"));
        let name = |file: &&String| Some(outline_of(file).package.clone()).filter(|name| !name.is_empty());
        let of_tests = || tests.iter().find_map(name).map(|name| name.trim_end_matches("_test").to_owned());
        code.iter().find_map(name).or_else(of_tests)
    }
}
