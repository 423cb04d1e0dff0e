//! Results of path lookups, recorded so that it is cheap to check whether they are still valid.

use std::collections::{BTreeMap, HashMap};

/// The kind of entry at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A file, or a symbolic link to one inside the root.
    File,
    /// A directory, or a symbolic link to one inside the root.
    Directory,
}

/// Results of path lookups, grouped by folder.
///
/// # Examples
///
/// ```
/// use marquetry_model::lookups::{EntryKind, Lookups};
///
/// let mut lookups = Lookups::default();
/// lookups.insert("src/a.ts", Some(EntryKind::File));
/// lookups.insert("src/a.tsx", None);
/// assert_eq!(lookups.get("src/a.ts"), Some(Some(EntryKind::File)));
/// assert_eq!(lookups.get("src/a.tsx"), Some(None), "nothing was found there");
/// assert_eq!(lookups.get("src/b.ts"), None, "it was not looked up");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lookups {
    /// By the folder's path: relative to the root, with `/`, as it was looked up.
    pub folders: BTreeMap<String, FolderLookups>,
}

/// Results of lookups in one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderLookups {
    /// By name; `None` if the lookup found nothing.
    pub entries: HashMap<String, Option<EntryKind>>,
    /// The folder's mark (device, inode and time of change) when all entries were last found unchanged. `None` if there
    /// was no such check since an entry was added.
    pub mark: Option<FolderMark>,
}

/// Identifies the state of a folder. While the mark of a folder is the same, the folder contains the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderMark {
    /// The device number.
    pub device: u64,
    /// The inode number.
    pub inode: u64,
    /// Time of the last status change, in nanoseconds since 1970.
    pub changed: u128,
}

impl Lookups {
    /// Returns the recorded result for a path; `None` if it was not looked up.
    pub fn get(&self, path: &str) -> Option<Option<EntryKind>> {
        let (folder, name) = split(path);
        self.folders.get(folder)?.entries.get(name).copied()
    }

    /// Records the result for a path, unless a result is recorded already. Returns the recorded result.
    pub fn insert(&mut self, path: &str, kind: Option<EntryKind>) -> Option<EntryKind> {
        let (folder, name) = split(path);
        if !self.folders.contains_key(folder) {
            self.folders.insert(folder.to_owned(), FolderLookups::default());
        }
        let Some(folder) = self.folders.get_mut(folder) else { return kind };
        if let Some(known) = folder.entries.get(name) {
            return *known;
        }
        // The mark is valid only if all entries were looked up at the same time.
        folder.mark = None;
        folder.entries.insert(name.to_owned(), kind);
        kind
    }

    /// Removes the recorded result for a path.
    pub fn remove(&mut self, path: &str) {
        let (folder, name) = split(path);
        if let Some(inside) = self.folders.get_mut(folder) {
            inside.entries.remove(name);
            if inside.entries.is_empty() {
                self.folders.remove(folder);
            }
        }
    }

    /// Merges the results for other paths.
    pub fn extend(&mut self, other: Lookups) {
        for (path, theirs) in other.folders {
            match self.folders.get_mut(&path) {
                None => _ = self.folders.insert(path, theirs),
                Some(ours) => {
                    ours.mark = ours.mark.filter(|mark| theirs.mark == Some(*mark));
                    ours.entries.extend(theirs.entries);
                }
            }
        }
    }

    /// Iterates over all paths and their results.
    pub fn iter(&self) -> impl Iterator<Item = (String, Option<EntryKind>)> {
        self.folders.iter().flat_map(|(folder, inside)| {
            inside.entries.iter().map(move |(name, kind)| (join_path(folder, name), *kind))
        })
    }

    /// The approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        let inside = |inside: &FolderLookups| {
            let names = inside.entries.keys().map(|name| name.len() + size_of::<(String, Option<EntryKind>)>());
            names.sum::<usize>() + size_of::<(String, FolderLookups)>()
        };
        self.folders.iter().map(|(path, folder)| path.len() + inside(folder)).sum()
    }
}

impl FromIterator<(String, Option<EntryKind>)> for Lookups {
    fn from_iter<T: IntoIterator<Item = (String, Option<EntryKind>)>>(found: T) -> Lookups {
        let mut lookups = Lookups::default();
        for (path, kind) in found {
            lookups.insert(&path, kind);
        }
        lookups
    }
}

