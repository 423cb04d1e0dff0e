//! Loads the plugin of a registry entry: finds its file, reads information from its bytes, and asks it for its
//! description.
//!
//! Plugins from OCI registries, URLs and folders are read from the user's store only: no call uses the network.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
};

use marquetry_model::{Error, Kind, Result, pack::Description, ports::Files, source::Source};

use super::PackSet;
use crate::{
    bundle::BundledPlugin,
    cached_description::CachedDescription,
    cached_plugin::{CachedPlugin, FileFingerprint},
    describe_plugin::describe,
    file_access::{FileAccess, WORKSPACE_GRANT},
    identify, identity,
    load::{self, LoadedPlugin},
    lock::LockedPlugin,
    pack::Plugin,
    plugin_check::{check_digest, check_name, check_version, replaced_error},
    plugin_file::PluginFile,
    pool::InstancePool,
    registry::{DEFAULT_BOUNDS, Pin, Registry, RegistryEntry},
    signatures,
    store::PluginStore,
    versions::LANGUAGE,
};

/// Information about a plugin file, independent of any project.
#[derive(Debug, Clone)]
pub struct InspectedPlugin {
    /// Its description.
    pub description: Description,
    /// sha256 of its bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// Optional WIT interfaces that it exports.
    pub interfaces: Vec<String>,
    /// Its imports.
    pub imports: Vec<String>,
    /// Grants that it needs to run.
    pub needed_grants: Vec<String>,
    /// True if the file declares its patterns, so that the plugin need not run for that.
    pub declares_files: bool,
    /// Exported interfaces with their versions; empty for a core module.
    pub exports: Vec<String>,
    /// True for a core module rather than a component.
    pub is_module: bool,
}

/// A plugin of a project that comes from an OCI registry, a URL or a folder.
#[derive(Debug, Clone)]
pub struct ExternalPlugin {
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
    pub locked: Option<LockedPlugin>,
    /// True if the store has the locked bytes.
    pub is_stored: bool,
}

impl PackSet {
    /// Adds a language pack that the program contains. A pack that the default registry does not name has no grants.
    #[must_use]
    pub fn with_pack(mut self, id: &str, bytes: impl Into<Arc<[u8]>>) -> PackSet {
        self.embedded.add(id, bytes);
        self
    }

    /// Sets the plugins that are part of the program. They are used instead of bundled files of the same name.
    #[must_use]
    pub fn with_bundled(mut self, plugins: &'static [BundledPlugin]) -> PackSet {
        self.embedded.set_bundled(plugins);
        self
    }

    /// Ignores packs of the default registry that do not exist, for programs that have only some of them.
    #[must_use]
    pub fn skip_missing_packs(self) -> PackSet {
        PackSet { skips_missing: true, ..self }
    }

    /// Sets the user's folder of downloaded plugins.
    #[must_use]
    pub fn with_store(self, folder: Option<PathBuf>) -> PackSet {
        PackSet { store: folder.map(PluginStore::new), ..self }
    }

    /// Returns the default registry for a root, with the packs that the program contains.
    pub(super) fn default_registry(&self, folder: &Path) -> Result<Registry> {
        let mut registry = Registry::parse(&self.options.default_registry, folder, "the default registry")?;
        self.embedded.names().for_each(|id| registry.add_bundled(id));
        if self.skips_missing {
            registry.entries.retain(|id, entry| !self.is_not_installed(id, entry));
        }
        Ok(registry)
    }

    /// Returns the place of a plugin's bytes.
    pub(super) fn plugin_file(&self, id: &str, entry: &RegistryEntry) -> Result<PluginFile> {
        match self.embedded.get(id).filter(|_| entry.source == Source::Bundled) {
            Some(embedded) => Ok(embedded),
            None => self.file_on_disk(id, entry).map(PluginFile::on_disk),
        }
    }

