//! The place of a plugin's bytes: a file, or the memory of a program that contains the plugin.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_model::limits;

use crate::{cache::FileFingerprint, identity};

/// Plugins that the program contains, by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct EmbeddedPlugins(BTreeMap<String, PluginFile>);

/// The place of a plugin's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PluginFile {
    /// The file. For a plugin in memory, a name that identifies its bytes in caches and messages.
    path: PathBuf,
    /// The bytes of a plugin in memory.
    bytes: Option<Arc<[u8]>>,
}

impl EmbeddedPlugins {
    /// Adds a plugin, or replaces the one of this name.
    pub(crate) fn add(&mut self, id: &str, bytes: impl Into<Arc<[u8]>>) {
        let bytes = bytes.into();
        let path = PathBuf::from(format!("embedded/{id}-{}.wasm", identity::digest(&bytes)));
        self.0.insert(id.to_owned(), PluginFile { path, bytes: Some(bytes) });
    }

    /// Returns the plugin of this name.
    pub(crate) fn get(&self, id: &str) -> Option<PluginFile> {
        self.0.get(id).cloned()
    }

    /// Returns the names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl PluginFile {
    /// Creates the place of a plugin file.
    pub(crate) fn on_disk(path: PathBuf) -> PluginFile {
        PluginFile { path, bytes: None }
    }

    /// The path, or the name of a plugin in memory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the metadata that identifies the bytes. That of bytes in memory never changes, because their name has
    /// their digest.
    pub(crate) fn fingerprint(&self) -> io::Result<FileFingerprint> {
        match &self.bytes {
            Some(bytes) => Ok(FileFingerprint { size: bytes.len() as u64, modified: 0, changed: 0, number: 0 }),
            None => FileFingerprint::read(&self.path),
        }
    }

    /// Returns the bytes. Fails if they exceed the size limit, or if the file is not a regular file.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        match &self.bytes {
            Some(bytes) if bytes.len() as u64 > limits::PLUGIN_BYTES => Err(identity::size_error()),
            Some(bytes) => Ok(bytes.to_vec()),
            None => identity::read_plugin_file(&self.path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_memory_are_identified_by_their_digest() {
        let mut plugins = EmbeddedPlugins::default();
        plugins.add("p", &b"one"[..]);
        let one = plugins.get("p").expect("added");
        plugins.add("p", &b"two"[..]);
        let two = plugins.get("p").expect("replaced");
        assert_eq!((one.read().expect("bytes"), two.read().expect("bytes")), (b"one".to_vec(), b"two".to_vec()));
        assert_ne!(one.path(), two.path(), "caches must not confuse them");
        assert_eq!(one.fingerprint().expect("known"), two.fingerprint().expect("known"));
        assert_eq!(plugins.names().collect::<Vec<_>>(), ["p"]);
        assert_eq!(plugins.get("q"), None);
    }

    #[test]
    fn plugin_on_disk_is_read_when_asked() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = PluginFile::on_disk(folder.path().join("p.wasm"));
        assert!(file.read().is_err() && file.fingerprint().is_err());
        std::fs::write(file.path(), b"bytes").expect("written");
        assert_eq!((file.read().expect("there"), file.fingerprint().expect("there").size), (b"bytes".to_vec(), 5));
    }
}
