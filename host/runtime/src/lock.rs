//! `registry.lock`: pins the bytes of plugins from other sources, so that no others run. Bundled plugins change with
//! each version of the program and are not locked.

use std::{collections::BTreeMap, path::Path};

use marquetry_model::{Error, Kind, Result, source::Source};
use serde::{Deserialize, Serialize};

use crate::registry::{Entry, Pin, Registry, invalid};

/// The contents of `registry.lock`: resolved plugins, so that nothing changes unnoticed.
#[derive(Debug, Clone, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    /// Version of the format.
    pub(crate) marquetry: u32,
    /// Plugins by id.
    #[serde(default)]
    pub(crate) plugins: BTreeMap<String, Locked>,
    /// Editor integrations by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) editors: BTreeMap<String, Locked>,
}

/// One locked plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// Version from its description.
    pub version: String,
    /// Its source; a file is relative to the folder of the lock.
    pub source: String,
    /// sha256 of the component.
    pub sha256: String,
    /// For an OCI registry, the digest of the manifest, so that moved tags have no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The signature from its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

impl Entry {
    /// Fails if the plugin was not allowed, or if the lock does not have it.
    pub(crate) fn may_run(&self) -> Result<()> {
        match (&self.withheld, &self.pin) {
            (Some(error), _) | (None, Pin::Out(error)) => Err(error.clone()),
            (None, Pin::Free) if self.source.is_brought() => Err(unlocked(&self.source)),
            (None, Pin::Free | Pin::To(..)) => Ok(()),
        }
    }

    /// Returns the locked digest of a downloaded plugin.
    pub(crate) fn brought(&self) -> Option<&str> {
        match &self.pin {
            Pin::To(sha256, _) if self.source.is_brought() => Some(sha256),
            _ => None,
        }
    }

    /// Returns the entry without its pin.
    pub(crate) fn unpinned(&self) -> Entry {
        Entry { pin: Pin::Free, ..self.clone() }
    }
}

/// Error for a plugin from elsewhere without a lock, which it needs.
fn unlocked(source: &Source) -> Error {
    Error::new(Kind::PermissionDenied, format!("{source} is not pinned by registry.lock"))
        .hint("`marq plugin update` downloads the plugin and writes its digest to registry.lock")
}

impl Lock {
    /// Parses a lock.
    pub(crate) fn parse(text: &str, name: &str) -> Result<Lock> {
        let lock: Lock = toml::from_str(text).map_err(|error| invalid(name, error.message()))?;
        if lock.marquetry != 1 {
            return Err(invalid(name, &format!("format {} is not supported", lock.marquetry))
                .hint("this marq supports `marquetry = 1`; `marq plugin lock` rewrites the file"));
        }
        Ok(lock)
    }
}

impl Registry {
    /// Pins the plugins from elsewhere to a lock in `folder`. A plugin that does not match its entry there does not
    /// run.
    ///
    /// # Errors
    /// The text is not a valid lock.
    pub fn lock(&mut self, text: &str, folder: &Path, name: &str) -> Result<()> {
        self.hold_to(&Lock::parse(text, name)?, folder, name);
        Ok(())
    }

    pub(crate) fn hold_to(&mut self, lock: &Lock, folder: &Path, name: &str) {
        for (entries, locks) in [(&mut self.entries, &lock.plugins), (&mut self.editors, &lock.editors)] {
            for (id, entry) in entries.iter_mut().filter(|(_, entry)| entry.source != Source::Bundled) {
                entry.pin = pin(id, &entry.source.within(folder), locks.get(id), name);
            }
        }
    }
}

/// Returns the pin of a plugin from this source, given its entry in the lock.
fn pin(id: &str, source: &str, locked: Option<&Locked>, name: &str) -> Pin {
    let wrong = match locked {
        Some(locked) if locked.source == source => return Pin::To(locked.sha256.clone(), locked.signature.clone()),
        Some(locked) => {
            format!("{name} has plugin `{id}` from `{}`, but the registry has it from `{source}`", locked.source)
        }
        None => format!("plugin `{id}` is not in {name}"),
    };
    Pin::Out(
        Error::new(Kind::PermissionDenied, wrong)
            .hint("only locked plugins run; `marq plugin lock` rewrites the lock with every plugin of the registry"),
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
        assert_eq!(lock("path:a.wasm"), Pin::To("abc".to_owned(), None));
        let Pin::Out(error) = lock("bundled") else { panic!("another plugin") };
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
        assert_eq!(registry.entries["a"].pin, Pin::To("abc".to_owned(), None));
        for entry in [&registry.entries["b"], &registry.editors["e"]] {
            let error = entry.may_run().expect_err("not in the lock");
            assert!(error.content().message.ends_with("is not in registry.lock"), "{error}");
            assert!(entry.unpinned().may_run().is_ok());
        }
        // Bundled plugins are never pinned.
        for entry in [&registry.entries["json"], &registry.editors["own"]] {
            assert_eq!((&entry.pin, entry.may_run()), (&Pin::Free, Ok(())));
        }
        // The same registry in another folder refers to other files, which are not locked.
        registry.lock(text, Path::new("/elsewhere"), "registry.lock").expect("a lock");
        assert!(matches!(registry.entries["a"].pin, Pin::Out(_)));
    }
}
