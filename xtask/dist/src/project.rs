//! Facts about the project that every package states.

use std::{fs, path::Path};

use anyhow::{Context, Result};

/// The name of the npm package.
pub(crate) const NPM_NAME: &str = "marquetry";
/// The scope of the npm packages with the programs.
pub(crate) const NPM_SCOPE: &str = "@marquetry";
/// The name of the Python package. `marquetry` on the Python registry belongs to another project.
pub(crate) const PYTHON_NAME: &str = "marquetry-cli";
/// The name of the Debian package.
pub(crate) const DEBIAN_NAME: &str = "marquetry";
/// The name in the MCP registry.
pub(crate) const MCP_NAME: &str = "io.github.marquetry/marquetry";
/// The address of the repository.
pub(crate) const REPOSITORY: &str = "https://github.com/marquetry/marquetry";
/// The licences, as SPDX writes them.
pub(crate) const LICENSE: &str = "Apache-2.0 OR MIT";
/// One line that says what the program is.
pub(crate) const SUMMARY: &str = "Precise file edits by name: symbols, JSONPaths, selectors, headings; an MCP server";
/// Words by which the packages are found.
pub(crate) const KEYWORDS: [&str; 8] = ["mcp", "mcp-server", "refactoring", "rename", "edit", "ast", "cli", "agent"];

/// Facts that are read from the repository.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// The version of the workspace.
    pub(crate) version: String,
    /// `README.md`.
    pub(crate) readme: String,
    /// Names and texts of the licence files.
    pub(crate) licenses: Vec<(&'static str, String)>,
    /// `Cargo.lock`.
    pub(crate) lock: String,
}

impl Project {
    /// Reads the facts from the repository at `root`.
    ///
    /// # Errors
    /// Fails if a file is missing or the workspace has no version.
    pub(crate) fn read(root: &Path) -> Result<Project> {
        let read = |name: &str| fs::read_to_string(root.join(name)).with_context(|| format!("{name} cannot be read"));
        let licenses = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| read(name).map(|text| (name, text)));
        Ok(Project {
            version: version(&read("Cargo.toml")?).context("Cargo.toml has no `version`")?.to_owned(),
            readme: read("README.md")?,
            licenses: licenses.into_iter().collect::<Result<_>>()?,
            lock: read("Cargo.lock")?,
        })
    }

    /// Returns facts for tests.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Project {
        Project {
            version: "1.2.3".to_owned(),
            readme: "# Marquetry\n".to_owned(),
            licenses: vec![("LICENSE-MIT", "MIT\n".to_owned())],
            lock: String::new(),
        }
    }
}

/// Returns the version in the manifest of the workspace.
fn version(manifest: &str) -> Option<&str> {
    let own = manifest.lines().find_map(|line| line.strip_prefix("version = "))?;
    Some(own.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_that_of_the_workspace() {
        assert_eq!(version("[workspace.package]\nversion = \"1.2.3\"\nedition = \"2024\"\n"), Some("1.2.3"));
        assert_eq!(version("[workspace]\nmembers = []\n"), None);
    }
}
