//! The language packs of each project: selects the plugin for a file, loads it when first needed, and reloads it when
//! its file changes.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{
    Error, Kind, Leftover, Result,
    editor::{Integration, Integrations},
    pack::Description,
    ports::{Files, Pack, Packs, PluginInfo},
    servers::ServerWish,
    source::Source,
};

mod plugins;

pub use plugins::{FromElsewhere, Inspected};

use crate::{
    cache::{Cache, Remembered, Stamp},
    compile::Compiler,
    editor::{EditorSet, WasmIntegration},
    engine::Sandbox,
    identify, identity, leftovers,
    lock::{Lock, Locked},
    logs::Logs,
    meant::check_name,
    pack::{Plugin, WasmPack, identity_of},
    project::Project,
    reach::secret_patterns,
    registry::Entry,
    routes::{Route, Routes, RoutesBuilder},
    store::Store,
    trust::{self, Demands, Saying, Trust, Word},
    versions::LANGUAGE,
};

/// Locations and settings. Only the program's entry point reads the environment and passes them here.
#[derive(Debug, Clone)]
pub struct Options {
    /// The text of the default registry.
    pub default_registry: String,
    /// Folders with bundled packs, in order of preference: `ID.wasm`, or `marquetry_ID.wasm` as cargo names it.
    pub bundled: Vec<PathBuf>,
    /// Cache folder for compiled packs; `None` if no folder can be trusted.
    pub cache: Option<PathBuf>,
    /// How requests of a project are approved.
    pub trust: Trust,
}

/// All packs of all projects of this process.
pub struct PackSet {
    options: Options,
    sandbox: OnceLock<Result<Sandbox>>,
    cache: Cache,
    /// By root; the default registry has the empty key.
    projects: Mutex<HashMap<String, Arc<Project>>>,
    /// Loaded plugin files. The key has the path and a digest of the entry's settings.
    plugins: Mutex<HashMap<String, Arc<Slot>>>,
    editors: EditorSet,
    /// Store of downloaded plugins; `None` if they cannot be stored.
    store: Option<Store>,
}

/// The metadata of a file when it was loaded, and the loaded plugin. Other threads wait while one loads it.
type Slot = Mutex<Option<(Stamp, Result<Arc<Plugin>>)>>;

impl PackSet {
    /// Creates the set from these options. Nothing is read before it is needed.
    pub fn new(options: Options) -> PackSet {
        let cache = Cache::new(options.cache.clone());
        let (sandbox, editors) = (OnceLock::new(), EditorSet::default());
        PackSet { options, sandbox, cache, projects: Mutex::default(), plugins: Mutex::default(), editors, store: None }
    }

    /// Sets the user's folder of downloaded plugins.
    #[must_use]
    pub fn with_store(self, folder: Option<PathBuf>) -> PackSet {
        PackSet { store: folder.map(Store::new), ..self }
    }

    /// Sets the program that compiles each plugin in a separate process. Without it, plugins are compiled in this
    /// process, without limits on memory and time.
    #[must_use]
    pub fn with_compiler(self, compiler: Compiler) -> PackSet {
        PackSet { cache: self.cache.compiling_with(compiler), ..self }
    }

    fn sandbox(&self) -> Result<&Sandbox> {
        self.sandbox.get_or_init(|| Sandbox::new(Logs::new(self.cache.clone()))).as_ref().map_err(Clone::clone)
    }

    /// Returns stale data: cache files and approvals of roots that no longer exist.
    ///
    /// # Errors
    /// The sandbox, which identifies code of other versions, cannot be created.
    pub fn leftovers(&self) -> Result<Vec<Leftover>> {
        let mut found = match &self.options.trust {
            Trust::Allowed(words) => trust::words_of_gone_roots(words),
            Trust::Everything | Trust::Nothing => Vec::new(),
        };
        if let Some(folder) = &self.options.cache {
            found.extend(leftovers::leftovers(&self.cache, folder, &self.sandbox()?.engine));
        }
        Ok(found)
    }

    /// Describes why plugins are not cached although a cache folder is configured.
    pub fn cache_problem(&self) -> Option<String> {
        self.cache.problem()
    }

