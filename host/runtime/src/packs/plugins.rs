//! From a registry entry to a plugin: its file, information from its bytes, and its description.
//!
//! Plugins from elsewhere are read from the user's store only: no call uses the network.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
};

use marquetry_model::{Error, Kind, Result, pack::Description, ports::Files, source::Source};

use super::PackSet;
use crate::{
    cache::{Remembered, Stamp},
    convert::Checked,
    engine::Sandbox,
    identify, identity,
    instance::Instance,
    kept::KeptDescription,
    limits::Bounds,
    load::{self, Loaded},
    lock::Locked,
    meant::{check_meant, check_name, check_version, other_bytes},
    pack::Plugin,
    pool::Pool,
    reach::Reach,
    registry::{DEFAULT_BOUNDS, Entry, Pin},
    signed,
    versions::LANGUAGE,
};

/// Information about a plugin file, independent of any project.
#[derive(Debug, Clone)]
pub struct Inspected {
    /// Its description.
    pub description: Description,
    /// sha256 of its bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// Optional interfaces of the contract that it exports.
    pub interfaces: Vec<String>,
    /// Its imports.
    pub imports: Vec<String>,
    /// Grants that it needs to run.
    pub wants: Vec<String>,
    /// True if the file declares its patterns, so that the plugin need not run for that.
    pub says_files: bool,
    /// Exported interfaces with their versions; empty for a core module.
    pub exports: Vec<String>,
    /// True for a core module rather than a component.
    pub is_module: bool,
}

/// A plugin of a project that comes from elsewhere.
#[derive(Debug, Clone)]
pub struct FromElsewhere {
    /// Its name in the registry.
    pub id: String,
    /// Its source.
    pub source: Source,
    /// The versions that the registry accepts.
    pub version: semver::VersionReq,
    /// The digest that the registry requires.
    pub sha256: Option<String>,
    /// The signer that the registry requires.
    pub signer: Option<String>,
    /// Its entry in the lock.
    pub locked: Option<Locked>,
    /// True if the store has the locked bytes.
    pub is_here: bool,
}

impl PackSet {
    pub(super) fn file_of(&self, id: &str, entry: &Entry) -> Result<PathBuf> {
        match &entry.source {
            Source::Path(path) if path.is_file() => Ok(path.clone()),
            Source::Path(path) => {
                Err(Error::new(Kind::PluginFailed, format!("plugin `{id}`: there is no file {}", path.display()))
                    .hint("correct `source` of the plugin in registry.toml, or build the plugin"))
            }
            source @ (Source::Folder(_) | Source::Url(_) | Source::Oci(_)) => {
                let store =
                    self.store.as_ref().filter(|store| entry.brought().is_some_and(|sha256| store.holds(sha256)));
                let place = store.zip(entry.brought()).map(|(store, sha256)| store.place(sha256));
                place.ok_or_else(|| {
                    Error::new(
                        Kind::PluginFailed,
                        format!("plugin `{id}`: the locked version of {source} is not on this machine"),
                    )
                    .hint("`marq plugin update --locked` downloads what registry.lock pins, and changes nothing")
                })
            }
            Source::Bundled => {
                let name = id.replace('-', "_");
                let places = self.options.bundled.iter().flat_map(|folder| {
                    [folder.join(format!("{id}.wasm")), folder.join(format!("marquetry_{name}.wasm"))]
                });
                places.clone().find(|path| path.is_file()).ok_or_else(|| {
                    let folders = self.options.bundled.iter().map(|folder| folder.display().to_string());
                    Error::new(Kind::PluginFailed, format!("plugin `{id}` is not bundled with this marq"))
                        .hint("run `make install`, or `cargo xtask plugins` in the source tree")
                        .candidates(folders)
                })
            }
        }
    }

    /// Returns whether this is a default plugin that is missing from this installation: it takes no files and is in no
    /// lock.
    pub(super) fn is_left_out(&self, id: &str, entry: &Entry) -> bool {
        entry.source == Source::Bundled && self.file_of(id, entry).is_err()
    }