    /// Returns the file of a plugin that the program does not contain.
    pub(super) fn file_on_disk(&self, id: &str, entry: &RegistryEntry) -> Result<PathBuf> {
        match &entry.source {
            Source::Path(path) if path.is_file() => Ok(path.clone()),
            Source::Path(path) => {
                Err(Error::new(Kind::PluginFailed, format!("plugin `{id}`: there is no file {}", path.display()))
                    .hint("correct `source` of the plugin in registry.toml, or build the plugin"))
            }
            source @ (Source::Folder(_) | Source::Url(_) | Source::Oci(_)) => {
                let store = self
                    .store
                    .as_ref()
                    .filter(|store| entry.downloaded_digest().is_some_and(|sha256| store.contains(sha256)));
                let place = store.zip(entry.downloaded_digest()).map(|(store, sha256)| store.plugin_path(sha256));
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
                first_file(id, places)?.ok_or_else(|| {
                    let folders = self.options.bundled.iter().map(|folder| folder.display().to_string());
                    Error::new(Kind::PluginFailed, format!("plugin `{id}` is not bundled with this marq"))
                        .hint("run `make install`, or `cargo xtask plugins` in the source tree")
                        .candidates(folders)
                })
            }
        }
    }

    /// Returns whether this is a bundled plugin that is missing from this installation. Such a plugin handles no files
    /// and is not locked.
    pub(super) fn is_not_installed(&self, id: &str, entry: &RegistryEntry) -> bool {
        entry.source == Source::Bundled && self.plugin_file(id, entry).is_err_and(|error| !error.is_transient())
    }

    /// Returns information from the file of an entry. If it does not declare its patterns, the plugin is run.
    pub(super) fn plugin_info(&self, id: &str, entry: &RegistryEntry) -> Result<CachedPlugin> {
        entry.check_may_run()?;
        let file = self.plugin_file(id, entry)?;
        let stamp = file.fingerprint().map_err(|error| unreadable_error(id, file.path(), &error))?;
        let seen = self.read_plugin_info(id, entry, &file, &stamp)?;
        // Neither the plugin file nor the registry declares the patterns, so the plugin must run to list them.
        if seen.files.is_some() || entry.files.is_some() {
            Ok(seen)
        } else {
            Ok(self.plugin(id, entry)?.cached.clone())
        }
    }

    /// Non-blocking variant of `plugin_info`. Returns `None` while another call compiles and runs the plugin to get its
    /// patterns, so that calls of other plugins do not wait.
    pub(super) fn plugin_info_now(&self, id: &str, entry: &RegistryEntry) -> Result<Option<CachedPlugin>> {
        entry.check_may_run()?;
        let file = self.plugin_file(id, entry)?;
        let key = plugin_key(id, entry, file.path());
        let slot = self.plugins.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let is_busy = slot.is_some_and(|slot| matches!(slot.try_lock(), Err(TryLockError::WouldBlock)));
        if !is_busy {
            return self.plugin_info(id, entry).map(Some);
        }
        let stamp = file.fingerprint().map_err(|error| unreadable_error(id, file.path(), &error))?;
        let seen = self.read_plugin_info(id, entry, &file, &stamp)?;
        Ok(Some(seen).filter(|seen| seen.files.is_some() || entry.files.is_some()))
    }

