//! Folders that are not written to unless the program was told so: those of version control, whose hooks and configurations run
//! programs, and marq's own. Real paths are looked at, so that no link leads there by another name.

use std::path::Path;

use marquetry_model::{Error, Kind, Result};

use crate::marker;

const FOLDERS: [&str; 8] = [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", "CVS", marker::NAME];

/// Whether a name is one of theirs. Names are compared as file systems without case would.
fn is_one(name: &str) -> bool {
    FOLDERS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// What of a root is not written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protection {
    /// Everything may be.
    Nothing,
    /// The folders of version control in it, and marq's own.
    Folders,
    /// The whole root: it lies in such a folder, and nobody but a call named it.
    Root,
}

impl Protection {
    /// That of a directory that a call names as its root. `outer` is the served root it lies below, if any: whoever started
    /// the program named that himself.
    pub(crate) fn of(directory: &Path, outer: Option<&Path>) -> Protection {
        let inside = outer.and_then(|outer| directory.strip_prefix(outer).ok()).unwrap_or(directory);
        let is_inside = inside.iter().any(|name| name.to_str().is_some_and(is_one));
        if is_inside { Protection::Root } else { Protection::Folders }
    }

    /// Refuse to write at a real path of the root.
    pub(crate) fn check(self, name: &str, real: &str) -> Result<()> {
        let folder = match self {
            Protection::Nothing => None,
            Protection::Folders => real.split('/').find(|part| is_one(part)),
            Protection::Root => Some("the root"),
        };
        let Some(folder) = folder else { return Ok(()) };
        let message = format!("{name} lies in `{folder}`, which is version control's, or marq's own");
        Err(Error::new(Kind::PermissionDenied, message)
            .hint("use the program whose folder it is, or start marq with `--write-protected`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_wherever_it_is_and_however_it_is_written() {
        let check = |path: &str| Protection::Folders.check("n", path).map_err(|error| error.kind());
        for path in [".git/config", "sub/.GIT/hooks/x", ".git", "a/CVS/Root", ".marq-journal/change"] {
            assert_eq!(check(path), Err(Kind::PermissionDenied), "{path}");
            assert_eq!(Protection::Nothing.check("n", path), Ok(()));
        }
        for path in [".gitignore", ".github/workflows/ci.yml", "git/config", "a.git/b", "src/cvs.rs"] {
            assert_eq!(check(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn a_root_in_such_a_folder_is_named_by_the_person_or_read_only() {
        let of = |directory: &str, outer: Option<&str>| Protection::of(Path::new(directory), outer.map(Path::new));
        assert_eq!(of("/p/.git/hooks", Some("/p")), Protection::Root);
        assert_eq!(of("/p/.git/hooks", None), Protection::Root);
        assert_eq!(of("/p/.git/hooks", Some("/p/.git")), Protection::Folders);
        assert_eq!(of("/p/sub", Some("/p")), Protection::Folders);
        assert!(Protection::Root.check("config", "config").is_err());
    }
}
