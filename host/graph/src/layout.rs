//! Paths below a root: the files of a walk with their folders, and lookups of paths outside of the walk.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use marquetry_model::ports::{EntryKind, Files, new_layout, version};

use crate::outside_lookups::OutsideLookups;

/// All files of a workspace with their folders.
pub(crate) struct Layout {
    number: u64,
    /// Digest of the walked paths, the same in every process.
    digest: u64,
    kinds: HashMap<String, EntryKind>,
    children: HashMap<String, Vec<(String, EntryKind)>>,
    /// Lookups of paths that the walk did not find, because links can point to ignored files.
    beyond: OutsideLookups,
    /// Folders that the walk did not find and whose entries were listed.
    listed: Mutex<Listed>,
    /// Walked folders in which names were looked up that the walk did not find.
    folder_lookups: Mutex<HashMap<String, FolderLookups>>,
    /// Walked paths by their lower case, computed at the first lookup in another case. `None` if several paths have
    /// the same lower case.
    folded: OnceLock<HashMap<String, Option<String>>>,
}

/// Number of lookups in a walked folder before it is listed.
const MAX_SINGLE_LOOKUPS: usize = 32;

/// Number of lookups in a folder and, after many of them, all names in it.
#[derive(Debug, Default)]
struct FolderLookups {
    count: usize,
    /// The names in lower case.
    names: Option<HashSet<String>>,
}

/// The entries of each listed folder, by its path.
pub(crate) type Listed = HashMap<String, Vec<(String, EntryKind)>>;

/// Returns the paths by their lower-case form; `None` if several paths differ only in case.
fn by_lower_case<'a>(paths: impl Iterator<Item = &'a String>) -> HashMap<String, Option<String>> {
    let mut folded = HashMap::new();
    for path in paths {
        folded.entry(path.to_lowercase()).and_modify(|only| *only = None).or_insert_with(|| Some(path.clone()));
    }
    folded
}

impl Layout {
    pub(crate) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Layout {
        let (kinds, children) = (HashMap::new(), HashMap::new());
        let (beyond, listed) = Default::default();
        let (lookups, folded) = Default::default();
        let mut layout = Layout {
            number: new_layout(),
            digest: version(""),
            kinds,
            children,
            beyond,
            listed,
            folder_lookups: lookups,
            folded,
        };
        for path in paths {
            layout.digest = layout.digest.rotate_left(5) ^ version(path);
            layout.add(path, EntryKind::File);
        }
        for children in layout.children.values_mut() {
            children.sort_by(|a, b| a.0.cmp(&b.0));
        }
        layout
    }

