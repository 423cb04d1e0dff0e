//! Folders that are protected from writes, unless the program is configured to allow them: those of version control,
//! whose hooks and configuration run programs, and those of marq. They are recognized by name, and git folders by
//! content as well, in the same way as git does: `git --separate-git-dir`, bare repositories and worktrees use other
//! names. Real paths are checked, so that links cannot bypass the check.

use std::{
    collections::{BTreeSet, HashMap},
    io::Read as _,
    path::Path,
};

use marquetry_model::{Error, Kind, Result};

use crate::{
    lock,
    paths::{join, split_parent},
    recovery_marker,
    system::Directory,
    tree::Tree,
};

/// Names of folders and files of version control systems.
const NAMES: [&str; 15] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".sl",
    ".pijul",
    ".repo",
    ".bzr",
    "_darcs",
    "_MTN",
    "CVS",
    ".fslckout",
    "_FOSSIL_",
    recovery_marker::NAME,
    lock::LOCK_FILE,
];

/// Entries that make a folder a git folder. Creating one of them may turn a folder into a git folder.
const GIT_FOLDER_ENTRIES: [&str; 5] = ["HEAD", "config", "commondir", "objects", "refs"];

/// Returns whether a name refers to a folder of version control or of marq on any file system. Some file systems ignore
/// case, some drop trailing dots and spaces, some ignore invisible characters, and some have a short alias for each
/// long name.
pub fn is_protected_name(name: &str) -> bool {
    let visible: String = name.chars().filter(|character| !is_ignored(*character)).collect();
    let plain = visible.trim_end_matches(['.', ' ']);
    let short = plain.rsplit_once('~').filter(|(_, number)| number.parse::<u8>().is_ok());
    NAMES.iter().any(|known| {
        let is_short = short.is_some_and(|(start, _)| start.eq_ignore_ascii_case(known.trim_start_matches('.')));
        known.eq_ignore_ascii_case(plain) || (known.starts_with('.') && is_short)
    })
}

/// Returns whether HFS+ ignores the character in names.
fn is_ignored(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Returns whether git would treat a folder with these entries as a repository.
fn is_git_folder(has: impl Fn(&str) -> bool) -> bool {
    let is_whole = has("objects") && has("refs") && (has("HEAD") || has("config"));
    is_whole || (has("HEAD") && has("commondir"))
}

/// Returns whether a folder below an open directory is a git folder. Needs two system calls if it is not.
fn is_git_folder_at(above: &Directory, path: &str) -> bool {
    is_git_folder(|part| {
        let part = if matches!(part, "objects" | "refs") { format!("{part}/.") } else { part.to_owned() };
        above.has(&join(path, &part))
    })
}

/// Returns every parent of a relative path and the path itself, from the top.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain((!path.is_empty()).then_some(path))
}

/// The protected parts of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protection {
    /// No part is protected, because the program is configured to allow all writes.
    Nothing,
    /// The folders of version control and of marq that the root contains.
    Folders,
    /// The whole root is protected. It is in a folder of version control or of marq, and a call named it, not the user
    /// who started the program.
    Root,
}

impl Protection {
    /// Returns the protection of a directory that a call names as its root. `outer` is the served root that contains
    /// it, if any, which the user named when starting the program.
    pub(crate) fn for_root(directory: &Path, outer: Option<&Path>) -> Protection {
        let top = outer.filter(|outer| directory.starts_with(outer)).unwrap_or(Path::new("/"));
        let inside = directory.strip_prefix(top).unwrap_or(directory);
        let is_named = inside.iter().any(|name| name.to_str().is_some_and(is_protected_name));
        let is_git = || {
            let (Ok(top), Some(inside)) = (Directory::open(top), inside.to_str()) else { return false };
            prefixes(inside).any(|folder| is_git_folder_at(&top, folder))
        };
        if is_named || is_git() { Protection::Root } else { Protection::Folders }
    }
}

/// Checks the paths that one change writes.
pub(crate) struct ProtectionGuard<'a> {
    tree: &'a Tree,
    protection: Protection,
    /// Caches whether a directory is a git folder.
    known: HashMap<String, bool>,
}