    /// Returns the plugin of an entry, reloaded if its file has changed.
    pub(super) fn plugin(&self, id: &str, entry: &RegistryEntry) -> Result<Arc<Plugin>> {
        entry.check_may_run()?;
        let file = self.plugin_file(id, entry)?;
        let stamp = file.fingerprint().map_err(|error| unreadable_error(id, file.path(), &error))?;
        let key = plugin_key(id, entry, file.path());
        let slot = Arc::clone(self.plugins.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, plugin)) = &*slot
            && *known == stamp
            && !plugin.as_ref().is_ok_and(|plugin| plugin.is_outdated.load(Ordering::Relaxed))
        {
            return plugin.clone();
        }
        let plugin = self.load(id, entry, &file, &stamp).map(Plugin::with_logged_problem).map(Arc::new);
        slot.insert((stamp, plugin)).1.clone()
    }

    /// Returns the patterns in a plugin file, even if the plugin is not approved.
    pub(super) fn patterns_in_file(&self, id: &str, entry: &RegistryEntry) -> Option<Vec<String>> {
        let bytes = self.plugin_file(id, entry).ok()?.read().ok()?;
        identify::identify(id, &bytes, &LANGUAGE).ok()?.files
    }

    /// Returns the status of a plugin whose file is usable.
    pub(super) fn plugin_status(&self, id: &str, entry: &RegistryEntry, seen: &CachedPlugin) -> String {
        match seen.description {
            // The plugin was loaded before by this version of marq, so loading it again is cheap.
            Some(_) => self.plugin(id, entry).map_or_else(|error| format!("failed: {error}"), |it| it.status()),
            None => {
                let refusal = || self.sandbox().ok().and_then(|it| self.cache.refusal(&it.engine, &seen.sha256));
                self.known_failure(id, entry)
                    .or_else(refusal)
                    .map_or_else(|| "ready".to_owned(), |why| format!("failed: {why}"))
            }
        }
    }

    /// Returns the error of an earlier attempt to load a plugin.
    pub(super) fn known_failure(&self, id: &str, entry: &RegistryEntry) -> Option<Error> {
        let key = plugin_key(id, entry, self.plugin_file(id, entry).ok()?.path());
        let slot = Arc::clone(self.plugins.lock().unwrap_or_else(PoisonError::into_inner).get(&key)?);
        // Listing does not wait for a plugin that is being loaded.
        let slot = slot.try_lock().ok()?;
        slot.as_ref().and_then(|(_, plugin)| plugin.as_ref().err().cloned())
    }

    /// Inspects a file that no registry names yet.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is not a language pack, imports something that no plugin is granted, or fails
    /// to describe itself.
    pub fn inspect(&self, path: &Path) -> Result<InspectedPlugin> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = identity::read_plugin_file(path).map_err(|error| unreadable_error(&name, path, &error))?;
        let identity = identify::identify(&name, &bytes, &LANGUAGE)?;
        load::check_grants(&name, &identity.imports, &[WORKSPACE_GRANT.to_owned()])?;
        let wants = load::check_grants(&name, &identity.imports, &[]).err().map(|_| WORKSPACE_GRANT.to_owned());
        let (exports, is_module) = (identify::exports(&bytes), identify::is_module(&bytes));
        let (sandbox, sha256, size) = (self.sandbox()?, identity::digest(&bytes), bytes.len());
        let loaded = LoadedPlugin::load(sandbox, &name, &self.cache, &sha256, bytes)?;
        let description = describe(sandbox, &loaded, &name, &DEFAULT_BOUNDS)?;
        check_files(&name, identity.files.as_ref(), &description.files)?;
        Ok(InspectedPlugin {
            description,
            sha256,
            bytes: size,
            interfaces: identity.interfaces,
            imports: identity.imports,
            needed_grants: wants.into_iter().collect(),
            declares_files: identity.files.is_some(),
            exports,
            is_module,
        })
    }

    /// Writes the bytes of a plugin to the user's store, under their digest.
    ///
    /// # Errors
    /// Fails if the store is missing or not writable.
    pub fn store_plugin(&self, bytes: &[u8]) -> Result<PathBuf> {
        let store = self.store.as_ref().ok_or_else(|| {
            Error::new(Kind::PermissionDenied, "there is no folder outside of the project to store plugins in")
                .hint("set MARQ_STATE_DIR to a folder of your own (mode 700) outside the project")
        })?;
        store.store(bytes)
    }

    /// Returns the plugins of a project that come from OCI registries, URLs or folders.
    ///
    /// # Errors
    /// Fails if the registry of the project is invalid.
    pub fn external_plugins(&self, files: &Arc<dyn Files>) -> Result<Vec<ExternalPlugin>> {
        let (project, folder) = (self.project(files)?, Path::new(files.root()));
        let of = |(id, entry): (&String, &RegistryEntry)| ExternalPlugin {
            id: id.clone(),
            source: entry.source.clone(),
            version: entry.version.clone(),
            sha256: entry.sha256.clone(),
            signer: entry.signer.as_ref().map(|signer| signer.name.clone()),
            locked: project.locked(id, &entry.source.relative_to(folder)).cloned(),
            is_stored: self.plugin_file(id, entry).is_ok_and(|file| {
                file.read().is_ok_and(|bytes| entry.downloaded_digest() == Some(&identity::digest(&bytes)))
            }),
        };
        Ok(project.registry.entries.iter().filter(|(_, entry)| entry.source.is_downloaded()).map(of).collect())
    }

    /// Returns the memory of the instances of all plugins in bytes.
    pub fn guest_memory(&self) -> usize {
        self.sandbox().map_or(0, |sandbox| sandbox.memory.used())
    }

    /// Returns information about the bytes of a file from the cache, or reads it now. The plugin is not run; it is
    /// rejected if it may not run.
    fn read_plugin_info(
        &self,
        id: &str,
        entry: &RegistryEntry,
        file: &PluginFile,
        stamp: &FileFingerprint,
    ) -> Result<CachedPlugin> {
        let path = file.path();
        let seen = match file.info().or_else(|| self.cache.load(path, stamp)) {
            Some(seen) => seen,
            None => {
                let bytes = file.read().map_err(|error| unreadable_error(id, path, &error))?;
                let identity = identify::identify(id, &bytes, &LANGUAGE)?;
                let seen = CachedPlugin::new(stamp.clone(), identity::digest(&bytes), identity);
                self.cache.store(path, &seen);
                seen
            }
        };
        load::check_grants(id, &seen.imports, &entry.grants)?;
        check_digest(id, entry, &seen.sha256)?;
        self.check_signed(id, entry, file, &seen.sha256)?;
        Ok(seen)
    }

    /// Rejects bytes without the required signature. The signature of a downloaded plugin is in the lock; that of
    /// another plugin is in a file next to it.
    pub(super) fn check_signed(&self, id: &str, entry: &RegistryEntry, file: &PluginFile, sha256: &str) -> Result<()> {
        let Some(signer) = &entry.signer else { return Ok(()) };
        let path = file.path();
        let bytes = file.read().map_err(|error| unreadable_error(id, path, &error))?;
        if identity::digest(&bytes) != sha256 {
            self.cache.remove(path);
            return Err(replaced_error(id));
        }
        let signature = match &entry.pin {
            Pin::Locked(_, signature) if entry.source.is_downloaded() => signature.clone(),
            _ => signatures::read_signature(path),
        };
        signer.check(id, &bytes, signature.as_deref())
    }

    fn load(&self, id: &str, entry: &RegistryEntry, file: &PluginFile, stamp: &FileFingerprint) -> Result<Plugin> {
        let mut seen = self.read_plugin_info(id, entry, file, stamp)?;
        let replaced = Arc::new(AtomicBool::new(false));
        let sandbox = self.sandbox()?.clone();
        let compile = {
            let (sandbox, cache, sha256) = (sandbox.clone(), self.cache.clone(), seen.sha256.clone());
            let (name, file, replaced) = (id.to_owned(), file.clone(), Arc::clone(&replaced));
            let reach = FileAccess::from_grants(&entry.grants);
            // The bytes are hashed before they are run or compiled, even if the metadata of the file is unchanged.
            move || {
                if let Some(plugin) = file.bundled() {
                    return Ok(LoadedPlugin::load_bundled(&sandbox, &cache, plugin)?.with_file_access(reach));
                }
                let bytes = file.read().map_err(|error| unreadable_error(&name, file.path(), &error))?;
                if identity::digest(&bytes) != sha256 {
                    cache.remove(file.path());
                    replaced.store(true, Ordering::Relaxed);
                    return Err(replaced_error(&name));
                }
                let loaded = LoadedPlugin::load(&sandbox, &name, &cache, &sha256, bytes)?;
                Ok(loaded.with_file_access(reach))
            }
        };
        let loaded = OnceLock::new();
        let kept = match seen.description.clone() {
            Some(kept) => kept,
            None => {
                let linked = compile()?;
                let kept = CachedDescription::from(&describe(&sandbox, &linked, id, &entry.limits)?);
                _ = loaded.set(linked);
                check_files(id, seen.files.as_ref(), &kept.files)?;
                (seen.files, seen.description) = (Some(kept.files.clone()), Some(kept.clone()));
                self.cache.store(file.path(), &seen);
                kept
            }
        };
        let description: Description = kept.into();
        check_name(id, &description.id)?;
        check_version(id, entry, &description.version)?;
        Ok(Plugin {
            id: id.to_owned(),
            sandbox,
            bounds: entry.limits,
            file_access: FileAccess::from_grants(&entry.grants),
            settings: entry.settings.clone(),
            cached: seen,
            description: Arc::new(description),
            compile: Box::new(compile),
            loaded,
            is_outdated: replaced,
            compiling: Mutex::default(),
            pool: InstancePool::new(),
        })
    }
}

