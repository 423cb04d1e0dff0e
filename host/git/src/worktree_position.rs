//! Position of a working tree relative to a root: the same folder, above it, or below it. Files of any other working
//! tree are not accessible.

use std::path::{Component, Path, PathBuf};

use marquetry_model::{Error, Kind, Result};

/// A working tree and a root. Both are canonical paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorktreePosition {
    /// The root is in the working tree, at this relative path without a trailing `/`; empty if they are the same
    /// folder.
    Above(String),
    /// The working tree is below the root, at this relative path.
    Below(String),
}

impl WorktreePosition {
    pub(crate) fn new(folder: &Path, root: &Path) -> Result<WorktreePosition> {
        if let Ok(inner) = root.strip_prefix(folder) {
            return Ok(WorktreePosition::Above(utf8_text(inner)?));
        }
        if let Ok(inner) = folder.strip_prefix(root) {
            return Ok(WorktreePosition::Below(utf8_text(inner)?));
        }
        let elsewhere = format!("the repository of `{}` is checked out elsewhere", root.display());
        Err(Error::new(Kind::OutsideWorkspace, elsewhere).hint("`core.worktree` in its configuration says where"))
    }

    /// Converts a path relative to the root to one relative to the working tree.
    pub(crate) fn to_worktree_path(&self, path: &str) -> Option<String> {
        match self {
            WorktreePosition::Above(prefix) => Some(join_paths(prefix, path)),
            WorktreePosition::Below(folder) => stripped(path, folder),
        }
    }

    /// Converts a path relative to the working tree to one relative to the root.
    pub(crate) fn to_root_path(&self, path: &str) -> Option<String> {
        match self {
            WorktreePosition::Above(prefix) => stripped(path, prefix),
            WorktreePosition::Below(folder) => Some(join_paths(folder, path)),
        }
    }

    /// Returns the path of the working tree relative to the root.
    pub(crate) fn folder(&self) -> String {
        match self {
            WorktreePosition::Above(prefix) => {
                let levels = prefix.split('/').filter(|part| !part.is_empty()).count();
                vec![".."; levels].join("/")
            }
            WorktreePosition::Below(folder) => folder.clone(),
        }
    }
}

fn join_paths(folder: &str, path: &str) -> String {
    match (folder.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{path}"),
    }
}

fn stripped(path: &str, folder: &str) -> Option<String> {
    if folder.is_empty() || path == folder {
        return Some(if folder.is_empty() { path.to_owned() } else { String::new() });
    }
    Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned())
}

fn utf8_text(path: &Path) -> Result<String> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_str()),
        _ => None,
    });
    let parts: Option<Vec<&str>> = parts.collect();
    parts
        .map(|parts| parts.join("/"))
        .ok_or_else(|| Error::new(Kind::Unsupported, format!("`{}` is not UTF-8", path.display())))
}

/// Resolves symbolic links in the parents of a path below a root. Returns the deepest existing folder, and the path
/// itself. The last component is not resolved, as a link is an entry of its repository.
pub(crate) fn resolve_parents(root: &Path, path: &str) -> Result<(PathBuf, PathBuf)> {
    let named = root.join(path);
    let (mut folder, mut rest) = (named.as_path(), Vec::new());
    while !folder.is_dir() || (rest.is_empty() && folder.is_symlink()) {
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
            return Err(Error::new(Kind::FileNotFound, format!("`{path}` does not exist")));
        };
        rest.push(name.to_owned());
        folder = parent;
    }
    let real = folder.canonicalize().map_err(|error| Error::new(Kind::FileNotFound, format!("`{path}`: {error}")))?;
    if !real.starts_with(root) {
        return Err(Error::new(Kind::OutsideWorkspace, format!("`{path}` is outside the root")));
    }
    let whole = rest.iter().rev().fold(real.clone(), |whole, part| whole.join(part));
    Ok((real, whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_convert_between_root_and_repository() {
        let at = |folder: &str, root: &str| WorktreePosition::new(Path::new(folder), Path::new(root));
        for (folder, root, path, inside, shown) in [
            ("/a", "/a", "b/c", "b/c", ""),
            ("/a", "/a/b/c", "d", "b/c/d", "../.."),
            ("/a/b", "/a", "b/c", "c", "b"),
            ("/a/b", "/a", "b", "", "b"),
        ] {
            let place = at(folder, root).expect("one of the two folders contains the other");
            assert_eq!(place.to_worktree_path(path).as_deref(), Some(inside), "{folder} from {root}");
            assert_eq!(place.to_root_path(inside).as_deref(), Some(path), "{folder} from {root}");
            assert_eq!(place.folder(), shown);
        }
        assert_eq!(at("/a", "/a/b").expect("above").to_root_path("c"), None);
        assert_eq!(at("/a", "/a/b").expect("above").to_root_path("bc/d"), None);
        assert_eq!(at("/a/b", "/a").expect("below").to_worktree_path("c"), None);
        assert_eq!(at("/a/b", "/c").expect_err("elsewhere").kind(), Kind::OutsideWorkspace);
    }

    #[test]
    fn missing_path_belongs_to_its_nearest_existing_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("real");
        std::fs::create_dir_all(root.join("a/b")).expect("made");
        std::fs::write(root.join("a/f"), "").expect("written");
        for (path, real_folder, whole) in [
            ("", "", ""),
            ("a", "a", "a"),
            ("a/f", "a", "a/f"),
            ("a/b/gone/f", "a/b", "a/b/gone/f"),
            ("gone", "", "gone"),
        ] {
            let expected = (root.join(real_folder), root.join(whole));
            assert_eq!(resolve_parents(&root, path).expect("below"), expected, "{path}");
        }
        std::os::unix::fs::symlink("/", root.join("out")).expect("linked");
        assert_eq!(resolve_parents(&root, "out").expect("the link itself").1, root.join("out"));
        assert_eq!(resolve_parents(&root, "out/etc").expect_err("outside").kind(), Kind::OutsideWorkspace);
    }
}
