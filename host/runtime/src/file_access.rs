//! Decides which files a plugin may receive, apart from those that the caller named. Plugins do not receive files that
//! version control ignores, which are mostly build output, nor files with secrets, which must not appear in answers and
//! logs, unless the registry grants it. Plugins may learn that such a file exists, because links refer to these files.
//!
//! The rule applies to every text that a plugin receives: files that it reads (`workspace`), and documents that the
//! host opens because of its patterns, its questions or the locations that it returns.

use marquetry_model::{Error, Kind, ports::Files, secrets::is_secret};

/// The grant to use the workspace interface, which has the same name.
pub(crate) const WORKSPACE_GRANT: &str = "workspace";
/// The grant to read files that version control ignores.
pub(crate) const IGNORED_GRANT: &str = "ignored";
/// The grant to read files that hold secrets by convention.
pub(crate) const SECRETS_GRANT: &str = "secrets";

/// Grants to read more than the ordinary files of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FileAccess {
    ignored: bool,
    secrets: bool,
}

impl FileAccess {
    pub(crate) fn from_grants(grants: &[String]) -> FileAccess {
        let has = |wanted: &str| grants.iter().any(|grant| grant == wanted);
        FileAccess { ignored: has(IGNORED_GRANT), secrets: has(SECRETS_GRANT) }
    }

    /// Returns whether the plugin may read a file. Links are resolved first, so another path to the same file gives the
    /// same result.
    pub(crate) fn allows(self, files: &dyn Files, path: &str) -> bool {
        if self.ignored && self.secrets {
            return true;
        }
        self.missing_grant(files, path).is_none()
    }

    /// Returns the missing grant for a file, if any.
    fn missing_grant(self, files: &dyn Files, path: &str) -> Option<&'static str> {
        // Files with secrets are recognized by name, so the disk is not accessed.
        if !self.secrets && is_secret(path) {
            return Some(SECRETS_GRANT);
        }
        // Files found by a walk are not ignored and are not links.
        if files.work().is_some_and(|work| work.has_walked(path)) {
            return None;
        }
        let real = files.resolve_links(path);
        if !self.secrets && is_secret(&real) {
            return Some(SECRETS_GRANT);
        }
        let is_ignored = || files.is_ignored(path) || (real != path && files.is_ignored(&real));
        (!self.ignored && is_ignored()).then_some(IGNORED_GRANT)
    }

    /// Returns the error for a file that the plugin must not receive.
    pub(crate) fn refusal(self, files: &dyn Files, plugin: &str, path: &str) -> Error {
        let lacking = self.missing_grant(files, path).unwrap_or(SECRETS_GRANT);
        let what =
            if lacking == SECRETS_GRANT { "contains secrets by convention" } else { "is ignored by version control" };
        let message = format!("`{path}` {what}, so plugin `{plugin}` gets it only if a call names it");
        Error::new(Kind::PermissionDenied, message).hint(format!(
            "name the file in the call, or add \"{lacking}\" to the `grants` of the plugin in registry.toml"
        ))
    }
}

/// Returns the patterns that match files which hold secrets by convention.
pub(crate) fn secret_patterns(patterns: &[String]) -> impl Iterator<Item = &str> {
    patterns.iter().map(String::as_str).filter(|pattern| sample_names(pattern).iter().any(|name| is_secret(name)))
}

/// Returns names that match a pattern, to compare it with other patterns: each wildcard is replaced by a letter, or
/// removed.
pub(crate) fn sample_names(pattern: &str) -> [String; 2] {
    let plain = pattern.strip_prefix("**/").unwrap_or(pattern);
    [plain.replace("**", "a").replace(['*', '?'], "a"), plain.replace(['*', '?'], "")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_match_secrets_are_found() {
        let patterns = ["*.puppet", ".env", "*.pem", ".env*", "**/*.key", "Makefile", "*"].map(str::to_owned);
        assert_eq!(secret_patterns(&patterns).collect::<Vec<_>>(), [".env", "*.pem", ".env*", "**/*.key"]);
        assert_eq!(sample_names("**/a*.x?"), ["aa.xa".to_owned(), "a.x".to_owned()]);
    }

    #[test]
    fn each_kind_of_file_has_its_own_grant() {
        let reach = |grants: &[&str]| {
            FileAccess::from_grants(&grants.iter().map(|grant| (*grant).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(reach(&["workspace"]), FileAccess::default());
        assert_eq!(reach(&["workspace", "ignored"]), FileAccess { ignored: true, secrets: false });
        assert_eq!(reach(&["secrets", "ignored"]), FileAccess { ignored: true, secrets: true });
    }
}
