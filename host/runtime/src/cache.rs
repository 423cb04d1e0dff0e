//! Cache of compiled plugins and their descriptions, so that a new process need not compile plugins or run them for
//! their descriptions.
//!
//! The folder must belong to the current user with mode 0700; otherwise it is not used at all. A compiled plugin is
//! machine code: either this machine compiled it from a file whose digest it computed, or the code is part of this
//! program. It is stored with a seal, a keyed hash (MAC) over the code and the digest of the plugin. An entry without a
//! valid seal, or one that cannot be read, is created again.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    fs,
    hash::{Hash, Hasher},
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{Error, Kind, Result};
use wasmtime::Engine;

use crate::{
    bundle::BundledPlugin,
    cached_plugin::{CachedPlugin, FileFingerprint, SCHEMA},
    code::CompiledCode,
    compile::{self, Compiler},
    private_folder::{check_private, make_private},
};

/// Hint for a plugin that needs too much memory or time to compile.
const REFUSED_HINT: &str = "this file is not compiled again; `marq clean --yes` allows another attempt";
/// Name of the file with the MAC key.
const KEY_FILE: &str = "key";
/// Length of a key and of a seal, in bytes.
const SEAL_BYTES: usize = 32;

#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    /// The MAC key; `None` if the folder is not private to the current user.
    key: Arc<OnceLock<Option<[u8; SEAL_BYTES]>>>,
    /// The program that compiles plugins; `None` if this process compiles them.
    compiler: Option<Arc<Compiler>>,
    /// Compilation failures, by digest.
    refusals: Arc<Mutex<HashMap<String, Error>>>,
}

impl Cache {
    /// Creates a cache in a folder; without a folder, nothing is stored.
    pub(crate) fn new(folder: Option<PathBuf>) -> Cache {
        Cache { folder, key: Arc::default(), compiler: None, refusals: Arc::default() }
    }

    /// Sets the program that compiles plugins that are not cached.
    pub(crate) fn with_compiler(self, compiler: Compiler) -> Cache {
        Cache { compiler: Some(Arc::new(compiler)), ..self }
    }

