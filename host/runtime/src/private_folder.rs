//! Folders that only the current user can enter.

use std::{fs, path::Path};

/// Fails if a folder belongs to another user or other users can enter it.
#[cfg(unix)]
pub(crate) fn check_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::MetadataExt;

    let metadata = fs::symlink_metadata(folder)?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(std::io::Error::other("the folder belongs to another user"));
    }
    if !metadata.is_dir() || metadata.mode() & 0o077 != 0 {
        return Err(std::io::Error::other("other users can access the folder (it needs mode 700)"));
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn check_private(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Creates a folder that only its owner can enter.
#[cfg(unix)]
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}
