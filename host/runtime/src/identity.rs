//! Identity of a plugin file: its bytes, their digest, and information that is available without running it.

use std::path::Path;

use marquetry_model::limits;
use sha2::{Digest, Sha256};

/// Information from the component type of a plugin.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Optional WIT interfaces that the plugin exports.
    pub(crate) interfaces: Vec<String>,
    /// Names of the interfaces or functions that the plugin imports.
    pub(crate) imports: Vec<String>,
    /// The patterns of the files that the plugin handles, if the plugin file declares them.
    pub(crate) files: Option<Vec<String>>,
}

/// Reads a plugin file. Fails if it is not a regular file or exceeds the size limit.
pub(crate) fn read_plugin_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > limits::PLUGIN_BYTES {
        return Err(size_error());
    }
    std::fs::read(path)
}

/// Error for a plugin that is not a file, or is too large.
pub(crate) fn size_error() -> std::io::Error {
    std::io::Error::other(format!("it is not a file of at most {} MiB", limits::PLUGIN_BYTES >> 20))
}

/// Returns the sha256 in lower-case hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
