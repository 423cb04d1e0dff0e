//! Snapshot of the files of a root as a walk found them. Requests about the existence of a path are answered from the
//! walk. Texts are read once. Every text on which an answer depends is recorded: the answer is valid as long as these
//! texts are unchanged.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use marquetry_model::{
    Change, ChangeEffects, Result, Work,
    ports::{EntryKind, FileStamp, Files, PastChange, Source, WalkedFiles, new_layout, version},
};

use crate::{entry::Entry, layout::Layout, texts::Texts};

/// The version of each text that was requested; `None` if the file is missing or not text.
pub(crate) type TextVersions = Vec<(String, Option<u64>)>;

/// The files of a root as the walk found them.
pub(crate) struct Snapshot {
    number: u64,
    inner: Arc<dyn Files>,
    work: Work,
    layout: Arc<Layout>,
    /// Sorted by path.
    known: Arc<[Arc<Entry>]>,
    texts: Arc<Texts>,
    /// Texts outside of the walk that were requested, with their versions.
    beyond: Mutex<HashMap<String, Option<u64>>>,
}

impl Snapshot {
    pub(crate) fn new(
        inner: &Arc<dyn Files>,
        work: &Work,
        layout: &Arc<Layout>,
        known: Arc<[Arc<Entry>]>,
        texts: &Arc<Texts>,
    ) -> Arc<Snapshot> {
        let (inner, work, layout, texts) = (Arc::clone(inner), work.clone(), Arc::clone(layout), Arc::clone(texts));
        let beyond = Mutex::default();
        Arc::new(Snapshot { number: new_layout(), inner, work, layout, known, texts, beyond })
    }

    /// Hash of a file, if the index has it.
    fn hash(&self, path: &str) -> Option<&str> {
        let index = self.known.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        Some(self.known[index].hash.as_str()).filter(|hash| !hash.is_empty())
    }

    pub(crate) fn read(&self, path: &str) -> Result<Source> {
        let hash = self.hash(path);
        if let Some(source) = hash.and_then(|hash| self.texts.get(path, hash)) {
            return Ok(source);
        }
        let source = self.inner.read(path);
        if hash.is_none() {
            self.record_outside(path, source.as_ref().ok().map(Source::version));
        }
        let source = source?;
        if hash.is_some_and(|hash| hash == source.hash) {
            self.texts.keep(&source);
        }
        Ok(source)
    }

    /// The text of a file, without the hash.
    fn text(&self, path: &str) -> Result<Arc<str>> {
        let known = self.hash(path).and_then(|hash| self.texts.text(path, hash));
        known.map_or_else(|| Ok(self.read(path)?.text), Ok)
    }

    /// Identity of the pack that read a file, as recorded in the index.
    pub(crate) fn engine(&self, path: &str) -> Option<&str> {
        let index = self.known.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        Some(self.known[index].engine.as_str())
    }

    /// Returns the path of a file that the pack with this identity read.
    pub(crate) fn file_read_by(&self, engine: &str) -> Option<&str> {
        self.known.iter().find(|entry| entry.engine == engine).map(|entry| entry.path.as_str())
    }

    pub(crate) fn version(&self, path: &str) -> Option<u64> {
        match self.hash(path) {
            Some(hash) => Some(version(hash)),
            None => {
                // Packs look for many files that do not exist. The error about a missing file has the most similar paths
                // of the workspace, which takes much longer than the lookup.
                let is_file = self.layout.stat(self.inner.as_ref(), path) == Some(EntryKind::File);
                let version = if is_file { self.inner.version(path) } else { None };
                self.record_outside(path, version);
                version
            }
        }
    }

    fn record_outside(&self, path: &str, version: Option<u64>) {
        let mut beyond = self.beyond.lock().unwrap_or_else(PoisonError::into_inner);
        if !beyond.contains_key(path) {
            beyond.insert(path.to_owned(), version);
        }
    }

    /// Texts outside of the walk that were requested, each with the first version seen.
    pub(crate) fn outside_reads(&self) -> TextVersions {
        let beyond = self.beyond.lock().unwrap_or_else(PoisonError::into_inner);
        beyond.iter().map(|(path, version)| (path.clone(), *version)).collect()
    }

    /// Entries of the walked files. The `Arc` is the same as long as no entry changes.
    pub(crate) fn entries(&self) -> &Arc<[Arc<Entry>]> {
        &self.known
    }

    /// The files that may export a name; see [`Files::exporters`].
    fn exporters(&self, name: &str) -> Vec<String> {
        let stem = |path: &str| {
            let file = path.rsplit('/').next().unwrap_or(path);
            file.split('.').next().unwrap_or(file).to_lowercase()
        };
        let wanted: String = name.to_lowercase();
        let may_export = |entry: &&Arc<Entry>| {
            entry.names.as_ref().is_some_and(|names| {
                let passes_on =
                    |wanted: &str| names.imports.iter().any(|(.., as_name)| as_name.as_deref() == Some(wanted));
                let exports = |wanted: &str| names.exports.iter().any(|export| export == wanted) || passes_on(wanted);
                let is_called = || stem(&entry.path).replace(['-', '_'], "") == wanted || entry.words.may_hold(name);
                exports(name) || (exports("default") && is_called())
            })
        };
        self.known.iter().filter(may_export).map(|entry| entry.path.clone()).collect()
    }

