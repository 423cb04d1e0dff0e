//! Creates the editor integrations of a project from its registry.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{
    Error, Kind, Result,
    editor::{Integration, IntegrationInfo, Session},
};

use crate::{
    cache::Cache,
    editor::{
        convert::IntegrationValidator,
        session::{LoadedIntegration, check_imports},
    },
    identify, identity,
    plugin_file::PluginFile,
    registry::RegistryEntry,
    sandbox::Sandbox,
    settings_check::settings_problem,
    versions::EDITOR,
};

/// All integrations of any project, loaded or not.
#[derive(Default)]
pub(crate) struct IntegrationSet {
    known: Mutex<HashMap<String, Arc<WasmIntegration>>>,
}

/// One integration in a project. It is read and compiled when an editor attaches.
pub(crate) struct WasmIntegration {
    name: String,
    key: String,
    entry: RegistryEntry,
    file: PluginFile,
    sandbox: Sandbox,
    cache: Cache,
    loaded: OnceLock<Result<(Arc<LoadedIntegration>, Arc<IntegrationInfo>)>>,
}

impl IntegrationSet {
    /// Returns the integration of an entry, with this plugin file.
    pub(crate) fn integration(
        &self,
        name: &str,
        entry: &RegistryEntry,
        file: PluginFile,
        sandbox: &Sandbox,
        cache: &Cache,
    ) -> Result<Arc<WasmIntegration>> {
        entry.check_may_run()?;
        let stamp = file.fingerprint().map_err(|error| unreadable_error(name, file.path(), &error))?;
        let key = format!(
            "{name}\0{}\0{stamp:?}\0{}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}",
            file.path().display(),
            entry.settings,
            entry.grants,
            entry.addresses,
            entry.limits,
            entry.pin,
            entry.approved_digest
        );
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let integration = known.entry(key.clone()).or_insert_with(|| {
            Arc::new(WasmIntegration {
                name: name.to_owned(),
                key,
                entry: entry.clone(),
                file,
                sandbox: sandbox.clone(),
                cache: cache.clone(),
                loaded: OnceLock::new(),
            })
        });
        Ok(Arc::clone(integration))
    }
}

fn unreadable_error(name: &str, path: &std::path::Path, error: &std::io::Error) -> Error {
    Error::new(Kind::PluginFailed, format!("editor `{name}`: {} cannot be read: {error}", path.display()))
}

impl WasmIntegration {
    fn loaded(&self) -> Result<&(Arc<LoadedIntegration>, Arc<IntegrationInfo>)> {
        self.loaded.get_or_init(|| self.load()).as_ref().map_err(Clone::clone)
    }

    fn load(&self) -> Result<(Arc<LoadedIntegration>, Arc<IntegrationInfo>)> {
        let (id, entry) = (&self.name, &self.entry);
        let component = match self.file.bundled() {
            Some(plugin) => {
                crate::plugin_check::check_digest(id, entry, plugin.sha256)?;
                self.cache.load_bundled(&self.sandbox.engine, plugin)?
            }
            None => {
                let bytes = self.read()?;
                check_imports(id, &identify::identify(id, &bytes, &EDITOR)?.imports)?;
                let sha256 = identity::digest(&bytes);
                crate::plugin_check::check_digest(id, entry, &sha256)?;
                self.cache.load_or_compile(&self.sandbox.engine, id, &sha256, || Ok(bytes))?
            }
        };
        let loaded = Arc::new(LoadedIntegration::link(&self.sandbox, id, entry.limits, &component)?);
        let described = IntegrationValidator(id).integration_info(loaded.describe()?)?;
        crate::plugin_check::check_name(id, &described.id)?;
        crate::plugin_check::check_version(id, entry, &described.version)?;
        if let Some(problem) = settings_problem(&described.settings_schema, &entry.settings) {
            tracing::error!("editor `{id}`: {problem}");
        }
        Ok((loaded, Arc::new(described)))
    }

    /// Returns the version and the digest to write into the lock.
    pub(crate) fn version_and_digest(&self) -> Result<(String, String)> {
        Ok((self.describe()?.version.clone(), identity::digest(&self.read()?)))
    }

    fn read(&self) -> Result<Vec<u8>> {
        self.file.read().map_err(|error| unreadable_error(&self.name, self.file.path(), &error))
    }
}

impl Integration for WasmIntegration {
    fn name(&self) -> &str {
        &self.name
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn channels(&self) -> &[String] {
        &self.entry.grants
    }

    fn addresses(&self) -> Option<&[String]> {
        self.entry.addresses.as_deref()
    }

    fn describe(&self) -> Result<Arc<IntegrationInfo>> {
        Ok(Arc::clone(&self.loaded()?.1))
    }

    fn attach(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(self.loaded()?.0.attach(&self.entry.settings)?))
    }
}
