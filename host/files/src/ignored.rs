//! Checks whether ignore files exclude a path, because ignored build output is not part of a workspace. The path need
//! not exist.
//!
//! An ignore file that is a symbolic link has no effect, as in git: its rules may be outside of the root, and the
//! author of a project could use them to hide files.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// Ignore files that a walk applies; later ones take precedence.
pub(crate) const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// Returns whether the root is below the top of a repository.
pub(crate) fn is_inside_repository(root: &Path) -> bool {
    !root.join(".git").exists() && root.ancestors().skip(1).any(|above| above.join(".git").exists())
}

/// Returns whether a path below the root, or one of its parent folders, is ignored. Rules of the nearest folder take
/// precedence.
pub(crate) fn is_ignored(root: &Path, path: &str) -> bool {
    let target = root.join(path);
    let folders = target.ancestors().skip(1);
    let inside = is_inside_repository(root);
    for folder in folders.take_while(|folder| inside || folder.starts_with(root)) {
        for known in folder_rules(folder) {
            // Rules above the root apply to files in the root, but not to the root itself: a project may be in a folder
            // that an outer repository ignores.
            let below = target.ancestors().take_while(|path| *path != root && *path != folder);
            let mut verdicts = below.map(|path| known.matched(path, path != target));
            match verdicts.find(|verdict| !verdict.is_none()) {
                Some(Match::Ignore(_)) => return true,
                Some(Match::Whitelist(_)) => return false,
                Some(Match::None) | None => {}
            }
        }
        if inside && folder.join(".git").exists() {
            break;
        }
    }
    false
}

/// Returns the rules of a folder; those of the first file take precedence.
fn folder_rules(folder: &Path) -> Vec<Gitignore> {
    let files = IGNORE_FILES.into_iter().rev().map(|name| folder.join(name));
    let is_regular = |file: &PathBuf| fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file());
    let rules = files.filter(is_regular).map(|file| {
        let mut builder = GitignoreBuilder::new(folder);
        // Unreadable rules exclude nothing, as in a walk.
        let _ = builder.add(&file);
        builder.build()
    });
    rules.flatten().collect()
}

/// Returns whether an ignore file of the folder is a symbolic link.
pub(crate) fn has_linked_rules(folder: &Path) -> bool {
    let is_link = |name| fs::symlink_metadata(folder.join(name)).is_ok_and(|metadata| metadata.is_symlink());
    IGNORE_FILES.into_iter().any(is_link)
}

/// Returns whether an ignore file above the root, up to the top of its repository, is a symbolic link.
pub(crate) fn has_linked_rules_above(root: &Path) -> bool {
    is_inside_repository(root) && folders_above(root).any(has_linked_rules)
}

/// Returns the folders above the root, up to the top of its repository.
fn folders_above(root: &Path) -> impl Iterator<Item = &Path> {
    let mut is_below_top = true;
    root.ancestors().skip(1).take_while(move |folder| {
        let is_inside = is_below_top;
        is_below_top &= !folder.join(".git").exists();
        is_inside
    })
}

/// Ignore rules of a walk that reads the ignore files itself, because some of them are symbolic links.
pub(crate) struct WalkRules {
    root: PathBuf,
    /// Folders above the root whose rules apply.
    above: Vec<PathBuf>,
    known: Mutex<HashMap<PathBuf, Arc<Vec<Gitignore>>>>,
}

impl WalkRules {
    pub(crate) fn new(root: &Path) -> WalkRules {
        let above = if is_inside_repository(root) { folders_above(root).map(Path::to_owned).collect() } else { vec![] };
        WalkRules { root: root.to_owned(), above, known: Mutex::default() }
    }

    /// Returns whether an entry below the root is ignored. The folders above it are not.
    pub(crate) fn is_ignored(&self, path: &Path, is_folder: bool) -> bool {
        let inside = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.root));
        for folder in inside.chain(self.above.iter().map(PathBuf::as_path)) {
            let rules = self.rules_of(folder);
            match rules.iter().map(|rules| rules.matched(path, is_folder)).find(|verdict| !verdict.is_none()) {
                Some(Match::Ignore(_)) => return true,
                Some(Match::Whitelist(_)) => return false,
                Some(Match::None) | None => {}
            }
        }
        false
    }

    fn rules_of(&self, folder: &Path) -> Arc<Vec<Gitignore>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.get(folder) {
            return Arc::clone(rules);
        }
        let rules = Arc::new(folder_rules(folder));
        known.insert(folder.to_owned(), Arc::clone(&rules));
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn linked_ignore_files_have_no_effect() {
        let root = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| std::fs::write(root.path().join(path), text).expect("written");
        write("rules", "*.md\n");
        for name in IGNORE_FILES {
            let link = root.path().join(name);
            std::os::unix::fs::symlink("rules", &link).expect("linked");
            assert!(has_linked_rules(root.path()), "{name}");
            let rules = WalkRules::new(root.path());
            assert!(!is_ignored(root.path(), "a.md") && !rules.is_ignored(&root.path().join("a.md"), false), "{name}");
            std::fs::remove_file(link).expect("removed");
            write(name, "*.md\n!kept.md\nout/\n");
            assert!(!has_linked_rules(root.path()), "{name}");
            let rules = WalkRules::new(root.path());
            for (path, is_folder, expected) in
                [("a.md", false, true), ("sub/a.md", false, true), ("kept.md", false, false), ("out", true, true)]
            {
                assert_eq!(rules.is_ignored(&root.path().join(path), is_folder), expected, "{name}: {path}");
            }
            std::fs::remove_file(root.path().join(name)).expect("removed");
        }
    }

    #[test]
    fn ignored_build_output_is_detected() {
        let root = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
            std::fs::write(path, text).expect("the file is written");
        };
        write(".gitignore", "dist/\n*.log\n/only\n");
        write("sub/.ignore", "made.ts\n!kept.log\n");
        let ignored = |path: &str| is_ignored(root.path(), path);
        assert!(ignored("dist/index.js") && ignored("sub/dist/a/b.js") && ignored("a.log") && ignored("only"));
        assert!(ignored("sub/made.ts") && !ignored("made.ts"));
        assert!(!ignored("sub/kept.log") && !ignored("src/index.ts") && !ignored("sub/only"));
    }

    #[test]
    fn root_in_an_ignored_folder_is_not_ignored() {
        let outer = tempfile::tempdir().expect("a folder");
        let root = outer.path().join("out/project");
        std::fs::create_dir_all(outer.path().join(".git")).expect("a repository");
        std::fs::create_dir_all(root.join("src")).expect("a project");
        std::fs::write(outer.path().join(".gitignore"), "out/\n*.log\n").expect("rules");
        std::fs::write(root.join(".gitignore"), "dist/\n").expect("rules");
        assert!(!is_ignored(&root, "src/a.ts") && !is_ignored(&root, "src/none"));
        assert!(is_ignored(&root, "dist/a.js") && is_ignored(&root, "src/a.log"));
    }
}
