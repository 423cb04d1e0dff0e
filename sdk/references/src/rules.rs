//! Rules: the values of each kind of file that refer to other files.

use std::ops::Range;

use marquetry_jsonpath::Tree;
use marquetry_sdk::paths::{is_relative, looks_like_path};

use crate::{
    manifests,
    words::{Word, words},
};

/// Matches any element of an array in a path of keys.
pub(crate) const ELEMENT: &str = "[]";
/// In a kind: separates it from the base folder of the path, which is relative to the folder of the file.
pub(crate) const FROM_FOLDER: &str = " in ";
/// The kind of a text that may be a path.
pub(crate) const POSSIBLE: &str = "possible";
/// Generated files with many paths that follow rules of the tool.
const WRITTEN_BY_TOOLS: [&str; 8] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "composer.lock",
    "pnpm-lock.yaml",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
];

/// The kind of a data file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum File {
    /// `tsconfig.json` and variants; `base` is the base folder of `paths`.
    Compiler { base: String },
    /// `package.json`; `own_root` is true if `<rootDir>` of Jest is the package folder.
    Package { own_root: bool },
    /// A workflow in `.github/workflows`.
    Workflow,
    /// `action.yml`
    Action,
    /// `compose.yaml` and variants.
    Compose,
    /// `mkdocs.yml`; `folder` contains the pages.
    Pages { folder: String },
    /// `pnpm-workspace.yaml`
    Packages,
    /// `Cargo.toml`
    Cargo,
    /// `pyproject.toml`
    Python,
    /// A generated file.
    Generated,
    /// Any other file.
    Data,
}

/// A reference that is a value or a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) kind: String,
    /// The range of the reference; `None` for the whole value.
    pub(crate) part: Option<Range<usize>>,
}

pub(crate) fn whole(kind: impl Into<String>) -> Vec<Named> {
    vec![Named { kind: kind.into(), part: None }]
}

impl File {
    pub(crate) fn of<T: Tree>(tree: &T, path: &str) -> File {
        let name = path.rsplit('/').next().unwrap_or(path);
        let at = |keys: &[&str]| keys.iter().try_fold(tree.root(), |node, key| tree.member(node, key));
        let text = |keys: &[&str]| at(keys).map(|node| tree.text(node).into_owned());
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let yaml = matches!(extension, "yml" | "yaml");
        match stem {
            _ if WRITTEN_BY_TOOLS.contains(&name) => File::Generated,
            "package" if extension == "json" => File::Package { own_root: at(&["jest", "rootDir"]).is_none() },
            _ if extension == "json" && (stem.starts_with("tsconfig") || stem.starts_with("jsconfig")) => {
                File::Compiler { base: text(&["compilerOptions", "baseUrl"]).unwrap_or_else(|| ".".to_owned()) }
            }
            _ if yaml && format!("/{path}").contains("/.github/workflows/") => File::Workflow,
            "action" if yaml => File::Action,
            "pnpm-workspace" if yaml => File::Packages,
            "Cargo" if extension == "toml" => File::Cargo,
            "pyproject" if extension == "toml" => File::Python,
            "mkdocs" if yaml => File::Pages { folder: text(&["docs_dir"]).unwrap_or_else(|| "docs".to_owned()) },
            _ if yaml && (is_named(stem, "compose") || is_named(stem, "docker-compose")) => File::Compose,
            _ => File::Data,
        }
    }

    /// The references in the string at these keys. `setting` returns the nearest string at a path of keys in the
    /// surrounding values.
    pub(crate) fn named(&self, keys: &[&str], value: &str, setting: &dyn Fn(&[&str]) -> Option<String>) -> Vec<Named> {
        if keys.last() == Some(&"$ref") {
            return if value.starts_with('#') { Vec::new() } else { whole("ref") };
        }
        let found = match self {
            File::Compiler { base } => compiler(keys, base).map(whole).unwrap_or_default(),
            File::Package { own_root } => package(keys, value, *own_root),
            File::Workflow => workflow(keys, value, setting),
            File::Action => action(keys, value),
            File::Compose => compose(keys, value, setting),
            File::Pages { folder } => pages(keys, value, folder),
            File::Packages => match keys {
                ["packages", ELEMENT] => unnegated("glob", value),
                _ => Vec::new(),
            },
            File::Cargo => manifests::cargo(keys, value),
            File::Python => manifests::python(keys),
            File::Generated => return Vec::new(),
            File::Data => match keys {
                ["extends"] | ["extends", ELEMENT] if is_relative(value) => whole("extends"),
                ["$schema"] if is_relative(value) => whole("schema"),
                _ => Vec::new(),
            },
        };
        if found.is_empty() && looks_like_path(value) { whole(POSSIBLE) } else { found }
    }

