//! Checks a plugin's bytes, name and version against the registry, the lock and the user's approval.

use marquetry_model::{Error, Kind, Result};

use crate::registry::{Pin, RegistryEntry};

/// Rejects bytes other than those that were approved or locked.
pub(crate) fn check_digest(id: &str, entry: &RegistryEntry, sha256: &str) -> Result<()> {
    let wrong = |file: &str, meant: &str| {
        let message = format!("plugin `{id}` does not match {file}: its sha256 is {sha256}, expected {meant}");
        Error::new(Kind::PluginFailed, message)
    };
    match &entry.pin {
        Pin::Locked(locked, _) if locked != sha256 && entry.source.is_downloaded() => {
            return Err(wrong("registry.lock", locked).hint(
                "the stored plugin was modified or damaged: `marq plugin update --locked` downloads what is locked",
            ));
        }
        Pin::Locked(locked, _) if locked != sha256 => {
            return Err(wrong("registry.lock", locked).hint("if the change is intended, run `marq plugin lock`"));
        }
        _ => {}
    }
    if let Some(meant) = entry.sha256.as_ref().filter(|meant| *meant != sha256) {
        return Err(wrong("registry.toml", meant).hint("if the change is intended, update `sha256` of the plugin"));
    }
    if entry.approved_digest.as_ref().is_some_and(|allowed| allowed != sha256) {
        return Err(replaced_error(id));
    }
    Ok(())
}

/// Error for a file that changed between two reads.
pub(crate) fn replaced_error(id: &str) -> Error {
    Error::new(Kind::PluginFailed, format!("plugin `{id}` was replaced while it was in use")).hint("repeat the call")
}

/// Rejects a plugin whose id differs from its key in the registry, because settings, grants and lock entries use the
/// key.
pub(crate) fn check_name(id: &str, declared: &str) -> Result<()> {
    if id == declared {
        return Ok(());
    }
    Err(Error::new(Kind::PluginFailed, format!("plugin `{id}` reports the name `{declared}`"))
        .hint(format!("name it `{declared}` in registry.toml, or correct `source` of `{id}`"))
        .candidates([declared.to_owned()]))
}

/// Rejects a version that the registry does not accept.
pub(crate) fn check_version(id: &str, entry: &RegistryEntry, declared: &str) -> Result<()> {
    let version = semver::Version::parse(declared).map_err(|error| Error::internal(error.to_string()))?;
    if entry.version.matches(&version) {
        return Ok(());
    }
    Err(Error::new(
        Kind::PluginFailed,
        format!("plugin `{id}` is version {version}, but the registry requires {}", entry.version),
    )
    .hint("change `version` of the plugin in registry.toml, or install a version that matches"))
}
