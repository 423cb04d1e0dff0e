//! Resolves links.

use marquetry_sdk::{
    Destination, Request, Resolved, paths, possible_paths, urls,
    workspace::{self, EntryKind},
};

/// Extensions that links to pages may omit.
pub(super) const PAGE_EXTENSIONS: [&str; 3] = [".md", ".mdx", ".markdown"];
/// Names of index files of a folder.
pub(super) const INDEX_NAMES: [&str; 3] = ["index", "README", "readme"];
/// Extensions that imports may omit.
pub(super) const MODULE_EXTENSIONS: [&str; 9] = [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mdx", ".md", ".json"];
/// Prefixes of specifiers that are relative to the root of a site. The value lists the folders below the root that may
/// contain the files.
pub(super) const ROOT_PREFIXES: [(&str, &[&str]); 4] =
    [("@site/", &[""]), ("@/", &["", "src"]), ("~/", &["", "src"]), ("/", &["", "static", "public"])];

/// Returns whether the link is a JavaScript specifier.
pub(super) fn is_module_kind(kind: &str) -> bool {
    kind == "import" || kind == "export-from"
}

/// Resolves one link of the file.
pub(crate) fn resolve_link(from: &str, request: &Request) -> Destination {
    if matches!(request.kind.as_str(), "front-matter" | "possible") {
        return resolve_front_matter(from, &request.kind, &request.specifier);
    }
    if request.kind == "label" {
        return resolve_label(from, &request.specifier);
    }
    let is_module = is_module_kind(&request.kind);
    if urls::is_remote(&request.specifier) {
        return Destination::External;
    }
    let (path, suffix) = if is_module { (request.specifier.as_str(), "") } else { urls::split(&request.specifier) };
    if path.is_empty() {
        return inside_workspace(from.to_owned(), suffix);
    }
    let decoded = if is_module { path.into() } else { urls::decode(path) };
    if let Some((_, folders, rest)) = split_root_prefix(&decoded) {
        return resolve_at_root(from, folders, rest, &decoded, is_module, suffix);
    }
    if is_module && !decoded.starts_with("./") && !decoded.starts_with("../") && decoded != "." && decoded != ".." {
        return Destination::External;
    }
    match paths::join(paths::folder(from), &decoded) {
        // Relative links to a path above the workspace root refer to pages of the site that hosts the repository.
        None => Destination::External,
        Some(joined) => match existing_file(&joined, is_module) {
            Some(path) => inside_workspace(path, suffix),
            None => Destination::Missing(joined),
        },
    }
}

/// Resolves the text of a link. It is a path relative to the folder of the file or to the root.
fn resolve_label(from: &str, path: &str) -> Destination {
    let there = [paths::folder(from), ""].into_iter().filter_map(|base| paths::join(base, path));
    let found = there.into_iter().find(|path| workspace::stat(path).is_some());
    found.map_or(Destination::External, |path| inside_workspace(path, ""))
}

/// Resolves a value of front matter. It is a path, not a URL.
fn resolve_front_matter(from: &str, kind: &str, path: &str) -> Destination {
    if kind == "possible" {
        return possible_paths::destination(paths::folder(from), path);
    }
    match paths::join(paths::folder(from), path) {
        None => Destination::External,
        Some(path) if !path.is_empty() && workspace::stat(&path).is_some() => inside_workspace(path, ""),
        Some(path) => Destination::Missing(path),
    }
}

/// Splits a specifier that is relative to the root of a site into its prefix, the possible folders, and the rest.
pub(super) fn split_root_prefix(path: &str) -> Option<(&'static str, &'static [&'static str], &str)> {
    ROOT_PREFIXES.iter().find_map(|(prefix, folders)| Some((*prefix, *folders, path.strip_prefix(prefix)?)))
}

/// Resolves a specifier that is relative to the root of a site. The root is the folder of the file or one above it. For
/// `/`, the topmost folder is tried first.
fn resolve_at_root(
    from: &str,
    folders: &[&str],
    rest: &str,
    whole: &str,
    is_module: bool,
    suffix: &str,
) -> Destination {
    let sites: Vec<&str> = paths::folders_around(from).collect();
    for site in sites.iter().rev() {
        for folder in folders {
            let base = paths::join(site, folder).unwrap_or_default();
            if let Some(path) = paths::join(&base, rest).and_then(|path| existing_file(&path, is_module)) {
                return inside_workspace(path, suffix);
            }
        }
    }
    match paths::join("", rest) {
        Some(path) if whole.starts_with('/') => Destination::Missing(path),
        _ => Destination::Unknown("an alias that does not resolve to a file".to_owned()),
    }
}

fn inside_workspace(path: String, suffix: &str) -> Destination {
    Destination::Inside(Resolved { path, suffix: suffix.to_owned() })
}

/// Returns the file or folder at the path. If there is none, returns the file that the path means with an extension or
/// index name added.
fn existing_file(path: &str, is_module: bool) -> Option<String> {
    let is_file = |path: &String| workspace::stat(path) == Some(EntryKind::File);
    let extensions: &[&str] = if is_module { &MODULE_EXTENSIONS } else { &PAGE_EXTENSIONS };
    let kind = workspace::stat(path);
    if kind == Some(EntryKind::File) || (kind == Some(EntryKind::Directory) && !is_module) {
        return Some(path.to_owned());
    }
    let named = extensions.iter().map(|extension| format!("{path}{extension}"));
    let page = path.strip_suffix(".html").filter(|_| !is_module);
    let source =
        page.into_iter().flat_map(|page| PAGE_EXTENSIONS.iter().map(move |extension| format!("{page}{extension}")));
    let index = extensions.iter().map(|extension| format!("{path}/index{extension}"));
    named.chain(source).chain(index).find(is_file)
}
