//! Checks plugin files of a project against its lock, as a call that uses them does. The plugins are not run.

use std::sync::Arc;

use marquetry_model::{Result, ports::Files, source::Source};

use super::{PackSet, plugins::unreadable_error};
use crate::{
    identity,
    plugin_check::{check_digest, check_version},
    registry::{Pin, RegistryEntry},
};

/// A plugin that is a file, whose bytes match the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedFile {
    /// Name of the plugin in the registry.
    pub id: String,
    /// sha256 of its bytes.
    pub sha256: String,
}

impl PackSet {
    /// Checks all locked plugins and editor integrations that are files, or the one of this name. This check does not
    /// run plugins, so it needs no approval.
    ///
    /// # Errors
    /// Fails if the registry of the project is invalid, a plugin is missing in the lock, or a file cannot be read, has
    /// other bytes, or lacks its signature.
    pub fn check_locked_files(&self, files: &Arc<dyn Files>, id: Option<&str>) -> Result<Vec<LockedFile>> {
        let project = self.project(files)?;
        let mut checked = Vec::new();
        for (name, entry) in project.registry.all_plugins().filter(|(name, _)| id.is_none_or(|id| id == name)) {
            if let Some(sha256) = self.check_locked_file(&name, entry)? {
                if let Some(locked) = project.locked(&name, &entry.source.relative_to(files.root().as_ref())) {
                    check_version(&name, entry, &locked.version)?;
                }
                checked.push(LockedFile { id: name, sha256 });
            }
        }
        Ok(checked)
    }

    /// Returns the digest of a plugin that is a file; `None` if the project has no lock or the plugin is not a file.
    fn check_locked_file(&self, id: &str, entry: &RegistryEntry) -> Result<Option<String>> {
        match (&entry.source, &entry.pin) {
            (Source::Path(_), Pin::Mismatch(error)) => return Err(error.clone()),
            (Source::Path(_), Pin::Locked(..)) => {}
            _ => return Ok(None),
        }
        let file = self.plugin_file(id, entry)?;
        let bytes = file.read().map_err(|error| unreadable_error(id, file.path(), &error))?;
        let sha256 = identity::digest(&bytes);
        check_digest(id, &RegistryEntry { approved_digest: None, ..entry.clone() }, &sha256)?;
        self.check_signed(id, entry, &file, &sha256)?;
        Ok(Some(sha256))
    }
}
