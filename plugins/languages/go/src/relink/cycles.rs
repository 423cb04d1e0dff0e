//! Import cycles after a move. The language does not allow them.

use std::collections::BTreeSet;

use marquetry_sdk::paths::folder;

use super::Relink;
use crate::{
    moves::Moves,
    packages::{Found, local_name, outline_of, package_files, package_name, resolve},
};

/// Maximum number of packages that the search visits.
const MAX_PACKAGES: usize = 2000;

impl Relink<'_> {
    /// Returns whether an import of a folder would create a cycle, because its package already depends on the package
    /// of this file. External tests cannot be part of a cycle.
    pub(super) fn is_cycle(&self, imported: &str) -> bool {
        if self.is_external_test() {
            return false;
        }
        let known = self.cycles.borrow().get(imported).copied();
        known.unwrap_or_else(|| {
            let found = reaches(self.moves, imported, folder(&self.path));
            self.cycles.borrow_mut().insert(imported.to_owned(), found);
            found
        })
    }
}

/// Returns whether a package depends on another one after the moves, directly or transitively. Also returns true if the
/// limit is exceeded.
fn reaches(moves: &Moves, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::from([from.to_owned()]);
    let mut open = vec![from.to_owned()];
    while let Some(next) = open.pop() {
        if next == to || seen.len() > MAX_PACKAGES {
            return true;
        }
        for file in moves.files_in(&next).into_iter().filter(|file| !file.ends_with("_test.go")) {
            open.extend(needs(moves, &file).into_iter().filter(|needed| seen.insert(needed.clone())));
        }
    }
    false
}

/// The folders of the packages that a file depends on after the moves. `file` is its path before them.
fn needs(moves: &Moves, file: &str) -> BTreeSet<String> {
    let outline = outline_of(file);
    let (own, new) = (folder(file), folder(&moves.after(file)).to_owned());
    let mut found = BTreeSet::new();
    let mut add = |own: &str, package: &str, name: &str| {
        let files = package_files(own, package).into_iter();
        let declaring = files.filter(|other| outline_of(other).declared.contains_key(name));
        found.extend(declaring.map(|other| folder(&moves.after(&other)).to_owned()));
    };
    let mut whole = Vec::new();
    for import in &outline.imports {
        let Found::Folder(imported) = resolve(file, &import.path) else { continue };
        match moves.folder_after(&imported) {
            Some(folder) => whole.push(folder),
            None => {
                let (local, package) = (local_name(file, import), package_name(&imported).unwrap_or_default());
                let names = outline.selected.iter().filter(|(left, _)| *left == local);
                names.for_each(|(_, name)| add(&imported, &package, name));
            }
        }
    }
    if moves.folder_after(own).is_none() {
        outline.free.iter().for_each(|name| add(own, &outline.package, name));
    }
    found.extend(whole);
    found.remove(&new);
    found
}
