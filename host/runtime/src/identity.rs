//! What a plugin's file is known by: its bytes, their digest, and what they say before anything of them runs.

use std::path::Path;

use marquetry_model::limits;
use sha2::{Digest, Sha256};

/// What a plugin's type says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Optional interfaces of the contract that it exports.
    pub(crate) interfaces: Vec<String>,
    /// What it imports.
    pub(crate) imports: Vec<String>,
    /// The patterns of the files that it takes, where its file says them.
    pub(crate) files: Option<Vec<String>>,
}

/// The bytes of a plugin file: a file, and of a size that a plugin may have.
pub(crate) fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() > limits::PLUGIN {
        let most = limits::PLUGIN >> 20;
        return Err(std::io::Error::other(format!("it is no file of at most {most} MiB")));
    }
    std::fs::read(path)
}

/// sha256 in lower-case hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
