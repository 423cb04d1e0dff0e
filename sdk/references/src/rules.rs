//! Rules: the values of each kind of file that refer to other files.

use std::ops::Range;

use marquetry_jsonpath::Tree;
use marquetry_sdk::paths::{is_relative, looks_like_path};

use crate::{
    command_paths::{CommandPath, command_paths},
    manifests,
    removals::ELEMENT,
};

/// Separator in the text of a link's kind: after it comes the base folder of the path, relative to the folder of the
/// file.
pub(crate) const BASE_SEPARATOR: &str = " in ";
/// The kind of a text that may be a path.
pub(crate) const POSSIBLE: &str = "possible";
/// Generated files. Only the tool that generates them can interpret the paths in them.
const GENERATED_FILES: [&str; 8] = [
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
pub(crate) enum FileKind {
    /// `tsconfig.json` and variants; `base` is the base folder of `paths`.
    TsConfig { base: String },
    /// `package.json`; `own_root` is true if `<rootDir>` of Jest is the package folder.
    PackageJson { own_root: bool },
    /// A workflow in `.github/workflows`.
    Workflow,
    /// `action.yml`
    Action,
    /// `compose.yaml` and variants.
    Compose,
    /// `mkdocs.yml`; `folder` contains the pages.
    MkDocs { folder: String },
    /// `pnpm-workspace.yaml`
    PnpmWorkspace,
    /// `Cargo.toml`
    Cargo,
    /// `pyproject.toml`
    PyProject,
    /// A generated file.
    Generated,
    /// Any other file.
    Data,
}

/// A reference that is a value or a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReferenceInValue {
    pub(crate) kind: String,
    /// The range of the reference; `None` for the whole value.
    pub(crate) part: Option<Range<usize>>,
}

pub(crate) fn whole_value(kind: impl Into<String>) -> Vec<ReferenceInValue> {
    vec![ReferenceInValue { kind: kind.into(), part: None }]
}

impl FileKind {
    pub(crate) fn detect<T: Tree>(tree: &T, path: &str) -> FileKind {
        let name = path.rsplit('/').next().unwrap_or(path);
        let at = |keys: &[&str]| keys.iter().try_fold(tree.root(), |node, key| tree.member(node, key));
        let text = |keys: &[&str]| at(keys).map(|node| tree.text(node).into_owned());
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let yaml = matches!(extension, "yml" | "yaml");
        match stem {
            _ if GENERATED_FILES.contains(&name) => FileKind::Generated,
            "package" if extension == "json" => FileKind::PackageJson { own_root: at(&["jest", "rootDir"]).is_none() },
            _ if extension == "json" && (stem.starts_with("tsconfig") || stem.starts_with("jsconfig")) => {
                FileKind::TsConfig { base: text(&["compilerOptions", "baseUrl"]).unwrap_or_else(|| ".".to_owned()) }
            }
            _ if yaml && format!("/{path}").contains("/.github/workflows/") => FileKind::Workflow,
            "action" if yaml => FileKind::Action,
            "pnpm-workspace" if yaml => FileKind::PnpmWorkspace,
            "Cargo" if extension == "toml" => FileKind::Cargo,
            "pyproject" if extension == "toml" => FileKind::PyProject,
            "mkdocs" if yaml => FileKind::MkDocs { folder: text(&["docs_dir"]).unwrap_or_else(|| "docs".to_owned()) },
            _ if yaml && (is_name_or_variant(stem, "compose") || is_name_or_variant(stem, "docker-compose")) => {
                FileKind::Compose
            }
            _ => FileKind::Data,
        }
    }

    /// The references in the string at these keys. `setting` returns the nearest string at a path of keys in the
    /// surrounding values.
    pub(crate) fn references(
        &self,
        keys: &[&str],
        value: &str,
        setting: &dyn Fn(&[&str]) -> Option<String>,
    ) -> Vec<ReferenceInValue> {
        if keys.last() == Some(&"$ref") {
            return if value.starts_with('#') { Vec::new() } else { whole_value("ref") };
        }
        let found = match self {
            FileKind::TsConfig { base } => tsconfig_kind(keys, base).map(whole_value).unwrap_or_default(),
            FileKind::PackageJson { own_root } => package_references(keys, value, *own_root),
            FileKind::Workflow => workflow_references(keys, value, setting),
            FileKind::Action => action_references(keys, value),
            FileKind::Compose => compose_references(keys, value, setting),
            FileKind::MkDocs { folder } => mkdocs_references(keys, value, folder),
            FileKind::PnpmWorkspace => match keys {
                ["packages", ELEMENT] => without_negation("glob", value),
                _ => Vec::new(),
            },
            FileKind::Cargo => manifests::cargo_references(keys, value),
            FileKind::PyProject => manifests::pyproject_references(keys),
            FileKind::Generated => return Vec::new(),
            FileKind::Data => match keys {
                ["extends"] | ["extends", ELEMENT] if is_relative(value) => whole_value("extends"),
                ["$schema"] if is_relative(value) => whole_value("schema"),
                _ => Vec::new(),
            },
        };
        if found.is_empty() && looks_like_path(value) { whole_value(POSSIBLE) } else { found }
    }