    /// Returns the log of failed calls of a plugin in all processes: the oldest first, each with its time.
    pub fn logs(&self, id: &str) -> Option<String> {
        Logs::new(self.cache.clone()).read(id)
    }

    /// Returns a root with its plugins, reloaded if a file that determines them has changed.
    fn project(&self, root: &str) -> Result<Arc<Project>> {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(project) = projects.get(root).filter(|project| project.is_current()) {
            return Ok(Arc::clone(project));
        }
        let project = Arc::new(Project::read(root, &self.options.default_registry, &self.options.trust)?);
        projects.insert(root.to_owned(), Arc::clone(&project));
        Ok(project)
    }

    /// Returns the permissions that a project requests.
    ///
    /// # Errors
    /// Its registry is invalid.
    pub fn demands(&self, files: &Arc<dyn Files>) -> Result<Demands> {
        let project = self.project(files.root())?;
        let mut demands = project.demands();
        let mut noted = BTreeSet::new();
        for demand in &mut demands.list {
            // Only at the first demand of each plugin.
            if demand.what.starts_with("runs ") && noted.insert(demand.plugin.clone()) {
                demand.notes = self.notes_in(&project, &demand.plugin);
            }
        }
        Ok(demands)
    }

    /// Returns the consequences of using a plugin that is not bundled: the files that it takes, those that it takes
    /// from other plugins, and those that hold secrets. The plugin is not run.
    ///
    /// # Errors
    /// The registry of the project is invalid.
    pub fn notes_about(&self, files: &Arc<dyn Files>, id: &str) -> Result<Vec<String>> {
        Ok(self.notes_in(&*self.project(files.root())?, id))
    }

    fn notes_in(&self, project: &Project, id: &str) -> Vec<String> {
        let Some(entry) = project.registry.entries.get(id).filter(|entry| entry.source != Source::Bundled) else {
            return Vec::new();
        };
        let mut notes = Vec::new();
        if project.is_default(id) {
            notes.push(format!("it replaces the bundled plugin `{id}`"));
        }
        let Some(patterns) = entry.files.clone().or_else(|| self.patterns_in_file(id, entry)) else {
            notes.push("its file does not declare which files it takes; only running it shows them".to_owned());
            return notes;
        };
        // Patterns in the registry are already shown as a demand.
        notes.extend(entry.files.is_none().then(|| format!("takes {}", patterns.join(", "))));
        let overlaps = self.current_routes(project).overlaps(id, &patterns, true);
        for wins in [true, false] {
            let of = overlaps.iter().filter(|overlap| overlap.wins == wins);
            let list: Vec<String> = of.map(|it| format!("{} (plugin `{}`)", it.pattern, it.other)).collect();
            if !list.is_empty() {
                let what = if wins { "takes from other plugins" } else { "leaves to other plugins" };
                notes.push(format!("{what}: {}", list.join(", ")));
            }
        }
        let secrets: Vec<&str> = secret_patterns(&patterns).collect();
        if !secrets.is_empty() {
            let list = secrets.join(", ");
            notes.push(format!("takes files that hold secrets by convention, when a call names one: {list}"));
        }
        notes
    }

    /// Returns the patterns in a plugin file, even if the plugin is not approved.
    fn patterns_in_file(&self, id: &str, entry: &Entry) -> Option<Vec<String>> {
        let bytes = identity::read(&self.file_of(id, entry).ok()?).ok()?;
        identify::identify(id, &bytes, &LANGUAGE).ok()?.files
    }

    /// Stores or revokes approval of everything that the project requests now.
    ///
    /// # Errors
    /// The approval cannot be stored: its folder is not writable, is in the project, or does not exist.
    pub fn give_word(&self, files: &Arc<dyn Files>, allow: bool) -> Result<Demands> {
        self.say(files, Saying { allow, names: &[] })
    }