    fn add(&mut self, path: &str, kind: EntryKind) {
        if self.kinds.insert(path.to_owned(), kind).is_some() {
            return;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.children.entry(folder.to_owned()).or_default().push((name.to_owned(), kind));
        if !folder.is_empty() && !self.kinds.contains_key(folder) {
            self.add(folder, EntryKind::Directory);
        }
    }

    /// The number of the layout. Layouts with the same number give the same answers.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The digest of the walked paths. Layouts with the same digest have the same walked paths.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    /// Returns whether the walk found the path.
    pub(crate) fn was_walked(&self, path: &str) -> bool {
        path.is_empty() || self.kinds.contains_key(path)
    }

    /// Lookups outside of the walk.
    pub(crate) fn outside_lookups(&self) -> (OutsideLookups, Listed) {
        (self.beyond.clone(), self.listed().clone())
    }

    /// Adopts the lookups of another process if the file system still returns the same results. Returns whether it
    /// does.
    pub(crate) fn adopt_lookups(&self, files: &dyn Files, beyond: OutsideLookups, listed: Listed) -> bool {
        let is_same = beyond.outdated(files).is_empty() && are_current(&listed, files);
        if is_same {
            self.beyond.extend(beyond);
            self.listed().extend(listed);
        }
        is_same
    }

    /// Returns the walked path that differs from this path only in case, if both refer to the same file, as on a
    /// case-insensitive file system. `None` if the walk found exactly this path, if the path does not exist, or if
    /// several walked paths match.
    pub(crate) fn as_walked(&self, files: &dyn Files, path: &str) -> Option<String> {
        if self.was_walked(path) || self.stat(files, path).is_none() {
            return None;
        }
        let walked =
            self.folded.get_or_init(|| by_lower_case(self.kinds.keys())).get(&path.to_lowercase())?.as_deref()?;
        let mut folder = 0;
        for (name, known) in path.split('/').zip(walked.split('/')) {
            // If the folder lists the requested name itself, the name belongs to a different file, which the walk
            // ignored.
            let above = walked[..folder].trim_end_matches('/');
            if name != known && files.entries(above).iter().any(|(listed, _)| listed == name) {
                return None;
            }
            folder += known.len() + 1;
        }
        Some(walked.to_owned())
    }

    pub(crate) fn stat(&self, files: &dyn Files, path: &str) -> Option<EntryKind> {
        if let Some(kind) = self.kinds.get(path) {
            return Some(*kind);
        }
        self.beyond.get(path).unwrap_or_else(|| self.beyond.insert(path, self.look_up(files, path)))
    }

    /// Looks up a path that the walk did not find. A file with thousands of broken links causes tens of thousands of
    /// lookups. Therefore a folder is listed after several lookups in it, and no lookups are made in a missing folder.
    fn look_up(&self, files: &dyn Files, path: &str) -> Option<EntryKind> {
        let Some((folder, name)) = path.rsplit_once('/').or(Some(("", path))).filter(|(folder, name)| {
            !name.is_empty()
                && !matches!(*name, "." | "..")
                && !folder.split('/').any(|part| matches!(part, "." | ".."))
        }) else {
            return files.stat(path);
        };
        if !self.was_walked(folder) {
            // Only a folder below the root can be known to be missing. All other paths are looked up in the file
            // system.
            let is_plain = !folder.is_empty() && !folder.starts_with('/');
            if is_plain && self.stat(files, folder).is_none() {
                return None;
            }
            return files.stat(path);
        }
        if self.may_contain(files, folder, name) { files.stat(path) } else { None }
    }

    /// Returns whether a walked folder may have an entry with this name. Names are compared without case, as some file
    /// systems do. Names that are not ASCII can have several encodings, so they are always looked up.
    fn may_contain(&self, files: &dyn Files, folder: &str, name: &str) -> bool {
        if !name.is_ascii() {
            return true;
        }
        let mut lookups = self.folder_lookups.lock().unwrap_or_else(PoisonError::into_inner);
        let lookups = lookups.entry(folder.to_owned()).or_default();
        lookups.count += 1;
        if lookups.count <= MAX_SINGLE_LOOKUPS {
            return true;
        }
        let names = lookups.names.get_or_insert_with(|| {
            files.entries(folder).into_iter().map(|(name, _)| name.to_ascii_lowercase()).collect()
        });
        names.contains(&name.to_ascii_lowercase())
    }

    pub(crate) fn entries(&self, files: &dyn Files, path: &str) -> Vec<(String, EntryKind)> {
        if let Some(children) = self.children.get(path) {
            return children.clone();
        }
        if let Some(entries) = self.listed().get(path) {
            return entries.clone();
        }
        let entries = files.entries(path);
        self.listed().entry(path.to_owned()).or_insert(entries).clone()
    }

    /// Returns whether all lookups outside of the walk still have the same results.
    pub(crate) fn is_current(&self, files: &dyn Files) -> bool {
        self.beyond.outdated(files).is_empty() && are_current(&self.listed(), files)
    }

    fn listed(&self) -> MutexGuard<'_, Listed> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn are_current(listed: &Listed, files: &dyn Files) -> bool {
    listed.iter().all(|(path, entries)| files.entries(path) == *entries)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use marquetry_model::{
        Change, ChangeEffects, Error, Result, Work,
        ports::{FileStamp, PastChange, Source},
    };

    use super::*;

    /// A file system that counts requests.
    #[derive(Default)]
    struct Disk {
        /// Sorted.
        paths: Vec<(&'static str, EntryKind)>,
        /// Ignores case.
        folds: bool,
        stats: AtomicUsize,
        lists: AtomicUsize,
    }

    fn not_supported<T>() -> Result<T> {
        Err(Error::internal("it is not asked for that"))
    }

    impl Files for Disk {
        fn root(&self) -> &str {
            "/"
        }

        fn is_on_disk(&self) -> bool {
            false
        }

        fn locate(&self, _path: &str) -> Result<String> {
            not_supported()
        }

        fn read(&self, _path: &str) -> Result<Source> {
            not_supported()
        }

        fn read_bytes(&self, _path: &str) -> Result<Vec<u8>> {
            not_supported()
        }

        fn stat(&self, path: &str) -> Option<EntryKind> {
            self.stats.fetch_add(1, Ordering::Relaxed);
            let is_it = |known: &str| known == path || (self.folds && known.eq_ignore_ascii_case(path));
            self.paths.iter().find(|(known, _)| is_it(known)).map(|(_, kind)| *kind)
        }

        fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
            self.lists.fetch_add(1, Ordering::Relaxed);
            let inside = |(known, kind): &(&str, EntryKind)| {
                let (folder, name) = known.rsplit_once('/').unwrap_or(("", known));
                (folder == path).then(|| (name.to_owned(), *kind))
            };
            self.paths.iter().filter_map(inside).collect()
        }

        fn walk(&self, _below: &str) -> Result<Vec<FileStamp>> {
            not_supported()
        }

        fn apply(&self, _change: &Change, _dry_run: bool, _work: &Work) -> Result<ChangeEffects> {
            not_supported()
        }

        fn undo(&self, _id: Option<&str>, _dry_run: bool, _work: &Work) -> Result<(PastChange, ChangeEffects)> {
            not_supported()
        }

        fn history(&self, _limit: usize) -> Result<Vec<PastChange>> {
            not_supported()
        }
    }

    /// Creates a case-insensitive file system: it finds a name in any case, and lists the name in one case.
    fn case_insensitive(paths: &[(&'static str, EntryKind)]) -> Disk {
        Disk { paths: paths.to_vec(), folds: true, ..Disk::default() }
    }

    #[test]
    fn path_in_another_case_resolves_to_walked_file() {
        let (file, folder) = (EntryKind::File, EntryKind::Directory);
        let paths = [("Lib", folder), ("Lib/User.ts", file), ("a.ts", file)];
        let walked = || Layout::new(["Lib/User.ts", "a.ts"].into_iter());
        let disk = case_insensitive(&paths);
        for (asked, found) in [
            ("lib/user.ts", Some("Lib/User.ts")),
            ("Lib/USER.ts", Some("Lib/User.ts")),
            ("LIB", Some("Lib")),
            ("Lib/User.ts", None),
            ("Lib/Other.ts", None),
            ("b.ts", None),
        ] {
            assert_eq!(walked().as_walked(&disk, asked).as_deref(), found, "{asked}");
        }
        // On a case-sensitive file system, the path does not exist, or is another file that the walk ignored.
        let disk = Disk { paths: paths.to_vec(), ..Disk::default() };
        assert_eq!(walked().as_walked(&disk, "lib/user.ts"), None);
        let both = [("Lib", folder), ("Lib/User.ts", file), ("Lib/user.ts", file)];
        let disk = Disk { paths: both.to_vec(), ..Disk::default() };
        assert_eq!(Layout::new(["Lib/User.ts"].into_iter()).as_walked(&disk, "Lib/user.ts"), None);
    }

    #[test]
    fn broken_links_list_their_folder_once() {
        let file = EntryKind::File;
        let disk = Disk {
            paths: vec![("src", EntryKind::Directory), ("src/a.ts", file), ("src/Made.js", file), ("src/é.js", file)],
            ..Disk::default()
        };
        let layout = Layout::new(["src/a.ts"].into_iter());
        for number in 0..20_000 {
            for path in [format!("src/x{number}"), format!("src/x{number}.ts"), format!("src/x{number}/index.ts")] {
                assert_eq!(layout.stat(&disk, &path), None, "{path}");
            }
        }
        let asked = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        assert!(
            asked(&disk.stats) <= 2 * MAX_SINGLE_LOOKUPS && asked(&disk.lists) == 1,
            "{} {}",
            asked(&disk.stats),
            asked(&disk.lists)
        );
        // Existing files are found, regardless of the case or encoding of their names.
        assert_eq!(layout.stat(&disk, "src/Made.js"), Some(file));
        assert_eq!(layout.stat(&disk, "src/é.js"), Some(file));
        let before = asked(&disk.stats);
        assert_eq!(layout.stat(&disk, "src/made.js"), None);
        assert_eq!(asked(&disk.stats), before + 1, "the file system may ignore case, so it is asked");
        assert_eq!(layout.stat(&disk, "src/a.ts"), Some(file));
        for odd in ["../x.ts", "src/../x", "/etc/x", "src/.", "", "gone/deep/x.ts"] {
            assert_eq!(layout.stat(&disk, odd), if odd.is_empty() { disk.stat("") } else { None }, "{odd}");
        }
    }
}
