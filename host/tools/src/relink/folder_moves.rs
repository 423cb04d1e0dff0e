//! Folders whose files are moved individually: updates links to such a folder, and globs below it.

use std::collections::{BTreeMap, BTreeSet};

use marquetry_graph::{Entry, Workspace};
use marquetry_model::{Relocation, Relocations, is_below};

use super::links_with_targets;
use crate::path_parts::folder;

/// Adds moves of folders if all files of a folder are moved, and more than half of them to the same new folder. If the
/// folder has only one file, that file must keep its name.
pub(crate) fn with_folders(workspace: &Workspace, moves: &Relocations) -> Relocations {
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for relocation in moves.as_slice() {
        let mut above = folder(&relocation.from);
        while !above.is_empty() && folders.insert(above) {
            above = folder(above);
        }
    }
    let is_left = |path: &&&str| !moves.moves(path) && !moves.as_slice().iter().any(|one| is_below(&one.to, path));
    let mut found: Vec<Relocation> = Vec::new();
    for path in folders.iter().filter(is_left) {
        let files = FolderDestinations::below(workspace, moves, path);
        let is_one_renamed = files.all == 1 && files.renamed == 1;
        if files.staying > 0 || is_one_renamed || found.iter().any(|above| is_below(path, &above.from)) {
            continue;
        }
        // Files that are moved to other folders than the majority have separate moves.
        if let Some((to, _)) = files.most_common().filter(|(to, along)| along * 2 > files.all && !to.is_empty()) {
            found.push(Relocation { from: (*path).to_owned(), to: to.to_owned() });
        }
    }
    moves.combined_with(found)
}

/// The destinations of the files of a folder.
struct FolderDestinations {
    all: usize,
    staying: usize,
    /// Number of files that are moved and renamed.
    renamed: usize,
    /// Possible new paths of the folder, each with the number of files that are moved there.
    places: BTreeMap<String, usize>,
}

impl FolderDestinations {
    fn below(workspace: &Workspace, moves: &Relocations, path: &str) -> FolderDestinations {
        let mut files = FolderDestinations { all: 0, staying: 0, renamed: 0, places: BTreeMap::new() };
        for entry in files_below(workspace, path) {
            files.all += 1;
            let to = moves.path_after(&entry.path);
            files.renamed += usize::from(file_name(&to) != file_name(&entry.path));
            if to == entry.path {
                files.staying += 1;
            } else if let Some(place) = replacing_folder(&folder(&entry.path)[path.len()..], folder(&to)) {
                *files.places.entry(place.to_owned()).or_default() += 1;
            }
        }
        files
    }

    fn most_common(&self) -> Option<(&str, usize)> {
        let most = self.places.iter().max_by_key(|(_, number)| **number);
        most.map(|(place, number)| (place.as_str(), *number))
    }
}

/// Returns the new path of a folder according to one of its files. `below` is the path from the folder to the old
/// folder of the file, and `folder` is the new folder of the file.
fn replacing_folder<'a>(below: &str, folder: &'a str) -> Option<&'a str> {
    match below.strip_prefix('/') {
        Some(rest) if rest == folder => Some(""),
        _ => folder.strip_suffix(below),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn files_below<'a>(workspace: &'a Workspace, path: &'a str) -> impl Iterator<Item = &'a Entry> {
    let near = workspace.files_from(path).take_while(move |entry| entry.path.starts_with(path));
    near.filter(move |entry| is_below(&entry.path, path))
}

/// A folder to which a moved file refers, and of which some files are moved and others are not.
pub(super) struct SplitFolder {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) staying: usize,
    pub(super) all: usize,
}

/// Returns the folder to which an unchanged link of a moved file resolves after the change. At least as many files of
/// the old folder must be moved there as remain in the old folder.
pub(super) fn split_folder(workspace: &Workspace, moves: &Relocations, was: &str, now: &str) -> Option<SplitFolder> {
    if was == now || was.is_empty() || moves.moves(was) || workspace.file(was).is_some() {
        return None;
    }
    let files = FolderDestinations::below(workspace, moves, was);
    let along = files.places.get(now).copied().unwrap_or_default();
    let (from, to) = (was.to_owned(), now.to_owned());
    (along > 0 && along >= files.staying).then_some(SplitFolder { from, to, staying: files.staying, all: files.all })
}

/// Returns the split folders below the folder of a moved file to which the file's links refer.
pub(super) fn split_folders_beside(workspace: &Workspace, moves: &Relocations, entry: &Entry) -> Vec<Relocation> {
    let (here, there) = (folder(&entry.path).to_owned(), folder(&moves.path_after(&entry.path)).to_owned());
    if here == there {
        return Vec::new();
    }
    let mut found: Vec<Relocation> = Vec::new();
    for (_, _, target) in links_with_targets(entry) {
        let marquetry_graph::Target::Inside(was) = target else { continue };
        let rest = if here.is_empty() { Some(was.as_str()) } else { was.strip_prefix(&format!("{here}/")) };
        let Some(rest) = rest.filter(|_| found.iter().all(|one| one.from != *was)) else { continue };
        let now = if there.is_empty() { rest.to_owned() } else { format!("{there}/{rest}") };
        if let Some(SplitFolder { from, to, .. }) = split_folder(workspace, moves, was, &now) {
            found.push(Relocation { from, to });
        }
    }
    found
}

/// Returns whether a folder had files before the change and has none afterwards.
pub(super) fn is_emptied(before: &Workspace, after: &Workspace, path: &str) -> bool {
    !path.is_empty() && files_below(before, path).next().is_some() && files_below(after, path).next().is_none()
}

#[cfg(test)]
mod tests {
    use super::replacing_folder;

    #[test]
    fn replacing_folder_keeps_the_path_below() {
        for (below, folder, expected) in [
            ("", "b", Some("b")),
            ("", "", Some("")),
            ("/x", "b/x", Some("b")),
            ("/x", "x", Some("")),
            ("/x", "b/y", None),
            ("/x", "b/yx", None),
        ] {
            assert_eq!(replacing_folder(below, folder), expected, "{below} {folder}");
        }
    }
}
