//! Link resolution.

use marquetry_sdk::{
    Destination, Request, Resolved,
    paths::{file_name, folder, folders_around, join},
    urls,
    workspace::{self, EntryKind},
};

use super::path::{is_computed, split_extension};
use crate::chars::Dialect;

/// How a link is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Exactly the file that it names.
    File,
    /// Like `File`, but a bare name can be a package.
    Package,
    Sass,
    Less,
    LessPlugin,
}

pub(super) fn manner(from: &str, kind: &str) -> Manner {
    match (kind, Dialect::of_path(from)) {
        ("use" | "forward", _) | ("import", Dialect::Scss) => Manner::Sass,
        ("import", Dialect::Less) => Manner::Less,
        ("plugin", _) => Manner::LessPlugin,
        ("url", _) => Manner::File,
        _ => Manner::Package,
    }
}

pub(crate) fn resolve(from: &str, request: &Request) -> Destination {
    let specifier = request.specifier.as_str();
    if is_computed(specifier) {
        return Destination::Unknown("the URL contains a variable".to_owned());
    }
    // webpack marks packages with `~package`.
    if urls::is_remote(specifier) || (specifier.starts_with('~') && !specifier.starts_with("~/")) {
        return Destination::External;
    }
    if specifier.starts_with("~/") || specifier.starts_with("@/") {
        return Destination::Unknown("the alias is defined in the bundler's configuration".to_owned());
    }
    let manner = manner(from, &request.kind);
    let (address, suffix) = urls::split(specifier);
    let plain = manner == Manner::Sass || manner == Manner::Less;
    let path = if plain { specifier.to_owned() } else { urls::decoded(address).into_owned() };
    let suffix = if path == specifier { "" } else { suffix };
    let mut wanted = None;
    for base in bases(from, &path, manner) {
        let Some(whole) = join(&base, &path) else { continue };
        match file_at(&whole, manner, request.kind == "import") {
            Found::File(path) => return Destination::Inside(Resolved { path, suffix: suffix.to_owned() }),
            Found::Ambiguous(a, b) => return Destination::Unknown(format!("ambiguous: `{a}` or `{b}`")),
            Found::Nothing => wanted = wanted.or(Some(whole)),
        }
    }
    let Some(wanted) = wanted else {
        return Destination::Unknown("the path is outside the workspace".to_owned());
    };
    if is_bare(&path) && manner != Manner::File && is_package(from, &path, manner) {
        return Destination::External;
    }
    // The location of the compiled file is unknown.
    if manner == Manner::File && Dialect::of_path(from) != Dialect::Css && !path.starts_with('/') {
        return Destination::Unknown(format!("`{wanted}` does not exist; the URL may be relative to the compiled file"));
    }
    Destination::Missing(with_extension(wanted, manner))
}

/// Returns whether the path starts with a name, not with `/` or dots.
pub(super) fn is_bare(path: &str) -> bool {
    !path.starts_with(['/', '.'])
}

/// Folders that the path can be relative to, most likely first.
pub(super) fn bases(from: &str, path: &str, manner: Manner) -> Vec<String> {
    if path.starts_with('/') {
        let around = folders_around(from).collect::<Vec<_>>().into_iter().rev();
        return around.flat_map(|folder| [folder.to_owned(), join(folder, "public").unwrap_or_default()]).collect();
    }
    let mut bases = vec![folder(from).to_owned()];
    if is_bare(path) && matches!(manner, Manner::Sass | Manner::Less) {
        bases.extend(load_paths(from));
    }
    bases
}

/// Common load paths of compilers.
pub(super) fn load_paths(from: &str) -> Vec<String> {
    let around = folders_around(from).skip(1);
    around
        .flat_map(|folder| ["", "src", "styles", "app/styles"].map(|name| join(folder, name).unwrap_or_default()))
        .collect()
}

/// Result of looking up a path.
enum Found {
    File(String),
    Ambiguous(String, String),
    Nothing,
}

fn file_at(path: &str, manner: Manner, import: bool) -> Found {
    let found = match manner {
        Manner::Sass => return sass_file(path, import),
        Manner::File => exact(path),
        Manner::Package => exact(path).or_else(|| exact(&format!("{path}.css"))),
        Manner::Less => exact(&with_extension(path.to_owned(), manner)).or_else(|| exact(path)),
        Manner::LessPlugin => exact(path).or_else(|| exact(&format!("{path}.js"))),
    };
    found.map_or(Found::Nothing, Found::File)
}

fn exact(path: &str) -> Option<String> {
    (workspace::stat(path) == Some(EntryKind::File)).then(|| path.to_owned())
}

/// Finds a file as Sass does: with or without extension and underscore, or the index of a folder.
fn sass_file(path: &str, import: bool) -> Found {
    let (_, extension) = split_extension(file_name(path));
    if matches!(extension, "scss" | "sass" | "css") {
        return one(with_partial(path));
    }
    let marks: &[&str] = if import { &[".import", ""] } else { &[""] };
    for place in [path.to_owned(), format!("{path}/index")] {
        for mark in marks {
            let written = |extension: &str| with_partial(&format!("{place}{mark}.{extension}"));
            let sass: Vec<String> = [written("sass"), written("scss")].concat();
            let found = if sass.is_empty() { written("css") } else { sass };
            if !found.is_empty() {
                return one(found);
            }
        }
    }
    Found::Nothing
}

/// The file and its partial, if they exist.
fn with_partial(path: &str) -> Vec<String> {
    let (folder, name) = (folder(path), file_name(path));
    let partial = if folder.is_empty() { format!("_{name}") } else { format!("{folder}/_{name}") };
    [partial, path.to_owned()].into_iter().filter_map(|path| exact(&path)).collect()
}

fn one(mut found: Vec<String>) -> Found {
    match found.len() {
        0 => Found::Nothing,
        1 => Found::File(found.remove(0)),
        _ => Found::Ambiguous(found.remove(0), found.remove(0)),
    }
}

/// The path with the extension that the language adds.
fn with_extension(path: String, manner: Manner) -> String {
    let added = match (manner, split_extension(file_name(&path)).1) {
        (Manner::Sass, "scss" | "sass" | "css") => "",
        (Manner::Sass, _) => ".scss",
        (Manner::Less, "") => ".less",
        (Manner::LessPlugin, "") => ".js",
        _ => "",
    };
    path + added
}

/// Returns whether a bare name is a package: it is installed, or does not look like a file.
fn is_package(from: &str, path: &str, manner: Manner) -> bool {
    let depth = if path.starts_with('@') { 2 } else { 1 };
    let package: Vec<&str> = path.split('/').take(depth).collect();
    let package = package.join("/");
    let installed = folders_around(from).any(|folder| {
        join(folder, "node_modules")
            .and_then(|modules| join(&modules, &package))
            .is_some_and(|path| workspace::stat(&path).is_some())
    });
    let looks_like_file = match manner {
        Manner::Package => split_extension(file_name(path)).1 == "css" && !path.starts_with('@'),
        _ => !path.starts_with('@'),
    };
    installed || !looks_like_file
}
