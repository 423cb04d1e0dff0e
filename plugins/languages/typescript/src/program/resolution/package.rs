//! Files of a package according to `package.json`: `exports`, `imports` and entry points, and their sources.

use crate::program::resolution::json::Json;
use crate::program::resolution::paths;
use crate::program::resolution::tsconfig;
use crate::program::resolution::workspace::Workspace;

/// Maximum depth of nested conditions.
const DEEPEST: usize = 8;

/// An entry of `exports` or `imports`: a subpath pattern and its targets, as written and in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// `.`, `./x`, `./x/*` or `#x`.
    pub(crate) subpath: String,
    pub(crate) targets: Vec<String>,
}

/// Returns the entries of `exports`; `None` if the package does not restrict what can be imported.
pub(crate) fn export_entries(json: &Json) -> Option<Vec<Entry>> {
    let exports = json.get("exports")?;
    let subpaths = exports.entries().iter().any(|(key, _)| key.starts_with('.'));
    if !subpaths {
        return Some(vec![Entry { subpath: ".".to_owned(), targets: condition_targets(exports) }]);
    }
    Some(map_entries(exports))
}

/// Returns the entries of `imports`.
pub(crate) fn import_entries(json: &Json) -> Vec<Entry> {
    json.get("imports").map(map_entries).unwrap_or_default()
}

fn map_entries(map: &Json) -> Vec<Entry> {
    let entry = |(subpath, to): &(String, Json)| Entry { subpath: subpath.clone(), targets: condition_targets(to) };
    map.entries().iter().map(entry).collect()
}

/// Returns all targets under conditions. Conditions that name the source come first, because the source is what users
/// edit.
fn condition_targets(value: &Json) -> Vec<String> {
    fn collect(value: &Json, depth: usize, found: &mut Vec<String>) {
        match value {
            Json::String(text) if !found.contains(text) => found.push(text.clone()),
            Json::Array(items) if depth < DEEPEST => items.iter().for_each(|item| collect(item, depth + 1, found)),
            Json::Object(conditions) if depth < DEEPEST => {
                let source = |key: &str| matches!(key, "source" | "development") || key.starts_with('@');
                let sources = conditions.iter().filter(|(key, _)| source(key));
                let others = conditions.iter().filter(|(key, _)| !source(key));
                sources.chain(others).for_each(|(_, value)| collect(value, depth + 1, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(value, 0, &mut found);
    found
}

/// Returns the entry that matches a subpath, and the text that its `*` matches. Exact entries come first, then the
/// longest prefix.
pub(crate) fn matching_entry<'e, 's>(entries: &'e [Entry], subpath: &'s str) -> Option<(&'e Entry, &'s str)> {
    if let Some(exact) = entries.iter().find(|entry| entry.subpath == subpath && !subpath.contains('*')) {
        return Some((exact, ""));
    }
    let prefix = |entry: &Entry| entry.subpath.find('*').unwrap_or(entry.subpath.len());
    let matches = entries.iter().filter_map(|entry| Some((entry, pattern_capture(entry, subpath)?)));
    matches.max_by_key(|(entry, _)| prefix(entry))
}

fn pattern_capture<'s>(entry: &Entry, subpath: &'s str) -> Option<&'s str> {
    // `./features/` is the old form of `./features/*`.
    if entry.subpath.ends_with('/') {
        subpath.strip_prefix(&entry.subpath)
    } else {
        paths::capture(&entry.subpath, subpath)
    }
}

/// Returns the entry points of a package without `exports`, in order of preference.
pub(crate) fn main_entries(json: &Json) -> impl Iterator<Item = &str> {
    ["source", "types", "typings", "module", "main"].into_iter().filter_map(|key| json.text_of(key))
}

/// Returns paths at which the source of a built file may be: the path itself, then with the output folder replaced.
pub(crate) fn source_patterns(workspace: &Workspace, package: &str, target: &str) -> Vec<String> {
    let before = workspace.path_before_moves(package).unwrap_or_else(|| package.to_owned());
    let Some(path) = paths::join(&before, target) else { return Vec::new() };
    let mut found = vec![path.clone()];
    let config = tsconfig::config_for(workspace, &paths::join_path(package, "package.json"));
    if let Some(config) = config
        && let Some(out) = &config.out_dir
        && let Some(rest) = paths::relative_to(out, &path)
    {
        let roots = [config.root_dir.clone().unwrap_or_else(|| paths::join_path(&before, "src")), before.clone()];
        found.extend(roots.iter().map(|root| paths::join_path(root, rest)));
    }
    let inside = paths::relative_to(&before, &path).unwrap_or(&path).to_owned();
    let mut rest = inside.as_str();
    while let Some((folder, below)) = rest.split_once('/') {
        if !matches!(folder, "dist" | "lib" | "build" | "out" | "esm" | "cjs" | "types" | "es" | "_esm" | "_cjs") {
            break;
        }
        rest = below;
        found.push(paths::join_path(&before, &format!("src/{rest}")));
        found.push(paths::join_path(&before, rest));
    }
    let mut found: Vec<String> = found.into_iter().map(|path| workspace.path_after_moves(path)).collect();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_select_the_entry_file() {
        let json = Json::parse(
            r#"{"exports": {".": "./i.js", "./*": "./all/*", "./a/*": {"types": "./t/*.d.ts", "import": "./a/*.js"},
                "./a/b": null, "./old/": "./old/"}}"#,
        );
        let entries = export_entries(&json).expect("has exports");
        let find = |subpath| matching_entry(&entries, subpath).map(|(entry, star)| (entry.subpath.as_str(), star));
        assert_eq!(find("."), Some((".", "")));
        assert_eq!(find("./a/x/y"), Some(("./a/*", "x/y")));
        assert_eq!(find("./old/z"), Some(("./old/", "z")));
        assert_eq!(find("./a/b"), Some(("./a/b", "")));
        assert_eq!(matching_entry(&entries, "./a/x").map(|(entry, _)| entry.targets.len()), Some(2));
        let single = export_entries(&Json::parse(r#"{"exports": {"import": "./m.js"}}"#)).expect("has exports");
        assert_eq!(single[0].subpath, ".");
    }
}
