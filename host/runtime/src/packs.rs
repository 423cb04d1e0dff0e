//! The language packs of each project: selects the plugin for a file, loads it when first needed, and reloads it when
//! its file changes.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{
    Error, Interface, Kind, Result, StaleData,
    editor::{Integration, Integrations},
    pack::Description,
    ports::{Files, Pack, Packs, PluginInfo},
    servers::RequestedServer,
    source::Source,
};

pub(crate) mod locked;
mod plugins;
mod servers;

pub use plugins::{ExternalPlugin, InspectedPlugin};
use plugins::{not_downloaded_error, run_in_background};
pub use servers::{KnownServer, ServerState};

use crate::{
    approvals::{self, Approval, ApprovalChange, RequestedPermissions, TrustPolicy},
    cache::Cache,
    cached_plugin::FileFingerprint,
    compile::Compiler,
    editor::{IntegrationSet, WasmIntegration},
    file_access::secret_patterns,
    installed_servers::ProgramFolders,
    lock::{LockFile, LockedPlugin},
    logs::PluginLogs,
    pack::{Plugin, WasmPack, answer_key},
    plugin_check::check_name,
    plugin_file::EmbeddedPlugins,
    project::Project,
    registry::RegistryEntry,
    routes::{Route, Routes, RoutesBuilder},
    sandbox::Sandbox,
    stale_data,
    store::PluginStore,
};

/// Locations and settings. Only the program's entry point reads the environment. It passes the values to this module.
#[derive(Debug, Clone)]
pub struct Options {
    /// The text of the default registry.
    pub default_registry: String,
    /// Folders with bundled packs, in order of preference: `ID.wasm`, or `marquetry_ID.wasm` as cargo names it.
    pub bundled: Vec<PathBuf>,
    /// Cache folder for compiled packs; `None` if no folder can be trusted.
    pub cache: Option<PathBuf>,
    /// Decides who approves the permissions that a project requests.
    pub trust: TrustPolicy,
}

/// All packs of all projects of this process.
pub struct PackSet {
    options: Options,
    sandbox: OnceLock<Result<Sandbox>>,
    cache: Cache,
    /// The projects by root; the default registry has the empty key.
    projects: Mutex<HashMap<String, Arc<Project>>>,
    /// Loaded plugin files. The key has the path and a digest of the entry's settings.
    plugins: Mutex<HashMap<String, Arc<PluginSlot>>>,
    editors: IntegrationSet,
    /// Store of downloaded plugins; `None` if they cannot be stored.
    store: Option<PluginStore>,
    /// Plugins that the program contains; used instead of bundled files of the same name.
    embedded: EmbeddedPlugins,
    /// True if packs of the default registry that do not exist are ignored.
    skips_missing: bool,
    programs: ProgramFolders,
}

/// The metadata of a file when it was loaded, and the loaded plugin. Other threads wait while one loads it.
type PluginSlot = Mutex<Option<(FileFingerprint, Result<Arc<Plugin>>)>>;

impl PackSet {
    /// Creates the set from these options. Files are read only when a call needs them.
    pub fn new(options: Options) -> PackSet {
        let cache = Cache::new(options.cache.clone());
        let (sandbox, editors, store, embedded, skips_missing, programs) = Default::default();
        PackSet {
            options,
            sandbox,
            cache,
            projects: Mutex::default(),
            plugins: Mutex::default(),
            editors,
            store,
            embedded,
            skips_missing,
            programs,
        }
    }

    /// Sets the program that compiles each plugin in a separate process. Without it, plugins are compiled in this
    /// process, without limits on memory and time.
    #[must_use]
    pub fn with_compiler(self, compiler: Compiler) -> PackSet {
        PackSet { cache: self.cache.with_compiler(compiler), ..self }
    }

    fn sandbox(&self) -> Result<&Sandbox> {
        self.sandbox.get_or_init(|| Sandbox::new(PluginLogs::new(self.cache.clone()))).as_ref().map_err(Clone::clone)
    }

