//! Versions of the contracts: which ones this host speaks, and what brings a plugin of another one, or of another language's
//! toolchain, to what the rest of the host knows.
//!
//! **A contract only grows.** Within a line of versions (`0.1`) interfaces and functions are added, and no record, variant or
//! function that is there changes. So a plugin of an older version lacks functions, which are answered here as if it knew
//! nothing (`language`), and one of a newer version has and imports more than this host knows: what it has more is not asked
//! for, and what it imports more traps when it is called (`newer`). A line that is given up gets an adapter in this folder.
//! Checks of answers and grants lie below: they see this host's version alone.

mod builtins;
mod language;
mod newer;

pub(crate) use language::{Indices, Language, makes_nothing};
pub(crate) use newer::{is_of_a_newer, link_newer};

use marquetry_model::{Error, Kind, Result};
use semver::Version;

/// A contract that this host speaks.
#[derive(Debug)]
pub(crate) struct Contract {
    /// The package of its interfaces.
    pub(crate) package: &'static str,
    /// The interface that every plugin of it exports.
    pub(crate) interface: &'static str,
    /// The newest version that is known of each line, the newest line last.
    pub(crate) lines: &'static [Version],
    /// What a plugin of it is called.
    pub(crate) plugin: &'static str,
    /// What it may import of the package: each interface with its functions.
    pub(crate) imports: &'static [(&'static str, &'static [&'static str])],
}

/// That of language packs.
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

/// That of editor integrations.
pub(crate) const EDITOR: Contract = Contract {
    package: "marquetry:editor",
    interface: "integration",
    lines: &[Version::new(0, 1, 0)],
    plugin: "an editor integration",
    imports: &[("types", &[])],
};

impl Contract {
    /// The newest version.
    pub(crate) fn newest(&self) -> &Version {
        self.lines.last().unwrap_or(const { &Version::new(0, 0, 0) })
    }

    /// The newest known version of the line that a version belongs to: below 1.0 a line is a minor version.
    pub(crate) fn line_of(&self, version: &Version) -> Option<&'static Version> {
        let is_same = |line: &&Version| line.major == version.major && (line.major > 0 || line.minor == version.minor);
        self.lines.iter().find(is_same)
    }

    /// Refuse a version of no line that this host speaks.
    pub(crate) fn check(&self, plugin: &str, version: &Version) -> Result<()> {
        if let Some(known) = self.line_of(version) {
            if version > known {
                tracing::debug!(plugin, "made for {} {version}: this host knows {known} of it", self.package);
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
            "plugin `{plugin}` is {state}: it was made for {} {version}, this host speaks {}",
            self.package,
            spoken.join(", ")
        );
        Err(Error::new(Kind::PluginFailed, message).hint(fix))
    }
}

/// The bytes of a component as the engine takes them.
///
/// # Errors
/// They cannot be read.
pub(crate) fn adapted(plugin: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
    builtins::refused(bytes)
        .map_err(|error| Error::new(Kind::PluginFailed, format!("plugin `{plugin}` cannot be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_versions_is_spoken_as_a_whole() {
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
                    "plugin `p` is {state}: it was made for marquetry:language {major}.{minor}.{patch}, this host speaks 0.1.0"
                )
            );
        }
    }
}
