//! Checks whether ignore files exclude a path, because ignored build output is not part of a workspace. The path need
//! not exist.

use std::path::Path;

use ignore::{Match, gitignore::GitignoreBuilder};

use crate::walk::is_inside_repository;

/// Ignore files that a walk applies; later ones take precedence.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// Returns whether a path below the root, or one of its parent folders, is ignored. Rules of the nearest folder take
/// precedence.
pub(crate) fn is_ignored(root: &Path, path: &str) -> bool {
    let target = root.join(path);
    let folders = target.ancestors().skip(1);
    let inside = is_inside_repository(root);
    for folder in folders.take_while(|folder| inside || folder.starts_with(root)) {
        for rules in IGNORE_FILES.into_iter().rev() {
            let file = folder.join(rules);
            if !file.is_file() {
                continue;
            }
            let mut builder = GitignoreBuilder::new(folder);
            // Unreadable rules exclude nothing, as in a walk.
            let _ = builder.add(&file);
            let Ok(known) = builder.build() else { continue };
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

#[cfg(test)]
mod tests {
    use super::*;

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
