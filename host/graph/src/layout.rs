//! What there is below a root: the files of a walk and the folders around them, and beyond those whatever was asked for.

use std::{
    collections::HashMap,
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
}

/// What is in a folder.
pub(crate) type Listed = HashMap<String, Vec<(String, EntryKind)>>;

impl Layout {
    pub(crate) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Layout {
        let (kinds, children) = (HashMap::new(), HashMap::new());
        let (beyond, listed) = Default::default();
        let mut layout = Layout { number: new_layout(), digest: version(""), kinds, children, beyond, listed };
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
        self.beyond.get(path).unwrap_or_else(|| self.beyond.insert(path, files.stat(path)))
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
