//! Files as a pack sees them while it resolves links, with a note of every file whose text it read: when one of those
//! changes, what it said is no longer certain.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use marquetry_model::{
    Applied, Change, Result, Work,
    ports::{EntryKind, FileStamp, Files, Past, Source},
};

/// Wraps the files of a root. What exists is answered from the list of files, texts are read once.
pub(crate) struct Recorder {
    inner: Arc<dyn Files>,
    listing: Arc<Listing>,
    read: Mutex<HashMap<String, Option<Source>>>,
}

/// All paths of a workspace, and all folders above them.
#[derive(Default)]
pub(crate) struct Listing {
    kinds: HashMap<String, EntryKind>,
    children: HashMap<String, Vec<(String, EntryKind)>>,
}

impl Listing {
    pub(crate) fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Listing {
        let mut listing = Listing::default();
        for path in paths {
            listing.add(path, EntryKind::File);
        }
        for children in listing.children.values_mut() {
            children.sort_by(|a, b| a.0.cmp(&b.0));
        }
        listing
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
}

impl Recorder {
    pub(crate) fn new(inner: Arc<dyn Files>, listing: Arc<Listing>) -> Recorder {
        Recorder { inner, listing, read: Mutex::default() }
    }

    /// The files whose text was asked for, with their hashes; files that were not there have none.
    pub(crate) fn reads(&self) -> Vec<(String, Option<String>)> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<_> =
            read.iter().map(|(path, source)| (path.clone(), source.as_ref().map(|s| s.hash.clone()))).collect();
        list.sort();
        list
    }
}

impl Files for Recorder {
    fn root(&self) -> &str {
        self.inner.root()
    }

    fn locate(&self, path: &str) -> Result<String> {
        self.inner.locate(path)
    }

    fn read(&self, path: &str) -> Result<Source> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Some(known)) = read.get(path) {
            return Ok(known.clone());
        }
        let source = self.inner.read(path);
        read.insert(path.to_owned(), source.as_ref().ok().cloned());
        source
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.inner.read_bytes(path)
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        match self.listing.kinds.get(path) {
            Some(kind) => Some(*kind),
            // Ignored files are not in the list, and may be linked to all the same.
            None => self.inner.stat(path),
        }
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        match self.listing.children.get(path) {
            Some(children) => children.clone(),
            None => self.inner.entries(path),
        }
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        self.inner.walk(below)
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<Applied> {
        self.inner.apply(change, dry_run, work)
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(Past, Applied)> {
        self.inner.undo(id, dry_run, work)
    }

    fn history(&self, limit: usize) -> Result<Vec<Past>> {
        self.inner.history(limit)
    }
}
