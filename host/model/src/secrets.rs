//! Files that conventionally hold secrets (keys, passwords, tokens), recognized by their names.

/// Folders of version control systems, and of programs that store keys.
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
/// Extensions of files that hold keys or passwords.
const EXTENSIONS: [&str; 8] = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"];
/// Suffixes after `.env.` of files that only document the variables.
const DOCUMENTED_SUFFIXES: [&str; 6] = ["example", "sample", "template", "dist", "defaults", "schema"];

/// Returns whether a file conventionally holds secrets. Ignores case, because some file systems do.
///
/// # Examples
///
/// ```
/// assert!(marquetry_model::secrets::is_secret("app/.env.local"));
/// assert!(!marquetry_model::secrets::is_secret("app/.env.example"));
/// ```
pub fn is_secret(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or(path).to_ascii_lowercase();
    NAMES.contains(&name.as_str())
        || EXTENSIONS.iter().any(|ending| name.ends_with(ending))
        || name.strip_prefix(".env.").is_some_and(|rest| !DOCUMENTED_SUFFIXES.contains(&rest))
        || parts.any(|folder| FOLDERS.iter().any(|known| known.eq_ignore_ascii_case(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_files_are_recognized_by_name() {
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
}