    /// Returns stale data: cache files and approvals of roots that no longer exist.
    ///
    /// # Errors
    /// Fails if the sandbox, which identifies code of other versions, cannot be created.
    pub fn stale_data(&self) -> Result<Vec<StaleData>> {
        let mut found = match &self.options.trust {
            TrustPolicy::Allowed(words) => approvals::stale_approvals(words),
            TrustPolicy::Everything | TrustPolicy::Nothing => Vec::new(),
        };
        if let Some(folder) = &self.options.cache {
            found.extend(stale_data::stale_cache_files(&self.cache, folder, &self.sandbox()?.engine, &self.embedded));
        }
        Ok(found)
    }

    /// Describes why plugins are not cached although a cache folder is configured; `None` if they are cached.
    pub fn cache_problem(&self) -> Option<String> {
        self.cache.disabled_reason()
    }

    /// Returns the log of a plugin's failed calls in all processes, oldest first, with their times.
    pub fn logs(&self, id: &str) -> Option<String> {
        PluginLogs::new(self.cache.clone()).read(id)
    }

    /// Returns a root with its plugins, reloaded if a file that determines them has changed.
    fn project(&self, files: &Arc<dyn Files>) -> Result<Arc<Project>> {
        let root = files.root();
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(project) = projects.get(root).filter(|project| project.is_current()) {
            return Ok(Arc::clone(project));
        }
        let defaults = self.default_registry(Path::new(root))?;
        let project = match files.is_on_disk() {
            true => Project::read(root, &defaults, &self.options.trust, &self.programs)?,
            false => Project::without_folder(root, defaults),
        };
        let project = Arc::new(project);
        projects.insert(root.to_owned(), Arc::clone(&project));
        Ok(project)
    }

    /// Returns the permissions that a project requests.
    ///
    /// # Errors
    /// Fails if the registry of the project is invalid.
    pub fn requested_permissions(&self, files: &Arc<dyn Files>) -> Result<RequestedPermissions> {
        let project = self.project(files)?;
        let mut demands = project.demands();
        let mut noted = BTreeSet::new();
        for demand in &mut demands.list {
            // The notes are added only to the first request of each plugin.
            if demand.what.starts_with("runs ") && noted.insert(demand.plugin.clone()) {
                demand.notes = self.project_plugin_notes(&project, &demand.plugin, None);
            }
        }
        Ok(demands)
    }

    /// Returns the consequences of using a plugin that is not bundled: the files that it handles, those that it takes
    /// over from other plugins, and those that contain secrets. The plugin is not run; `declared` are the patterns in its file.
    ///
    /// # Errors
    /// Fails if the registry of the project is invalid.
    pub fn plugin_notes(&self, files: &Arc<dyn Files>, id: &str, declared: Option<Vec<String>>) -> Result<Vec<String>> {
        Ok(self.project_plugin_notes(&*self.project(files)?, id, declared))
    }

    fn project_plugin_notes(&self, project: &Project, id: &str, declared: Option<Vec<String>>) -> Vec<String> {
        let Some(entry) = project.registry.entries.get(id).filter(|entry| entry.source != Source::Bundled) else {
            return Vec::new();
        };
        let mut notes = Vec::new();
        if project.is_default(id) {
            notes.push(format!("it replaces the bundled plugin `{id}`"));
        }
        let Some(patterns) = entry.files.clone().or(declared).or_else(|| self.patterns_in_file(id, entry)) else {
            notes.push("its file does not declare which files it handles; it must run to show them".to_owned());
            return notes;
        };
        // If the registry sets the patterns, they are already shown as a request.
        notes.extend(entry.files.is_none().then(|| format!("handles {}", patterns.join(", "))));
        let overlaps = self.current_routes(project).overlaps(id, &patterns, true);
        for wins in [true, false] {
            let of = overlaps.iter().filter(|overlap| overlap.wins == wins);
            let list: Vec<String> = of.map(|it| format!("{} (plugin `{}`)", it.pattern, it.other)).collect();
            if !list.is_empty() {
                let what = if wins { "takes over from other plugins" } else { "leaves to other plugins" };
                notes.push(format!("{what}: {}", list.join(", ")));
            }
        }
        let secrets: Vec<&str> = secret_patterns(&patterns).collect();
        if !secrets.is_empty() {
            let list = secrets.join(", ");
            notes.push(format!("handles files that contain secrets by convention, if a call names one: {list}"));
        }
        notes
    }

