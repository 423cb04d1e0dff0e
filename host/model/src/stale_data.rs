//! Stale data: files on disk that are no longer needed.

use std::path::PathBuf;

/// A file or folder created by marq that can be deleted. Deleting it loses only what `reason` describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleData {
    /// Its path.
    pub path: PathBuf,
    /// Its size on disk.
    pub bytes: u64,
    /// A description of the data, and the reason why it is no longer needed.
    pub reason: String,
}
