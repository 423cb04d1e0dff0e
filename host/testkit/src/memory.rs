//! Files in memory.

use std::{collections::BTreeMap, sync::Arc};

use marquetry_model::{
    Applied, Change, Error, Kind, Result, Work,
    ports::{EntryKind, FileStamp, Files, Past, Source},
};

/// Texts by path. Cannot be changed through the port.
#[derive(Debug, Default)]
pub struct MemoryFiles(BTreeMap<String, Arc<str>>);

impl MemoryFiles {
    /// Files from paths and texts.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Arc<dyn Files> {
        Arc::new(MemoryFiles(files.into_iter().map(|(path, text)| (path.to_owned(), Arc::from(text))).collect()))
    }
}

fn read_only<T>() -> Result<T> {
    Err(Error::new(Kind::Unsupported, "files in memory do not change"))
}

impl Files for MemoryFiles {
    fn root(&self) -> &str {
        "/nowhere"
    }

    fn locate(&self, path: &str) -> Result<String> {
        Ok(path.to_owned())
    }

    fn read(&self, path: &str) -> Result<Source> {
        let text =
            self.0.get(path).ok_or_else(|| Error::new(Kind::FileNotFound, format!("`{path}` does not exist")))?;
        Ok(Source {
            path: path.to_owned(),
            text: Arc::clone(text),
            hash: format!("{:x}", text.len()),
            size: text.len() as u64,
        })
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        Ok(self.read(path)?.text.as_bytes().to_vec())
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        let below = format!("{path}/");
        if self.0.contains_key(path) {
            return Some(EntryKind::File);
        }
        self.0.keys().any(|file| file.starts_with(&below)).then_some(EntryKind::Directory)
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut found = BTreeMap::new();
        for rest in self.0.keys().filter_map(|file| file.strip_prefix(&below)) {
            match rest.split_once('/') {
                Some((name, _)) => found.insert(name.to_owned(), EntryKind::Directory),
                None => found.insert(rest.to_owned(), EntryKind::File),
            };
        }
        found.into_iter().collect()
    }

    fn walk(&self, _below: &str) -> Result<Vec<FileStamp>> {
        Ok(self
            .0
            .iter()
            .map(|(path, text)| FileStamp { path: path.clone(), size: text.len() as u64, modified: 0 })
            .collect())
    }

    fn apply(&self, _change: &Change, _dry_run: bool, _work: &Work) -> Result<Applied> {
        read_only()
    }

    fn undo(&self, _id: Option<&str>, _dry_run: bool, _work: &Work) -> Result<(Past, Applied)> {
        read_only()
    }

    fn history(&self, _limit: usize) -> Result<Vec<Past>> {
        Ok(Vec::new())
    }
}
