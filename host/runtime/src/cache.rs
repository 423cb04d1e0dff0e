//! The cache: compiled plugins, and what each said of itself, so that a new process compiles and runs nothing.
//!
//! The folder is ours alone (mode 0700); one that belongs to somebody else, or that others may enter, is not used at all. A
//! compiled plugin is machine code: it is made here from a file whose digest was computed here, and kept with a
//! seal, a keyed hash over the code and that digest. Whatever has no such seal, or cannot be read, is made again.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    fs,
    hash::{Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::UNIX_EPOCH,
};

use marquetry_model::{Error, Kind, Result};
use serde::{Deserialize, Serialize};
use wasmtime::Engine;

use crate::{
    code::Code,
    compile::{self, Compiler},
    identity::Identity,
    kept::KeptDescription,
};

/// Raised when what is kept changes its shape.
const SCHEMA: u32 = 5;
/// What to do about a plugin that takes too much to compile.
const REFUSED: &str = "it is not tried again with these bytes; `marq clean --yes` forgets that";
/// The file with the key of the seals.
const KEY: &str = "key";
/// Bytes of a key, and of a seal.
const SEAL: usize = 32;

/// The cache folder.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    /// The key of the seals; none where the folder is not ours alone.
    key: Arc<OnceLock<Option<[u8; SEAL]>>>,
    /// The program that compiles; none where this process does.
    compiler: Option<Arc<Compiler>>,
    /// What could not be compiled, by digest.
    refused: Arc<Mutex<HashMap<String, Error>>>,
}

/// What a file looked like when its digest was computed: as long as it looks the same, the digest stands. The time of the
/// last change of anything about it, which nobody can set, and its number tell a file that was put in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) modified: u128,
    pub(crate) changed: i128,
    pub(crate) number: u64,
}

/// What is remembered of a plugin file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Remembered {
    schema: u32,
    pub(crate) stamp: Stamp,
    pub(crate) sha256: String,
    pub(crate) interfaces: Vec<String>,
    pub(crate) imports: Vec<String>,
    /// The patterns of the files that it takes, where its file says them or it did.
    pub(crate) files: Option<Vec<String>>,
    /// What it said of itself; none until it was asked.
    pub(crate) description: Option<KeptDescription>,
    /// The plugin file.
    plugin: PathBuf,
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> std::io::Result<Stamp> {
        let metadata = fs::metadata(path)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        #[cfg(unix)]
        let (changed, number) = {
            use std::os::unix::fs::MetadataExt;
            (i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()), metadata.ino())
        };
        #[cfg(not(unix))]
        let (changed, number) = (0, 0);
        Ok(Stamp { size: metadata.len(), modified, changed, number })
    }
}

impl Remembered {
    /// What the bytes of a file tell.
    pub(crate) fn new(stamp: Stamp, sha256: String, identity: Identity) -> Remembered {
        let Identity { interfaces, imports, files } = identity;
        let (description, plugin) = (None, PathBuf::new());
        Remembered { schema: SCHEMA, stamp, sha256, interfaces, imports, files, description, plugin }
    }
}

impl Cache {
    /// A cache in a folder; without one, nothing is kept.
    pub(crate) fn new(folder: Option<PathBuf>) -> Cache {
        Cache { folder, key: Arc::default(), compiler: None, refused: Arc::default() }
    }

    /// The same with a program that compiles what is not kept.
    pub(crate) fn compiling_with(self, compiler: Compiler) -> Cache {
        Cache { compiler: Some(Arc::new(compiler)), ..self }
    }