    /// Returns information from the file of an entry. If it does not declare its patterns, the plugin is run.
    pub(super) fn sight(&self, id: &str, entry: &Entry) -> Result<Remembered> {
        entry.may_run()?;
        let path = self.file_of(id, entry)?;
        let stamp = Stamp::of(&path).map_err(|error| unreadable(id, &path, &error))?;
        let seen = self.look(id, entry, &path, &stamp)?;
        // A plugin that declares its patterns nowhere must run to list them.
        if seen.files.is_some() || entry.files.is_some() { Ok(seen) } else { Ok(self.plugin(id, entry)?.seen.clone()) }
    }

    /// Non-blocking variant of `sight`: `None` while another call compiles and runs the plugin to get its patterns, so
    /// that calls of other plugins do not wait.
    pub(super) fn sight_now(&self, id: &str, entry: &Entry) -> Result<Option<Remembered>> {
        entry.may_run()?;
        let path = self.file_of(id, entry)?;
        let slot = self.plugins.lock().unwrap_or_else(PoisonError::into_inner).get(&key(id, entry, &path)).cloned();
        let is_busy = slot.is_some_and(|slot| matches!(slot.try_lock(), Err(TryLockError::WouldBlock)));
        if !is_busy {
            return self.sight(id, entry).map(Some);
        }
        let stamp = Stamp::of(&path).map_err(|error| unreadable(id, &path, &error))?;
        let seen = self.look(id, entry, &path, &stamp)?;
        Ok(Some(seen).filter(|seen| seen.files.is_some() || entry.files.is_some()))
    }

