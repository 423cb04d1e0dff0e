//! What there is below a root: the files of a walk and the folders around them, and beyond those whatever was asked for.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use marquetry_model::ports::{EntryKind, Files, new_layout, version};

use crate::beyond::Beyond;

/// All paths of a workspace, and all folders above them.
pub(crate) struct Layout {
    number: u64,
    /// What the walked paths are known by, in every process.
    digest: u64,
    kinds: HashMap<String, EntryKind>,
    children: HashMap<String, Vec<(String, EntryKind)>>,
    /// What the walk did not find and was asked for all the same: ignored files may be linked to.
    beyond: Beyond,
    /// The folders that the walk did not find, and whose entries were asked for.
    listed: Mutex<Listed>,
    /// The walked folders that were asked for names which the walk did not find.
    asked: Mutex<HashMap<String, AskedFolder>>,
}

/// Names that a walked folder is asked for one by one, before it is listed.
const FEW: usize = 32;

/// How often a folder was asked, and all names in it where that was often.
#[derive(Debug, Default)]
struct AskedFolder {
    count: usize,
    /// In lower case.
    names: Option<HashSet<String>>,
}

/// What is in a folder.
pub(crate) type Listed = HashMap<String, Vec<(String, EntryKind)>>;

impl Layout {
    pub(crate) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Layout {
        let (kinds, children) = (HashMap::new(), HashMap::new());
        let (beyond, listed) = Default::default();
        let asked = Mutex::default();
        let mut layout = Layout { number: new_layout(), digest: version(""), kinds, children, beyond, listed, asked };
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

    /// The same number, the same answers.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The same digest, the same walked paths.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    /// Whether the walk found it.
    pub(crate) fn was_walked(&self, path: &str) -> bool {
        path.is_empty() || self.kinds.contains_key(path)
    }

    /// What was asked for beyond the walk.
    pub(crate) fn seen_beyond(&self) -> (Beyond, Listed) {
        (self.beyond.clone(), self.listed().clone())
    }

    /// Look at what another process asked for beyond the walk: whether it is what that one saw.
    pub(crate) fn look_beyond(&self, files: &dyn Files, beyond: Beyond, listed: Listed) -> bool {
        let is_same = beyond.outdated(files).is_empty() && are_current(&listed, files);
        if is_same {
            self.beyond.extend(beyond);
            self.listed().extend(listed);
        }
        is_same
    }

    pub(crate) fn stat(&self, files: &dyn Files, path: &str) -> Option<EntryKind> {
        if let Some(kind) = self.kinds.get(path) {
            return Some(*kind);
        }
        self.beyond.get(path).unwrap_or_else(|| self.beyond.insert(path, self.look(files, path)))
    }

    /// What is at a path that the walk did not find. A file with thousands of links to nothing asks for tens of thousands of names:
    /// a folder is listed once it was asked for several, and what is in a folder that is not there is not there either.
    fn look(&self, files: &dyn Files, path: &str) -> Option<EntryKind> {
        let Some((folder, name)) = path.rsplit_once('/').or(Some(("", path))).filter(|(folder, name)| {
            !name.is_empty()
                && !matches!(*name, "." | "..")
                && !folder.split('/').any(|part| matches!(part, "." | ".."))
        }) else {
            return files.stat(path);
        };
        if !self.was_walked(folder) {
            // Folders above the root, and those with odd names, are for the system to tell.
            let is_plain = !folder.is_empty() && !folder.starts_with('/');
            if is_plain && self.stat(files, folder).is_none() {
                return None;
            }
            return files.stat(path);
        }
        if self.may_have(files, folder, name) { files.stat(path) } else { None }
    }

    /// Whether a walked folder may have something of this name. Names are compared as file systems without case would; what is no
    /// ASCII may be spelled in several ways.
    fn may_have(&self, files: &dyn Files, folder: &str, name: &str) -> bool {
        if !name.is_ascii() {
            return true;
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = asked.entry(folder.to_owned()).or_default();
        asked.count += 1;
        if asked.count <= FEW {
            return true;
        }
        let names = asked.names.get_or_insert_with(|| {
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

    /// Whether everything that was asked for beyond the walk is as it was.
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
        Applied, Change, Error, Result, Work,
        ports::{FileStamp, Past, Source},
    };

    use super::*;

    /// A disk that counts what it is asked.
    #[derive(Default)]
    struct Disk {
        /// Sorted.
        paths: Vec<(&'static str, EntryKind)>,
        stats: AtomicUsize,
        lists: AtomicUsize,
    }

    fn nothing<T>() -> Result<T> {
        Err(Error::internal("it is not asked for that"))
    }

    impl Files for Disk {
        fn root(&self) -> &str {
            "/"
        }

        fn locate(&self, _path: &str) -> Result<String> {
            nothing()
        }

        fn read(&self, _path: &str) -> Result<Source> {
            nothing()
        }

        fn read_bytes(&self, _path: &str) -> Result<Vec<u8>> {
            nothing()
        }

        fn stat(&self, path: &str) -> Option<EntryKind> {
            self.stats.fetch_add(1, Ordering::Relaxed);
            self.paths.iter().find(|(known, _)| *known == path).map(|(_, kind)| *kind)
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
            nothing()
        }

        fn apply(&self, _change: &Change, _dry_run: bool, _work: &Work) -> Result<Applied> {
            nothing()
        }

        fn undo(&self, _id: Option<&str>, _dry_run: bool, _work: &Work) -> Result<(Past, Applied)> {
            nothing()
        }

        fn history(&self, _limit: usize) -> Result<Vec<Past>> {
            nothing()
        }
    }

    #[test]
    fn links_to_nothing_cost_one_list_of_their_folder() {
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
            asked(&disk.stats) <= 2 * FEW && asked(&disk.lists) == 1,
            "{} {}",
            asked(&disk.stats),
            asked(&disk.lists)
        );
        // What is there is found, however its name is spelled.
        assert_eq!(layout.stat(&disk, "src/Made.js"), Some(file));
        assert_eq!(layout.stat(&disk, "src/é.js"), Some(file));
        let before = asked(&disk.stats);
        assert_eq!(layout.stat(&disk, "src/made.js"), None);
        assert_eq!(asked(&disk.stats), before + 1, "a file system without case is asked");
        assert_eq!(layout.stat(&disk, "src/a.ts"), Some(file));
        for odd in ["../x.ts", "src/../x", "/etc/x", "src/.", "", "gone/deep/x.ts"] {
            assert_eq!(layout.stat(&disk, odd), if odd.is_empty() { disk.stat("") } else { None }, "{odd}");
        }
    }
}
