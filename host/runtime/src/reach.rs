//! Which files a plugin is given that the caller did not name. What version control ignores is mostly made by builds, and what
//! holds keys is nobody's to carry around in answers and logs: both are left out, unless the registry grants them by name. That
//! something is there is no secret: links lead to it.
//!
//! The same rule holds for every way on which a text reaches a plugin: what it reads itself (`workspace`), and the documents that
//! the host opens for it because of its patterns, its questions or the places that it names.

use marquetry_model::{Error, Kind, ports::Files, secrets::is_secret};

/// The grant to read files that version control ignores.
pub(crate) const IGNORED: &str = "ignored";
/// The grant to read files that hold secrets by convention.
pub(crate) const SECRETS: &str = "secrets";

/// What a plugin may read beside the files of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reach {
    ignored: bool,
    secrets: bool,
}

impl Reach {
    pub(crate) fn of(grants: &[String]) -> Reach {
        let has = |wanted: &str| grants.iter().any(|grant| grant == wanted);
        Reach { ignored: has(IGNORED), secrets: has(SECRETS) }
    }

    /// Whether a plugin of this reach may read a file, whatever name leads there.
    pub(crate) fn covers(self, files: &dyn Files, path: &str) -> bool {
        if self.ignored && self.secrets {
            return true;
        }
        self.lacking(files, path).is_none()
    }

    /// The grant that a plugin of this reach lacks to read a file.
    fn lacking(self, files: &dyn Files, path: &str) -> Option<&'static str> {
        // A name that tells it costs no look at the disk.
        if !self.secrets && is_secret(path) {
            return Some(SECRETS);
        }
        // What a walk found is ignored by nothing, and no link.
        if files.work().is_some_and(|work| work.has_walked(path)) {
            return None;
        }
        let real = files.real(path);
        if !self.secrets && is_secret(&real) {
            return Some(SECRETS);
        }
        let is_ignored = || files.is_ignored(path) || (real != path && files.is_ignored(&real));
        (!self.ignored && is_ignored()).then_some(IGNORED)
    }

    /// The answer to whoever would give a plugin a file that it does not reach.
    pub(crate) fn refusal(self, files: &dyn Files, plugin: &str, path: &str) -> Error {
        let lacking = self.lacking(files, path).unwrap_or(SECRETS);
        let what = if lacking == SECRETS { "holds secrets by convention" } else { "is ignored by version control" };
        let message = format!("`{path}` {what}: plugin `{plugin}` is given it only when a call names it");
        Error::new(Kind::PermissionDenied, message).hint(format!(
            "name the file in the call, or add \"{lacking}\" to the `grants` of the plugin in registry.toml"
        ))
    }
}

/// The patterns among these that lead to files that hold secrets by convention.
pub(crate) fn secret_patterns(patterns: &[String]) -> impl Iterator<Item = &str> {
    patterns.iter().map(String::as_str).filter(|pattern| samples(pattern).iter().any(|name| is_secret(name)))
}

/// Names that a pattern takes, for comparisons with other patterns: each wildcard stands for a letter, or for nothing.
pub(crate) fn samples(pattern: &str) -> [String; 2] {
    let plain = pattern.strip_prefix("**/").unwrap_or(pattern);
    [plain.replace("**", "a").replace(['*', '?'], "a"), plain.replace(['*', '?'], "")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_take_secrets_are_found() {
        let patterns = ["*.puppet", ".env", "*.pem", ".env*", "**/*.key", "Makefile", "*"].map(str::to_owned);
        assert_eq!(secret_patterns(&patterns).collect::<Vec<_>>(), [".env", "*.pem", ".env*", "**/*.key"]);
        assert_eq!(samples("**/a*.x?"), ["aa.xa".to_owned(), "a.x".to_owned()]);
    }

    #[test]
    fn each_kind_is_granted_by_name() {
        let reach = |grants: &[&str]| Reach::of(&grants.iter().map(|grant| (*grant).to_owned()).collect::<Vec<_>>());
        assert_eq!(reach(&["workspace"]), Reach::default());
        assert_eq!(reach(&["workspace", "ignored"]), Reach { ignored: true, secrets: false });
        assert_eq!(reach(&["secrets", "ignored"]), Reach { ignored: true, secrets: true });
    }
}