    /// Returns the plugin of an entry, reloaded if its file has changed.
    pub(super) fn plugin(&self, id: &str, entry: &Entry) -> Result<Arc<Plugin>> {
        entry.may_run()?;
        let path = self.file_of(id, entry)?;
        let stamp = Stamp::of(&path).map_err(|error| unreadable(id, &path, &error))?;
        let key = key(id, entry, &path);
        let slot = Arc::clone(self.plugins.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, plugin)) = &*slot
            && *known == stamp
            && !plugin.as_ref().is_ok_and(|plugin| plugin.replaced.load(Ordering::Relaxed))
        {
            return plugin.clone();
        }
        let plugin = self.load(id, entry, &path, &stamp).map(Arc::new);
        slot.insert((stamp, plugin)).1.clone()
    }

    /// Returns the error of an earlier attempt to load a plugin.
    pub(super) fn known_failure(&self, id: &str, entry: &Entry) -> Option<Error> {
        let path = self.file_of(id, entry).ok()?;
        let key = key(id, entry, &path);
        let slot = Arc::clone(self.plugins.lock().unwrap_or_else(PoisonError::into_inner).get(&key)?);
        // Listing does not wait for a plugin that is being loaded.
        let slot = slot.try_lock().ok()?;
        slot.as_ref().and_then(|(_, plugin)| plugin.as_ref().err().cloned())
    }

    /// Inspects a file that no registry names yet.
    ///
    /// # Errors
    /// It cannot be read, is not a language pack, imports something that no plugin is granted, or fails to describe
    /// itself.
    pub fn inspect(&self, path: &Path) -> Result<Inspected> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = identity::read(path).map_err(|error| unreadable(&name, path, &error))?;
        let identity = identify::identify(&name, &bytes, &LANGUAGE)?;
        load::check_grants(&name, &identity.imports, &[load::WORKSPACE.to_owned()])?;
        let wants = load::check_grants(&name, &identity.imports, &[]).err().map(|_| load::WORKSPACE.to_owned());
        let (exports, is_module) = (identify::exports(&bytes), identify::is_module(&bytes));
        let (sandbox, sha256, size) = (self.sandbox()?, identity::digest(&bytes), bytes.len());
        let loaded = Loaded::load(sandbox, &name, &self.cache, &sha256, bytes)?;
        let description = describe(sandbox, &loaded, &name, &DEFAULT_BOUNDS)?;
        check_files(&name, identity.files.as_ref(), &description.files)?;
        Ok(Inspected {
            description,
            sha256,
            bytes: size,
            interfaces: identity.interfaces,
            imports: identity.imports,
            wants: wants.into_iter().collect(),
            says_files: identity.files.is_some(),
            exports,
            is_module,
        })
    }

    /// Writes the bytes of a plugin to the user's store, under their digest.
    ///
    /// # Errors
    /// There is no store, or it is not writable.
    pub fn keep(&self, bytes: &[u8]) -> Result<PathBuf> {
        let store = self.store.as_ref().ok_or_else(|| {
            Error::new(Kind::PermissionDenied, "there is no folder outside of the project to store plugins in")
                .hint("set MARQ_STATE_DIR to a folder of your own (mode 700) outside the project")
        })?;
        store.keep(bytes)
    }

    /// Returns the plugins of a project that come from elsewhere.
    ///
    /// # Errors
    /// Its registry is invalid.
    pub fn from_elsewhere(&self, files: &Arc<dyn Files>) -> Result<Vec<FromElsewhere>> {
        let (project, folder) = (self.project(files.root())?, Path::new(files.root()));
        let of = |(id, entry): (&String, &Entry)| FromElsewhere {
            id: id.clone(),
            source: entry.source.clone(),
            version: entry.version.clone(),
            sha256: entry.sha256.clone(),
            signer: entry.signer.as_ref().map(|signer| signer.name.clone()),
            locked: project.locked(id, &entry.source.within(folder)).cloned(),
            is_here: self.file_of(id, entry).is_ok_and(|file| {
                identity::read(&file).is_ok_and(|bytes| entry.brought() == Some(&identity::digest(&bytes)))
            }),
        };
        Ok(project.registry.entries.iter().filter(|(_, entry)| entry.source.is_brought()).map(of).collect())
    }

    /// Returns the memory of the instances of all plugins in bytes.
    pub fn guest_memory(&self) -> usize {
        self.sandbox().map_or(0, |sandbox| sandbox.memory.used())
    }

    /// Returns information about the bytes of a file from the cache, or reads it now. The plugin is not run; it is
    /// rejected if it may not run.
    fn look(&self, id: &str, entry: &Entry, path: &Path, stamp: &Stamp) -> Result<Remembered> {
        let seen = match self.cache.recall(path, stamp) {
            Some(seen) => seen,
            None => {
                let bytes = identity::read(path).map_err(|error| unreadable(id, path, &error))?;
                let identity = identify::identify(id, &bytes, &LANGUAGE)?;
                let seen = Remembered::new(stamp.clone(), identity::digest(&bytes), identity);
                self.cache.remember(path, &seen);
                seen
            }
        };
        load::check_grants(id, &seen.imports, &entry.grants)?;
        check_meant(id, entry, &seen.sha256)?;
        self.check_signed(id, entry, path, &seen.sha256)?;
        Ok(seen)
    }

    /// Rejects bytes without the required signature, which is in the lock for downloaded plugins and in a file next to
    /// other ones.
    fn check_signed(&self, id: &str, entry: &Entry, path: &Path, sha256: &str) -> Result<()> {
        let Some(signer) = &entry.signer else { return Ok(()) };
        let bytes = identity::read(path).map_err(|error| unreadable(id, path, &error))?;
        if identity::digest(&bytes) != sha256 {
            self.cache.forget(path);
            return Err(other_bytes(id));
        }
        let signature = match &entry.pin {
            Pin::To(_, signature) if entry.source.is_brought() => signature.clone(),
            _ => signed::of_file(path),
        };
        signer.check(id, &bytes, signature.as_deref())
    }

    fn load(&self, id: &str, entry: &Entry, path: &Path, stamp: &Stamp) -> Result<Plugin> {
        let mut seen = self.look(id, entry, path, stamp)?;
        let replaced = Arc::new(AtomicBool::new(false));
        let sandbox = self.sandbox()?.clone();
        let compile = {
            let (sandbox, cache, sha256) = (sandbox.clone(), self.cache.clone(), seen.sha256.clone());
            let (name, file, replaced) = (id.to_owned(), path.to_owned(), Arc::clone(&replaced));
            let reach = Reach::of(&entry.grants);
            // Even if the file metadata is unchanged, the bytes are hashed before they, or code compiled from them,
            // run.
            move || {
                let bytes = identity::read(&file).map_err(|error| unreadable(&name, &file, &error))?;
                if identity::digest(&bytes) != sha256 {
                    cache.forget(&file);
                    replaced.store(true, Ordering::Relaxed);
                    return Err(other_bytes(&name));
                }
                let loaded = Loaded::load(&sandbox, &name, &cache, &sha256, bytes)?;
                Ok(loaded.reaching(reach))
            }
        };
        let loaded = OnceLock::new();
        let kept = match seen.description.clone() {
            Some(kept) => kept,
            None => {
                let linked = compile()?;
                let kept = KeptDescription::from(&describe(&sandbox, &linked, id, &entry.bounds)?);
                _ = loaded.set(linked);
                check_files(id, seen.files.as_ref(), &kept.files)?;
                (seen.files, seen.description) = (Some(kept.files.clone()), Some(kept.clone()));
                self.cache.remember(path, &seen);
                kept
            }
        };
        let description: Description = kept.into();
        check_name(id, &description.id)?;
        check_version(id, entry, &description.version)?;
        Ok(Plugin {
            id: id.to_owned(),
            sandbox,
            bounds: entry.bounds,
            reach: Reach::of(&entry.grants),
            settings: entry.settings.clone(),
            seen,
            description: Arc::new(description),
            compile: Box::new(compile),
            loaded,
            replaced,
            compiling: Mutex::default(),
            pool: Pool::new(),
        })
    }
}