    /// Returns the kind of the reference that the last of these keys contains, or `None` if the key is not a reference.
    pub(crate) fn key_reference_kind(&self, keys: &[&str]) -> Option<&'static str> {
        match (self, keys) {
            (FileKind::PackageJson { .. }, ["browser", key]) if is_relative(key) => Some("entry"),
            _ => None,
        }
    }
}

/// Returns whether a file name without its extension is `name`, or `name` with a suffix, as in `compose.override`.
fn is_name_or_variant(stem: &str, name: &str) -> bool {
    stem.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
}

fn tsconfig_kind(keys: &[&str], base: &str) -> Option<String> {
    let kind = match keys {
        ["extends"] | ["extends", ELEMENT] => "extends",
        ["references", ELEMENT, "path"] => "project",
        ["files", ELEMENT] => "file",
        ["include" | "exclude", ELEMENT] => "glob",
        ["compilerOptions", "baseUrl" | "rootDir" | "outDir" | "declarationDir"]
        | ["compilerOptions", "rootDirs" | "typeRoots", ELEMENT] => "folder",
        ["compilerOptions", "paths", _, ELEMENT] => return Some(format!("path-mapping{BASE_SEPARATOR}{base}")),
        _ => return None,
    };
    Some(kind.to_owned())
}

fn package_references(keys: &[&str], value: &str, own_root: bool) -> Vec<ReferenceInValue> {
    match keys {
        [
            "main" | "module" | "types" | "typings" | "browser" | "bin" | "man" | "style" | "sass" | "svelte"
            | "source" | "unpkg" | "jsdelivr",
        ]
        | ["bin", _]
        | ["man", ELEMENT]
        | ["typesVersions", _, _, ELEMENT] => whole_value("entry"),
        ["exports"] | ["exports", ..] | ["imports", ..] | ["browser", ..] if is_relative(value) => whole_value("entry"),
        ["files", ELEMENT]
        | ["sideEffects", ELEMENT]
        | ["workspaces", ELEMENT]
        | ["workspaces", "packages", ELEMENT] => without_negation("glob", value),
        ["directories", _] => whole_value("folder"),
        ["scripts" | "gitHooks" | "simple-git-hooks" | "pre-commit" | "pre-push", _]
        | ["husky", "hooks", _]
        | ["lint-staged", _]
        | ["lint-staged", _, ELEMENT] => command_references(value, "script"),
        ["icon"] => whole_value("asset"),
        ["contributes", .., "path" | "configuration" | "icon" | "light" | "dark" | "image" | "markdown" | "svg"]
            if !value.starts_with('$') =>
        {
            whole_value("asset")
        }
        ["jest", ..] if own_root && (is_relative(value) || value.starts_with("<rootDir>/")) => whole_value("jest"),
        ["eslintConfig" | "stylelint" | "babel", "extends"]
        | ["eslintConfig" | "stylelint" | "babel", "extends", ELEMENT]
        | ["prettier"]
            if is_relative(value) =>
        {
            whole_value("entry")
        }
        _ => Vec::new(),
    }
}

/// Paths in workflows are relative to the folder that contains `.github`.
const ABOVE_WORKFLOWS: &str = "../..";

