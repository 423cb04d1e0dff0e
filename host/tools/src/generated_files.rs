//! Files that programs write and that are not edited by hand: installed packages, lock files, snapshots, source maps
//! and build output. Occurrences of a name in these files are never listed as occurrences that may need an edit.

/// Folders with installed packages.
const INSTALLED: [&str; 4] = ["node_modules", "bower_components", "site-packages", ".yarn"];

/// Folders with build output.
const BUILT: [&str; 8] =
    ["__snapshots__", "__pycache__", "dist", "coverage", ".next", ".nuxt", ".svelte-kit", ".turbo"];

/// Lock files whose names do not end with `.lock`.
const LOCKS: [&str; 3] = ["bun.lockb", "gradle.lockfile", "go.sum"];

/// Names of lock files without their extension.
const LOCK_STEMS: [&str; 4] = ["package-lock", "npm-shrinkwrap", "pnpm-lock", "packages.lock"];

/// Suffixes of snapshots, source maps, logs and minified files.
const ENDS: [&str; 9] =
    [".lock", ".snap", ".map", ".min.js", ".min.css", ".min.mjs", ".bundle.js", ".tsbuildinfo", ".log"];

/// Reports whether a path, relative to the root, names a generated file.
pub(crate) fn is_generated(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    LOCKS.contains(&name)
        || LOCK_STEMS.contains(&stem)
        || ENDS.iter().any(|end| name.ends_with(end))
        || folders.split('/').any(|folder| BUILT.contains(&folder) || INSTALLED.contains(&folder))
}

/// Reports whether a path, relative to the root, is in a folder with installed packages.
pub(crate) fn is_installed(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(|folder| INSTALLED.contains(&folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_recognized_by_path() {
        for path in [
            "node_modules/a/index.d.ts",
            "packages/a/node_modules/b/x.js",
            "yarn.lock",
            "sub/Cargo.lock",
            "package-lock.json",
            "go.sum",
            "sub/npm-shrinkwrap.json",
            "test/__snapshots__/a.test.ts.snap",
            "a.snap",
            "lib/a.js.map",
            "dist/index.js",
            "public/app.min.js",
        ] {
            assert!(is_generated(path), "{path}");
        }
        for path in
            ["src/a.ts", "src/distance.ts", "lock.ts", "map.ts", "src/snap/a.ts", "go.mod", "README.md", "dist.ts"]
        {
            assert!(!is_generated(path), "{path}");
        }
        for path in ["node_modules/a/dist/index.d.ts", ".venv/lib/site-packages/a/b.py"] {
            assert!(is_installed(path) && is_generated(path), "{path}");
        }
        for path in ["dist/index.js", "src/a.ts", "node_modules"] {
            assert!(!is_installed(path), "{path}");
        }
    }
}