/// Returns a key of everything that determines how a plugin is loaded.
fn plugin_key(id: &str, entry: &RegistryEntry, path: &Path) -> String {
    format!(
        "{id}\0{}\0{}\0{:?}\0{:?}\0{:?}\0{:?}",
        path.display(),
        entry.settings,
        entry.grants,
        entry.limits,
        entry.pin,
        (
            &entry.approved_digest,
            &entry.sha256,
            entry.signer.as_ref().map(|signer| (signer, signatures::signature_stamp(path)))
        )
    )
}

/// Rejects a plugin whose description declares other patterns than its file, because the plugin was selected by those
/// in the file.
fn check_files(id: &str, declared: Option<&Vec<String>>, reported: &[String]) -> Result<()> {
    match declared {
        Some(declared) if declared != reported => {
            let (declared, reported) = (declared.join(" "), reported.join(" "));
            let message =
                format!("plugin `{id}` reports the patterns `{reported}`, but its file declares `{declared}`");
            Err(Error::new(Kind::PluginFailed, message)
                .hint("build it again: the section `marquetry:files` must have the patterns that `describe` returns"))
        }
        _ => Ok(()),
    }
}

pub(super) fn unreadable_error(id: &str, path: &Path, error: &std::io::Error) -> Error {
    let unreadable =
        Error::new(Kind::PluginFailed, format!("plugin `{id}`: {} cannot be read: {error}", path.display()));
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied => unreadable,
        _ => unreadable.hint("repeat the call").transient(),
    }
}

/// Returns the first of the paths that is a file.
///
/// # Errors
/// Fails if the system cannot say whether a path is a file.
fn first_file(id: &str, paths: impl IntoIterator<Item = PathBuf>) -> Result<Option<PathBuf>> {
    for path in paths {
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => return Ok(Some(path)),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err(unreadable_error(id, &path, &error)),
        }
    }
    Ok(None)
}

/// Error for a locked plugin whose file is not on this machine.
pub(super) fn not_downloaded_error(id: &str) -> Error {
    Error::new(Kind::PluginFailed, format!("plugin `{id}` was not downloaded"))
        .hint(format!("run `marq plugin update {id}`, which downloads and locks it"))
}

/// Runs work such as compilation on one core, so that the other cores are free for calls.
pub(super) fn run_in_background(work: impl FnOnce() + Send) {
    match rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "prepare".to_owned()).build() {
        Ok(pool) => pool.install(work),
        Err(error) => tracing::debug!("cannot prepare plugins: {error}"),
    }
}