    /// Stores or revokes approval of everything that the project requests now.
    ///
    /// # Errors
    /// Fails if the approval cannot be stored: its folder is not writable, is in the project, or does not exist.
    pub fn set_approval(&self, files: &Arc<dyn Files>, allow: bool) -> Result<RequestedPermissions> {
        self.change_approval(files, ApprovalChange { allow, names: &[] })
    }

    /// Stores or revokes approval, optionally of certain names only.
    ///
    /// # Errors
    /// As for `set_approval`, or the project requests nothing under one of the names.
    pub fn change_approval(&self, files: &Arc<dyn Files>, saying: ApprovalChange<'_>) -> Result<RequestedPermissions> {
        let demands = self.requested_permissions(files)?;
        let TrustPolicy::Allowed(folder) = &self.options.trust else {
            return Err(Error::argument("approvals are not stored with `--trust` or `--no-trust`"));
        };
        approvals::store_approvals(folder, Path::new(files.root()), &demands, saying)?;
        self.requested_permissions(files)
    }

    /// Returns the patterns of all plugins. Plugins that declare them in their file are not run. Missing bundled
    /// plugins are skipped.
    fn routes(&self, project: &Project) -> Routes {
        let mut routes = RoutesBuilder::new();
        for (id, entry) in &project.registry.entries {
            match self.plugin_info_now(id, entry) {
                Ok(None) => routes.add_loading(id),
                Ok(Some(sighting)) => {
                    let files = entry.files.as_ref().or(sighting.files.as_ref());
                    let is_own = entry.source != Source::Bundled;
                    routes.add(id, files.map_or(&[], Vec::as_slice), Some(&sighting.sha256), is_own);
                }
                Err(error) => {
                    tracing::warn!("{error}");
                    match &entry.files {
                        _ if self.is_not_installed(id, entry) => {}
                        Some(files) => routes.add(id, files, None, entry.source != Source::Bundled),
                        None => routes.add_unloaded(id),
                    }
                }
            }
        }
        routes.build()
    }

    /// Returns the routes of a project that are known without running a plugin.
    fn current_routes(&self, project: &Project) -> Arc<Routes> {
        let cached = project.routes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        cached.unwrap_or_else(|| Arc::new(self.routes(project)))
    }

    fn plugin_for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<Plugin>> {
        let project = self.project(files)?;
        let name = path.rsplit('/').next().unwrap_or(path);
        for _ in 0..2 {
            let cached = project.routes.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let routes = cached.unwrap_or_else(|| Arc::new(self.routes(&project)));
            let found = self.plugin_of_route(&project, &routes, name, path)?;
            // If `found` is `None`, a plugin file has changed, possibly with other patterns, or a missing plugin exists
            // now. Then the routes are computed again.
            let is_kept = found.is_some() && routes.is_complete();
            *project.routes.lock().unwrap_or_else(PoisonError::into_inner) = is_kept.then_some(routes);
            if let Some(plugin) = found {
                return Ok(plugin);
            }
        }
        // An error about a plugin that cannot be loaded is more useful than "no plugin".
        let broken = project.registry.entries.iter().find_map(|(id, entry)| self.plugin_info(id, entry).err());
        Err(broken.unwrap_or_else(|| {
            Error::new(Kind::Unsupported, format!("no language pack handles `{name}`"))
                .hint("set `files` of a pack in registry.toml; `marq plugin list` shows the packs")
        }))
    }

    /// Returns the plugin that takes a file; `None` if the routes are outdated. If the plugin cannot be used, no other
    /// one is substituted.
    fn plugin_of_route(
        &self,
        project: &Project,
        routes: &Routes,
        name: &str,
        path: &str,
    ) -> Result<Option<Arc<Plugin>>> {
        let now = |id: &str| match project.registry.entries.get(id) {
            Some(entry) => self.plugin(id, entry).map(Some),
            None => Ok(None),
        };
        let best = routes.best_route(name, path);
        if best.is_none_or(Route::takes_everything) {
            // A plugin whose patterns are unknown may handle this file. If it can be loaded now, the routes are
            // outdated.
            for id in routes.unloaded() {
                if now(id)?.is_some() {
                    return Ok(None);
                }
            }
        }
        let Some(best) = best else { return Ok(None) };
        let current = now(&best.id)?;
        Ok(current.filter(|plugin| best.sha256.as_ref() == Some(&plugin.cached.sha256)))
    }

