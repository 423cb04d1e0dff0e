//! Cache of look-ups outside of a directory walk: links can point to ignored files, and missing files can appear.

use std::sync::{Mutex, MutexGuard, PoisonError};

use marquetry_model::{
    lookups::Lookups,
    ports::{EntryKind, Files},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Results of look-ups outside of the walk. Stored on disk as a list of paths, each with whether it was a folder;
/// `None` if nothing was there.
#[derive(Debug, Default)]
pub(crate) struct Beyond(Mutex<Lookups>);

/// Serialized form.
type Kept = Vec<(String, Option<bool>)>;

impl Beyond {
    pub(crate) fn get(&self, path: &str) -> Option<Option<EntryKind>> {
        self.lookups().get(path)
    }

    /// Records what was found. If the path is recorded already, the earlier result is kept and returned.
    pub(crate) fn insert(&self, path: &str, kind: Option<EntryKind>) -> Option<EntryKind> {
        self.lookups().insert(path, kind)
    }

    pub(crate) fn extend(&self, other: Beyond) {
        self.lookups().extend(other.0.into_inner().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns a copy without some paths.
    pub(crate) fn without(&self, paths: &[String]) -> Beyond {
        let mut lookups = self.lookups().clone();
        paths.iter().for_each(|path| lookups.remove(path));
        Beyond(Mutex::new(lookups))
    }

    /// Returns the paths at which something else is now.
    pub(crate) fn outdated(&self, files: &dyn Files) -> Vec<String> {
        files.outdated(&mut self.lookups())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lookups().bytes()
    }

    fn lookups(&self) -> MutexGuard<'_, Lookups> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Beyond {
    fn clone(&self) -> Beyond {
        self.without(&[])
    }
}

impl PartialEq for Beyond {
    fn eq(&self, other: &Beyond) -> bool {
        let ours = self.lookups().clone();
        ours == *other.lookups()
    }
}

impl Eq for Beyond {}

impl Serialize for Beyond {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_folder = |kind: EntryKind| kind == EntryKind::Directory;
        let kept: Kept = self.lookups().iter().map(|(path, kind)| (path, kind.map(is_folder))).collect();
        kept.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Beyond {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Beyond, D::Error> {
        let kind = |is_folder: bool| if is_folder { EntryKind::Directory } else { EntryKind::File };
        let kept = Kept::deserialize(deserializer)?;
        Ok(Beyond(Mutex::new(kept.into_iter().map(|(path, is_folder)| (path, is_folder.map(kind))).collect())))
    }
}
