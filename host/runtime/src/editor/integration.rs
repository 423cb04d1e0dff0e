//! Creates the editor integrations of a project from its registry.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use marquetry_model::{
    Error, Kind, Result,
    editor::{Described, Integration, Session},
};

use crate::{
    cache::{Cache, Stamp},
    editor::{
        convert::Checked,
        session::{Loaded, check_imports},
    },
    engine::Sandbox,
    identify, identity,
    registry::Entry,
    versions::EDITOR,
};

/// All integrations of any project, loaded or not.
#[derive(Default)]
pub(crate) struct EditorSet {
    known: Mutex<HashMap<String, Arc<WasmIntegration>>>,
}

/// One integration in a project. It is read and compiled when an editor attaches.
pub(crate) struct WasmIntegration {
    name: String,
    key: String,
    entry: Entry,
    path: PathBuf,
    sandbox: Sandbox,
    cache: Cache,
    loaded: OnceLock<Result<(Arc<Loaded>, Arc<Described>)>>,
}

impl EditorSet {
    /// Returns the integration of an entry, with this plugin file.
    pub(crate) fn integration(
        &self,
        name: &str,
        entry: &Entry,
        path: PathBuf,
        sandbox: &Sandbox,
        cache: &Cache,
    ) -> Result<Arc<WasmIntegration>> {
        entry.may_run()?;
        let stamp = Stamp::of(&path).map_err(|error| unreadable(name, &path, &error))?;
        let key = format!(
            "{name}\0{}\0{stamp:?}\0{}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}",
            path.display(),
            entry.settings,
            entry.grants,
            entry.addresses,
            entry.bounds,
            entry.pin,
            entry.allowed
        );
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let integration = known.entry(key.clone()).or_insert_with(|| {
            Arc::new(WasmIntegration {
                name: name.to_owned(),
                key,
                entry: entry.clone(),
                path,
                sandbox: sandbox.clone(),
                cache: cache.clone(),
                loaded: OnceLock::new(),
            })
        });
        Ok(Arc::clone(integration))
    }
}

fn unreadable(name: &str, path: &std::path::Path, error: &std::io::Error) -> Error {
    Error::new(Kind::PluginFailed, format!("editor `{name}`: {} cannot be read: {error}", path.display()))
}

impl WasmIntegration {
    fn loaded(&self) -> Result<&(Arc<Loaded>, Arc<Described>)> {
        self.loaded.get_or_init(|| self.load()).as_ref().map_err(Clone::clone)
    }

    fn load(&self) -> Result<(Arc<Loaded>, Arc<Described>)> {
        let (id, entry) = (&self.name, &self.entry);
        let bytes = identity::read(&self.path).map_err(|error| unreadable(id, &self.path, &error))?;
        let identity = identify::identify(id, &bytes, &EDITOR)?;
        check_imports(id, &identity.imports)?;
        let sha256 = identity::digest(&bytes);
        crate::meant::check_meant(id, entry, &sha256)?;
        let component = self.cache.compiled(&self.sandbox.engine, id, &sha256, || Ok(bytes))?;
        let loaded = Arc::new(Loaded::link(&self.sandbox, id, entry.bounds, &component)?);
        let described = Checked(id).described(loaded.describe()?)?;
        crate::meant::check_name(id, &described.id)?;
        crate::meant::check_version(id, entry, &described.version)?;
        Ok((loaded, Arc::new(described)))
    }

    /// Returns the version and the digest for the lock.
    pub(crate) fn locked(&self) -> Result<(String, String)> {
        let bytes = identity::read(&self.path).map_err(|error| unreadable(&self.name, &self.path, &error))?;
        Ok((self.describe()?.version.clone(), identity::digest(&bytes)))
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

    fn describe(&self) -> Result<Arc<Described>> {
        Ok(Arc::clone(&self.loaded()?.1))
    }

    fn attach(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(self.loaded()?.0.attach(&self.entry.settings)?))
    }
}