    /// Compiles a plugin unless its code is cached. Cached code is loaded when a call needs it.
    fn compile_if_uncached(&self, plugin: &Plugin) -> Result<()> {
        if self.cache.has_code(&self.sandbox()?.engine, &plugin.cached.sha256) {
            return Ok(());
        }
        plugin.loaded().map(drop)
    }

    fn editor(&self, id: &str, entry: &RegistryEntry) -> Result<Arc<WasmIntegration>> {
        self.editors.integration(id, entry, self.plugin_file(id, entry)?, self.sandbox()?, &self.cache)
    }

    /// Returns whether a project has plugins that are not bundled, and so needs a lock.
    ///
    /// # Errors
    /// Fails if the registry of the project is invalid.
    pub fn has_own_plugins(&self, files: &Arc<dyn Files>) -> Result<bool> {
        Ok(self.project(files)?.registry.all_plugins().any(|(_, entry)| entry.source != Source::Bundled))
    }

    /// Returns the lock of a project for its current plugins that are not bundled.
    ///
    /// # Errors
    /// Fails if a plugin cannot be used, or was not downloaded.
    pub fn lock_text(&self, files: &Arc<dyn Files>) -> Result<String> {
        self.lock_text_with(files, &BTreeMap::new())
    }

    /// Returns the lock, with entries for plugins that were just downloaded or resolved, by name.
    ///
    /// # Errors
    /// As for `lock_text`.
    pub fn lock_text_with(&self, files: &Arc<dyn Files>, given: &BTreeMap<String, LockedPlugin>) -> Result<String> {
        let (project, folder) = (self.project(files)?, Path::new(files.root()));
        let mut lock = LockFile { marquetry: 1, ..LockFile::default() };
        // Bundled plugins change with each version of the program and are not locked.
        for (id, entry) in project.registry.entries.iter().filter(|(_, entry)| entry.source != Source::Bundled) {
            let source = entry.source.relative_to(folder);
            if let Some(locked) = given.get(id) {
                lock.plugins.insert(id.clone(), LockedPlugin { source, ..locked.clone() });
            } else if entry.source.is_downloaded() {
                lock.plugins
                    .insert(id.clone(), project.locked(id, &source).cloned().ok_or_else(|| not_downloaded_error(id))?);
            } else {
                let (version, sha256) = self.version_and_digest(id, entry)?;
                let locked = LockedPlugin { version, source, sha256, manifest: None, signature: None };
                lock.plugins.insert(id.clone(), locked);
            }
        }
        for (id, entry) in project.registry.editors.iter().filter(|(_, entry)| entry.source != Source::Bundled) {
            let (version, sha256) = self.editor(id, &entry.unpinned())?.version_and_digest()?;
            let source = entry.source.relative_to(folder);
            lock.editors.insert(id.clone(), LockedPlugin { version, source, sha256, manifest: None, signature: None });
        }
        toml::to_string_pretty(&lock).map_err(|error| Error::internal(error.to_string()))
    }

    /// Returns the version and digest of a plugin. A plugin that is not approved is only inspected; locking it grants
    /// it nothing.
    fn version_and_digest(&self, id: &str, entry: &RegistryEntry) -> Result<(String, String)> {
        if let (Some(_), Source::Path(path)) = (&entry.refusal, &entry.source) {
            let inspected = self.inspect(path)?;
            check_name(id, &inspected.description.id)?;
            return Ok((inspected.description.version, inspected.sha256));
        }
        let plugin = self.plugin(id, &entry.unpinned())?;
        Ok((plugin.description.version.clone(), plugin.cached.sha256.clone()))
    }
}

impl Integrations for PackSet {
    fn for_project(&self, files: &Arc<dyn Files>) -> Result<Vec<Arc<dyn Integration>>> {
        let project = self.project(files)?;
        let mut all: Vec<Arc<dyn Integration>> = Vec::new();
        for (id, entry) in &project.registry.editors {
            match self.editor(id, entry) {
                Ok(integration) => all.push(integration),
                // A missing integration attaches nothing.
                Err(error) => tracing::debug!("{error}"),
            }
        }
        Ok(all)
    }
}

