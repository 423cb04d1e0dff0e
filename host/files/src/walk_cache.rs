//! Cache of a directory walk. While no directory and no ignore file has changed, a new walk would find the same names,
//! so only the metadata of the files is read again, with one system call each.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use marquetry_model::{lookups::is_stable, ports::FileStamp};

use crate::{
    ignored::{IGNORE_FILES, is_inside_repository},
    parallel,
    paths::split_parent,
    system::{Directory, Seen, What, changed_of},
    tree::Tree,
};

/// Minimum number of folders that each thread checks, with the files in them.
const MIN_FOLDERS_PER_THREAD: usize = 8;

/// Size and modification time, in nanoseconds since 1970.
type FileMark = (u64, u128);

/// The result of a walk of the whole root.
pub(crate) struct WalkCache {
    in_repository: bool,
    folders: Vec<CachedFolder>,
    /// Ignore files above the root, and the one inside `.git`.
    rules: Vec<(PathBuf, Option<FileMark>)>,
    /// The files, sorted by path, as of the last check. Callers share this list until a file changes.
    files: Arc<[FileStamp]>,
}

struct CachedFolder {
    path: String,
    modified: u128,
    /// Indices of the folder's files in the list of all files.
    files: Vec<usize>,
    rules: [Option<FileMark>; 2],
}

/// Returns nanoseconds since 1970.
pub(crate) fn now_nanos() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos())
}

impl WalkCache {
    /// Creates the cache from a walk that began at `taken`: the visited directories with their times, and the names of
    /// the files found. `None` if something changed so recently that a further change might go unnoticed.
    pub(crate) fn new(
        tree: &Tree,
        began: u128,
        folders: Vec<(String, u128)>,
        files: &Arc<[FileStamp]>,
    ) -> Option<WalkCache> {
        let mut inside: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, file) in files.iter().enumerate() {
            inside.entry(split_parent(&file.path).0).or_default().push(index);
        }
        let settled = |modified| is_stable(modified, began);
        if !folders.iter().all(|(_, modified)| settled(*modified)) {
            return None;
        }
        let folders: Vec<CachedFolder> = folders
            .into_iter()
            .map(|(path, modified)| {
                let mark = |name: &str| file_mark(&tree.root().join(&path).join(name));
                let files = inside.remove(path.as_str()).unwrap_or_default();
                CachedFolder { rules: IGNORE_FILES.map(mark), path, modified, files }
            })
            .collect();
        let rules = ignore_files_above(tree.root());
        let marks = folders.iter().flat_map(|folder| folder.rules).chain(rules.iter().map(|(_, mark)| *mark));
        let all_settled = marks.flatten().all(|(_, modified)| settled(modified));
        let is_whole = all_settled && inside.is_empty();
        let (inside, files) = (is_inside_repository(tree.root()), Arc::clone(files));
        is_whole.then_some(WalkCache { in_repository: inside, folders, rules, files })
    }

    /// Returns the files with current metadata, sorted by path; `None` if a walk might find different ones.
    pub(crate) fn refresh(&mut self, tree: &Tree) -> Option<Arc<[FileStamp]>> {
        let changed = self.each_folder(tree, |folder, directory| folder.changed_files(directory, &self.files))?;
        if changed.iter().any(|changed| !changed.is_empty()) {
            let mut files = self.files.to_vec();
            for (index, (size, modified)) in changed.into_iter().flatten() {
                (files[index].size, files[index].modified) = (size, modified);
            }
            self.files = files.into();
        }
        Some(Arc::clone(&self.files))
    }

    /// Returns the files without reading their metadata: sizes and times are those of an earlier check.
    pub(crate) fn names(&self, tree: &Tree) -> Option<Arc<[FileStamp]>> {
        self.each_folder(tree, |_, _| Some(()))?;
        Some(Arc::clone(&self.files))
    }

    /// Calls `look` for each folder; `None` if a walk might find different names.
    fn each_folder<T: Send>(
        &self,
        tree: &Tree,
        look: impl Fn(&CachedFolder, &Directory) -> Option<T> + Sync,
    ) -> Option<Vec<T>> {
        let same = self.rules.iter().all(|(path, mark)| file_mark(path) == *mark);
        if !same || is_inside_repository(tree.root()) != self.in_repository {
            return None;
        }
        let root = tree.directory("").ok()?;
        parallel::map(&self.folders, MIN_FOLDERS_PER_THREAD, |folder| look(folder, &folder.reopen(tree, &root)?))
            .into_iter()
            .collect()
    }
}

