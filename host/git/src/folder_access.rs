//! Finds the folders that a repository refers to, and checks whether they may be read.
//!
//! A `.git` file, `commondir`, `objects/info/alternates` and symbolic links can each refer to another repository. An
//! untrusted archive or clone must not give access to a repository elsewhere. A folder may be read if it is in the root
//! or the working tree, if it refers back to the working tree, as the git folders of worktrees and submodules do (`git`
//! writes this reference into the other folder, where an untrusted archive cannot forge it), or if the user permits it
//! with `marq.repository` in the global git configuration.

use std::{
    collections::HashSet,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use gix::{
    bstr::ByteSlice as _,
    config::{File, Source},
};
use marquetry_model::{Error, Kind, Result, limits};

/// The setting that permits a folder.
const PERMITTED: &str = "marq.repository";
/// Subfolders of a git folder in which any entry could be a link.
const LINKABLE_FOLDERS: [&str; 5] = ["objects", "refs", "logs", "info", "worktrees"];
/// The maximum length of a chain of `alternates`; git has the same limit.
const MAX_ALTERNATES: usize = 5;
/// The maximum size of a file that contains the path of a folder.
const MAX_NAME_FILE: u64 = 64 << 10;

/// The folders of a repository, as canonical paths.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Folders {
    pub(crate) git: PathBuf,
    /// The folder shared by all worktrees.
    pub(crate) common: PathBuf,
}

/// Resolves the `.git` of a working tree to its folders and checks everything that they refer to. Both arguments are
/// canonical.
pub(crate) fn resolve(folder: &Path, root: &Path) -> Result<Folders> {
    let dot_git = folder.join(".git");
    let git = git_folder(folder, &dot_git)?;
    let mut reach =
        AccessChecker { folder, allowed: vec![root.to_owned(), folder.to_owned()], checked: HashSet::new() };
    if !reach.allows(&git) && !refers_back(&git, folder, &dot_git) {
        reach.needs_permission("keeps its data", &git)?;
    }
    reach.allowed.push(git.clone());
    let common = common_folder(&git)?;
    let is_worktree_of = git.parent() == Some(&common.join("worktrees")) && worktree_refers_back(&git, &dot_git);
    if !reach.allows(&common) && !is_worktree_of {
        reach.needs_permission("shares the data of another repository", &common)?;
    }
    reach.allowed.push(common.clone());
    for git in [&git, &common] {
        reach.check_git_folder(git)?;
    }
    reach.check_alternates(&common.join("objects"), 0)?;
    Ok(Folders { git, common })
}

/// Returns the git folder of a working tree.
fn git_folder(folder: &Path, dot_git: &Path) -> Result<PathBuf> {
    let named = if dot_git.is_dir() {
        dot_git.to_owned()
    } else {
        let text = read_name(dot_git)?.unwrap_or_default();
        let strange = || unreadable_error(dot_git, "it does not contain the path of a git folder");
        folder.join(text.strip_prefix("gitdir:").ok_or_else(strange)?.trim())
    };
    named.canonicalize().map_err(|error| unreadable_error(&named, &error.to_string()))
}

fn common_folder(git: &Path) -> Result<PathBuf> {
    let Some(name) = read_name(&git.join("commondir"))? else { return Ok(git.to_owned()) };
    let named = git.join(name.trim());
    named.canonicalize().map_err(|error| unreadable_error(&named, &error.to_string()))
}

/// Reads a small file that contains the path of a folder; `None` if the file does not exist.
fn read_name(path: &Path) -> Result<Option<String>> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(None) };
    if !metadata.is_file() || metadata.len() > MAX_NAME_FILE {
        return Err(unreadable_error(path, "it is not a small file"));
    }
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(MAX_NAME_FILE).read_to_end(&mut bytes));
    read.map_err(|error| unreadable_error(path, &error.to_string()))?;
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable_error(path, "it is not UTF-8"))
}

/// Returns whether a git folder refers back to a working tree. The git folder of a worktree names the `.git` file of
/// the working tree; that of a submodule names the working tree itself.
fn refers_back(git: &Path, folder: &Path, dot_git: &Path) -> bool {
    worktree_refers_back(git, dot_git) || is_configured_for(git, folder)
}

fn worktree_refers_back(git: &Path, dot_git: &Path) -> bool {
    let Ok(Some(named)) = read_name(&git.join("gitdir")) else { return false };
    let both = (git.join(named.trim()).canonicalize(), dot_git.canonicalize());
    matches!(both, (Ok(named), Ok(own)) if named == own)
}

fn is_configured_for(git: &Path, folder: &Path) -> bool {
    ["config", "config.worktree"].iter().any(|name| {
        let path = git.join(name);
        let is_bearable = fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= limits::REPOSITORY_FILE);
        let config = is_bearable.then(|| File::from_path_no_includes(path, Source::Local).ok()).flatten();
        let named = config.as_ref().and_then(|config| config.string("core.worktree"));
        let named = named.and_then(|named| git.join(named.to_path().ok()?).canonicalize().ok());
        named.is_some_and(|named| named == folder)
    })
}

/// The folders that may be read.
struct AccessChecker<'a> {
    folder: &'a Path,
    allowed: Vec<PathBuf>,
    /// Folders that were already checked.
    checked: HashSet<PathBuf>,
}

