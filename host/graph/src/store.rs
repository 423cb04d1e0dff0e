//! Index files on disk, and other data of a root: one file each, with a checksum. A file that cannot be read or is
//! damaged is rebuilt.

use std::{
    collections::{BTreeSet, hash_map::DefaultHasher},
    fs,
    hash::{Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{entry::Entry, lookup_probes::Probes, snapshot::TextVersions};

/// Incremented when the serialized form changes.
pub(crate) const SCHEMA: u32 = 9;

/// Folder of index files.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    /// `None` if nothing is stored.
    folder: Option<PathBuf>,
}

/// Extension of index files.
pub(crate) const EXTENSION: &str = "index";

/// Suffix of files while they are written. A killed process can leave one behind.
pub(crate) const UNFINISHED: &str = "unfinished";

/// Size of the checksum in bytes.
const CHECKSUM: usize = 32;

/// Serialized form of an index.
#[derive(Debug, Deserialize)]
pub(crate) struct StoredIndex {
    schema: u32,
    root: String,
    pub(crate) entries: Vec<Entry>,
    pub(crate) rest: IndexMetadata,
}

/// Data of an index besides its entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct IndexMetadata {
    /// The identities of the packs in use, as returned by [`marquetry_model::ports::Packs::identities`]. Includes all
    /// packs that read the files.
    pub(crate) engines: BTreeSet<String>,
    /// Files whose text the link targets depend on, with their versions.
    pub(crate) reads: TextVersions,
    pub(crate) probes: Probes,
}

/// Like [`StoredIndex`], borrowed.
#[derive(Serialize)]
struct StoredIndexRef<'a> {
    schema: u32,
    root: &'a str,
    entries: Vec<&'a Entry>,
    rest: &'a IndexMetadata,
}

impl Store {
    pub(crate) fn new(folder: Option<PathBuf>) -> Store {
        Store { folder }
    }

    fn path(&self, root: &str, extension: &str) -> Option<PathBuf> {
        let mut hasher = DefaultHasher::new();
        root.hash(&mut hasher);
        Some(self.folder.as_ref()?.join(format!("{:016x}.{extension}", hasher.finish())))
    }

    pub(crate) fn load(&self, root: &str) -> Option<StoredIndex> {
        let kept: StoredIndex = self.read(root, EXTENSION)?;
        (kept.schema == SCHEMA && kept.root == root).then_some(kept)
    }

    /// Reads the data of a root from its file with this extension.
    pub(crate) fn read<T: DeserializeOwned>(&self, root: &str, extension: &str) -> Option<T> {
        let bytes = fs::read(self.path(root, extension)?).ok()?;
        let (checksum, bytes) = bytes.split_at_checked(CHECKSUM)?;
        if blake3::hash(bytes).as_bytes() == checksum { postcard::from_bytes(bytes).ok() } else { None }
    }

    pub(crate) fn save(&self, root: &str, entries: &[Arc<Entry>], rest: &IndexMetadata) {
        let keep = StoredIndexRef { schema: SCHEMA, root, entries: entries.iter().map(AsRef::as_ref).collect(), rest };
        self.write(root, EXTENSION, &keep);
    }

    /// Writes the data of a root. Failures are only logged: they must not fail the call.
    pub(crate) fn write<T: Serialize>(&self, root: &str, extension: &str, keep: &T) {
        let (Some(folder), Some(path)) = (&self.folder, self.path(root, extension)) else { return };
        let saved = postcard::to_stdvec(keep).map_err(std::io::Error::other).and_then(|bytes| {
            make_private(folder)?;
            let mut file = tempfile::Builder::new().suffix(&format!(".{UNFINISHED}")).tempfile_in(folder)?;
            file.write_all(blake3::hash(&bytes).as_bytes())?;
            file.write_all(&bytes)?;
            file.persist(path)?;
            Ok(())
        });
        if let Err(error) = saved {
            tracing::debug!("cannot write the {extension} file: {error}");
        }
    }
}

/// Root of an index file if this version can read it.
pub(crate) fn root_of(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let (checksum, bytes) = bytes.split_at_checked(CHECKSUM)?;
    let (schema, bytes) =
        postcard::take_from_bytes::<u32>(bytes).ok().filter(|_| blake3::hash(bytes).as_bytes() == checksum)?;
    let (root, _) = postcard::take_from_bytes::<String>(bytes).ok()?;
    (schema == SCHEMA).then_some(root)
}

/// Creates a folder with its parents, accessible by the owner only.
#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_index_is_not_loaded() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(Some(folder.path().join("index")));
        let rest = IndexMetadata { reads: vec![("tsconfig.json".to_owned(), Some(7))], ..IndexMetadata::default() };
        store.save("/root", &[], &rest);
        assert_eq!(store.load("/root").expect("kept").rest, rest);
        assert!(store.load("/other").is_none());
        let path = store.path("/root", EXTENSION).expect("a path");
        let whole = fs::read(&path).expect("kept");
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).expect("written");
            assert!(store.load("/root").is_none(), "byte {at}");
            fs::write(&path, &whole[..at]).expect("written");
            assert!(store.load("/root").is_none(), "cut at {at}");
        }
        let none = Store::new(None);
        none.save("/root", &[], &rest);
        assert!(none.load("/root").is_none());
    }
}