    /// Returns the folder if it exists and is private to the current user.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.open_folder().map(|(folder, _)| folder)
    }

    /// Describes why nothing is cached although a folder is configured.
    pub(crate) fn disabled_reason(&self) -> Option<String> {
        let folder = self.folder.as_deref().filter(|_| self.open_folder().is_none())?;
        let why = check_private(folder).err().map_or_else(|| "its key cannot be read".to_owned(), |it| it.to_string());
        Some(format!("nothing is cached in {}: {why}", folder.display()))
    }

    /// Returns the cached information about a plugin file if the file is unchanged.
    pub(crate) fn load(&self, path: &Path, stamp: &FileFingerprint) -> Option<CachedPlugin> {
        let (folder, key) = self.open_folder()?;
        let text = verified_payload(fs::read(folder.join(entry_name(path))).ok()?, key)?;
        CachedPlugin::parse(&text).filter(|remembered| remembered.stamp == *stamp)
    }

    /// Stores information about a plugin file. A failure to store it is only logged.
    pub(crate) fn store(&self, path: &Path, remembered: &CachedPlugin) {
        let kept = serde_json::to_vec(&remembered.at(path))
            .map_err(std::io::Error::other)
            .and_then(|text| self.store_sealed(&entry_name(path), &text));
        if let Err(error) = kept {
            tracing::debug!("cannot cache the description of {}: {error}", path.display());
        }
    }

    /// Removes the entry of a plugin file whose bytes have changed.
    pub(crate) fn remove(&self, path: &Path) {
        if let Some((folder, _)) = self.open_folder()
            && let Err(error) = fs::remove_file(folder.join(entry_name(path)))
        {
            tracing::debug!("cannot remove the cached description of {}: {error}", path.display());
        }
    }

    /// Returns the plugin digest, plugin path and file metadata recorded in a cache file. `None` if another version
    /// wrote it.
    pub(crate) fn read_entry(&self, kept: &Path) -> Option<(String, PathBuf, FileFingerprint)> {
        let (_, key) = self.open_folder()?;
        let remembered = CachedPlugin::parse(&verified_payload(fs::read(kept).ok()?, key)?)?;
        Some((remembered.sha256.clone(), remembered.path().to_owned(), remembered.stamp))
    }

    /// Returns the compiled plugin from the cache, or compiles its bytes, which have this digest, and caches the
    /// result.
    pub(crate) fn load_or_compile<C: CompiledCode>(
        &self,
        engine: &Engine,
        plugin: &str,
        sha256: &str,
        bytes: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<C> {
        let name = code_name(engine, sha256);
        match self.load_code(engine, &name, sha256) {
            Some(Ok(code)) => return Ok(code),
            Some(Err(error)) => tracing::warn!("cannot load cached code, compiling it again: {name}: {error:#}"),
            None => {}
        }
        // A plugin that was too expensive to compile once is not compiled again, not even by another process.
        if let Some(refusal) = self.refusal(engine, sha256) {
            return Err(refusal);
        }
        let started = std::time::Instant::now();
        let made = self.compile(engine, plugin, bytes()?);
        let made = made.inspect_err(|error| self.record_refusal(engine, sha256, error))?;
        tracing::info!("compiled plugin `{plugin}` in {} ms", started.elapsed().as_millis());
        if let Err(error) = self.store_code(&name, &made, sha256) {
            tracing::debug!("cannot cache the compiled plugin `{plugin}`: {error}");
        }
        self.load_compiled(engine, plugin, &made)
    }

    /// Returns the code of a bundled plugin from the cache or from the program, and caches it. Compiles the bytes if this
    /// machine or this engine cannot run the code in the program.
    pub(crate) fn load_bundled<C: CompiledCode>(&self, engine: &Engine, plugin: &BundledPlugin) -> Result<C> {
        let (id, sha256) = (plugin.id, plugin.sha256);
        let name = code_name(engine, sha256);
        if let Some(Ok(code)) = self.load_code(engine, &name, sha256) {
            return Ok(code);
        }
        if let Some(made) = plugin.code() {
            match self.load_compiled(engine, id, &made) {
                Ok(code) => {
                    if let Err(error) = self.store_code(&name, &made, sha256) {
                        tracing::debug!("cannot cache the code of the bundled plugin `{id}`: {error}");
                    }
                    return Ok(code);
                }
                Err(error) => tracing::info!("plugin `{id}` is compiled, because its code cannot be used: {error}"),
            }
        }
        let failed =
            |error: std::io::Error| Error::internal(format!("the bundled plugin `{id}` cannot be read: {error}"));
        self.load_or_compile(engine, id, sha256, || plugin.read().map_err(failed))
    }

    /// Compiles a plugin to machine code, in the compiler process or here.
    fn compile(&self, engine: &Engine, plugin: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
        match &self.compiler {
            Some(compiler) => compiler.compile(plugin, &bytes),
            None => compile::compile_here(engine, plugin, bytes),
        }
    }

    /// Loads code that was compiled just now.
    #[expect(unsafe_code, reason = "this program compiled the code, or contains it, or started a process for that")]
    fn load_compiled<C: CompiledCode>(&self, engine: &Engine, plugin: &str, made: &[u8]) -> Result<C> {
        // SAFETY: `made` was returned just now by this program's compiler, or is part of this program. The engine checks
        // that its own version made it, with compatible settings, for a processor like this one.
        let code = unsafe { C::deserialize(engine, made) };
        code.map_err(|error| Error::new(Kind::PluginFailed, format!("plugin `{plugin}` cannot be compiled: {error:#}")))
    }

    /// Returns the recorded error if compiling the plugin with this digest exceeded a limit.
    pub(crate) fn refusal(&self, engine: &Engine, sha256: &str) -> Option<Error> {
        if let Some(known) = self.refusals.lock().unwrap_or_else(PoisonError::into_inner).get(sha256) {
            return Some(known.clone());
        }
        let (folder, key) = self.open_folder()?;
        let kept = verified_payload(fs::read(folder.join(refusal_name(engine, sha256))).ok()?, key)?;
        let message = String::from_utf8(kept).ok()?;
        Some(Error::new(Kind::LimitExceeded, message).hint(REFUSED_HINT))
    }

    /// Records that a plugin exceeds a limit when compiled. Other errors are not recorded, because a retry may succeed.
    fn record_refusal(&self, engine: &Engine, sha256: &str, error: &Error) {
        if error.kind() != Kind::LimitExceeded {
            return;
        }
        let message = error.content().message.clone();
        let refusal = Error::new(Kind::LimitExceeded, message.clone()).hint(REFUSED_HINT);
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner).insert(sha256.to_owned(), refusal);
        if let Err(error) = self.store_sealed(&refusal_name(engine, sha256), message.as_bytes()) {
            tracing::debug!("cannot cache the compilation failure: {error}");
        }
    }

    /// Returns whether compiled code of the plugin with this digest is cached. Loading it can still fail.
    pub(crate) fn has_code(&self, engine: &Engine, sha256: &str) -> bool {
        self.open_folder().is_some_and(|(folder, _)| folder.join(code_name(engine, sha256)).is_file())
    }

    /// Returns the cached code of this name, if there is any.
    #[expect(unsafe_code, reason = "the seal proves that this user's program compiled the code from that file")]
    fn load_code<C: CompiledCode>(&self, engine: &Engine, name: &str, sha256: &str) -> Option<wasmtime::Result<C>> {
        let (folder, key) = self.open_folder()?;
        let path = folder.join(name);
        let code = fs::File::open(&path).ok()?;
        let kept = fs::read(seal_path(&path)).unwrap_or_default().try_into().map(blake3::Hash::from_bytes).ok();
        // The file is hashed in pieces, because reading all bytes into memory would take longer than hashing them.
        let made = start_seal(key, sha256.as_bytes()).update_reader(code).ok()?.finalize();
        if kept != Some(made) {
            return Some(Err(wasmtime::format_err!("it has no valid seal of this user's cache")));
        }
        // The file is mapped instead of copied, because a call needs only a small part of most packs.
        // SAFETY: only `store_code` writes seals, for code that this program contains or has compiled with this engine's
        // settings, whose hash is part of the name. Only the owner can read the key and enter the folder.
        Some(unsafe { C::map_file(engine, &path) })
    }

    /// Stores compiled code, and its seal in a second file.
    fn store_code(&self, name: &str, code: &[u8], sha256: &str) -> std::io::Result<()> {
        let (folder, key) = self.private_folder()?;
        let path = folder.join(name);
        write_atomically(folder, &path, &[code])?;
        write_atomically(folder, &seal_path(&path), &[seal(key, sha256.as_bytes(), code).as_bytes()])
    }

    /// Returns the folder and the MAC key if the folder exists and is private to the current user.
    fn open_folder(&self) -> Option<(&Path, &[u8; SEAL_BYTES])> {
        let folder = self.folder.as_deref()?;
        let key = self.key.get_or_init(|| {
            let key = make_private(folder).and_then(|()| check_private(folder)).and_then(|()| read_key(folder));
            // An error is shown by default, because every command compiles the plugins again.
            let report = |error: &std::io::Error| {
                let folder = folder.display();
                tracing::error!("{folder}: {error}: nothing is cached there, so each command compiles the plugins");
            };
            key.inspect_err(report).ok()
        });
        Some((folder, key.as_ref()?))
    }

    /// Stores content after its seal in one file.
    fn store_sealed(&self, name: &str, content: &[u8]) -> std::io::Result<()> {
        let (folder, key) = self.private_folder()?;
        write_atomically(folder, &folder.join(name), &[seal(key, b"", content).as_bytes(), content])
    }

    fn private_folder(&self) -> std::io::Result<(&Path, &[u8; SEAL_BYTES])> {
        self.open_folder().ok_or_else(|| std::io::Error::other("there is no private cache folder"))
    }
}