fn workflow_references(
    keys: &[&str],
    value: &str,
    setting: &dyn Fn(&[&str]) -> Option<String>,
) -> Vec<ReferenceInValue> {
    let from = |kind: &str| format!("{kind}{BASE_SEPARATOR}{ABOVE_WORKFLOWS}");
    match keys {
        ["jobs", _, "uses"] | ["jobs", _, "steps", ELEMENT, "uses"] if value.starts_with("./") => {
            whole_value(from("action"))
        }
        ["on", _, "paths" | "paths-ignore", ELEMENT] => without_negation(&from("pattern"), value),
        ["jobs", _, "steps", ELEMENT, "working-directory"] | [.., "defaults", "run", "working-directory"] => {
            whole_value(from("folder"))
        }
        ["jobs", _, "steps", ELEMENT, "run"] => {
            let own = setting(&["working-directory"]).or_else(|| setting(&["defaults", "run", "working-directory"]));
            let folder = own.map_or(ABOVE_WORKFLOWS.to_owned(), |folder| format!("{ABOVE_WORKFLOWS}/{folder}"));
            if folder.contains("${") {
                Vec::new()
            } else {
                command_references(value, &format!("script{BASE_SEPARATOR}{folder}"))
            }
        }
        _ => Vec::new(),
    }
}

/// A pattern without the `!` of a negated one.
fn without_negation(kind: &str, value: &str) -> Vec<ReferenceInValue> {
    let start = usize::from(value.starts_with('!'));
    vec![ReferenceInValue { kind: kind.to_owned(), part: (start > 0).then_some(start..value.len()) }]
}

fn action_references(keys: &[&str], value: &str) -> Vec<ReferenceInValue> {
    match keys {
        ["runs", "main" | "pre" | "post"] => whole_value("file"),
        ["runs", "image"] if !value.contains(':') => whole_value("file"),
        _ => Vec::new(),
    }
}

fn compose_references(
    keys: &[&str],
    value: &str,
    setting: &dyn Fn(&[&str]) -> Option<String>,
) -> Vec<ReferenceInValue> {
    let local = !value.contains("://") && !value.starts_with("git@") && !value.contains('$');
    match keys {
        _ if !local => Vec::new(),
        ["services", _, "build"] | ["services", _, "build", "context"] => whole_value("folder"),
        ["services", _, "build", "dockerfile"] => {
            let context = setting(&["context"]).unwrap_or_else(|| ".".to_owned());
            if context.contains("://") || context.contains('$') {
                return Vec::new();
            }
            whole_value(format!("file{BASE_SEPARATOR}{context}"))
        }
        ["services", _, "env_file"]
        | ["services", _, "env_file", ELEMENT]
        | ["services", _, "env_file", ELEMENT, "path"]
        | ["services", _, "extends", "file"]
        | ["services", _, "develop", "watch", ELEMENT, "path"]
        | ["configs" | "secrets", _, "file"]
        | ["include", ELEMENT]
        | ["include", ELEMENT, "path" | "env_file"] => whole_value("file"),
        // `./here:/there:ro`; a name that is not a path is a volume.
        ["services", _, "volumes", ELEMENT] => {
            let end = value.find(':').unwrap_or(value.len());
            let names_path = is_explicit_path(&value[..end]);
            if names_path {
                vec![ReferenceInValue { kind: "volume".to_owned(), part: Some(0..end) }]
            } else {
                Vec::new()
            }
        }
        ["services", _, "volumes", ELEMENT, "source"] if is_explicit_path(value) => whole_value("volume"),
        _ => Vec::new(),
    }
}

/// Returns whether a text is explicitly a path; `.` is the folder of the file.
fn is_explicit_path(value: &str) -> bool {
    is_relative(value) || matches!(value, "." | "..")
}

fn mkdocs_references(keys: &[&str], value: &str, folder: &str) -> Vec<ReferenceInValue> {
    if marquetry_sdk::paths::has_scheme(value) || value.starts_with("//") {
        return Vec::new();
    }
    match keys {
        ["nav", ..] | ["extra_css" | "extra_javascript", ELEMENT] | ["theme", "logo" | "favicon"] => {
            whole_value(format!("page{BASE_SEPARATOR}{folder}"))
        }
        ["docs_dir"] | ["theme", "custom_dir"] => whole_value("folder"),
        ["INHERIT"] | ["hooks", ELEMENT] => whole_value("file"),
        _ => Vec::new(),
    }
}

/// The words of a command line that look like paths; `follow` checks whether the files exist.
fn command_references(value: &str, kind: &str) -> Vec<ReferenceInValue> {
    let named = |word: CommandPath| {
        let kind = match (word.folder.as_str(), kind.contains(BASE_SEPARATOR)) {
            ("", _) => kind.to_owned(),
            (folder, true) => format!("{kind}/{folder}"),
            (folder, false) => format!("{kind}{BASE_SEPARATOR}{folder}"),
        };
        ReferenceInValue { kind, part: Some(word.range) }
    };
    command_paths(value).into_iter().map(named).collect()
}
