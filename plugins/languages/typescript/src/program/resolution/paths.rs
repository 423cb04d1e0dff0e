//! Paths in the workspace: relative to its root, with `/` as the separator. The root itself is empty.

use marquetry_sdk::paths::part_matches;
pub(crate) use marquetry_sdk::paths::{file_name, folder as parent, join, relative_to};

/// Returns the relative path from a folder to a path: `./a`, `../b`, `.` or `..`.
pub(crate) fn relative(folder: &str, path: &str) -> String {
    let way = marquetry_sdk::paths::relative(folder, path);
    if is_relative(&way) { way } else { format!("./{way}") }
}

/// Like `relative`, for a file whose name is written without its extension: a folder with that name is not the file.
pub(crate) fn relative_file(folder: &str, path: &str) -> String {
    let way = marquetry_sdk::paths::relative_file(folder, path);
    if is_relative(&way) { way } else { format!("./{way}") }
}

/// Returns whether a relative path leaves its folder and enters it again: `../src/x` in `src`.
pub(crate) fn is_detour(folder: &str, path: &str) -> bool {
    let (mut at, mut rest, mut left) = (folder, path.trim_start_matches("./"), None);
    while let Some(next) = rest.strip_prefix("../").filter(|_| !at.is_empty()) {
        (left, at, rest) = (Some(file_name(at)), parent(at), next);
    }
    // A file beside a folder with the same name is referenced like this: `../cli`.
    left.and_then(|left| rest.strip_prefix(left)).is_some_and(|below| below.starts_with('/'))
}

/// Yields the folder and all its parent folders, from the inside out; the root is last.
pub(crate) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let current = next?;
        next = (!current.is_empty()).then(|| parent(current));
        Some(current)
    })
}

/// Returns `folder/name`, or `name` in the root.
pub(crate) fn join_path(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns whether a specifier is relative to the file that contains it.
pub(crate) fn is_relative(specifier: &str) -> bool {
    matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../")
}

/// Returns whether a path matches a glob as in `tsconfig.json` and workspaces: `*`, `?` and `**`. If the last part of
/// the glob is a plain folder name, everything below it matches too.
pub(crate) fn glob_matches(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let path: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let folder = glob.last().is_none_or(|last| !last.contains(['*', '?']) && !last.contains('.'));
    parts_match(&glob, &path, folder)
}

fn parts_match(glob: &[&str], path: &[&str], open: bool) -> bool {
    match (glob.split_first(), path.split_first()) {
        (None, None) => true,
        (None, Some(_)) => open,
        (Some((&"**", rest)), _) => {
            rest.is_empty() || (0..=path.len()).any(|skip| parts_match(rest, &path[skip..], open))
        }
        (Some((first, rest)), Some((name, names))) => part_matches(first, name) && parts_match(rest, names, open),
        (Some(_), None) => false,
    }
}

/// Returns the text that the `*` of a pattern matches.
pub(crate) fn capture<'s>(pattern: &str, text: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        None => (pattern == text).then_some(""),
        Some((before, after)) if text.len() >= before.len() + after.len() => {
            text.strip_prefix(before)?.strip_suffix(after)
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_and_relative_paths() {
        assert_eq!(relative("a/b", "a/c/d"), "../c/d");
        assert_eq!(relative("a", "a/c"), "./c");
        assert_eq!(relative("a", "a"), ".");
        assert_eq!(relative("a/b", "a"), "..");
        assert!(is_detour("src", "../src/x") && is_detour("a/b", "../../a/b/x"));
        assert!(!is_detour("src/cli", "../cli") && !is_detour("src", "../lib/x") && !is_detour("", "./x"));
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
    }

    #[test]
    fn globs_match_paths() {
        assert!(glob_matches("src/**/*", "src/a/b.ts"));
        assert!(glob_matches("src", "src/a/b.ts"));
        assert!(glob_matches("**/*.test.ts", "a.test.ts"));
        assert!(glob_matches("packages/*", "packages/a"));
        assert!(!glob_matches("packages/*", "packages/a/b"));
        assert!(!glob_matches("src/*.ts", "src/a.tsx"));
        assert!(!glob_matches("src/a.ts", "src/a.ts/b"));
        let many = "*a".repeat(30);
        assert!(!glob_matches(&many, &"a".repeat(29)));
    }
}