impl<'a> ProtectionGuard<'a> {
    pub(crate) fn new(tree: &'a Tree, protection: Protection) -> ProtectionGuard<'a> {
        ProtectionGuard { tree, protection, known: HashMap::new() }
    }

    /// Fails if a real path of the root is protected.
    pub(crate) fn check(&mut self, name: &str, real: &str) -> Result<()> {
        let folder = match self.protection {
            Protection::Nothing => return Ok(()),
            Protection::Root => Some("the root".to_owned()),
            Protection::Folders => {
                let named = real.split('/').find(|part| is_protected_name(part)).map(|part| format!("`{part}`"));
                named.or_else(|| self.git_folder(real)).or_else(|| self.fossil_repository(real))
            }
        };
        let Some(folder) = folder else { return Ok(()) };
        Err(protected_error(format!("`{name}` is in {folder}, which belongs to version control or to marq")))
    }

    /// Returns the git folder at or above a path.
    fn git_folder(&mut self, real: &str) -> Option<String> {
        let mut root = None;
        for folder in prefixes(real) {
            let is_git = if let Some(known) = self.known.get(folder) {
                *known
            } else {
                if root.is_none() {
                    root = Some(Directory::open(self.tree.root()).ok()?);
                }
                let is_git = is_git_folder_at(root.as_ref()?, folder);
                // A written path is checked only once, its parent directories repeatedly.
                if folder != real {
                    self.known.insert(folder.to_owned(), is_git);
                }
                is_git
            };
            if is_git {
                return Some(format!("`{folder}`, a git folder"));
            }
        }
        None
    }

    /// Returns a description of the file if it is a Fossil repository, which is a database with an application id.
    fn fossil_repository(&self, real: &str) -> Option<String> {
        const MAGIC: &[u8] = b"SQLite format 3\0";
        const APPLICATION: [u8; 4] = 0x0F05_5111_u32.to_be_bytes();
        let (above, last) = split_parent(real);
        if !Path::new(last).extension().is_some_and(|end| end.eq_ignore_ascii_case("fossil")) {
            return None;
        }
        let file = self.tree.directory(above).and_then(|above| above.file(last)).ok()?;
        let mut head = Vec::new();
        file.take(72).read_to_end(&mut head).ok()?;
        let is_one = head.starts_with(MAGIC) && head.get(68..72) == Some(&APPLICATION);
        is_one.then(|| format!("`{last}`, a Fossil repository"))
    }

    /// Rejects a change that makes a folder a git folder, even if earlier changes created some of its entries.
    /// `targets` are the real paths at which something is created; `at_start` maps a path to its location before the
    /// change.
    pub(crate) fn check_result(&self, targets: &[&str], at_start: impl Fn(&str) -> String) -> Result<()> {
        if self.protection != Protection::Folders {
            return Ok(());
        }
        let folders: BTreeSet<&str> = targets.iter().flat_map(|path| parents_of_parts(path)).collect();
        if folders.is_empty() {
            return Ok(());
        }
        let Ok(root) = Directory::open(self.tree.root()) else { return Ok(()) };
        let appearing: BTreeSet<String> = targets.iter().map(|path| path.to_lowercase()).collect();
        for folder in folders {
            let will_have = |part: &str| {
                let path = join(folder, part);
                is_created(&appearing, &path.to_lowercase()) || root.has(&at_start(&path))
            };
            if is_git_folder(will_have) && !is_git_folder_at(&root, folder) {
                let shown = if folder.is_empty() { "the root" } else { folder };
                return Err(protected_error(format!(
                    "this would make `{shown}` a git folder, whose configuration runs programs"
                )));
            }
        }
        Ok(())
    }
}

/// Returns the folders to which a path would add an entry of a git folder.
fn parents_of_parts(path: &str) -> impl Iterator<Item = &str> {
    prefixes(path)
        .map(split_parent)
        .filter(|(_, last)| GIT_FOLDER_ENTRIES.iter().any(|part| part.eq_ignore_ascii_case(last)))
        .map(|(above, _)| above)
}

/// Returns whether something is created at or below a path.
fn is_created(appearing: &BTreeSet<String>, path: &str) -> bool {
    let below = format!("{path}/");
    appearing.contains(path) || appearing.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below))
}

