//! Packages: `package.json`, the packages of a monorepo, and what `exports` and `imports` map to what.

use std::rc::Rc;

use marquetry_sdk::workspace::EntryKind;

use crate::program::resolution::json::Json;
use crate::program::resolution::paths;
use crate::program::resolution::tsconfig::capture;
use crate::program::resolution::workspace::Workspace;

/// Deeper nests of conditions are not followed.
const DEEPEST: usize = 8;

/// Globs that say where the packages of a monorepo are.
#[derive(Debug)]
pub(crate) struct Monorepo {
    /// Folders with a `package.json`.
    folders: Vec<String>,
}

/// `@scope/name/rest` as the package's name and the rest, which is empty for the package itself.
pub(crate) fn split_name(specifier: &str) -> (&str, &str) {
    let slash = |from: usize| specifier[from..].find('/').map(|at| at + from);
    let end = match slash(0) {
        Some(first) if specifier.starts_with('@') => slash(first + 1),
        other => other,
    };
    end.map_or((specifier, ""), |end| (&specifier[..end], &specifier[end + 1..]))
}

/// The folder of the package that a file in `folder` belongs to, and its `package.json`.
pub(crate) fn around(workspace: &Workspace, folder: &str) -> Option<(String, Rc<Json>)> {
    paths::ancestors(folder)
        .find_map(|folder| Some((folder.to_owned(), workspace.json(&paths::in_folder(folder, "package.json"))?)))
}

/// The folder of a package of this workspace that the specifier names, and the rest of the specifier.
pub(crate) fn member<'s>(workspace: &Workspace, folder: &str, specifier: &'s str) -> Option<(String, &'s str)> {
    let (name, rest) = split_name(specifier);
    let own = paths::ancestors(folder).find(|folder| {
        workspace.json(&paths::in_folder(folder, "package.json")).is_some_and(|json| json.text("name") == Some(name))
    });
    if let Some(own) = own {
        return Some((own.to_owned(), rest));
    }
    let found = paths::ancestors(folder).find_map(|root| workspaces(workspace, root)?.find(workspace, name))?;
    Some((found, rest))
}

/// The packages that the monorepo with this root consists of.
fn workspaces(workspace: &Workspace, root: &str) -> Option<Rc<Monorepo>> {
    if let Some(known) = workspace.workspaces.borrow().get(root) {
        return known.clone();
    }
    let found = globs(workspace, root).map(|globs| {
        let mut folders = Vec::new();
        for glob in globs.iter().filter(|glob| !glob.starts_with('!')) {
            expand(workspace, root, &glob.split('/').collect::<Vec<_>>(), &mut folders);
        }
        let left_out = |folder: &String| {
            let inside = paths::below(root, folder).unwrap_or(folder);
            globs.iter().filter_map(|glob| glob.strip_prefix('!')).any(|glob| paths::glob_matches(glob, inside))
        };
        folders.retain(|folder| !left_out(folder));
        Rc::new(Monorepo { folders })
    });
    workspace.workspaces.borrow_mut().insert(root.to_owned(), found.clone());
    found
}

fn globs(workspace: &Workspace, root: &str) -> Option<Vec<String>> {
    let pnpm = paths::in_folder(root, "pnpm-workspace.yaml");
    if workspace.is_file(&pnpm) {
        return workspace.read(&pnpm).map(|text| packages_of_yaml(&text));
    }
    let json = workspace.json(&paths::in_folder(root, "package.json"))?;
    let listed = json.get("workspaces")?;
    match listed {
        Json::Object(_) => listed.texts("packages"),
        _ => json.texts("workspaces"),
    }
}

/// The list `packages:` of `pnpm-workspace.yaml`, as block or flow list of plain or quoted texts.
fn packages_of_yaml(text: &str) -> Vec<String> {
    let unquoted = |item: &str| item.trim().trim_matches(['"', '\'']).to_owned();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("packages:"));
    let first = lines.next().unwrap_or_default();
    if let Some((_, list)) = first.split_once('[') {
        return list.split(']').next().unwrap_or_default().split(',').map(unquoted).collect();
    }
    let item =
        |line: &str| line.trim().strip_prefix("- ").map(|item| unquoted(item.split(" #").next().unwrap_or(item)));
    let in_list = |line: &&str| {
        let trimmed = line.trim();
        trimmed.is_empty() || trimmed.starts_with(['-', '#'])
    };
    lines.take_while(in_list).filter_map(item).collect()
}

