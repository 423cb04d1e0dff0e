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

use marquetry_model::{Error, Result, pack};
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

impl From<&pack::Description> for KeptDescription {
    fn from(d: &pack::Description) -> KeptDescription {
        let index = |kind| pack::TargetKind::ALL.iter().position(|known| *known == kind).unwrap_or(0) as u8;
        KeptDescription {
            id: d.id.clone(),
            name: d.name.clone(),
            version: d.version.clone(),
            files: d.files.clone(),
            targets: d.targets.iter().map(|t| (index(t.kind), t.syntax.clone(), t.examples.clone())).collect(),
            regions: d.regions.iter().map(|r| (r.name.clone(), r.summary.clone())).collect(),
            templates: d
                .templates
                .iter()
                .map(|t| [t.name.clone(), t.summary.clone(), t.extension.clone(), t.body.clone()])
                .collect(),
            settings_schema: d.settings_schema.clone(),
            help: d.help.clone(),
        }
    }
}

impl From<KeptDescription> for pack::Description {
    fn from(d: KeptDescription) -> pack::Description {
        let kind = |index: u8| pack::TargetKind::ALL.get(index as usize).copied().unwrap_or(pack::TargetKind::Lines);
        pack::Description {
            id: d.id,
            name: d.name,
            version: d.version,
            files: d.files,
            targets: d
                .targets
                .into_iter()
                .map(|(k, syntax, examples)| pack::TargetHelp { kind: kind(k), syntax, examples })
                .collect(),
            regions: d.regions.into_iter().map(|(name, summary)| pack::Named { name, summary }).collect(),
            templates: d
                .templates
                .into_iter()
                .map(|[name, summary, extension, body]| pack::Template { name, summary, extension, body })
                .collect(),
            settings_schema: d.settings_schema,
            help: d.help,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn description() -> pack::Description {
        pack::Description {
            id: "p".to_owned(),
            name: "P".to_owned(),
            version: "1.0.0".to_owned(),
            files: vec!["*.p".to_owned()],
            targets: pack::TargetKind::ALL
                .map(|kind| pack::TargetHelp { kind, syntax: "s".to_owned(), examples: vec!["e".to_owned()] })
                .to_vec(),
            regions: vec![pack::Named { name: "r".to_owned(), summary: "s".to_owned() }],
            templates: vec![pack::Template {
                name: "t".to_owned(),
                summary: "s".to_owned(),
                extension: "p".to_owned(),
                body: "b".to_owned(),
            }],
            settings_schema: "{}".to_owned(),
            help: "help".to_owned(),
        }
    }

    fn remembered(stamp: &Stamp) -> Remembered {
        let names = |name: &str| vec![name.to_owned()];
        Remembered::new(stamp.clone(), "abc".to_owned(), names("links"), names("log"), (&description()).into())
    }

    #[test]
    fn a_description_comes_back_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, plugin) = (Cache::new(folder.path().join("cache")), folder.path().join("p.wasm"));
        fs::write(&plugin, "one").expect("written");
        let stamp = Stamp::of(&plugin).expect("there");
        assert!(cache.recall(&plugin, &stamp).is_none());
        cache.remember(&plugin, &remembered(&stamp));
        let known = cache.recall(&plugin, &stamp).expect("remembered");
        assert_eq!(
            (known.sha256.as_str(), known.interfaces, known.imports),
            ("abc", vec!["links".to_owned()], vec!["log".to_owned()])
        );
        assert_eq!(pack::Description::from(known.description), description());
    }

    #[test]
    fn a_file_that_is_another_now_is_not_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, plugin) = (Cache::new(folder.path().join("cache")), folder.path().join("p.wasm"));
        fs::write(&plugin, "one").expect("written");
        let stamp = Stamp::of(&plugin).expect("there");
        cache.remember(&plugin, &remembered(&stamp));
        fs::write(&plugin, "longer").expect("written");
        assert!(cache.recall(&plugin, &Stamp::of(&plugin).expect("there")).is_none());
        assert!(cache.recall(&plugin, &Stamp { modified: stamp.modified + 1, ..stamp }).is_none());
        assert!(cache.recall(&folder.path().join("q.wasm"), &stamp).is_none(), "another file");
    }

    #[test]
    fn what_cannot_be_read_is_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, plugin) = (Cache::new(folder.path().join("cache")), folder.path().join("p.wasm"));
        let stamp = Stamp { size: 1, modified: 2 };
        cache.remember(&plugin, &remembered(&stamp));
        for entry in fs::read_dir(folder.path().join("cache")).expect("a folder") {
            fs::write(entry.expect("an entry").path(), "{\"schema\":").expect("written");
        }
        assert!(cache.recall(&plugin, &stamp).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(folder.path().join("cache"));
        cache.remember(Path::new("/p.wasm"), &remembered(&Stamp { size: 1, modified: 2 }));
        let mode = fs::metadata(folder.path().join("cache")).expect("made").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
