//! Store of downloaded plugins by digest, in a folder private to the user. A plugin in it is used only if a lock has
//! its digest, and is hashed whenever it is loaded.

use std::{io::Write, path::PathBuf};

use marquetry_model::{Error, Kind, Result};

use crate::{identity, private_folder};

/// The store of this user.
#[derive(Debug, Clone)]
pub(crate) struct PluginStore(PathBuf);

impl PluginStore {
    pub(crate) fn new(folder: PathBuf) -> PluginStore {
        PluginStore(folder)
    }

    /// Returns the path of the plugin with this digest, whether or not it exists.
    pub(crate) fn plugin_path(&self, sha256: &str) -> PathBuf {
        self.0.join(format!("{sha256}.wasm"))
    }

    /// Returns whether the plugin with this digest is stored, in a folder private to the user.
    pub(crate) fn contains(&self, sha256: &str) -> bool {
        is_digest(sha256) && private_folder::check_private(&self.0).is_ok() && self.plugin_path(sha256).is_file()
    }

    /// Stores a plugin.
    ///
    /// # Errors
    /// Fails if the folder is not writable, or is not private to the user.
    pub(crate) fn store(&self, bytes: &[u8]) -> Result<PathBuf> {
        let failed = |error: std::io::Error| {
            Error::new(Kind::PermissionDenied, format!("{}: {error}", self.0.display()))
                .hint("set MARQ_STATE_DIR to a folder of your own (mode 700)")
        };
        private_folder::make_private(&self.0).and_then(|()| private_folder::check_private(&self.0)).map_err(failed)?;
        let path = self.plugin_path(&identity::digest(bytes));
        let mut file = tempfile::NamedTempFile::new_in(&self.0).map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        // An existing file of this name is replaced: it has the same bytes or is damaged.
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(path)
    }
}

/// Returns whether a text is a sha256 in lower-case hexadecimal, which makes it safe as a file name.
pub(crate) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_plugin_is_found_by_its_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = PluginStore::new(folder.path().join("deep/store"));
        let sha256 = identity::digest(b"abc");
        assert!(!store.contains(&sha256));
        let path = store.store(b"abc").expect("kept");
        assert_eq!((store.contains(&sha256), path), (true, store.plugin_path(&sha256)));
        for other in ["", "abc", "../store/x", &sha256.to_uppercase(), &"0".repeat(64)] {
            assert!(!store.contains(other), "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn store_accessible_to_others_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let store = PluginStore::new(folder.path().join("store"));
        store.store(b"abc").expect("kept");
        std::fs::set_permissions(&store.0, std::fs::Permissions::from_mode(0o755)).expect("set");
        assert!(!store.contains(&identity::digest(b"abc")));
        assert!(store.store(b"abd").is_err());
    }
}
