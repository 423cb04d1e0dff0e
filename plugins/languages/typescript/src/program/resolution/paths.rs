//! Paths within the workspace: relative to its root, parts joined by `/`, the root itself empty.

use marquetry_sdk::paths::part_matches;
pub(crate) use marquetry_sdk::paths::{below, file_name, folder as parent, join};

/// How to get from a folder to a path: `./a`, `../b`, `.` or `..`.
pub(crate) fn relative(folder: &str, path: &str) -> String {
    let way = marquetry_sdk::paths::relative(folder, path);
    if is_relative(&way) { way } else { format!("./{way}") }
}

/// The same to a file whose name is written without its extension: a folder of that name is not the file.
pub(crate) fn relative_file(folder: &str, path: &str) -> String {
    let way = marquetry_sdk::paths::relative_file(folder, path);
    if is_relative(&way) { way } else { format!("./{way}") }
}

/// Whether a relative path leaves its folder and enters it again: `../src/x` in `src`.
pub(crate) fn is_detour(folder: &str, path: &str) -> bool {
    let (mut at, mut rest, mut left) = (folder, path.trim_start_matches("./"), None);
    while let Some(next) = rest.strip_prefix("../").filter(|_| !at.is_empty()) {
        (left, at, rest) = (Some(file_name(at)), parent(at), next);
    }
    // A file beside its folder of the same name is reached so: `../cli`.
    left.and_then(|left| rest.strip_prefix(left)).is_some_and(|below| below.starts_with('/'))
}

/// The folder and all folders around it, from the inside out; the root is the last.
pub(crate) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let current = next?;
        next = (!current.is_empty()).then(|| parent(current));
        Some(current)
    })
}

/// `folder/name`, or `name` in the root.
pub(crate) fn in_folder(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether a specifier is relative to the file it stands in.
pub(crate) fn is_relative(specifier: &str) -> bool {
    matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../")
}

/// Whether a path matches a glob as `tsconfig.json` and workspaces use them: `*`, `?` and `**`.
/// A glob without wildcards in its last part also matches everything below.
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

/// What the `*` of a pattern stands for in a text.
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
    fn joins_and_relates() {
        assert_eq!(relative("a/b", "a/c/d"), "../c/d");
        assert_eq!(relative("a", "a/c"), "./c");
        assert_eq!(relative("a", "a"), ".");
        assert_eq!(relative("a/b", "a"), "..");
        assert!(is_detour("src", "../src/x") && is_detour("a/b", "../../a/b/x"));
        assert!(!is_detour("src/cli", "../cli") && !is_detour("src", "../lib/x") && !is_detour("", "./x"));
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
    }

    #[test]
    fn matches_globs() {
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
