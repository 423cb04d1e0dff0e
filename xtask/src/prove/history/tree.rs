//! The files of one tree, and resolution of the paths that are written in them.
//!
//! The resolution shares no code with the packs, and it resolves fewer paths than they do. Paths that it cannot resolve
//! are not judged.

use std::collections::{BTreeMap, BTreeSet};

use super::module_names::language;

/// Endings that a path may omit, in the order in which they are tried.
const OPTIONAL_ENDINGS: [&str; 23] = [
    "",
    ".ts",
    ".tsx",
    ".d.ts",
    ".js",
    ".jsx",
    ".mjs",
    ".mts",
    ".cjs",
    ".cts",
    ".vue",
    ".svelte",
    ".json",
    ".md",
    "/index.ts",
    "/index.tsx",
    "/index.js",
    "/index.d.ts",
    "/index.mjs",
    "/index.jsx",
    "/index.mts",
    "/index.vue",
    "/index.svelte",
];

/// Extensions in an import path, and the extensions that the imported source file may have instead.
const COMPILED: [(&str, &str); 6] =
    [(".js", ".ts"), (".js", ".tsx"), (".jsx", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts"), (".js", ".d.ts")];

/// The files and folders of a tree.
#[derive(Debug, Default)]
pub(super) struct Tree {
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
    /// Folders of packages, by their names.
    packages: BTreeMap<String, String>,
}

/// Target of a path: a file, or a folder with a slash at its end. `None` if it does not resolve.
pub(super) type Target = Option<String>;

impl Tree {
    pub(super) fn new(files: impl IntoIterator<Item = String>) -> Tree {
        let files: BTreeSet<String> = files.into_iter().collect();
        let mut folders = BTreeSet::new();
        for file in &files {
            let mut folder = parent_folder(file);
            while !folder.is_empty() && folders.insert(folder.to_owned()) {
                folder = parent_folder(folder);
            }
        }
        Tree { files, folders, packages: BTreeMap::new() }
    }

    /// Adds a package: its name, and the folder of its manifest.
    pub(super) fn add_package(&mut self, name: &str, folder: &str) {
        self.packages.insert(name.to_owned(), folder.to_owned());
    }

    /// The folder of a package.
    pub(super) fn package_folder(&self, name: &str) -> Option<&str> {
        self.packages.get(name).map(String::as_str)
    }

    pub(super) fn has(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    pub(super) fn has_folder(&self, folder: &str) -> bool {
        self.folders.contains(folder)
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// The files below a folder.
    pub(super) fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let start = format!("{folder}/");
        self.files.range(start.clone()..).map(String::as_str).take_while(move |file| file.starts_with(&start))
    }

    /// Resolves a path relative to the top of the tree.
    fn resolve_from_top(&self, path: &str) -> Target {
        let path = path.strip_suffix('/').unwrap_or(path);
        for end in OPTIONAL_ENDINGS {
            let file = format!("{path}{end}");
            if self.files.contains(&file) {
                return Some(file);
            }
        }
        for (compiled, written) in COMPILED {
            let file = path.strip_suffix(compiled).map(|stem| format!("{stem}{written}"));
            if let Some(file) = file.filter(|file| self.files.contains(file)) {
                return Some(file);
            }
        }
        self.folders.contains(path).then(|| format!("{path}/"))
    }

    /// Resolves a path that a file contains.
    pub(super) fn resolve(&self, file: &str, specifier: &str) -> Target {
        let module = language(file).and_then(|language| self.resolve_module(language, file, specifier));
        if module.is_some() {
            return module;
        }
        let path = &decode_percent(without_query(specifier));
        if path.is_empty() || specifier.contains("://") {
            return None;
        }
        if path.starts_with('.') {
            return self.resolve_relative(parent_folder(file), path);
        }
        let path = path.trim_start_matches('/');
        if path.is_empty() {
            return None;
        }
        self.resolve_in_package(path).or_else(|| {
            let is_path = specifier.trim_start_matches('/').contains('/')
                || path.rsplit_once('.').is_some_and(|(_, end)| is_word(end));
            if is_path { self.resolve_in_ancestors(file, path) } else { None }
        })
    }

    /// Resolves a relative path of an import or a link.
    pub(super) fn resolve_relative(&self, folder: &str, path: &str) -> Target {
        let joined = join(folder, path)?;
        let is_folder = path.ends_with('/') || path == "." || path == ".." || path.ends_with("/..");
        if is_folder {
            self.resolve_from_top(&join_below(&joined, "index")).or_else(|| self.resolve_from_top(&joined))
        } else {
            self.resolve_from_top(&joined)
        }
    }

    /// Resolves a path that starts with the name of a package of the tree.
    fn resolve_in_package(&self, path: &str) -> Target {
        for (name, folder) in &self.packages {
            if path == name {
                return self
                    .resolve_from_top(&join_below(folder, "src/index"))
                    .or_else(|| self.resolve_from_top(&join_below(folder, "index")));
            }
            let Some(rest) = path.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('/')) else { continue };
            let found = self
                .resolve_from_top(&join_below(folder, rest))
                .or_else(|| self.resolve_from_top(&join_below(&join_below(folder, "src"), rest)));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Resolves a path relative to the folder of the file or any folder above it, as texts and configurations write
    /// paths.
    fn resolve_in_ancestors(&self, file: &str, path: &str) -> Target {
        let mut folder = parent_folder(file);
        loop {
            let found = join(folder, path).and_then(|path| self.resolve_from_top(&path));
            if found.is_some() || folder.is_empty() {
                return found;
            }
            folder = parent_folder(folder);
        }
    }
}

/// Returns the part of a path before a query, a fragment, a wildcard or a placeholder.
fn without_query(specifier: &str) -> &str {
    let cut =
        if specifier.starts_with('#') { specifier } else { specifier.split(['?', '#']).next().unwrap_or_default() };
    let cut = cut.split(['*', '{', '$']).next().unwrap_or_default();
    let cut = cut.split("...").next().unwrap_or_default();
    if cut.len() > 1 { cut.strip_suffix('/').unwrap_or(cut) } else { cut }
}

/// Decodes percent-encoded ASCII characters, such as `%20`.
fn decode_percent(path: &str) -> String {
    let mut parts = path.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii) {
            Some(byte) => {
                text.push(char::from(byte));
                text.push_str(&part[2..]);
            }
            None => {
                text.push('%');
                text.push_str(part);
            }
        }
    }
    text
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns the folder of a path; empty at the top.
pub(super) fn parent_folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last part of a path.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

pub(super) fn join_below(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

/// Joins a relative path to a folder. `None` if it leaves the tree.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        let files =
            ["src/a.ts", "src/b/index.ts", "src/cli.ts", "src/cli/run.ts", "docs/a.md", "packages/x/src/index.ts"];
        let mut tree = Tree::new(files.map(str::to_owned));
        tree.add_package("@t/x", "packages/x");
        tree
    }

    #[test]
    fn paths_resolve_to_files_and_folders() {
        for (file, specifier, meaning) in [
            ("src/b/index.ts", "../a", "src/a.ts"),
            ("src/b/index.ts", "../a.js", "src/a.ts"),
            ("src/b/index.ts", "../a?raw", "src/a.ts"),
            ("src/a.ts", "./b", "src/b/index.ts"),
            ("src/a.ts", "./cli", "src/cli.ts"),
            ("src/cli/run.ts", "../cli", "src/cli.ts"),
            ("src/cli/run.ts", "..", "src/"),
            ("src/a.ts", "./cli/*.ts", "src/cli.ts"),
            ("docs/a.md", "src/b", "src/b/index.ts"),
            ("docs/a.md", "/src/a.ts", "src/a.ts"),
            ("src/a.ts", "@t/x", "packages/x/src/index.ts"),
            ("packages/x/README.md", "src/index.ts", "packages/x/src/index.ts"),
        ] {
            assert_eq!(tree().resolve(file, specifier).as_deref(), Some(meaning), "{specifier} in {file}");
        }
    }

    #[test]
    fn percent_escapes_are_decoded() {
        for (path, text) in [("a%20b%26c", "a b&c"), ("100%", "100%"), ("%zz/%C3", "%zz/%C3"), ("a", "a")] {
            assert_eq!(decode_percent(path), text, "{path}");
        }
    }

    #[test]
    fn plain_words_and_urls_are_not_paths() {
        for specifier in ["a", "https://example.org/src/a.ts", "", "../../x", "./none", "react", "#x"] {
            assert_eq!(tree().resolve("src/a.ts", specifier), None, "{specifier}");
        }
    }

    #[test]
    fn folders_contain_their_files() {
        assert_eq!(tree().below("src/cli").collect::<Vec<_>>(), ["src/cli/run.ts"]);
        assert!(tree().has_folder("packages/x") && !tree().has_folder("src/a.ts"));
    }
}