/// File system clocks are coarse: a file may change again without a new time stamp within this time, in nanoseconds.
const TICK: u128 = 50_000_000;
/// Like `TICK`, for file systems that store whole seconds.
pub const COARSE_TICK: u128 = 2_000_000_000;

/// Returns whether a file was read long enough after its last change that any later change gets another time stamp.
/// Both times are in nanoseconds.
pub fn is_stable(changed: u128, looked: u128) -> bool {
    let tick = if changed.is_multiple_of(1_000_000_000) { COARSE_TICK } else { TICK };
    changed + tick < looked
}

fn split(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some(parts) => parts,
        None => ("", path),
    }
}

/// Joins a folder and a name.
pub fn join_path(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        "/" => format!("/{name}"),
        _ => format!("{folder}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: FolderMark = FolderMark { device: 1, inode: 2, changed: 3 };

    fn marked(paths: &[&str]) -> Lookups {
        let mut lookups: Lookups = paths.iter().map(|path| ((*path).to_owned(), None)).collect();
        lookups.folders.values_mut().for_each(|folder| folder.mark = Some(MARK));
        lookups
    }

    #[test]
    fn first_lookup_result_is_kept() {
        let mut lookups = Lookups::default();
        for path in ["a/b/c.ts", "a.ts", ""] {
            assert_eq!(lookups.get(path), None);
            assert_eq!(lookups.insert(path, None), None);
            assert_eq!(lookups.insert(path, Some(EntryKind::File)), None);
            assert_eq!(lookups.get(path), Some(None));
            lookups.remove(path);
            assert_eq!(lookups, Lookups::default());
        }
    }

    #[test]
    fn folder_mark_covers_only_its_own_lookups() {
        let mut lookups = marked(&["a/x", "b/x"]);
        lookups.insert("a/x", Some(EntryKind::File));
        assert_eq!(lookups, marked(&["a/x", "b/x"]));
        lookups.insert("a/y", None);
        assert_eq!((lookups.folders["a"].mark, lookups.folders["b"].mark), (None, Some(MARK)));

        let mut both = marked(&["a/x", "b/x"]);
        both.extend(marked(&["a/y", "c/x"]));
        assert_eq!(both, marked(&["a/x", "a/y", "b/x", "c/x"]));
        both.extend([("a/z".to_owned(), None)].into_iter().collect());
        assert_eq!(both.folders["a"].mark, None);
    }

    #[test]
    fn iterates_over_all_paths() {
        let paths = ["", "a", "a/b", "/c", "d//e"];
        let lookups: Lookups = paths.iter().map(|path| ((*path).to_owned(), Some(EntryKind::File))).collect();
        let mut found: Vec<String> = lookups.iter().map(|(path, _)| path).collect();
        found.sort();
        assert_eq!(found, ["", "/c", "a", "a/b", "d//e"]);
    }

    #[test]
    fn memory_grows_with_names_and_folders() {
        let [entry, folder] = [size_of::<(String, Option<EntryKind>)>(), size_of::<(String, FolderLookups)>()];
        for (paths, expected) in [
            (&[][..], 0),
            (&["abc"], folder + entry + 3),
            (&["a/bc"], 1 + folder + entry + 2),
            (&["ab/c", "ab/de", "f/g"], (2 + folder + 2 * entry + 3) + (1 + folder + entry + 1)),
        ] {
            assert_eq!(marked(paths).bytes(), expected, "{paths:?}");
        }
    }

    #[test]
    fn file_is_stable_a_tick_after_its_change() {
        const SECOND: u128 = 1_000_000_000;
        for (changed, looked, stable) in [
            (SECOND + 1, SECOND + 1 + TICK, false),
            (SECOND + 1, SECOND + 2 + TICK, true),
            (SECOND, SECOND + 1 + TICK, false),
            (SECOND, SECOND + COARSE_TICK, false),
            (SECOND, SECOND + 1 + COARSE_TICK, true),
        ] {
            assert_eq!(is_stable(changed, looked), stable, "changed at {changed}, read at {looked}");
        }
    }
}
