//! Link resolution.

use marquetry_sdk::{
    Destination, Request, Resolved,
    paths::{file_name, folder, folders_around, join},
    urls,
    workspace::{self, EntryKind},
};

use super::path::{is_computed, split_extension};
use crate::chars::Dialect;

/// The rules by which a link is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResolutionMode {
    /// The link names exactly one file.
    File,
    /// Like `File`, but a path that starts with a name can refer to a package.
    Package,
    Sass,
    Less,
    LessPlugin,
}

pub(super) fn resolution_mode(from: &str, kind: &str) -> ResolutionMode {
    match (kind, Dialect::of_path(from)) {
        ("use" | "forward", _) | ("import", Dialect::Scss) => ResolutionMode::Sass,
        ("import", Dialect::Less) => ResolutionMode::Less,
        ("plugin", _) => ResolutionMode::LessPlugin,
        ("url", _) => ResolutionMode::File,
        _ => ResolutionMode::Package,
    }
}

pub(crate) fn resolve_link(from: &str, request: &Request) -> Destination {
    let specifier = request.specifier.as_str();
    if is_computed(specifier) {
        return Destination::Unknown("the URL contains a variable".to_owned());
    }
    // webpack marks packages with a tilde: `~package`.
    if urls::is_remote(specifier) || (specifier.starts_with('~') && !specifier.starts_with("~/")) {
        return Destination::External;
    }
    if specifier.starts_with("~/") || specifier.starts_with("@/") {
        return Destination::Unknown("the alias is defined in the bundler's configuration".to_owned());
    }
    let manner = resolution_mode(from, &request.kind);
    let (address, suffix) = urls::split(specifier);
    let plain = manner == ResolutionMode::Sass || manner == ResolutionMode::Less;
    let path = if plain { specifier.to_owned() } else { urls::decode(address).into_owned() };
    let suffix = if path == specifier { "" } else { suffix };
    let mut wanted = None;
    for base in base_folders(from, &path, manner) {
        let Some(whole) = join(&base, &path) else { continue };
        match find_file(&whole, manner, request.kind == "import") {
            FileLookup::File(path) => return Destination::Inside(Resolved { path, suffix: suffix.to_owned() }),
            FileLookup::Ambiguous(a, b) => return Destination::Unknown(format!("ambiguous: `{a}` or `{b}`")),
            FileLookup::Nothing => wanted = wanted.or(Some(whole)),
        }
    }
    let Some(wanted) = wanted else {
        return Destination::Unknown("the path is outside the workspace".to_owned());
    };
    if is_bare_name(&path) && manner != ResolutionMode::File && is_package(from, &path, manner) {
        return Destination::External;
    }
    // A URL is relative to the compiled file, and it is unknown where this file is.
    if manner == ResolutionMode::File && Dialect::of_path(from) != Dialect::Css && !path.starts_with('/') {
        return Destination::Unknown(format!(
            "`{wanted}` does not exist; the URL may be relative to the compiled file"
        ));
    }
    Destination::Missing(with_extension(wanted, manner))
}

/// Returns the file that a path in a Sass or Less file names relative to that file, without any load path.
pub(super) fn file_beside(from: &str, request: &Request) -> Option<String> {
    let manner = resolution_mode(from, &request.kind);
    let is_name = is_bare_name(&request.specifier) && !is_computed(&request.specifier);
    if !is_name || !matches!(manner, ResolutionMode::Sass | ResolutionMode::Less) {
        return None;
    }
    match find_file(&join(folder(from), &request.specifier)?, manner, request.kind == "import") {
        FileLookup::File(path) => Some(path),
        FileLookup::Ambiguous(..) | FileLookup::Nothing => None,
    }
}

/// Returns whether the path starts with a name, not with `/` or dots.
pub(super) fn is_bare_name(path: &str) -> bool {
    !path.starts_with(['/', '.'])
}

/// Returns the folders to which the path can be relative, the most likely one first.
pub(super) fn base_folders(from: &str, path: &str, manner: ResolutionMode) -> Vec<String> {
    if path.starts_with('/') {
        let around = folders_around(from).collect::<Vec<_>>().into_iter().rev();
        return around.flat_map(|folder| [folder.to_owned(), join(folder, "public").unwrap_or_default()]).collect();
    }
    let mut bases = vec![folder(from).to_owned()];
    if is_bare_name(path) && matches!(manner, ResolutionMode::Sass | ResolutionMode::Less) {
        bases.extend(load_paths(from));
    }
    bases
}