    /// The kind of reference that the last of these keys is, if it is one.
    pub(crate) fn named_by_key(&self, keys: &[&str]) -> Option<&'static str> {
        match (self, keys) {
            (File::Package { .. }, ["browser", key]) if is_relative(key) => Some("entry"),
            _ => None,
        }
    }
}

/// `compose`, `compose.override` …
fn is_named(stem: &str, name: &str) -> bool {
    stem.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
}

fn compiler(keys: &[&str], base: &str) -> Option<String> {
    let kind = match keys {
        ["extends"] | ["extends", ELEMENT] => "extends",
        ["references", ELEMENT, "path"] => "project",
        ["files", ELEMENT] => "file",
        ["include" | "exclude", ELEMENT] => "glob",
        ["compilerOptions", "baseUrl" | "rootDir" | "outDir" | "declarationDir"]
        | ["compilerOptions", "rootDirs" | "typeRoots", ELEMENT] => "folder",
        ["compilerOptions", "paths", _, ELEMENT] => return Some(format!("path-mapping{FROM_FOLDER}{base}")),
        _ => return None,
    };
    Some(kind.to_owned())
}

fn package(keys: &[&str], value: &str, own_root: bool) -> Vec<Named> {
    match keys {
        [
            "main" | "module" | "types" | "typings" | "browser" | "bin" | "man" | "style" | "sass" | "svelte"
            | "source" | "unpkg" | "jsdelivr",
        ]
        | ["bin", _]
        | ["man", ELEMENT]
        | ["typesVersions", _, _, ELEMENT] => whole("entry"),
        ["exports"] | ["exports", ..] | ["imports", ..] | ["browser", ..] if is_relative(value) => whole("entry"),
        ["files", ELEMENT]
        | ["sideEffects", ELEMENT]
        | ["workspaces", ELEMENT]
        | ["workspaces", "packages", ELEMENT] => unnegated("glob", value),
        ["directories", _] => whole("folder"),
        ["scripts" | "gitHooks" | "simple-git-hooks" | "pre-commit" | "pre-push", _]
        | ["husky", "hooks", _]
        | ["lint-staged", _]
        | ["lint-staged", _, ELEMENT] => commands(value, "script"),
        ["icon"] => whole("asset"),
        ["contributes", .., "path" | "configuration" | "icon" | "light" | "dark" | "image" | "markdown" | "svg"]
            if !value.starts_with('$') =>
        {
            whole("asset")
        }
        ["jest", ..] if own_root && (is_relative(value) || value.starts_with("<rootDir>/")) => whole("jest"),
        ["eslintConfig" | "stylelint" | "babel", "extends"]
        | ["eslintConfig" | "stylelint" | "babel", "extends", ELEMENT]
        | ["prettier"]
            if is_relative(value) =>
        {
            whole("entry")
        }
        _ => Vec::new(),
    }
}

/// Paths in workflows are relative to the folder that contains `.github`.
const ABOVE_WORKFLOWS: &str = "../..";

