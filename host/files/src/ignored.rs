//! Checks whether ignore files exclude a path, which need not exist: build output is not part of a workspace.

use std::path::Path;

use ignore::{Match, gitignore::GitignoreBuilder};

use crate::walk::is_inside_repository;

/// Ignore files that a walk applies; later ones take precedence.
const RULES: [&str; 2] = [".gitignore", ".ignore"];

/// Returns whether a path below the root, or one of its parent folders, is ignored. Rules of the nearest folder take
/// precedence.
pub(crate) fn is_ignored(root: &Path, path: &str) -> bool {
    let target = root.join(path);
    let folders = target.ancestors().skip(1);
    let inside = is_inside_repository(root);
    for folder in folders.take_while(|folder| inside || folder.starts_with(root)) {
        for rules in RULES.into_iter().rev() {
            let file = folder.join(rules);
            if !file.is_file() {
                continue;
            }
            let mut builder = GitignoreBuilder::new(folder);
            // Unreadable rules exclude nothing, as in a walk.
            let _ = builder.add(&file);
            let Ok(known) = builder.build() else { continue };
            match known.matched_path_or_any_parents(&target, false) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
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
    fn what_a_build_makes_is_ignored() {
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
}
