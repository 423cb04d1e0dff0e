//! What was found at paths that no walk tells of: ignored files may be linked to, and what is not there may come.

use std::sync::{Mutex, MutexGuard, PoisonError};

use marquetry_model::{
    lookups::Lookups,
    ports::{EntryKind, Files},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What was found beyond a walk. Kept on disk as a list of paths, each with whether a folder was there; none where nothing was.
#[derive(Debug, Default)]
pub(crate) struct Beyond(Mutex<Lookups>);

/// As it is kept.
type Kept = Vec<(String, Option<bool>)>;

impl Beyond {
    pub(crate) fn get(&self, path: &str) -> Option<Option<EntryKind>> {
        self.lookups().get(path)
    }

    /// Note what was found. What was noted first stands, and is the answer.
    pub(crate) fn insert(&self, path: &str, kind: Option<EntryKind>) -> Option<EntryKind> {
        self.lookups().insert(path, kind)
    }

    pub(crate) fn extend(&self, other: Beyond) {
        self.lookups().extend(other.0.into_inner().unwrap_or_else(PoisonError::into_inner));
    }

    /// The same, but for some paths.
    pub(crate) fn without(&self, paths: &[String]) -> Beyond {
        let mut lookups = self.lookups().clone();
        paths.iter().for_each(|path| lookups.remove(path));
        Beyond(Mutex::new(lookups))
    }

    /// The paths at which something else stands by now.
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
