//! Access to a plugin's bytes, which are in a file or in the memory of a program that contains the plugin.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_model::limits;

use crate::{
    bundle::BundledPlugin,
    cached_plugin::{CachedPlugin, FileFingerprint},
    identity,
};

/// Plugins that the program contains, by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct EmbeddedPlugins {
    /// Plugins that [`EmbeddedPlugins::add`] added.
    added: BTreeMap<String, PluginFile>,
    /// Plugins that were compiled when the program was built.
    bundled: &'static [BundledPlugin],
}

/// The location of a plugin's bytes.
#[derive(Debug, Clone)]
pub(crate) struct PluginFile {
    /// The path of the file. For a plugin in memory, a name that identifies its bytes in caches and messages.
    path: PathBuf,
    bytes: Bytes,
}

#[derive(Debug, Clone)]
enum Bytes {
    OnDisk,
    InMemory(Arc<[u8]>),
    Bundled(&'static BundledPlugin),
}

impl EmbeddedPlugins {
    /// Adds a plugin, or replaces the one of this name.
    pub(crate) fn add(&mut self, id: &str, bytes: impl Into<Arc<[u8]>>) {
        let bytes = bytes.into();
        let path = PathBuf::from(format!("embedded/{id}-{}.wasm", identity::digest(&bytes)));
        self.added.insert(id.to_owned(), PluginFile { path, bytes: Bytes::InMemory(bytes) });
    }

    /// Sets the plugins that were compiled when the program was built.
    pub(crate) fn set_bundled(&mut self, plugins: &'static [BundledPlugin]) {
        self.bundled = plugins;
    }

    /// Returns the plugin of this name.
    pub(crate) fn get(&self, id: &str) -> Option<PluginFile> {
        let bundled = || self.bundled.iter().find(|plugin| plugin.id == id);
        let file = |plugin: &'static BundledPlugin| PluginFile { path: plugin.path(), bytes: Bytes::Bundled(plugin) };
        self.added.get(id).cloned().or_else(|| bundled().map(file))
    }

    /// Returns whether a path is the name of a plugin that was added.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        self.added.values().any(|file| file.path == path)
    }

    /// Returns the digests of the plugins that were compiled when the program was built.
    pub(crate) fn bundled_digests(&self) -> impl Iterator<Item = &str> {
        self.bundled.iter().map(|plugin| plugin.sha256)
    }

    /// Returns the names of the plugins that were added one by one.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.added.keys().map(String::as_str)
    }
}

impl PluginFile {
    /// Refers to the bytes of a file on disk.
    pub(crate) fn on_disk(path: PathBuf) -> PluginFile {
        PluginFile { path, bytes: Bytes::OnDisk }
    }

    /// The path, or the name of a plugin in memory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the metadata that identifies the bytes. That of bytes in memory never changes, because their name has
    /// their digest.
    pub(crate) fn fingerprint(&self) -> io::Result<FileFingerprint> {
        match &self.bytes {
            Bytes::InMemory(bytes) => Ok(FileFingerprint::of_bytes(bytes.len())),
            Bytes::Bundled(plugin) => Ok(plugin.fingerprint()),
            Bytes::OnDisk => FileFingerprint::read(&self.path),
        }
    }

    /// Returns the bytes. Fails if they exceed the size limit, or if the file is not a regular file.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        match &self.bytes {
            Bytes::InMemory(bytes) if bytes.len() as u64 > limits::PLUGIN_BYTES => Err(identity::size_error()),
            Bytes::InMemory(bytes) => Ok(bytes.to_vec()),
            Bytes::Bundled(plugin) => plugin.read(),
            Bytes::OnDisk => identity::read_plugin_file(&self.path),
        }
    }

    /// Returns the bundled plugin, whose bytes need no check, because the program contains them.
    pub(crate) fn bundled(&self) -> Option<&'static BundledPlugin> {
        match &self.bytes {
            Bytes::Bundled(plugin) => Some(plugin),
            Bytes::InMemory(_) | Bytes::OnDisk => None,
        }
    }

    /// Returns what the program knows about the plugin without reading its bytes.
    pub(crate) fn info(&self) -> Option<CachedPlugin> {
        self.bundled()?.info()
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
        assert!(plugins.get("q").is_none());
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