/// Returns the path of the seal of compiled code.
fn seal_path(code: &Path) -> PathBuf {
    code.with_extension("seal")
}

/// Writes a file atomically.
fn write_atomically(folder: &Path, path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.persist(path)?;
    Ok(())
}

/// Computes the MAC of the content. It can only be computed with the key.
fn seal(key: &[u8; SEAL_BYTES], about: &[u8], content: &[u8]) -> blake3::Hash {
    start_seal(key, about).update(content).finalize()
}

/// Starts a MAC over `about`, to which content is then added.
fn start_seal(key: &[u8; SEAL_BYTES], about: &[u8]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&(about.len() as u64).to_le_bytes()).update(about);
    hasher
}

/// Returns the payload if the MAC matches.
fn verified_payload(mut sealed: Vec<u8>, key: &[u8; SEAL_BYTES]) -> Option<Vec<u8>> {
    let kept = blake3::Hash::from_bytes(sealed.get(..SEAL_BYTES)?.try_into().ok()?);
    // Hashes compare in constant time.
    if seal(key, b"", &sealed[SEAL_BYTES..]) != kept {
        return None;
    }
    sealed.drain(..SEAL_BYTES);
    Some(sealed)
}

fn entry_name(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    format!("{:016x}.json", hasher.finish())
}

fn refusal_name(engine: &Engine, sha256: &str) -> String {
    format!("{sha256}-{}.refused", code_suffix(engine))
}

fn code_name(engine: &Engine, sha256: &str) -> String {
    format!("{sha256}-{}.cwasm", code_suffix(engine))
}

/// Returns the suffix of the names of code compiled by this version.
pub(crate) fn code_suffix(engine: &Engine) -> String {
    let mut hasher = DefaultHasher::new();
    (SCHEMA, std::env::consts::ARCH, std::env::consts::OS).hash(&mut hasher);
    engine.precompile_compatibility_hash().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Reads the MAC key, creating it if it is missing. If two processes create a key, both use the first one.
fn read_key(folder: &Path) -> std::io::Result<[u8; SEAL_BYTES]> {
    let path = folder.join(KEY_FILE);
    if !path.exists() {
        let mut key = [0; SEAL_BYTES];
        getrandom::fill(&mut key).map_err(std::io::Error::other)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&key)?;
        match file.persist_noclobber(&path) {
            Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error.error),
            _ => {}
        }
    }
    let wrong = |_| std::io::Error::other("the file `key` is damaged; remove the folder");
    fs::read(&path)?.try_into().map_err(wrong)
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
