//! Information about a plugin file that later processes need not read from the file again.

use std::{
    fs,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};

use crate::{cached_description::CachedDescription, identity::Identity};

/// Version of the cache format. Increment it when the format changes.
pub(crate) const SCHEMA: u32 = 5;

/// File metadata from when a digest was computed. While it is unchanged, the digest is still valid. A replaced file has
/// another inode number or change time; programs cannot set the change time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileFingerprint {
    pub(crate) size: u64,
    pub(crate) modified: u128,
    pub(crate) changed: i128,
    pub(crate) number: u64,
}

/// Cached information about a plugin file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CachedPlugin {
    schema: u32,
    pub(crate) stamp: FileFingerprint,
    pub(crate) sha256: String,
    pub(crate) interfaces: Vec<String>,
    pub(crate) imports: Vec<String>,
    /// The patterns of the files that the plugin handles, if the plugin file or the description declares them.
    pub(crate) files: Option<Vec<String>>,
    /// The plugin's description; `None` until it was requested.
    pub(crate) description: Option<CachedDescription>,
    /// The path of the plugin file; empty until the information is stored.
    plugin: PathBuf,
}

impl FileFingerprint {
    pub(crate) fn read(path: &Path) -> std::io::Result<FileFingerprint> {
        let metadata = fs::metadata(path)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        #[cfg(unix)]
        let (changed, number) = {
            use std::os::unix::fs::MetadataExt;
            (i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()), metadata.ino())
        };
        #[cfg(not(unix))]
        let (changed, number) = (0, 0);
        Ok(FileFingerprint { size: metadata.len(), modified, changed, number })
    }

    /// Returns the fingerprint of bytes in memory. Their name has their digest, so it never changes.
    pub(crate) fn of_bytes(size: usize) -> FileFingerprint {
        FileFingerprint { size: size as u64, modified: 0, changed: 0, number: 0 }
    }
}

impl CachedPlugin {
    /// Creates an entry from information read from the bytes of a file.
    pub(crate) fn new(stamp: FileFingerprint, sha256: String, identity: Identity) -> CachedPlugin {
        let Identity { interfaces, imports, files } = identity;
        let (description, plugin) = (None, PathBuf::new());
        CachedPlugin { schema: SCHEMA, stamp, sha256, interfaces, imports, files, description, plugin }
    }

    /// Returns the information with the path of the plugin file.
    pub(crate) fn at(&self, path: &Path) -> CachedPlugin {
        CachedPlugin { plugin: path.to_owned(), ..self.clone() }
    }

    /// Returns the path of the plugin file; empty for information that was not stored.
    pub(crate) fn path(&self) -> &Path {
        &self.plugin
    }

    /// Reads an entry. `None` if another version wrote it.
    pub(crate) fn parse(json: &[u8]) -> Option<CachedPlugin> {
        serde_json::from_slice(json).ok().filter(|entry: &CachedPlugin| entry.schema == SCHEMA)
    }
}