impl Packs for PackSet {
    fn for_path(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<dyn Pack>> {
        let plugin = self.plugin_for_path(files, path)?;
        Ok(Arc::new(WasmPack { plugin, files: Arc::clone(files), is_for_embedded: false }))
    }

    fn for_language(&self, files: &Arc<dyn Files>, language: &str) -> Result<Arc<dyn Pack>> {
        let language = language.to_ascii_lowercase();
        let project = self.project(files)?;
        let plugin = match project.registry.entries.get(&language) {
            Some(entry) => self.plugin(&language, entry)?,
            None => self.plugin_for_path(files, &format!("embedded.{language}"))?,
        };
        Ok(Arc::new(WasmPack { plugin, files: Arc::clone(files), is_for_embedded: true }))
    }

    fn descriptions(&self, files: &Arc<dyn Files>) -> Vec<Arc<Description>> {
        // The lock requires descriptions, so plugins that are not described yet are run.
        let Ok(project) = self.project(files) else { return Vec::new() };
        let plugins = project.registry.entries.iter().filter_map(|(id, entry)| self.plugin(id, entry).ok());
        plugins.map(|plugin| Arc::clone(&plugin.description)).collect()
    }

    fn identities(&self, files: &Arc<dyn Files>) -> Vec<String> {
        let Ok(project) = self.project(files) else { return Vec::new() };
        let identity = |(id, entry): (&String, &RegistryEntry)| {
            Some(answer_key(&self.plugin_info(id, entry).ok()?.sha256, &entry.settings))
        };
        // If the registry changes the file patterns of a pack, the set of packs has another identity.
        let routed =
            |(id, entry): (&String, &RegistryEntry)| Some(format!("{id} takes {}", entry.files.as_ref()?.join(" ")));
        let entries = &project.registry.entries;
        entries.iter().filter_map(identity).chain(entries.iter().filter_map(routed)).collect()
    }

    fn prepare(&self, files: &Arc<dyn Files>) {
        let Ok(project) = self.project(files) else { return };
        run_in_background(|| {
            for (id, entry) in &project.registry.entries {
                if let Err(error) = self.plugin(id, entry).and_then(|plugin| self.compile_if_uncached(&plugin)) {
                    tracing::debug!("{error}");
                }
            }
        });
    }

    fn approval_state(&self, files: &Arc<dyn Files>) -> Option<String> {
        let word = match self.project(files).ok()?.requested_permissions.approval {
            Approval::Allowed => "trusted",
            Approval::Unasked => "unasked",
            Approval::Refused => "refused",
        };
        Some(word.to_owned())
    }

    fn servers(&self, files: &Arc<dyn Files>) -> Result<Vec<RequestedServer>> {
        Ok(self.project(files)?.servers())
    }

    fn plugins(&self, files: &Arc<dyn Files>) -> Vec<PluginInfo> {
        let project = match self.project(files) {
            Ok(project) => project,
            Err(error) => {
                tracing::error!("{error}");
                return Vec::new();
            }
        };
        let routes = self.current_routes(&project);
        let info = |(id, entry): (&String, &RegistryEntry)| {
            // This reads only the plugin file and the cache, so that listing does not compile anything.
            let sighting = self.plugin_info(id, entry);
            let seen = sighting.as_ref().ok();
            let files = entry.files.clone().or_else(|| seen.and_then(|seen| seen.files.clone())).unwrap_or_default();
            let overlaps = routes.overlaps(id, &files, entry.source != Source::Bundled);
            PluginInfo {
                id: id.clone(),
                version: seen.and_then(|seen| Some(seen.description.as_ref()?.version.clone())),
                source: entry.source.to_string(),
                digest: seen.map(|seen| seen.sha256.clone()),
                files,
                interfaces: Interface::ALL
                    .into_iter()
                    .filter(|one| seen.is_some_and(|seen| seen.interfaces.iter().any(|known| known == one.name())))
                    .collect(),
                grants: entry.grants.clone(),
                state: match &sighting {
                    Ok(seen) => self.plugin_status(id, entry, seen),
                    Err(error) => format!("failed: {error}"),
                },
                memory: entry.limits.memory,
                time: entry.limits.time,
                overlaps,
            }
        };
        project.registry.entries.iter().map(info).collect()
    }
}

#[cfg(test)]
mod tests;