/// Returns folders that are often configured as load paths of compilers.
pub(super) fn load_paths(from: &str) -> Vec<String> {
    let around = folders_around(from).skip(1);
    around
        .flat_map(|folder| ["", "src", "styles", "app/styles"].map(|name| join(folder, name).unwrap_or_default()))
        .collect()
}

/// Result of looking up a path.
enum FileLookup {
    File(String),
    Ambiguous(String, String),
    Nothing,
}

fn find_file(path: &str, manner: ResolutionMode, import: bool) -> FileLookup {
    let found = match manner {
        ResolutionMode::Sass => return find_sass_file(path, import),
        ResolutionMode::File => existing_file(path),
        ResolutionMode::Package => existing_file(path).or_else(|| existing_file(&format!("{path}.css"))),
        ResolutionMode::Less => existing_file(&with_extension(path.to_owned(), manner)).or_else(|| existing_file(path)),
        ResolutionMode::LessPlugin => existing_file(path).or_else(|| existing_file(&format!("{path}.js"))),
    };
    found.map_or(FileLookup::Nothing, FileLookup::File)
}

fn existing_file(path: &str) -> Option<String> {
    (workspace::stat(path) == Some(EntryKind::File)).then(|| path.to_owned())
}

/// Finds a file as Sass does. The path can omit the extension, the underscore of a partial, or the name of the index
/// file in a folder.
fn find_sass_file(path: &str, import: bool) -> FileLookup {
    let (_, extension) = split_extension(file_name(path));
    if matches!(extension, "scss" | "sass" | "css") {
        return unique_match(existing_with_partial(path));
    }
    let marks: &[&str] = if import { &[".import", ""] } else { &[""] };
    for place in [path.to_owned(), format!("{path}/index")] {
        for mark in marks {
            let written = |extension: &str| existing_with_partial(&format!("{place}{mark}.{extension}"));
            let sass: Vec<String> = [written("sass"), written("scss")].concat();
            let found = if sass.is_empty() { written("css") } else { sass };
            if !found.is_empty() {
                return unique_match(found);
            }
        }
    }
    FileLookup::Nothing
}

/// Returns the file, and the partial of the same name (with an underscore), if they exist.
fn existing_with_partial(path: &str) -> Vec<String> {
    let (folder, name) = (folder(path), file_name(path));
    let partial = if folder.is_empty() { format!("_{name}") } else { format!("{folder}/_{name}") };
    [partial, path.to_owned()].into_iter().filter_map(|path| existing_file(&path)).collect()
}

fn unique_match(mut found: Vec<String>) -> FileLookup {
    match found.len() {
        0 => FileLookup::Nothing,
        1 => FileLookup::File(found.remove(0)),
        _ => FileLookup::Ambiguous(found.remove(0), found.remove(0)),
    }
}

/// Returns the path with the extension that the language adds if the path has none.
fn with_extension(path: String, manner: ResolutionMode) -> String {
    let added = match (manner, split_extension(file_name(&path)).1) {
        (ResolutionMode::Sass, "scss" | "sass" | "css") => "",
        (ResolutionMode::Sass, _) => ".scss",
        (ResolutionMode::Less, "") => ".less",
        (ResolutionMode::LessPlugin, "") => ".js",
        _ => "",
    };
    path + added
}

/// Returns whether a path that starts with a name refers to a package. It does if the package is installed, or if the
/// path does not look like a file.
fn is_package(from: &str, path: &str, manner: ResolutionMode) -> bool {
    let depth = if path.starts_with('@') { 2 } else { 1 };
    let package: Vec<&str> = path.split('/').take(depth).collect();
    let package = package.join("/");
    let installed = folders_around(from).any(|folder| {
        join(folder, "node_modules")
            .and_then(|modules| join(&modules, &package))
            .is_some_and(|path| workspace::stat(&path).is_some())
    });
    let looks_like_file = match manner {
        ResolutionMode::Package => split_extension(file_name(path)).1 == "css" && !path.starts_with('@'),
        _ => !path.starts_with('@'),
    };
    installed || !looks_like_file
}
