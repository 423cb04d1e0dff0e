//! The cache: compiled components, and what each said of itself, so that a new process compiles and runs nothing.
//!
//! The folder is ours alone (mode 0700). A compiled component is machine code: it is made here from a component whose
//! digest was computed here, and never taken from anyone. Whatever cannot be read is made again.

use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::{Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use marquetry_model::{Error, Result};
use serde::{Deserialize, Serialize};
use wasmtime::{Engine, component::Component};

/// Raised when what is kept changes its shape.
const SCHEMA: u32 = 1;

/// The cache folder.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// What a file looked like when its digest was computed: as long as it looks the same, the digest stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) modified: u128,
}

/// What is remembered of a plugin file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Remembered {
    schema: u32,
    pub(crate) stamp: Stamp,
    pub(crate) sha256: String,
    pub(crate) interfaces: Vec<String>,
    pub(crate) imports: Vec<String>,
    pub(crate) description: KeptDescription,
}

/// A description in the shape it is kept in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct KeptDescription {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) files: Vec<String>,
    pub(crate) targets: Vec<(u8, String, Vec<String>)>,
    pub(crate) regions: Vec<(String, String)>,
    pub(crate) templates: Vec<[String; 4]>,
    pub(crate) settings_schema: String,
    pub(crate) help: String,
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> std::io::Result<Stamp> {
        let metadata = fs::metadata(path)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        Ok(Stamp { size: metadata.len(), modified })
    }
}

impl Remembered {
    pub(crate) fn new(
        stamp: Stamp,
        sha256: String,
        interfaces: Vec<String>,
        imports: Vec<String>,
        description: KeptDescription,
    ) -> Remembered {
        Remembered { schema: SCHEMA, stamp, sha256, interfaces, imports, description }
    }
}

impl Cache {
    pub(crate) fn new(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// What is remembered of a plugin file that still looks the same.
    pub(crate) fn recall(&self, path: &Path, stamp: &Stamp) -> Option<Remembered> {
        let text = fs::read(self.memory_of(path)).ok()?;
        let remembered: Remembered = serde_json::from_slice(&text).ok()?;
        (remembered.schema == SCHEMA && remembered.stamp == *stamp).then_some(remembered)
    }

    /// Remember a plugin file. Failing to is no failure of a call.
    pub(crate) fn remember(&self, path: &Path, remembered: &Remembered) {
        let kept = serde_json::to_vec(remembered)
            .map_err(std::io::Error::other)
            .and_then(|text| self.write(&self.memory_of(path), &text));
        if let Err(error) = kept {
            tracing::debug!("the description of {} was not kept: {error}", path.display());
        }
    }

    /// The compiled component: from the cache, or compiled now and kept.
    pub(crate) fn compiled(
        &self,
        engine: &Engine,
        plugin: &str,
        sha256: &str,
        bytes: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<Component> {
        let path = self.code_of(engine, sha256);
        if path.exists() {
            match read_compiled(engine, &path) {
                Ok(component) => return Ok(component),
                Err(error) => tracing::debug!("{} cannot be used: {error:#}", path.display()),
            }
        }
        let started = std::time::Instant::now();
        let failed = |error: wasmtime::Error| {
            Error::new(marquetry_model::Kind::PluginFailed, format!("plugin `{plugin}` cannot be compiled: {error:#}"))
        };
        let component = Component::new(engine, bytes()?).map_err(failed)?;
        tracing::info!("compiled plugin `{plugin}` in {} ms", started.elapsed().as_millis());
        let kept = component.serialize().map_err(std::io::Error::other).and_then(|code| self.write(&path, &code));
        if let Err(error) = kept {
            tracing::warn!("the compiled plugin `{plugin}` was not kept: {error}");
        }
        Ok(component)
    }

    fn memory_of(&self, path: &Path) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        path.hash(&mut hasher);
        self.folder.join(format!("{:016x}.json", hasher.finish()))
    }

    fn code_of(&self, engine: &Engine, sha256: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (SCHEMA, std::env::consts::ARCH, std::env::consts::OS).hash(&mut hasher);
        engine.precompile_compatibility_hash().hash(&mut hasher);
        self.folder.join(format!("{sha256}-{:016x}.cwasm", hasher.finish()))
    }

    fn write(&self, path: &Path, content: &[u8]) -> std::io::Result<()> {
        if !self.folder.is_dir() {
            make_private(&self.folder)?;
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(content)?;
        file.persist(path)?;
        Ok(())
    }
}

#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

#[expect(unsafe_code, reason = "the file is machine code that this program compiled into a folder of its own")]
fn read_compiled(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (file, folder) = (fs::metadata(path)?, fs::metadata(path.parent().unwrap_or(path))?);
        if folder.mode() & 0o022 != 0 || file.uid() != folder.uid() {
            return Err(wasmtime::format_err!("the cache folder can be written by others"));
        }
    }
    // SAFETY: only `write` above puts files here, after compiling them with this engine's settings; the name carries the
    // digest of the component and the hash of those settings, and the folder is writable by its owner alone.
    unsafe { Component::deserialize_file(engine, path) }
}
