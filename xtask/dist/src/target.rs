//! The targets for which the program is packed, and their names in each package format.

use anyhow::{Result, anyhow};

/// A target with its names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The name that rustc uses.
    pub(crate) triple: &'static str,
    /// `os` and `cpu` of an npm package.
    pub(crate) npm: (&'static str, &'static str),
    /// The platform tags of a wheel. The program for Linux is static, so it runs with every C library.
    pub(crate) wheel: &'static str,
    /// The architecture of a Debian package.
    pub(crate) debian: Option<&'static str>,
    /// The platform of a bundle for MCP clients; `None` for systems without such clients.
    pub(crate) bundle_platform: Option<&'static str>,
}

/// All targets.
pub(crate) const TARGETS: [Target; 5] = [
    Target {
        triple: "x86_64-unknown-linux-musl",
        npm: ("linux", "x64"),
        wheel: "manylinux2014_x86_64.musllinux_1_1_x86_64",
        debian: Some("amd64"),
        bundle_platform: Some("linux"),
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        npm: ("linux", "arm64"),
        wheel: "manylinux2014_aarch64.musllinux_1_1_aarch64",
        debian: Some("arm64"),
        bundle_platform: Some("linux"),
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        npm: ("win32", "x64"),
        wheel: "win_amd64",
        debian: None,
        bundle_platform: Some("win32"),
    },
    Target {
        triple: "x86_64-apple-darwin",
        npm: ("darwin", "x64"),
        wheel: "macosx_11_0_x86_64",
        debian: None,
        bundle_platform: Some("darwin"),
    },
    Target {
        triple: "aarch64-apple-darwin",
        npm: ("darwin", "arm64"),
        wheel: "macosx_11_0_arm64",
        debian: None,
        bundle_platform: Some("darwin"),
    },
];

impl Target {
    /// Returns the target with this name.
    ///
    /// # Errors
    /// Fails if it is not one of [`TARGETS`].
    pub(crate) fn find(triple: &str) -> Result<&'static Target> {
        let known = TARGETS.each_ref().map(|target| target.triple).join(", ");
        let found = TARGETS.iter().find(|target| target.triple == triple);
        found.ok_or_else(|| anyhow!("`{triple}` is not a packed target; the targets are {known}"))
    }

    /// Returns whether the target is Windows.
    pub(crate) fn is_windows(&self) -> bool {
        self.npm.0 == "win32"
    }

    /// Returns the file name of the program.
    pub(crate) fn program(&self) -> &'static str {
        if self.is_windows() { "marq.exe" } else { "marq" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_by_name() {
        assert_eq!(Target::find("x86_64-pc-windows-gnu").expect("a target").program(), "marq.exe");
        let error = Target::find("x86_64-windows").expect_err("no target").to_string();
        assert!(
            error.starts_with("`x86_64-windows` is not a packed target; the targets are x86_64-unknown"),
            "{error}"
        );
    }
}
