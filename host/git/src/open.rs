//! Finds the repository of a path and opens it without trusting its contents.

use std::{
    fs,
    path::{Path, PathBuf},
};

use gix::{
    Repository,
    bstr::ByteSlice as _,
    config::{Source, file::SectionRef},
    open::{Options, Permissions},
    sec::Permission,
};
use marquetry_model::{Error, Kind, Result, limits};

use crate::{
    errors::git_error,
    folder_access,
    worktree_position::{self, WorktreePosition},
};

/// An open repository, and its position relative to the root.
pub(crate) struct OpenRepository {
    pub(crate) repo: Repository,
    pub(crate) place: WorktreePosition,
    root: PathBuf,
}

impl OpenRepository {
    /// Converts a path relative to the root to one relative to the repository.
    pub(crate) fn repository_path(&self, path: &str) -> Result<String> {
        let (_, whole) = worktree_position::resolve_parents(&self.root, path)?;
        let whole = whole.strip_prefix(&self.root).ok().and_then(Path::to_str);
        whole
            .and_then(|path| self.place.to_worktree_path(path))
            .ok_or_else(|| Error::new(Kind::OutsideWorkspace, format!("`{path}` belongs to another repository")))
    }
}

impl OpenRepository {
    /// Returns the path of a submodule whose git folder must not be read, if there is one.
    pub(crate) fn external_submodule(&self) -> Option<String> {
        let top = self.repo.workdir()?.canonicalize().ok()?;
        let modules = self.repo.submodules().ok().flatten()?;
        let mut paths = modules.filter_map(|module| Some(module.path().ok()?.to_str().ok()?.to_owned()));
        paths.find(|path| {
            let folder = top.join(path);
            // A submodule that is not checked out has no git folder.
            let Ok(real) = folder.canonicalize() else { return false };
            folder.join(".git").symlink_metadata().is_ok()
                && (real != folder || folder_access::resolve(&real, &self.root).is_err())
        })
    }
}

/// Opens the repository that contains a path below a root, or the root itself.
pub(crate) fn open(root: &str, path: Option<&str>) -> Result<OpenRepository> {
    let root = Path::new(root)
        .canonicalize()
        .map_err(|error| Error::argument(format!("cannot open the root `{root}`: {error}")))?;
    let (folder, _) = worktree_position::resolve_parents(&root, path.unwrap_or_default())?;
    let opened = folder.ancestors().find(|folder| is_repository(&folder.join(".git")));
    let opened = opened.ok_or_else(|| no_repository_error(&root, path))?;
    let folders = folder_access::resolve(opened, &root)?;
    for folder in [&folders.git, &folders.common] {
        check_regular_files(folder)?;
    }
    let mut repo = options().open(opened).map_err(git_error)?.to_thread_local();
    let real = |folder: &Path| folder.canonicalize().unwrap_or_default();
    if (real(repo.git_dir()), real(repo.common_dir())) != (folders.git, folders.common) {
        let changed = format!("the repository of `{}` was moved while it was opened", root.display());
        return Err(Error::new(Kind::Stale, changed).hint("repeat the call"));
    }
    remove_programs(&mut repo)?;
    let shown = root.display().to_string();
    let work_dir = repo.workdir().ok_or_else(|| {
        Error::new(Kind::Unsupported, format!("the repository of `{shown}` is bare: it has no working tree"))
    })?;
    let work_dir = work_dir
        .canonicalize()
        .map_err(|error| Error::new(Kind::FileNotFound, format!("`{}`: {error}", work_dir.display())))?;
    let place = WorktreePosition::new(&work_dir, &root)?;
    Ok(OpenRepository { repo, place, root })
}

/// Options that ignore the environment and includes, and read only the repository and the user's own configuration.
fn options() -> Options {
    let mut permissions = Permissions::all();
    permissions.config.includes = false;
    permissions.config.env = false;
    permissions.env = gix::open::permissions::Environment::isolated();
    (permissions.env.home, permissions.env.xdg_config_home) = (Permission::Allow, Permission::Allow);
    Options::default().permissions(permissions).lossy_config(true)
}

/// Settings that name files. In a repository's own configuration, these could be any files.
const FILE_SETTINGS: [&str; 2] = ["excludesFile", "attributesFile"];

/// Removes all settings that would run programs while reading, from every configuration file. Also removes settings
/// that name other files, but only from the repository's own configuration.
fn remove_programs(repo: &mut Repository) -> Result<()> {
    let mut config = repo.config_snapshot_mut();
    let armed: Vec<_> = config
        .sections_and_ids()
        .filter(|(section, _)| {
            let name = section.header().name().to_ascii_lowercase();
            // `diff.renames` is a setting, but `diff.NAME.command` runs a program.
            name == b"filter"[..] || (name == b"diff"[..] && section.header().subsection_name().is_some())
        })
        .map(|(_, id)| id)
        .collect();
    for id in armed {
        config.remove_section_by_id(id);
    }
    let own = |section: &SectionRef<'_>| matches!(section.meta().source, Source::Local | Source::Worktree);
    let own: Vec<_> = config
        .sections_and_ids_by_name("core")
        .into_iter()
        .flatten()
        .filter(|(section, _)| own(section))
        .map(|(_, id)| id)
        .collect();
    for id in own {
        let Some(mut section) = config.section_mut_by_id(id) else { continue };
        for name in FILE_SETTINGS {
            while section.remove(name).is_some() {}
        }
    }
    config.commit().map(drop).map_err(git_error)
}

/// Returns whether the path is a git folder or a file that names one. A folder must contain `HEAD`. Callers only check
/// paths named `.git`, so bare repositories are not detected.
fn is_repository(path: &Path) -> bool {
    path.is_file() || fs::symlink_metadata(path.join("HEAD")).is_ok()
}

/// Files of a git folder that the git library reads into memory as a whole.
const READ_WHOLE: [&str; 11] = [
    "HEAD",
    "config",
    "config.worktree",
    "index",
    "packed-refs",
    "shallow",
    "commondir",
    "gitdir",
    "info/exclude",
    "info/attributes",
    "objects/info/alternates",
];

/// Checks that each file of [`READ_WHOLE`] that exists is a regular file of limited size.
fn check_regular_files(folder: &Path) -> Result<()> {
    for name in READ_WHOLE {
        let path = folder.join(name);
        let Ok(found) = fs::metadata(&path) else { continue };
        if !found.is_file() {
            let strange = format!("the repository cannot be read: `{}` is not a regular file", path.display());
            return Err(Error::new(Kind::Unsupported, strange));
        }
        if found.len() > limits::REPOSITORY_FILE {
            let large = format!("`{}` is larger than {} MiB", path.display(), limits::REPOSITORY_FILE >> 20);
            return Err(Error::new(Kind::LimitExceeded, large));
        }
    }
    Ok(())
}

/// Creates the error for a path without a repository, with the repositories below the root as candidates.
fn no_repository_error(root: &Path, path: Option<&str>) -> Error {
    let about = path.filter(|path| !path.is_empty()).map_or_else(|| root.display().to_string(), str::to_owned);
    let below = fs::read_dir(root).into_iter().flatten().flatten().take(limits::DEFAULT_MATCHES * 100);
    let mut below: Vec<String> = below
        .filter(|entry| entry.path().join(".git").exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    below.sort();
    below.truncate(limits::DEFAULT_MATCHES);
    let error = Error::new(Kind::Unsupported, format!("`{about}` is not in a git repository"));
    if below.is_empty() {
        error.hint("`git init` creates one")
    } else {
        error.hint("set `path` to one of the repositories below the root").candidates(below)
    }
}