fn workflow(keys: &[&str], value: &str, setting: &dyn Fn(&[&str]) -> Option<String>) -> Vec<Named> {
    let from = |kind: &str| format!("{kind}{FROM_FOLDER}{ABOVE_WORKFLOWS}");
    match keys {
        ["jobs", _, "uses"] | ["jobs", _, "steps", ELEMENT, "uses"] if value.starts_with("./") => whole(from("action")),
        ["on", _, "paths" | "paths-ignore", ELEMENT] => unnegated(&from("pattern"), value),
        ["jobs", _, "steps", ELEMENT, "working-directory"] | [.., "defaults", "run", "working-directory"] => {
            whole(from("folder"))
        }
        ["jobs", _, "steps", ELEMENT, "run"] => {
            let own = setting(&["working-directory"]).or_else(|| setting(&["defaults", "run", "working-directory"]));
            let folder = own.map_or(ABOVE_WORKFLOWS.to_owned(), |folder| format!("{ABOVE_WORKFLOWS}/{folder}"));
            if folder.contains("${") { Vec::new() } else { commands(value, &format!("script{FROM_FOLDER}{folder}")) }
        }
        _ => Vec::new(),
    }
}

/// A pattern without the `!` of a negated one.
fn unnegated(kind: &str, value: &str) -> Vec<Named> {
    let start = usize::from(value.starts_with('!'));
    vec![Named { kind: kind.to_owned(), part: (start > 0).then_some(start..value.len()) }]
}

fn action(keys: &[&str], value: &str) -> Vec<Named> {
    match keys {
        ["runs", "main" | "pre" | "post"] => whole("file"),
        ["runs", "image"] if !value.contains(':') => whole("file"),
        _ => Vec::new(),
    }
}

fn compose(keys: &[&str], value: &str, setting: &dyn Fn(&[&str]) -> Option<String>) -> Vec<Named> {
    let local = !value.contains("://") && !value.starts_with("git@") && !value.contains('$');
    match keys {
        _ if !local => Vec::new(),
        ["services", _, "build"] | ["services", _, "build", "context"] => whole("folder"),
        ["services", _, "build", "dockerfile"] => {
            let context = setting(&["context"]).unwrap_or_else(|| ".".to_owned());
            if context.contains("://") || context.contains('$') {
                return Vec::new();
            }
            whole(format!("file{FROM_FOLDER}{context}"))
        }
        ["services", _, "env_file"]
        | ["services", _, "env_file", ELEMENT]
        | ["services", _, "env_file", ELEMENT, "path"]
        | ["services", _, "extends", "file"]
        | ["services", _, "develop", "watch", ELEMENT, "path"]
        | ["configs" | "secrets", _, "file"]
        | ["include", ELEMENT]
        | ["include", ELEMENT, "path" | "env_file"] => whole("file"),
        // `./here:/there:ro`; a name that is not a path is a volume.
        ["services", _, "volumes", ELEMENT] => {
            let end = value.find(':').unwrap_or(value.len());
            let names_path = is_path(&value[..end]);
            if names_path { vec![Named { kind: "volume".to_owned(), part: Some(0..end) }] } else { Vec::new() }
        }
        ["services", _, "volumes", ELEMENT, "source"] if is_path(value) => whole("volume"),
        _ => Vec::new(),
    }
}

/// Returns whether a text is explicitly a path; `.` is the folder of the file.
fn is_path(value: &str) -> bool {
    is_relative(value) || matches!(value, "." | "..")
}

fn pages(keys: &[&str], value: &str, folder: &str) -> Vec<Named> {
    if marquetry_sdk::paths::has_scheme(value) || value.starts_with("//") {
        return Vec::new();
    }
    match keys {
        ["nav", ..] | ["extra_css" | "extra_javascript", ELEMENT] | ["theme", "logo" | "favicon"] => {
            whole(format!("page{FROM_FOLDER}{folder}"))
        }
        ["docs_dir"] | ["theme", "custom_dir"] => whole("folder"),
        ["INHERIT"] | ["hooks", ELEMENT] => whole("file"),
        _ => Vec::new(),
    }
}

/// The words of a command line that look like paths; `follow` checks whether the files exist.
fn commands(value: &str, kind: &str) -> Vec<Named> {
    let named = |word: Word| {
        let kind = match (word.folder.as_str(), kind.contains(FROM_FOLDER)) {
            ("", _) => kind.to_owned(),
            (folder, true) => format!("{kind}/{folder}"),
            (folder, false) => format!("{kind}{FROM_FOLDER}{folder}"),
        };
        Named { kind, part: Some(word.at) }
    };
    words(value).into_iter().map(named).collect()
}
