//! Cache of lookups outside of a directory walk: links can point to ignored files, and missing files can appear.

use std::sync::{Mutex, MutexGuard, PoisonError};

use marquetry_model::{
    lookups::Lookups,
    ports::{EntryKind, Files},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Results of lookups outside of the walk. They are stored on disk as a list of paths, each with `true` for a folder,
/// `false` for a file, or `None` if the path does not exist.
#[derive(Debug, Default)]
pub(crate) struct OutsideLookups(Mutex<Lookups>);

/// Serialized form of the lookups.
type StoredLookups = Vec<(String, Option<bool>)>;

impl OutsideLookups {
    pub(crate) fn get(&self, path: &str) -> Option<Option<EntryKind>> {
        self.lookups().get(path)
    }

    /// Records the result of a lookup. If the path is recorded already, the earlier result is kept and returned.
    pub(crate) fn insert(&self, path: &str, kind: Option<EntryKind>) -> Option<EntryKind> {
        self.lookups().insert(path, kind)
    }

    pub(crate) fn extend(&self, other: OutsideLookups) {
        self.lookups().extend(other.0.into_inner().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns a copy without some paths.
    pub(crate) fn without(&self, paths: &[String]) -> OutsideLookups {
        let mut lookups = self.lookups().clone();
        paths.iter().for_each(|path| lookups.remove(path));
        OutsideLookups(Mutex::new(lookups))
    }

    /// Returns the paths whose lookup has another result than the recorded one.
    pub(crate) fn outdated(&self, files: &dyn Files) -> Vec<String> {
        files.changed_lookups(&mut self.lookups())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lookups().bytes()
    }

    fn lookups(&self) -> MutexGuard<'_, Lookups> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for OutsideLookups {
    fn clone(&self) -> OutsideLookups {
        self.without(&[])
    }
}

impl PartialEq for OutsideLookups {
    fn eq(&self, other: &OutsideLookups) -> bool {
        let ours = self.lookups().clone();
        ours == *other.lookups()
    }
}

impl Eq for OutsideLookups {}

impl Serialize for OutsideLookups {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_folder = |kind: EntryKind| kind == EntryKind::Directory;
        let kept: StoredLookups = self.lookups().iter().map(|(path, kind)| (path, kind.map(is_folder))).collect();
        kept.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OutsideLookups {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OutsideLookups, D::Error> {
        let kind = |is_folder: bool| if is_folder { EntryKind::Directory } else { EntryKind::File };
        let kept = StoredLookups::deserialize(deserializer)?;
        Ok(OutsideLookups(Mutex::new(kept.into_iter().map(|(path, is_folder)| (path, is_folder.map(kind))).collect())))
    }
}