    /// The folder, if it is there and ours alone.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.open().map(|(folder, _)| folder)
    }

    /// Why nothing is kept, where there is a folder for it.
    pub(crate) fn problem(&self) -> Option<String> {
        let folder = self.folder.as_deref().filter(|_| self.open().is_none())?;
        let why = check_private(folder).err().map_or_else(|| "its key cannot be read".to_owned(), |it| it.to_string());
        Some(format!("nothing is kept in {}: {why}", folder.display()))
    }

    /// What is remembered of a plugin file that still looks the same.
    pub(crate) fn recall(&self, path: &Path, stamp: &Stamp) -> Option<Remembered> {
        let (folder, key) = self.open()?;
        let text = unsealed(fs::read(folder.join(memory_of(path))).ok()?, key)?;
        let remembered: Remembered = serde_json::from_slice(&text).ok()?;
        (remembered.schema == SCHEMA && remembered.stamp == *stamp).then_some(remembered)
    }

    /// Remember a plugin file. Failing to is no failure of a call.
    pub(crate) fn remember(&self, path: &Path, remembered: &Remembered) {
        let remembered = Remembered { plugin: path.to_owned(), ..remembered.clone() };
        let kept = serde_json::to_vec(&remembered)
            .map_err(std::io::Error::other)
            .and_then(|text| self.keep_sealed(&memory_of(path), &text));
        if let Err(error) = kept {
            tracing::debug!("the description of {} was not kept: {error}", path.display());
        }
    }

    /// Forget a plugin file, whose bytes are not those that are remembered.
    pub(crate) fn forget(&self, path: &Path) {
        if let Some((folder, _)) = self.open()
            && let Err(error) = fs::remove_file(folder.join(memory_of(path)))
        {
            tracing::debug!("the description of {} was not forgotten: {error}", path.display());
        }
    }

    /// The digest of the plugin that a file of the cache describes, and the plugin's file as it was. None where this version
    /// did not write it.
    pub(crate) fn described(&self, kept: &Path) -> Option<(String, PathBuf, Stamp)> {
        let (_, key) = self.open()?;
        let remembered: Remembered = serde_json::from_slice(&unsealed(fs::read(kept).ok()?, key)?).ok()?;
        let Remembered { schema, stamp, sha256, plugin, .. } = remembered;
        (schema == SCHEMA).then_some((sha256, plugin, stamp))
    }

    /// The compiled plugin: from the cache, or compiled now from its bytes, which have this digest, and kept.
    pub(crate) fn compiled<C: Code>(
        &self,
        engine: &Engine,
        plugin: &str,
        sha256: &str,
        bytes: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<C> {
        let name = code_of(engine, sha256);
        match self.kept_code(engine, &name, sha256) {
            Some(Ok(code)) => return Ok(code),
            Some(Err(error)) => tracing::warn!("compiled code that was kept is made again: {name}: {error:#}"),
            None => {}
        }
        // What was too much once is too much again: no process tries for long what another one gave up.
        if let Some(refusal) = self.refusal(engine, sha256) {
            return Err(refusal);
        }
        let started = std::time::Instant::now();
        let made = self.made(engine, plugin, bytes()?);
        let made = made.inspect_err(|error| self.refuse(engine, sha256, error))?;
        tracing::info!("compiled plugin `{plugin}` in {} ms", started.elapsed().as_millis());
        if let Err(error) = self.keep_code(&name, &made, sha256) {
            tracing::debug!("the compiled plugin `{plugin}` was not kept: {error}");
        }
        self.taken(engine, plugin, &made)
    }

    /// Machine code from a plugin, made by the program that compiles, or here.
    fn made(&self, engine: &Engine, plugin: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
        match &self.compiler {
            Some(compiler) => compiler.compile(plugin, &bytes),
            None => compile::compile_here(engine, plugin, bytes),
        }
    }

    /// Code that was made just now.
    #[expect(unsafe_code, reason = "this program compiled the code, or a process that it started for that")]
    fn taken<C: Code>(&self, engine: &Engine, plugin: &str, made: &[u8]) -> Result<C> {
        // SAFETY: `made` is what a compiler of this program answered just now, with the settings of this engine.
        let code = unsafe { C::taken(engine, made) };
        code.map_err(|error| Error::new(Kind::PluginFailed, format!("plugin `{plugin}` cannot be compiled: {error:#}")))
    }

    /// Why the plugin with this digest is not compiled, if that was tried and was too much.
    pub(crate) fn refusal(&self, engine: &Engine, sha256: &str) -> Option<Error> {
        if let Some(known) = self.refused.lock().unwrap_or_else(PoisonError::into_inner).get(sha256) {
            return Some(known.clone());
        }
        let (folder, key) = self.open()?;
        let kept = unsealed(fs::read(folder.join(refusal_of(engine, sha256))).ok()?, key)?;
        let message = String::from_utf8(kept).ok()?;
        Some(Error::new(Kind::LimitExceeded, message).hint(REFUSED))
    }

    /// Remember that a plugin takes too much to compile. Whatever else was wrong may be another matter the next time.
    fn refuse(&self, engine: &Engine, sha256: &str, error: &Error) {
        if error.kind() != Kind::LimitExceeded {
            return;
        }
        let message = error.content().message.clone();
        let refusal = Error::new(Kind::LimitExceeded, message.clone()).hint(REFUSED);
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(sha256.to_owned(), refusal);
        if let Err(error) = self.keep_sealed(&refusal_of(engine, sha256), message.as_bytes()) {
            tracing::debug!("the refusal was not kept: {error}");
        }
    }

    /// Whether compiled code is kept of the component with this digest. Whether it can be used, loading it tells.
    pub(crate) fn holds_code(&self, engine: &Engine, sha256: &str) -> bool {
        self.open().is_some_and(|(folder, _)| folder.join(code_of(engine, sha256)).is_file())
    }

    /// Code that is kept under a name; none where there is none.
    #[expect(unsafe_code, reason = "the seal proves that this user's program compiled the code from that file")]
    fn kept_code<C: Code>(&self, engine: &Engine, name: &str, sha256: &str) -> Option<wasmtime::Result<C>> {
        let (folder, key) = self.open()?;
        let path = folder.join(name);
        let code = fs::File::open(&path).ok()?;
        let kept = fs::read(seal_of(&path)).unwrap_or_default().try_into().map(blake3::Hash::from_bytes).ok();
        // Read piece by piece: millions of bytes in one piece cost more than their hash.
        let made = sealing(key, sha256.as_bytes()).update_reader(code).ok()?.finalize();
        if kept != Some(made) {
            return Some(Err(wasmtime::format_err!("it has not the seal of this user's cache")));
        }
        // The file is mapped, not copied: of most packs a call needs little.
        // SAFETY: only `keep_code` seals, after compiling with this engine's settings, whose hash is part of the name; the
        // key is readable by its owner alone, who alone may enter the folder.
        Some(unsafe { C::mapped(engine, &path) })
    }

    /// Keep compiled code, and its seal beside it.
    fn keep_code(&self, name: &str, code: &[u8], sha256: &str) -> std::io::Result<()> {
        let (folder, key) = self.own_folder()?;
        let path = folder.join(name);
        put(folder, &path, &[code])?;
        put(folder, &seal_of(&path), &[seal(key, sha256.as_bytes(), code).as_bytes()])
    }

    /// The folder and the key of its seals, if the folder is there and ours alone.
    fn open(&self) -> Option<(&Path, &[u8; SEAL])> {
        let folder = self.folder.as_deref()?;
        let key = self.key.get_or_init(|| {
            let key = make_private(folder).and_then(|()| check_private(folder)).and_then(|()| read_key(folder));
            key.inspect_err(|error| tracing::warn!("{}: {error}: nothing is kept there", folder.display())).ok()
        });
        Some((folder, key.as_ref()?))
    }

    /// Keep something behind its seal.
    fn keep_sealed(&self, name: &str, content: &[u8]) -> std::io::Result<()> {
        let (folder, key) = self.own_folder()?;
        put(folder, &folder.join(name), &[seal(key, b"", content).as_bytes(), content])
    }

    fn own_folder(&self) -> std::io::Result<(&Path, &[u8; SEAL])> {
        self.open().ok_or_else(|| std::io::Error::other("there is no cache folder of our own"))
    }
}