fn expand(workspace: &Workspace, folder: &str, glob: &[&str], found: &mut Vec<String>) {
    let Some((first, rest)) = glob.split_first() else {
        if workspace.is_file(&paths::in_folder(folder, "package.json")) && !found.iter().any(|known| known == folder) {
            found.push(folder.to_owned());
        }
        return;
    };
    match *first {
        "" | "." => expand(workspace, folder, rest, found),
        "**" => {
            expand(workspace, folder, rest, found);
            for name in folders_in(workspace, folder) {
                expand(workspace, &paths::in_folder(folder, &name), glob, found);
            }
        }
        part if part.contains(['*', '?']) => {
            for name in folders_in(workspace, folder).iter().filter(|name| paths::glob_matches(part, name)) {
                expand(workspace, &paths::in_folder(folder, name), rest, found);
            }
        }
        part => expand(workspace, &paths::in_folder(folder, part), rest, found),
    }
}

fn folders_in(workspace: &Workspace, folder: &str) -> Vec<String> {
    let entries = workspace.entries(folder);
    let folders = entries.iter().filter(|entry| entry.kind == EntryKind::Directory).map(|entry| entry.name.clone());
    folders.filter(|name| !name.starts_with('.') && name != "node_modules").collect()
}

impl Monorepo {
    fn find(&self, workspace: &Workspace, name: &str) -> Option<String> {
        let last = paths::file_name(name);
        // A package mostly lies in a folder of its own name: ask there first.
        let likely = self.folders.iter().filter(|folder| paths::file_name(folder) == last);
        let others = self.folders.iter().filter(|folder| paths::file_name(folder) != last);
        likely.chain(others).find(|folder| workspace.package_is(folder, name)).cloned()
    }
}

impl Workspace {
    fn package_is(&self, folder: &str, name: &str) -> bool {
        let json = self.json(&paths::in_folder(folder, "package.json"));
        json.is_some_and(|json| json.text("name") == Some(name))
    }
}

/// One line of `exports` or `imports`: a subpath pattern, and the targets it may lead to, as written and in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// `.`, `./x`, `./x/*` or `#x`.
    pub(crate) subpath: String,
    pub(crate) targets: Vec<String>,
}

/// The entries of `exports`; nothing when the package does not restrict what can be imported.
pub(crate) fn exports(json: &Json) -> Option<Vec<Entry>> {
    let exports = json.get("exports")?;
    let subpaths = exports.entries().iter().any(|(key, _)| key.starts_with('.'));
    if !subpaths {
        return Some(vec![Entry { subpath: ".".to_owned(), targets: targets(exports) }]);
    }
    Some(entries(exports))
}

/// The entries of `imports`.
pub(crate) fn imports(json: &Json) -> Vec<Entry> {
    json.get("imports").map(entries).unwrap_or_default()
}

fn entries(map: &Json) -> Vec<Entry> {
    let entry = |(subpath, to): &(String, Json)| Entry { subpath: subpath.clone(), targets: targets(to) };
    map.entries().iter().map(entry).collect()
}