    /// Unique number of this snapshot.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn layout(&self) -> u64 {
        self.layout.number()
    }

    /// The layout of the workspace.
    pub(crate) fn paths(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn files(&self) -> &Arc<dyn Files> {
        &self.inner
    }
}

/// The files of a snapshot for one question. Records the texts that are requested.
pub(crate) struct RecordingFiles {
    moment: Arc<Snapshot>,
    reads: Mutex<HashMap<String, Option<u64>>>,
    /// Paths that were looked up; `None` if they are not recorded.
    looks: Option<Mutex<RecordedLookups>>,
}

/// Paths that were looked up.
#[derive(Debug, Default)]
pub(crate) struct RecordedLookups {
    /// Result for each path.
    pub(crate) kinds: HashMap<String, Option<EntryKind>>,
    /// Folders whose entries were listed.
    pub(crate) listed: HashSet<String>,
}

impl RecordingFiles {
    pub(crate) fn new(moment: &Arc<Snapshot>) -> Arc<RecordingFiles> {
        Arc::new(RecordingFiles { moment: Arc::clone(moment), reads: Mutex::default(), looks: None })
    }

    /// Creates recording files that also record lookups of paths.
    pub(crate) fn with_lookups(moment: &Arc<Snapshot>) -> Arc<RecordingFiles> {
        Arc::new(RecordingFiles { moment: Arc::clone(moment), reads: Mutex::default(), looks: Some(Mutex::default()) })
    }

    /// Returns the walked path that differs from this path only in case; see [`Layout::as_walked`].
    pub(crate) fn as_walked(&self, path: &str) -> Option<String> {
        self.moment.layout.as_walked(self.moment.inner.as_ref(), path)
    }

    /// Returns the lookups after the last call.
    pub(crate) fn take_lookups(&self) -> RecordedLookups {
        self.recorded_lookups().map(|mut looks| std::mem::take(&mut *looks)).unwrap_or_default()
    }

    fn recorded_lookups(&self) -> Option<MutexGuard<'_, RecordedLookups>> {
        self.looks.as_ref().map(|looks| looks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The texts that were requested, sorted by path.
    pub(crate) fn reads(&self) -> TextVersions {
        let read = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        let mut list: TextVersions = read.iter().map(|(path, version)| (path.clone(), *version)).collect();
        list.sort();
        list
    }

    /// Returns the texts that were requested after the last call, in no particular order.
    pub(crate) fn take_reads(&self) -> HashMap<String, Option<u64>> {
        std::mem::take(&mut *self.reads.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn record_read(&self, path: &str, version: Option<u64>) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), version);
    }
}

impl Files for RecordingFiles {
    fn root(&self) -> &str {
        self.moment.inner.root()
    }

    fn is_on_disk(&self) -> bool {
        self.moment.inner.is_on_disk()
    }

    fn locate(&self, path: &str) -> Result<String> {
        self.moment.inner.locate(path)
    }

    fn read(&self, path: &str) -> Result<Source> {
        let source = self.moment.read(path);
        self.record_read(path, source.as_ref().ok().map(Source::version));
        source
    }

    /// This read is not recorded: packs do not call this function, so no answer depends on its result.
    fn text(&self, path: &str) -> Result<Arc<str>> {
        self.moment.text(path)
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.moment.inner.read_bytes(path)
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        let kind = self.moment.layout.stat(self.moment.inner.as_ref(), path);
        if let Some(mut looks) = self.recorded_lookups() {
            looks.kinds.insert(path.to_owned(), kind);
        }
        kind
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        if let Some(mut looks) = self.recorded_lookups() {
            looks.listed.insert(path.to_owned());
        }
        self.moment.layout.entries(self.moment.inner.as_ref(), path)
    }

    fn resolve_links(&self, path: &str) -> String {
        self.moment.inner.resolve_links(path)
    }

    fn is_ignored(&self, path: &str) -> bool {
        self.moment.inner.is_ignored(path)
    }

    fn version(&self, path: &str) -> Option<u64> {
        if path.is_empty() {
            // While links are resolved, the texts of all files are counted together, so that a pack has to check the
            // version of a text only once for all files.
            return self.looks.is_some().then_some(self.moment.number);
        }
        let version = self.moment.version(path);
        self.record_read(path, version);
        version
    }

    fn layout(&self) -> u64 {
        self.moment.layout()
    }

    fn exporters(&self, name: &str) -> Vec<String> {
        self.moment.exporters(name)
    }

    fn work(&self) -> Option<&Work> {
        Some(&self.moment.work)
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        self.moment.inner.walk(below)
    }

    fn walk_with_skipped(&self, below: &str) -> Result<WalkedFiles> {
        self.moment.inner.walk_with_skipped(below)
    }

    fn notices(&self) -> Vec<String> {
        self.moment.inner.notices()
    }

    fn apply(&self, change: &Change, dry_run: bool, work: &Work) -> Result<ChangeEffects> {
        self.moment.inner.apply(change, dry_run, work)
    }

    fn undo(&self, id: Option<&str>, dry_run: bool, work: &Work) -> Result<(PastChange, ChangeEffects)> {
        self.moment.inner.undo(id, dry_run, work)
    }

    fn history(&self, limit: usize) -> Result<Vec<PastChange>> {
        self.moment.inner.history(limit)
    }
}