/// The file with the seal of compiled code.
fn seal_of(code: &Path) -> PathBuf {
    code.with_extension("seal")
}

/// Write a file that appears whole or not at all.
fn put(folder: &Path, path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.persist(path)?;
    Ok(())
}

/// A hash that only who has the key can make.
fn seal(key: &[u8; SEAL], about: &[u8], content: &[u8]) -> blake3::Hash {
    sealing(key, about).update(content).finalize()
}

/// A seal to be, of something about which this is known.
fn sealing(key: &[u8; SEAL], about: &[u8]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&(about.len() as u64).to_le_bytes()).update(about);
    hasher
}

/// What stands behind a seal, if it is the right one.
fn unsealed(mut sealed: Vec<u8>, key: &[u8; SEAL]) -> Option<Vec<u8>> {
    let kept = blake3::Hash::from_bytes(sealed.get(..SEAL)?.try_into().ok()?);
    // Hashes compare in constant time.
    if seal(key, b"", &sealed[SEAL..]) != kept {
        return None;
    }
    sealed.drain(..SEAL);
    Some(sealed)
}

fn memory_of(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("{:016x}.json", hasher.finish())
}

fn refusal_of(engine: &Engine, sha256: &str) -> String {
    format!("{sha256}-{}.refused", code_suffix(engine))
}