/// All targets below conditions. Conditions that name the source come first: that is what is edited here.
fn targets(value: &Json) -> Vec<String> {
    fn collect(value: &Json, depth: usize, found: &mut Vec<String>) {
        match value {
            Json::Text(text) if !found.contains(text) => found.push(text.clone()),
            Json::List(items) if depth < DEEPEST => items.iter().for_each(|item| collect(item, depth + 1, found)),
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

/// The entry that a subpath falls under, and what its `*` stands for: exact ones first, then the longest prefix.
pub(crate) fn matching<'e, 's>(entries: &'e [Entry], subpath: &'s str) -> Option<(&'e Entry, &'s str)> {
    if let Some(exact) = entries.iter().find(|entry| entry.subpath == subpath && !subpath.contains('*')) {
        return Some((exact, ""));
    }
    let prefix = |entry: &Entry| entry.subpath.find('*').unwrap_or(entry.subpath.len());
    let matches = entries.iter().filter_map(|entry| Some((entry, pattern_capture(entry, subpath)?)));
    matches.max_by_key(|(entry, _)| prefix(entry))
}

fn pattern_capture<'s>(entry: &Entry, subpath: &'s str) -> Option<&'s str> {
    // `./features/` is the old way to write `./features/*`.
    if entry.subpath.ends_with('/') { subpath.strip_prefix(&entry.subpath) } else { capture(&entry.subpath, subpath) }
}

/// The file or folder that a package means when nothing follows its name and it has no `exports`.
pub(crate) fn main_entries(json: &Json) -> impl Iterator<Item = &str> {
    ["source", "types", "typings", "module", "main"].into_iter().filter_map(|key| json.text(key))
}

/// Places where the source of a built file may be: the path itself, then with the output folder replaced.
pub(crate) fn source_patterns(workspace: &Workspace, package: &str, target: &str) -> Vec<String> {
    let before = workspace.before(package).unwrap_or_else(|| package.to_owned());
    let Some(path) = paths::join(&before, target) else { return Vec::new() };
    let mut found = vec![path.clone()];
    let config = crate::program::resolution::tsconfig::ruling(workspace, &paths::in_folder(package, "package.json"));
    if let Some(config) = config
        && let Some(out) = &config.out_dir
        && let Some(rest) = paths::below(out, &path)
    {
        let roots = [config.root_dir.clone().unwrap_or_else(|| paths::in_folder(&before, "src")), before.clone()];
        found.extend(roots.iter().map(|root| paths::in_folder(root, rest)));
    }
    let inside = paths::below(&before, &path).unwrap_or(&path).to_owned();
    let mut rest = inside.as_str();
    while let Some((folder, below)) = rest.split_once('/') {
        if !matches!(folder, "dist" | "lib" | "build" | "out" | "esm" | "cjs" | "types" | "es" | "_esm" | "_cjs") {
            break;
        }
        rest = below;
        found.push(paths::in_folder(&before, &format!("src/{rest}")));
        found.push(paths::in_folder(&before, rest));
    }
    let mut found: Vec<String> = found.into_iter().map(|path| workspace.later(path)).collect();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_names() {
        assert_eq!(split_name("a"), ("a", ""));
        assert_eq!(split_name("a/b/c"), ("a", "b/c"));
        assert_eq!(split_name("@a/b"), ("@a/b", ""));
        assert_eq!(split_name("@a/b/c/d"), ("@a/b", "c/d"));
        assert_eq!(split_name("@a"), ("@a", ""));
    }

    #[test]
    fn reads_the_list_of_pnpm() {
        assert_eq!(packages_of_yaml("packages:\n  - 'a/*' # c\n\n  # c\n  - b\ncatalog:\n  - c"), ["a/*", "b"]);
        assert_eq!(packages_of_yaml("packages: [\"a\", 'b/*']"), ["a", "b/*"]);
        assert_eq!(packages_of_yaml("other: 1"), Vec::<String>::new());
    }

    #[test]
    fn chooses_the_entry() {
        let json = Json::parse(
            r#"{"exports": {".": "./i.js", "./*": "./all/*", "./a/*": {"types": "./t/*.d.ts", "import": "./a/*.js"},
                "./a/b": null, "./old/": "./old/"}}"#,
        );
        let entries = exports(&json).expect("has exports");
        let find = |subpath| matching(&entries, subpath).map(|(entry, star)| (entry.subpath.as_str(), star));
        assert_eq!(find("."), Some((".", "")));
        assert_eq!(find("./a/x/y"), Some(("./a/*", "x/y")));
        assert_eq!(find("./old/z"), Some(("./old/", "z")));
        assert_eq!(find("./a/b"), Some(("./a/b", "")));
        assert_eq!(matching(&entries, "./a/x").map(|(entry, _)| entry.targets.len()), Some(2));
        let single = exports(&Json::parse(r#"{"exports": {"import": "./m.js"}}"#)).expect("has exports");
        assert_eq!(single[0].subpath, ".");
    }
}