impl CachedFolder {
    /// Opens the folder; `None` if it was replaced, or a walk might find different names in it.
    fn reopen(&self, tree: &Tree, root: &Directory) -> Option<Directory> {
        let folder = tree.directory_in(root, &self.path).ok()?;
        if folder.seen().ok()?.changed_at() != self.modified {
            return None;
        }
        let mark = |name: &str| folder.look(name).ok().map(|seen: Seen| (seen.size, seen.changed_at()));
        // A missing ignore file is still missing, because the folder has not changed.
        let is_same = IGNORE_FILES.iter().zip(self.rules).all(|(name, known)| known.is_none() || mark(name) == known);
        is_same.then_some(folder)
    }

    /// Returns the files whose metadata has changed; `None` if one of them is no longer a regular file.
    fn changed_files(&self, folder: &Directory, files: &[FileStamp]) -> Option<Vec<(usize, FileMark)>> {
        let mut changed = Vec::new();
        let above = if self.path.is_empty() { 0 } else { self.path.len() + 1 };
        for index in &self.files {
            let file = &files[*index];
            let seen = folder.look(file.path.get(above..)?).ok().filter(|seen| seen.what == What::File)?;
            let mark = (seen.size, seen.changed_at());
            if mark != (file.size, file.modified) {
                changed.push((*index, mark));
            }
        }
        Some(changed)
    }
}

fn file_mark(path: &Path) -> Option<FileMark> {
    fs::symlink_metadata(path).ok().map(|metadata| (metadata.len(), changed_of(&metadata)))
}

/// Returns the ignore files outside the root that apply to it.
fn ignore_files_above(root: &Path) -> Vec<(PathBuf, Option<FileMark>)> {
    let above = if is_inside_repository(root) { root.ancestors().count() } else { 1 };
    root.ancestors()
        .take(above)
        .flat_map(|folder| [folder.join(".gitignore"), folder.join(".ignore"), folder.join(".git/info/exclude")])
        .map(|path| {
            let mark = file_mark(&path);
            (path, mark)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use marquetry_model::lookups::COARSE_TICK;

    use super::*;
    use crate::walk::{WalkDetail, walk};

    #[test]
    fn cached_walk_is_valid_until_a_directory_changes() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/a.txt"), "a").unwrap();
        fs::write(folder.path().join("b.txt"), "b").unwrap();
        let tree = Tree::new(folder.path().canonicalize().unwrap(), None);
        let walk_at = |taken| {
            let found = walk(tree.root(), "", "", WalkDetail::Stamp).unwrap();
            let files: Arc<[FileStamp]> = found.files.into();
            (WalkCache::new(&tree, taken, found.folders, &files), files)
        };
        assert!(
            walk_at(now_nanos()).0.is_none(),
            "a walk that has just ended must not be cached: another change might leave the folder times as they are"
        );
        let (remembered, files) = walk_at(now_nanos() + COARSE_TICK + 1);
        let mut remembered = remembered.unwrap();
        assert!(Arc::ptr_eq(&remembered.refresh(&tree).unwrap(), &files), "an unchanged walk is reused");
        let names = |files: &[FileStamp]| files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
        assert_eq!(names(&remembered.names(&tree).unwrap()), names(&files));
        fs::write(folder.path().join("sub/a.txt"), "longer").unwrap();
        assert_eq!(remembered.refresh(&tree).unwrap()[1].size, 6, "a changed file must have its new size");
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(folder.path().join("sub/c.txt"), "c").unwrap();
        assert!(remembered.refresh(&tree).is_none() && remembered.names(&tree).is_none());
    }

    #[test]
    fn changed_ignore_files_invalidate_cached_walk() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/a.txt"), "a").unwrap();
        let tree = Tree::new(folder.path().canonicalize().unwrap(), None);
        let cached_walk = || {
            let found = walk(tree.root(), "", "", WalkDetail::Stamp).unwrap();
            let files: Arc<[FileStamp]> = found.files.into();
            WalkCache::new(&tree, now_nanos() + COARSE_TICK + 1, found.folders, &files).unwrap()
        };
        let (rule, tick) = (folder.path().join("sub/.ignore"), std::time::Duration::from_millis(20));
        let steps: [&dyn Fn(); 3] =
            [&|| fs::write(&rule, "a.txt").unwrap(), &|| fs::write(&rule, "b.txt, and more").unwrap(), &|| {
                fs::remove_file(&rule).unwrap()
            }];
        for (number, step) in steps.iter().enumerate() {
            let mut remembered = cached_walk();
            assert!(remembered.refresh(&tree).is_some() && remembered.names(&tree).is_some(), "{number}");
            std::thread::sleep(tick);
            step();
            assert!(remembered.refresh(&tree).is_none() && remembered.names(&tree).is_none(), "{number}");
        }
    }
}
