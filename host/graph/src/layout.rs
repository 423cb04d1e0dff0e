//! What there is below a root: the files of a walk and the folders around them, and beyond those whatever was asked for.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use marquetry_model::ports::{EntryKind, Files, new_layout};

use crate::cores::on_all_cores;

/// All paths of a workspace, and all folders above them.
pub(crate) struct Layout {
    number: u64,
    kinds: HashMap<String, EntryKind>,
    children: HashMap<String, Vec<(String, EntryKind)>>,
    /// What the walk did not find and was asked for all the same: ignored files may be linked to.
    beyond: Mutex<Beyond>,
}

#[derive(Default)]
struct Beyond {
    kinds: HashMap<String, Option<EntryKind>>,
    entries: HashMap<String, Vec<(String, EntryKind)>>,
}

impl Layout {
    pub(crate) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Layout {
        let (kinds, children, beyond) = (HashMap::new(), HashMap::new(), Mutex::default());
        let mut layout = Layout { number: new_layout(), kinds, children, beyond };
        for path in paths {
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

    pub(crate) fn stat(&self, files: &dyn Files, path: &str) -> Option<EntryKind> {
        if let Some(kind) = self.kinds.get(path) {
            return Some(*kind);
        }
        if let Some(kind) = self.beyond().kinds.get(path) {
            return *kind;
        }
        let kind = files.stat(path);
        *self.beyond().kinds.entry(path.to_owned()).or_insert(kind)
    }

    pub(crate) fn entries(&self, files: &dyn Files, path: &str) -> Vec<(String, EntryKind)> {
        if let Some(children) = self.children.get(path) {
            return children.clone();
        }
        if let Some(entries) = self.beyond().entries.get(path) {
            return entries.clone();
        }
        let entries = files.entries(path);
        self.beyond().entries.entry(path.to_owned()).or_insert(entries).clone()
    }

    /// Whether everything that was asked for beyond the walk is as it was.
    pub(crate) fn is_current(&self, files: &dyn Files) -> bool {
        let beyond = self.beyond();
        let kinds: Vec<(&String, &Option<EntryKind>)> = beyond.kinds.iter().collect();
        let same = on_all_cores(&kinds, |(path, kind)| files.stat(path) == **kind);
        same.into_iter().all(|same| same)
            && beyond.entries.iter().all(|(path, entries)| files.entries(path) == *entries)
    }

    fn beyond(&self) -> std::sync::MutexGuard<'_, Beyond> {
        self.beyond.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
