//! What is kept on disk and needed by nobody.

use std::path::PathBuf;

/// A file or folder of marq's own that can go: nothing of a project is lost with it but what the reason says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Where it is.
    pub path: PathBuf,
    /// What it takes.
    pub bytes: u64,
    /// What it is, and why it is not needed.
    pub reason: String,
}