fn code_of(engine: &Engine, sha256: &str) -> String {
    format!("{sha256}-{}.cwasm", code_suffix(engine))
}

/// How the names of what this version compiles end.
pub(crate) fn code_suffix(engine: &Engine) -> String {
    let mut hasher = DefaultHasher::new();
    (SCHEMA, std::env::consts::ARCH, std::env::consts::OS).hash(&mut hasher);
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The key of the seals, made when there is none. Of two processes that make one, the first wins.
fn read_key(folder: &Path) -> std::io::Result<[u8; SEAL]> {
    let path = folder.join(KEY);
    if !path.exists() {
        let mut key = [0; SEAL];
        getrandom::fill(&mut key).map_err(std::io::Error::other)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&key)?;
        match file.persist_noclobber(&path) {
            Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error.error),
            _ => {}
        }
    }
    let wrong = |_| std::io::Error::other("the file `key` holds no key: remove the folder");
    fs::read(&path)?.try_into().map_err(wrong)
}

/// Refuse a folder that belongs to somebody else, or that others may enter.
#[cfg(unix)]
pub(crate) fn check_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::symlink_metadata(folder)?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(std::io::Error::other("the folder belongs to another user"));
    }
    if !metadata.is_dir() || metadata.mode() & 0o077 != 0 {
        return Err(std::io::Error::other("others may enter the folder (it needs mode 700)"));
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn check_private(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Make a folder that its owner alone may enter.
#[cfg(unix)]
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use marquetry_model::{
        pack,
        refactor::{ArgumentHelp, Refactor, RefactorPlace},
    };

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
            refactors: vec![Refactor {
                id: "sort".to_owned(),
                title: "Sort".to_owned(),
                place: RefactorPlace::Selection,
                arguments: vec![ArgumentHelp {
                    name: "by".to_owned(),
                    summary: "what".to_owned(),
                    values: vec!["name".to_owned()],
                    required: true,
                }],
                asks_exporters: true,
            }],
        }
    }

    fn stamp() -> Stamp {
        Stamp { size: 1, modified: 2, changed: 3, number: 4 }
    }

    fn remembered(stamp: &Stamp) -> Remembered {
        let names = |name: &str| vec![name.to_owned()];
        let identity = Identity { interfaces: names("links"), imports: names("log"), files: None };
        let seen = Remembered::new(stamp.clone(), "abc".to_owned(), identity);
        Remembered { description: Some((&description()).into()), ..seen }
    }

    #[test]
    fn a_description_comes_back_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, plugin) = (Cache::new(Some(folder.path().join("cache"))), folder.path().join("p.wasm"));
        fs::write(&plugin, "one").expect("written");
        let stamp = Stamp::of(&plugin).expect("there");
        assert!(cache.recall(&plugin, &stamp).is_none());
        cache.remember(&plugin, &remembered(&stamp));
        let known = cache.recall(&plugin, &stamp).expect("remembered");
        assert_eq!(
            (known.sha256.as_str(), known.interfaces, known.imports),
            ("abc", vec!["links".to_owned()], vec!["log".to_owned()])
        );
        assert_eq!(known.description.map(pack::Description::from), Some(description()));
    }

    #[test]
    fn a_file_that_is_another_now_is_not_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, plugin) = (Cache::new(Some(folder.path().join("cache"))), folder.path().join("p.wasm"));
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
        let (cache, plugin) = (Cache::new(Some(folder.path().join("cache"))), folder.path().join("p.wasm"));
        let stamp = stamp();
        cache.remember(&plugin, &remembered(&stamp));
        let kept = folder.path().join("cache").join(memory_of(&plugin));
        assert!(cache.recall(&plugin, &stamp).is_some());
        let mut bytes = fs::read(&kept).expect("kept");
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        for damaged in [&bytes[..], &bytes[..20], b"", b"{\"schema\":"] {
            fs::write(&kept, damaged).expect("written");
            assert!(cache.recall(&plugin, &stamp).is_none());
        }
    }

    #[test]
    fn what_another_key_sealed_is_not_believed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, plugin) = (Cache::new(Some(folder.path().join("cache"))), folder.path().join("p.wasm"));
        cache.remember(&plugin, &remembered(&stamp()));
        fs::write(folder.path().join("cache").join(KEY), [7; SEAL]).expect("written");
        let again = Cache::new(Some(folder.path().join("cache")));
        assert!(again.recall(&plugin, &stamp()).is_none());
        fs::write(folder.path().join("cache").join(KEY), "short").expect("written");
        let none = Cache::new(Some(folder.path().join("cache")));
        none.remember(&plugin, &remembered(&stamp()));
        assert!(none.recall(&plugin, &stamp()).is_none());
    }

    #[test]
    fn a_file_in_the_place_of_another_looks_different() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("p.wasm");
        fs::write(&path, "one").expect("written");
        let before = Stamp::of(&path).expect("there");
        let time = fs::metadata(&path).expect("there").modified().expect("a time");
        fs::write(folder.path().join("q.wasm"), "two").expect("written");
        fs::rename(folder.path().join("q.wasm"), &path).expect("moved");
        fs::File::options().write(true).open(&path).expect("open").set_modified(time).expect("set");
        let after = Stamp::of(&path).expect("there");
        assert_eq!((before.size, before.modified), (after.size, after.modified));
        assert_ne!(before, after);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_may_enter_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("cache");
        fs::create_dir(&place).expect("made");
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).expect("opened");
        let cache = Cache::new(Some(place.clone()));
        cache.remember(Path::new("/p.wasm"), &remembered(&stamp()));
        let problem = cache.problem().expect("it is said");
        assert!(problem.ends_with("others may enter the folder (it needs mode 700)"), "{problem}");
        assert_eq!(Cache::new(None).problem(), None);
        assert_eq!(fs::read_dir(&place).expect("a folder").count(), 0);
        assert!(cache.recall(Path::new("/p.wasm"), &stamp()).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(Some(folder.path().join("cache")));
        cache.remember(Path::new("/p.wasm"), &remembered(&stamp()));
        let mode = fs::metadata(folder.path().join("cache")).expect("made").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn plugin_that_takes_too_much_to_compile_is_not_tried_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Some(folder.path().join("cache"));
        let engine = crate::engine::new_engine().expect("an engine");
        let nobody = |cache: Cache| {
            // A program that never answers: as one that the system ended.
            let compiler =
                Compiler { program: "/bin/sh".into(), arguments: vec!["-c".to_owned(), "exit 1".to_owned()] };
            cache.compiling_with(compiler)
        };
        let module = b"\0asm\x01\0\0\0".to_vec();
        let compile = |cache: &Cache, sha256: &str| -> Result<()> {
            cache.compiled::<wasmtime::Module>(&engine, "p", sha256, || Ok(module.clone())).map(drop)
        };
        if cfg!(unix) {
            let error = compile(&nobody(Cache::new(place.clone())), "abc").expect_err("too much");
            assert_eq!(error.kind(), Kind::LimitExceeded);
            // Another process, which could compile it, does not try for as long either.
            let error = compile(&Cache::new(place.clone()), "abc").expect_err("remembered");
            assert_eq!((error.kind(), error.content().hint.as_deref()), (Kind::LimitExceeded, Some(REFUSED)));
            assert!(compile(&Cache::new(place.clone()), "other bytes").is_ok());
            // Without a folder, this process remembers.
            let cache = nobody(Cache::new(None));
            assert!(compile(&cache, "abc").is_err() && cache.refusal(&engine, "abc").is_some());
        }
        assert!(Cache::new(place).refusal(&engine, "never tried").is_none());
    }
}
