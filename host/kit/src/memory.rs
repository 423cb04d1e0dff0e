//! An in-memory implementation of [`Files`].

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use marquetry_model::{
    Change, ChangeEffects, Error, Kind, Result, Work,
    ports::{EntryKind, FileStamp, Files, PastChange, Source},
};

/// Read-only files in memory.
#[derive(Default)]
pub struct MemoryFiles {
    texts: BTreeMap<String, Arc<str>>,
    work: Option<Work>,
}

impl MemoryFiles {
    /// Creates files from paths and texts. All are treated as named by the caller, so packs may receive even those that
    /// hold secrets.
    pub fn from_files<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Arc<dyn Files> {
        let (texts, work) = (texts(files), Work::default());
        texts.keys().for_each(|path| work.name_file(path));
        Arc::new(MemoryFiles { texts, work: Some(work) })
    }

    /// Creates files for a call. Only those that the call names are treated as named.
    pub fn for_call<'a>(work: &Work, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Arc<dyn Files> {
        Arc::new(MemoryFiles { texts: texts(files), work: Some(work.clone()) })
    }
}

fn texts<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, Arc<str>> {
    files.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text))).collect()
}

/// Returns the hash of a text, which identifies it.
fn hash(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn read_only<T>() -> Result<T> {
    Err(Error::new(Kind::Unsupported, "files in memory do not change"))
}

impl Files for MemoryFiles {
    fn root(&self) -> &str {
        "/nowhere"
    }

    fn is_on_disk(&self) -> bool {
        false
    }

    fn locate(&self, path: &str) -> Result<String> {
        Ok(path.to_owned())
    }

    fn read(&self, path: &str) -> Result<Source> {
        let text =
            self.texts.get(path).ok_or_else(|| Error::new(Kind::FileNotFound, format!("`{path}` does not exist")))?;
        Ok(Source { path: path.to_owned(), text: Arc::clone(text), hash: hash(text), size: text.len() as u64 })
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        Ok(self.read(path)?.text.as_bytes().to_vec())
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        let below = format!("{path}/");
        if self.texts.contains_key(path) {
            return Some(EntryKind::File);
        }
        self.texts.keys().any(|file| file.starts_with(&below)).then_some(EntryKind::Directory)
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut found = BTreeMap::new();
        for rest in self.texts.keys().filter_map(|file| file.strip_prefix(&below)) {
            match rest.split_once('/') {
                Some((name, _)) => found.insert(name.to_owned(), EntryKind::Directory),
                None => found.insert(rest.to_owned(), EntryKind::File),
            };
        }
        found.into_iter().collect()
    }

    fn walk(&self, _below: &str) -> Result<Vec<FileStamp>> {
        Ok(self
            .texts
            .iter()
            .map(|(path, text)| FileStamp { path: path.clone(), size: text.len() as u64, modified: 0 })
            .collect())
    }

    fn work(&self) -> Option<&Work> {
        self.work.as_ref()
    }

    fn apply(&self, _change: &Change, _dry_run: bool, _work: &Work) -> Result<ChangeEffects> {
        read_only()
    }

    fn undo(&self, _id: Option<&str>, _dry_run: bool, _work: &Work) -> Result<(PastChange, ChangeEffects)> {
        read_only()
    }

    fn history(&self, _limit: usize) -> Result<Vec<PastChange>> {
        Ok(Vec::new())
    }
}
