//! A pack that is tried: loaded from its file alone, in a sandbox of its own.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use marquetry_model::{
    Result,
    ports::{Files, Pack, Packs},
};
use marquetry_runtime::{Inspected, Options, PackSet, Trust};

/// A pack that is tried.
pub struct Subject {
    /// What its file tells and what it says of itself.
    pub inspected: Inspected,
    packs: PackSet,
    /// What a file of it may be called.
    pub(crate) name: String,
}

impl Subject {
    /// The pack in a file, with what it imports granted.
    ///
    /// # Errors
    /// The file is no pack, or the pack cannot say what it is.
    pub fn load(file: &Path, cache: Option<PathBuf>) -> Result<Subject> {
        let options = |registry: String| Options {
            default_registry: registry,
            bundled: Vec::new(),
            cache: cache.clone(),
            trust: Trust::Everything,
        };
        let inspected = PackSet::new(options("marquetry = 1\n".to_owned())).inspect(file)?;
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let source = format!("path:{}", file.display()).replace('\\', "\\\\").replace('"', "\\\"");
        let grants = inspected.wants.iter().map(|grant| format!("\"{grant}\"")).collect::<Vec<_>>().join(", ");
        let id = &inspected.description.id;
        let registry = format!("marquetry = 1\n[plugins.{id}]\nsource = \"{source}\"\ngrants = [{grants}]\n");
        let pattern = inspected.description.files.first().map_or("*", String::as_str);
        let name = pattern.replace("**/", "").replace(['*', '?'], "a");
        Ok(Subject { name, packs: PackSet::new(options(registry)), inspected })
    }

    /// The pack, in a project of these files.
    ///
    /// # Errors
    /// It cannot be loaded.
    pub fn pack_among(&self, files: &Arc<dyn Files>) -> Result<Arc<dyn Pack>> {
        self.packs.for_language(files, &self.inspected.description.id)
    }

    /// Bytes that the pack's instances hold.
    pub(crate) fn memory(&self) -> usize {
        self.packs.guest_memory()
    }
}
