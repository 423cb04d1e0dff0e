//! Versions of the contracts (WIT interfaces) that this host supports, and adapters for plugins of other versions or
//! other languages' toolchains.
//!
//! **A contract only grows.** Within a line of versions (`0.1`), interfaces and functions are added, and existing
//! records, variants and functions never change. A plugin of an older version lacks functions, which get default
//! answers (`language`). A plugin of a newer version exports and imports more than this host knows: additional exports
//! are not called, and additional imports trap when called (`newer`). A discontinued line gets an adapter in this
//! folder. So the validation of answers and grants needs to know only this host's version.

mod builtins;
mod language;
mod newer;

pub(crate) use language::{Indices, Language, cannot_create_failure};
pub(crate) use newer::{is_newer_import, link_newer};

use marquetry_model::{Error, Kind, Result};
use semver::Version;

/// A contract that this host supports.
#[derive(Debug)]
pub(crate) struct Contract {
    /// The package of its interfaces.
    pub(crate) package: &'static str,
    /// The interface that every plugin exports.
    pub(crate) interface: &'static str,
    /// The newest known version of each line, the newest line last.
    pub(crate) lines: &'static [Version],
    /// The name of its plugins in messages.
    pub(crate) plugin: &'static str,
    /// Interfaces of the package that a plugin may import, with their functions.
    pub(crate) imports: &'static [(&'static str, &'static [&'static str])],
}

/// The contract of language packs.
pub(crate) const LANGUAGE: Contract = Contract {
    package: "marquetry:language",
    interface: "language",
    lines: &[Version::new(0, 1, 0)],
    plugin: "a language pack",
    imports: &[
        ("types", &[]),
        ("log", &["write"]),
        ("workspace", &["stat", "read", "entries", "version", "layout", "exporters"]),
    ],
};

/// The contract of editor integrations.
pub(crate) const EDITOR: Contract = Contract {
    package: "marquetry:editor",
    interface: "integration",
    lines: &[Version::new(0, 1, 0)],
    plugin: "an editor integration",
    imports: &[("types", &[])],
};

impl Contract {
    /// Returns the newest version.
    pub(crate) fn newest(&self) -> &Version {
        self.lines.last().unwrap_or(const { &Version::new(0, 0, 0) })
    }

    /// Returns the newest known version of the line that a version belongs to. Below 1.0, a line is a minor version.
    pub(crate) fn line_of(&self, version: &Version) -> Option<&'static Version> {
        let is_same = |line: &&Version| line.major == version.major && (line.major > 0 || line.minor == version.minor);
        self.lines.iter().find(is_same)
    }

    /// Rejects a version of a line that this host does not support.
    pub(crate) fn check(&self, plugin: &str, version: &Version) -> Result<()> {
        if let Some(known) = self.line_of(version) {
            if version > known {
                tracing::debug!(plugin, "built for {} {version}: this host supports {known}", self.package);
            }
            return Ok(());
        }
        let (state, fix) = if version > self.newest() {
            ("too new", "update marq, or install an older version of the plugin")
        } else {
            ("too old", "install a newer version of the plugin")
        };
        let spoken: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        let message = format!(
            "plugin `{plugin}` is {state}: it was built for {} {version}, but this host supports {}",
            self.package,
            spoken.join(", ")
        );
        Err(Error::new(Kind::PluginFailed, message).hint(fix))
    }
}

/// Adapts the bytes of a component to the engine.
///
/// # Errors
/// Fails if the bytes cannot be parsed.
pub(crate) fn adapt_component(plugin: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
    builtins::without_builtins(bytes)
        .map_err(|error| Error::new(Kind::PluginFailed, format!("plugin `{plugin}` cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_of_a_line_is_supported() {
        let check = |major, minor, patch| {
            let checked = LANGUAGE.check("p", &Version::new(major, minor, patch));
            checked.map_err(|error| error.content().message.clone())
        };
        for patch in [0, 1, 900] {
            assert_eq!(check(0, 1, patch), Ok(()));
        }
        for (version, state) in [((0, 2, 0), "too new"), ((1, 0, 0), "too new"), ((0, 0, 9), "too old")] {
            let message = check(version.0, version.1, version.2).expect_err("another line");
            let (major, minor, patch) = version;
            assert_eq!(
                message,
                format!(
                    "plugin `p` is {state}: it was built for marquetry:language {major}.{minor}.{patch}, \
                     but this host supports 0.1.0"
                )
            );
        }
    }
}