impl AccessChecker<'_> {
    fn allows(&self, path: &Path) -> bool {
        self.allowed.iter().any(|folder| path.starts_with(folder))
    }

    /// Fails unless the user's global configuration permits the folder.
    fn needs_permission(&self, what: &str, path: &Path) -> Result<()> {
        if File::from_globals().is_ok_and(|config| is_permitted(&config, path)) {
            return Ok(());
        }
        let (folder, shown) = (self.folder.display(), path.display());
        let message = format!("the repository of `{folder}` {what} in `{shown}`, outside of the root");
        Err(Error::new(Kind::OutsideWorkspace, message)
            .hint(format!("if you trust that folder, permit it with `git config --global --add {PERMITTED} {shown}`")))
    }

    /// Checks the symbolic links in a git folder.
    fn check_git_folder(&mut self, git: &Path) -> Result<()> {
        for entry in entries(git) {
            self.check_link(&entry)?;
        }
        LINKABLE_FOLDERS.iter().try_for_each(|name| self.check_below(&git.join(name)))
    }

    /// Checks the symbolic links in a folder and in all folders below it.
    fn check_below(&mut self, folder: &Path) -> Result<()> {
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            let Ok(real) = folder.canonicalize() else { continue };
            if !self.allows(&real) || !self.checked.insert(real.clone()) {
                continue;
            }
            for entry in entries(&real) {
                let is_link = self.check_link(&entry)?;
                let is_folder = |path: PathBuf| path.is_dir().then_some(path);
                open.extend(match entry.file_type() {
                    Ok(kind) if kind.is_dir() => Some(entry.path()),
                    _ if is_link => is_folder(entry.path()),
                    _ => None,
                });
            }
        }
        Ok(())
    }

    /// Returns whether an entry is a symbolic link. Fails if its destination must not be read.
    fn check_link(&self, entry: &fs::DirEntry) -> Result<bool> {
        if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            return Ok(false);
        }
        match entry.path().canonicalize() {
            Ok(real) if !self.allows(&real) => self.needs_permission("has a symbolic link", &real).map(|()| true),
            // A broken link does not expose anything.
            _ => Ok(true),
        }
    }

    /// Checks the repositories listed in `alternates`, recursively.
    fn check_alternates(&mut self, objects: &Path, depth: usize) -> Result<()> {
        let list = objects.join("info/alternates");
        let Ok(metadata) = fs::metadata(&list) else { return Ok(()) };
        if !metadata.is_file() || metadata.len() > limits::REPOSITORY_FILE || depth == MAX_ALTERNATES {
            return Err(unreadable_error(&list, "it is not a list of object folders, or it is nested too deeply"));
        }
        let text = fs::read(&list).map_err(|error| unreadable_error(&list, &error.to_string()))?;
        for line in text.lines().map(<[u8]>::as_bstr).filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
            let line = gix::quote::ansi_c::undo(line).map_or_else(|_| line.into(), |(line, _)| line);
            let named = line.to_path().map_err(|_| unreadable_error(&list, "a path in it is not UTF-8"))?;
            let Ok(real) = objects.join(named).canonicalize() else { continue };
            if !self.allows(&real) {
                self.needs_permission("uses objects of another repository", &real)?;
                self.allowed.push(real.clone());
            }
            self.check_below(&real)?;
            self.check_alternates(&real, depth + 1)?;
        }
        Ok(())
    }
}

/// Returns whether the global configuration permits a folder or one of its parents.
fn is_permitted(config: &File, path: &Path) -> bool {
    let is_above = |folder: &Path| folder.is_absolute() && folder.canonicalize().is_ok_and(|it| path.starts_with(it));
    let permitted = config.strings(PERMITTED).unwrap_or_default();
    permitted.iter().any(|folder| folder.to_path().is_ok_and(is_above))
}

fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

fn unreadable_error(path: &Path, why: &str) -> Error {
    Error::new(Kind::Unsupported, format!("the repository cannot be read: `{}`: {why}", path.display()))
        .hint("`git fsck` shows what is wrong with it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn global_configuration_permits_folders_and_subfolders() {
        let top = tempfile::tempdir().expect("a folder");
        let top = top.path().canonicalize().expect("the canonical path");
        for folder in ["mirrors/one/objects", "other"] {
            fs::create_dir_all(top.join(folder)).expect("made");
        }
        let path = top.join("config");
        let shown = top.display();
        fs::write(&path, format!("[marq]\n\trepository = {shown}/none\n\trepository = {shown}/mirrors\n"))
            .expect("written");
        let config = File::from_path_no_includes(path, Source::User).expect("a configuration");
        let permits = |name: &str| is_permitted(&config, &top.join(name));
        assert!(permits("mirrors") && permits("mirrors/one/objects"));
        assert!(!permits("other") && !permits("") && !permits("mirrors2"));
    }

    #[test]
    fn folder_path_is_read_only_from_a_small_file() {
        let top = tempfile::tempdir().expect("a folder");
        let path = top.path().join("commondir");
        assert_eq!(read_name(&path).expect("no file"), None);
        fs::write(&path, "../..\n").expect("written");
        assert_eq!(read_name(&path).expect("a name").as_deref(), Some("../..\n"));
        fs::write(&path, vec![b'x'; 70 << 10]).expect("written");
        assert!(read_name(&path).is_err() && read_name(top.path()).is_err());
    }
}
