//! The index on disk: one file for each root. What cannot be read is made again.

use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::{Hash, Hasher},
    io::Write,
    path::PathBuf,
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::{entry::Entry, moment::Reads};

/// Raised when what is kept changes its shape.
const SCHEMA: u32 = 3;

/// Where indices are kept.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    folder: PathBuf,
}

/// An index as it is kept.
#[derive(Debug, Deserialize)]
pub(crate) struct Kept {
    schema: u32,
    root: String,
    pub(crate) entries: Vec<Entry>,
    /// Files whose text decided where links lead, with their versions.
    pub(crate) reads: Reads,
}

/// The same, borrowed.
#[derive(Serialize)]
struct Keep<'a> {
    schema: u32,
    root: &'a str,
    entries: Vec<&'a Entry>,
    reads: &'a [(String, Option<u64>)],
}

impl Store {
    pub(crate) fn new(folder: PathBuf) -> Store {
        Store { folder }
    }

    fn path(&self, root: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        root.hash(&mut hasher);
        self.folder.join(format!("{:016x}.index", hasher.finish()))
    }

    pub(crate) fn load(&self, root: &str) -> Option<Kept> {
        let bytes = fs::read(self.path(root)).ok()?;
        let kept: Kept = postcard::from_bytes(&bytes).ok()?;
        (kept.schema == SCHEMA && kept.root == root).then_some(kept)
    }

    /// Failing to keep an index is no failure of a call.
    pub(crate) fn save(&self, root: &str, entries: &[Arc<Entry>], reads: &[(String, Option<u64>)]) {
        let keep = Keep { schema: SCHEMA, root, entries: entries.iter().map(AsRef::as_ref).collect(), reads };
        let saved = postcard::to_stdvec(&keep).map_err(std::io::Error::other).and_then(|bytes| {
            fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(&bytes)?;
            file.persist(self.path(root))?;
            Ok(())
        });
        if let Err(error) = saved {
            tracing::debug!("the index was not kept: {error}");
        }
    }
}