/// Returns a key of everything that determines how a plugin is loaded.
fn key(id: &str, entry: &Entry, path: &Path) -> String {
    format!(
        "{id}\0{}\0{}\0{:?}\0{:?}\0{:?}\0{:?}",
        path.display(),
        entry.settings,
        entry.grants,
        entry.bounds,
        entry.pin,
        (&entry.allowed, &entry.sha256, entry.signer.as_ref().map(|signer| (signer, signed::looks(path))))
    )
}

/// Asks a plugin for its description.
fn describe(sandbox: &Sandbox, loaded: &Loaded, id: &str, bounds: &Bounds) -> Result<Description> {
    let mut instance = Instance::new(sandbox, loaded, bounds).map_err(|fault| fault.error)?;
    let _ticking = instance.arm(sandbox, bounds, 0, None);
    let said = instance.describe().map_err(|error| instance.fault(&error, "describing itself").error)?;
    let mut description = Checked::new(id, "").description(said)?;
    let refactors = instance.refactors();
    if let Some(said) = refactors.map_err(|error| instance.fault(&error, "listing its refactors").error)? {
        description.refactors = Checked::new(id, "").refactors(said)?;
    }
    Ok(description)
}

/// Rejects a plugin whose description and file declare different patterns, since it was selected by those in the file.
fn check_files(id: &str, told: Option<&Vec<String>>, said: &[String]) -> Result<()> {
    match told {
        Some(told) if told != said => {
            let (told, said) = (told.join(" "), said.join(" "));
            let message = format!("plugin `{id}` reports the patterns `{said}`, but its file declares `{told}`");
            Err(Error::new(Kind::PluginFailed, message)
                .hint("build it again: the section `marquetry:files` must have the patterns that `describe` returns"))
        }
        _ => Ok(()),
    }
}

fn unreadable(id: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::new(Kind::PluginFailed, format!("plugin `{id}`: {} cannot be read: {error}", path.display()))
}
