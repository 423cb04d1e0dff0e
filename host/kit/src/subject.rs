//! The pack under test, loaded from its file into a separate sandbox.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_model::{
    Result,
    ports::{Files, Pack, Packs},
};
use marquetry_runtime::{InspectedPlugin, Options, PackSet, TrustPolicy};

/// The pack under test.
pub struct Subject {
    /// Information from its file and its description.
    pub inspected: InspectedPlugin,
    packs: PackSet,
    /// A file name that the pack handles.
    pub(crate) name: String,
}

impl Subject {
    /// Loads the pack in a file, with all permissions that it requests.
    ///
    /// # Errors
    /// Fails if the file is not a pack, or the pack cannot describe itself.
    pub fn load(file: &Path, cache: Option<PathBuf>) -> Result<Subject> {
        let options = |registry: String| Options {
            default_registry: registry,
            bundled: Vec::new(),
            cache: cache.clone(),
            trust: TrustPolicy::Everything,
        };
        let inspected = PackSet::new(options("marquetry = 1\n".to_owned())).inspect(file)?;
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let source = format!("path:{}", file.display()).replace('\\', "\\\\").replace('"', "\\\"");
        let grants = inspected.needed_grants.iter().map(|grant| format!("\"{grant}\"")).collect::<Vec<_>>().join(", ");
        let id = &inspected.description.id;
        let registry = format!("marquetry = 1\n[plugins.{id}]\nsource = \"{source}\"\ngrants = [{grants}]\n");
        let pattern = inspected.description.files.first().map_or("*", String::as_str);
        let name = pattern.replace("**/", "").replace(['*', '?'], "a");
        Ok(Subject { name, packs: PackSet::new(options(registry)), inspected })
    }

    /// Returns the pack, in a project of these files.
    ///
    /// # Errors
    /// Fails if the pack cannot be loaded.
    pub fn pack_among(&self, files: &Arc<dyn Files>) -> Result<Arc<dyn Pack>> {
        self.packs.for_language(files, &self.inspected.description.id)
    }

    /// The memory of the pack's instances, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.packs.guest_memory()
    }
}