fn protected_error(message: String) -> Error {
    Error::new(Kind::PermissionDenied, message)
        .hint("use the program that the folder belongs to, or start marq with `--write-protected`")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(tree: &Tree, path: &str, protection: Protection) -> std::result::Result<(), Kind> {
        ProtectionGuard::new(tree, protection).check("n", path).map_err(|error| error.kind())
    }

    #[test]
    fn protected_names_are_found_at_any_depth_and_case() {
        let top = tempfile::tempdir().unwrap();
        let tree = Tree::new(top.path().to_owned(), None);
        let protected = [
            ".git/config",
            "sub/.GIT/hooks/x",
            ".git",
            "a/CVS/Root",
            ".marq-journal/change",
            ".sl/x",
            ".pijul/x",
            ".repo/repo/x",
            ".jj/x",
            ".hg/hgrc",
            "_darcs/x",
            ".fslckout",
            "_fossil_",
            "_MTN/x",
            "GIT~1/config",
            ".git./config",
            ".git /x",
            ".g\u{200c}it/config",
            "hg~1/hgrc",
        ];
        for path in protected {
            assert_eq!(check(&tree, path, Protection::Folders), Err(Kind::PermissionDenied), "{path}");
            assert_eq!(check(&tree, path, Protection::Nothing), Ok(()));
        }
        let plain = [
            ".gitignore",
            ".github/workflows/ci.yml",
            "git/config",
            "a.git/b",
            "src/cvs.rs",
            "repo/x",
            "sl/x",
            "git~/x",
            "a~1",
            "HEAD",
            "objects/x",
            "notes.fossil",
        ];
        for path in plain {
            assert_eq!(check(&tree, path, Protection::Folders), Ok(()), "{path}");
        }
    }

    #[test]
    fn git_folders_are_recognised_by_content() {
        let top = tempfile::tempdir().unwrap();
        let tree = Tree::new(top.path().to_owned(), None);
        let make = |folder: &str, files: &[&str], folders: &[&str]| {
            fs::create_dir_all(top.path().join(folder)).unwrap();
            files.iter().for_each(|file| fs::write(top.path().join(folder).join(file), "x").unwrap());
            folders.iter().for_each(|name| fs::create_dir(top.path().join(folder).join(name)).unwrap());
        };
        make("a/bare", &["HEAD"], &["objects", "refs"]);
        make("common", &["config"], &["objects", "refs"]);
        make("worktree", &["HEAD", "commondir"], &[]);
        make("linked", &["HEAD"], &["refs"]);
        std::os::unix::fs::symlink("../a/bare/objects", top.path().join("linked/objects")).unwrap();
        for path in
            ["a/bare/config", "a/bare/hooks/post-commit", "a/bare", "common/hooks/x", "worktree/x", "linked/config"]
        {
            assert_eq!(check(&tree, path, Protection::Folders), Err(Kind::PermissionDenied), "{path}");
        }
        make("model", &["HEAD"], &["objects"]);
        make("files", &["HEAD", "objects"], &["refs"]);
        make("game", &[], &["objects", "refs"]);
        for path in ["a/x", "model/x", "files/x", "game/x", "game"] {
            assert_eq!(check(&tree, path, Protection::Folders), Ok(()), "{path}");
        }
        fs::write(
            top.path().join("r.fossil"),
            [b"SQLite format 3\0".as_slice(), &[0; 52], &[0x0F, 5, 0x51, 0x11]].concat(),
        )
        .unwrap();
        assert_eq!(check(&tree, "r.fossil", Protection::Folders), Err(Kind::PermissionDenied));
    }

    #[test]
    fn change_that_completes_a_git_folder_is_refused() {
        let top = tempfile::tempdir().unwrap();
        let tree = Tree::new(top.path().to_owned(), None);
        fs::create_dir_all(top.path().join("d/objects")).unwrap();
        fs::create_dir_all(top.path().join("old/refs")).unwrap();
        let guard = ProtectionGuard::new(&tree, Protection::Folders);
        let result = |targets: &[&str]| guard.check_result(targets, |path| path.replace("new", "old")).is_ok();
        assert!(result(&["d/HEAD", "d/config"]) && result(&["d/refs/x"]) && result(&["HEAD", "src/refs/x"]));
        assert!(!result(&["d/HEAD", "d/refs/heads/main"]) && !result(&["d/head", "d/Refs"]));
        assert!(!result(&["e/HEAD", "e/commondir"]) && !result(&["HEAD", "objects/x", "refs/x"]));
        assert!(!result(&["new/HEAD", "new/objects/x"]), "moving a whole git folder does not create one");
        fs::create_dir(top.path().join("refs")).unwrap();
        fs::create_dir(top.path().join("objects")).unwrap();
        fs::write(top.path().join("HEAD"), "x").unwrap();
        assert!(result(&["refs/y"]), "the user may write in a git folder that they serve as the root");
    }

    #[test]
    fn root_inside_protected_folder_is_read_only_unless_served() {
        let of =
            |directory: &str, outer: Option<&str>| Protection::for_root(Path::new(directory), outer.map(Path::new));
        assert_eq!(of("/p/.git/hooks", Some("/p")), Protection::Root);
        assert_eq!(of("/p/.git/hooks", None), Protection::Root);
        assert_eq!(of("/p/.git/hooks", Some("/p/.git")), Protection::Folders);
        assert_eq!(of("/p/sub", Some("/p")), Protection::Folders);
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        for folder in ["bare/objects", "bare/refs", "bare/hooks"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        fs::write(top.join("bare/HEAD"), "ref: refs/heads/main").unwrap();
        assert_eq!(Protection::for_root(&top.join("bare/hooks"), Some(&top)), Protection::Root);
        assert_eq!(Protection::for_root(&top.join("bare"), Some(&top)), Protection::Root);
        assert_eq!(Protection::for_root(&top.join("bare/hooks"), None), Protection::Root);
        assert_eq!(Protection::for_root(&top.join("bare/hooks"), Some(&top.join("bare"))), Protection::Folders);
    }
}