    /// Stores or revokes approval, optionally of certain names only.
    ///
    /// # Errors
    /// As for `give_word`, or the project requests nothing under one of the names.
    pub fn say(&self, files: &Arc<dyn Files>, saying: Saying<'_>) -> Result<Demands> {
        let demands = self.demands(files)?;
        let Trust::Allowed(folder) = &self.options.trust else {
            return Err(Error::argument("approvals are not stored with `--trust` or `--no-trust`"));
        };
        trust::remember(folder, Path::new(files.root()), &demands, saying)?;
        self.demands(files)
    }

    /// Returns the patterns of all plugins. Plugins that declare them in their file are not run. Missing bundled
    /// plugins are skipped.
    fn routes(&self, project: &Project) -> Routes {
        let mut routes = RoutesBuilder::new();
        for (id, entry) in &project.registry.entries {
            match self.sight_now(id, entry) {
                Ok(None) => routes.add_unknown(id),
                Ok(Some(sighting)) => {
                    let files = entry.files.as_ref().or(sighting.files.as_ref());
                    let is_own = entry.source != Source::Bundled;
                    routes.add(id, files.map_or(&[], Vec::as_slice), Some(&sighting.sha256), is_own);
                }
                Err(error) => {
                    tracing::warn!("{error}");
                    match &entry.files {
                        _ if self.is_left_out(id, entry) => {}
                        Some(files) => routes.add(id, files, None, entry.source != Source::Bundled),
                        None => routes.add_lost(id),
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

    /// Returns the status of a plugin whose file is usable.
    fn standing(&self, id: &str, entry: &Entry, seen: &Remembered) -> String {
        match seen.description {
            // It was loaded before by this version, so loading it is cheap.
            Some(_) => self.plugin(id, entry).map_or_else(|error| format!("failed: {error}"), |it| it.pool.standing()),
            None => {
                let refusal = || self.sandbox().ok().and_then(|it| self.cache.refusal(&it.engine, &seen.sha256));
                self.known_failure(id, entry)
                    .or_else(refusal)
                    .map_or_else(|| "ready".to_owned(), |why| format!("failed: {why}"))
            }
        }
    }

    fn route(&self, files: &Arc<dyn Files>, path: &str) -> Result<Arc<Plugin>> {
        let project = self.project(files.root())?;
        let name = path.rsplit('/').next().unwrap_or(path);
        for _ in 0..2 {
            let cached = project.routes.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let routes = cached.unwrap_or_else(|| Arc::new(self.routes(&project)));
            let found = self.follow(&project, &routes, name, path)?;
            // `None`: a plugin's file, and possibly its patterns, have changed, or a missing plugin now exists.
            let is_kept = found.is_some() && routes.are_whole();
            *project.routes.lock().unwrap_or_else(PoisonError::into_inner) = is_kept.then_some(routes);
            if let Some(plugin) = found {
                return Ok(plugin);
            }
        }
        // An error about a plugin that cannot be loaded is more useful than "no plugin".
        let broken = project.registry.entries.iter().find_map(|(id, entry)| self.sight(id, entry).err());
        Err(broken.unwrap_or_else(|| {
            Error::new(Kind::Unsupported, format!("no language pack takes `{name}`"))
                .hint("set `files` of a pack in registry.toml; `marq plugin list` shows the packs")
        }))
    }

    /// Returns the plugin that takes a file; `None` if the routes are outdated. If the plugin cannot be used, no other
    /// one is substituted.
    fn follow(&self, project: &Project, routes: &Routes, name: &str, path: &str) -> Result<Option<Arc<Plugin>>> {
        let now = |id: &str| match project.registry.entries.get(id) {
            Some(entry) => self.plugin(id, entry).map(Some),
            None => Ok(None),
        };
        let best = routes.best(name, path);
        if best.is_none_or(Route::takes_everything) {
            // It may be the fallback for files without another plugin.
            for id in routes.lost() {
                if now(id)?.is_some() {
                    return Ok(None);
                }
            }
        }
        let Some(best) = best else { return Ok(None) };
        let current = now(&best.id)?;
        Ok(current.filter(|plugin| best.sha256.as_ref() == Some(&plugin.seen.sha256)))
    }

    /// Compiles a plugin unless its code is cached. Cached code is loaded when a call needs it.
    fn compile_ahead(&self, plugin: &Plugin) -> Result<()> {
        if self.cache.holds_code(&self.sandbox()?.engine, &plugin.seen.sha256) {
            return Ok(());
        }
        plugin.loaded().map(drop)
    }

    fn editor(&self, id: &str, entry: &Entry) -> Result<Arc<WasmIntegration>> {
        self.editors.integration(id, entry, self.file_of(id, entry)?, self.sandbox()?, &self.cache)
    }

    /// Returns whether a project has plugins that are not bundled, and so needs a lock.
    ///
    /// # Errors
    /// Its registry is invalid.
    pub fn has_own_plugins(&self, files: &Arc<dyn Files>) -> Result<bool> {
        Ok(self.project(files.root())?.registry.all().any(|(_, entry)| entry.source != Source::Bundled))
    }

    /// Returns the lock of a project for its current plugins that are not bundled.
    ///
    /// # Errors
    /// A plugin cannot be used, or was not downloaded.
    pub fn lock_of(&self, files: &Arc<dyn Files>) -> Result<String> {
        self.lock_with(files, &BTreeMap::new())
    }

    /// Returns the lock, with entries for plugins that were just downloaded or resolved, by name.
    ///
    /// # Errors
    /// As for `lock_of`.
    pub fn lock_with(&self, files: &Arc<dyn Files>, given: &BTreeMap<String, Locked>) -> Result<String> {
        let (project, folder) = (self.project(files.root())?, Path::new(files.root()));
        let mut lock = Lock { marquetry: 1, ..Lock::default() };
        // Bundled plugins change with each version of the program and are not locked.
        for (id, entry) in project.registry.entries.iter().filter(|(_, entry)| entry.source != Source::Bundled) {
            let source = entry.source.within(folder);
            if let Some(locked) = given.get(id) {
                lock.plugins.insert(id.clone(), Locked { source, ..locked.clone() });
            } else if entry.source.is_brought() {
                lock.plugins.insert(id.clone(), project.locked(id, &source).cloned().ok_or_else(|| never_brought(id))?);
            } else {
                let (version, sha256) = self.version_of(id, entry)?;
                let locked = Locked { version, source, sha256, manifest: None, signature: None };
                lock.plugins.insert(id.clone(), locked);
            }
        }
        for (id, entry) in project.registry.editors.iter().filter(|(_, entry)| entry.source != Source::Bundled) {
            let (version, sha256) = self.editor(id, &entry.unpinned())?.locked()?;
            let source = entry.source.within(folder);
            lock.editors.insert(id.clone(), Locked { version, source, sha256, manifest: None, signature: None });
        }
        toml::to_string_pretty(&lock).map_err(|error| Error::internal(error.to_string()))
    }

    /// Returns the version and digest of a plugin. A plugin that is not approved is only inspected; locking it grants
    /// it nothing.
    fn version_of(&self, id: &str, entry: &Entry) -> Result<(String, String)> {
        if let (Some(_), Source::Path(path)) = (&entry.withheld, &entry.source) {
            let said = self.inspect(path)?;
            check_name(id, &said.description.id)?;
            return Ok((said.description.version, said.sha256));
        }
        let plugin = self.plugin(id, &entry.unpinned())?;
        Ok((plugin.description.version.clone(), plugin.seen.sha256.clone()))
    }
}

fn never_brought(id: &str) -> Error {
    Error::new(Kind::PluginFailed, format!("plugin `{id}` was not downloaded"))
        .hint(format!("run `marq plugin update {id}`, which downloads and locks it"))
}

/// Compiles on one core, so that the others are free for calls.
fn background(work: impl FnOnce() + Send) {
    match rayon::ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "prepare".to_owned()).build() {
        Ok(pool) => pool.install(work),
        Err(error) => tracing::debug!("cannot prepare plugins: {error}"),
    }
}

impl Integrations for PackSet {
    fn of(&self, files: &Arc<dyn Files>) -> Result<Vec<Arc<dyn Integration>>> {
        let project = self.project(files.root())?;
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
        let plugin = self.route(files, path)?;
        Ok(Arc::new(WasmPack { plugin, files: Arc::clone(files), of_parts: false }))
    }

    fn for_language(&self, files: &Arc<dyn Files>, language: &str) -> Result<Arc<dyn Pack>> {
        let language = language.to_ascii_lowercase();
        let project = self.project(files.root())?;
        let plugin = match project.registry.entries.get(&language) {
            Some(entry) => self.plugin(&language, entry)?,
            None => self.route(files, &format!("embedded.{language}"))?,
        };
        Ok(Arc::new(WasmPack { plugin, files: Arc::clone(files), of_parts: true }))
    }

    fn descriptions(&self, files: &Arc<dyn Files>) -> Vec<Arc<Description>> {
        // Descriptions are required here, so plugins that are not described yet are run.
        let Ok(project) = self.project(files.root()) else { return Vec::new() };
        let plugins = project.registry.entries.iter().filter_map(|(id, entry)| self.plugin(id, entry).ok());
        plugins.map(|plugin| Arc::clone(&plugin.description)).collect()
    }

    fn identities(&self, files: &Arc<dyn Files>) -> Vec<String> {
        let Ok(project) = self.project(files.root()) else { return Vec::new() };
        let identity =
            |(id, entry): (&String, &Entry)| Some(identity_of(&self.sight(id, entry).ok()?.sha256, &entry.settings));
        // The same packs with other files are a different set.
        let routed = |(id, entry): (&String, &Entry)| Some(format!("{id} takes {}", entry.files.as_ref()?.join(" ")));
        let entries = &project.registry.entries;
        entries.iter().filter_map(identity).chain(entries.iter().filter_map(routed)).collect()
    }

    fn prepare(&self, files: &Arc<dyn Files>) {
        let Ok(project) = self.project(files.root()) else { return };
        background(|| {
            for (id, entry) in &project.registry.entries {
                if let Err(error) = self.plugin(id, entry).and_then(|plugin| self.compile_ahead(&plugin)) {
                    tracing::debug!("{error}");
                }
            }
        });
    }

    fn trust(&self, files: &Arc<dyn Files>) -> Option<String> {
        let word = match self.project(files.root()).ok()?.demands.word {
            Word::Allowed => "trusted",
            Word::Unasked => "unasked",
            Word::Refused => "refused",
        };
        Some(word.to_owned())
    }

    fn servers(&self, files: &Arc<dyn Files>) -> Result<Vec<ServerWish>> {
        Ok(self.project(files.root())?.servers())
    }

    fn plugins(&self, files: &Arc<dyn Files>) -> Vec<PluginInfo> {
        let project = match self.project(files.root()) {
            Ok(project) => project,
            Err(error) => {
                tracing::error!("{error}");
                return Vec::new();
            }
        };
        let routes = self.current_routes(&project);
        let info = |(id, entry): (&String, &Entry)| {
            // Uses the plugin file and the cache: listing compiles nothing.
            let sighting = self.sight(id, entry);
            let seen = sighting.as_ref().ok();
            let files = entry.files.clone().or_else(|| seen.and_then(|seen| seen.files.clone())).unwrap_or_default();
            let overlaps = routes.overlaps(id, &files, entry.source != Source::Bundled);
            PluginInfo {
                id: id.clone(),
                version: seen.and_then(|seen| Some(seen.description.as_ref()?.version.clone())),
                source: entry.source.to_string(),
                digest: seen.map(|seen| seen.sha256.clone()),
                files,
                interfaces: ["links", "symbols", "refactors", "insight", "search"]
                    .into_iter()
                    .filter(|name| seen.is_some_and(|seen| seen.interfaces.iter().any(|known| known == name)))
                    .collect(),
                grants: entry.grants.clone(),
                state: match &sighting {
                    Ok(seen) => self.standing(id, entry, seen),
                    Err(error) => format!("failed: {error}"),
                },
                memory: entry.bounds.memory,
                time: entry.bounds.time,
                overlaps,
            }
        };
        project.registry.entries.iter().map(info).collect()
    }
}

#[cfg(test)]
mod tests;
