//! How far a plugin that is granted the workspace sees. What version control ignores is mostly made by builds, and what holds
//! keys is nobody's to carry around in answers and logs: both are left out, unless the registry grants them by name. That
//! something is there is no secret: links lead to it.

use marquetry_model::ports::Files;

/// The grant to read files that version control ignores.
pub(crate) const IGNORED: &str = "ignored";
/// The grant to read files that hold secrets by convention.
pub(crate) const SECRETS: &str = "secrets";

/// Folders of version control, and of programs that keep keys.
const FOLDERS: [&str; 10] = [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", ".ssh", ".gnupg", ".aws", ".kube"];
/// Names of files that hold keys or passwords.
const NAMES: [&str; 14] = [
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    ".dockercfg",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];
/// Endings of such names.
const ENDINGS: [&str; 8] = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"];
/// What `.env.` is followed by where the file only shows which variables there are.
const SHOWN: [&str; 6] = ["example", "sample", "template", "dist", "defaults", "schema"];

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
        let real = files.real(path);
        (self.secrets || !(is_secret(path) || is_secret(&real)))
            && (self.ignored || !(files.is_ignored(path) || files.is_ignored(&real)))
    }
}

/// Whether a file holds secrets by convention. Names are compared as file systems without case would.
fn is_secret(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or(path).to_ascii_lowercase();
    NAMES.contains(&name.as_str())
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.strip_prefix(".env.").is_some_and(|rest| !SHOWN.contains(&rest))
        || parts.any(|folder| FOLDERS.iter().any(|known| known.eq_ignore_ascii_case(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        for path in [
            ".env",
            "app/.ENV",
            ".env.local",
            ".git/config",
            "sub/.Git/hooks/x",
            "certs/server.KEY",
            "id_ed25519",
            ".npmrc",
            ".aws/credentials",
        ] {
            assert!(is_secret(path), "{path}");
        }
        for path in
            [".env.example", "env.ts", ".gitignore", ".github/x.yml", "key.ts", "src/pem.ts", "environment", "a.env"]
        {
            assert!(!is_secret(path), "{path}");
        }
    }

    #[test]
    fn each_kind_is_granted_by_name() {
        let reach = |grants: &[&str]| Reach::of(&grants.iter().map(|grant| (*grant).to_owned()).collect::<Vec<_>>());
        assert_eq!(reach(&["workspace"]), Reach::default());
        assert_eq!(reach(&["workspace", "ignored"]), Reach { ignored: true, secrets: false });
        assert_eq!(reach(&["secrets", "ignored"]), Reach { ignored: true, secrets: true });
    }
}
