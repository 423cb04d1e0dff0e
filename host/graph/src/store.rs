//! The index on disk, and what else is kept of a root: a file each, behind a checksum. What cannot be read, or is not what was
//! written, is made again.

use std::{
    collections::{BTreeSet, hash_map::DefaultHasher},
    fs,
    hash::{Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{entry::Entry, moment::Reads, probes::Probes};

/// Raised when what is kept changes its shape.
pub(crate) const SCHEMA: u32 = 8;

/// Where indices are kept.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    /// None where nothing is kept.
    folder: Option<PathBuf>,
}

/// The files that indices are in.
pub(crate) const EXTENSION: &str = "index";

/// The files that become one, while they are written: whoever is killed meanwhile leaves one.
pub(crate) const UNFINISHED: &str = "unfinished";

/// Bytes of the checksum.
const CHECKSUM: usize = 32;

/// An index as it is kept.
#[derive(Debug, Deserialize)]
pub(crate) struct Kept {
    schema: u32,
    root: String,
    pub(crate) entries: Vec<Entry>,
    pub(crate) rest: Rest,
}

/// What is known beside the entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Rest {
    /// The packs that the files were read by, among others, as [`marquetry_model::ports::Packs::identities`] tells them.
    pub(crate) engines: BTreeSet<String>,
    /// Files whose text decided where links lead, with their versions.
    pub(crate) reads: Reads,
    pub(crate) probes: Probes,
}

/// The same, borrowed.
#[derive(Serialize)]
struct Keep<'a> {
    schema: u32,
    root: &'a str,
    entries: Vec<&'a Entry>,
    rest: &'a Rest,
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

    pub(crate) fn load(&self, root: &str) -> Option<Kept> {
        let kept: Kept = self.read(root, EXTENSION)?;
        (kept.schema == SCHEMA && kept.root == root).then_some(kept)
    }

    /// What is kept of a root in a file with this extension.
    pub(crate) fn read<T: DeserializeOwned>(&self, root: &str, extension: &str) -> Option<T> {
        let bytes = fs::read(self.path(root, extension)?).ok()?;
        let (checksum, bytes) = bytes.split_at_checked(CHECKSUM)?;
        if blake3::hash(bytes).as_bytes() == checksum { postcard::from_bytes(bytes).ok() } else { None }
    }

    pub(crate) fn save(&self, root: &str, entries: &[Arc<Entry>], rest: &Rest) {
        let keep = Keep { schema: SCHEMA, root, entries: entries.iter().map(AsRef::as_ref).collect(), rest };
        self.write(root, EXTENSION, &keep);
    }

    /// Failing to keep something is no failure of a call.
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
            tracing::debug!("the {extension} was not kept: {error}");
        }
    }
}

/// The root of an index that this version can read.
pub(crate) fn root_of(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let (checksum, bytes) = bytes.split_at_checked(CHECKSUM)?;
    let (schema, bytes) =
        postcard::take_from_bytes::<u32>(bytes).ok().filter(|_| blake3::hash(bytes).as_bytes() == checksum)?;
    let (root, _) = postcard::take_from_bytes::<String>(bytes).ok()?;
    (schema == SCHEMA).then_some(root)
}

/// Make a folder, and those around it, that their owner alone may enter.
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
    fn an_index_that_is_not_what_was_written_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(Some(folder.path().join("index")));
        let rest = Rest { reads: vec![("tsconfig.json".to_owned(), Some(7))], ..Rest::default() };
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
