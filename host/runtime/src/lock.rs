//! `registry.lock`: pins the bytes of plugins that are not bundled, so that no other bytes run. Bundled plugins change
//! with each version of the program and are not locked.

use std::{collections::BTreeMap, path::Path};

use marquetry_model::{Error, Kind, Result, source::Source};
use serde::{Deserialize, Serialize};

use crate::registry::{Pin, Registry, RegistryEntry, invalid_file_error};

/// The contents of `registry.lock`: the version and digest of each plugin.
#[derive(Debug, Clone, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct LockFile {
    /// Version of the format.
    pub(crate) marquetry: u32,
    /// Plugins by id.
    #[serde(default)]
    pub(crate) plugins: BTreeMap<String, LockedPlugin>,
    /// Editor integrations by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) editors: BTreeMap<String, LockedPlugin>,
}

/// One locked plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedPlugin {
    /// Version from its description.
    pub version: String,
    /// Source of the plugin. The path of a file is relative to the folder of the lock.
    pub source: String,
    /// sha256 of the component.
    pub sha256: String,
    /// For an OCI registry, the digest of the manifest, so that moved tags have no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The plugin's signature, as downloaded from the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl RegistryEntry {
    /// Fails if the plugin was not allowed, or if the lock does not have it.
    pub(crate) fn check_may_run(&self) -> Result<()> {
        match (&self.refusal, &self.pin) {
            (Some(error), _) | (None, Pin::Mismatch(error)) => Err(error.clone()),
            (None, Pin::Unlocked) if self.source.is_downloaded() => Err(unlocked_error(&self.source)),
            (None, Pin::Unlocked | Pin::Locked(..)) => Ok(()),
        }
    }

    /// Returns the locked digest of a downloaded plugin.
    pub(crate) fn downloaded_digest(&self) -> Option<&str> {
        match &self.pin {
            Pin::Locked(sha256, _) if self.source.is_downloaded() => Some(sha256),
            _ => None,
        }
    }

    /// Returns the entry without its pin.
    pub(crate) fn unpinned(&self) -> RegistryEntry {
        RegistryEntry { pin: Pin::Unlocked, ..self.clone() }
    }
}

/// Error for a plugin from an OCI registry, a URL or a folder that is not in a lock: such plugins must be locked.
fn unlocked_error(source: &Source) -> Error {
    Error::new(Kind::PermissionDenied, format!("{source} is not pinned by registry.lock"))
        .hint("`marq plugin update` downloads the plugin and writes its digest to registry.lock")
}

impl LockFile {
    /// Parses a lock.
    pub(crate) fn parse(text: &str, name: &str) -> Result<LockFile> {
        let lock: LockFile =
            toml::from_str(text).map_err(|error| invalid_file_error(name, error.message()).escaped())?;
        if lock.marquetry != 1 {
            return Err(invalid_file_error(name, &format!("format {} is not supported", lock.marquetry))
                .hint("this marq supports `marquetry = 1`; `marq plugin lock` rewrites the file"));
        }
        Ok(lock)
    }
}

impl Registry {
    /// Pins the plugins that are not bundled to a lock in `folder`. A plugin that does not match its entry in the lock
    /// does not run.
    ///
    /// # Errors
    /// Fails if the text is not a valid lock.
    pub fn lock(&mut self, text: &str, folder: &Path, name: &str) -> Result<()> {
        self.apply_lock(&LockFile::parse(text, name)?, folder, name);
        Ok(())
    }

    pub(crate) fn apply_lock(&mut self, lock: &LockFile, folder: &Path, name: &str) {
        for (entries, locks) in [(&mut self.entries, &lock.plugins), (&mut self.editors, &lock.editors)] {
            for (id, entry) in entries.iter_mut().filter(|(_, entry)| entry.source != Source::Bundled) {
                entry.pin = pin(id, &entry.source.relative_to(folder), locks.get(id), name);
            }
        }
    }
}

/// Returns the pin of a plugin from this source, given its entry in the lock.
fn pin(id: &str, source: &str, locked: Option<&LockedPlugin>, name: &str) -> Pin {
    let wrong = match locked {
        Some(locked) if locked.source == source => return Pin::Locked(locked.sha256.clone(), locked.signature.clone()),
        Some(locked) => {
            format!("{name} has plugin `{id}` from `{}`, but the registry has it from `{source}`", locked.source)
        }
        None => format!("plugin `{id}` is not in {name}"),
    };
    Pin::Mismatch(
        Error::new(Kind::PermissionDenied, wrong)
            .hint("only locked plugins run; `marq plugin lock` rewrites the lock with every plugin of the registry")
            .escaped(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_pins_plugins_of_the_same_source() {
        let lock = |source: &str| {
            let registry = "marquetry = 1\n[plugins.a]\nsource = \"path:a.wasm\"\n";
            let mut registry = Registry::parse(registry, Path::new("/r"), "r").expect("valid");
            let text = format!(
                "marquetry = 1\n[plugins.a]\nversion = \"1.0.0\"\nsource = \"{source}\"\nsha256 = \"abc\"\n[plugins.gone]\nversion = \"1.0.0\"\nsource = \"bundled\"\nsha256 = \"def\"\n"
            );
            registry.lock(&text, Path::new("/r"), "registry.lock").expect("a lock");
            registry.entries.remove("a").expect("there").pin
        };
        assert_eq!(lock("path:a.wasm"), Pin::Locked("abc".to_owned(), None));
        let Pin::Mismatch(error) = lock("bundled") else { panic!("another plugin") };
        assert_eq!(
            error.content().message,
            "registry.lock has plugin `a` from `bundled`, but the registry has it from `path:a.wasm`"
        );
        let mut registry = Registry::default();
        let mut refuse =
            |text: &str| registry.lock(text, Path::new("/r"), "registry.lock").expect_err("refused").to_string();
        assert!(refuse("marquetry = 1\nplugins = 3").starts_with("registry.lock: invalid type"));
        assert!(refuse("marquetry = 2\n").starts_with("registry.lock: format 2 is not supported"));
    }

    #[test]
    fn lock_applies_to_relative_paths_and_refuses_unlocked_plugins() {
        let mut registry = Registry::parse(
            "marquetry = 1\n[plugins.a]\nsource = \"path:./tools/a.wasm\"\n[plugins.b]\nsource = \"path:b.wasm\"\n[editors.e]\nsource = \"path:e.wasm\"\n[plugins.json]\n[editors.own]\n",
            Path::new("/r"),
            "r",
        )
        .expect("valid");
        let text =
            "marquetry = 1\n[plugins.a]\nversion = \"1.0.0\"\nsource = \"path:tools/a.wasm\"\nsha256 = \"abc\"\n";
        registry.lock(text, Path::new("/r"), "registry.lock").expect("a lock");
        assert_eq!(registry.entries["a"].pin, Pin::Locked("abc".to_owned(), None));
        for entry in [&registry.entries["b"], &registry.editors["e"]] {
            let error = entry.check_may_run().expect_err("not in the lock");
            assert!(error.content().message.ends_with("is not in registry.lock"), "{error}");
            assert!(entry.unpinned().check_may_run().is_ok());
        }
        // Bundled plugins are never pinned.
        for entry in [&registry.entries["json"], &registry.editors["own"]] {
            assert_eq!((&entry.pin, entry.check_may_run()), (&Pin::Unlocked, Ok(())));
        }
        // The same registry in another folder refers to other files, which are not locked.
        registry.lock(text, Path::new("/elsewhere"), "registry.lock").expect("a lock");
        assert!(matches!(registry.entries["a"].pin, Pin::Mismatch(_)));
    }
}
